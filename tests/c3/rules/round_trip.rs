//! From a fault to Dolphin's message and back: whatever a block makes a frame fault with, `explain` comes back to
//! that fault, the entry and what is wrong with the block.

use skinsim::c3::explain::candidates::Fit;
use skinsim::c3::explain::place::Tables;
use skinsim::c3::explain::suspect::{Setting, Suspect};
use skinsim::c3::explain::verdict::Verdict;
use skinsim::c3::explain::{Explained, explain};
use skinsim::c3::games::Game;
use skinsim::c3::model::Model;
use skinsim::c3::outcome::{Outcome, Poses, Rig};
use skinsim::c3::runtime::code::{SLUGGERS, SUPERSTAR};
use skinsim::c3::runtime::journal::LocatedFault;
use skinsim::c3::runtime::load::LoadPlan;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::fault::{DolphinEra, FaultKind};
use skinsim::gekko::machine::OnFault;
use skinsim::gekko::map::Console;

use super::broken::BROKEN;
use super::fields::{
    ACCUMULATION_INDEX, CLEAR_AND_FLUSH, Field, GEOMETRY, SKINNING_HEADER, sk1_entry, sk2_entry, skacc_entry,
};
use super::sweep::{read, values};
use super::{ACT, SKN, STATES, bone, changed, fox, sk1, sk2, skacc, two_submeshes};

const ADDRESS: u32 = 0x80A0_0000;

fn options(game: Game) -> RunOptions {
    match game {
        Game::Sluggers => RunOptions::default(),
        Game::Superstar => RunOptions { console: Console::GameCube, ..RunOptions::default() },
    }
}

/// The first fault of a frame at rest that Dolphin has words for.
fn first_fault(model: &Model, game: Game) -> Option<LocatedFault> {
    let plan = LoadPlan::at(model, ADDRESS).ok()?;
    let poses = Poses::rest(model, &Rig::default(), 1).unwrap_or_else(|_| Poses::identity(model, 1));
    let outcome = Outcome::run(model, plan, options(game), poses).ok()?;
    let fault = outcome.all_journals().find_map(|journal| journal.faults.first().copied())?;
    matches!(fault.fault.kind, FaultKind::Read | FaultKind::Write | FaultKind::Dma).then_some(fault)
}

fn verdict(model: &Model, text: &str, game: Game) -> Verdict {
    let mut verdicts = verdicts(model, text, game);
    assert_eq!(verdicts.len(), 1, "{text}");
    verdicts.remove(0)
}

/// The verdict on every different message of a log.
fn verdicts(model: &Model, log: &str, game: Game) -> Vec<Verdict> {
    let tables = Tables::new(None, Some(game));
    let Explained { explanations, .. } = explain(log, &tables, None);
    let code = match game {
        Game::Sluggers => SLUGGERS,
        Game::Superstar => SUPERSTAR,
    };
    let switches = RunOptions { code: Some(code), ..options(game) };
    let setting = Setting { placement: ADDRESS.into(), switches, console_asked_for: false };
    let mut suspect = Suspect::new(model, setting, &tables);
    explanations.iter().map(|explanation| suspect.verdict(explanation)).collect()
}

/// Messages of a frame that goes on after its faults, as far as one log's are explained.
const MESSAGES: usize = 24;

/// What is amiss when every message of a frame that goes on is explained.
fn amiss_in_log(bytes: &[u8], game: Game) -> Option<String> {
    let model = Model::from_block(bytes).ok()?;
    let plan = LoadPlan::at(&model, ADDRESS).ok()?;
    let poses = Poses::rest(&model, &Rig::default(), 1).unwrap_or_else(|_| Poses::identity(&model, 1));
    let options = RunOptions { on_fault: OnFault::Continue, ..options(game) };
    let outcome = Outcome::run(&model, plan, options, poses).ok()?;
    let faults = outcome.all_journals().flat_map(|journal| &journal.faults);
    let faults =
        faults.filter(|one| matches!(one.fault.kind, FaultKind::Read | FaultKind::Write | FaultKind::Dma));
    let mut log: Vec<String> = Vec::new();
    for fault in faults {
        let told = fault.fault.message(DolphinEra::Release5);
        if log.len() < MESSAGES && !log.contains(&told) {
            log.push(told);
        }
    }
    let verdicts = verdicts(&model, &log.join("\n"), game);
    let unexplained = |verdict: &Verdict| verdict.causes.is_empty() || !verdict.certain;
    let first = verdicts.iter().find(|verdict| unexplained(verdict))?;
    Some(format!("{:?} {:?} of {log:#?}", first.run, first.candidates.first()))
}

