//! Locked-cache DMA: what the two registers ask for happens at once.

use crate::gekko::address::EffectiveAddress;
use crate::gekko::fault::{FaultKind, MachineCheck, Site};
use crate::gekko::locked_cache::{Direction, DmaRegisters, Transfer};
use crate::gekko::machine::{Access, Machine};
use crate::gekko::map::{Bus, LOCKED_CACHE_START, Target};

impl Machine {
    /// Writes the two DMA registers: the transfer that they describe happens at once. Gives what was
    /// moved, or `None` when the memory range does not resolve and nothing moves.
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
        self.copy_lines(transfer.direction, bus, cache, size as usize);
        Ok(Some(transfer))
    }

    /// The console's transfer must meet locked lines only.
    fn locked_line(&mut self, transfer: Transfer, site: Site) -> Access<Option<usize>> {
        let offset = transfer.cache.wrapping_sub(LOCKED_CACHE_START) as usize;
        let room = self.locked_cache.len().checked_sub(offset);
        if room.is_some_and(|room| transfer.bytes() as usize <= room) {
            return Ok(Some(offset));
        }
        let kind = FaultKind::MachineCheck(MachineCheck::Missed);
        let first_missing = transfer.cache.max(LOCKED_CACHE_START + self.locked_cache.len() as u32);
        self.access_fault(kind, first_missing, transfer.bytes(), true, site)?;
        Ok(None)
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
    use crate::gekko::map::{LOCKED_CACHE_START, Target};

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
    fn dolphin_copies_nothing_when_the_memory_side_does_not_resolve() {
        let mut machine = machine(Target::Dolphin);
        let load = DmaRegisters { upper: 0x0400_0001, lower: 0xe000_0000 | 0x12 };
        assert_eq!(machine.transfer(load, SITE), Ok(None));
        let fault = machine.take_faults().faults[0];
        assert_eq!((fault.kind, fault.address), (FaultKind::Dma, 0x0400_0000));
    }
}
