//! Programs by a C compiler: small ones against what qemu-ppc recorded, and the whole frame against the
//! recorded memory of the library's own.

use std::path::PathBuf;

use skinsim::c3::model::Model;
use skinsim::c3::outcome::{Outcome, Poses, Rig};
use skinsim::c3::runtime::load::{DEFAULT_ADDRESS, LoadPlan};
use skinsim::c3::runtime::program::{GameProgram, ProgramOptions};
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::executable::Executable;

use super::case::{Case, address, folders};

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = super::support::case(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|have| have == extension));
    files.sort();
    assert!(!files.is_empty());
    files
}

fn executable(path: &std::path::Path) -> Executable {
    Executable::read(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn compiled_programs_leave_the_results_that_qemu_recorded() {
    const RESULTS: u32 = 0x8060_0000;
    let bytes =
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fox.block")).unwrap();
    let model = Model::from_block(&bytes).unwrap();
    let options = ProgramOptions {
        registers: vec![(3, RESULTS)],
        call: Some("compute".to_owned()),
        ..Default::default()
    };
    for path in files("programs/c", "elf") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let program = name.split_once('-').unwrap().0;
        let want = std::fs::read(path.with_file_name(format!("{program}.bin"))).unwrap();
        let plan = LoadPlan::at(&model, DEFAULT_ADDRESS).unwrap();
        let poses = Poses::rest(&model, &Rig::default(), 1).unwrap();
        let elf = executable(&path);
        let outcome =
            Outcome::run_program(&model, plan, RunOptions::default(), (&elf, &options), poses).unwrap();
        assert_eq!(outcome.program.as_ref().unwrap().stop, None, "{name}");
        let have = outcome.simulation.machine.memory(RESULTS, want.len() as u32).unwrap();
        let differs = want.iter().zip(have).position(|(want, have)| want != have);
        assert_eq!(differs, None, "{name}: the results differ at this byte");
    }
}

#[test]
fn the_frame_by_a_compiler_leaves_the_memory_that_dolphin_recorded() {
    for path in files("programs/frame", "elf") {
        let elf = executable(&path);
        for folder in folders("skn") {
            let case = Case::read(&folder);
            let (mut simulation, matrices) = case.load(RunOptions::default());
            let program = |plan: &LoadPlan| {
                GameProgram::load(&elf, &ProgramOptions::default(), plan, &mut simulation).unwrap()
            };
            let mut program = case.with_plan(program);
            for _ in 0..case.json["frames"].as_u64().unwrap() {
                let (journal, stop) = program.frame(&mut simulation, &matrices);
                assert_eq!((journal.fault_count, stop), (0, None), "{} {}", path.display(), case.name);
            }
            let after = std::fs::read(case.folder.join("after.bin")).unwrap();
            let got =
                simulation.machine.memory(address(&case.json["after_address"]), after.len() as u32).unwrap();
            let differs = after.iter().zip(got).position(|(want, have)| want != have);
            assert_eq!(differs, None, "{} {}: memory differs at this offset", path.display(), case.name);
        }
    }
}

#[test]
fn the_frame_by_a_compiler_tells_of_the_fox_what_the_model_tells() {
    let model = super::command::json(&[super::command::FOX], 0);
    for path in files("programs/frame", "elf") {
        let cpu = super::command::json(&[super::command::FOX, "--dol", path.to_str().unwrap()], 0);
        for key in ["digest", "writes", "cleared", "faults", "damage"] {
            assert_eq!(model[key], cpu[key], "{key}, {}", path.display());
        }
    }
}

#[test]
fn a_fault_in_compiled_code_names_its_entry_and_the_way_there() {
    // A bone that does not exist: its record pointer is null.
    let mut block =
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fox.block")).unwrap();
    let entry = 0x5de4 + 2 * 0x40 + 0x38;
    block[entry..entry + 2].copy_from_slice(&200u16.to_be_bytes());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fox.block");
    std::fs::write(&file, block).unwrap();
    for path in files("programs/frame", "elf") {
        let report = super::command::json(&[file.to_str().unwrap(), "--dol", path.to_str().unwrap()], 1);
        assert_eq!(report["faults"][0]["access"], "read");
        assert_eq!(report["faults"][0]["stage"], "sk1");
        assert_eq!(report["program"]["stop"]["last"].as_array().unwrap().len(), 16);
    }
}

/// No symbols, no entry point, a segment of notes where no memory is; r13 from the name of a section.
#[test]
fn a_program_as_bare_as_a_linker_leaves_it_runs() {
    let path = super::support::case("programs/bare/bare.elf");
    let elf = executable(&path);
    assert!(elf.symbols.is_empty());
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results.bin");
    let dump = format!("0x80600000:0xc:{}", results.display());
    let dol = ["--dol", path.to_str().unwrap(), "--symbol", "compute=0x80200000", "--call", "compute"];
    let options = ["--reg", "r3=0x80600000", "--dump", &dump];
    super::command::json(&[&[super::command::FOX], &dol[..], &options].concat(), 0);
    let words = [0x1234u32, 0x1235, 0xcafe_f00d].map(u32::to_be_bytes).concat();
    assert_eq!(std::fs::read(results).unwrap(), words);
}
