//! The address map: effective addresses through BATs to physical ones, physical ones to what
//! answers them. One table a console; Dolphin's extras (mirrors, fake VMEM) are named as such.

use super::address::{EffectiveAddress, PhysicalAddress};

/// Which console's memory map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Console {
    /// MEM1 of 24 MiB.
    GameCube,
    /// MEM1 of 24 MiB and MEM2 of 64 MiB.
    #[default]
    Wii,
}

/// Who executes: Dolphin with its simplifications, or the console itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// 256 KiB behind the locked cache, no data cache, instant DMA.
    #[default]
    Dolphin,
    /// 16 KiB of locked cache, a data cache, a DMA queue.
    Console,
}

/// The block address translation that covers the locked cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LockedCacheBat {
    /// 256 KiB, or a build of Dolphin that needs no BAT: past the end nothing translates.
    #[default]
    Size256K,
    /// 16 MiB, as the SDK's `LCEnable` sets: past the end addresses translate and nothing answers.
    Size16M,
    /// No BAT: the locked cache itself does not translate.
    None,
}

/// Who set the main-memory BATs of a GameCube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MemoryBats {
    /// The SDK after start-up: 24 MiB, so that 0x81800000 does not translate. [machine.md A1: H]
    #[default]
    Sdk,
    /// The boot loader: 256 MiB a segment. [measured: Dolphin 5.0-17995]
    Boot,
}

/// Size of real MEM1 in bytes.
pub const MEM1_SIZE: usize = 0x0180_0000;
/// What Dolphin allocates for MEM1; the rest behind the real size reads and writes silently.
pub const MEM1_ALLOCATED: usize = 0x0200_0000;
/// Size of MEM2 in bytes (Wii).
pub const MEM2_SIZE: usize = 0x0400_0000;
/// Size of Dolphin's fake VMEM in bytes (GameCube).
pub const FAKE_VMEM_SIZE: usize = 0x0200_0000;
/// Start of the locked cache, effective and physical.
pub const LOCKED_CACHE_START: u32 = 0xe000_0000;

/// What answers a physical address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bus {
    /// MEM1 at this offset.
    Mem1(usize),
    /// MEM2 at this offset.
    Mem2(usize),
    /// Dolphin's fake VMEM at this offset.
    FakeVmem(usize),
    /// The locked cache at this offset.
    LockedCache(usize),
    /// Embedded framebuffer or registers: reads give 0, writes go nowhere here.
    Device,
    /// Nothing.
    Nothing,
}

/// A console's map as one target sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressMap {
    /// Which console.
    pub console: Console,
    /// Who executes.
    pub target: Target,
    /// The locked cache's BAT.
    pub locked_cache_bat: LockedCacheBat,
    /// The main-memory BATs of a GameCube.
    pub memory_bats: MemoryBats,
}

impl AddressMap {
    /// Bytes that stand behind the locked cache. [machine.md A0.2: H]
    pub const fn locked_cache_size(&self) -> usize {
        match self.target {
            Target::Dolphin => 0x4_0000,
            Target::Console => 0x4000,
        }
    }

    /// Translates an effective address, data side, MSR.DR set.
    #[inline]
    pub fn translate(&self, address: EffectiveAddress) -> Option<PhysicalAddress> {
        let address = address.0;
        let segment_offset = address & 0x0fff_ffff;
        let physical = match address >> 28 {
            0x8 | 0xc if self.main_memory_translates(segment_offset) => segment_offset,
            0x9 | 0xd if self.console == Console::Wii => 0x1000_0000 | segment_offset,
            // With its MMU emulation off, Dolphin maps these two segments onto fake VMEM.
            0x4 | 0x7 if self.has_fake_vmem() => 0x7e00_0000 | (address & (FAKE_VMEM_SIZE as u32 - 1)),
            0xe if self.locked_cache_translates(segment_offset) => address,
            _ => return None,
        };
        Some(PhysicalAddress(physical))
    }

    fn main_memory_translates(&self, offset: u32) -> bool {
        match (self.console, self.memory_bats) {
            (Console::GameCube, MemoryBats::Sdk) => (offset as usize) < MEM1_SIZE,
            (Console::GameCube, MemoryBats::Boot) | (Console::Wii, _) => true,
        }
    }

    fn has_fake_vmem(&self) -> bool {
        self.target == Target::Dolphin && self.console == Console::GameCube
    }

    fn locked_cache_translates(&self, offset: u32) -> bool {
        match self.locked_cache_bat {
            LockedCacheBat::Size256K => offset < 0x4_0000,
            LockedCacheBat::Size16M => offset < 0x0100_0000,
            LockedCacheBat::None => false,
        }
    }

