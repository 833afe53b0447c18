//! Which slot of the skinned position array each list writes, and which slots primitives use.

use std::ops::Range;

use bitvec::vec::BitVec;

use super::format::gpl::{Attribute, CommandKind, Gpl};
use super::format::skn::{STRIDE, Skn};
use super::model::Model;

/// Commands of primitive lists that are walked at most; lists may share bytes, so their number is not
/// bounded by the file's size.
pub const COMMAND_LIMIT: usize = 4_000_000;

/// Destination indices that are followed at most, for the same reason.
const INDEX_LIMIT: usize = 16_000_000;

/// One bit a slot (12 bytes of the position array).
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    /// Slots that the GPL stores.
    pub stored: usize,
    /// Slots that SK1 entries write.
    pub sk1: BitVec,
    /// Slots that SK2 entries write.
    pub sk2: BitVec,
    /// Slots that `SKAcc` entries add to.
    pub skacc: BitVec,
    /// Slots that the GPL's primitives draw.
    pub used: BitVec,
}

impl Coverage {
    /// Reads it off a model. Slots far outside the GPL are left out.
    pub fn of(model: &Model) -> Self {
        let Some((start, stored)) = model.skinned_positions() else { return Self::default() };
        let stored = usize::from(stored);
        let room = model.gpl.as_ref().map_or(0, |gpl| gpl.view().len().saturating_sub(start)) / STRIDE;
        let limit = (room as usize).max(stored) + usize::from(u16::MAX);
        let mut coverage = Self { stored, ..Self::default() };
        for bits in [&mut coverage.sk1, &mut coverage.sk2, &mut coverage.skacc, &mut coverage.used] {
            bits.resize(limit, false);
        }
        if let Some(skn) = &model.skn {
            coverage.mark_lists(skn);
        }
        if let Some(gpl) = &model.gpl {
            mark_used(gpl, &mut coverage.used);
        }
        coverage
    }

    fn mark_lists(&mut self, skn: &Skn) {
        for entry in &skn.sk1 {
            mark(&mut self.sk1, slots(entry.destination, entry.vertex_offset, entry.count));
        }
        for entry in &skn.sk2 {
            mark(&mut self.sk2, slots(entry.destination, entry.vertex_offset, entry.count));
        }
        let accumulated = skn.skacc.iter().flat_map(|entry| {
            let base = u64::from(entry.destination) / STRIDE;
            skn.indices(entry).map(move |index| base + u64::from(index))
        });
        for slot in accumulated.take(INDEX_LIMIT) {
            mark(&mut self.skacc, slot..slot + 1);
        }
    }

    /// Whether an SK1 or SK2 entry writes a slot.
    pub fn is_direct(&self, slot: usize) -> bool {
        bit(&self.sk1, slot) || bit(&self.sk2, slot)
    }

    /// Whether only `SKAcc` entries write a slot.
    pub fn is_accumulation_only(&self, slot: usize) -> bool {
        bit(&self.skacc, slot) && !self.is_direct(slot)
    }

    /// The slots that only `SKAcc` entries write, ascending.
    pub fn accumulation_only(&self) -> impl Iterator<Item = usize> + '_ {
        self.skacc.iter_ones().filter(|&slot| !self.is_direct(slot))
    }

    /// The stored slots that nothing writes, ascending.
    pub fn unwritten(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.stored).filter(|&slot| !self.is_direct(slot) && !bit(&self.skacc, slot))
    }
}

fn bit(bits: &BitVec, slot: usize) -> bool {
    bits.get(slot).is_some_and(|bit| *bit)
}

fn mark(bits: &mut BitVec, slots: Range<u64>) {
    let length = bits.len() as u64;
    let (start, end) = (slots.start.min(length) as usize, slots.end.min(length) as usize);
    bits[start..end].fill(true);
}

/// The slots that a run of vertices touches, also where it does not begin on a slot.
pub fn slots(destination: u32, vertex_offset: u8, count: u16) -> Range<u64> {
    let start = u64::from(destination) + u64::from(vertex_offset);
    let end = start + u64::from(count) * STRIDE;
    start / STRIDE..if count == 0 { start / STRIDE } else { end.div_ceil(STRIDE) }
}

fn mark_used(gpl: &Gpl, used: &mut BitVec) {
    let Some((_, layout, _)) = gpl.skinned() else { return };
    let lists = layout.display_lists(gpl.header.version);
    let commands = lists.iter().flat_map(|list| gpl.commands(layout, list)).flatten();
    for command in commands.take(COMMAND_LIMIT) {
        let CommandKind::Draw(primitive) = command.kind else { continue };
        for index in primitive.vertices().filter_map(|vertex| vertex.index(Attribute::Position)) {
            mark(used, u64::from(index)..u64::from(index) + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_count_from_the_first_vertex_not_from_the_first_line() {
        assert_eq!(slots(0x20, 4, 3), 3..6);
        assert_eq!(slots(0x20, 5, 3), 3..7);
        assert_eq!(slots(0x20, 4, 0), 3..3);
    }
}
