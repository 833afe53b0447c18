use std::fmt::Write;

use crate::output::{bone_nodes, build_bytes, compare, matrices, sample, to_rows};
use crate::reference::Reference;
use skinsim::c3::build::{BuildOptions, Built};
use skinsim::c3::format::act::Act;
use skinsim::c3::format::anm::Anm;
use skinsim::c3::model::Model;
use skinsim::c3::runtime::animate::{Bank, Ease};
use skinsim::c3::runtime::pose::{Actor, LoadOptions, Skeleton};

fn built(name: &str) -> (Built, Reference) {
    let bytes = sample(name);
    (build_bytes(&bytes, &BuildOptions::default()).unwrap(), Reference::read(&bytes))
}

#[test]
fn the_fox_is_posed_within_the_bound_at_the_recorded_poses() {
    let (fox, reference) = built("Fox.glb");
    let animation = |name: &str| reference.animations().iter().position(|(known, _)| known == name);
    let poses = [("rest", 0.0), ("Run", 0.2), ("Survey", 1.7), ("Walk", 0.35)];
    let mut told = format!("shift {}\n", fox.summary.shift);
    for (name, time) in poses {
        let globals = reference.globals(animation(name).map(|index| (index, time)));
        let error = compare(&fox, &reference, &globals, &matrices(&fox, &globals), 0.0);
        assert!(error.of_bound <= 1.0, "{name}: {error:?}");
        writeln!(told, "{name} {time}: worst {:.2} steps, rms {:.2} steps", error.worst, error.rms).unwrap();
    }
    insta::assert_snapshot!(told);
}

/// Ticks the bank to a moment and gives the skin matrices that a game would have.
pub fn from_bank(built: &Built, sequence: usize, time: f64) -> Vec<[[f32; 4]; 3]> {
    let model = Model::from_block(&built.block).unwrap();
    let act = Act::parse_view(model.act.unwrap()).unwrap();
    let mut actor = Actor::new(Skeleton::load(&act, &LoadOptions::default()).unwrap());
    let bytes = built.animations.as_ref().unwrap();
    let anm = Anm::parse(bytes).unwrap();
    assert_eq!(&anm.to_bytes(), bytes);
    let mut bank = Bank::load(&anm).unwrap();
    actor.bind(&bank, sequence, (time * 60.0) as f32).unwrap();
    actor.tick(&mut bank, Ease::default()).unwrap();
    to_rows(&actor.build().skin)
}

#[test]
fn the_bank_moves_every_sample_as_the_file_does() {
    for name in ["Fox.glb", "RiggedFigure.glb", "SimpleSkin.gltf"] {
        let (built, reference) = built(name);
        let size =
            reference.corners.iter().flat_map(|corner| corner.position).fold(0.0, |a: f64, b| a.max(b.abs()));
        for (sequence, (animation, end)) in reference.animations().into_iter().enumerate() {
            for part in [0.0, 0.13, 0.5, 0.77, 1.0] {
                let time = (end * part * 60.0).round() / 60.0;
                let globals = reference.globals(Some((sequence, time)));
                let posed = from_bank(&built, sequence, time);
                // Quaternions of 14 fraction bits, a chain of at most 8 bones.
                let slack = size * 8.0 / 16384.0;
                let error = compare(&built, &reference, &globals, &posed, slack);
                assert!(error.of_bound <= 1.0, "{name} {animation} {time}: {error:?}");
            }
        }
    }
}

#[test]
fn weights_that_do_not_sum_to_one_are_shared_out_in_proportion() {
    let (figure, reference) = built("RiggedFigure.glb");
    assert!(
        figure.summary.notes.iter().any(|note| note.starts_with("weights that do not sum to 1")),
        "{:?}",
        figure.summary.notes
    );
    for at in [None, Some((0, 0.5))] {
        let globals = reference.globals(at);
        let error = compare(&figure, &reference, &globals, &matrices(&figure, &globals), 0.0);
        assert!(error.of_bound <= 1.0, "{at:?}: {error:?}");
    }
}

#[test]
fn the_tutorials_ribbon_is_built_and_bends() {
    let (ribbon, reference) = built("SimpleSkin.gltf");
    assert_eq!(ribbon.summary.triangles, 8);
    let globals = reference.globals(Some((0, 1.0)));
    let error = compare(&ribbon, &reference, &globals, &matrices(&ribbon, &globals), 0.0);
    assert!(error.of_bound <= 1.0, "{error:?}");
}

#[test]
fn the_foxs_bones_are_its_joints_in_tree_order() {
    let (fox, _) = built("Fox.glb");
    assert_eq!(bone_nodes(&fox), (2..26).collect::<Vec<_>>());
    assert!(fox.summary.copyright.as_deref().is_some_and(|text| text.contains("PixelMannen")));
}

#[test]
fn building_twice_gives_the_same_bytes() {
    for name in ["Fox.glb", "RiggedFigure.glb"] {
        let (one, two) = (built(name).0, built(name).0);
        assert!(one == two, "{name}");
    }
}

#[test]
fn what_is_built_is_read_whole_and_written_back() {
    for name in ["Fox.glb", "RiggedFigure.glb", "SimpleSkin.gltf"] {
        let (built, _) = built(name);
        let model = Model::from_block(&built.block).unwrap();
        assert!(model.problems.is_empty(), "{name}: {:?}", model.problems);
        let (gpl, skn) = (model.gpl.as_ref().unwrap(), model.skn.as_ref().unwrap());
        assert!(gpl.problems.is_empty() && skn.problems.is_empty(), "{name}");
        assert_eq!(gpl.to_bytes(), gpl.view().bytes(), "{name}");
        assert_eq!(skn.to_bytes(), skn.view().bytes(), "{name}");
        let act = Act::parse_view(model.act.unwrap()).unwrap();
        assert_eq!(act.to_bytes(), act.view().bytes(), "{name}");
        assert_eq!(model.block.as_ref().unwrap().to_bytes(), built.block, "{name}");
    }
}
