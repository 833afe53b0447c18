//! The machine as one value: memory behind an address map, locked cache, data cache, quantization
//! registers, and the log of what went wrong. It can be cloned, compared and dumped.

use super::address::{EffectiveAddress, LINE_SIZE, PhysicalAddress, line_start};
use super::data_cache::DataCache;
use super::fault::{Fault, FaultKind, Site};
use super::locked_cache::LockedCache;
use super::map::{
    AddressMap, Bus, Console, FAKE_VMEM_SIZE, LockedCacheBat, MEM1_ALLOCATED, MEM1_SIZE, MEM2_SIZE, Target,
};
use super::paired_single::{Arithmetic, Rounding};
use super::quantize::{Gqr, NanStore};
use super::ram::Ram;
use super::transfer_queue::{DmaTiming, EarlyLog, TransferQueue};
use super::translation::Translation;

/// What execution does after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnFault {
    /// End at the first fault.
    #[default]
    Stop,
    /// Go on as Dolphin does: a failed read gives 0, a failed write is dropped.
    Continue,
}

/// Execution must end here; the machine's fault log says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halt;

/// Result of an access.
pub type Access<T> = Result<T, Halt>;

/// Everything that is chosen before a machine is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineConfig {
    /// Address map: console, target, BATs.
    pub map: AddressMap,
    /// Rounding of fused multiply-adds.
    pub rounding: Rounding,
    /// NaN in a quantized store.
    pub nan_store: NanStore,
    /// When locked-cache DMA happens; counts on the console target alone, Dolphin's is instant.
    pub dma: DmaTiming,
    /// Whose NaNs, denormals and stored floats a processor makes.
    pub arithmetic: Arithmetic,
    /// Stop or go on after a fault.
    pub on_fault: OnFault,
    /// Steps (vertices, lines, indices) after which execution is cut off.
    pub budget: u64,
}

/// Steps a run may take unless told otherwise: far above what any real model needs.
pub const DEFAULT_BUDGET: u64 = 1 << 24;

/// Faults kept in the log; later ones are only counted.
const KEPT_FAULTS: usize = 1024;

/// Faults in the order in which they happened.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FaultLog {
    /// The first ones.
    pub faults: Vec<Fault>,
    /// How many there were.
    pub total: u64,
}

/// A GameCube or a Wii, as far as skinning needs one.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    config: MachineConfig,
    mem1: Ram,
    mem2: Ram,
    fake_vmem: Ram,
    /// The memory behind 0xE0000000.
    pub locked_cache: LockedCache,
    /// The L1 data cache (console target only).
    pub data_cache: Option<DataCache>,
    /// Graphics quantization registers.
    pub gqr: [Gqr; 8],
    /// Set by the caller while it works on something (the frame: the vertex); copied into faults.
    pub marker: Option<u32>,
    /// Whether the code at work is a part of the library that shipped without a wait for its transfers.
    /// The hardware is done by then, or the games would not have worked: with deferred DMA such a
    /// transfer is noted and happens before its first access. [derived]
    pub library_has_no_wait: bool,
    /// Data address translation as a program changed it.
    pub translation: Translation,
    log: FaultLog,
    spent: u64,
    pub(super) queue: TransferQueue,
    /// Whether accesses to the locked cache need no care: its BAT maps it and no transfer is queued.
    pub(super) plain_locked_cache: bool,
}

impl Machine {
    /// A machine with zeroed memory, locked cache on.
    pub fn new(config: MachineConfig) -> Self {
        let map = config.map;
        let fake_vmem = map.target == Target::Dolphin && map.console == Console::GameCube;
        Self {
            mem1: Ram::new(MEM1_ALLOCATED),
            mem2: Ram::new(if map.console == Console::Wii { MEM2_SIZE } else { 0 }),
            fake_vmem: Ram::new(if fake_vmem { FAKE_VMEM_SIZE } else { 0 }),
            locked_cache: LockedCache::new(map.locked_cache_size()),
            data_cache: (map.target == Target::Console).then(|| DataCache::new(true)),
            gqr: [Gqr::default(); 8],
            marker: None,
            library_has_no_wait: false,
            translation: Translation::new(&map),
            log: FaultLog::default(),
            spent: 0,
            queue: TransferQueue::default(),
            plain_locked_cache: map.locked_cache_bat != LockedCacheBat::None,
            config,
        }
    }

    /// What was chosen at the start.
    pub fn config(&self) -> &MachineConfig {
        &self.config
    }

    /// The faults so far; the log is left empty.
    pub fn take_faults(&mut self) -> FaultLog {
        std::mem::take(&mut self.log)
    }

    /// The faults so far.
    pub fn faults(&self) -> &FaultLog {
        &self.log
    }

