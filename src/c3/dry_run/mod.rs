//! The dry run of a check: two frames at rest and two in a pose where every bone moves, on a target,
//! compared with ideal skinning of the same data.

use std::collections::{BTreeMap, BTreeSet};

use super::format::skn::{EntryId, List};
use super::model::{LooseFiles, Model};
use super::rules::effects::{DryRun, FaultSeen, Target};
use super::rules::subject::Subject;
use super::runtime::journal::LocatedFault;
use super::runtime::load::LoadPlan;
use super::runtime::simulation::RunOptions;
use crate::gekko::fault::{DolphinEra, FaultKind, Site};
use crate::gekko::machine::OnFault;
use crate::gekko::map;
use crate::gekko::transfer_queue::DmaTiming;

pub mod ideal;
mod observe;
pub mod poses;
mod writers;

/// Entries that are mended, one after the other, to see what else happens.
const MENDED_LIMIT: usize = 8;

/// Steps (vertices, lines) of a run: a hundred times what the largest known model takes.
const BUDGET: u64 = 1 << 22;

/// Runs a model on a target. Nothing when there is nothing to skin, or memory does not hold it.
///
/// An entry that faults is given a harmless vertex count and the run begins again, so that every
/// fault is seen, and what the entries after it do.
pub fn dry_run(model: &Model, target: Target, address: u32) -> Option<DryRun> {
    dry_run_on(model, target, address, &RunOptions::default())
}

/// The same on a machine with these switches; the target is `target`, DMA is instant, and a fault ends a frame.
pub fn dry_run_on(model: &Model, target: Target, address: u32, switches: &RunOptions) -> Option<DryRun> {
    let options = options(target, switches);
    let mut mended = BTreeSet::new();
    let mut faults: Vec<FaultSeen> = Vec::new();
    let mut last = None;
    // A count that is mended may be what the rest was read from: then the run before is all there is.
    while let Some(mut run) = run_mended(model, address, (target, &options), &mended) {
        faults.append(&mut run.faults);
        let ended_at = run.ended_at;
        last = Some(run);
        match ended_at {
            Some(entry) if mended.len() < MENDED_LIMIT && mended.insert(entry) => {}
            _ => break,
        }
    }
    last.map(|run| DryRun { faults, ..run })
}

/// One run of a model with some entries' counts made harmless.
fn run_mended(
    model: &Model,
    address: u32,
    on: (Target, &RunOptions),
    mended: &BTreeSet<EntryId>,
) -> Option<DryRun> {
    let bytes = Mended::new(model, mended)?;
    let model = bytes.model()?;
    let mut subject = Subject::on(&model, on.1);
    subject.address = address;
    observe::observe(&subject, &LoadPlan::at(&model, address).ok()?, on, mended)
}

/// The library itself leaves waits out: with deferred DMA every model would be wrong.
fn options(target: Target, switches: &RunOptions) -> RunOptions {
    let target = match target {
        Target::Dolphin => map::Target::Dolphin,
        Target::Console => map::Target::Console,
    };
    RunOptions {
        target,
        budget: switches.budget.min(BUDGET),
        dma: DmaTiming::Instant,
        on_fault: OnFault::Stop,
        ..*switches
    }
}

/// A model's files with some entries' counts made harmless.
enum Mended {
    Block(Vec<u8>),
    Loose { gpl: Vec<u8>, skn: Vec<u8>, act: Option<Vec<u8>> },
}

impl Mended {
    fn new(model: &Model, entries: &BTreeSet<EntryId>) -> Option<Self> {
        let skn = model.skn.as_ref()?;
        let mut bytes = match &model.block {
            Some(block) => block.view().bytes().to_vec(),
            None => skn.view().bytes().to_vec(),
        };
        for &id in entries {
            let (field, count): (u64, u16) = match id.list {
                List::Sk1 => (0x3A, 3),
                List::Sk2 => (0x70, 3),
                List::SkAcc => (0x42, 1),
            };
            let at = (skn.view().base() + skn.entry_offset(id) + field) as usize;
            bytes.get_mut(at..at + 2)?.copy_from_slice(&count.to_be_bytes());
        }
        Some(match &model.block {
            Some(_) => Self::Block(bytes),
            None => Self::Loose {
                gpl: model.gpl.as_ref()?.view().bytes().to_vec(),
                skn: bytes,
                act: model.act.map(|view| view.bytes().to_vec()),
            },
        })
    }

    fn model(&self) -> Option<Model<'_>> {
        match self {
            Self::Block(bytes) => Model::from_block(bytes).ok(),
            Self::Loose { gpl, skn, act } => {
                let files = LooseFiles { gpl, skn: Some(skn), act: act.as_deref(), anm: None };
                Model::from_loose(files).ok()
            }
        }
    }
}

/// A fault in words: Dolphin's message, or what the console does.
fn fault_words(located: &LocatedFault, target: Target, era: DolphinEra) -> String {
    let fault = &located.fault;
    let locked_cache = 0xE000_4000..0xE100_0000;
    let words = match (target, fault.kind) {
        (_, FaultKind::Budget) => "hangs: the loop does not end".to_owned(),
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

/// `one-bone kernel +0xb8`.
fn site_words(site: &Site) -> Option<String> {
    let kernel = if matches!(site.function, "one-bone" | "two-bone" | "accumulate") { " kernel" } else { "" };
    (!site.function.is_empty()).then(|| format!("{}{kernel} +{:#x}", site.function, site.offset))
}

/// The worst difference of each slot over several frames, and who has to do with it.
type Worst = BTreeMap<u32, (u32, Vec<EntryId>)>;
