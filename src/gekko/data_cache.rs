//! The L1 data cache of the console: 128 sets of 8 ways of 32-byte lines, write-back,
//! write-allocate, tree pseudo-LRU. With the locked cache on, half of the ways are its own.
//! [machine.md A5]

use super::address::{LINE_SIZE, line_start};

const SETS: usize = 128;
const WAYS: usize = 8;
/// The way from which the normal cache starts once the locked cache owns the lower half.
/// [machine.md A5: L; which half it is cannot be seen from a program]
const FIRST_NORMAL_WAY: usize = 4;

/// One cache line: its data and state. The tag is its whole physical line address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLine {
    /// Physical address of the first byte.
    pub address: u32,
    /// Whether it differs from what was fetched (must be written back).
    pub modified: bool,
    /// The data.
    pub bytes: [u8; LINE_SIZE as usize],
}

/// A line that has to go to memory.
pub type WriteBack = CacheLine;

/// The data cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataCache {
    lines: Vec<Option<CacheLine>>,
    plru: [u8; SETS],
    first_way: usize,
}

/// Tree pseudo-LRU: bits to keep and to set when a way is used. [machine.md A5: H for Dolphin]
const PLRU_MASK: [u8; WAYS] = [11, 11, 19, 19, 37, 37, 69, 69];
const PLRU_VALUE: [u8; WAYS] = [11, 3, 17, 1, 36, 4, 64, 0];

impl DataCache {
    /// An empty cache; `locked_cache_on` gives half of the ways to the locked cache.
    pub fn new(locked_cache_on: bool) -> Self {
        Self {
            lines: vec![None; SETS * WAYS],
            plru: [0; SETS],
            first_way: if locked_cache_on { FIRST_NORMAL_WAY } else { 0 },
        }
    }

    fn set_of(address: u32) -> usize {
        (address / LINE_SIZE) as usize % SETS
    }

    fn find(&self, address: u32) -> Option<usize> {
        let (line, set) = (line_start(address), Self::set_of(address));
        (set * WAYS + self.first_way..(set + 1) * WAYS)
            .find(|&slot| self.lines[slot].is_some_and(|held| held.address == line))
    }

    /// The line that holds `address`, if cached. Does not count as a use.
    pub fn peek(&self, address: u32) -> Option<&CacheLine> {
        self.lines[self.find(address)?].as_ref()
    }

    /// The line that holds `address`, if cached, to read or write. Counts as a use.
    pub fn hit(&mut self, address: u32) -> Option<&mut CacheLine> {
        let slot = self.find(address)?;
        self.touch(slot);
        self.lines[slot].as_mut()
    }

    /// Puts a line in and gives what it displaced, if that must be written back.
    pub fn fill(&mut self, line: CacheLine) -> Option<WriteBack> {
        let slot = self.victim(Self::set_of(line.address));
        let displaced = self.lines[slot].replace(line);
        self.touch(slot);
        displaced.filter(|held| held.modified)
    }

    /// `dcbst`: gives the line to write back, if modified, and keeps it clean.
    pub fn store_line(&mut self, address: u32) -> Option<WriteBack> {
        let slot = self.find(address)?;
        let line = self.lines[slot].as_mut()?;
        let copy = *line;
        line.modified = false;
        copy.modified.then_some(copy)
    }

    /// `dcbf`: gives the line to write back, if modified, and drops it.
    pub fn flush_line(&mut self, address: u32) -> Option<WriteBack> {
        let slot = self.find(address)?;
        self.lines[slot].take().filter(|line| line.modified)
    }

    /// `dcbi`: drops the line, modified or not.
    pub fn invalidate_line(&mut self, address: u32) {
        if let Some(slot) = self.find(address) {
            self.lines[slot] = None;
        }
    }

    /// Drops every line, modified or not.
    pub fn invalidate(&mut self) {
        self.lines.fill(None);
    }

    /// Every valid line, by set.
    pub fn lines(&self) -> impl Iterator<Item = &CacheLine> {
        self.lines.iter().flatten()
    }

    fn touch(&mut self, slot: usize) {
        let (set, way) = (slot / WAYS, slot % WAYS);
        self.plru[set] = (self.plru[set] & !PLRU_MASK[way]) | PLRU_VALUE[way];
    }

