use std::collections::BTreeSet;
use std::path::Path;

use crate::output::{build_bytes, sample};
use skinsim::c3::build::error::Notes;
use skinsim::c3::build::gltf::import;
use skinsim::c3::build::weights::Allowed;
use skinsim::c3::build::weights_only::{Patched, patch};
use skinsim::c3::build::{BuildOptions, donor};
use skinsim::c3::format::skn::Skn;
use skinsim::c3::model::Model;

fn recorded_fox() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fox.block")).unwrap()
}

fn skinned(block: &[u8]) -> BTreeSet<u16> {
    let model = Model::from_block(block).unwrap();
    let skn: Skn = model.skn.unwrap();
    let one = skn.sk1.iter().map(|entry| entry.bone);
    let two = skn.sk2.iter().flat_map(|entry| entry.bones);
    one.chain(two).chain(skn.skacc.iter().map(|entry| entry.bone)).collect()
}

fn patched(block: &[u8], change: impl Fn(u16, f64) -> f64) -> Result<Patched, String> {
    let model = Model::from_block(block).unwrap();
    let mut notes = Notes::default();
    let mut none = |_: &str| Err(String::new());
    let mut fox = import(&sample("Fox.glb"), "fox", &mut none, &mut notes).unwrap();
    for vertex in &mut fox.vertices {
        vertex.influences.iter_mut().for_each(|(bone, weight)| *weight = change(*bone, *weight));
    }
    patch(block, &model, &fox, &Allowed::All, notes).map_err(|error| error.to_string())
}

#[test]
fn the_weights_of_the_independent_fox_are_the_ones_shared_out_here() {
    let block = recorded_fox();
    let same = patched(&block, |_, weight| weight).unwrap();
    assert_eq!((same.changed, same.slots), (0, 0));
    assert!(same.block == block);
}

#[test]
fn only_weight_bytes_change_when_weights_do() {
    let block = recorded_fox();
    let patched = patched(&block, |bone, weight| if bone == 3 { 1.5 * weight } else { weight }).unwrap();
    assert!(patched.changed > 50 && patched.block.len() == block.len());
    let model = Model::from_block(&block).unwrap();
    let skn = model.skn.unwrap();
    let base = skn.view().base();
    let two = skn.sk2.iter().map(|entry| (entry.weights, 2 * u64::from(entry.count)));
    let further = skn.skacc.iter().map(|entry| (entry.weights, u64::from(entry.count)));
    let arrays: Vec<_> =
        two.chain(further).map(|(at, size)| base + u64::from(at)..base + u64::from(at) + size).collect();
    for (at, (before, after)) in block.iter().zip(&patched.block).enumerate() {
        assert!(before == after || arrays.iter().any(|array| array.contains(&(at as u64))), "{at:#x}");
    }
}

#[test]
fn another_bone_set_needs_a_whole_build() {
    let error = patched(&recorded_fox(), |bone, weight| if bone == 3 { 0.0 } else { weight }).unwrap_err();
    assert!(error.contains("needs a whole build") || error.contains("at least one bone"), "{error}");
}

#[test]
fn a_donor_allows_the_bones_of_its_skin_and_added_ones() {
    let block = recorded_fox();
    let model = Model::from_block(&block).unwrap();
    let mut allowed = donor::allowed(&model).unwrap();
    let Allowed::Donor { skinned: used, bones } = &mut allowed else { panic!("a donor limits bones") };
    assert_eq!((used.clone(), *bones), (skinned(&block), 24));
    // Without the tail's and the left leg's tips.
    for bone in [14, 15, 19] {
        used.remove(&bone);
    }
    let fox = build_bytes(&sample("Fox.glb"), &BuildOptions { allowed, ..BuildOptions::default() }).unwrap();
    assert!(skinned(&fox.block).is_disjoint(&BTreeSet::from([14, 15, 19])));
    assert!(
        fox.summary.notes.iter().any(|note| note.contains("(bone 15) move to") && note.contains("(bone 13)")),
        "{:#?}",
        fox.summary.notes
    );
}

#[test]
fn a_weight_that_no_allowed_bone_takes_names_its_vertex() {
    let allowed = Allowed::Donor { skinned: BTreeSet::from([23]), bones: 24 };
    let error =
        build_bytes(&sample("Fox.glb"), &BuildOptions { allowed, ..BuildOptions::default() }).unwrap_err();
    assert!(error.starts_with("mesh 'fox1', primitive 0, vertex "), "{error}");
    assert!(error.ends_with("want at least one bone with weight, have none"), "{error}");
}
