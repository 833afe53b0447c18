//! What changes from frame to frame.

use std::collections::BTreeMap;

use super::format::skn::{EntryId, STRIDE};
use super::runtime::journal::{EntryRecord, Journal};

/// A frame that differs from the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameChange {
    /// Its number, from 0.
    pub frame: u32,
    /// Slots of the position array that hold other values.
    pub slots: u32,
    /// The largest difference of a component, in stored units.
    pub largest: u16,
    /// BLAKE3 of the position array.
    pub digest: blake3::Hash,
    /// Entries whose transfers or ranges differ.
    pub entries: Vec<EntryId>,
    /// Faults.
    pub faults: u64,
}

/// The changes of a run.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Frames that differ from the one before; the first one from what was loaded.
    pub changes: Vec<FrameChange>,
    /// How many more there are.
    pub left_out: u32,
    positions: Vec<u8>,
    entries: BTreeMap<EntryId, EntryRecord>,
}

/// Changes that are kept: a day of frames would fill memory.
const KEPT: usize = 4096;

impl History {
    /// The history of a run that begins with these positions.
    pub fn of(positions: Option<&[u8]>) -> Self {
        Self { positions: positions.unwrap_or_default().to_vec(), ..Self::default() }
    }

    /// Takes down a frame.
    pub(super) fn note(&mut self, journal: &Journal, positions: Option<&[u8]>) {
        let positions = positions.unwrap_or_default();
        let entries: BTreeMap<EntryId, EntryRecord> =
            journal.entries.iter().map(|record| (record.entry, record.clone())).collect();
        let (slots, largest) = difference(&self.positions, positions);
        let change = FrameChange {
            frame: journal.frame,
            slots,
            largest,
            digest: blake3::hash(positions),
            entries: entries
                .iter()
                .filter(|(entry, record)| self.entries.get(entry) != Some(record))
                .map(|(&entry, _)| entry)
                .collect(),
            faults: journal.fault_count,
        };
        if slots > 0 || !change.entries.is_empty() || change.faults > 0 {
            if self.changes.len() < KEPT {
                self.changes.push(change);
            } else {
                self.left_out += 1;
            }
        }
        self.positions.clear();
        self.positions.extend_from_slice(positions);
        self.entries = entries;
    }
}

/// How many slots differ, and the largest difference of a component.
fn difference(before: &[u8], after: &[u8]) -> (u32, u16) {
    let half = |pair: &[u8]| i16::from_be_bytes([pair[0], pair[1]]);
    let stride = STRIDE as usize;
    let (mut slots, mut largest) = (0, 0);
    for (before, after) in before.chunks_exact(stride).zip(after.chunks_exact(stride)) {
        if before == after {
            continue;
        }
        slots += 1;
        for (before, after) in before.chunks_exact(2).zip(after.chunks_exact(2)) {
            largest = half(before).abs_diff(half(after)).max(largest);
        }
    }
    (slots, largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_like_the_one_before_is_not_told() {
        let mut history = History::of(Some(&[0; 24]));
        let moved: Vec<u8> = (0..24).map(|at| if at == 13 { 9 } else { 0 }).collect();
        for (frame, positions) in [[0; 24].as_slice(), &moved, &moved, &[0; 24]].into_iter().enumerate() {
            history.note(&Journal::new(frame as u32), Some(positions));
        }
        let told: Vec<_> =
            history.changes.iter().map(|change| (change.frame, change.slots, change.largest)).collect();
        assert_eq!(told, [(1, 1, 9), (3, 1, 9)]);
    }
}
