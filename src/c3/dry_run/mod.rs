//! The dry run of a check: two frames at rest and two in a pose where every bone moves, on a target,
//! compared with ideal skinning of the same data.

use std::collections::BTreeMap;

use super::format::skn::EntryId;
use super::model::Model;
use super::rules::effects::{DryRun, FaultSeen, Mended, Overwritten, Part, Target};
use super::rules::meant_slots;
use super::rules::mechanism::Cause;
use super::rules::subject::Subject;
use super::runtime::journal::LocatedFault;
use super::runtime::load::{LoadPlan, Placement};
use super::runtime::simulation::RunOptions;
use crate::gekko::fault::{DolphinEra, FaultKind, Site};
use crate::gekko::machine::OnFault;
use crate::gekko::map;
use crate::gekko::transfer_queue::DmaTiming;

mod causes;
mod history;
pub mod ideal;
mod mend;
mod observe;
pub mod poses;
mod went_on;
mod writers;

pub use went_on::went_on;

use mend::{Field, MendedFiles, Mends};

/// Entries that are mended at least, one after the other, to see what else happens.
const MENDED_AT_LEAST: usize = 8;
/// What the runs with mended entries take at most in all, in vertices and entries of their frames: more entries are
/// mended as long as this lasts.
const MENDED_WORK: u64 = 1 << 23;

/// Runs a model on a target. Nothing when there is nothing to skin, or memory does not hold it.
///
/// An entry that faults is given a bone that exists, or a harmless vertex count, whichever it faulted by, and the
/// run begins again, so that every fault is seen, and what the entries after it do.
pub fn dry_run(model: &Model, target: Target, address: u32) -> Option<DryRun> {
    dry_run_on(model, target, address.into(), &RunOptions::default())
}

/// The same on a machine with these switches; the target is `target`, DMA is instant, and a fault ends a frame.
pub fn dry_run_on(
    model: &Model,
    target: Target,
    placement: Placement,
    switches: &RunOptions,
) -> Option<DryRun> {
    let options = options(target, switches);
    let mut mends = Mends::new();
    let mut mended: Vec<Mended> = Vec::new();
    let mut faults: Vec<FaultSeen> = Vec::new();
    let mut overwritten = Vec::new();
    let mut last = None;
    let most = most_mended(model);
    // A count that is mended may be what the rest was read from: then the run before is all there is.
    while let Some(mut run) = run_mended(model, placement, (target, &options), (&mends, &mended)) {
        let field = run.faults.last().map_or(Field::Count, mend_of);
        let fault = run.faults.last().map(|fault| fault.message.clone()).unwrap_or_default();
        let ended_at = run.ended_at;
        // What an entry does with a count that is not its own is no fault of the model.
        let other = ended_at.is_some_and(|entry| mends.contains(&(entry, Field::Count)));
        run.faults.retain(|fault| !(other && fault.entry == ended_at && fault.part == Part::Entry));
        faults.append(&mut run.faults);
        // What a kernel wrote before it faulted is gone with its count.
        let by_it = run.overwritten.iter().filter(|over| ended_at.is_some() && over.by.entry() == ended_at);
        overwritten.extend(by_it.cloned());
        last = Some(run);
        match ended_at {
            Some(entry) if mends.len() < most && mends.insert((entry, field)) => {
                if field == Field::Count {
                    mended.push(told(model, entry, fault, &options));
                }
            }
            _ => break,
        }
    }
    let run = last?;
    overwritten.retain(|over: &Overwritten| {
        !run.overwritten.iter().any(|other| (&other.structure, other.by) == (&over.structure, over.by))
    });
    overwritten.extend(run.overwritten);
    Some(DryRun { faults, overwritten, mended, ..run })
}

/// How many entries are mended: each takes another run.
fn most_mended(model: &Model) -> usize {
    let Some(skn) = &model.skn else { return 0 };
    let direct = skn.sk1.iter().map(|entry| entry.count).chain(skn.sk2.iter().map(|entry| entry.count));
    let counts = direct.chain(skn.skacc.iter().map(|entry| entry.count));
    // Before its first vertex an entry takes two matrices; a loop that runs off the locked cache is one of
    // thousands of vertices, whatever its count.
    let work: u64 = counts.map(|count| u64::from(count) + 16).sum::<u64>() + RUNAWAY;
    usize::try_from(MENDED_WORK / work).unwrap_or(usize::MAX).max(MENDED_AT_LEAST)
}

