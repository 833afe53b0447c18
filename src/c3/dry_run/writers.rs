//! Who stored each slot of the position array last in a frame.

use crate::c3::format::skn::{EntryId, STRIDE};
use crate::c3::runtime::journal::Journal;
use crate::gekko::address::LINE_SIZE;

/// Slots that are told apart: every index of an `SKAcc` entry.
const SLOTS: usize = 1 << 16;

/// The last entries that wrote each slot: the SK1 or SK2 entry that stored it, the `SKAcc` entry
/// that added to it.
pub(super) struct Writers {
    stored: Vec<Option<EntryId>>,
    accumulated: Vec<Option<EntryId>>,
}

impl Writers {
    /// Reads it off a frame's account.
    /// With a data cache whoever adds to a slot writes the rest of its lines back along with it.
    pub fn new(journal: &Journal, positions: u32, has_cache: bool) -> Self {
        let line = if has_cache { LINE_SIZE } else { 1 };
        Self {
            stored: last_writers(journal, positions, false, 1),
            accumulated: last_writers(journal, positions, true, line),
        }
    }

    /// The entries that wrote a slot last.
    pub fn of(&self, slot: u32) -> impl Iterator<Item = EntryId> {
        [&self.stored, &self.accumulated]
            .map(|list| list.get(slot as usize).copied().flatten())
            .into_iter()
            .flatten()
    }
}

/// `unit` is what a write is widened to, in bytes.
fn last_writers(journal: &Journal, positions: u32, accumulated: bool, unit: u32) -> Vec<Option<EntryId>> {
    let mut writers = Vec::new();
    let mut next = Next::new(SLOTS);
    let records = journal.entries.iter().rev();
    for record in records.filter(|record| record.accumulated.is_some() == accumulated) {
        for (start, end) in record.written() {
            let (start, end) = (start & !(unit - 1), end.checked_next_multiple_of(unit).unwrap_or(end));
            let slot = |address: u32| (u64::from(address.saturating_sub(positions)) / STRIDE) as usize;
            let last = if end > positions { slot(end - 1) + 1 } else { 0 };
            let mut at = next.from(slot(start));
            while at < last.min(SLOTS) {
                if writers.len() <= at {
                    writers.resize(at + 1, None);
                }
                writers[at] = Some(record.entry);
                next.taken(at);
                at = next.from(at);
            }
        }
    }
    writers
}

/// The next free slot from each on, so that many ranges over the same slots cost no more than one.
struct Next(Vec<usize>);

impl Next {
    fn new(slots: usize) -> Self {
        Self((0..=slots).collect())
    }

    fn from(&mut self, slot: usize) -> usize {
        let mut at = slot.min(self.0.len() - 1);
        while self.0[at] != at {
            // Halving the path keeps later searches short.
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn taken(&mut self, slot: usize) {
        self.0[slot] = slot + 1;
    }
}
