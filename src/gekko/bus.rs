//! How code reaches the machine: directly, or watched by an observer.
//!
//! Kernels are generic over [`Bus`]. [`Machine`] is the bus that watches nothing: the checks of
//! [`Bus::OBSERVED`] vanish at compile time.

use super::fault::Site;
use super::locked_cache::{Direction, DmaRegisters, Transfer};
use super::machine::{Access, Machine};

/// What an observed access did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A `dcbz`.
    ZeroLine,
    /// A `dcbst`.
    StoreLine,
    /// A `dcbf`.
    FlushLine,
    /// A locked-cache DMA transfer; the value is its memory address.
    Transfer(Direction),
}

/// One access as an observer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessRecord {
    /// The instruction.
    pub site: Site,
    /// What it did.
    pub kind: AccessKind,
    /// Effective address (transfers: the locked-cache address).
    pub address: u32,
    /// Bytes.
    pub size: u32,
    /// The bytes, right-aligned, big-endian (transfers: the memory address).
    pub value: u64,
}

/// Access to a machine, possibly watched.
pub trait Bus {
    /// Whether [`Bus::observe`] does anything; bulk paths are taken only where it does not.
    const OBSERVED: bool;

    /// The machine itself.
    fn machine(&mut self) -> &mut Machine;

    /// Sees an access after it was performed.
    fn observe(&mut self, _record: AccessRecord) {}

    /// Sees an instruction before it is executed (the processor's only; the direct model has none).
    fn observe_instruction(&mut self, _pc: u32, _code: u32) {}

    /// Reads `size` bytes. See [`Machine::read`].
    ///
    /// # Errors
    /// As [`Machine::read`].
    #[inline]
    fn read(&mut self, address: u32, size: u32, site: Site) -> Access<u64> {
        let value = self.machine().read(address, size, site)?;
        if Self::OBSERVED {
            self.observe(AccessRecord { site, kind: AccessKind::Load, address, size, value });
        }
        Ok(value)
    }

    /// Writes `size` bytes. See [`Machine::write`].
    ///
    /// # Errors
    /// As [`Machine::write`].
    #[inline]
    fn write(&mut self, address: u32, size: u32, value: u64, site: Site) -> Access<()> {
        self.machine().write(address, size, value, site)?;
        if Self::OBSERVED {
            self.observe(AccessRecord { site, kind: AccessKind::Store, address, size, value });
        }
        Ok(())
    }

    /// Reads a word.
    ///
    /// # Errors
    /// As [`Machine::read`].
    fn read_u32(&mut self, address: u32, site: Site) -> Access<u32> {
        Ok(self.read(address, 4, site)? as u32)
    }

    /// Reads a halfword.
    ///
    /// # Errors
    /// As [`Machine::read`].
    fn read_u16(&mut self, address: u32, site: Site) -> Access<u16> {
        Ok(self.read(address, 2, site)? as u16)
    }

    /// Reads a byte.
    ///
    /// # Errors
    /// As [`Machine::read`].
    fn read_u8(&mut self, address: u32, site: Site) -> Access<u8> {
        Ok(self.read(address, 1, site)? as u8)
    }

    /// `psq_l`. See [`Machine::load_pair`].
    ///
    /// # Errors
    /// As [`Machine::load_pair`].
    #[inline]
    fn load_pair(&mut self, address: u32, single: bool, register: usize, site: Site) -> Access<[f32; 2]> {
        let (raw, size) = self.machine().load_raw(address, single, register, site)?;
        if Self::OBSERVED {
            self.observe(AccessRecord { site, kind: AccessKind::Load, address, size, value: raw });
        }
        Ok(self.machine().dequantize_pair(raw, single, register))
    }

    /// `psq_st`. See [`Machine::store_pair`].
    ///
    /// # Errors
    /// As [`Machine::store_pair`].
    #[inline]
    fn store_pair(
        &mut self,
        address: u32,
        lanes: [f32; 2],
        single: bool,
        register: usize,
        site: Site,
    ) -> Access<()> {
        let (value, size) = self.machine().quantize_pair(lanes, single, register);
        self.write(address, size, value, site)
    }

