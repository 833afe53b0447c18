//! The direct model and the processor running our kernels are two ways to compute a frame: whatever the
//! block holds, they leave the same memory, the same locked cache and the same faults,
//! and tell the same of them: part of the frame, entry, vertex, and what every entry wrote.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::c3::runtime::journal::{Journal, LocatedFault};
use skinsim::c3::runtime::load::{IDENTITY, LoadPlan, SkinMatrix};
use skinsim::c3::runtime::program::{GameProgram, ProgramOptions, own};
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};
use skinsim::gekko::machine::{Machine, OnFault};
use skinsim::gekko::map::Console;

const GPL: u32 = 0x8040_0000;
/// What the processor's stack may take below the top.
const STACK: (u32, u32) = (0x817f_f000, 0x1000);
const BONES: usize = 4;

/// One change of an SKN: where, and what is written there.
#[derive(Debug, Clone)]
enum Change {
    /// A byte of header or lists.
    Byte(usize, u8),
    /// A halfword of header or lists, of the values at which counts begin to misbehave.
    Half(usize, u16),
    /// A word of header or lists: a pointer that leads somewhere else.
    Word(usize, u32),
    /// A byte anywhere: vertices, weights, indices.
    Data(usize, u8),
}

fn change() -> impl Strategy<Value = Change> {
    let half = prop::sample::select(vec![
        0u16, 1, 2, 3, 4, 5, 127, 128, 129, 170, 341, 342, 343, 682, 683, 1024, 2048, 4095, 5461, 0x7fff,
        0xffff,
    ]);
    let word = prop_oneof![
        any::<u32>(),
        prop::sample::select(vec![
            0u32,
            1,
            4,
            31,
            32,
            33,
            0x7f80_0000,
            0xffff_ffe0,
            0x7fff_ffff,
            0x4000_0000
        ]),
        0u32..0x4000,
        (0u32..0x4000).prop_map(u32::wrapping_neg),
    ];
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, value)| Change::Byte(at, value)),
        (any::<usize>(), half).prop_map(|(at, value)| Change::Half(at, value)),
        (any::<usize>(), word).prop_map(|(at, value)| Change::Word(at, value)),
        (any::<usize>(), any::<u8>()).prop_map(|(at, value)| Change::Data(at, value)),
    ]
}

fn changed(mut skn: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    let lists = 0x200.min(skn.len());
    let mut write = |at: usize, bytes: &[u8]| {
        let at = at.min(skn.len() - bytes.len());
        skn[at..at + bytes.len()].copy_from_slice(bytes);
    };
    let whole = lists - 4;
    for change in changes {
        match *change {
            Change::Byte(at, value) => write(at % lists, &[value]),
            Change::Half(at, value) => write((at % whole) & !1, &value.to_be_bytes()),
            Change::Word(at, value) => write((at % whole) & !3, &value.to_be_bytes()),
            Change::Data(at, value) => write(at % 0x4000, &[value]),
        }
    }
    skn
}

/// A number of a matrix: ordinary ones, and those at which arithmetic is special.
fn cell() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -4.0f32..4.0,
        2 => -2000.0f32..2000.0,
        1 => any::<u32>().prop_map(f32::from_bits),
        1 => prop::sample::select(vec![0.0, -0.0, 1e-38, f32::INFINITY, f32::NAN, f32::MAX, 1e-45]),
    ]
}

fn matrices() -> impl Strategy<Value = Vec<SkinMatrix>> {
    let matrix = prop_oneof![Just(IDENTITY), prop::array::uniform3(prop::array::uniform4(cell()))];
    prop::collection::vec(matrix, BONES)
}

#[derive(Clone)]
struct Block {
    case: usize,
    changes: Vec<Change>,
    matrices: Vec<SkinMatrix>,
    console: Console,
    on_fault: OnFault,
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { case, changes, matrices, console, on_fault } = self;
        write!(f, "case {case}, {console:?}, {on_fault:?}, {changes:x?}, {matrices:?}")
    }
}

fn block(changes: std::ops::Range<usize>) -> impl Strategy<Value = Block> {
    let console = prop::sample::select(vec![Console::GameCube, Console::Wii]);
    let on_fault = prop::sample::select(vec![OnFault::Stop, OnFault::Stop, OnFault::Continue]);
    (any::<usize>(), prop::collection::vec(change(), changes), matrices(), console, on_fault).prop_map(
        |(case, changes, matrices, console, on_fault)| Block { case, changes, matrices, console, on_fault },
    )
}

/// The recorded blocks that are changed.
fn bases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/skn");
    let mut bases: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    bases.sort();
    assert!(bases.len() > 4);
    bases
}

/// Two machines ready for a frame of the same model, and the program in memory of both: what a stray
/// transfer reads of it is the same.
fn load(plan: &LoadPlan, block: &Block) -> (Simulation, GameProgram) {
    let options = RunOptions {
        console: block.console,
        on_fault: block.on_fault,
        budget: 1 << 14,
        ..RunOptions::default()
    };
    let kernels = own::kernels(&options.game_code()).unwrap();
    let mut simulation = Simulation::load_beside(plan, BONES, &options, &kernels.ranges()).unwrap();
    let program = GameProgram::load(&kernels, &ProgramOptions::default(), plan, &mut simulation).unwrap();
    (simulation, program)
}

