//! A rigged .glb moves as the game moves the model.

use std::path::Path;

use proptest::prelude::*;
use skinsim::affine::{Affine, Trs};
use skinsim::c3::format::anm::Anm;
use skinsim::c3::model::Model;
use skinsim::c3::outcome::{Outcome, Poses, Rig};
use skinsim::c3::rigged::{animation, rigged};
use skinsim::c3::runtime::animate::{Bank, Ease, Play, Player};
use skinsim::c3::runtime::load::{DEFAULT_ADDRESS, LoadPlan};
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::export::gltf;
use skinsim::flver::{Flver, Options};
use skinsim::mesh::Mesh;

fn read(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn wide(values: [f32; 3]) -> [f64; 3] {
    values.map(f64::from)
}

/// Positions of the first mesh, skinned by the nodes as they stand at a key of the first animation, or at
/// rest.
fn skinned(glb: &[u8], key: Option<usize>) -> Vec<[f64; 3]> {
    let (document, buffers, _) = ::gltf::import_slice(glb).unwrap();
    let data = |buffer: ::gltf::Buffer| Some(&*buffers[buffer.index()].0);
    let mut locals: Vec<Trs> = document
        .nodes()
        .map(|node| {
            let (translation, rotation, scale) = node.transform().decomposed();
            Trs { translation: wide(translation), rotation: rotation.map(f64::from), scale: wide(scale) }
        })
        .collect();
    if let Some(key) = key {
        use ::gltf::animation::util::ReadOutputs;
        for channel in document.animations().next().unwrap().channels() {
            let local = &mut locals[channel.target().node().index()];
            match channel.reader(data).read_outputs().unwrap() {
                ReadOutputs::Translations(mut keys) => local.translation = wide(keys.nth(key).unwrap()),
                ReadOutputs::Scales(mut keys) => local.scale = wide(keys.nth(key).unwrap()),
                ReadOutputs::Rotations(keys) => {
                    local.rotation = keys.into_f32().nth(key).unwrap().map(f64::from);
                }
                ReadOutputs::MorphTargetWeights(_) => {}
            }
        }
    }
    let mut globals = vec![Affine::IDENTITY; locals.len()];
    for root in document.scenes().next().unwrap().nodes() {
        place(&root, &Affine::IDENTITY, &locals, &mut globals);
    }
    let skin = document.skins().next().unwrap();
    let inverse: Vec<Affine> = skin
        .reader(data)
        .read_inverse_bind_matrices()
        .unwrap()
        .map(|columns| {
            Affine(std::array::from_fn(|row| std::array::from_fn(|at| f64::from(columns[at][row]))))
        })
        .collect();
    let joints: Vec<Affine> =
        skin.joints().zip(&inverse).map(|(joint, inverse)| globals[joint.index()].after(inverse)).collect();
    let primitive = document.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(data);
    let mut out = vec![[0.0; 3]; reader.read_positions().unwrap().count()];
    for set in 0..4 {
        let (Some(numbers), Some(weights)) = (reader.read_joints(set), reader.read_weights(set)) else {
            break;
        };
        let rows = numbers.into_u16().zip(weights.into_f32()).zip(reader.read_positions().unwrap());
        for (((numbers, weights), position), out) in rows.zip(&mut out) {
            for (joint, weight) in numbers.into_iter().zip(weights) {
                let moved = joints[usize::from(joint)].point(wide(position));
                (0..3).for_each(|axis| out[axis] += f64::from(weight) * moved[axis]);
            }
        }
    }
    out
}

fn place(node: &::gltf::Node, above: &Affine, locals: &[Trs], globals: &mut [Affine]) {
    let global = above.after(&locals[node.index()].affine());
    globals[node.index()] = global;
    node.children().for_each(|child| place(&child, &global, locals, globals));
}

/// The largest distance of a drawn vertex.
fn worst(have: &[[f64; 3]], want: &Mesh) -> f64 {
    let drawn = want.triangles().flatten().map(|vertex| vertex as usize);
    let apart = drawn.map(|vertex| {
        let (a, b) = (have[vertex], wide(want.positions[vertex]));
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    });
    apart.fold(0.0, f64::max)
}

fn size(mesh: &Mesh) -> f64 {
    let [low, high] = mesh.bounds();
    low.iter().zip(high).map(|(low, high)| f64::from(high - low)).fold(0.0, f64::max)
}

#[test]
fn the_rigged_fox_runs_as_the_game_makes_it_run() {
    let (block, bank) = (read("examples/fox.block"), read("examples/fox.anm"));
    let model = Model::from_block(&block).unwrap();
    let anm = Anm::parse(&bank).unwrap();
    let player = || {
        let play = Play { sequence: 2, start: 0.0, speed: 1.0, ease: Ease::Continuous };
        let actor = Rig::default().actor(&model).unwrap().unwrap();
        Player::animated(actor, Bank::load(&anm).unwrap(), play).unwrap()
    };
    let mut out = rigged(&model, &Rig::default()).unwrap();
    out.animations.push(animation("run".to_owned(), player(), 12).unwrap());
    let glb = gltf::rigged(&out).unwrap();
    for frames in [1, 7, 12] {
        let plan = LoadPlan::at(&model, DEFAULT_ADDRESS).unwrap();
        let poses = Poses::played("run", player(), frames);
        let mesh = Outcome::run(&model, plan, RunOptions::default(), poses).unwrap().mesh();
        let worst = worst(&skinned(&glb, Some(frames as usize - 1)), &mesh);
        // Stores truncate, an accumulated slot once a bone.
        assert!(worst < size(&mesh) * 1e-3, "frame {frames}: {worst} of {}", size(&mesh));
    }
}

#[test]
fn frames_of_an_animation_are_the_meshes_of_its_frames() {
    let (block, bank) = (read("examples/fox.block"), read("examples/fox.anm"));
    let model = Model::from_block(&block).unwrap();
    let anm = Anm::parse(&bank).unwrap();
    let play = Play { sequence: 1, start: 0.0, speed: 1.0, ease: Ease::Continuous };
    let actor = Rig::default().actor(&model).unwrap().unwrap();
    let player = Player::animated(actor, Bank::load(&anm).unwrap(), play).unwrap();
    let plan = LoadPlan::at(&model, DEFAULT_ADDRESS).unwrap();
    let mut meshes = Vec::new();
    let poses = Poses::played("walk", player, 3);
    Outcome::run_observed(&model, plan, RunOptions::default(), poses, |outcome| meshes.push(outcome.mesh()))
        .unwrap();
    let (document, buffers, _) = ::gltf::import_slice(gltf::frames(&meshes).unwrap()).unwrap();
    let primitive = document.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|buffer| Some(&*buffers[buffer.index()].0));
    let first: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    assert_eq!(first[..1518], meshes[0].positions);
    for ((positions, ..), mesh) in reader.read_morph_targets().zip(&meshes[1..]) {
        let moved =
            positions.unwrap().zip(&first).map(|(delta, from)| [0, 1, 2].map(|at| delta[at] + from[at]));
        for (have, want) in moved.zip(&mesh.positions) {
            assert!(have.iter().zip(want).all(|(a, b)| (a - b).abs() <= b.abs() * 1e-6), "{have:?} {want:?}");
        }
    }
    assert_ne!(meshes[1].positions, meshes[2].positions);
}

