//! Loads, stores, cache instructions and locked-cache DMA as the processor performs them: split
//! where Dolphin splits them, through the data cache where there is one, faulting where nothing
//! answers.

use super::address::{EffectiveAddress, LINE_SIZE, PhysicalAddress, crosses_page, line_start};
use super::data_cache::CacheLine;
use super::fault::{Fault, FaultKind, MachineCheck, Site};
use super::locked_cache::{Direction, DmaRegisters, Transfer};
use super::machine::{Access, Machine};
use super::map::{Bus, LOCKED_CACHE_START, Target};
use super::quantize::{dequantize, quantize};

impl Machine {
    /// Reads `size` bytes (1, 2, 4 or 8), big-endian. A read that crosses a page goes byte by byte,
    /// each byte able to fault. [machine.md A2: H; measured: Dolphin 5.0-17995]
    ///
    /// # Errors
    /// [`super::machine::Halt`] at a fault, when the machine stops at faults; otherwise the read gives 0.
    #[inline]
    pub fn read(&mut self, address: u32, size: u32, site: Site) -> Access<u64> {
        if let Some(bytes) = self.plain_bytes(address, size) {
            return Ok(word_of(bytes));
        }
        if !crosses_page(address, size) {
            return self.read_piece(address, size, site);
        }
        let mut value = 0;
        for index in 0..size {
            value = (value << 8) | self.read_piece(address.wrapping_add(index), 1, site)?;
        }
        Ok(value)
    }

    /// Writes the low `size` bytes (1, 2, 4 or 8) of `value`, big-endian. Eight bytes go as two
    /// words; a write that crosses a page goes in two pieces. [machine.md A2: H]
    ///
    /// # Errors
    /// [`super::machine::Halt`] at a fault, when the machine stops at faults; otherwise the write is dropped.
    #[inline]
    pub fn write(&mut self, address: u32, size: u32, value: u64, site: Site) -> Access<()> {
        if let Some(bytes) = self.plain_bytes_mut(address, size) {
            put_word(bytes, value);
            return Ok(());
        }
        if size == 8 {
            self.write(address, 4, value >> 32, site)?;
            return self.write(address.wrapping_add(4), 4, value & 0xffff_ffff, site);
        }
        if !crosses_page(address, size) {
            return self.write_piece(address, size, value, site);
        }
        let first = 0x1000 - (address & 0xfff);
        let rest = size - first;
        self.write_piece(address, first, value >> (8 * rest), site)?;
        self.write_piece(address.wrapping_add(first), rest, value & ((1 << (8 * rest)) - 1), site)
    }

    fn read_piece(&mut self, address: u32, size: u32, site: Site) -> Access<u64> {
        let Some(physical) = self.translate(address) else {
            self.access_fault(FaultKind::Read, address, size, false, site)?;
            return Ok(0);
        };
        let bus = self.config().map.decode(physical);
        if self.cached(address, bus) {
            return Ok(self.cached_read(physical, size));
        }
        match self.bus_bytes(bus, size as usize) {
            Some(bytes) => Ok(big_endian(bytes)),
            None if bus == Bus::Device => Ok(0),
            None => {
                self.access_fault(FaultKind::Read, address, size, true, site)?;
                Ok(0)
            }
        }
    }

    fn write_piece(&mut self, address: u32, size: u32, value: u64, site: Site) -> Access<()> {
        let Some(physical) = self.translate(address) else {
            return self.access_fault(FaultKind::Write, address, size, false, site);
        };
        let bus = self.config().map.decode(physical);
        let bytes = value.to_be_bytes();
        let bytes = &bytes[8 - size as usize..];
        if self.cached(address, bus) {
            self.cached_write(physical, bytes);
            return Ok(());
        }
        match self.bus_bytes_mut(bus, size as usize) {
            Some(memory) => {
                memory.copy_from_slice(bytes);
                Ok(())
            }
            None if bus == Bus::Device => Ok(()),
            None => self.access_fault(FaultKind::Write, address, size, true, site),
        }
    }

    fn access_fault(
        &mut self,
        kind: FaultKind,
        address: u32,
        size: u32,
        translated: bool,
        site: Site,
    ) -> Access<()> {
        self.fault(Fault { kind, address, size, translated, site, marker: None })
    }

