//! Who wrote what, over the frames of a dry run.

use crate::c3::format::skn::EntryId;
use crate::c3::runtime::journal::{Cargo, Journal, Writer};

/// The accounts of the frames so far, the current one last.
pub(super) struct History<'j> {
    pub earlier: &'j [Journal],
    pub now: &'j Journal,
}

/// Which of some words were written over.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Over {
    /// Whether there is one.
    pub any: bool,
    /// Who wrote them last, as far as anybody did in a frame.
    pub writers: Vec<Writer>,
}

impl History<'_> {
    /// Who wrote these words last. Those that `itself` wrote in the current frame are left out: it had read them
    /// before.
    pub fn last_writers(&self, mut words: Vec<u32>, itself: Option<Writer>) -> Over {
        words.sort_unstable();
        let mut over = Over::default();
        let mut take = |start: u32, end: u32, writer: Option<Writer>, words: &mut Vec<u32>| {
            let first = words.partition_point(|&word| word.saturating_add(3) < start);
            let last = words.partition_point(|&word| word < end).max(first);
            if words.drain(first..last).next().is_none() {
                return;
            }
            if let Some(writer) = writer {
                over.any = true;
                if !over.writers.contains(&writer) {
                    over.writers.push(writer);
                }
            }
        };
        let current: Vec<_> = self.now.written().collect();
        for (range, writer) in current.into_iter().rev() {
            take(range.start, range.end, Some(writer).filter(|_| Some(writer) != itself), &mut words);
        }
        for journal in self.earlier.iter().rev() {
            if words.is_empty() {
                break;
            }
            let written: Vec<_> = journal.written().collect();
            for (range, writer) in written.into_iter().rev() {
                take(range.start, range.end, Some(writer), &mut words);
            }
        }
        over.any |= !words.is_empty();
        over
    }

    /// Who wrote into a range.
    pub fn writers_in(&self, (first, end): (u32, u32)) -> Vec<Writer> {
        let mut writers = Vec::new();
        for journal in self.earlier.iter().chain([self.now]) {
            for (range, writer) in journal.written() {
                if range.start < end && first < range.end && !writers.contains(&writer) {
                    writers.push(writer);
                }
            }
        }
        writers
    }

    /// How many transfers have brought an entry's data in the current frame.
    pub fn loads(&self, entry: EntryId) -> usize {
        let record = self.now.entries.iter().find(|record| record.entry == entry);
        let transfers = record.into_iter().flat_map(|record| &record.transfers);
        transfers.filter(|transfer| transfer.cargo != Cargo::Result).count()
    }
}