    /// Decodes a physical address in Dolphin's order: devices, locked cache, MEM1 with its mirrors,
    /// MEM2, fake VMEM. [machine.md A1: H]
    #[inline]
    pub fn decode(&self, address: PhysicalAddress) -> Bus {
        let address = address.0;
        if (0x0800_0000..0x1000_0000).contains(&address) {
            return Bus::Device;
        }
        if address >= LOCKED_CACHE_START {
            let offset = (address - LOCKED_CACHE_START) as usize;
            return if offset < self.locked_cache_size() { Bus::LockedCache(offset) } else { Bus::Nothing };
        }
        if address & 0xf800_0000 == 0 {
            return self.decode_mem1(address);
        }
        let offset = (address & 0x0fff_ffff) as usize;
        if address >> 28 == 1 && self.console == Console::Wii && offset < MEM2_SIZE {
            return Bus::Mem2(offset);
        }
        if address & 0xfe00_0000 == 0x7e00_0000 && self.has_fake_vmem() {
            return Bus::FakeVmem((address & (FAKE_VMEM_SIZE as u32 - 1)) as usize);
        }
        Bus::Nothing
    }

    fn decode_mem1(&self, address: u32) -> Bus {
        match self.target {
            // Dolphin mirrors its 32 MiB allocation. [measured: Dolphin 5.0-17995]
            Target::Dolphin => Bus::Mem1(address as usize & (MEM1_ALLOCATED - 1)),
            Target::Console if (address as usize) < MEM1_SIZE => Bus::Mem1(address as usize),
            Target::Console => Bus::Nothing,
        }
    }

    /// Resolves the memory side of a locked-cache DMA transfer: the address is masked, not
    /// translated, and only real memory counts. Gives the bank for the whole range, or the address
    /// that Dolphin names. [machine.md A2: H]
    ///
    /// # Errors
    /// The masked address that does not resolve: the first one, else the last one.
    pub fn resolve_dma(&self, address: u32, size: u32) -> Result<Bus, u32> {
        let first = address & 0x3fff_ffff;
        let last = address.wrapping_add(size - 1) & 0x3fff_ffff;
        let bus = self.dma_bank(first).ok_or(first)?;
        self.dma_bank(last).ok_or(last)?;
        Ok(bus)
    }

    fn dma_bank(&self, masked: u32) -> Option<Bus> {
        let offset = (masked & 0x0fff_ffff) as usize;
        match masked >> 28 {
            0 if offset < MEM1_SIZE => Some(Bus::Mem1(offset)),
            1 if self.console == Console::Wii && offset < MEM2_SIZE => Some(Bus::Mem2(offset)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(console: Console) -> AddressMap {
        AddressMap {
            console,
            target: Target::Dolphin,
            locked_cache_bat: LockedCacheBat::default(),
            memory_bats: MemoryBats::default(),
        }
    }

    fn translated(map: &AddressMap, address: u32) -> Option<u32> {
        map.translate(EffectiveAddress(address)).map(|physical| physical.0)
    }

    #[test]
    fn memory_past_24_mib_translates_on_a_wii_only() {
        assert_eq!(translated(&map(Console::GameCube), 0x8180_0000), None);
        assert_eq!(translated(&map(Console::Wii), 0x8180_0000), Some(0x0180_0000));
        let boot = AddressMap { memory_bats: MemoryBats::Boot, ..map(Console::GameCube) };
        assert_eq!(translated(&boot, 0x8180_0000), Some(0x0180_0000));
        assert_eq!(boot.decode(PhysicalAddress(0x0200_0004)), Bus::Mem1(4));
    }

    #[test]
    fn past_the_locked_cache_the_bat_decides() {
        let mut map = map(Console::Wii);
        assert_eq!(translated(&map, 0xe004_0000), None);
        map.locked_cache_bat = LockedCacheBat::Size16M;
        assert_eq!(translated(&map, 0xe004_0000), Some(0xe004_0000));
        assert_eq!(map.decode(PhysicalAddress(0xe004_0000)), Bus::Nothing);
        map.locked_cache_bat = LockedCacheBat::None;
        assert_eq!(translated(&map, 0xe000_0000), None);
    }

    #[test]
    fn dolphins_gamecube_answers_at_fake_vmem() {
        assert_eq!(translated(&map(Console::GameCube), 0x4200_0010), Some(0x7e00_0010));
        assert_eq!(map(Console::GameCube).decode(PhysicalAddress(0x7e00_0010)), Bus::FakeVmem(0x10));
        assert_eq!(translated(&map(Console::Wii), 0x4200_0010), None);
    }

    #[test]
    fn a_dma_range_must_lie_in_real_memory() {
        let map = map(Console::Wii);
        assert_eq!(map.resolve_dma(0x8000_0020, 32), Ok(Bus::Mem1(0x20)));
        assert_eq!(map.resolve_dma(0x1000_0020, 32), Ok(Bus::Mem2(0x20)));
        assert_eq!(map.resolve_dma(0x0180_0000, 32), Err(0x0180_0000));
        assert_eq!(map.resolve_dma(0x017f_ffe0, 64), Err(0x0180_001f));
    }
}
