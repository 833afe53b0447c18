//! What a frame writes, as the file foretells it, in bytes from the position array.

use std::collections::BTreeSet;
use std::ops::Range;

use super::found::Found;
use super::subject::Subject;
use crate::c3::coverage::{TRANSFER_MASK, accumulated_at};
use crate::c3::format::align32;
use crate::c3::format::gpl::{ArrayKind, Structure, StructureKind};
use crate::c3::format::skn::{EntryId, List, STRIDE, SkAccEntry, Skn};
use crate::c3::runtime::journal::Writer;
use crate::finding::{Code, Place};

/// A write of a frame: who, and where.
pub(super) struct Write {
    /// The entry; none for the clear.
    pub by: Option<EntryId>,
    /// Bytes from the position array on, in ascending order, apart from each other.
    pub ranges: Vec<Range<i64>>,
}

/// A range of a file, among those that may lie before the position array.
pub(super) fn signed(range: &Range<u64>) -> Range<i64> {
    let bound = |at: u64| i64::try_from(at).unwrap_or(i64::MAX);
    bound(range.start)..bound(range.end)
}

/// What two ranges share, empty where that is nothing.
pub(super) fn between<T: Ord + Copy>(a: &Range<T>, b: &Range<T>) -> Range<T> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

impl Write {
    /// How a text begins.
    pub fn what(&self) -> &'static str {
        match self.by.map(|id| id.list) {
            Some(List::SkAcc) => "accumulation",
            Some(_) => "its store",
            None => "the clear",
        }
    }

    /// The entry's place, or the clear's.
    pub fn place(&self, subject: &Subject) -> Place {
        match self.by {
            Some(entry) => subject.entry_place(entry),
            None => subject.skn_place(0x14).field("memClr"),
        }
    }

    /// Where it begins and ends, from the position array.
    fn ends(&self) -> Range<i64> {
        let start = self.ranges.first().map_or(0, |range| range.start);
        start..self.ranges.last().map_or(0, |range| range.end)
    }

    /// Where it ends behind the start of the position array; 0 where that is before it.
    pub fn end(&self) -> u64 {
        u64::try_from(self.ends().end).unwrap_or(0)
    }

    /// Bytes of a range that are written, where the position array begins at `start` of it.
    pub fn bytes_in(&self, start: u64, range: &Range<u64>) -> u64 {
        let (start, range) = (start as i64, signed(range));
        let behind = self.ranges.partition_point(|own| start + own.end <= range.start);
        let reached = self.ranges[behind..].iter().take_while(|own| start + own.start < range.end);
        let bytes = |own: &Range<i64>| between(&(start + own.start..start + own.end), &range);
        reached.map(bytes).map(|both| (both.end - both.start) as u64).sum()
    }

    /// What is written of a range, counted from the range's start.
    pub fn inside(&self, start: u64, range: &Range<u64>) -> Vec<Range<u64>> {
        let (start, range) = (start as i64, signed(range));
        let both = self.ranges.iter().map(|own| between(&(start + own.start..start + own.end), &range));
        both.filter(|both| !both.is_empty())
            .map(|both| (both.start - range.start) as u64..(both.end - range.start) as u64)
            .collect()
    }

    /// A finding about this write.
    pub fn found(&self, subject: &Subject, code: &'static Code, text: String, help: &str) -> Found {
        let finding = Found::new(code, self.place(subject), text, help);
        self.by.into_iter().fold(finding, Found::entry).writer(self.writer())
    }

    /// Who writes.
    pub fn writer(&self) -> Writer {
        self.by.map_or(Writer::Clear, Writer::Entry)
    }
}

/// Every write of a frame that its bytes foretell: stores, the clear, accumulation past the array's own bytes.
pub(super) fn writes(subject: &Subject) -> Vec<Write> {
    let direct = subject
        .direct
        .iter()
        .filter(|entry| entry.ever_stores())
        .map(|entry| Write { by: Some(entry.id), ranges: vec![in_memory(subject, entry.stored_around())] });
    let mut writes: Vec<Write> = direct.filter(|write| !write.ranges[0].is_empty()).collect();
    let Some(skn) = subject.skn() else { return writes };
    let cleared = subject.cleared_around(subject.clear);
    if skn.header.skacc_count != 0 && !cleared.is_empty() {
        writes.push(Write { by: None, ranges: vec![cleared] });
    }
    let own = own_bytes(subject);
    for (entry, index) in skn.skacc.iter().zip(0..) {
        let by = Some(EntryId { list: List::SkAcc, index });
        let ranges = accumulated_behind(own, entry.destination, indices_read(skn, entry));
        if !ranges.is_empty() {
            writes.push(Write { by, ranges });
        }
    }
    writes
}

/// The same range counted so that its address lies within the 29 bits of physical memory: a transfer drops the others.
pub(super) fn in_memory(subject: &Subject, range: Range<i64>) -> Range<i64> {
    let base = subject.gpl().map_or(0, |gpl| gpl.view().base()) + subject.positions().unwrap_or(0);
    let array = i64::from(subject.address & TRANSFER_MASK).saturating_add_unsigned(base);
    let around = if array + range.start < 0 { i64::from(TRANSFER_MASK) + 1 } else { 0 };
    range.start + around..range.end + around
}

/// Bytes of the position array up to its end, or to a structure that begins before it.
fn own_bytes(subject: &Subject) -> u64 {
    let (stored, start) = (subject.stored_bytes(), subject.positions().unwrap_or(0));
    let others = subject.structures.iter().filter(|structure| !is_target(structure, start));
    let inside = others.map(|structure| structure.range.start).filter(|other| *other >= start);
    inside.map(|other| other - start).min().map_or(stored, |first| first.min(stored))
}

/// Indices that the locked cache holds of an `SKAcc` entry: the weights are loaded right behind them. \[listing\]
const INDEX_ROOM: usize = 1024;

/// The indices that the kernel reads: those past the buffer's end are weights.
fn indices_read<'a>(skn: &'a Skn, entry: &SkAccEntry) -> impl Iterator<Item = u16> + 'a {
    let past = usize::from(entry.count).saturating_sub(INDEX_ROOM);
    let weights = skn.loaded(entry.weights, align32(entry.count.into()));
    let weights = weights.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).take(past);
    skn.loaded_indices(entry).take(INDEX_ROOM).chain(weights)
}

/// The vertices that an entry accumulates behind the array, or before it, as ranges of bytes: only these can do
/// harm.
fn accumulated_behind(own: u64, destination: u32, indices: impl Iterator<Item = u16>) -> Vec<Range<i64>> {
    let (size, own) = (STRIDE as i64, i64::try_from(own).unwrap_or(i64::MAX));
    // Where no memory is, nothing is written.
    let start = |index: u16| accumulated_at(destination, index);
    let starts: BTreeSet<i64> =
        indices.filter_map(start).filter(|&start| start < 0 || start.saturating_add(size) > own).collect();
    let mut ranges: Vec<Range<i64>> = Vec::new();
    for start in starts {
        match ranges.last_mut().filter(|range| range.end == start) {
            Some(range) => range.end += size,
            None => ranges.push(start..start + size),
        }
    }
    ranges
}

/// Whether a structure is the array that skinning is meant to write.
pub(super) fn is_target(structure: &Structure, positions: u64) -> bool {
    structure.kind == StructureKind::Array(ArrayKind::Position) && structure.range.start == positions
}