    /// `dcbz`. See [`Machine::zero_line`].
    ///
    /// # Errors
    /// As [`Machine::zero_line`].
    fn zero_line(&mut self, address: u32, site: Site) -> Access<()> {
        self.machine().zero_line(address, site)?;
        self.observe_line(AccessKind::ZeroLine, address, site);
        Ok(())
    }

    /// `dcbz_l`. See [`Machine::lock_line`].
    ///
    /// # Errors
    /// As [`Machine::lock_line`].
    fn lock_line(&mut self, address: u32, site: Site) -> Access<()> {
        self.machine().lock_line(address, site)?;
        self.observe_line(AccessKind::ZeroLine, address, site);
        Ok(())
    }

    /// `dcbst`. See [`Machine::store_line`].
    fn store_line(&mut self, address: u32, site: Site) {
        self.machine().store_line(address);
        self.observe_line(AccessKind::StoreLine, address, site);
    }

    /// `dcbf`. See [`Machine::flush_line`].
    fn flush_line(&mut self, address: u32, site: Site) {
        self.machine().flush_line(address);
        self.observe_line(AccessKind::FlushLine, address, site);
    }

    /// Tells the observer of a cache instruction.
    fn observe_line(&mut self, kind: AccessKind, address: u32, site: Site) {
        if Self::OBSERVED {
            self.observe(AccessRecord { site, kind, address, size: super::address::LINE_SIZE, value: 0 });
        }
    }

    /// A locked-cache DMA transfer. See [`Machine::transfer`].
    ///
    /// # Errors
    /// As [`Machine::transfer`].
    fn transfer(&mut self, registers: DmaRegisters, site: Site) -> Access<Option<Transfer>> {
        let done = self.machine().transfer(registers, site)?;
        if Self::OBSERVED {
            let asked = registers.transfer();
            self.observe(AccessRecord {
                site,
                kind: AccessKind::Transfer(asked.direction),
                address: asked.cache,
                size: asked.bytes(),
                value: u64::from(asked.memory),
            });
        }
        Ok(done)
    }
}

impl Bus for Machine {
    const OBSERVED: bool = false;

    fn machine(&mut self) -> &mut Machine {
        self
    }
}

/// A machine whose every access is told to a closure.
#[derive(Debug)]
pub struct Watched<'m, F> {
    machine: &'m mut Machine,
    observer: F,
}

impl<'m, F: FnMut(AccessRecord)> Watched<'m, F> {
    /// Watches a machine.
    pub fn new(machine: &'m mut Machine, observer: F) -> Self {
        Self { machine, observer }
    }
}

impl<F: FnMut(AccessRecord)> Bus for Watched<'_, F> {
    const OBSERVED: bool = true;

    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn observe(&mut self, record: AccessRecord) {
        (self.observer)(record);
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::tests::config;
    use super::super::map::Target;
    use super::*;
    use crate::gekko::quantize::Gqr;

    #[test]
    fn an_observer_sees_the_raw_bytes_of_every_access() {
        let mut machine = Machine::new(config(Target::Dolphin));
        machine.gqr[7] = Gqr::both(7, 4);
        let mut seen = Vec::new();
        let mut bus = Watched::new(&mut machine, |record: AccessRecord| {
            seen.push((record.kind, record.address, record.value));
        });
        let site = Site::default();
        bus.store_pair(0x8000_1000, [1.0, -1.0], false, 7, site).unwrap();
        bus.load_pair(0x8000_1002, true, 7, site).unwrap();
        bus.zero_line(0x8000_1000, site).unwrap();
        assert_eq!(
            seen,
            [
                (AccessKind::Store, 0x8000_1000, 0x0010_fff0),
                (AccessKind::Load, 0x8000_1002, 0xfff0),
                (AccessKind::ZeroLine, 0x8000_1000, 0),
            ]
        );
    }
}
