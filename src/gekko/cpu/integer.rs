//! Integer arithmetic and comparisons.

use powerpc::Opcode as O;

use super::execute::Engine;
use super::instruction::Instruction;
use crate::gekko::bus::Bus;

/// What an addition does besides its sum.
#[derive(Clone, Copy)]
struct Effects {
    carry: bool,
    overflow: bool,
    record: bool,
}

impl<B: Bus> Engine<'_, B> {
    /// Everything that is an addition: `x + y + carry in`. Subtraction complements an operand.
    #[inline]
    pub(super) fn add(&mut self, i: Instruction) {
        let cpu = &self.cpu;
        let (a, b, carry) = (cpu.gpr[i.a()], cpu.gpr[i.b()], cpu.carry());
        let a_or_zero = if i.a() == 0 { 0 } else { a };
        let (x, y, carry_in, sets_carry) = match i.op {
            O::Addi => return self.cpu.gpr[i.d()] = a_or_zero.wrapping_add(i.simm()),
            O::Addis => return self.cpu.gpr[i.d()] = a_or_zero.wrapping_add(i.simm() << 16),
            O::Addic | O::Addic_ => return self.add_immediate(i, a, i.simm(), 0, i.op == O::Addic_),
            O::Subfic => return self.add_immediate(i, !a, i.simm(), 1, false),
            O::Add => (a, b, 0, false),
            O::Addc => (a, b, 0, true),
            O::Adde => (a, b, carry, true),
            O::Addme => (a, u32::MAX, carry, true),
            O::Addze => (a, 0, carry, true),
            O::Subf => (!a, b, 1, false),
            O::Subfc => (!a, b, 1, true),
            O::Subfe => (!a, b, carry, true),
            O::Subfme => (!a, u32::MAX, carry, true),
            O::Subfze => (!a, 0, carry, true),
            _ => (!a, 0, 1, false), // neg
        };
        let effects = Effects { carry: sets_carry, overflow: i.oe(), record: i.rc() };
        self.sum(i, x, y, carry_in, effects);
    }

    fn add_immediate(&mut self, i: Instruction, x: u32, y: u32, carry_in: u32, record: bool) {
        self.sum(i, x, y, carry_in, Effects { carry: true, overflow: false, record });
    }

    #[inline]
    fn sum(&mut self, i: Instruction, x: u32, y: u32, carry_in: u32, effects: Effects) {
        let wide = u64::from(x) + u64::from(y) + u64::from(carry_in);
        let result = wide as u32;
        self.cpu.gpr[i.d()] = result;
        if effects.carry {
            self.cpu.set_carry(wide >> 32 != 0);
        }
        if effects.overflow {
            self.cpu.set_overflow((x ^ result) & (y ^ result) & 0x8000_0000 != 0);
        }
        if effects.record {
            self.cpu.record(result);
        }
    }

    /// Multiplications and divisions.
    pub(super) fn multiply(&mut self, i: Instruction) {
        let (a, b) = (self.cpu.gpr[i.a()], self.cpu.gpr[i.b()]);
        let signed = i64::from(a as i32) * i64::from(b as i32);
        let (result, overflow) = match i.op {
            O::Mulli => return self.cpu.gpr[i.d()] = a.wrapping_mul(i.simm()),
            O::Mullw => (signed as u32, i64::from(signed as i32) != signed),
            O::Mulhw => return self.set_recorded(i, (signed >> 32) as u32),
            O::Mulhwu => return self.set_recorded(i, ((u64::from(a) * u64::from(b)) >> 32) as u32),
            O::Divw => divide_signed(a as i32, b as i32),
            _ => (a.checked_div(b).unwrap_or(0), b == 0), // divwu
        };
        if i.oe() {
            self.cpu.set_overflow(overflow);
        }
        self.set_recorded(i, result);
    }

    fn set_recorded(&mut self, i: Instruction, result: u32) {
        self.cpu.gpr[i.d()] = result;
        if i.rc() {
            self.cpu.record(result);
        }
    }

    /// Comparisons into a condition register field.
    pub(super) fn compare(&mut self, i: Instruction) {
        let (a, b) = (self.cpu.gpr[i.a()], self.cpu.gpr[i.b()]);
        let order = match i.op {
            O::Cmp => (a as i32).cmp(&(b as i32)),
            O::Cmpi => (a as i32).cmp(&(i.simm() as i32)),
            O::Cmpl => a.cmp(&b),
            _ => a.cmp(&i.uimm()), // cmpli
        };
        let bits = match order {
            std::cmp::Ordering::Less => 8,
            std::cmp::Ordering::Greater => 4,
            std::cmp::Ordering::Equal => 2,
        };
        self.cpu.set_cr_field(i.crf_d(), bits | (self.cpu.xer >> 31));
    }
}

/// A quotient that does not exist reads as the dividend's sign. [measured: Dolphin 5.0-17995]
fn divide_signed(a: i32, b: i32) -> (u32, bool) {
    match a.checked_div(b) {
        Some(quotient) => (quotient as u32, false),
        None if a < 0 => (u32::MAX, true),
        None => (0, true),
    }
}
