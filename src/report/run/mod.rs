//! What a run did, as data: the `skinsim.run/1` object and its text.

pub mod changes;
pub mod dma;
pub mod face;
pub mod fault;
mod program;
mod text;

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use self::changes::ChangeReport;
use self::dma::DmaReport;
use self::face::FaceReport;
use self::fault::FaultReport;
pub use self::program::{InstructionReport, ProgramReport, StopReport};
use crate::c3::format::skn::{EntryId, List, STRIDE, Skn};
use crate::c3::outcome::Outcome;
use crate::c3::runtime::journal::{EntryRecord, Journal, LocatedFault};
use crate::c3::runtime::load::LoadPlan;
use crate::c3::runtime::owners::Owners;
use crate::finding::Finding;
use crate::gekko::map::{Console, Target};
use crate::gekko::transfer_queue::DmaTiming;

/// The `skinsim.run/1` object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// `skinsim.run/1`.
    pub schema: &'static str,
    /// As named on the command line.
    pub model: String,
    /// `dolphin` or `console`.
    pub target: &'static str,
    /// `wii` or `gamecube`.
    pub console: &'static str,
    /// Name of the pose: `rest`, `identity`, a matrices file's, or a bank's with sequence and start.
    pub pose: String,
    /// `model`, the direct model of the library, or `cpu`, a program's code.
    pub engine: &'static str,
    /// The program whose code ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramReport>,
    /// Frames that ran to their end.
    pub frames: u32,
    /// Why the pose of the next frame could not be computed, so that the run ended there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pose_error: Option<String>,
    /// How many faults there were; `faults` holds the first ones.
    pub fault_count: u64,
    /// Faults in the order in which they happened.
    pub faults: Vec<FaultReport>,
    /// What the rules find in the model, joined with a dry run on this target.
    pub findings: Vec<Finding>,
    /// What facial poses did; null without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub face: Option<FaceReport>,
    /// Of several frames those that differ from the one before; empty for a single frame.
    pub changes: Vec<ChangeReport>,
    /// What every entry wrote in the last frame.
    pub writes: Vec<WriteReport>,
    /// Cleared range of the last frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleared: Option<AddressRange>,
    /// What deferred DMA showed in the last frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dma: Option<DmaReport>,
    /// What the graphics processor meets in structures that were written over, after the last frame.
    pub damage: Vec<String>,
    /// BLAKE3 of the stored position array after the last frame; null when there is none.
    pub digest: Option<String>,
    /// Address of the position array.
    pub positions: String,
}

/// A range of addresses: first and one past the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AddressRange {
    /// First address.
    pub start: String,
    /// One past the last.
    pub end: String,
}

impl From<&Range<u32>> for AddressRange {
    fn from(range: &Range<u32>) -> Self {
        Self { start: hex(range.start), end: hex(range.end) }
    }
}

/// What one entry wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WriteReport {
    /// `SK1[3]`.
    pub entry: String,
    /// The bones whose matrices move it.
    pub bones: Vec<u16>,
    /// Vertices the entry names.
    pub vertices: u16,
    /// The range that its stores covered; null when nothing was stored.
    pub stored: Option<AddressRange>,
    /// Cache lines asked for and really moved by the store, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
    /// The range of its own vertices (`SKAcc`: lowest to highest); null when it names none.
    pub own: Option<AddressRange>,
    /// Structures other than the position array that the stored range reaches.
    pub overwrites: Vec<String>,
}

/// A transfer that moved another number of lines than it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CutShort {
    /// Lines asked for.
    pub asked: u32,
    /// Lines moved.
    pub moved: u32,
}

/// What a report is made from.
pub struct RunSource<'s> {
    /// As named on the command line.
    pub name: String,
    /// The model after its frames.
    pub outcome: &'s Outcome<'s, 's>,
    /// What the rules find.
    pub findings: Vec<Finding>,
    /// The name of the program whose code ran, if one did.
    pub program: Option<String>,
}

pub(crate) fn hex(address: u32) -> String {
    format!("{address:#010x}")
}

impl RunReport {
    /// Draws up the report.
    pub fn new(source: RunSource) -> Self {
        let RunSource { name, outcome, findings, program } = source;
        let (options, simulation) = (&outcome.options, &outcome.simulation);
        let faults: Vec<&LocatedFault> = outcome.all_journals().flat_map(|journal| &journal.faults).collect();
        let owners = Owners::new(outcome.model, &outcome.plan);
        let last = outcome.last_journal();
        let cleared = last.and_then(|journal| journal.cleared).map(|(start, end)| start..end);
        Self {
            schema: "skinsim.run/1",
            model: name,
            target: target_name(options.target),
            console: console_name(options.console),
            pose: outcome.pose_name.clone(),
            engine: if outcome.program.is_some() { "cpu" } else { "model" },
            program: outcome.program.as_ref().map(|run| ProgramReport::new(program.unwrap_or_default(), run)),
            frames: outcome.whole_frames(),
            pose_error: outcome.pose_error.as_ref().map(ToString::to_string),
            fault_count: outcome.all_journals().map(|journal| journal.fault_count).sum(),
            faults: faults.into_iter().map(|fault| FaultReport::of(fault, outcome)).collect(),
            findings,
            face: FaceReport::of(outcome),
            changes: changes::changes(&outcome.history, simulation.frames()),
            writes: last.map_or_else(Vec::new, |journal| {
                writes(journal, outcome.model.skn.as_ref(), &outcome.plan, &owners)
            }),
            cleared: cleared.as_ref().map(AddressRange::from),
            dma: last.filter(|_| options.dma == DmaTiming::Deferred).map(DmaReport::new),
            damage: outcome.damage.iter().map(ToString::to_string).collect(),
            digest: simulation.position_bytes().map(|bytes| blake3::hash(bytes).to_hex().to_string()),
            positions: hex(simulation.positions),
        }
    }
}

