//! Locked-cache DMA: what the two registers ask for happens at once, or waits in the queue.

use crate::gekko::address::{EffectiveAddress, LINE_SIZE};
use crate::gekko::fault::{FaultKind, MachineCheck, Site};
use crate::gekko::locked_cache::{Direction, DmaRegisters, Transfer};
use crate::gekko::machine::{Access, Machine};
use crate::gekko::map::{Bus, LOCKED_CACHE_START, LockedCacheBat, Target};
use crate::gekko::transfer_queue::{Accessor, DmaTiming, Queued};

impl Machine {
    /// Writes the two DMA registers: the transfer that they describe happens at once, or is queued
    /// where DMA is deferred. Gives what is moved, or `None` when the memory range does not resolve and
    /// nothing moves.
    /// [machine.md A3: H; measured: Dolphin 5.0-17995]
    ///
    /// # Errors
    /// [`Halt`](crate::gekko::machine::Halt) at a fault, when the machine stops at faults.
    pub fn transfer(&mut self, registers: DmaRegisters, site: Site) -> Access<Option<Transfer>> {
        let transfer = registers.transfer();
        let size = transfer.bytes();
        if matches!(transfer.memory & 0x0f00_0000, 0x0800_0000 | 0x0c00_0000) {
            // Framebuffer and registers answer instead of memory; neither holds anything here.
            return Ok(Some(transfer));
        }
        let cache = match self.config().map.target {
            // Dolphin decodes only the low 18 bits of the cache address.
            Target::Dolphin => (transfer.cache & 0x3_ffff) as usize,
            Target::Console => match self.locked_line(transfer, site)? {
                Some(offset) => offset,
                None => return Ok(None),
            },
        };
        let bus = match self.config().map.resolve_dma(transfer.memory, size) {
            Ok(bus) => bus,
            Err(address) => {
                self.access_fault(FaultKind::Dma, address, size, false, site)?;
                return Ok(None);
            }
        };
        let queued = Queued::new(transfer, bus, cache);
        if self.defers_transfers() {
            return Ok(self.enqueue(queued, site)?.then_some(transfer));
        }
        self.perform(queued);
        Ok(Some(transfer))
    }

    fn defers_transfers(&self) -> bool {
        self.config().map.target == Target::Console && self.config().dma == DmaTiming::Deferred
    }

    /// Queues a transfer, and gives whether there was room. A full queue makes room where the processor
    /// has worked since the oldest was queued; a burst of more than it holds overflows, and nothing moves.
    /// [machine.md A3: H for the error; open what becomes of the transfer]
    fn enqueue(&mut self, queued: Queued, site: Site) -> Access<bool> {
        if self.queue.is_full() {
            if !self.queue.oldest_had_time() {
                let kind = FaultKind::MachineCheck(MachineCheck::QueueOverflow);
                let transfer = queued.transfer;
                self.access_fault(kind, transfer.cache, transfer.bytes(), true, site)?;
                return Ok(false);
            }
            self.perform_oldest();
        }
        self.queue.push(queued);
        self.plain_locked_cache = false;
        Ok(true)
    }

    /// Waits until at most `limit` transfers are queued: the oldest happen, in order. Nothing where DMA is
    /// instant.
    pub fn wait_for_transfers(&mut self, limit: usize) {
        while self.queue.len() > limit {
            self.perform_oldest();
        }
    }

    /// Transfers that are queued. Always 0 where DMA is instant.
    pub fn queued_transfers(&self) -> usize {
        self.queue.len()
    }

    /// The length of the queue as HID2 shows it. Reading it again, with nothing queued in between, is a
    /// program that waits: the oldest transfer happens first.
    pub fn poll_transfers(&mut self) -> u32 {
        if !self.queue.is_empty() && self.queue.poll() {
            self.perform_oldest();
        }
        self.queue.len() as u32
    }