    /// Records a fault and says whether execution goes on.
    ///
    /// # Errors
    /// [`Halt`] when the machine stops at faults.
    #[cold]
    pub fn fault(&mut self, fault: Fault) -> Access<()> {
        self.log.total += 1;
        if self.log.faults.len() < KEPT_FAULTS {
            self.log.faults.push(Fault { marker: self.marker, ..fault });
        }
        match self.config.on_fault {
            OnFault::Stop => Err(Halt),
            OnFault::Continue => Ok(()),
        }
    }

    /// The accesses that came before a transfer nobody had waited for; the log is left empty.
    pub fn take_early_accesses(&mut self) -> EarlyLog {
        std::mem::take(&mut self.queue.early)
    }

    /// The same, left in place.
    pub fn early_accesses(&self) -> &EarlyLog {
        &self.queue.early
    }

    /// Steps taken so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Gives the whole budget back: what the caller counts as one run starts anew.
    pub fn renew_budget(&mut self) {
        self.spent = 0;
    }

    /// Takes `steps` off the budget.
    ///
    /// # Errors
    /// [`Halt`], with a fault of kind budget in the log, when it is used up.
    #[inline]
    pub fn spend(&mut self, steps: u64, site: Site) -> Access<()> {
        self.spent = self.spent.saturating_add(steps);
        if self.spent <= self.config.budget { Ok(()) } else { self.cut_off(site) }
    }

    /// Ends execution with a fault of kind budget.
    ///
    /// # Errors
    /// Always [`Halt`].
    #[cold]
    pub fn cut_off(&mut self, site: Site) -> Access<()> {
        // Kept even when the log is full, and even a machine that goes on after faults ends here.
        self.log.total += 1;
        self.log.faults.push(Fault {
            kind: FaultKind::Budget,
            address: 0,
            size: 0,
            translated: false,
            site,
            marker: self.marker,
        });
        Err(Halt)
    }

    /// The bytes that a bus decode points at, `size` of them.
    pub(super) fn bus_bytes(&self, bus: Bus, size: usize) -> Option<&[u8]> {
        match bus {
            Bus::Mem1(offset) => self.mem1.get(offset, size),
            Bus::Mem2(offset) => self.mem2.get(offset, size),
            Bus::FakeVmem(offset) => self.fake_vmem.get(offset, size),
            Bus::LockedCache(offset) => self.locked_cache.get(offset, size),
            Bus::Device | Bus::Nothing => None,
        }
    }

    /// The bytes that a bus decode points at, to write to.
    pub(super) fn bus_bytes_mut(&mut self, bus: Bus, size: usize) -> Option<&mut [u8]> {
        match bus {
            Bus::Mem1(offset) => self.mem1.get_mut(offset, size),
            Bus::Mem2(offset) => self.mem2.get_mut(offset, size),
            Bus::FakeVmem(offset) => self.fake_vmem.get_mut(offset, size),
            Bus::LockedCache(offset) => self.locked_cache.get_mut(offset, size),
            Bus::Device | Bus::Nothing => None,
        }
    }

    /// The bytes of an access that needs no care: inside the locked cache, or inside cached MEM1 where
    /// no data cache stands between.
    #[inline]
    pub(super) fn plain_bytes(&self, address: u32, size: u32) -> Option<&[u8]> {
        if !self.translation.is_untouched() {
            return None;
        }
        let offset = (address & 0x0fff_ffff) as usize;
        match address >> 28 {
            0xe if self.plain_locked_cache => self.locked_cache.get(offset, size as usize),
            0x8 if self.data_cache.is_none() && offset < MEM1_SIZE - 8 => {
                self.mem1.get(offset, size as usize)
            }
            _ => None,
        }
    }

    /// The same bytes, to write to.
    #[inline]
    pub(super) fn plain_bytes_mut(&mut self, address: u32, size: u32) -> Option<&mut [u8]> {
        if !self.translation.is_untouched() {
            return None;
        }
        let offset = (address & 0x0fff_ffff) as usize;
        match address >> 28 {
            0xe if self.plain_locked_cache => self.locked_cache.get_mut(offset, size as usize),
            0x8 if self.data_cache.is_none() && offset < MEM1_SIZE - 8 => {
                self.mem1.get_mut(offset, size as usize)
            }
            _ => None,
        }
    }

    /// What answers a range, if its last byte translates and is answered like its first. The banks here
    /// are larger than what a console or the SDK's BATs let a program see.
    fn bus_of(&self, address: u32, size: u32) -> Option<Bus> {
        let map = &self.config.map;
        let first = map.translate(EffectiveAddress(address))?;
        let length = size.saturating_sub(1);
        let last = map.translate(EffectiveAddress(address.checked_add(length)?))?;
        let in_one_piece = last.0.checked_sub(first.0) == Some(length);
        (in_one_piece && map.decode(last) != Bus::Nothing).then(|| map.decode(first))
    }