#[test]
fn nodes_of_a_flver_at_rest_leave_its_vertices_where_the_game_puts_them() {
    for file in ["flver-synthetic/synth_2001a.flver", "flver-synthetic/synth_20014.flver"] {
        let bytes = read(&format!("tests/cases/{file}"));
        let flver = Flver::parse(&bytes).unwrap();
        let out = skinsim::flver::runtime::rigged::rigged("m", &flver, &Options::default()).unwrap();
        assert_eq!(out.influences.len(), out.mesh.positions.len());
        let mut mirrored = out.mesh.clone();
        mirrored.positions.iter_mut().for_each(|position| position[2] = -position[2]);
        let worst = worst(&skinned(&gltf::rigged(&out).unwrap(), None), &mirrored);
        assert!(worst <= size(&out.mesh) * 1e-5, "{file}: {worst}");
    }
}

#[test]
fn the_shapes_of_a_face_are_what_its_flexes_do_at_full_weight() {
    let (mdl, vvd) = (
        read("tests/cases/mdl_synth_flex/synth_flex.mdl"),
        read("tests/cases/mdl_synth_flex/synth_flex.vvd"),
    );
    let out = skinsim::mdl::rigged(&mdl, Some(&vvd), &skinsim::mdl::Options::default()).unwrap();
    assert_eq!(out.influences.len(), out.mesh.positions.len());
    assert!(out.shapes.iter().all(|shape| !shape.deltas.is_empty()));
    let parsed = skinsim::mdl::format::Mdl::read(&mdl).unwrap();
    let moved: usize = parsed.flexes().map(|flex| flex.anims.len()).sum();
    let stereo: usize = parsed
        .flexes()
        .filter(|flex| flex.pair != 0)
        .flat_map(|flex| &flex.anims)
        .filter(|anim| anim.side % 255 != 0)
        .count();
    let deltas: usize = out.shapes.iter().map(|shape| shape.deltas.len()).sum();
    assert!(moved > 0 && deltas <= moved + stereo, "{deltas} of {moved} and {stereo} twice");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_damaged_fox_is_exported_or_refused(
        damage in proptest::collection::vec((0..34_000usize, any::<u8>()), 1..40)
    ) {
        let mut bytes = read("examples/fox.block");
        for (at, value) in damage {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        let Ok(model) = Model::from_block(&bytes) else { return Ok(()) };
        if let Ok(out) = rigged(&model, &Rig::default()) {
            let _ = gltf::rigged(&out);
        }
        if let Ok(outcome) = Outcome::at_rest(&model) {
            let mesh = outcome.mesh();
            let glb = gltf::frames(&[mesh.clone(), mesh.clone()]);
            prop_assert!(mesh.positions.is_empty() || ::gltf::Gltf::from_slice(&glb.unwrap()).is_ok());
            prop_assert!(skinsim::export::obj::write(&mesh).starts_with('#'));
        }
    }
}
