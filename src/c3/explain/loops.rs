//! Where the loop of a kernel leaves Dolphin's locked cache: an entry's buffer and vertex offset decide which of
//! its accesses does so first, and what every later one names.
//!
//! Vertices lie 12 bytes apart from `buffer + vertex offset` on. Words of a vertex are read in turn, so that the
//! read that holds the end's first byte is the first to fail; stores follow two vertices behind.

use super::LOCKED_CACHE_END;
use super::access::{Access, Routine};
use crate::c3::format::skn::{EntryId, List};
use crate::c3::rules::subject::Subject;

/// Bytes of a vertex.
const STRIDE: u32 = 12;
/// Dolphin takes accesses apart that cross a page of this size. \[machine.md A2: H\]
const PAGE: u32 = 0x1000;
/// Byte in the vertex and size of the four stores of a result. \[listing\]
const STORES: [(u32, u32); 4] = [(0, 4), (4, 2), (6, 4), (10, 2)];

/// An entry as its kernel's loop sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// The entry.
    pub entry: EntryId,
    /// Its number of vertices.
    pub count: u16,
    /// Bytes before the first vertex.
    pub vertex_offset: u8,
}

impl Loop {
    /// The loops of a model that run past the end of Dolphin's locked cache, in running order.
    pub fn runaway(subject: &Subject) -> Vec<Self> {
        let direct = subject.direct.iter().map(|entry| Self {
            entry: entry.id,
            count: entry.count,
            vertex_offset: entry.vertex_offset,
        });
        let skacc = subject.skn().into_iter().flat_map(|skn| skn.skacc.iter().zip(0..));
        let skacc = skacc.map(|(entry, index)| Self {
            entry: EntryId { list: List::SkAcc, index },
            count: entry.count,
            vertex_offset: 0,
        });
        direct.chain(skacc).filter(Self::leaves).collect()
    }

    /// Its kernel.
    pub const fn routine(&self) -> Routine {
        match self.entry.list {
            List::Sk1 => Routine::OneBone,
            List::Sk2 => Routine::TwoBone,
            List::SkAcc => Routine::Accumulate,
        }
    }

    /// Whether the counter wraps: the kernels of SK1 and SK2 begin at `count - 1`. \[listing\]
    pub const fn wraps(&self) -> bool {
        match self.entry.list {
            List::SkAcc => self.count == 0,
            _ => self.count < 2,
        }
    }

    /// Whether it reads past the end: its counter wraps, or so many vertices, and the one behind them, lie
    /// beyond it.
    fn leaves(&self) -> bool {
        let read = STRIDE * (u32::from(self.count) + 1);
        self.wraps() || self.first_vertex() + read > LOCKED_CACHE_END
    }

    /// Address of its buffer: the first or the third, by the parity of its number. \[listing\]
    pub const fn buffer(&self) -> u32 {
        0xE000_0000 + 0x2000 * (self.entry.index & 1)
    }

    const fn first_vertex(&self) -> u32 {
        self.buffer() + self.vertex_offset as u32
    }

    /// Offset in the kernel of the read that meets the end of Dolphin's locked cache first.
    pub const fn first_faulting_read(&self) -> u32 {
        let word = (LOCKED_CACHE_END - self.first_vertex()) % STRIDE / 4;
        reads(self.routine())[word as usize]
    }

    /// Whether the instruction at an offset of its kernel names this address, past the end, at some turn.
    pub fn can_name(&self, offset: u32, address: u32) -> bool {
        match self.routine().access(offset) {
            Some(Access::NextVertex(word)) => self.touches((4 * u32::from(word), 4), address),
            Some(Access::Store) if self.entry.list != List::SkAcc => {
                let store = stores(self.routine()).into_iter().find(|(at, _)| at.contains(&offset));
                store.is_some_and(|(_, bytes)| self.touches(bytes, address))
            }
            // Weights and indices lie one behind the other, at any address; so do the accesses of a loop as a
            // whole.
            Some(Access::Weight | Access::Index | Access::LoopStart) => true,
            _ => false,
        }
    }

