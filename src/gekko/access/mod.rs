//! Loads, stores, cache instructions and locked-cache DMA as the processor performs them: split
//! where Dolphin splits them, through the data cache where there is one, faulting where nothing
//! answers.

use super::address::crosses_page;
use super::fault::{Fault, FaultKind, Site};
use super::machine::{Access, Machine};
use super::map::Bus;

mod lines;
mod pairs;
mod transfer;

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
        self.meet_queue(bus, size, false, site);
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
        self.meet_queue(bus, size, true, site);
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

/// What the tests of these files share.
#[cfg(test)]
mod testing {
    use super::{Machine, Site};
    use crate::gekko::machine::tests::config;
    use crate::gekko::map::Target;

    pub(super) const SITE: Site = Site { function: "test", offset: 0, pc: None };

    pub(super) fn machine(target: Target) -> Machine {
        Machine::new(config(target))
    }

    pub(super) fn faults(machine: &mut Machine) -> Vec<(u32, u32)> {
        machine.take_faults().faults.iter().map(|fault| (fault.address, fault.size)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{SITE, faults, machine};
    use crate::gekko::bus::Bus as _;
    use crate::gekko::map::Target;

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
}
