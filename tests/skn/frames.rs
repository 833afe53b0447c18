use crate::case::{Case, address, folders};
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::machine::OnFault;

/// Runs a case and gives what differs from the recorded memory.
fn differences(case: &Case) -> Option<String> {
    let (mut simulation, matrices) =
        case.load(RunOptions { on_fault: OnFault::Continue, ..RunOptions::default() });
    for _ in 0..case.json["frames"].as_u64().unwrap() {
        simulation.frame(&matrices);
    }
    let expected = std::fs::read(case.folder.join("after.bin")).unwrap();
    let start = address(&case.json["after_address"]);
    let have = simulation.machine.memory(start, expected.len() as u32).unwrap();
    let differing = have.iter().zip(&expected).filter(|(a, b)| a != b).count();
    let first = have.iter().zip(&expected).position(|(a, b)| a != b)?;
    Some(format!(
        "{}: {differing} bytes differ, the first at {:#010x}: want {:02x}, have {:02x}",
        case.name,
        start + first as u32,
        expected[first],
        have[first]
    ))
}

#[test]
fn every_recorded_frame_leaves_the_recorded_memory() {
    let folders = folders("skn");
    assert!(folders.len() >= 16, "the cases of this repository are there");
    let wrong: Vec<String> = folders.iter().filter_map(|folder| differences(&Case::read(folder))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
