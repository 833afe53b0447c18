//! Floating point instructions on whole registers: arithmetic in ps0 (singles fill both lanes),
//! moves, comparisons, conversions, loads and stores.

use powerpc::Opcode as O;

use super::convert::{is_signalling, narrow, widen};
use super::estimate::{reciprocal, reciprocal_root};
use super::execute::Engine;
use super::fpscr::{Precision, VXSNAN, VXSQRT, VXVC, ZX};
use super::instruction::Instruction;
use super::memory::Form;
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;

impl<B: Bus> Engine<'_, B> {
    /// Writes a result: a single fills both lanes, a double ps0.
    #[inline]
    fn set_result(&mut self, i: Instruction, value: f64, precision: Precision) {
        match precision {
            Precision::Single => self.cpu.fpr[i.d()] = [value; 2],
            Precision::Double => self.cpu.fpr[i.d()][0] = value,
        }
        if i.rc() {
            self.record_float();
        }
    }

    /// CR1 := FX, FEX, VX, OX.
    pub(super) fn record_float(&mut self) {
        let bits = self.cpu.float.fpscr() >> 28;
        self.cpu.set_cr_field(1, bits);
    }

    #[inline]
    fn abc(&self, i: Instruction) -> [f64; 3] {
        [self.cpu.fpr[i.a()][0], self.cpu.fpr[i.c()][0], self.cpu.fpr[i.b()][0]]
    }

    /// Additions, multiplications, divisions, estimates, conversions.
    pub(super) fn float_arithmetic(&mut self, i: Instruction) {
        use Precision::{Double, Single};
        let [a, c, b] = self.abc(i);
        let float = &mut self.cpu.float;
        let (value, precision) = match i.op {
            O::Fadd => (float.add(a, b, Double), Double),
            O::Fadds => (float.add(a, b, Single), Single),
            O::Fsub => (float.subtract(a, b, Double), Double),
            O::Fsubs => (float.subtract(a, b, Single), Single),
            O::Fmul => (float.multiply(a, c, Double), Double),
            O::Fmuls => (float.multiply(a, c, Single), Single),
            O::Fdiv => (float.divide(a, b, Double), Double),
            O::Fdivs => (float.divide(a, b, Single), Single),
            O::Frsp => (float.round(b, Single), Single),
            O::Fres => (self.reciprocal(b), Single),
            O::Frsqrte => (self.reciprocal_root(b), Double),
            _ => return self.convert_to_integer(i, b), // fctiw, fctiwz
        };
        self.set_result(i, value, precision);
    }

    /// The `fres` of one lane.
    pub(super) fn reciprocal(&mut self, b: f64) -> f64 {
        let float = &mut self.cpu.float;
        if b == 0.0 {
            float.raise(ZX);
        }
        if is_signalling(b) {
            float.raise(VXSNAN);
        }
        float.note(reciprocal(b), Precision::Single)
    }

    /// The `frsqrte` of one lane.
    pub(super) fn reciprocal_root(&mut self, b: f64) -> f64 {
        let float = &mut self.cpu.float;
        if b == 0.0 {
            float.raise(ZX);
        }
        if b < 0.0 {
            float.raise(VXSQRT);
        }
        if is_signalling(b) {
            float.raise(VXSNAN);
        }
        float.note(reciprocal_root(b), Precision::Double)
    }

    /// The upper word of the result is fixed; its lowest bit tells a negative zero.
    /// [measured: Dolphin 5.0-17995]
    fn convert_to_integer(&mut self, i: Instruction, value: f64) {
        let mode = if i.op == O::Fctiwz { 1 } else { self.cpu.float.mode() };
        let word = self.cpu.float.integer(value, mode);
        let negative_zero = u64::from(word == 0 && value.is_sign_negative());
        let bits = 0xfff8_0000_0000_0000 | (negative_zero << 32) | u64::from(word);
        self.cpu.fpr[i.d()][0] = f64::from_bits(bits);
        if i.rc() {
            self.record_float();
        }
    }

    /// Fused multiply-adds.
    pub(super) fn float_multiply_add(&mut self, i: Instruction) {
        use Precision::{Double, Single};
        let abc = self.abc(i);
        let float = &mut self.cpu.float;
        let (value, precision) = match i.op {
            O::Fmadd => (float.multiply_add(abc, false, Double), Double),
            O::Fmadds => (float.multiply_add(abc, false, Single), Single),
            O::Fmsub => (float.multiply_add(abc, true, Double), Double),
            O::Fmsubs => (float.multiply_add(abc, true, Single), Single),
            O::Fnmadd => (float.negative_multiply_add(abc, false, Double), Double),
            O::Fnmadds => (float.negative_multiply_add(abc, false, Single), Single),
            O::Fnmsub => (float.negative_multiply_add(abc, true, Double), Double),
            _ => (float.negative_multiply_add(abc, true, Single), Single), // fnmsubs
        };
        self.set_result(i, value, precision);
    }

    /// Moves that look at no more than a sign; ps1 stays.
    pub(super) fn float_move(&mut self, i: Instruction) {
        let [a, c, b] = self.abc(i);
        self.cpu.fpr[i.d()][0] = match i.op {
            O::Fmr => b,
            O::Fneg => negated(b),
            O::Fabs => f64::from_bits(b.to_bits() & !SIGN),
            O::Fnabs => f64::from_bits(b.to_bits() | SIGN),
            _ => {
                if a >= 0.0 {
                    c
                } else {
                    b
                }
            } // fsel
        };
        if i.rc() {
            self.record_float();
        }
    }

    /// Comparisons and FPSCR moves.
    pub(super) fn float_status(&mut self, i: Instruction) {
        let [a, _, b] = self.abc(i);
        match i.op {
            O::Fcmpu => return self.compare_lanes(i, a, b, false),
            O::Fcmpo => return self.compare_lanes(i, a, b, true),
            O::Mcrfs => {
                let bits = self.cpu.float.take_field(i.crf_s());
                return self.cpu.set_cr_field(i.crf_d(), bits);
            }
            O::Mffs => {
                let bits = 0xfff8_0000_0000_0000 | u64::from(self.cpu.float.fpscr());
                self.cpu.fpr[i.d()][0] = f64::from_bits(bits);
            }
            O::Mtfsb0 => self.cpu.float.set_fpscr(0, 0x8000_0000 >> i.d()),
            O::Mtfsb1 => self.set_status_bit(0x8000_0000 >> i.d()),
            O::Mtfsfi => {
                let shift = 28 - 4 * i.crf_d() as u32;
                self.cpu.float.set_fpscr(((i.code >> 12) & 0xf) << shift, 0xf << shift);
            }
            _ => {
                // mtfsf
                let mask = (0..8).fold(0, |mask, field| {
                    if i.code & (0x0100_0000 >> field) == 0 {
                        mask
                    } else {
                        mask | (0xf000_0000 >> (4 * field))
                    }
                });
                self.cpu.float.set_fpscr(b.to_bits() as u32, mask);
            }
        }
        if i.rc() {
            self.record_float();
        }
    }

    /// Setting an exception bit sets FX as well.
    fn set_status_bit(&mut self, bit: u32) {
        if bit & 0x1ff8_0700 == 0 {
            self.cpu.float.set_fpscr(bit, bit);
        } else {
            self.cpu.float.raise(bit & !0x2000_0000);
        }
    }

    /// Compares into a condition register field and FPCC.
    pub(super) fn compare_lanes(&mut self, i: Instruction, a: f64, b: f64, ordered: bool) {
        let bits = match a.partial_cmp(&b) {
            Some(std::cmp::Ordering::Less) => 8,
            Some(std::cmp::Ordering::Greater) => 4,
            Some(std::cmp::Ordering::Equal) => 2,
            None => 1,
        };
        if bits == 1 {
            let signalling = is_signalling(a) || is_signalling(b);
            let exceptions = (u32::from(signalling) * VXSNAN) | (u32::from(ordered) * VXVC);
            self.cpu.float.raise(exceptions);
        }
        self.cpu.float.set_comparison(bits);
        self.cpu.set_cr_field(i.crf_d(), bits);
    }

    /// Loads: a single fills both lanes, a double ps0.
    pub(super) fn load_float(&mut self, i: Instruction) -> Access<()> {
        use Form as F;
        let (single, form) = match i.op {
            O::Lfs => (true, F::Displaced),
            O::Lfsu => (true, F::DisplacedUpdate),
            O::Lfsx => (true, F::Indexed),
            O::Lfsux => (true, F::IndexedUpdate),
            O::Lfd => (false, F::Displaced),
            O::Lfdu => (false, F::DisplacedUpdate),
            O::Lfdx => (false, F::Indexed),
            _ => (false, F::IndexedUpdate), // lfdux
        };
        let address = self.address(i, form);
        if single {
            self.cpu.fpr[i.d()] = [widen(self.read(address, 4)? as u32); 2];
        } else {
            self.cpu.fpr[i.d()][0] = f64::from_bits(self.read(address, 8)?);
        }
        if form.updates() {
            self.cpu.gpr[i.a()] = address;
        }
        Ok(())
    }

    /// Stores of ps0 as a single, as a double, or its lower word.
    pub(super) fn store_float(&mut self, i: Instruction) -> Access<()> {
        use Form as F;
        let value = self.cpu.fpr[i.d()][0];
        let (size, form) = match i.op {
            O::Stfs => (4, F::Displaced),
            O::Stfsu => (4, F::DisplacedUpdate),
            O::Stfsx | O::Stfiwx => (4, F::Indexed),
            O::Stfsux => (4, F::IndexedUpdate),
            O::Stfd => (8, F::Displaced),
            O::Stfdu => (8, F::DisplacedUpdate),
            O::Stfdx => (8, F::Indexed),
            _ => (8, F::IndexedUpdate), // stfdux
        };
        let bits = match (i.op, size) {
            (O::Stfiwx, _) => value.to_bits() & 0xffff_ffff,
            (_, 4) => u64::from(narrow(value)),
            _ => value.to_bits(),
        };
        let address = self.address(i, form);
        self.write(address, size, bits)?;
        if form.updates() {
            self.cpu.gpr[i.a()] = address;
        }
        Ok(())
    }
}

const SIGN: u64 = 0x8000_0000_0000_0000;

/// The sign bit turned over, of a NaN too.
pub(super) fn negated(value: f64) -> f64 {
    f64::from_bits(value.to_bits() ^ SIGN)
}
