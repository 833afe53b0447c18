//! Logic, shifts and rotates. The destination is rA, the source rS.

use powerpc::Opcode as O;

use super::execute::Engine;
use super::instruction::Instruction;
use crate::gekko::bus::Bus;

impl<B: Bus> Engine<'_, B> {
    /// Bitwise logic, sign extensions, leading zeros.
    #[inline]
    pub(super) fn logical(&mut self, i: Instruction) {
        let (s, b) = (self.cpu.gpr[i.d()], self.cpu.gpr[i.b()]);
        let result = match i.op {
            O::Ori => return self.cpu.gpr[i.a()] = s | i.uimm(),
            O::Oris => return self.cpu.gpr[i.a()] = s | (i.uimm() << 16),
            O::Xori => return self.cpu.gpr[i.a()] = s ^ i.uimm(),
            O::Xoris => return self.cpu.gpr[i.a()] = s ^ (i.uimm() << 16),
            O::Andi_ => return self.set_a_recorded(i, s & i.uimm()),
            O::Andis_ => return self.set_a_recorded(i, s & (i.uimm() << 16)),
            O::And => s & b,
            O::Andc => s & !b,
            O::Or => s | b,
            O::Orc => s | !b,
            O::Xor => s ^ b,
            O::Nand => !(s & b),
            O::Nor => !(s | b),
            O::Eqv => !(s ^ b),
            O::Extsb => s as i8 as i32 as u32,
            O::Extsh => s as i16 as i32 as u32,
            _ => s.leading_zeros(), // cntlzw
        };
        self.set_a(i, result);
    }

    #[inline]
    fn set_a(&mut self, i: Instruction, result: u32) {
        self.cpu.gpr[i.a()] = result;
        if i.rc() {
            self.cpu.record(result);
        }
    }

    fn set_a_recorded(&mut self, i: Instruction, result: u32) {
        self.cpu.gpr[i.a()] = result;
        self.cpu.record(result);
    }

    /// Shifts and rotates.
    #[inline]
    pub(super) fn shift(&mut self, i: Instruction) {
        let (s, b) = (self.cpu.gpr[i.d()], self.cpu.gpr[i.b()]);
        let mask = rotate_mask(i.c() as u32, i.mask_end() as u32);
        let result = match i.op {
            O::Rlwinm => s.rotate_left(i.b() as u32) & mask,
            O::Rlwimi => (s.rotate_left(i.b() as u32) & mask) | (self.cpu.gpr[i.a()] & !mask),
            O::Rlwnm => s.rotate_left(b & 31) & mask,
            O::Slw => s.checked_shl(b & 63).unwrap_or(0),
            O::Srw => s.checked_shr(b & 63).unwrap_or(0),
            O::Srawi => self.shift_algebraic(s, i.b() as u32),
            _ => self.shift_algebraic(s, b & 63), // sraw
        };
        self.set_a(i, result);
    }

    /// The carry tells that ones were shifted out of a negative number.
    fn shift_algebraic(&mut self, value: u32, amount: u32) -> u32 {
        let value = value as i32;
        let result = value >> amount.min(31);
        let lost = if amount > 31 { value != 0 } else { result << amount != value };
        self.cpu.set_carry(value < 0 && lost);
        result as u32
    }
}

/// Ones from bit `begin` to bit `end` (bit 0 the most significant), around the end if need be.
#[inline]
const fn rotate_mask(begin: u32, end: u32) -> u32 {
    let from_begin = u32::MAX >> begin;
    let to_end = u32::MAX << (31 - end);
    if begin <= end { from_begin & to_end } else { from_begin | to_end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_may_wrap_around() {
        assert_eq!(rotate_mask(0, 31), u32::MAX);
        assert_eq!(rotate_mask(28, 31), 0xf);
        assert_eq!(rotate_mask(30, 1), 0xc000_0003);
    }
}
