//! Any bytes run to an end: no panic, no endless loop, and both kinds of kernel agree on the way.

use std::path::Path;

use proptest::prelude::*;
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::c3::runtime::load::{IDENTITY, LoadPlan, SkinMatrix};
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};
use skinsim::gekko::machine::OnFault;
use skinsim::gekko::map::{Console, Target};

const GPL: u32 = 0x8040_0000;

fn well_formed(file: &str) -> Vec<u8> {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/skn/007-well-formed");
    std::fs::read(case.join(file)).unwrap()
}

fn options(target: Target, on_fault: OnFault) -> RunOptions {
    RunOptions { console: Console::GameCube, target, on_fault, budget: 1 << 16, ..RunOptions::default() }
}

fn matrices() -> Vec<SkinMatrix> {
    let mut matrices = vec![IDENTITY; 4];
    matrices[1][0] = [0.5, -0.25, 0.125, 3.0];
    matrices[2][1] = [0.0, 1.5, -0.75, -20.0];
    matrices[3][2] = [f32::INFINITY, 1e-40, f32::NAN, 100.0];
    matrices
}

/// Runs two frames of loose files; `None` when they cannot be read or placed at all.
fn simulate(gpl: &[u8], skn: &[u8], options: &RunOptions, watched: bool) -> Option<Simulation> {
    let files = LooseFiles { gpl, skn: Some(skn), ..LooseFiles::default() };
    let model = Model::from_loose(files).ok()?;
    let plan = LoadPlan::loose(&model, GPL, None).ok()?;
    let mut simulation = Simulation::load(&plan, 4, options).ok()?;
    for _ in 0..2 {
        let journal = if watched {
            simulation.frame_watched(&matrices(), |_| ())
        } else {
            simulation.frame(&matrices())
        };
        if simulation.ended(&journal) {
            break;
        }
    }
    Some(simulation)
}

/// Overwrites bytes of the header and the lists, where the pointers and counts are.
fn mutated(mut skn: Vec<u8>, changes: &[(usize, u8)]) -> Vec<u8> {
    let lists = 0x200.min(skn.len());
    for &(position, value) in changes {
        skn[position % lists] = value;
    }
    skn
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_bytes_run_to_an_end(gpl in prop::collection::vec(any::<u8>(), 0..400), skn in prop::collection::vec(any::<u8>(), 0..600)) {
        for target in [Target::Dolphin, Target::Console] {
            simulate(&gpl, &skn, &options(target, OnFault::Continue), false);
        }
    }

    #[test]
    fn a_damaged_model_runs_to_an_end_on_either_target(changes in prop::collection::vec((any::<usize>(), any::<u8>()), 1..12)) {
        let (gpl, skn) = (well_formed("model.gpl"), mutated(well_formed("model.skn"), &changes));
        for target in [Target::Dolphin, Target::Console] {
            for on_fault in [OnFault::Stop, OnFault::Continue] {
                simulate(&gpl, &skn, &options(target, on_fault), false);
            }
        }
    }

    #[test]
    fn bulk_and_stepped_kernels_leave_the_same_machine(changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..6)) {
        let (gpl, skn) = (well_formed("model.gpl"), mutated(well_formed("model.skn"), &changes));
        let options = options(Target::Dolphin, OnFault::Stop);
        let bulk = simulate(&gpl, &skn, &options, false).unwrap();
        let stepped = simulate(&gpl, &skn, &options, true).unwrap();
        prop_assert!(bulk.machine == stepped.machine);
    }

    #[test]
    fn any_block_runs_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0x20..400)) {
        if let Ok(model) = Model::from_block(&bytes)
            && let Some(block) = &model.block
            && let Ok(plan) = LoadPlan::block(&model, block, GPL)
            && let Ok(mut simulation) = Simulation::load(&plan, 4, &options(Target::Dolphin, OnFault::Continue))
        {
            simulation.frame(&matrices());
        }
    }
}
