//! The data cache in front of memory, and the instructions that work on its lines.

use crate::gekko::address::{LINE_SIZE, PhysicalAddress, line_start};
use crate::gekko::data_cache::{CacheLine, DataCache};
use crate::gekko::fault::{FaultKind, MachineCheck, Site};
use crate::gekko::machine::{Access, Machine};
use crate::gekko::map::Bus;

impl Machine {
    /// Whether an access goes through the data cache: there is one, the segment is cached, and main
    /// memory answers.
    pub(super) fn cached(&self, address: u32, bus: Bus) -> bool {
        self.data_cache.is_some()
            && matches!(bus, Bus::Mem1(_) | Bus::Mem2(_))
            && if self.translation.governs(address) {
                self.translation.is_cached(address)
            } else {
                matches!(address >> 28, 0x8 | 0x9)
            }
    }

    /// The cached line that holds a physical address, fetched from memory if need be.
    fn cached_line(&mut self, physical: PhysicalAddress) -> Option<&mut CacheLine> {
        let address = line_start(physical.0);
        if self.data_cache.as_ref()?.peek(address).is_none() {
            let bus = self.config().map.decode(PhysicalAddress(address));
            let bytes = self.bus_bytes(bus, LINE_SIZE as usize)?.try_into().ok()?;
            self.fill_line(CacheLine { address, modified: false, bytes });
        }
        self.data_cache.as_mut()?.hit(address)
    }

    /// The word that the processor would load from main memory, of a cached line where there is one; the
    /// machine stays as it is. `None` when memory does not answer.
    pub fn seen_word(&self, address: u32) -> Option<u32> {
        let mut word = <[u8; 4]>::try_from(self.memory(address, 4)?).ok()?;
        let start = self.translate(address)?.0;
        if self.cached(address, self.config().map.decode(PhysicalAddress(start)))
            && let Some(cache) = &self.data_cache
        {
            for (at, byte) in (start..).zip(&mut word) {
                let line = cache.peek(at);
                *byte = line.map_or(*byte, |line| line.bytes[(at % LINE_SIZE) as usize]);
            }
        }
        Some(u32::from_be_bytes(word))
    }

    fn fill_line(&mut self, line: CacheLine) {
        let displaced = self.data_cache.as_mut().and_then(|cache| cache.fill(line));
        if let Some(line) = displaced {
            self.write_line_back(line.address, &line.bytes);
        }
    }

    /// A piece may straddle two lines of one page.
    pub(super) fn cached_read(&mut self, physical: PhysicalAddress, size: u32) -> u64 {
        (0..size).fold(0, |value, index| {
            let address = physical.0.wrapping_add(index);
            let byte = self
                .cached_line(PhysicalAddress(address))
                .map_or(0, |line| line.bytes[(address % LINE_SIZE) as usize]);
            (value << 8) | u64::from(byte)
        })
    }

    pub(super) fn cached_write(&mut self, physical: PhysicalAddress, bytes: &[u8]) {
        for (index, &byte) in bytes.iter().enumerate() {
            let address = physical.0.wrapping_add(index as u32);
            if let Some(line) = self.cached_line(PhysicalAddress(address)) {
                line.bytes[(address % LINE_SIZE) as usize] = byte;
                line.modified = true;
            }
        }
    }

    /// `dcbz`: zeroes the whole line that contains the address.
    /// [listing; measured: Dolphin 5.0-17995]
    ///
    /// # Errors
    /// [`Halt`](crate::gekko::machine::Halt) at a fault, when the machine stops at faults.
    pub fn zero_line(&mut self, address: u32, site: Site) -> Access<()> {
        let line = line_start(address);
        let Some(physical) = self.translate(line) else {
            return self.access_fault(FaultKind::Write, line, LINE_SIZE, false, site);
        };
        let bus = self.config().map.decode(physical);
        if self.cached(line, bus) {
            self.fill_or_zero(physical.0);
            return Ok(());
        }
        match self.bus_bytes_mut(bus, LINE_SIZE as usize) {
            Some(memory) => {
                memory.fill(0);
                Ok(())
            }
            None if bus == Bus::Device => Ok(()),
            None => self.access_fault(FaultKind::Write, line, LINE_SIZE, true, site),
        }
    }

    /// `dcbz_l`: allocates a line of the locked cache. On the console a tag that the data cache holds already is
    /// a machine check. [machine.md A3, A5]
    ///
    /// # Errors
    /// As [`Machine::zero_line`].
    pub fn lock_line(&mut self, address: u32, site: Site) -> Access<()> {
        let line = line_start(address);
        let physical = self.translate(line);
        if let (Some(physical), Some(cache)) = (physical, &self.data_cache)
            && cache.peek(physical.0).is_some()
        {
            let kind = FaultKind::MachineCheck(MachineCheck::TagAlreadyInCache);
            return self.access_fault(kind, line, LINE_SIZE, true, site);
        }
        self.zero_line(address, site)
    }

    /// A `dcbz` in the data cache establishes the line without fetching it.
    fn fill_or_zero(&mut self, address: u32) {
        let zeroed = CacheLine { address, modified: true, bytes: [0; LINE_SIZE as usize] };
        match self.data_cache.as_mut().and_then(|cache| cache.hit(address)) {
            Some(line) => *line = zeroed,
            None => self.fill_line(zeroed),
        }
    }

    /// `dcbst`: writes the line back and keeps it. Nothing on Dolphin, which models no data cache.
    pub fn store_line(&mut self, address: u32) {
        self.write_back_with(address, DataCache::store_line);
    }

    /// `dcbf`: writes the line back and drops it. Nothing on Dolphin.
    pub fn flush_line(&mut self, address: u32) {
        self.write_back_with(address, DataCache::flush_line);
    }