    /// Whether an access of some vertex's bytes fails at an address: where it begins, or where a page does that
    /// it runs into.
    fn touches(&self, (start, size): (u32, u32), address: u32) -> bool {
        let into = address.wrapping_sub(self.first_vertex()).wrapping_sub(start) % STRIDE;
        into == 0 || (into < size && address.wrapping_sub(into) / PAGE != address / PAGE)
    }
}

/// Offsets of the three reads of the loop, in the order of the vertex's words.
const fn reads(kernel: Routine) -> [u32; 3] {
    match kernel {
        Routine::OneBone => [0xB8, 0xCC, 0xD8],
        Routine::TwoBone => [0x19C, 0x1B4, 0x1C4],
        _ => [0xCC, 0xD4, 0xDC],
    }
}

/// Offsets of the four stores, in the loop and behind it, with the bytes of the vertex that they write.
fn stores(kernel: Routine) -> [([u32; 2], (u32, u32)); 4] {
    let (in_loop, after) = match kernel {
        Routine::OneBone => ([0x94, 0x9C, 0xA4, 0xAC], [0xE0, 0xE4, 0xE8, 0xEC]),
        _ => ([0x130, 0x138, 0x140, 0x148], [0x1D0, 0x1D4, 0x1D8, 0x1DC]),
    };
    std::array::from_fn(|index| ([in_loop[index], after[index]], STORES[index]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: List, index: u32, vertex_offset: u8) -> Loop {
        Loop { entry: EntryId { list, index }, count: 0, vertex_offset }
    }

    #[test]
    fn buffer_and_vertex_offset_decide_which_load_meets_the_end() {
        // [measured: Dolphin 5.0-17995; dolphin-measured.md 4], [derived: formats.md 8]
        let expected = [(0, [1, 0, 2]), (1, [2, 1, 0])];
        for (parity, words) in expected {
            for (offset, word) in [0, 4, 8].into_iter().zip(words) {
                let first = |list| of(list, parity, offset).first_faulting_read();
                assert_eq!(first(List::Sk1), [0xB8, 0xCC, 0xD8][word], "{parity} {offset}");
                assert_eq!(first(List::Sk2), [0x19C, 0x1B4, 0x1C4][word], "{parity} {offset}");
            }
            let first = of(List::SkAcc, parity, 0).first_faulting_read();
            assert_eq!(first, [0xCC, 0xD4, 0xDC][words[0]], "{parity}");
        }
    }

    #[test]
    fn the_first_read_names_the_end_and_the_others_what_follows() {
        for offset in 0..12 {
            let one = of(List::Sk1, 0, offset);
            let naming: Vec<u32> = reads(Routine::OneBone)
                .into_iter()
                .filter(|&at| one.can_name(at, LOCKED_CACHE_END))
                .collect();
            assert_eq!(naming, [one.first_faulting_read()], "{offset}");
        }
        let seeds = of(List::Sk1, 2, 4);
        assert!(seeds.can_name(0xB8, 0xE004_000C) && seeds.can_name(0xCC, 0xE004_0004));
        assert!(!seeds.can_name(0xB8, 0xE004_0004));
        assert!(seeds.can_name(0x94, LOCKED_CACHE_END) && !seeds.can_name(0x9C, LOCKED_CACHE_END));
        // The normal's first two components begin two bytes before the end.
        assert!(of(List::Sk1, 0, 8).can_name(0xA4, LOCKED_CACHE_END));
    }

    #[test]
    fn a_count_that_is_far_too_large_runs_off_as_well() {
        let one = |count| Loop { count, ..of(List::Sk1, 0, 4) };
        assert!(!one(2).leaves() && !one(21_844).leaves());
        assert!(one(21_845).leaves() && !one(21_845).wraps());
    }
}
