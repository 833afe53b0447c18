use std::path::{Path, PathBuf};

use crate::case::{address, matrices};
use serde_json::Value;
use skinsim::c3::model::Model;
use skinsim::c3::runtime::load::LoadPlan;
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};

fn fox_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/fox")
}

#[test]
fn the_fox_comes_out_of_every_recorded_pose_as_recorded() {
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fox.block")).unwrap();
    let model = Model::from_block(&bytes).unwrap();
    let block = model.block.as_ref().unwrap();
    for pose in ["rest", "run-0.20", "survey-1.70", "walk-0.35"] {
        let json: Value =
            serde_json::from_slice(&std::fs::read(fox_folder().join(format!("{pose}.json"))).unwrap())
                .unwrap();
        let plan = LoadPlan::block(&model, block, address(&json["block_address"])).unwrap();
        let matrices = matrices(&json);
        let mut simulation = Simulation::load(&plan, matrices.len(), &RunOptions::default()).unwrap();
        for _ in 0..json["frames"].as_u64().unwrap() {
            let journal = simulation.frame(&matrices);
            assert!(journal.faults.is_empty());
        }
        let expected = std::fs::read(fox_folder().join(format!("{pose}.positions.bin"))).unwrap();
        let have = simulation.machine.memory(plan.positions, expected.len() as u32).unwrap();
        assert!(have == expected, "{pose}");
    }
}