    /// Whether an access goes through the data cache: there is one, the segment is cached, and main
    /// memory answers.
    fn cached(&self, address: u32, bus: Bus) -> bool {
        self.data_cache.is_some()
            && matches!(address >> 28, 0x8 | 0x9)
            && matches!(bus, Bus::Mem1(_) | Bus::Mem2(_))
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

    fn fill_line(&mut self, line: CacheLine) {
        let displaced = self.data_cache.as_mut().and_then(|cache| cache.fill(line));
        if let Some(line) = displaced {
            self.write_line_back(line.address, &line.bytes);
        }
    }

    /// A piece may straddle two lines of one page.
    fn cached_read(&mut self, physical: PhysicalAddress, size: u32) -> u64 {
        (0..size).fold(0, |value, index| {
            let address = physical.0.wrapping_add(index);
            let byte = self
                .cached_line(PhysicalAddress(address))
                .map_or(0, |line| line.bytes[(address % LINE_SIZE) as usize]);
            (value << 8) | u64::from(byte)
        })
    }

    fn cached_write(&mut self, physical: PhysicalAddress, bytes: &[u8]) {
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
    /// [`super::machine::Halt`] at a fault, when the machine stops at faults.
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
        self.write_back_with(address, super::data_cache::DataCache::store_line);
    }

    /// `dcbf`: writes the line back and drops it. Nothing on Dolphin.
    pub fn flush_line(&mut self, address: u32) {
        self.write_back_with(address, super::data_cache::DataCache::flush_line);
    }

    fn write_back_with(
        &mut self,
        address: u32,
        operation: impl FnOnce(&mut super::data_cache::DataCache, u32) -> Option<CacheLine>,
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

    /// `psq_l` through GQR `register`: two lanes, or one lane and 1.0. Each element of a pair is part
    /// of one access. [machine.md A4: H]
    ///
    /// # Errors
    /// [`super::machine::Halt`] at a fault, when the machine stops at faults; otherwise the element reads as 0.
    #[inline]
    pub fn load_pair(&mut self, address: u32, single: bool, register: usize, site: Site) -> Access<[f32; 2]> {
        let (raw, _) = self.load_raw(address, single, register, site)?;
        Ok(self.dequantize_pair(raw, single, register))
    }

    /// The access half of `psq_l`: the raw bytes of one or two elements, and how many.
    ///
    /// # Errors
    /// As [`Machine::load_pair`].
    #[inline]
    pub fn load_raw(
        &mut self,
        address: u32,
        single: bool,
        register: usize,
        site: Site,
    ) -> Access<(u64, u32)> {
        let element = self.gqr[register].load_type().size();
        let size = if single { element } else { 2 * element };
        Ok((self.read(address, size, site)?, size))
    }

    /// The conversion half of `psq_l`.
    #[inline]
    pub fn dequantize_pair(&self, raw: u64, single: bool, register: usize) -> [f32; 2] {
        let (kind, factor) = (self.gqr[register].load_type(), self.gqr[register].load_factor());
        if single {
            return [dequantize(raw as u32, kind, factor), 1.0];
        }
        let element = |shift: u32| dequantize((raw >> shift) as u32, kind, factor);
        [element(8 * kind.size()), element(0)]
    }

    /// The conversion half of `psq_st`: the raw bytes of one or two elements, and how many.
    #[inline]
    pub fn quantize_pair(&self, lanes: [f32; 2], single: bool, register: usize) -> (u64, u32) {
        let (kind, factor) = (self.gqr[register].store_type(), self.gqr[register].store_factor());
        let bits = |lane| u64::from(quantize(lane, kind, factor, self.config().nan_store, !single));
        let size = kind.size();
        if single {
            return (bits(lanes[0]), size);
        }
        ((bits(lanes[0]) << (8 * size)) | bits(lanes[1]), 2 * size)
    }

    /// `psq_st` through GQR `register`: both lanes, or the first.
    ///
    /// # Errors
    /// [`super::machine::Halt`] at a fault, when the machine stops at faults; otherwise the write is dropped.
    #[inline]
    pub fn store_pair(
        &mut self,
        address: u32,
        lanes: [f32; 2],
        single: bool,
        register: usize,
        site: Site,
    ) -> Access<()> {
        let (value, size) = self.quantize_pair(lanes, single, register);
        self.write(address, size, value, site)
    }

    /// Writes the two DMA registers: the transfer that they describe happens at once. Gives what was
    /// moved, or `None` when the memory range does not resolve and nothing moves.
    /// [machine.md A3: H; measured: Dolphin 5.0-17995]
    ///
    /// # Errors
    /// [`super::machine::Halt`] at a fault, when the machine stops at faults.
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

/// The big-endian value of 1, 2, 4 or 8 bytes.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c, d] => u64::from(u32::from_be_bytes([a, b, c, d])),
        [a, b] => u64::from(u16::from_be_bytes([a, b])),
        [a] => u64::from(a),
        _ => big_endian(bytes),
    }
}

/// Writes the low bytes of a value, big-endian, 1, 2, 4 or 8 of them.
#[inline]
fn put_word(bytes: &mut [u8], value: u64) {
    match bytes.len() {
        4 => bytes.copy_from_slice(&(value as u32).to_be_bytes()),
        2 => bytes.copy_from_slice(&(value as u16).to_be_bytes()),
        size => bytes.copy_from_slice(&value.to_be_bytes()[8 - size..]),
    }
}

#[inline]
fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| (value << 8) | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::super::machine::tests::config;
    use super::*;
    use crate::gekko::bus::Bus as _;
    use crate::gekko::quantize::Gqr;