/// What is amiss when a block's fault is explained.
fn amiss(bytes: &[u8], game: Game) -> Option<String> {
    let model = Model::from_block(bytes).ok()?;
    let fault = first_fault(&model, game)?;
    let told = fault.fault.message(DolphinEra::Release5);
    amiss_in(&fault, &told, &verdict(&model, &told, game)).or_else(|| {
        // The game names an instruction of the function, wherever in it.
        let told =
            told.replace("0x????????", &format!("{:#010x}", instruction(fault.fault.site.function, game)?));
        amiss_in(&fault, &told, &verdict(&model, &told, game))
    })
}

/// An instruction of a function whose accesses nobody has listed, where its address is known.
fn instruction(function: &str, game: Game) -> Option<u32> {
    let name = match (function, game) {
        ("frame", _) => "SKNIt",
        ("flush", _) => "SKNFlushByIndex",
        ("load", Game::Sluggers) => "SKNLoad",
        ("load", Game::Superstar) => "SKNLoadFile",
        ("reorder", Game::Superstar) => "PSMTXReorder",
        ("draw", Game::Superstar) => "DOVARender",
        _ => return None,
    };
    let symbols = game.symbols();
    symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address + 8)
}

/// What is amiss with a verdict on a fault.
fn amiss_in(fault: &LocatedFault, told: &str, verdict: &Verdict) -> Option<String> {
    let by = verdict.candidates.first().filter(|one| one.fit == Fit::ThisOne).map(|one| one.entry);
    let first = verdict.run.first().is_some_and(|run| {
        // A run is cut off in a loop that takes too many turns to get to the address.
        run.contains("gives the same fault: ") || run.contains("gives a loop that does not end")
    });
    if by == fault.entry && first && verdict.certain && !verdict.causes.is_empty() {
        return None;
    }
    let codes: Vec<&str> = verdict.causes.iter().map(|cause| cause.code.name).collect();
    let site = fault.fault.site;
    Some(format!("{told} ({site}, {:?}): {by:?}, {codes:?}, {:?}", fault.entry, verdict.run))
}

