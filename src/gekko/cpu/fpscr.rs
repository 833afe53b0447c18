//! FPSCR: status, control, and the class of the last result.

use crate::gekko::paired_single::{Arithmetic, Rounding};

pub(super) const FX: u32 = 0x8000_0000;
const FEX: u32 = 0x4000_0000;
const VX: u32 = 0x2000_0000;
pub(super) const ZX: u32 = 0x0400_0000;
pub(super) const VXSNAN: u32 = 0x0100_0000;
pub(super) const VXISI: u32 = 0x0080_0000;
pub(super) const VXIDI: u32 = 0x0040_0000;
pub(super) const VXZDZ: u32 = 0x0020_0000;
pub(super) const VXIMZ: u32 = 0x0010_0000;
pub(super) const VXVC: u32 = 0x0008_0000;
const FPRF: u32 = 0x0001_f000;
pub(super) const VXSQRT: u32 = 0x0000_0200;
pub(super) const VXCVI: u32 = 0x0000_0100;
/// Non-IEEE mode: denormal results become zeros.
pub const NI: u32 = 0x0000_0004;
const RN: u32 = 0x0000_0003;

/// Every cause of an invalid operation.
const INVALID: u32 = 0x01f8_0700;
/// The exception bits that `mcrfs` clears.
const EXCEPTIONS: u32 = 0x9ff8_0700;

/// How many bits a result is rounded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// A single.
    Single,
    /// A double.
    Double,
}

/// FPSCR and the choices that the arithmetic depends on.
///
/// Exceptions are never taken (as in Dolphin by default): VE, ZE and their like change nothing but
/// FEX. XX, OX, UX, FR and FI are not kept. [machine.md; measured: Dolphin 5.0-17995]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FloatUnit {
    bits: u32,
    /// The last result, of which FPRF is the class; computed when it is asked for.
    result: Option<(f64, Precision)>,
    /// Rounding of fused multiply-adds.
    rounding: Rounding,
    /// Whose NaNs and flushing.
    arithmetic: Arithmetic,
    /// Whether the host's double arithmetic followed by one conversion is exact: nearest rounding,
    /// in Dolphin's way.
    plain: bool,
}

impl Default for FloatUnit {
    /// Nearest rounding, NI set, as the SDK's start-up leaves it. [machine.md A4: H]
    fn default() -> Self {
        Self {
            bits: NI,
            result: None,
            rounding: Rounding::Dolphin,
            arithmetic: Arithmetic::Interpreter,
            plain: true,
        }
    }
}

impl FloatUnit {
    /// With another rounding of fused multiply-adds.
    #[must_use]
    pub fn with_rounding(mut self, rounding: Rounding) -> Self {
        self.rounding = rounding;
        self.update();
        self
    }

    /// With the arithmetic of another engine.
    #[must_use]
    pub fn with_arithmetic(mut self, arithmetic: Arithmetic) -> Self {
        self.arithmetic = arithmetic;
        self
    }

    /// Whether Dolphin's JIT is asked for.
    #[inline]
    pub(super) fn is_jit(&self) -> bool {
        self.arithmetic == Arithmetic::Jit
    }

    fn update(&mut self) {
        self.plain = self.bits & RN == 0 && self.rounding == Rounding::Dolphin;
    }

    #[inline]
    pub(super) fn plain(&self) -> bool {
        self.plain
    }

    #[inline]
    pub(super) fn flushes(&self) -> bool {
        self.bits & NI != 0
    }

    /// The rounding mode: 0 nearest, 1 toward zero, 2 up, 3 down.
    pub(super) fn mode(&self) -> u32 {
        self.bits & RN
    }

    /// The whole register.
    pub fn fpscr(&self) -> u32 {
        let class = match self.result {
            Some((value, precision)) => class_of(value, precision) << 12,
            None => self.bits & FPRF,
        };
        let mut bits = (self.bits & !FPRF & !VX & !FEX) | class;
        if bits & INVALID != 0 {
            bits |= VX;
        }
        // The enable bits lie where the summary bits VX, OX, UX, ZX, XX do, 22 bits lower.
        if (bits >> 22) & bits & 0xf8 != 0 {
            bits |= FEX;
        }
        bits
    }

    /// Writes the register under a mask. FEX and VX cannot be written.
    pub fn set_fpscr(&mut self, value: u32, mask: u32) {
        let mask = mask & !(FEX | VX);
        self.bits = (self.fpscr() & !mask) | (value & mask);
        self.result = None;
        self.update();
    }

    /// Sets exception bits, and FX where one is new.
    pub(super) fn raise(&mut self, exceptions: u32) {
        if self.bits & exceptions != exceptions {
            self.bits |= FX;
        }
        self.bits |= exceptions;
    }

    /// `mcrfs`: one field of the register; its exception bits are cleared.
    pub(super) fn take_field(&mut self, field: usize) -> u32 {
        let shift = 28 - 4 * field;
        let bits = (self.fpscr() >> shift) & 0xf;
        self.bits &= !((0xf << shift) & EXCEPTIONS);
        bits
    }

    /// The outcome of a comparison: FPCC, the class bit left as it was.
    pub(super) fn set_comparison(&mut self, bits: u32) {
        self.bits = (self.fpscr() & !0xf000) | (bits << 12);
        self.result = None;
    }

    /// Notes a result.
    #[inline]
    pub(super) fn note(&mut self, value: f64, precision: Precision) -> f64 {
        self.result = Some((value, precision));
        value
    }
}

/// FPRF of a value: class bit, less, greater, equal, unordered.
fn class_of(value: f64, precision: Precision) -> u32 {
    use std::num::FpCategory as Category;
    let category = match precision {
        Precision::Single => (value as f32).classify(),
        Precision::Double => value.classify(),
    };
    match (category, value.is_sign_negative()) {
        (Category::Nan, _) => 0x11,
        (Category::Infinite, true) => 0x09,
        (Category::Infinite, false) => 0x05,
        (Category::Normal, true) => 0x08,
        (Category::Normal, false) => 0x04,
        (Category::Subnormal, true) => 0x18,
        (Category::Subnormal, false) => 0x14,
        (Category::Zero, true) => 0x12,
        (Category::Zero, false) => 0x02,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_bits_follow_their_causes() {
        let mut unit = FloatUnit::default();
        unit.raise(VXISI);
        assert_eq!(unit.fpscr(), FX | VX | VXISI | NI);
        unit.set_fpscr(0x80, 0x80);
        assert_eq!(unit.fpscr() & FEX, FEX);
        assert_eq!(unit.take_field(2), 8);
        assert_eq!(unit.fpscr() & (VX | FEX), 0);
    }

    #[test]
    fn the_class_is_that_of_the_last_result() {
        let mut unit = FloatUnit::default();
        unit.note(-1e-40, Precision::Single);
        assert_eq!((unit.fpscr() >> 12) & 0x1f, 0x18);
        unit.note(-1e-40, Precision::Double);
        assert_eq!((unit.fpscr() >> 12) & 0x1f, 0x08);
        unit.set_comparison(2);
        assert_eq!((unit.fpscr() >> 12) & 0x1f, 0x02);
    }
}