    fn write_back_with(
        &mut self,
        address: u32,
        operation: impl FnOnce(&mut DataCache, u32) -> Option<CacheLine>,
    ) {
        let Some(physical) = self.translate(address) else { return };
        let line = self.data_cache.as_mut().and_then(|cache| operation(cache, physical.0));
        if let Some(line) = line {
            self.write_line_back(line.address, &line.bytes);
        }
    }

    /// `dcbi`: drops the line. Nothing on Dolphin.
    pub fn invalidate_line(&mut self, address: u32) {
        let physical = self.translate(address);
        if let (Some(physical), Some(cache)) = (physical, self.data_cache.as_mut()) {
            cache.invalidate_line(physical.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::gekko::access::testing::{SITE, machine};
    use crate::gekko::bus::Bus as _;
    use crate::gekko::fault::{FaultKind, MachineCheck};
    use crate::gekko::map::Target;

    #[test]
    fn on_the_console_a_store_stays_in_the_cache_until_its_line_is_written_back() {
        let mut machine = machine(Target::Console);
        machine.write(0x8000_1000, 4, 7, SITE).unwrap();
        assert_eq!(machine.read_u32(0xc000_1000, SITE), Ok(0));
        machine.store_line(0x8000_101f);
        assert_eq!(machine.read_u32(0xc000_1000, SITE), Ok(7));
    }

    #[test]
    fn what_the_processor_sees_is_the_cached_line_where_there_is_one() {
        for (target, in_memory) in [(Target::Dolphin, 0x0102_0304), (Target::Console, 0)] {
            let mut machine = machine(target);
            machine.write(0x8000_101e, 4, 0x0102_0304, SITE).unwrap();
            let before = machine.clone();
            assert_eq!(machine.seen_word(0x8000_101e), Some(0x0102_0304));
            assert_eq!(machine.seen_word(0xc000_101e), Some(in_memory), "past the cache");
            assert_eq!(machine.seen_word(0x7000_0000), None);
            assert!(machine == before);
        }
    }

    #[test]
    fn a_line_that_the_data_cache_holds_cannot_be_locked() {
        for target in [Target::Dolphin, Target::Console] {
            let mut machine = machine(target);
            machine.write(0x8000_1000, 4, 7, SITE).unwrap();
            let locked = machine.lock_line(0x8000_1010, SITE);
            let faults = machine.take_faults().faults;
            if target == Target::Dolphin {
                assert_eq!((locked, faults.len()), (Ok(()), 0));
                assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(0));
                continue;
            }
            let check = FaultKind::MachineCheck(MachineCheck::TagAlreadyInCache);
            assert_eq!((faults[0].kind, faults[0].address), (check, 0x8000_1000));
            assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(7), "the line stays");
            machine.flush_line(0x8000_1000);
            assert_eq!(machine.lock_line(0x8000_1000, SITE), Ok(()));
            assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(0));
        }
    }

    #[test]
    fn dcbi_drops_a_store_and_a_dcbz_on_the_console_alone() {
        for (target, stored) in [(Target::Dolphin, 7), (Target::Console, 0x0101_0101)] {
            let mut machine = machine(target);
            machine.memory_mut(0x8000_1000, 32).unwrap().fill(1);
            machine.write(0x8000_1000, 4, 7, SITE).unwrap();
            machine.invalidate_line(0x8000_1010);
            assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(stored));
            machine.zero_line(0x8000_1010, SITE).unwrap();
            assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(0));
            machine.invalidate_line(0x8000_1000);
            let dropped = if target == Target::Console { 0x0101_0101 } else { 0 };
            assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(dropped));
        }
    }

    #[test]
    fn dcbst_keeps_the_line_in_front_of_memory_and_dcbf_does_not() {
        let mut machine = machine(Target::Console);
        for (keeps, flush) in [(true, false), (false, true)] {
            machine.write(0x8000_1000, 4, 7, SITE).unwrap();
            if flush {
                machine.flush_line(0x8000_1000);
            } else {
                machine.store_line(0x8000_1000);
            }
            assert_eq!(machine.memory(0x8000_1000, 4).unwrap(), [0, 0, 0, 7]);
            machine.memory_mut(0x8000_1000, 4).unwrap().fill(9);
            assert_eq!(machine.read(0x8000_1000, 4, SITE), Ok(if keeps { 7 } else { 0x0909_0909 }));
            machine.invalidate_line(0x8000_1000);
        }
    }

    #[test]
    fn past_its_16_kib_the_consoles_locked_cache_answers_nothing() {
        for (target, address, answers) in [
            (Target::Console, 0xe000_3ffc, true),
            (Target::Console, 0xe000_4000, false),
            (Target::Dolphin, 0xe000_4000, true),
            (Target::Dolphin, 0xe003_fffc, true),
            (Target::Dolphin, 0xe004_0000, false),
        ] {
            let mut machine = machine(target);
            machine.write(address, 4, 7, SITE).unwrap();
            assert_eq!(machine.read(address, 4, SITE), Ok(if answers { 7 } else { 0 }), "{address:#x}");
            assert_eq!(machine.take_faults().total, if answers { 0 } else { 2 }, "{address:#x}");
        }
    }

    #[test]
    fn dcbz_zeroes_the_whole_line_that_holds_the_address() {
        for target in [Target::Dolphin, Target::Console] {
            let mut machine = machine(target);
            machine.memory_mut(0x8000_1000, 64).unwrap().fill(0xff);
            machine.zero_line(0x8000_1024, SITE).unwrap();
            machine.flush_line(0x8000_1024);
            assert_eq!(machine.memory(0x8000_1000, 32).unwrap(), [0xff; 32]);
            assert_eq!(machine.memory(0x8000_1020, 32).unwrap(), [0; 32]);
        }
    }
}
