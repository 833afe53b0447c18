//! Where facial poses land: the mirror of the position array against the records that entries read.
//! \[seed 003\]

use std::collections::BTreeSet;
use std::ops::Range;

use super::arrays::{VariableArray, VariableKind, variable_arrays};
use super::subject::{Direct, Subject};
use crate::c3::format::skn::{EntryId, STRIDE};

/// Where the poses of one entry's vertices land.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landing {
    /// The entry that skins the vertices.
    pub entry: EntryId,
    /// Its slots that are written, ascending.
    pub slots: Vec<u64>,
    /// Offset in the SKN of the first one's source record.
    pub read_from: u64,
    /// Offset in the SKN where its pose is written.
    pub written_to: u64,
    /// Arrays that are written in place of the records, where they differ.
    pub reached: Vec<String>,
}

/// Poses of slots that no SK1 or SK2 entry reads, run by run: they move no vertex, and land where the mirror
/// would have the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// The slots, one after the other.
    pub slots: Range<u64>,
    /// Offset in the SKN where the first one's pose is written.
    pub written_to: u64,
    /// Arrays that are written.
    pub reached: Vec<String>,
}

/// Entries whose surroundings are named; the others are only measured.
const NAMED: usize = 16;
/// Arrays that are named.
const MOST_ARRAYS: usize = 6;

/// Slots that are looked at most: entries may share theirs.
const SLOT_LIMIT: usize = 1_000_000;

impl Landing {
    /// Bytes from the record to where its pose lands; 0 when they meet.
    pub fn off_by(&self) -> i64 {
        // Addresses wrap at 32 bits.
        i64::from((self.written_to as u32).wrapping_sub(self.read_from as u32).cast_signed())
    }

    /// What its poses do where they do not meet the records.
    pub fn damage(&self) -> String {
        let count = self.slots.len();
        let (poses, whose) = if count == 1 { ("pose", "its vertex") } else { ("poses", "their vertices") };
        let other = match &self.reached[..] {
            [] => "bytes that no entry reads".to_owned(),
            reached => reached.join(", "),
        };
        format!(
            "facial {poses} of {count} slot{} move {other} in place of {whose}",
            if count == 1 { "" } else { "s" }
        )
    }

    /// `0x20 bytes past their records (2 records and 8 bytes)`.
    pub fn off_by_words(&self) -> String {
        let off = self.off_by();
        let size = off.unsigned_abs();
        let side = if off < 0 { "before" } else { "past" };
        let (records, bytes) = (size / STRIDE, size % STRIDE);
        let parts = [(records, "record"), (bytes, "byte")].map(|(count, what)| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{count} {what}s")),
        });
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{size:#x} bytes {side} their records ({})", parts.join(" and "))
    }
}

/// What becomes of poses of these slots, entry by entry.
pub fn landings(subject: &Subject, moved: &BTreeSet<u64>) -> Vec<Landing> {
    let Some(skn) = subject.skn() else { return Vec::new() };
    let mirror = skn.mirror_start();
    let mut left = SLOT_LIMIT;
    let mut landings: Vec<Landing> = subject
        .direct
        .iter()
        .filter_map(|entry| {
            let slots: Vec<u64> = moved.range(entry.slots()).copied().take(left).collect();
            left -= slots.len();
            let &first = slots.first()?;
            let (read_from, written_to) = (record_of(entry, first)?, mirror + first * STRIDE);
            Some(Landing { entry: entry.id, slots, read_from, written_to, reached: Vec::new() })
        })
        .collect();
    let arrays = variable_arrays(subject);
    for landing in landings.iter_mut().filter(|landing| landing.off_by() != 0).take(NAMED) {
        let last = landing.slots.last().copied().unwrap_or_default();
        let end = landing.written_to + (last - landing.slots[0] + 1) * STRIDE;
        landing.reached = reached(landing.written_to..end, &arrays, skn.view().len());
    }
    landings
}

/// Where an entry reads a slot's record.
fn record_of(entry: &Direct, slot: u64) -> Option<u64> {
    let slot = i64::try_from(slot).ok()?;
    let vertex = slot - entry.vertices_around().start.div_euclid(STRIDE as i64);
    let offset = i64::from(entry.vertex_offset) + vertex * STRIDE as i64;
    Some(entry.source.wrapping_add(offset as u32).into())
}

/// The slots whose positions poses move, and those whose normals they do.
#[derive(Debug, Default)]
pub struct Halves {
    /// The first six bytes of the record are written.
    pub positions: BTreeSet<u64>,
    /// The last six.
    pub normals: BTreeSet<u64>,
}

impl Halves {
    /// The bytes of a slot's record that are written.
    fn of(&self, slot: u64) -> Range<u64> {
        let (first, second) = (self.positions.contains(&slot), self.normals.contains(&slot));
        let half = STRIDE / 2;
        (if first { 0 } else { half })..(if second { STRIDE } else { half })
    }
}

/// The poses of these slots that meet no entry's record. As many are named as entries are.
pub fn strays(subject: &Subject, moved: &BTreeSet<u64>, halves: &Halves) -> Vec<Stray> {
    let Some(skn) = subject.skn() else { return Vec::new() };
    let loose = moved.iter().copied().filter(|&slot| {
        let slot = usize::try_from(slot).unwrap_or(usize::MAX);
        !subject.coverage.is_direct(slot)
    });
    let runs = super::accumulation::runs(loose);
    let arrays = if runs.is_empty() { Vec::new() } else { variable_arrays(subject) };
    let stray = |slots: Range<u64>| {
        let record = |slot: u64| skn.mirror_start() + slot * STRIDE;
        let bytes = |slot: u64| record(slot) + halves.of(slot).start..record(slot) + halves.of(slot).end;
        let written = bytes(slots.start).start..bytes(slots.end - 1).end;
        // Between two slots half a record may be left out; what lies there alone is not reached.
        let hit = |array: &&VariableArray| {
            let own = records(subject, array);
            let first = own.start.max(written.start).saturating_sub(skn.mirror_start()) / STRIDE;
            let meets = |slot| own.start < bytes(slot).end && bytes(slot).start < own.end;
            (first..(first + 2).min(slots.end)).any(meets)
        };
        let arrays: Vec<VariableArray> = arrays.iter().filter(hit).cloned().collect();
        let reached = reached(written.clone(), &arrays, skn.view().len());
        Stray { slots: slots.clone(), written_to: written.start, reached }
    };
    runs.into_iter().take(NAMED).map(stray).collect()
}

/// The bytes of an array that an entry reads: its prefix holds no record.
fn records(subject: &Subject, array: &VariableArray) -> Range<u64> {
    let source = array.entry.filter(|_| array.kind == VariableKind::Source);
    let prefix = source.and_then(|entry| subject.direct_entry(entry)).map_or(0, |entry| entry.vertex_offset);
    array.range.start + u64::from(prefix)..array.range.end
}

fn reached(written: Range<u64>, arrays: &[VariableArray], section: u64) -> Vec<String> {
    let mut names = Vec::new();
    let Range { start, end } = written;
    for array in arrays.iter().filter(|array| array.range.start < end && start < array.range.end) {
        let what = match array.kind {
            VariableKind::Source | VariableKind::AccumulationSource => "records",
            kind => kind.name(),
        };
        let name = array.entry.map_or_else(|| what.to_owned(), |entry| format!("{entry} {what}"));
        if names.len() < MOST_ARRAYS {
            names.push(name);
        }
    }
    if end > section {
        names.push("what lies behind the SKN".to_owned());
    }
    names
}
