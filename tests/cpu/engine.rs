//! Our own kernels and frame as a program: recorded cases byte for byte, faults, other programs.

use std::path::{Path, PathBuf};

use skinsim::c3::model::Model;
use skinsim::c3::runtime::code::SLUGGERS;
use skinsim::c3::runtime::load::{DEFAULT_ADDRESS, LoadPlan, SkinMatrix};
use skinsim::c3::runtime::program::{GameProgram, ProgramError, ProgramOptions};
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};
use skinsim::gekko::executable::Executable;
use skinsim::gekko::fault::FaultKind;
use skinsim::gekko::machine::OnFault;
use skinsim::gekko::map::LockedCacheBat;

use super::case::{Case, address, folders, matrices};

pub fn kernels(name: &str) -> Executable {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("ppc_traces/kernels").join(name);
    Executable::read(&std::fs::read(path).unwrap()).unwrap()
}

/// The kernels linked for the game whose code the simulation names.
pub fn program(plan: &LoadPlan, simulation: &mut Simulation) -> GameProgram {
    let file = if simulation.input.code == SLUGGERS { "sluggers.elf" } else { "superstar.elf" };
    GameProgram::load(&kernels(file), &ProgramOptions::default(), plan, simulation).unwrap()
}

fn load(case: &Case, options: RunOptions) -> (GameProgram, Simulation, Vec<SkinMatrix>) {
    let (mut simulation, matrices) = case.load(options);
    let program = case.with_plan(|plan| program(plan, &mut simulation));
    (program, simulation, matrices)
}

#[test]
fn our_code_leaves_the_memory_that_dolphin_recorded() {
    let cases = folders("skn");
    assert!(!cases.is_empty());
    for folder in cases {
        let case = Case::read(&folder);
        let (mut program, mut simulation, matrices) = load(&case, RunOptions::default());
        for _ in 0..case.json["frames"].as_u64().unwrap() {
            let (journal, stop) = program.frame(&mut simulation, &matrices);
            assert_eq!((journal.fault_count, stop), (0, None), "{}", case.name);
        }
        let after = std::fs::read(case.folder.join("after.bin")).unwrap();
        let start = address(&case.json["after_address"]);
        let got = simulation.machine.memory(start, after.len() as u32).unwrap();
        let differs = after.iter().zip(got).position(|(want, have)| want != have);
        assert_eq!(differs, None, "{}: memory differs at this offset", case.name);
    }
}

#[test]
fn our_code_at_sluggers_addresses_skins_the_fox_as_dolphin_did() {
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fox.block")).unwrap();
    let model = Model::from_block(&bytes).unwrap();
    let plan = LoadPlan::block(&model, model.block.as_ref().unwrap(), DEFAULT_ADDRESS).unwrap();
    for pose in ["rest", "run-0.20", "survey-1.70", "walk-0.35"] {
        let json = std::fs::read(super::support::case(&format!("fox/{pose}.json"))).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let matrices = matrices(&json);
        let mut simulation = Simulation::load(&plan, matrices.len(), &RunOptions::default()).unwrap();
        let mut program = program(&plan, &mut simulation);
        for _ in 0..json["frames"].as_u64().unwrap() {
            let (journal, stop) = program.frame(&mut simulation, &matrices);
            assert_eq!((journal.fault_count, stop), (0, None), "{pose}");
        }
        let expected = std::fs::read(super::support::case(&format!("fox/{pose}.positions.bin"))).unwrap();
        let have = simulation.machine.memory(plan.positions, expected.len() as u32).unwrap();
        assert!(have == expected, "{pose}");
    }
}

#[test]
fn a_program_may_not_cover_the_model() {
    let case = Case::read(&folders("skn")[0]);
    let (mut simulation, _) = case.load(RunOptions::default());
    let mut executable = kernels("superstar.elf");
    executable.sections[0].address = address(&case.json["skn_address"]);
    let loaded = case
        .with_plan(|plan| GameProgram::load(&executable, &ProgramOptions::default(), plan, &mut simulation));
    assert!(matches!(loaded, Err(ProgramError::Overlap { .. })));
}

#[test]
fn faults_happen_where_dolphin_recorded_them() {
    let cases = folders("faults");
    assert!(!cases.is_empty());
    for folder in cases {
        let case = Case::read(&folder);
        let options = RunOptions {
            locked_cache_bat: Some(LockedCacheBat::Size16M),
            on_fault: OnFault::Continue,
            budget: 1 << 19,
            ..RunOptions::default()
        };
        let (mut program, mut simulation, matrices) = load(&case, options);
        let (journal, stop) = program.frame(&mut simulation, &matrices);
        assert!(stop.is_some(), "{}: the loop never ends", case.name);
        for (want, have) in case.json["faults"].as_array().unwrap().iter().zip(&journal.faults) {
            assert_eq!(have.fault.kind, FaultKind::Read, "{}", case.name);
            assert_eq!(have.fault.address, address(&want["address"]), "{}", case.name);
            assert_eq!(have.fault.site.to_string(), want["at"].as_str().unwrap(), "{}", case.name);
            assert_eq!(have.fault.translated, want["translated"].as_bool().unwrap(), "{}", case.name);
        }
    }
}

#[test]
fn a_fault_names_entry_vertex_and_the_way_there() {
    let case = Case::read(&super::support::case("faults/one-count1-after0-offset4"));
    let options = RunOptions::default();
    let (mut program, mut simulation, matrices) = load(&case, options);
    let (journal, stop) = program.frame(&mut simulation, &matrices);
    let fault = journal.faults[0];
    let direct = case.load(options).0.frame(&matrices);
    assert_eq!(fault, direct.faults[0]);
    let stop = stop.unwrap();
    assert_eq!(stop.pc, 0x800b_ff48);
    assert_eq!(stop.history.len(), 16);
    assert!(stop.listing(program.program()).ends_with("800bff48: e5047004  psq_lu f8, 0x4(r4), 0, qr7\n"));
}
