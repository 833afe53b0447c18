//! Data address translation as a program changes it while it runs: the block address translation
//! registers, and accesses with translation off. Until it writes to them the map of the machine
//! ([`super::map`]) stands, which is what these registers say after start-up.

use super::address::PhysicalAddress;
use super::map::{AddressMap, Console, LockedCacheBat, MemoryBats};

/// Bits of an address that a BAT compares or replaces: blocks are multiples of 128 KiB.
const BLOCK: u32 = 0xfffe_0000;
/// Upper word: valid in supervisor mode, in which games run.
const VALID: u32 = 2;
/// Lower word: write-through and caching inhibited.
const INHIBITED: u32 = 0x20;
/// The segment of the locked cache.
const LOCKED_CACHE: u32 = 0xe;

/// A pair of block address translation registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bat {
    /// BEPI, BL, Vs, Vp.
    pub upper: u32,
    /// BRPN, WIMG, PP.
    pub lower: u32,
}

impl Bat {
    const fn new(upper: u32, lower: u32) -> Self {
        Self { upper, lower }
    }

    /// The bits of an address that choose a byte of the block.
    const fn inside(self) -> u32 {
        ((self.upper & 0x1ffc) << 15) | !BLOCK
    }

    /// The segment that the block lies in, if it is valid. A block has at most 256 MiB.
    fn segment(self) -> Option<u32> {
        (self.upper & VALID != 0).then_some(self.upper >> 28)
    }

    fn holds(self, address: u32) -> bool {
        self.upper & VALID != 0 && (address ^ self.upper) & !self.inside() == 0
    }

    fn translate(self, address: u32) -> u32 {
        (self.lower & !self.inside()) | (address & self.inside())
    }
}

/// The data BATs of a console when a game runs. [measured: Dolphin 5.0-17995; machine.md A1: H]
pub fn data_bats(map: &AddressMap) -> [Bat; 8] {
    let mut bats = [Bat::default(); 8];
    bats[0] = Bat::new(0x8000_1fff, 0x0000_0002);
    bats[1] = Bat::new(0xc000_1fff, 0x0000_002a);
    match (map.console, map.memory_bats) {
        (Console::Wii, _) => {
            bats[4] = Bat::new(0x9000_1fff, 0x1000_0002);
            bats[5] = Bat::new(0xd000_1fff, 0x1000_002a);
        }
        (Console::GameCube, MemoryBats::Sdk) => {
            bats[0] = Bat::new(0x8000_01ff, 0x0000_0002);
            bats[2] = Bat::new(0x8100_00ff, 0x0100_0002);
        }
        (Console::GameCube, MemoryBats::Boot) => {}
    }
    bats[3] = match map.locked_cache_bat {
        LockedCacheBat::Size16M => Bat::new(0xe000_01fe, 0xe000_0002),
        LockedCacheBat::Size256K => Bat::new(0xe000_0006, 0xe000_0002),
        LockedCacheBat::None => Bat::default(),
    };
    bats
}

/// What a program did to the translation of data addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    bats: [Bat; 8],
    /// Segments in which the registers stand instead of the machine's map, a bit each.
    segments: u16,
    /// MSR.DR is clear.
    off: bool,
    /// The locked cache's segment keeps its map, whatever is written: the BAT of `--lc-bat`, or a
    /// build of Dolphin that looks at none.
    locked_cache_stays: bool,
}

impl Translation {
    /// As it is after start-up.
    pub fn new(map: &AddressMap) -> Self {
        Self {
            bats: data_bats(map),
            segments: 0,
            off: false,
            locked_cache_stays: map.locked_cache_bat != LockedCacheBat::None,
        }
    }

    /// A pair of data BATs.
    pub fn bat(&self, number: usize) -> Bat {
        self.bats[number]
    }

    /// Writes a pair of data BATs. From then on the registers stand in the segments that the old and the
    /// new block lie in.
    pub fn set_bat(&mut self, number: usize, bat: Bat) {
        let old = std::mem::replace(&mut self.bats[number], bat);
        if old == bat {
            return;
        }
        for segment in [old.segment(), bat.segment()].into_iter().flatten() {
            if segment != LOCKED_CACHE || !self.locked_cache_stays {
                self.segments |= 1 << segment;
            }
        }
    }

    /// MSR.DR: whether addresses are translated at all.
    pub fn set_on(&mut self, on: bool) {
        self.off = !on;
    }

