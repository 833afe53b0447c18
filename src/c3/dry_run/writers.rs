//! Who wrote each slot of the position array in a frame.

use crate::c3::format::skn::{EntryId, STRIDE};
use crate::c3::runtime::journal::Journal;
use crate::gekko::address::LINE_SIZE;

/// Slots that are told apart: every index of an `SKAcc` entry.
const SLOTS: usize = 1 << 16;

/// `SKAcc` entries that are kept of those which added to a slot: known models have no more.
const ADDERS: usize = 8;

/// The entries that wrote each slot: the SK1 or SK2 entry that stored it last, and the `SKAcc` entries that added to
/// it, the last one first.
pub(super) struct Writers {
    stored: Vec<[Option<EntryId>; 1]>,
    accumulated: Vec<[Option<EntryId>; ADDERS]>,
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

    /// The entries that wrote a slot, the last of each kind first.
    pub fn of(&self, slot: u32) -> impl Iterator<Item = EntryId> {
        let stored = self.stored.get(slot as usize).into_iter().flatten();
        stored.chain(self.accumulated.get(slot as usize).into_iter().flatten()).copied().flatten()
    }
}

/// The last `N` writers of each slot, the last one first. `unit` is what a write is widened to, in bytes.
fn last_writers<const N: usize>(
    journal: &Journal,
    positions: u32,
    accumulated: bool,
    unit: u32,
) -> Vec<[Option<EntryId>; N]> {
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
                    writers.resize(at + 1, [None; N]);
                }
                if note(&mut writers[at], record.entry) {
                    next.taken(at);
                }
                at = next.from(at + 1);
            }
        }
    }
    writers
}

/// Adds an entry to those of a slot, and whether there is room for no other.
fn note<const N: usize>(writers: &mut [Option<EntryId>; N], entry: EntryId) -> bool {
    if let Some(free) = writers.iter().position(Option::is_none)
        && (free == 0 || writers[free - 1] != Some(entry))
    {
        writers[free] = Some(entry);
    }
    writers[N - 1].is_some()
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
