//! SK1 and SK2 entries as the machine runs them: what they have in common, and what their transfers move.

use std::ops::Range;

use crate::c3::coverage::{line_landing, slots_from};
use crate::c3::format::skn::{EntryId, List, STRIDE, Skn};

/// What SK1 and SK2 entries have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Direct {
    /// Which entry.
    pub id: EntryId,
    /// Its offset in the SKN.
    pub offset: u64,
    /// Offset of its source.
    pub source: u32,
    /// Offset of its weights (SK2).
    pub weights: Option<u32>,
    /// First stored line, from the position array, as the file has it.
    pub destination: u32,
    /// How far from the position array that line really lies.
    pub landing: i64,
    /// How far into a cache line the destination is.
    pub into_line: u32,
    /// Its bones: SK1 has the same twice.
    pub bones: [u16; 2],
    /// Vertices.
    pub count: u16,
    /// Bytes before the first vertex.
    pub vertex_offset: u8,
}

impl Direct {
    /// Bytes from the start of the source to the end of its last vertex.
    pub fn bytes(&self) -> u64 {
        u64::from(self.vertex_offset) + u64::from(self.count) * STRIDE
    }

    /// Lines that the store is asked to move. SK1 keeps the byte count in 16 bits. \[listing\]
    pub fn stored_lines(&self) -> u64 {
        match self.id.list {
            List::Sk1 => (self.bytes() & 0xFFFF).div_ceil(32),
            _ => self.bytes().div_ceil(32),
        }
    }

    /// Bytes that the store moves, from the destination: SK2 stores by one transfer, whose length field
    /// wraps at 128 lines, SK1 by as many as it takes. \[listing\]
    pub fn stored(&self) -> Range<u64> {
        behind_start(&self.stored_around())
    }

    /// The same, what lies before the array included.
    pub fn stored_around(&self) -> Range<i64> {
        let lines = match self.id.list {
            List::Sk1 => split_lines(self.stored_lines(), self.into_line),
            _ => u64::from(transfer_lines(self.stored_lines() as u32, self.into_line)),
        };
        self.landing..self.landing.saturating_add_unsigned(32 * lines)
    }

    /// Whether its store is ever come to: a kernel of no vertex does not end before it leaves the locked cache.
    /// \[listing\]
    pub fn ever_stores(&self) -> bool {
        self.count != 0
    }

    /// Whether a transfer loses bits of its destination that are more than a sign.
    pub fn destination_wraps(&self) -> bool {
        let asked = i64::from(self.destination.cast_signed());
        !(self.landing..self.landing + 32).contains(&asked)
    }

    /// The slots that its vertices take, as far as they do not lie before the array.
    pub fn slots(&self) -> Range<u64> {
        slots_from(self.vertices_around().start, self.count)
    }

    /// The slot in which a vertex begins, if it does not lie before the array.
    pub fn slot_of(&self, vertex: u32) -> Option<u64> {
        let first = self.vertices_around().start.div_euclid(STRIDE as i64);
        u64::try_from(first + i64::from(vertex)).ok()
    }

    /// The bytes that its vertices take, from the position array.
    pub fn vertex_bytes(&self) -> Range<u64> {
        behind_start(&self.vertices_around())
    }

    /// The same, what lies before the array included.
    pub fn vertices_around(&self) -> Range<i64> {
        let start = self.landing + i64::from(self.vertex_offset);
        start..start + i64::from(self.count) * STRIDE as i64
    }
}

/// Lines that one transfer really moves: the count goes into a 5-bit and a 2-bit field, the low bits of
/// the memory address are `ORed` over the first, and 0 means 128. \[listing\]
pub fn transfer_lines(lines: u32, memory_address: u32) -> u32 {
    let upper = (lines >> 2 | memory_address) & 0x1F;
    match upper << 2 | lines & 3 {
        0 => 128,
        length => length,
    }
}

/// How far transfers of 128 lines and one of the rest reach, in lines: the low bits of the address go into
/// the length of each. \[listing\]
fn split_lines(lines: u64, memory_address: u32) -> u64 {
    let (whole, rest) = (lines / 128, (lines % 128) as u32);
    let reach = |before: u64, asked: u32| 128 * before + u64::from(transfer_lines(asked, memory_address));
    let last_whole = whole.checked_sub(1).map_or(0, |before| reach(before, 0));
    last_whole.max(if rest == 0 { 0 } else { reach(whole, rest) })
}

/// What of a range does not lie before the position array.
pub(super) fn behind_start(range: &Range<i64>) -> Range<u64> {
    range.start.max(0).cast_unsigned()..range.end.max(0).cast_unsigned()
}

/// The SK1 and SK2 entries of a section, in the order in which a frame runs them.
pub(super) fn direct(skn: &Skn, mask: u32, lead: u32) -> Vec<Direct> {
    let landing = |destination| line_landing(destination, mask, lead);
    let into_line = |destination: u32| destination.wrapping_add(lead) & 31;
    let sk1 = skn.sk1.iter().zip(0..).map(|(entry, index)| Direct {
        id: EntryId { list: List::Sk1, index },
        offset: entry.offset,
        source: entry.source,
        weights: None,
        destination: entry.destination,
        landing: landing(entry.destination),
        into_line: into_line(entry.destination),
        bones: [entry.bone; 2],
        count: entry.count,
        vertex_offset: entry.vertex_offset,
    });
    let sk2 = skn.sk2.iter().zip(0..).map(|(entry, index)| Direct {
        id: EntryId { list: List::Sk2, index },
        offset: entry.offset,
        source: entry.source,
        weights: Some(entry.weights),
        destination: entry.destination,
        landing: landing(entry.destination),
        into_line: into_line(entry.destination),
        bones: entry.bones,
        count: entry.count,
        vertex_offset: entry.vertex_offset,
    });
    sk1.chain(sk2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_transfers_reach_as_far_as_the_last_of_them() {
        assert_eq!(split_lines(0, 0x40), 0);
        assert_eq!(split_lines(11, 0x40), 11);
        assert_eq!(split_lines(128, 0x40), 128);
        assert_eq!(split_lines(300, 0x40), 300);
        // 11 is 2 quarters and 3; with 0x11 in the address, 0x13 quarters and 3.
        assert_eq!(split_lines(11, 0x51), 79);
        // A whole transfer has the length 0 and moves what the address puts there.
        assert_eq!(split_lines(128, 0x41), 4);
    }

    #[test]
    fn the_registers_decide_how_many_lines_move() {
        assert_eq!(transfer_lines(5, 0x8040_0000), 5);
        assert_eq!(transfer_lines(128, 0x8040_0000), 128);
        assert_eq!(transfer_lines(129, 0x8040_0000), 1);
        assert_eq!(transfer_lines(5, 0x8040_0004), 0x15);
        assert_eq!(transfer_lines(0, 0x8040_0000), 128);
    }
}