    /// Whether the machine's map stands everywhere.
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.segments == 0 && !self.off
    }

    /// Whether an address is translated here and not by the machine's map.
    #[inline]
    pub fn governs(&self, address: u32) -> bool {
        self.off || self.segments & (1 << (address >> 28)) != 0
    }

    /// The physical address by the registers.
    pub fn translate(&self, address: u32) -> Option<PhysicalAddress> {
        if self.off {
            return Some(PhysicalAddress(address));
        }
        let bat = self.bats.iter().find(|bat| bat.holds(address))?;
        Some(PhysicalAddress(bat.translate(address)))
    }

    /// Whether an access goes through the data cache, by the registers.
    pub fn is_cached(&self, address: u32) -> bool {
        self.off
            || self.bats.iter().find(|bat| bat.holds(address)).is_some_and(|bat| bat.lower & INHIBITED == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gekko::machine::tests::config;
    use crate::gekko::map::Target;

    fn map(console: Console, memory_bats: MemoryBats, locked_cache_bat: LockedCacheBat) -> AddressMap {
        AddressMap { console, locked_cache_bat, memory_bats, ..config(Target::Dolphin).map }
    }

    /// What the registers of a running console say and what its map says are the same.
    #[test]
    fn the_registers_and_the_map_agree_after_start_up() {
        use LockedCacheBat::{None, Size16M, Size256K};
        let edges = [
            0,
            0x0002_0000,
            0x0003_fffc,
            0x0004_0000,
            0x00ff_fffc,
            0x0100_0000,
            0x017f_fffc,
            0x0180_0000,
            0x0fff_fffc,
        ];
        for (console, memory, lc) in [
            (Console::Wii, MemoryBats::Sdk, Size256K),
            (Console::GameCube, MemoryBats::Boot, Size16M),
            (Console::GameCube, MemoryBats::Sdk, None),
        ] {
            let map = map(console, memory, lc);
            let registers = Translation::new(&map);
            for address in (0x8..=0xf).flat_map(|segment| edges.map(|edge| (segment << 28) | edge)) {
                // The SDK leaves the uncached block as the boot loader made it; the map narrows both.
                if console == Console::GameCube && memory == MemoryBats::Sdk && address >> 28 == 0xc {
                    continue;
                }
                let by_map = map.translate(crate::gekko::address::EffectiveAddress(address));
                assert_eq!(registers.translate(address), by_map, "{console:?} {memory:?} {address:#010x}");
            }
        }
    }

    #[test]
    fn a_block_that_is_moved_takes_its_addresses_along() {
        let mut registers = Translation::new(&map(Console::Wii, MemoryBats::Sdk, LockedCacheBat::Size256K));
        assert!(registers.is_untouched());
        registers.set_bat(2, Bat::new(0x2000_0006, 0x0040_0002));
        assert!(registers.governs(0x2000_0000) && !registers.governs(0x8000_0000));
        assert_eq!(registers.translate(0x2003_fff0), Some(PhysicalAddress(0x0043_fff0)));
        assert_eq!(registers.translate(0x2004_0000), None);
        registers.set_bat(0, Bat::default());
        assert!(registers.governs(0x8000_0000));
        assert_eq!(registers.translate(0x8000_0000), None);
    }

    #[test]
    fn the_locked_cache_stays_where_a_bat_was_chosen_for_it() {
        let enable = Bat::new(0xe000_01fe, 0xe000_0002);
        for (chosen, governed) in [
            (LockedCacheBat::Size256K, false),
            (LockedCacheBat::Size16M, false),
            (LockedCacheBat::None, true),
        ] {
            let mut registers = Translation::new(&map(Console::Wii, MemoryBats::Sdk, chosen));
            registers.set_bat(3, enable);
            assert_eq!(registers.governs(0xe000_0000), governed);
        }
    }

    #[test]
    fn without_translation_an_address_is_physical_and_cached() {
        let mut registers = Translation::new(&config(Target::Dolphin).map);
        registers.set_on(false);
        assert_eq!(registers.translate(0x0000_3100), Some(PhysicalAddress(0x3100)));
        assert!(registers.is_cached(0x3100));
        registers.set_on(true);
        assert!(registers.is_cached(0x8000_3100) && !registers.is_cached(0xc000_3100));
        assert!(registers.is_untouched());
    }
}
