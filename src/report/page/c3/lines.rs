//! The line map: the position buffer and what follows it, in cache lines, with everybody who writes there.

use std::ops::Range;

use serde::Serialize;

use super::marks::{self, Marks, Reach};
use crate::c3::format::gpl::{ArrayKind, StructureKind};
use crate::c3::format::skn::{EntryId, List, STRIDE, Skn};
use crate::c3::outcome::Outcome;
use crate::c3::rules::effects::DryRun;
use crate::c3::rules::subject::Subject;
use crate::c3::runtime::journal::Cargo;
use crate::c3::runtime::owners::Owners;
use crate::gekko::address::LINE_SIZE;
use crate::report::page::pack;

/// Lines behind the position array that are shown at most, if no entry reaches farther.
const FOLLOWING: u32 = 2048;
/// Structures told at most.
const MOST_STRUCTURES: usize = 4096;
/// Lines shown at most: the largest array has 24,576.
const MOST_LINES: u32 = 32_768;

/// The map. Bytes are counted from its first line.
#[derive(Debug, Serialize)]
pub struct LineMap {
    /// Address of the first line.
    pub address: u32,
    /// The position array: first byte and one past the last.
    pub positions: [u32; 2],
    /// Every entry, in the order of a frame.
    pub entries: Vec<MapEntry>,
    /// Structures that lie in the lines shown.
    pub structures: Vec<MapStructure>,
    /// What the clear zeroes.
    pub cleared: Option<[u32; 2]>,
    /// Who owns each line: a [`LineOwner`] a byte.
    pub owners: String,
    /// What is remarkable about each line: bits of [`super::marks`], u16.
    pub marks: String,
    /// Entries that write each line, by their numbers.
    pub writers: Vec<Vec<u32>>,
    /// The bytes in memory after the last frame shown.
    pub bytes: String,
    /// Lines behind the last one shown, up to the end of the GPL.
    pub left_out: u32,
}

/// What a line is coloured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum LineOwner {
    /// Nothing writes it, and no structure lies there.
    Gap,
    /// Vertices of SK1 entries.
    Sk1,
    /// Vertices of SK2 entries.
    Sk2,
    /// Vertices that only `SKAcc` entries write.
    SkAcc,
    /// Cleared, and nothing else.
    Clear,
    /// Behind the array, written by whole-line stores, owned by nothing.
    Scratch,
    /// Headers, names, layouts.
    Header,
    /// Another position array.
    Positions,
    /// A normal array.
    Normals,
    /// A colour array.
    Colours,
    /// A texture-coordinate array.
    Textures,
    /// A display-state list.
    States,
    /// A primitive list.
    Primitives,
    /// The SKN, or another section.
    Section,
}

/// An entry on the map.
#[derive(Debug, Serialize)]
pub struct MapEntry {
    /// `SK1[3]`.
    pub name: String,
    /// `SK1`, `SK2`, `SKAcc`.
    pub list: &'static str,
    /// Its bones.
    pub bones: Vec<u16>,
    /// Vertices that it names.
    pub count: u16,
    /// Its vertices' bytes (`SKAcc`: lowest to highest).
    pub own: Option<[u32; 2]>,
    /// The bytes that its store moves; none for `SKAcc`.
    pub stored: Option<[u32; 2]>,
    /// What became of it in the last frame.
    pub state: EntryState,
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryState {
    /// It ran.
    Ran,
    /// The frame ended at it.
    Faulted,
    /// The frame ended before it.
    NotReached,
}

/// A structure on the map.
#[derive(Debug, Serialize)]
pub struct MapStructure {
    /// `submesh 0 colour array`.
    pub name: String,
    /// Its bytes.
    pub range: [u32; 2],
    /// Whether the game reads it in every frame.
    pub every_frame: bool,
    /// Its colour.
    #[serde(skip)]
    pub owner: LineOwner,
}

/// Offsets from the position array to offsets in the map, and its size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Address of the first line.
    pub address: u32,
    /// Offset of the position array in its first line.
    pub lead: u32,
    /// Lines.
    pub lines: u32,
}

impl Frame {
    /// Bytes counted from the position array, as far as they lie in the map.
    pub(super) fn range(&self, bytes: &Range<u64>) -> Option<[u32; 2]> {
        let end = u64::from(self.lines) * u64::from(LINE_SIZE);
        let clip = |at: u64| at.saturating_add(self.lead.into()).min(end) as u32;
        let range = [clip(bytes.start), clip(bytes.end)];
        (range[0] < range[1]).then_some(range)
    }

    /// Addresses, as far as they lie in the map.
    fn addresses(&self, range: &Range<u32>) -> Option<[u32; 2]> {
        let end = u64::from(self.address) + u64::from(self.lines * LINE_SIZE);
        let clip = |at: u32| (u64::from(at).clamp(self.address.into(), end) - u64::from(self.address)) as u32;
        let range = [clip(range.start), clip(range.end)];
        (range[0] < range[1]).then_some(range)
    }
}