    const SITE: Site = Site { function: "test", offset: 0, pc: None };

    fn machine(target: Target) -> Machine {
        Machine::new(config(target))
    }

    fn faults(machine: &mut Machine) -> Vec<(u32, u32)> {
        machine.take_faults().faults.iter().map(|fault| (fault.address, fault.size)).collect()
    }

    #[test]
    fn a_read_across_a_page_faults_byte_by_byte() {
        let mut machine = machine(Target::Dolphin);
        machine.locked_cache.bytes_mut()[0x3fffe..].copy_from_slice(&[0x12, 0x34]);
        assert_eq!(machine.read(0xe003_fffe, 4, SITE), Ok(0x1234_0000));
        assert_eq!(faults(&mut machine), [(0xe004_0000, 1), (0xe004_0001, 1)]);
    }

    #[test]
    fn a_write_across_a_page_goes_in_two_pieces() {
        let mut machine = machine(Target::Dolphin);
        machine.write(0xe003_ffff, 4, 0x0102_0304, SITE).unwrap();
        assert_eq!(machine.locked_cache.bytes()[0x3ffff], 1);
        assert_eq!(faults(&mut machine), [(0xe004_0000, 3)]);
    }

    #[test]
    fn uncached_and_cached_addresses_see_the_same_memory_on_dolphin() {
        let mut machine = machine(Target::Dolphin);
        machine.write(0x8000_1000, 4, 7, SITE).unwrap();
        assert_eq!(machine.read_u32(0xc000_1000, SITE), Ok(7));
    }

    #[test]
    fn on_the_console_a_store_stays_in_the_cache_until_its_line_is_written_back() {
        let mut machine = machine(Target::Console);
        machine.write(0x8000_1000, 4, 7, SITE).unwrap();
        assert_eq!(machine.read_u32(0xc000_1000, SITE), Ok(0));
        machine.store_line(0x8000_101f);
        assert_eq!(machine.read_u32(0xc000_1000, SITE), Ok(7));
    }

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

    #[test]
    fn a_pair_is_one_access_and_a_single_loads_one_as_its_second_lane() {
        let mut machine = machine(Target::Dolphin);
        machine.gqr[7] = Gqr::both(7, 4);
        machine.write(0x8000_1000, 4, 0x0010_fff0, SITE).unwrap();
        assert_eq!(machine.load_pair(0x8000_1000, false, 7, SITE), Ok([1.0, -1.0]));
        assert_eq!(machine.load_pair(0x8000_1000, true, 7, SITE), Ok([1.0, 1.0]));
        machine.store_pair(0x8000_1004, [2.5, -2.5], false, 7, SITE).unwrap();
        assert_eq!(machine.read_u32(0x8000_1004, SITE), Ok(0x0028_ffd8));
        machine.load_pair(0, false, 7, SITE).unwrap();
        assert_eq!(faults(&mut machine), [(0, 4)]);
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