impl RunReport {
    /// Whether a program ended before it returned.
    pub fn stopped(&self) -> bool {
        self.program.as_ref().is_some_and(|program| program.stop.is_some())
    }
}

/// The name of a target in JSON and on the command line.
pub fn target_name(target: Target) -> &'static str {
    match target {
        Target::Dolphin => "dolphin",
        Target::Console => "console",
    }
}

/// The name of a console in JSON and on the command line.
pub fn console_name(console: Console) -> &'static str {
    match console {
        Console::Wii => "wii",
        Console::GameCube => "gamecube",
    }
}

fn writes(journal: &Journal, skn: Option<&Skn>, plan: &LoadPlan, owners: &Owners) -> Vec<WriteReport> {
    journal.entries.iter().map(|record| write(record, skn, plan, owners)).collect()
}

fn write(record: &EntryRecord, skn: Option<&Skn>, plan: &LoadPlan, owners: &Owners) -> WriteReport {
    let stored = record.stored().fold(None, |hull: Option<Range<u32>>, (start, end)| {
        Some(hull.map_or(start..end, |hull| hull.start.min(start)..hull.end.max(end)))
    });
    let mut overwrites = Vec::new();
    for (start, end) in record.written() {
        for owner in owners.reached(start..end) {
            if !overwrites.contains(&owner.name) {
                overwrites.push(owner.name.clone());
            }
        }
    }
    let facts = skn.and_then(|skn| entry_facts(skn, record.entry, plan));
    WriteReport {
        entry: record.entry.to_string(),
        bones: facts.as_ref().map_or_else(Vec::new, |facts| facts.bones.clone()),
        vertices: facts.as_ref().map_or(0, |facts| facts.count),
        stored: stored.as_ref().map(AddressRange::from),
        cut_short: cut_short(record),
        own: facts.and_then(|facts| facts.own).as_ref().map(AddressRange::from),
        overwrites,
    }
}

/// Lines asked for against lines moved, summed over an entry's stores.
fn cut_short(record: &EntryRecord) -> Option<CutShort> {
    use crate::c3::runtime::journal::Cargo;
    let stores = || record.transfers.iter().filter(|transfer| transfer.cargo == Cargo::Result);
    // A request of 0 lines is how the data routines ask for 128.
    let asked = stores().map(|transfer| if transfer.asked == 0 { 128 } else { transfer.asked }).sum();
    let moved = stores().map(|transfer| transfer.done.map_or(0, |done| done.lines)).sum();
    (asked != moved).then_some(CutShort { asked, moved })
}

struct EntryFacts {
    bones: Vec<u16>,
    count: u16,
    own: Option<Range<u32>>,
}

fn entry_facts(skn: &Skn, id: EntryId, plan: &LoadPlan) -> Option<EntryFacts> {
    let index = id.index as usize;
    let run = |destination: u32, offset: u8, count: u16| {
        let start = plan.positions.wrapping_add(destination).wrapping_add(offset.into());
        (count > 0).then(|| start..start.wrapping_add(u32::from(count) * STRIDE as u32))
    };
    Some(match id.list {
        List::Sk1 => {
            let entry = skn.sk1.get(index)?;
            let own = run(entry.destination, entry.vertex_offset, entry.count);
            EntryFacts { bones: vec![entry.bone], count: entry.count, own }
        }
        List::Sk2 => {
            let entry = skn.sk2.get(index)?;
            let own = run(entry.destination, entry.vertex_offset, entry.count);
            EntryFacts { bones: entry.bones.to_vec(), count: entry.count, own }
        }
        List::SkAcc => {
            let entry = skn.skacc.get(index)?;
            let base = plan.positions.wrapping_add(entry.destination);
            let address = |slot: u32| base.wrapping_add(slot * STRIDE as u32);
            let lowest = skn.indices(entry).min().map(u32::from);
            let highest = skn.indices(entry).max().map(u32::from);
            let own = lowest.zip(highest).map(|(low, high)| address(low)..address(high + 1));
            EntryFacts { bones: vec![entry.bone], count: entry.count, own }
        }
    })
}