impl LineMap {
    /// Draws the map of a model after its frames.
    pub fn new(subject: &Subject, outcome: &Outcome, runs: &[DryRun], ids: &[EntryId]) -> Self {
        let frame = frame(subject, outcome.plan.positions);
        let entries: Vec<MapEntry> =
            ids.iter().filter_map(|&id| entry(subject, outcome, id, &frame)).collect();
        let structures = structures(subject, outcome, &frame);
        let cleared = Some(subject.cleared())
            .filter(|_| subject.skn().is_some_and(|skn| !skn.skacc.is_empty()))
            .and_then(|range| frame.range(&range));
        let positions = frame.range(&(0..subject.stored_bytes())).unwrap_or_default();
        let taken = marks::taken(&structures);
        let reach =
            Reach { subject, frame, entries: &entries, structures: &structures, cleared, positions, taken };
        let Marks { owners, bits, writers } = reach.marks(ids, runs);
        let memory = outcome.simulation.machine.memory(frame.address, frame.lines * LINE_SIZE);
        let shown = u64::from(frame.lines * LINE_SIZE);
        let behind = gpl_end(subject).saturating_add(frame.lead.into()).saturating_sub(shown);
        Self {
            address: frame.address,
            positions,
            cleared,
            owners: pack::bytes(&owners.iter().map(|&owner| owner as u8).collect::<Vec<_>>()),
            marks: pack::u16s(bits),
            writers,
            bytes: pack::bytes(memory.unwrap_or_default()),
            left_out: behind.div_ceil(LINE_SIZE.into()) as u32,
            entries,
            structures,
        }
    }
}

/// Bytes from the position array to the end of the GPL.
fn gpl_end(subject: &Subject) -> u64 {
    let end = subject.gpl().map_or(0, |gpl| gpl.view().len());
    end.saturating_sub(subject.positions().unwrap_or(end))
}

/// How much is shown: the array, what follows in the GPL, and wherever an entry stores.
fn frame(subject: &Subject, positions: u32) -> Frame {
    let lead = positions % LINE_SIZE;
    let line = u64::from(LINE_SIZE);
    let lines = |bytes: u64| bytes.saturating_add(lead.into()).div_ceil(line);
    let array = lines(subject.stored_bytes());
    let following = lines(gpl_end(subject)).min(array + u64::from(FOLLOWING));
    let near = array + u64::from(FOLLOWING);
    let stored = subject.direct.iter().map(|entry| lines(entry.stored().end)).filter(|&end| end <= near);
    let all = stored.chain([array, following, 1]).max().unwrap_or(1);
    Frame { address: positions - lead, lead, lines: all.min(MOST_LINES.into()) as u32 }
}

fn entry(subject: &Subject, outcome: &Outcome, id: EntryId, frame: &Frame) -> Option<MapEntry> {
    let (bones, count, own, stored) = if let Some(entry) = subject.direct_entry(id) {
        let bones = if entry.weights.is_some() { entry.bones.to_vec() } else { vec![entry.bones[0]] };
        (bones, entry.count, entry.vertex_bytes(), Some(entry.stored()))
    } else {
        let skn = subject.skn()?;
        let entry = skn.skacc.get(id.index as usize)?;
        (vec![entry.bone], entry.count, accumulated(skn, id.index as usize), None)
    };
    Some(MapEntry {
        name: id.to_string(),
        list: id.list.name(),
        bones,
        count,
        own: frame.range(&own),
        stored: stored.and_then(|range| frame.range(&range)),
        state: state(outcome, id),
    })
}

/// From the lowest to the highest vertex that an `SKAcc` entry names.
fn accumulated(skn: &Skn, index: usize) -> Range<u64> {
    let Some(entry) = skn.skacc.get(index) else { return 0..0 };
    let byte = |slot: u16| u64::from(entry.destination) + u64::from(slot) * STRIDE;
    match (skn.indices(entry).min(), skn.indices(entry).max()) {
        (Some(low), Some(high)) => byte(low)..byte(high) + STRIDE,
        _ => 0..0,
    }
}

fn state(outcome: &Outcome, id: EntryId) -> EntryState {
    let Some(journal) = outcome.last_journal() else { return EntryState::NotReached };
    if journal.faults.iter().any(|fault| fault.entry == Some(id)) {
        return EntryState::Faulted;
    }
    let record = journal.entries.iter().find(|record| record.entry == id);
    let ran = record.is_some_and(|record| {
        id.list == List::SkAcc && record.accumulated.is_some()
            || record.transfers.iter().any(|transfer| transfer.cargo == Cargo::Result)
    });
    if ran || !outcome.has_ended() { EntryState::Ran } else { EntryState::NotReached }
}

fn structures(subject: &Subject, outcome: &Outcome, frame: &Frame) -> Vec<MapStructure> {
    let owners = Owners::new(outcome.model, &outcome.plan);
    let end = frame.address.saturating_add(frame.lines * LINE_SIZE);
    let colour = |name: &str| {
        let known = subject.structures.iter().find(|structure| structure.name() == name);
        known.map_or(LineOwner::Section, |structure| owner_of(structure.kind))
    };
    owners
        .reached(frame.address..end)
        .take(MOST_STRUCTURES)
        .filter_map(|owner| {
            Some(MapStructure {
                name: owner.name.clone(),
                range: frame.addresses(&owner.range)?,
                every_frame: owner.read_when == crate::c3::format::gpl::ReadWhen::EveryFrame,
                owner: colour(&owner.name),
            })
        })
        .collect()
}

fn owner_of(kind: StructureKind) -> LineOwner {
    match kind {
        StructureKind::Array(ArrayKind::Position) => LineOwner::Positions,
        StructureKind::Array(ArrayKind::Normal) => LineOwner::Normals,
        StructureKind::Array(ArrayKind::Colour) => LineOwner::Colours,
        StructureKind::Array(ArrayKind::Texture(_)) => LineOwner::Textures,
        StructureKind::StateList => LineOwner::States,
        StructureKind::PrimitiveList(_) => LineOwner::Primitives,
        _ => LineOwner::Header,
    }
}