    /// What a range of effective addresses holds in memory, past any cache: what the graphics
    /// processor reads. `None` when it is not one range of one bank.
    pub fn memory(&self, address: u32, size: u32) -> Option<&[u8]> {
        self.bus_bytes(self.bus_of(address, size)?, size as usize)
    }

    /// The same range, to place files and tables in before anything runs. `None` when it is not one
    /// range of one bank.
    pub fn memory_mut(&mut self, address: u32, size: u32) -> Option<&mut [u8]> {
        self.bus_bytes_mut(self.bus_of(address, size)?, size as usize)
    }

    /// Locked cache and a range of main memory at once, for kernels that read one and write the
    /// other. `None` when the address is not one range of MEM1 or MEM2.
    pub fn locked_cache_and_memory(&mut self, address: u32, size: u32) -> Option<(&[u8], &mut [u8])> {
        let memory = match self.bus_of(address, size)? {
            Bus::Mem1(offset) => self.mem1.get_mut(offset, size as usize)?,
            Bus::Mem2(offset) => self.mem2.get_mut(offset, size as usize)?,
            _ => return None,
        };
        Some((self.locked_cache.bytes(), memory))
    }

    /// Locked cache and the bytes behind a bus decode at once, both to write to.
    pub(super) fn locked_cache_and_bus(&mut self, bus: Bus, size: usize) -> Option<(&mut [u8], &mut [u8])> {
        let memory = match bus {
            Bus::Mem1(offset) => self.mem1.get_mut(offset, size)?,
            Bus::Mem2(offset) => self.mem2.get_mut(offset, size)?,
            _ => return None,
        };
        Some((self.locked_cache.bytes_mut(), memory))
    }

    /// The physical address behind an effective one, if it translates.
    pub fn translate(&self, address: u32) -> Option<PhysicalAddress> {
        if self.translation.governs(address) {
            return self.translation.translate(address);
        }
        self.config.map.translate(EffectiveAddress(address))
    }

    /// Writes a modified cache line back to memory.
    pub(super) fn write_line_back(&mut self, address: u32, bytes: &[u8; LINE_SIZE as usize]) {
        let bus = self.config.map.decode(PhysicalAddress(line_start(address)));
        if let Some(memory) = self.bus_bytes_mut(bus, LINE_SIZE as usize) {
            memory.copy_from_slice(bytes);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::gekko::map::MemoryBats;

    pub(crate) fn config(target: Target) -> MachineConfig {
        MachineConfig {
            map: AddressMap {
                console: Console::Wii,
                target,
                locked_cache_bat: LockedCacheBat::default(),
                memory_bats: MemoryBats::default(),
            },
            rounding: Rounding::Dolphin,
            nan_store: NanStore::Zero,
            dma: DmaTiming::Instant,
            arithmetic: Arithmetic::Interpreter,
            on_fault: OnFault::Continue,
            budget: DEFAULT_BUDGET,
        }
    }

    #[test]
    fn a_machine_can_be_cloned_and_compared() {
        let mut machine = Machine::new(config(Target::Dolphin));
        machine.memory_mut(0x8000_1000, 4).unwrap().copy_from_slice(&[1, 2, 3, 4]);
        let copy = machine.clone();
        assert_eq!(copy, machine);
        machine.memory_mut(0x9000_0000, 1).unwrap()[0] = 1;
        assert_ne!(copy, machine);
        assert_eq!(copy.memory(0x8000_1000, 4).unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn the_budget_ends_even_a_machine_that_goes_on_after_faults() {
        let mut machine = Machine::new(MachineConfig { budget: 10, ..config(Target::Dolphin) });
        assert_eq!(machine.spend(10, Site::default()), Ok(()));
        assert_eq!(machine.spend(1, Site::default()), Err(Halt));
        assert_eq!(machine.faults().faults[0].kind, FaultKind::Budget);
    }

    #[test]
    fn a_range_that_leaves_translated_memory_is_none() {
        let mut config = config(Target::Dolphin);
        config.map.console = Console::GameCube;
        let mut machine = Machine::new(config);
        assert!(machine.memory(0x817f_fff0, 16).is_some());
        assert!(machine.memory(0x817f_fff0, 17).is_none());
        assert!(machine.memory_mut(0x817f_fff0, 17).is_none());
        assert!(machine.locked_cache_and_memory(0x817f_fff0, 17).is_none());
        let console = Machine::new(super::tests::config(Target::Console));
        assert!(console.memory(0x817f_fff0, 17).is_none());
    }
}