    /// Notes an access to the locked cache while transfers are queued.
    #[inline]
    pub(super) fn meet_queue(&mut self, bus: Bus, size: u32, write: bool, site: Site) {
        if let Bus::LockedCache(offset) = bus
            && !self.queue.is_empty()
        {
            let by = Accessor { site, marker: self.marker, listed: self.library_has_no_wait };
            let met = self.queue.meet((offset, size), write, by);
            if self.library_has_no_wait {
                (0..met).for_each(|_| self.perform_oldest());
            }
        }
    }

    fn perform_oldest(&mut self) {
        if let Some(queued) = self.queue.pop() {
            self.perform(queued);
        }
        let mapped = self.config().map.locked_cache_bat != LockedCacheBat::None;
        self.plain_locked_cache = mapped && self.queue.is_empty();
    }

    fn perform(&mut self, queued: Queued) {
        let transfer = queued.transfer;
        self.copy_lines(transfer.direction, queued.bus, queued.cache, transfer.bytes() as usize);
    }

    /// The console's transfer must meet locked lines only.
    fn locked_line(&mut self, transfer: Transfer, site: Site) -> Access<Option<usize>> {
        let offset = transfer.cache.wrapping_sub(LOCKED_CACHE_START) as usize;
        let room = self.locked_cache.len().checked_sub(offset);
        if room.is_some_and(|room| transfer.bytes() as usize <= room) {
            return Ok(Some(offset));
        }
        let (check, address) = match self.normally_cached(transfer) {
            Some(line) => (MachineCheck::NormalCache, line),
            None if transfer.cache < LOCKED_CACHE_START => (MachineCheck::Missed, transfer.cache),
            None => {
                let end = LOCKED_CACHE_START + self.locked_cache.len() as u32;
                (MachineCheck::Missed, transfer.cache.max(end))
            }
        };
        self.access_fault(FaultKind::MachineCheck(check), address, transfer.bytes(), true, site)?;
        Ok(None)
    }

    /// The first line of a transfer's cache side that the data cache holds as a normal one.
    fn normally_cached(&self, transfer: Transfer) -> Option<u32> {
        let cache = self.data_cache.as_ref()?;
        let lines = (0..transfer.lines).map(|line| transfer.cache.wrapping_add(line * LINE_SIZE));
        lines
            .into_iter()
            .find(|&line| self.translate(line).is_some_and(|physical| cache.peek(physical.0).is_some()))
    }

    fn copy_lines(&mut self, direction: Direction, bus: Bus, cache: usize, size: usize) {
        // A transfer that runs over the end of Dolphin's array would overrun host memory there; here
        // the part inside moves.
        let size = size.min(self.locked_cache.len().saturating_sub(cache));
        let Some((lines, memory)) = self.locked_cache_and_bus(bus, size) else { return };
        let lines = &mut lines[cache..cache + size];
        match direction {
            Direction::Load => lines.copy_from_slice(memory),
            Direction::Store => memory.copy_from_slice(lines),
        }
    }

    /// Whether an effective range lies in the locked cache and cannot fault.
    pub fn in_locked_cache(&self, address: u32, size: u32) -> Option<usize> {
        let offset = address.checked_sub(LOCKED_CACHE_START)? as usize;
        let end = offset.checked_add(size as usize)?;
        let mapped = self.config().map.translate(EffectiveAddress(address)).is_some();
        (mapped && end <= self.locked_cache.len()).then_some(offset)
    }
}

#[cfg(test)]
mod tests {
    use crate::gekko::access::testing::{SITE, machine};
    use crate::gekko::fault::{FaultKind, MachineCheck};
    use crate::gekko::locked_cache::{Direction, DmaRegisters};
    use crate::gekko::machine::tests::config;
    use crate::gekko::machine::{Machine, MachineConfig};
    use crate::gekko::map::{LOCKED_CACHE_START, Target};
    use crate::gekko::transfer_queue::DmaTiming;

