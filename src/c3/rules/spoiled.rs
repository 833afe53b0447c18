//! Entries whose records or arrays a frame writes over: what becomes of their vertices is the write's doing.

use std::collections::BTreeSet;
use std::ops::Range;

use super::arrays::{VariableArray, variable_arrays};
use super::effects::Part;
use super::found::Found;
use super::lists::entries_in;
use super::subject::Subject;
use crate::c3::format::skn::{EntryId, HEADER_SIZE, Skn};

/// Entries that findings answer for in all: both writes and arrays come from the file.
const ENTRY_LIMIT: usize = 20_000;
/// Arrays that a text names.
const NAMED: usize = 3;
/// Comparisons of writes with arrays.
const COMPARISON_LIMIT: usize = 4_000_000;

/// The arrays of a model, and how much is still looked at.
pub(super) struct Spoiled {
    arrays: Vec<VariableArray>,
    lists_end: u64,
    entries_left: usize,
    comparisons_left: usize,
}

impl Spoiled {
    pub fn new(subject: &Subject) -> Self {
        let arrays = variable_arrays(subject);
        let lists_end = subject.skn().map_or(0, Skn::lists_end);
        Self { arrays, lists_end, entries_left: ENTRY_LIMIT, comparisons_left: COMPARISON_LIMIT }
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

    /// What these ranges of the skinning section hold: `its header and lists, SK1[3]'s weights and 2 more arrays`.
    pub fn names(&mut self, ranges: &[Range<u64>]) -> String {
        let mut names = Vec::new();
        if ranges.first().is_some_and(|range| range.start < self.lists_end) {
            names.push("its header and lists".to_owned());
        }
        let mut more = 0;
        for range in ranges {
            for array in self.met(range) {
                let name = match array.entry {
                    Some(entry) => format!("{entry}'s {}", array.kind.name()),
                    None => array.kind.name().to_owned(),
                };
                if names.contains(&name) {
                    continue;
                }
                if names.len() < NAMED { names.push(name) } else { more += 1 }
            }
        }
        if more != 0 {
            names.push(format!("{more} more"));
        }
        names.join(", ")
    }

    fn owners(&mut self, range: &Range<u64>) -> Vec<EntryId> {
        self.met(range).iter().filter_map(|array| array.entry).collect()
    }

    /// The arrays that have bytes in a range.
    fn met(&mut self, range: &Range<u64>) -> Vec<VariableArray> {
        let looked = self.arrays.len().min(self.comparisons_left);
        self.comparisons_left -= looked;
        let meets = |array: &&VariableArray| array.range.start < range.end && range.start < array.range.end;
        self.arrays[..looked].iter().filter(meets).cloned().collect()
    }
}
