//! Transfers that happen as late as the waits allow: what code without a wait reads, and that our own
//! code waits where the direct model does.

use serde_json::Value;
use skinsim::c3::runtime::journal::{Journal, LocatedAccess};
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::cpu::Program;
use skinsim::gekko::fault::Site;
use skinsim::gekko::machine::{MachineConfig, OnFault};
use skinsim::gekko::map::Target;
use skinsim::gekko::transfer_queue::DmaTiming;

use super::case::{Case, folders};
use super::support::{Bench, CODE, DATA, config};

/// Loads a line from `DATA` into the locked cache, and copies its first word to `DATA` + 0x40.
fn copies_a_word(wait: bool) -> Vec<u32> {
    let move_to =
        |number: u32, register: u32| 0x7c00_03a6 | register << 21 | (number & 31) << 16 | (number >> 5) << 11;
    let mut words = vec![
        0x3c60_8040,     // lis r3, DATA
        0x3c80_0040,     // lis r4, its physical address
        move_to(922, 4), // DMAU
        0x3ca0_e000,     // lis r5, the locked cache
        0x60a6_0016,     // ori r6, r5, one line, load, trigger
        move_to(923, 6), // DMAL
    ];
    if wait {
        words.extend([
            0x7cf8_e2a6, // mfspr r7, HID2
            0x54e7_473e, // rlwinm r7, r7, 8, 28, 31
            0x2c07_0000, // cmpwi r7, 0
            0x4181_fff4, // bgt to the mfspr
        ]);
    }
    words.extend([0x8105_0000, 0x9103_0040, 0x4e80_0020]); // lwz r8, stw r8, blr
    words
}

/// The word that arrives, and how many accesses came too early.
fn run(target: Target, dma: DmaTiming, wait: bool) -> (u64, u64) {
    let start = config();
    let mut map = start.map;
    map.target = target;
    let mut bench = Bench::with_config("blr", MachineConfig { map, dma, ..start });
    let code: Vec<u8> = copies_a_word(wait).into_iter().flat_map(u32::to_be_bytes).collect();
    bench.program = Program::new();
    bench.program.add(CODE, &code);
    bench.write(DATA, &0x1234_5678u32.to_be_bytes());
    bench.machine.locked_cache.bytes_mut()[..4].copy_from_slice(&0x0bad_0bad_u32.to_be_bytes());
    bench.run();
    let early = bench.machine.take_early_accesses().total;
    (bench.machine.read(DATA + 0x40, 4, Site::default()).unwrap(), early)
}

#[test]
fn code_without_a_wait_reads_the_old_bytes_and_code_with_one_the_new() {
    assert_eq!(run(Target::Console, DmaTiming::Deferred, false), (0x0bad_0bad, 1));
    assert_eq!(run(Target::Console, DmaTiming::Deferred, true), (0x1234_5678, 0));
    for target in [Target::Console, Target::Dolphin] {
        assert_eq!(run(target, DmaTiming::Instant, false), (0x1234_5678, 0));
    }
    assert_eq!(run(Target::Dolphin, DmaTiming::Deferred, false), (0x1234_5678, 0), "Dolphin's is instant");
}

fn options() -> RunOptions {
    RunOptions {
        target: Target::Console,
        dma: DmaTiming::Deferred,
        on_fault: OnFault::Continue,
        ..RunOptions::default()
    }
}

/// Entry, address and transfer of the accesses that came too early.
fn early(journal: &Journal) -> Vec<String> {
    let one = |located: &LocatedAccess| {
        let access = &located.access;
        format!("{:?} {} {:#x} {:?}", located.entry, access.write, access.address, access.transfer)
    };
    journal.early.iter().map(one).collect()
}

#[test]
fn our_code_waits_where_the_model_waits() {
    let mut seen = 0;
    for folder in folders("skn") {
        let case = Case::read(&folder);
        let (mut direct, matrices) = case.load(options());
        let (mut stepped, _) = case.load(options());
        let mut program = case.with_plan(|plan| super::engine::program(plan, &mut stepped));
        let model = direct.frame(&matrices);
        let (journal, _) = program.frame(&mut stepped, &matrices);
        assert_eq!(early(&model), early(&journal), "{}", case.name);
        assert!(direct.position_bytes() == stepped.position_bytes(), "{}: positions differ", case.name);
        seen += early(&model).len();
    }
    assert!(seen > 0);
}

#[test]
fn run_names_the_entries_that_the_library_does_not_wait_for() {
    let deferred = ["examples/fox.block", "--target", "console", "--dma", "deferred"];
    let report = super::command::json(&deferred, 0);
    let entries: Vec<&Value> =
        report["dma"]["early"].as_array().unwrap().iter().map(|early| &early["entry"]).collect();
    let last = report["writes"]
        .as_array()
        .unwrap()
        .iter()
        .rfind(|write| write["entry"].as_str().unwrap().starts_with("SK1"));
    assert_eq!(entries[0], &last.unwrap()["entry"], "the first is the last SK1 entry");
    assert!(entries[1..].iter().all(|entry| entry.as_str().unwrap().starts_with("SKAcc")), "{entries:?}");
    assert!(
        report["dma"]["early"].as_array().unwrap().iter().all(|early| early["library_has_no_wait"] == true)
    );
    let text = String::from_utf8(super::command::run(&deferred).code(0).get_output().stdout.clone()).unwrap();
    assert_eq!(text.matches("the library has none there either").count(), 1, "{text}");
    assert!(!text.contains("too early"), "{text}");
    let instant = super::command::json(&deferred[..3], 0);
    assert_eq!((&report["digest"], &instant["dma"]), (&instant["digest"], &Value::Null));
    let refused = super::command::refusal(&["examples/fox.block", "--dma", "deferred"]);
    assert!(refused.contains("--dma deferred: want --target console"), "{refused}");
}
