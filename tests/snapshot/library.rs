//! The golden text that the library gives.

use std::path::Path;

use proptest::prelude::*;
use skinsim::c3::model::Model;
use skinsim::c3::outcome::Outcome;
use skinsim::snapshot::{Group, Snapshot};

fn read(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn of_block(bytes: &[u8]) -> Snapshot {
    let model = Model::from_block(bytes).unwrap();
    Outcome::at_rest(&model).unwrap().snapshot()
}

#[test]
fn the_fox_has_a_golden_text() {
    insta::assert_snapshot!(of_block(&read("examples/fox.block")));
}

#[test]
fn the_broken_fox_tells_its_fault_and_findings() {
    let text = of_block(&read("examples/broken/one-vertex.block")).to_string();
    let after = text.split("\n[findings]\n").nth(1).unwrap();
    assert!(after.contains("error count-wraps 1\n"), "{after}");
    assert!(
        text.contains("faults     1, the first in frame 0, stage sk1, SK1[2]: Read at 0xe0040000"),
        "{text}"
    );
}

#[test]
fn every_vertex_of_a_full_text_is_the_meshs() {
    let bytes = read("examples/fox.block");
    let model = Model::from_block(&bytes).unwrap();
    let outcome = Outcome::at_rest(&model).unwrap();
    let read: Snapshot = outcome.snapshot().full().to_string().parse().unwrap();
    let positions: Vec<[f32; 3]> = read.vertices.iter().map(|row| row.position).collect();
    assert!(positions == outcome.mesh().positions);
}

#[test]
fn a_face_and_a_flver_have_golden_texts() {
    let flver = read("tests/cases/flver-synthetic/synth_2001a.flver");
    let options = skinsim::flver::Options::default();
    insta::assert_snapshot!(skinsim::flver::snapshot::snapshot(&flver, "rest", &options).unwrap());
    let folder = "tests/cases/mdl_synth_flex/synth_flex";
    let (mdl, vvd) = (read(&format!("{folder}.mdl")), read(&format!("{folder}.vvd")));
    let options = skinsim::mdl::Options::default();
    insta::assert_snapshot!(skinsim::mdl::snapshot::snapshot(&mdl, Some(&vvd), "rest", &options).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_damaged_fox_has_a_text_that_reads_back(
        damage in proptest::collection::vec((0..34_000usize, any::<u8>()), 1..30)
    ) {
        let mut bytes = read("examples/fox.block");
        for (at, value) in damage {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        let Ok(model) = Model::from_block(&bytes) else { return Ok(()) };
        let Ok(outcome) = Outcome::at_rest(&model) else { return Ok(()) };
        verifies(&outcome.snapshot())?;
    }

    #[test]
    fn any_damaged_flver_or_face_has_a_text_that_verifies(
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..12),
        names in any::<bool>(),
    ) {
        let damaged = |path: &str| {
            let mut bytes = read(path);
            for (at, value) in &damage {
                let (at, length) = (at.index(bytes.len()), bytes.len());
                // Names lie in the second half of both files.
                bytes[if names { length / 2 + at / 2 } else { at }] = *value;
            }
            bytes
        };
        let flver = damaged("tests/cases/flver-synthetic/synth_2001a.flver");
        if let Ok(taken) = skinsim::flver::snapshot::snapshot(&flver, " \n", &skinsim::flver::Options::default()) {
            verifies(&taken)?;
        }
        let mdl = damaged("tests/cases/mdl_synth_flex/synth_flex.mdl");
        let vvd = read("tests/cases/mdl_synth_flex/synth_flex.vvd");
        let options = skinsim::mdl::Options::default();
        if let Ok(taken) = skinsim::mdl::snapshot::snapshot(&mdl, Some(&vvd), "a; b", &options) {
            verifies(&taken)?;
        }
    }

    #[test]
    fn any_names_have_a_text_that_verifies(
        names in proptest::collection::vec("( |\n|; |\\[groups\\]|\\PC|\\\\u\\{a\\}|\t|\u{85}|:|\\|){0,6}", 1..4)
    ) {
        let rows = skinsim::snapshot::VertexRow::all(0, &[[1.0, f32::NAN, -0.0]; 2], &[]);
        let mut taken = Snapshot { vertices: rows.clone(), ..Snapshot::default() };
        for (number, name) in names.iter().enumerate() {
            taken.line(&format!("pose{number}"), name);
            taken.groups.push(Group::new(name.clone(), name, &rows));
            taken.groups.push(Group::new(name.clone(), "", &[]));
        }
        verifies(&taken)?;
        // Names that differ do so in the text.
        let texts: std::collections::BTreeSet<String> = taken.groups.iter().map(|group| group.name.clone()).collect();
        let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
        prop_assert_eq!(texts.len(), distinct.len());
    }
}

/// The text reads back, says the same, and a snapshot of the same model is like it, in either form.
fn verifies(taken: &Snapshot) -> Result<(), TestCaseError> {
    for form in [taken.clone(), taken.clone().full()] {
        let text = form.to_string();
        let read: Snapshot = text.parse().map_err(|error| TestCaseError::fail(format!("{error}")))?;
        prop_assert!(read.to_string() == text);
        let differences = taken.compared_with(&text).unwrap();
        prop_assert!(differences.is_empty(), "{differences}");
    }
    Ok(())
}
