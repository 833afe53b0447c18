//! Entries whose records or arrays a frame writes over: what becomes of their vertices is the write's doing.

use std::collections::BTreeSet;
use std::ops::Range;

use super::arrays::{VariableArray, variable_arrays};
use super::effects::Part;
use super::found::Found;
use super::lists::entries_in;
use super::subject::Subject;
use crate::c3::format::skn::{EntryId, HEADER_SIZE};

/// Entries that findings answer for in all: both writes and arrays come from the file.
const ENTRY_LIMIT: usize = 20_000;
/// Comparisons of writes with arrays.
const COMPARISON_LIMIT: usize = 4_000_000;

/// The arrays of a model, and how much is still looked at.
pub(super) struct Spoiled {
    arrays: Vec<VariableArray>,
    entries_left: usize,
    comparisons_left: usize,
}

impl Spoiled {
    pub fn new(subject: &Subject) -> Self {
        let arrays = variable_arrays(subject);
        Self { arrays, entries_left: ENTRY_LIMIT, comparisons_left: COMPARISON_LIMIT }
    }

    /// The same finding, answering for whatever these ranges of the skinning section are read for.
    pub fn answer(&mut self, subject: &Subject, finding: Found, ranges: &[Range<u64>]) -> Found {
        let Some(skn) = subject.skn() else { return finding };
        let mut entries = BTreeSet::new();
        let mut finding = finding;
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            if range.start < HEADER_SIZE {
                let parts = [Part::Entry, Part::Clear, Part::Flush];
                finding = parts.into_iter().fold(finding.slots(0..u64::from(u32::MAX)), Found::part);
            }
            entries.extend(entries_in(skn, range));
            entries.extend(self.owners(range));
        }
        let taken: Vec<EntryId> = entries.into_iter().take(self.entries_left).collect();
        self.entries_left -= taken.len();
        taken
            .into_iter()
            .fold(finding, |finding, id| finding.entry(id).slots(super::entry_slots(subject, id)))
    }

    fn owners(&mut self, range: &Range<u64>) -> Vec<EntryId> {
        let looked = self.arrays.len().min(self.comparisons_left);
        self.comparisons_left -= looked;
        let meets = |array: &&VariableArray| array.range.start < range.end && range.start < array.range.end;
        self.arrays[..looked].iter().filter(meets).filter_map(|array| array.entry).collect()
    }
}