/// Vertices of a loop until it leaves Dolphin's locked cache.
const RUNAWAY: u64 = 0x4_0000 / 12;

/// What of an entry is mended after a fault.
fn mend_of(fault: &FaultSeen) -> Field {
    if fault.origin.causes.contains(&Cause::Bone) { Field::Bone } else { Field::Count }
}

/// An entry whose own count no frame is compared with.
fn told(model: &Model, entry: EntryId, fault: String, options: &RunOptions) -> Mended {
    let slots = meant_slots(&Subject::on(model, options), entry);
    let bound = |slot: u64| u32::try_from(slot).unwrap_or(u32::MAX);
    Mended { entry, slots: bound(slots.start)..bound(slots.end), fault }
}

/// One run of a model with some entries mended.
fn run_mended(
    model: &Model,
    placement: Placement,
    on: (Target, &RunOptions),
    (mends, mended): (&Mends, &[Mended]),
) -> Option<DryRun> {
    let bytes = MendedFiles::new(model, mends)?;
    let model = bytes.model()?;
    let mut subject = Subject::on(&model, on.1);
    subject.address = placement.model;
    // With another bone an entry has an ideal still: that of this bone.
    observe::observe(&subject, &LoadPlan::placed(&model, placement).ok()?, on, mended)
}

/// The library itself leaves waits out: with deferred DMA every model would be wrong.
fn options(target: Target, switches: &RunOptions) -> RunOptions {
    let target = match target {
        Target::Dolphin => map::Target::Dolphin,
        Target::Console => map::Target::Console,
    };
    RunOptions { target, dma: DmaTiming::Instant, on_fault: OnFault::Stop, ..*switches }
}

/// A fault in words: Dolphin's message, or what the console does.
fn fault_words(located: &LocatedFault, target: Target, era: DolphinEra) -> String {
    let fault = &located.fault;
    let locked_cache = 0xE000_4000..0xE100_0000;
    let words = match (target, fault.kind) {
        (_, FaultKind::Budget) if is_wrapped(&fault.site) => "hangs: the loop does not end".to_owned(),
        // The steps of all stages together are limited, whether or not this loop would have ended.
        (_, FaultKind::Budget) => "cut off: the frame takes more steps than any known model's".to_owned(),
        (Target::Dolphin, _) => fault.message(era),
        (Target::Console, FaultKind::MachineCheck(cause)) => format!("machine check: {cause}"),
        (Target::Console, FaultKind::Read | FaultKind::Write) if locked_cache.contains(&fault.address) => {
            format!("leaves the locked cache at {:#010x}", fault.address)
        }
        (Target::Console, FaultKind::Read) => format!("reads {:#010x}, where nothing is", fault.address),
        (Target::Console, FaultKind::Write) => format!("writes {:#010x}, where nothing is", fault.address),
        (Target::Console, FaultKind::Dma) => {
            format!("transfers at {:#010x}, where nothing is", fault.address)
        }
        (Target::Console, FaultKind::Program) => "program exception".to_owned(),
    };
    match site_words(&fault.site) {
        Some(site) => format!("{words}   ({site})"),
        None => words,
    }
}

/// Whether a cut-off lies at the end of a kernel's loop: only one whose counter wrapped is cut off there.
fn is_wrapped(site: &Site) -> bool {
    is_kernel(site) && site.offset != 0
}

fn is_kernel(site: &Site) -> bool {
    matches!(site.function, "one-bone" | "two-bone" | "accumulate")
}

/// `one-bone kernel +0xb8`.
fn site_words(site: &Site) -> Option<String> {
    let kernel = if is_kernel(site) { " kernel" } else { "" };
    (!site.function.is_empty()).then(|| format!("{}{kernel} +{:#x}", site.function, site.offset))
}

/// The worst difference of each slot over several frames, and who has to do with it.
type Worst = BTreeMap<u32, (u32, Vec<EntryId>)>;
