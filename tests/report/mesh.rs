//! Mesh, frames, weights and findings of a page.

use skinsim::c3::mesh::Topology;
use skinsim::c3::model::Model;
use skinsim::c3::outcome::Outcome;
use skinsim::c3::poses::{Poses, Rig};
use skinsim::c3::runtime::load::LoadPlan;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::report::page::verdict::OutcomeKind;

use crate::support::{example, page_of, u16s, unpacked};

#[test]
fn positions_are_those_of_the_run_to_the_bit() {
    let bytes = example("fox");
    let model = Model::from_block(&bytes).unwrap();
    let poses = Poses::rest(&model, &Rig::default(), 1).unwrap();
    let plan = LoadPlan::at(&model, 0x80A0_0000).unwrap();
    let outcome = Outcome::run(&model, plan, RunOptions::default(), poses).unwrap();
    let mesh = Topology::of(&model).mesh(&outcome);
    let geometry = page_of(&bytes).geometry.unwrap();
    assert_eq!(geometry.vertex_count, mesh.positions.len());
    let decoded: Vec<f32> = u16s(&geometry.frames[0].positions)
        .iter()
        .enumerate()
        .map(|(at, &steps)| geometry.origin[at % 3] + f32::from(steps) * geometry.step)
        .collect();
    let differs = decoded.iter().zip(mesh.positions.as_flattened()).position(|(have, want)| have != want);
    assert_eq!(differs, None);
    assert_eq!(unpacked(&geometry.triangles).len(), 12 * mesh.triangles().count());
}

#[test]
fn a_sound_model_is_within_rounding_of_its_ideal_and_a_broken_one_is_not() {
    let worst = |name: &str| {
        let geometry = page_of(&example(name)).geometry.unwrap();
        let known = |error: &u16| *error != u16::MAX;
        let all = geometry.frames.iter().filter_map(|frame| frame.errors.as_deref()).flat_map(u16s);
        all.filter(known).max().unwrap()
    };
    assert!(worst("fox") < 8, "{}", worst("fox"));
    assert!(worst("broken/shared-line") > 1000);
}

#[test]
fn weights_sum_to_the_whole_in_every_slot_that_is_written() {
    let geometry = page_of(&example("fox")).geometry.unwrap();
    let influences = &geometry.influences;
    let (counts, weights) = (u16s(&influences.counts), u16s(&influences.weights));
    assert_eq!(counts.len(), geometry.vertex_count);
    assert_eq!(weights.len(), u16s(&influences.bones).len());
    let mut first = 0;
    for (vertex, count) in counts.iter().map(|&count| usize::from(count)).enumerate() {
        let sum: u16 = weights[first..first + count].iter().sum();
        assert!(count == 0 || sum == influences.whole, "vertex {vertex}: {sum}");
        first += count;
    }
}

#[test]
fn findings_point_at_entries_and_vertices() {
    let page = page_of(&example("broken/shared-line"));
    let map = page.lines.as_ref().unwrap();
    let shared = page.findings.iter().find(|finding| finding.code == "line-shared").unwrap();
    let names: Vec<&str> =
        shared.entries.iter().map(|&entry| map.entries[entry as usize].name.as_str()).collect();
    assert!(names.contains(&"SK1[5]"), "{names:?}");
    assert!(shared.vertices.contains(&389), "{:?}", shared.vertices);
    assert!(page.findings.is_sorted_by_key(|finding| std::cmp::Reverse(finding.severity)));
}

#[test]
fn the_verdicts_say_what_each_machine_does() {
    let page = page_of(&example("broken/one-vertex"));
    let [dolphin, console] = page.verdicts.as_slice() else { panic!("two verdicts") };
    assert_eq!((dolphin.target, console.target), ("Dolphin", "Console"));
    assert_eq!(dolphin.outcome, OutcomeKind::Crashes);
    assert!(dolphin.text.contains("Invalid read from 0xe0040000, PC = 0x80523ec4"), "{}", dolphin.text);
    assert!(console.text.contains("0xe0004000"), "{}", console.text);
    assert_eq!(page_of(&example("fox")).verdicts[0].outcome, OutcomeKind::Good);
}

#[test]
fn without_skinning_data_the_page_has_findings_alone() {
    let mut bytes = example("fox");
    bytes[0x10..0x14].fill(0);
    let page = page_of(&bytes);
    assert!(page.lines.is_none() && page.geometry.is_none());
    assert!(page.facts.iter().any(|(label, _)| label == "not run"));
    assert_eq!(page.verdicts[0].outcome, OutcomeKind::Unknown);
}
