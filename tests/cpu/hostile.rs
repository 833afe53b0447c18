//! Files and code that mean harm: nothing panics, nothing runs for ever, nothing takes unbounded memory.

use proptest::prelude::*;
use skinsim::c3::model::Model;
use skinsim::c3::runtime::load::{DEFAULT_ADDRESS, IDENTITY, LoadPlan};
use skinsim::c3::runtime::program::{GameProgram, ProgramOptions};
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};
use skinsim::gekko::cpu::StopReason;
use skinsim::gekko::executable::Executable;
use skinsim::gekko::machine::OnFault;

use super::support::{Bench, CODE, code};

fn file(path: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Reads a program and runs a frame of the fox by it, as far as it can be read, placed and run.
fn run(bytes: &[u8]) {
    let Ok(executable) = Executable::read(bytes) else { return };
    let fox = file("examples/fox.block");
    let model = Model::from_block(&fox).unwrap();
    let plan = LoadPlan::at(&model, DEFAULT_ADDRESS).unwrap();
    let options = RunOptions { on_fault: OnFault::Continue, budget: 1 << 10, ..RunOptions::default() };
    let mut simulation = Simulation::load_beside(&plan, 24, &options, &executable.ranges()).unwrap();
    if let Ok(mut program) =
        GameProgram::load(&executable, &ProgramOptions::default(), &plan, &mut simulation)
    {
        let (_, stop) = program.frame(&mut simulation, &[IDENTITY; 24]);
        if let Some(stop) = stop {
            let _ = program.listing(&stop);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_bytes_of_a_program_are_read_or_refused(
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 1..24),
        header_only: bool,
        length in any::<usize>(),
    ) {
        for path in ["ppc_traces/kernels/sluggers.elf", "tests/cases/programs/frame/frame-O2.elf"] {
            let mut bytes = file(path);
            let range = if header_only { 0x100 } else { bytes.len() };
            for &(at, value) in &changes {
                bytes[at % range] = value;
            }
            run(&bytes);
            run(&bytes[..length % bytes.len()]);
        }
    }

    #[test]
    fn any_header_of_a_dol_is_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0x100..0x400), small: bool) {
        if small {
            // Offsets, addresses and sizes that are plausible, so that more of it is reached.
            for word in bytes[..0xe4].chunks_exact_mut(4) {
                word[0] = if word[0] & 1 == 0 { 0 } else { 0x80 };
                word[1] &= 0x3f;
                word[2] &= 1;
            }
        }
        run(&bytes);
    }
}

#[test]
fn segments_that_take_more_memory_than_there_is_are_refused() {
    let mut bytes = file("tests/cases/programs/frame/frame-O2.elf");
    // The memory size of the first segment.
    bytes[0x34 + 0x14..][..4].copy_from_slice(&0x1000_0000u32.to_be_bytes());
    let error = Executable::read(&bytes).unwrap_err().to_string();
    assert!(error.contains("ELF segment 0"), "{error}");
}

#[test]
fn a_store_to_code_is_seen_when_icbi_says_so() {
    // r3 = the address of the sixth instruction, r4 = `li r5, 2`; it is `li r5, 1` before.
    let text = |sync: &str| format!("stw r4, 0(r3)\ndcbst 0, r3\nsync\n{sync}\nisync\nli r5, 1\nblr");
    for (sync, want) in [("nop", 1), ("icbi 0, r3", 2)] {
        let mut bench = Bench::new(&text(sync));
        bench.write(CODE, &code(&text(sync)));
        bench.cpu.gpr[3] = CODE + 20;
        bench.cpu.gpr[4] = 0x38a0_0002;
        bench.run();
        assert_eq!(bench.cpu.gpr[5], want, "{sync}");
    }
}

#[test]
fn accesses_that_are_not_aligned_are_performed() {
    let mut bench =
        Bench::new("stw r4, 1(r3)\nlwz r5, 1(r3)\nlhz r6, 2(r3)\nstfd f1, 5(r3)\nlfd f2, 5(r3)\nblr");
    bench.cpu.gpr[3] = 0x8040_0ffc;
    bench.cpu.gpr[4] = 0x1122_3344;
    bench.cpu.fpr[1] = [-1.25; 2];
    bench.run();
    assert_eq!((bench.cpu.gpr[5], bench.cpu.gpr[6]), (0x1122_3344, 0x2233));
    assert_eq!(bench.cpu.fpr[2][0].to_bits(), (-1.25f64).to_bits());
}

#[test]
fn recursion_without_end_is_cut_off_at_the_end_of_memory() {
    let mut bench = Bench::new("stwu r1, -16384(r1)\nb -4");
    bench.cpu.gpr[1] = 0x8001_0000;
    let stop = bench.try_run().unwrap_err();
    assert!(matches!(stop.reason, StopReason::Fault), "{stop}");
    assert_eq!(bench.machine.faults().faults.len(), 1);
}

/// The frame of a compiler, its header or its program headers changed.
fn changed(changes: &[(usize, u32)]) -> Vec<u8> {
    let mut bytes = file("tests/cases/programs/frame/frame-O2.elf");
    for &(at, word) in changes {
        bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// First program header, its flags in it, and the entry point of the file.
const SEGMENT: usize = 0x34;
const FLAGS: usize = 0x18;
const ENTRY: usize = 0x18;

#[test]
fn an_elf_may_lack_what_running_it_does_not_need() {
    let whole = Executable::read(&changed(&[])).unwrap();
    let code = |executable: &Executable| -> Vec<(u32, u32)> {
        let text = executable.sections.iter().filter(|section| section.executable);
        text.map(|section| (section.address, section.address + section.size)).collect()
    };
    let [(start, end)] = code(&whole)[..] else { panic!("one segment of code") };
    // No entry point; no segment marked as code.
    for changes in [&[(ENTRY, 0)][..], &[(SEGMENT + FLAGS, 4)]] {
        assert_eq!(code(&Executable::read(&changed(changes)).unwrap()), [(start, end)], "{changes:?}");
    }
    // No program headers: e_phentsize stays, e_phnum is 0.
    let mut sections = changed(&[]);
    sections[0x2c..0x2e].fill(0);
    let sections = Executable::read(&sections).unwrap();
    assert!(!code(&sections).is_empty());
    assert!(code(&sections).iter().all(|&(first, last)| start <= first && last <= end));
    assert_eq!(sections.symbol("SKNIt"), whole.symbol("SKNIt"));
}

/// With `-Ttext` alone a linker begins the file with a segment of headers and notes at 0x10000000.
#[test]
fn a_segment_of_headers_and_notes_is_passed_over_wherever_it_lies() {
    // The second segment becomes one of the file's headers alone.
    let second = SEGMENT + 0x20;
    let headers = |size: u32, flags| {
        let at = |field: usize| second + field;
        changed(&[
            (at(0), 1),
            (at(4), 0),
            (at(8), 0x1000_0000),
            (at(16), size),
            (at(20), size),
            (at(24), flags),
        ])
    };
    let count = |bytes: &[u8]| Executable::read(bytes).unwrap().sections.len();
    assert_eq!(count(&headers(0x54, 4)) + 1, count(&headers(0x54, 5)), "code is never passed over");
    assert_eq!(count(&headers(0x54, 4)) + 1, count(&headers(0x200, 4)), "nor is anything else");
}
