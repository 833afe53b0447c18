//! Integer loads and stores, singly, in multiples and as strings.

use powerpc::Opcode as O;

use super::execute::Engine;
use super::instruction::Instruction;
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;

/// How an address is formed, and whether rA receives it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    Displaced,
    Indexed,
    DisplacedUpdate,
    IndexedUpdate,
}

impl Form {
    #[inline]
    pub(super) fn updates(self) -> bool {
        matches!(self, Self::DisplacedUpdate | Self::IndexedUpdate)
    }
}

impl<B: Bus> Engine<'_, B> {
    /// rA, or 0 where the field is 0.
    #[inline]
    pub(super) fn base(&self, i: Instruction) -> u32 {
        if i.a() == 0 { 0 } else { self.cpu.gpr[i.a()] }
    }

    #[inline]
    pub(super) fn address(&self, i: Instruction, form: Form) -> u32 {
        match form {
            Form::Displaced => self.base(i).wrapping_add(i.simm()),
            Form::Indexed => self.base(i).wrapping_add(self.cpu.gpr[i.b()]),
            Form::DisplacedUpdate => self.cpu.gpr[i.a()].wrapping_add(i.simm()),
            Form::IndexedUpdate => self.cpu.gpr[i.a()].wrapping_add(self.cpu.gpr[i.b()]),
        }
    }

    #[inline]
    pub(super) fn read(&mut self, address: u32, size: u32) -> Access<u64> {
        self.bus.read(address, size, self.site())
    }

    #[inline]
    pub(super) fn write(&mut self, address: u32, size: u32, value: u64) -> Access<()> {
        self.bus.write(address, size, value, self.site())
    }

    /// Loads of one word, halfword or byte.
    #[inline]
    pub(super) fn load_integer(&mut self, i: Instruction) -> Access<()> {
        use Form as F;
        let (size, form) = match i.op {
            O::Lwz => (4, F::Displaced),
            O::Lwzu => (4, F::DisplacedUpdate),
            O::Lwzx | O::Lwbrx => (4, F::Indexed),
            O::Lwzux => (4, F::IndexedUpdate),
            O::Lhz | O::Lha => (2, F::Displaced),
            O::Lhzu | O::Lhau => (2, F::DisplacedUpdate),
            O::Lhzx | O::Lhax | O::Lhbrx => (2, F::Indexed),
            O::Lhzux | O::Lhaux => (2, F::IndexedUpdate),
            O::Lbz => (1, F::Displaced),
            O::Lbzu => (1, F::DisplacedUpdate),
            O::Lbzx => (1, F::Indexed),
            _ => (1, F::IndexedUpdate), // lbzux
        };
        let address = self.address(i, form);
        let value = self.read(address, size)? as u32;
        let value = match i.op {
            O::Lha | O::Lhau | O::Lhax | O::Lhaux => value as i16 as i32 as u32,
            O::Lwbrx => value.swap_bytes(),
            O::Lhbrx => u32::from((value as u16).swap_bytes()),
            _ => value,
        };
        if form.updates() {
            self.cpu.gpr[i.a()] = address;
        }
        self.cpu.gpr[i.d()] = value;
        Ok(())
    }

    /// Stores of one word, halfword or byte.
    #[inline]
    pub(super) fn store_integer(&mut self, i: Instruction) -> Access<()> {
        use Form as F;
        let (size, form) = match i.op {
            O::Stw => (4, F::Displaced),
            O::Stwu => (4, F::DisplacedUpdate),
            O::Stwx | O::Stwbrx => (4, F::Indexed),
            O::Stwux => (4, F::IndexedUpdate),
            O::Sth => (2, F::Displaced),
            O::Sthu => (2, F::DisplacedUpdate),
            O::Sthx | O::Sthbrx => (2, F::Indexed),
            O::Sthux => (2, F::IndexedUpdate),
            O::Stb => (1, F::Displaced),
            O::Stbu => (1, F::DisplacedUpdate),
            O::Stbx => (1, F::Indexed),
            _ => (1, F::IndexedUpdate), // stbux
        };
        let address = self.address(i, form);
        let value = self.cpu.gpr[i.d()];
        let value = match i.op {
            O::Stwbrx => value.swap_bytes(),
            O::Sthbrx => u32::from((value as u16).swap_bytes()),
            _ => value,
        };
        self.write(address, size, u64::from(value) & (u64::MAX >> (64 - 8 * size)))?;
        if form.updates() {
            self.cpu.gpr[i.a()] = address;
        }
        Ok(())
    }

    /// Multiples, strings, and the reservation pair.
    pub(super) fn load_multiple(&mut self, i: Instruction) -> Access<()> {
        let immediate_length = if i.b() == 0 { 32 } else { i.b() as u32 };
        let base = self.base(i);
        let indexed = base.wrapping_add(self.cpu.gpr[i.b()]);
        match i.op {
            O::Lmw => self.load_words(i, base.wrapping_add(i.simm())),
            O::Stmw => self.store_words(i, base.wrapping_add(i.simm())),
            O::Lswi => self.load_string(i, base, immediate_length),
            O::Lswx => self.load_string(i, indexed, self.cpu.xer & 0x7f),
            O::Stswi => self.store_string(i, base, immediate_length),
            O::Stswx => self.store_string(i, indexed, self.cpu.xer & 0x7f),
            O::Lwarx => {
                self.cpu.gpr[i.d()] = self.read(indexed, 4)? as u32;
                self.cpu.reservation = Some(indexed);
                Ok(())
            }
            _ => self.store_conditional(i, indexed), // stwcx.
        }
    }

    fn load_words(&mut self, i: Instruction, address: u32) -> Access<()> {
        for (index, register) in (i.d()..32).enumerate() {
            self.cpu.gpr[register] = self.read(address.wrapping_add(4 * index as u32), 4)? as u32;
        }
        Ok(())
    }

    fn store_words(&mut self, i: Instruction, address: u32) -> Access<()> {
        for (index, register) in (i.d()..32).enumerate() {
            let value = u64::from(self.cpu.gpr[register]);
            self.write(address.wrapping_add(4 * index as u32), 4, value)?;
        }
        Ok(())
    }

    /// Bytes fill registers from the left, around from r31 to r0; the rest of the last one is zero.
    fn load_string(&mut self, i: Instruction, address: u32, length: u32) -> Access<()> {
        for index in 0..length {
            let byte = self.read(address.wrapping_add(index), 1)? as u32;
            let register = (i.d() + (index / 4) as usize) % 32;
            let kept = if index % 4 == 0 { 0 } else { self.cpu.gpr[register] };
            self.cpu.gpr[register] = kept | (byte << (24 - 8 * (index % 4)));
        }
        Ok(())
    }

    fn store_string(&mut self, i: Instruction, address: u32, length: u32) -> Access<()> {
        for index in 0..length {
            let register = (i.d() + (index / 4) as usize) % 32;
            let byte = (self.cpu.gpr[register] >> (24 - 8 * (index % 4))) & 0xff;
            self.write(address.wrapping_add(index), 1, u64::from(byte))?;
        }
        Ok(())
    }

    fn store_conditional(&mut self, i: Instruction, address: u32) -> Access<()> {
        let stored = self.cpu.reservation.take() == Some(address);
        if stored {
            self.write(address, 4, u64::from(self.cpu.gpr[i.d()]))?;
        }
        self.cpu.set_cr_field(0, (u32::from(stored) << 1) | (self.cpu.xer >> 31));
        Ok(())
    }
}