/// What is compared of a fault. The frame and what it calls have no listed addresses in the model.
fn facts(fault: &LocatedFault, model: Option<&LocatedFault>) -> String {
    let inner = fault.fault;
    let listed = model.is_none_or(|model| model.fault.site.pc.is_some());
    let site = if listed { format!("{} ({:?})", inner.site, inner.site.pc) } else { String::new() };
    let entry = fault.entry.map(|entry| entry.to_string()).unwrap_or_default();
    format!(
        "{:?} {:#010x} {} translated {} {} {entry} vertex {:?} {site}",
        inner.kind,
        inner.address,
        inner.size,
        inner.translated,
        fault.stage.name(),
        fault.vertex()
    )
}

/// The first fault in which two accounts differ, as each tells it.
fn first_difference(model: &Journal, cpu: &Journal) -> Option<String> {
    // The log keeps as many of one part of the frame, and counts the rest.
    let longest = model.faults.len().max(cpu.faults.len()).min(1024);
    (0..longest).find_map(|index| {
        let fault = model.faults.get(index);
        let want = fault.map(|fault| facts(fault, Some(fault)));
        let have = cpu.faults.get(index).map(|other| facts(other, fault));
        (want != have).then(|| {
            let sites =
                (fault.map(|fault| fault.fault.site), cpu.faults.get(index).map(|other| other.fault.site));
            format!("fault {index}: the model {want:?}, the processor {have:?}; {sites:?}")
        })
    })
}

/// What the entries wrote, each range as told, and what was cleared.
fn effects(journal: &Journal) -> Vec<String> {
    let written = journal.entries.iter().map(|record| {
        let ranges: Vec<_> = record.written().map(|(start, end)| format!("{start:#x}..{end:#x}")).collect();
        format!("{} wrote {}", record.entry, ranges.join(" "))
    });
    written.chain(journal.cleared.map(|(start, end)| format!("cleared {start:#x}..{end:#x}"))).collect()
}

/// Everything but the stack, the log and the steps taken.
fn settle(machine: &mut Machine) {
    machine.take_faults();
    machine.renew_budget();
    machine.marker = None;
    machine.memory_mut(STACK.0, STACK.1).unwrap().fill(0);
}

/// Runs both ways; false where a budget ended one of them.
fn agree(block: &Block) -> Result<bool, TestCaseError> {
    let bases = bases();
    let folder = &bases[block.case % bases.len()];
    let gpl = std::fs::read(folder.join("model.gpl")).unwrap();
    let skn = changed(std::fs::read(folder.join("model.skn")).unwrap(), &block.changes);
    let files = LooseFiles { gpl: &gpl, skn: Some(&skn), ..LooseFiles::default() };
    let Ok(model) = Model::from_loose(files) else { return Ok(true) };
    let Ok(plan) = LoadPlan::loose(&model, GPL, None) else { return Ok(true) };
    let (mut direct, _) = load(&plan, block);
    let (mut stepped, mut program) = load(&plan, block);
    for _ in 0..2 {
        let model = direct.frame(&block.matrices);
        let (journal, stop) = program.frame(&mut stepped, &block.matrices);
        if model.hangs() || journal.hangs() {
            return Ok(false);
        }
        prop_assert_eq!(first_difference(&model, &journal), None);
        prop_assert_eq!(model.fault_count, journal.fault_count);
        prop_assert_eq!(effects(&model), effects(&journal));
        prop_assert_eq!(direct.ended(&model), stop.is_some());
        if stop.is_some() {
            break;
        }
    }
    settle(&mut direct.machine);
    settle(&mut stepped.machine);
    prop_assert!(direct.machine.locked_cache == stepped.machine.locked_cache, "the locked caches differ");
    prop_assert!(direct.machine == stepped.machine, "the machines differ");
    Ok(true)
}

/// Runs `cases` blocks, or as many as `PROPTEST_CASES` says; at the most a third may hang.
fn all_agree(cases: u32, changes: std::ops::Range<usize>) {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    let (run, hung) = (Cell::new(0u32), Cell::new(0u32));
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&block(changes), |block| {
        run.set(run.get() + 1);
        hung.set(hung.get() + u32::from(!agree(&block)?));
        Ok(())
    });
    println!("{} blocks, {} of them ended by a budget", run.get(), hung.get());
    if let Err(error) = outcome {
        panic!("{error}");
    }
    assert!(hung.get() * 3 <= run.get(), "{} of {} blocks hang", hung.get(), run.get());
}

#[test]
fn well_formed_blocks_leave_the_same_machine() {
    all_agree(24, 0..1);
}

#[test]
fn malformed_blocks_leave_the_same_machine_and_the_same_faults() {
    all_agree(96, 1..10);
}