    /// The lowest invalid way, else the one the pseudo-LRU tree points at.
    fn victim(&self, set: usize) -> usize {
        let ways = set * WAYS + self.first_way..(set + 1) * WAYS;
        ways.clone()
            .find(|&slot| self.lines[slot].is_none())
            .unwrap_or_else(|| set * WAYS + self.plru_way(self.plru[set]))
    }

    fn plru_way(&self, bits: u8) -> usize {
        let bit = |number: u8| bits & (1 << number) != 0;
        // With the lower ways locked only the right half of the tree can be chosen.
        let right = self.first_way == FIRST_NORMAL_WAY || bit(0);
        match (right, bit(1), bit(2)) {
            (false, false, _) => usize::from(bit(3)),
            (false, true, _) => 2 + usize::from(bit(4)),
            (true, _, false) => 4 + usize::from(bit(5)),
            (true, _, true) => 6 + usize::from(bit(6)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(address: u32, modified: bool) -> CacheLine {
        CacheLine { address, modified, bytes: [address as u8; 32] }
    }

    #[test]
    fn five_lines_of_one_set_displace_the_least_recently_used_of_four() {
        let mut cache = DataCache::new(true);
        for way in 0..4 {
            assert_eq!(cache.fill(line(way * 0x1000, true)), None);
        }
        cache.hit(0).unwrap();
        let displaced = cache.fill(line(0x4000, false)).unwrap();
        assert_ne!(displaced.address, 0);
        assert_eq!(cache.lines().count(), 4);
    }

    /// The lines that go when one more comes, after lines 0.. were put in and some used again.
    fn displaced(locked_cache_on: bool, ways: u32, used: &[u32]) -> u32 {
        let mut cache = DataCache::new(locked_cache_on);
        for number in 0..ways {
            cache.fill(line(number * 0x1000, true));
        }
        for number in used {
            cache.hit(number * 0x1000).unwrap();
        }
        cache.fill(line(ways * 0x1000, true)).unwrap().address / 0x1000
    }

    #[test]
    fn the_tree_points_away_from_what_was_used() {
        // [machine.md A5: the tree of b0..b6]
        for (used, victim) in [
            (&[][..], 0),
            (&[0], 4),
            (&[0, 4], 2),
            (&[0, 4, 2], 6),
            (&[0, 4, 2, 6], 1),
            (&[7, 6, 5, 4, 3, 2, 1], 7),
            (&[0, 1, 2, 3], 4),
        ] {
            assert_eq!(displaced(false, 8, used), victim, "{used:?}");
        }
        for (used, victim) in [(&[][..], 0), (&[0], 2), (&[0, 2], 1), (&[0, 2, 1], 3), (&[3, 2, 1], 3)] {
            assert_eq!(displaced(true, 4, used), victim, "{used:?}, half of the ways");
        }
    }

    #[test]
    fn a_line_that_was_dropped_leaves_its_way_to_the_next() {
        let mut cache = DataCache::new(false);
        for way in 0..8 {
            cache.fill(line(way * 0x1000, true));
        }
        cache.flush_line(0x5000).unwrap();
        assert_eq!(cache.fill(line(0x8000, true)), None);
        assert!((0..9).filter(|way| *way != 5).all(|way| cache.peek(way * 0x1000).is_some()));
    }

    #[test]
    fn dcbst_keeps_the_line_and_dcbf_drops_it() {
        let mut cache = DataCache::new(true);
        cache.fill(line(0x20, true));
        assert!(cache.store_line(0x20).is_some());
        assert!(cache.store_line(0x20).is_none());
        assert!(cache.peek(0x3f).is_some());
        cache.hit(0x20).unwrap().modified = true;
        assert!(cache.flush_line(0x20).is_some());
        assert!(cache.peek(0x20).is_none());
    }

    #[test]
    fn without_the_locked_cache_all_eight_ways_hold_lines() {
        let mut cache = DataCache::new(false);
        for way in 0..8 {
            assert_eq!(cache.fill(line(way * 0x1000, true)), None);
        }
        assert!(cache.fill(line(0x8000, true)).is_some());
    }
}
