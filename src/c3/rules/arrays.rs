//! The SKN's variable data: sources on the mirror, then flush indices, weights and `SKAcc` arrays.

use std::collections::BTreeMap;
use std::ops::Range;

use super::codes;
use super::found::Found;
use super::subject::Subject;
use super::{mirror, padding};
use crate::c3::coverage::TRANSFER_MASK;
use crate::c3::format::skn::{EntryField, EntryId, List, STRIDE, Skn};

/// What a variable array holds, in the order in which known models store them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VariableKind {
    /// Source vertices of SK1 and SK2 entries.
    Source,
    /// Flush indices.
    Flush,
    /// Weights of SK2 entries.
    Weights,
    /// Source vertices of `SKAcc` entries.
    AccumulationSource,
    /// Destination indices.
    AccumulationIndices,
    /// Weights of `SKAcc` entries.
    AccumulationWeights,
}

impl VariableKind {
    /// The name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source | Self::AccumulationSource => "source vertices",
            Self::Flush => "flush indices",
            Self::Weights | Self::AccumulationWeights => "weights",
            Self::AccumulationIndices => "destination indices",
        }
    }

    /// The entry's pointer to it; that of the flush indices lies in the header.
    const fn pointer(self) -> EntryField {
        match self {
            Self::Source | Self::AccumulationSource | Self::Flush => EntryField::Source,
            Self::Weights | Self::AccumulationWeights => EntryField::Weights,
            Self::AccumulationIndices => EntryField::Indices,
        }
    }
}

/// A variable array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableArray {
    /// What it holds.
    pub kind: VariableKind,
    /// The entry that uses it; none for the flush indices.
    pub entry: Option<EntryId>,
    /// The pointer to it, as the file has it.
    pub pointer: u32,
    /// Its bytes in the SKN, where a transfer finds them: it drops bits of an address.
    pub range: Range<u64>,
}

/// Every variable array, in the order in which known models store them.
pub fn variable_arrays(subject: &Subject) -> Vec<VariableArray> {
    let Some(skn) = subject.skn() else { return Vec::new() };
    let array = |kind, entry: Option<EntryId>, pointer: u32, size: u64| {
        let found = u64::from(pointer & TRANSFER_MASK);
        let is_found = entry.is_some() && found < skn.view().len();
        let start = if is_found { found } else { pointer.into() };
        VariableArray { kind, entry, pointer, range: start..start + size }
    };
    let mut arrays: Vec<_> = subject
        .direct
        .iter()
        .map(|entry| array(VariableKind::Source, Some(entry.id), entry.source, entry.bytes()))
        .collect();
    // A pointer of 0 is not relocated: those indices lie at address 0, not here. [listing]
    if skn.header.flush != 0 {
        let size = 2 * u64::from(skn.header.flush_count);
        arrays.push(array(VariableKind::Flush, None, skn.header.flush, size));
    }
    for entry in &subject.direct {
        if let Some(weights) = entry.weights {
            arrays.push(array(VariableKind::Weights, Some(entry.id), weights, 2 * u64::from(entry.count)));
        }
    }
    for (entry, index) in skn.skacc.iter().zip(0..) {
        let id = Some(EntryId { list: List::SkAcc, index });
        let count = u64::from(entry.count);
        arrays.push(array(VariableKind::AccumulationSource, id, entry.source, count * STRIDE));
        arrays.push(array(VariableKind::AccumulationIndices, id, entry.indices, count * 2));
        arrays.push(array(VariableKind::AccumulationWeights, id, entry.weights, count));
    }
    arrays
}

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(skn) = subject.skn() else { return };
    let arrays = variable_arrays(subject);
    unaligned(subject, &arrays, found);
    overlapping(subject, skn, &arrays, found);
    order(subject, &arrays, found);
    mirror::check(subject, skn, found);
    prefixes(subject, skn, found);
    padding::check(subject, skn, &arrays, found);
}

/// The place of the pointer to an array.
pub(super) fn place(subject: &Subject, array: &VariableArray) -> crate::finding::Place {
    match array.entry {
        Some(entry) => subject.field_place(entry, array.kind.pointer()),
        None => subject.skn_place(0x1C),
    }
    .field(array.kind.name())
}