fn sweep(fields: &[Field], game: Game) {
    let good = fox();
    let mut wrong = Vec::new();
    for &field in fields {
        let (name, at, width) = field;
        for value in values(read(&good, field), width) {
            let mut bytes = good.clone();
            bytes[at..at + width].copy_from_slice(&value.to_be_bytes()[8 - width..]);
            wrong.extend(amiss(&bytes, game).map(|text| format!("{name} {value:#x}: {text}")));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_a_broken_fox_goes_on_with_is_explained() {
    let mut wrong = Vec::new();
    for game in Game::ALL {
        for (code, _, changes) in BROKEN {
            wrong.extend(
                amiss_in_log(&changed(changes), game).map(|text| format!("{code} {changes:x?}: {text}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_broken_fox_that_faults_is_explained() {
    let mut wrong = Vec::new();
    for game in Game::ALL {
        for (code, _, changes) in BROKEN {
            wrong.extend(amiss(&changed(changes), game).map(|text| format!("{code} {changes:x?}: {text}")));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn faults_of_headers_and_lists() {
    sweep(&SKINNING_HEADER, Game::Sluggers);
    sweep(&CLEAR_AND_FLUSH, Game::Superstar);
}

#[test]
fn faults_of_entries() {
    sweep(&sk1_entry(3), Game::Sluggers);
    sweep(&sk2_entry(3), Game::Superstar);
    sweep(&skacc_entry(1), Game::Sluggers);
    sweep(&[ACCUMULATION_INDEX], Game::Sluggers);
}

#[test]
fn faults_of_geometry_and_skeleton() {
    sweep(&GEOMETRY, Game::Sluggers);
    sweep(&[("primitive list", STATES + 0x18, 4), ("list size", STATES + 0x1C, 4)], Game::Sluggers);
    sweep(&[("bone count", ACT + 6, 2), ("control", bone(5), 4)], Game::Sluggers);
}

/// [derived: formats.md 8], [measured: Dolphin 5.0-17995]
#[test]
fn the_arithmetic_of_the_first_fault_is_what_the_machine_does() {
    let mut wrong = Vec::new();
    for (game, vertex_offset, parity) in Game::ALL
        .into_iter()
        .flat_map(|game| (0..12_u8).flat_map(move |offset| [(game, offset, 0), (game, offset, 1)]))
    {
        let one = [(sk1(2 + parity) + 0x3A, vec![0, 1, vertex_offset])];
        let two = [(sk2(4 + parity) + 0x70, vec![0, 0, vertex_offset])];
        let added = [(skacc(2 + parity) + 0x42, vec![0, 0])];
        // Far too many vertices read past the end as well.
        let many = [(sk1(2 + parity) + 0x3A, vec![0x56, 0, vertex_offset])];
        for change in [one, two, added, many] {
            let (at, bytes) = &change[0];
            let mut block = fox();
            block[*at..*at + bytes.len()].copy_from_slice(bytes);
            let model = Model::from_block(&block).unwrap();
            let Some(fault) = first_fault(&model, game) else {
                wrong.push(format!("{bytes:?} at {at:#x} does not fault"));
                continue;
            };
            let message = fault.fault.message(DolphinEra::Since2021);
            let told = verdict(&model, &message, game);
            wrong.extend(amiss_in(&fault, &message, &told));
            let want = format!("the load at +{:#x} meets the end first", fault.fault.site.offset);
            let reason = told.candidates.first().map(|one| one.reason.clone()).unwrap_or_default();
            if fault.fault.address != 0xE004_0000 || !reason.ends_with(&want) {
                wrong.push(format!("{game:?} {bytes:?}: {} {want}: {reason}", fault.fault.address));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

/// Fit and entry of every candidate.
fn fits(block: &[u8], text: &str) -> (Vec<(Fit, String)>, Verdict) {
    let model = Model::from_block(block).unwrap();
    let verdict = verdict(&model, text, Game::Sluggers);
    (verdict.candidates.iter().map(|one| (one.fit, one.entry.to_string())).collect(), verdict)
}

fn one(fit: Fit, entry: &str) -> (Fit, String) {
    (fit, entry.to_owned())
}

const FIRST: &str = "Invalid read from 0xe0040000, PC = 0x80523ec4";

#[test]
fn of_several_entries_that_fit_the_first_one_did_it() {
    let block =
        changed(&[(sk1(2) + 0x3A, &[0, 1, 4]), (sk1(4) + 0x3A, &[0, 1, 4]), (sk1(7) + 0x3A, &[0, 1, 8])]);
    let (told, _) = fits(&block, FIRST);
    assert_eq!(told, [one(Fit::ThisOne, "SK1[2]"), one(Fit::Fits, "SK1[4]"), one(Fit::Fits, "SK1[7]")]);
}

#[test]
fn entries_that_are_not_listed_are_counted() {
    let mut block = fox();
    // The SK1 list is taken to reach over the one behind it, and every entry of it has one vertex.
    block[SKN..SKN + 2].copy_from_slice(&[0, 60]);
    for index in 0..60 {
        let at = sk1(index) + 0x3A;
        block[at..at + 3].copy_from_slice(&[0, 1, 4]);
    }
    let (told, verdict) = fits(&block, FIRST);
    assert_eq!((told.len(), verdict.left_out), (32, 28));
    assert_eq!(told[0], one(Fit::ThisOne, "SK1[0]"));
}

#[test]
fn an_entry_whose_fault_comes_first_and_is_another_is_told() {
    let block = changed(&[(sk1(0) + 0x3A, &[0, 1, 0]), (sk1(2) + 0x3A, &[0, 1, 4])]);
    let (told, verdict) = fits(&block, FIRST);
    assert_eq!(told, [one(Fit::ThisOne, "SK1[2]"), one(Fit::No, "SK1[0]")]);
    let run = &verdict.run[0];
    assert!(run.contains("another fault first: Invalid read from 0xe0040000, PC = 0x80523ed8"), "{run}");
    assert!(run.contains("at SK1[0]") && run.contains("gives the same fault"), "{run}");
    assert_eq!(verdict.causes[0].place.entry.as_deref(), Some("SK1[2]"));
}

#[test]
fn what_a_loop_names_later_leads_to_its_entry_too() {
    let block = changed(&[(sk1(2) + 0x3A, &[0, 1, 4]), (sk1(3) + 0x3A, &[0, 1, 0])]);
    for text in [
        "Invalid read from 0xe004000c, PC = 0x80523ec4",
        "Invalid read from 0xe0040004, PC = 0x80523ed8",
        "Invalid write to 0xe0040000, PC = 0x80523ea0",
        "Unable to resolve write address e0040010 PC 80523ea8",
    ] {
        let (told, verdict) = fits(&block, text);
        assert_eq!(told, [one(Fit::ThisOne, "SK1[2]"), one(Fit::No, "SK1[3]")], "{text}");
        assert_eq!(verdict.causes[0].code.name, "count-wraps");
        assert!(
            verdict.run[0].starts_with("Running the model gives the loop's first fault: "),
            "{verdict:?}"
        );
    }
    // The cached interpreter names the loop: either entry can have done it, and the first one did.
    let (told, _) = fits(&block, "Invalid read from 0xe0040000, PC = 0x80523e9c");
    assert_eq!(told, [one(Fit::ThisOne, "SK1[2]"), one(Fit::Fits, "SK1[3]")]);
    let (told, _) = fits(&block, "Invalid read from 0xe0040000");
    assert_eq!(told[0], one(Fit::ThisOne, "SK1[2]"));
    // Another release of the game: the instruction is not known to be this one.
    let (told, verdict) = fits(&block, "Invalid read from 0xe0040000, PC = 0x80530000");
    assert!(told.iter().all(|(fit, _)| *fit == Fit::Fits), "{told:?}");
    assert!(verdict.run[0].contains("not known to be this one"));
}

const SECOND: &str = "Invalid read from 0x00000000, PC = 0x8052ec90";

#[test]
fn only_what_the_display_code_follows_can_fault_there() {
    // The last entry's line reaches the colour header and state 0, and no pointer to a list.
    let reaching = |count: u8| {
        let mut block = fox();
        block[sk2(20) + 0x71] = count;
        fits(&block, SECOND)
    };
    // Vertices lie over the pointer, and the pose decides where they lead.
    let (told, verdict) = reaching(41);
    assert_eq!(told, [one(Fit::Fits, "SK2[20]")]);
    let reason = &verdict.candidates[0].reason;
    assert!(reason.contains("the list pointer of state 1 of submesh 0"), "{reason}");
    assert!(verdict.run[0].starts_with("Running the model gives the same read of another address"));
    let codes: Vec<_> = verdict.causes.iter().map(|cause| cause.code.name).collect();
    assert_eq!((codes, verdict.certain), (vec!["write-back-over-structure"], true));
    for count in 36..40 {
        let (told, verdict) = reaching(count);
        assert!(told.iter().all(|(fit, _)| *fit == Fit::No), "{count}: {told:?}");
        assert_eq!(verdict.run, ["Running the model gives no fault."], "{count}");
    }
}

#[test]
fn a_pointer_that_is_null_in_the_file_is_not_told_as_overwritten() {
    let (told, verdict) = fits(&changed(&[(STATES + 0x18, &[0; 4])]), SECOND);
    assert_eq!(told, []);
    assert!(verdict.run[1].starts_with("The file itself has the null pointer: state 1 of submesh 0"));
    assert!(verdict.certain, "{verdict:?}");
}

#[test]
fn a_submesh_that_nobody_owns_is_the_cause_of_its_message() {
    let (told, verdict) = fits(&two_submeshes(0x88), "Invalid read from 0x00000008, PC = 0x804ff694");
    assert_eq!(told, []);
    assert_eq!((verdict.causes[0].code.name, verdict.certain), ("geo-unowned", true));
    assert!(fits(&fox(), "Invalid read from 0x00000008, PC = 0x804ff694").1.causes.is_empty());
}

#[test]
fn the_other_game_s_display_code_leads_to_the_entry_too() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/broken/write-back.block");
    let block = std::fs::read(path).unwrap();
    let model = Model::from_block(&block).unwrap();
    let verdict = verdict(&model, "Invalid read from 0x00000000, PC = 0x800bc3b8", Game::Superstar);
    let first = &verdict.candidates[0];
    assert_eq!((first.fit, first.entry.to_string().as_str()), (Fit::ThisOne, "SK2[20]"));
}