    #[test]
    fn dma_goes_past_the_data_cache() {
        let mut machine = machine(Target::Console);
        machine.write(0x8000_1000, 4, 7, SITE).unwrap();
        let load = DmaRegisters::as_written(Direction::Load, 0x8000_1000, LOCKED_CACHE_START, 1, 0x1fff_ffff);
        machine.transfer(load, SITE).unwrap();
        assert_eq!(machine.locked_cache.bytes()[3], 0);
        machine.flush_line(0x8000_1000);
        machine.transfer(load, SITE).unwrap();
        assert_eq!(machine.locked_cache.bytes()[3], 7);
    }

    #[test]
    fn a_console_transfer_past_16_kib_is_a_machine_check() {
        let mut machine = machine(Target::Console);
        let load = DmaRegisters::as_written(Direction::Load, 0x8000_1000, 0xe000_3fe0, 2, 0x1fff_ffff);
        assert_eq!(machine.transfer(load, SITE), Ok(None));
        let fault = machine.take_faults().faults[0];
        assert_eq!(fault.kind, FaultKind::MachineCheck(MachineCheck::Missed));
        assert_eq!(fault.address, 0xe000_4000);
    }

    #[test]
    fn a_console_transfer_to_a_normal_line_is_another_machine_check() {
        let mut machine = machine(Target::Console);
        let load = DmaRegisters::as_written(Direction::Load, 0x8000_1000, 0x8000_2000, 2, 0x1fff_ffff);
        assert_eq!(machine.transfer(load, SITE), Ok(None));
        let fault = machine.take_faults().faults[0];
        assert_eq!((fault.kind, fault.address), (FaultKind::MachineCheck(MachineCheck::Missed), 0x8000_2000));
        machine.read(0x8000_2020, 4, SITE).unwrap();
        assert_eq!(machine.transfer(load, SITE), Ok(None));
        let fault = machine.take_faults().faults[0];
        assert_eq!(
            (fault.kind, fault.address),
            (FaultKind::MachineCheck(MachineCheck::NormalCache), 0x8000_2020)
        );
    }