fn unaligned(subject: &Subject, arrays: &[VariableArray], found: &mut Vec<Found>) {
    for array in arrays.iter().filter(|array| !array.range.is_empty() && array.range.start % 32 != 0) {
        let start = array.range.start;
        let text = format!(
            "its {} begin at {start:#x} of the SKN, {} bytes into a cache line",
            array.kind.name(),
            start % 32
        );
        let help = "begin every array on a multiple of 32 bytes from the SKN start";
        let mut finding = Found::new(&codes::ARRAY_UNALIGNED, place(subject, array), text, help);
        if let Some(entry) = array.entry {
            finding = finding.entry(entry).slots(super::entry_slots(subject, entry));
        }
        found.push(finding);
    }
}

fn overlapping(subject: &Subject, skn: &Skn, arrays: &[VariableArray], found: &mut Vec<Found>) {
    // Flush indices that the section has no room for are told, not all that they would lie over.
    let is_sound =
        |array: &&VariableArray| array.kind != VariableKind::Flush || array.range.end <= skn.view().len();
    let held = arrays.iter().filter(|array| !array.range.is_empty());
    let mut sorted: Vec<&VariableArray> = held.filter(is_sound).collect();
    sorted.sort_by_key(|array| (array.range.start, array.range.end));
    let mut longest: Option<&VariableArray> = None;
    for array in sorted {
        if let Some(before) = longest.filter(|before| array.range.start < before.range.end) {
            let other = before.entry.map_or_else(|| "the".to_owned(), |entry| format!("{entry}'s"));
            let text = format!(
                "its {} at {:#x} of the SKN overlap {other} {} at {:#x}..{:#x}",
                array.kind.name(),
                array.range.start,
                before.kind.name(),
                before.range.start,
                before.range.end
            );
            let help = "give every array bytes of its own";
            found.push(Found::new(&codes::ARRAY_OVERLAP, place(subject, array), text, help));
        }
        if longest.is_none_or(|before| array.range.end > before.range.end) {
            longest = Some(array);
        }
    }
}

fn order(subject: &Subject, arrays: &[VariableArray], found: &mut Vec<Found>) {
    let section = |kind| match kind {
        VariableKind::Source | VariableKind::Flush | VariableKind::Weights => kind,
        _ => VariableKind::AccumulationSource,
    };
    let held: Vec<_> = arrays.iter().filter(|array| !array.range.is_empty()).collect();
    let mut farthest: BTreeMap<VariableKind, &VariableArray> = BTreeMap::new();
    for array in &held {
        let last = farthest.entry(section(array.kind)).or_insert(array);
        if array.range.start >= last.range.start {
            *last = array;
        }
    }
    let end_before =
        |kind| farthest.range(..kind).map(|(_, array)| *array).max_by_key(|array| array.range.start);
    let mut told = Vec::new();
    for array in &held {
        let kind = section(array.kind);
        let Some(before) = end_before(kind).filter(|before| before.range.start > array.range.start) else {
            continue;
        };
        if told.contains(&kind) {
            continue;
        }
        told.push(kind);
        let text = format!(
            "the {} at {:#x} lie before the {} at {:#x}",
            array.kind.name(),
            array.range.start,
            before.kind.name(),
            before.range.start
        );
        let help = "known models store mirrored sources, flush indices, SK2 weights, then the SKAcc arrays";
        found.push(Found::new(&codes::ARRAY_ORDER, place(subject, array), text, help));
    }
}

fn prefixes(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    for entry in &subject.direct {
        let prefix = skn.held(entry.source, entry.vertex_offset.into());
        if let Some(first) = prefix.iter().position(|&byte| byte != 0) {
            let text = format!("the {} bytes before its first vertex are not zero", prefix.len());
            let help = "known models keep zeroes there; they are stored along with the vertices";
            let place = subject.skn_place(u64::from(entry.source) + first as u64).entry(entry.id.to_string());
            found.push(Found::new(&codes::PREFIX_NOT_ZERO, place, text, help));
        }
    }
}
