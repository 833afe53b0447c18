//! Which slot of the skinned position array each list writes, and which slots primitives use.

use std::ops::Range;

use bitvec::vec::BitVec;

use super::format::gpl::{Attribute, CommandKind, Gpl, within_limit};
use super::format::skn::{STRIDE, Skn};
use super::model::Model;

/// Destination indices that are followed at most; entries may share bytes, so their number is not bounded by the
/// file's size.
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
        Self::masked(model, TRANSFER_MASK)
    }

    /// The same, where transfers keep these bits of an address.
    pub fn masked(model: &Model, mask: u32) -> Self {
        let Some((start, stored)) = model.skinned_positions() else { return Self::default() };
        let stored = usize::from(stored);
        let room = model.gpl.as_ref().map_or(0, |gpl| gpl.view().len().saturating_sub(start)) / STRIDE;
        let limit = (room as usize).max(stored) + usize::from(u16::MAX);
        let mut coverage = Self { stored, ..Self::default() };
        for bits in [&mut coverage.sk1, &mut coverage.sk2, &mut coverage.skacc, &mut coverage.used] {
            bits.resize(limit, false);
        }
        if let Some(skn) = &model.skn {
            coverage.mark_lists(skn, mask, lead(model));
        }
        if let Some(gpl) = &model.gpl {
            mark_used(gpl, &mut coverage.used);
        }
        coverage
    }

    fn mark_lists(&mut self, skn: &Skn, mask: u32, lead: u32) {
        let slots = |destination, vertex_offset: u8, count| {
            slots_from(line_landing(destination, mask, lead) + i64::from(vertex_offset), count)
        };
        for entry in &skn.sk1 {
            mark(&mut self.sk1, slots(entry.destination, entry.vertex_offset, entry.count));
        }
        for entry in &skn.sk2 {
            mark(&mut self.sk2, slots(entry.destination, entry.vertex_offset, entry.count));
        }
        let accumulated = skn.skacc.iter().flat_map(|entry| {
            skn.loaded_indices(entry).filter_map(|index| accumulated_at(entry.destination, index))
        });
        for start in accumulated.take(INDEX_LIMIT) {
            mark(&mut self.skacc, slots_from(start, 1));
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

/// The bits of an address that a transfer keeps in Super Sluggers. [machine.md A3]
pub const TRANSFER_MASK: u32 = 0x1FFF_FFFF;

/// How far from the position array a stored line lies: a transfer keeps the bits of an address that the mask has,
/// so that a destination may lead before the array, or back onto it. The low bits go into its length; `lead` is how
/// far into a line the array itself begins. \[listing\]
pub fn line_landing(destination: u32, mask: u32, lead: u32) -> i64 {
    let lost = mask.leading_zeros();
    let address = destination.wrapping_add(lead);
    (i64::from((address << lost).cast_signed() >> lost) & !31) - i64::from(lead)
}

/// How far into a cache line the skinned position array of a model begins. Files lie on whole lines.
pub fn lead(model: &Model) -> u32 {
    let start = model.skinned_positions().map_or(0, |(start, _)| start);
    let base = model.gpl.as_ref().map_or(0, |gpl| gpl.view().base());
    (base.wrapping_add(start) & 31) as u32
}

/// What is added to an address of memory for the same byte, uncached.
const UNCACHED: u32 = 0x4000_0000;

/// How far from the position array the processor finds what lies so many bytes behind it: addresses wrap at 32
/// bits, and memory is there a second time, uncached. Nothing where it is neither.
pub fn processor_landing(offset: u32) -> Option<i64> {
    let views = [offset, offset.wrapping_sub(UNCACHED)].map(|offset| i64::from(offset.cast_signed()));
    views.into_iter().find(|near| near.unsigned_abs() < u64::from(UNCACHED) / 2)
}

/// How far from the position array a vertex lies that an `SKAcc` entry adds to.
pub fn accumulated_at(base: u32, index: u16) -> Option<i64> {
    processor_landing(base.wrapping_add(u32::from(index) * STRIDE as u32))
}

/// The slot in which it begins, if that lies in the array or behind it.
pub fn accumulated_slot(base: u32, index: u16) -> Option<u64> {
    u64::try_from(accumulated_at(base, index)?.div_euclid(STRIDE as i64)).ok()
}

/// The slots that a run of vertices touches, also where it does not begin on a slot.
pub fn slots(destination: u32, vertex_offset: u8, count: u16) -> Range<u64> {
    slots_from(line_landing(destination, TRANSFER_MASK, 0) + i64::from(vertex_offset), count)
}

/// The slots that vertices touch which begin so far from the array: those of them that do not lie before it.
pub fn slots_from(start: i64, count: u16) -> Range<u64> {
    let slot = |at: i64| u64::try_from(at.div_euclid(STRIDE as i64)).unwrap_or(0);
    let end = start + i64::from(count) * STRIDE as i64;
    let first = slot(start);
    first..if count == 0 { first } else { slot(end + STRIDE as i64 - 1).max(first) }
}

fn mark_used(gpl: &Gpl, used: &mut BitVec) {
    let Some((_, layout, _)) = gpl.skinned() else { return };
    let base = gpl.view().base();
    let lists = layout.display_lists(gpl.header.version).into_iter().map(|list| list.read(base));
    let commands = lists.flat_map(|list| gpl.commands(layout, &list)).flatten();
    for command in within_limit(commands) {
        let CommandKind::Draw(primitive) = command.kind else { continue };
        for index in primitive.vertices().filter_map(|vertex| vertex.index(Attribute::Position)) {
            mark(used, u64::from(index)..u64::from(index) + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The processor reads a list from the start of a line on, and whole lines of it.
    #[test]
    fn lists_are_walked_as_they_are_drawn() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block");
        let mut bytes = std::fs::read(file).unwrap();
        let used = |bytes: &[u8]| Coverage::of(&Model::from_block(bytes).unwrap()).used;
        let whole = used(&bytes);
        // The pointer to the only list, and its length.
        bytes[0x20 + 0x4833] += 4;
        bytes[0x20 + 0x4837] += 4;
        assert!(whole.any());
        assert_eq!(used(&bytes), whole);
    }

    #[test]
    fn slots_count_from_the_first_vertex_not_from_the_first_line() {
        assert_eq!(slots(0x20, 4, 3), 3..6);
        assert_eq!(slots(0x20, 5, 3), 3..7);
        assert_eq!(slots(0x20, 4, 0), 3..3);
    }

    #[test]
    fn destinations_before_the_array_and_around_memory_lead_onto_it() {
        // Two lines before the array: its first six vertices, less 8 bytes, lie before it.
        assert_eq!(line_landing(0xFFFF_FFC0, TRANSFER_MASK, 0), -0x40);
        assert_eq!(slots(0xFFFF_FFC0, 4, 9), 0..4);
        assert_eq!(slots(0xFFFF_FFC0, 4, 5), 0..0);
        // Bits that a transfer drops, and bits that go into its length.
        assert_eq!(slots(0x2000_0020, 4, 3), 3..6);
        assert_eq!(slots(0xE000_003F, 4, 3), 3..6);
        assert_eq!(line_landing(0x1000_0000, 0x0FFF_FFFF, 0), 0);
        assert_eq!(line_landing(0x1000_0000, TRANSFER_MASK, 0), -0x1000_0000);
        // An array 8 bytes into a line: the lines are where they are.
        assert_eq!(line_landing(0x20, TRANSFER_MASK, 8), 0x18);
        assert_eq!(line_landing(0x38, TRANSFER_MASK, 8), 0x38);
    }

    #[test]
    fn accumulation_wraps_at_32_bits_and_reaches_memory_uncached_too() {
        assert_eq!(accumulated_slot(0xFFFF_FFF4, 0), None);
        assert_eq!(accumulated_slot(0xFFFF_FFF4, 3), Some(2));
        assert_eq!(accumulated_slot(0x4000_0000, 7), Some(7));
        assert_eq!(accumulated_slot(0x8000_0000, 7), None);
        // A base that is none of a slot: the vertex has bytes in two.
        assert_eq!(slots_from(accumulated_at(0xFFFF_FFFC, 0).unwrap(), 1), 0..1);
    }
}