    #[test]
    fn a_stored_line_lies_behind_the_cached_one_until_that_is_written_over_it() {
        let mut machine = machine(Target::Console);
        machine.locked_cache.bytes_mut()[..32].fill(9);
        let store =
            DmaRegisters::as_written(Direction::Store, 0x8000_1000, LOCKED_CACHE_START, 1, 0x1fff_ffff);
        // A clean line in the cache hides what the transfer brought, and writes nothing back.
        machine.read(0x8000_1000, 4, SITE).unwrap();
        machine.transfer(store, SITE).unwrap();
        assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(0));
        machine.flush_line(0x8000_1000);
        assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(0x0909_0909));
        // A modified one undoes the transfer, all 32 bytes of it.
        machine.write(0x8000_1000, 4, 7, SITE).unwrap();
        machine.locked_cache.bytes_mut()[..32].fill(5);
        machine.transfer(store, SITE).unwrap();
        machine.flush_line(0x8000_1000);
        assert_eq!(machine.memory(0x8000_1000, 8).unwrap(), [0, 0, 0, 7, 9, 9, 9, 9]);
    }

    #[test]
    fn a_gamecubes_mask_leaves_no_way_to_a_wiis_second_memory() {
        for (mask, found) in [(0x0fff_ffff, 0), (0x1fff_ffff, 7)] {
            let mut machine = machine(Target::Console);
            machine.memory_mut(0x9000_1000, 32).unwrap().fill(7);
            let load = DmaRegisters::as_written(Direction::Load, 0x9000_1000, LOCKED_CACHE_START, 1, mask);
            machine.transfer(load, SITE).unwrap();
            assert_eq!(machine.locked_cache.bytes()[0], found);
        }
    }

    #[test]
    fn dolphin_copies_nothing_when_the_memory_side_does_not_resolve() {
        let mut machine = machine(Target::Dolphin);
        let load = DmaRegisters { upper: 0x0400_0001, lower: 0xe000_0000 | 0x12 };
        assert_eq!(machine.transfer(load, SITE), Ok(None));
        let fault = machine.take_faults().faults[0];
        assert_eq!((fault.kind, fault.address), (FaultKind::Dma, 0x0400_0000));
    }

    fn deferring() -> Machine {
        let config = MachineConfig { dma: DmaTiming::Deferred, ..config(Target::Console) };
        let mut machine = Machine::new(config);
        machine.memory_mut(0x8000_1000, 0x800).unwrap().fill(7);
        machine
    }

    fn load_line(machine: &mut Machine, line: u32) -> Option<u32> {
        let (memory, cache) = (0x8000_1000 + 32 * line, LOCKED_CACHE_START + 32 * line);
        let load = DmaRegisters::as_written(Direction::Load, memory, cache, 1, 0x1fff_ffff);
        machine.transfer(load, SITE).unwrap().map(|transfer| transfer.lines)
    }

    #[test]
    fn a_deferred_transfer_happens_at_the_wait_and_not_before() {
        let mut machine = deferring();
        assert_eq!((load_line(&mut machine, 0), load_line(&mut machine, 1)), (Some(1), Some(1)));
        assert_eq!(machine.read(LOCKED_CACHE_START, 4, SITE), Ok(0));
        machine.wait_for_transfers(1);
        assert_eq!(machine.read(LOCKED_CACHE_START, 4, SITE), Ok(0x0707_0707));
        assert_eq!(machine.read(LOCKED_CACHE_START + 32, 4, SITE), Ok(0));
        machine.wait_for_transfers(0);
        assert_eq!(machine.read(LOCKED_CACHE_START + 32, 4, SITE), Ok(0x0707_0707));
        let early = machine.take_early_accesses();
        let addresses: Vec<u32> = early.accesses.iter().map(|access| access.address).collect();
        assert_eq!(addresses, [LOCKED_CACHE_START, LOCKED_CACHE_START + 32]);
    }

    #[test]
    fn where_the_library_has_no_wait_either_the_transfer_is_noted_and_has_happened() {
        let mut machine = deferring();
        for line in 0..3 {
            load_line(&mut machine, line);
        }
        machine.library_has_no_wait = true;
        assert_eq!(machine.read(LOCKED_CACHE_START + 32, 4, SITE), Ok(0x0707_0707));
        assert_eq!(machine.queued_transfers(), 1, "those before it have happened too");
        machine.library_has_no_wait = false;
        assert_eq!(machine.read(LOCKED_CACHE_START + 64, 4, SITE), Ok(0));
        let listed: Vec<bool> = machine.take_early_accesses().accesses.iter().map(|one| one.listed).collect();
        assert_eq!(listed, [true, false]);
    }

    #[test]
    fn only_reading_the_length_again_lets_a_transfer_happen() {
        let mut machine = deferring();
        load_line(&mut machine, 0);
        load_line(&mut machine, 1);
        assert_eq!([0; 4].map(|_| machine.poll_transfers()), [2, 1, 0, 0]);
    }

    #[test]
    fn a_sixteenth_transfer_overflows_unless_there_was_work_in_between() {
        let mut machine = deferring();
        assert!((0..15).all(|line| load_line(&mut machine, line).is_some()));
        assert_eq!(load_line(&mut machine, 15), None);
        let fault = machine.take_faults().faults[0];
        assert_eq!(fault.kind, FaultKind::MachineCheck(MachineCheck::QueueOverflow));
        machine.read(LOCKED_CACHE_START + 0x3000, 4, SITE).unwrap();
        assert_eq!(load_line(&mut machine, 15), Some(1));
        assert_eq!(machine.queued_transfers(), 15);
        assert_eq!(machine.take_faults().total, 0);
    }
}
