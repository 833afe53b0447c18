//! Floating point arithmetic on register lanes, bit for bit.
//!
//! The usual case (nearest rounding, Dolphin's way) is the host's double arithmetic and one
//! conversion. What that cannot do (directed rounding, and the hardware's single rounding of lanes
//! that are not singles) goes through `rustc_apfloat`.

use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use super::convert::{
    GENERATED_NAN, GENERATED_NAN_OF_THE_JIT, SMALLEST_AFTER_ROUNDING, is_signalling, is_single, quieted,
    to_25_bits,
};
use super::float::negated;
use super::fpscr::{FloatUnit, Precision, VXCVI, VXIDI, VXIMZ, VXISI, VXSNAN, VXZDZ, ZX};
use crate::gekko::paired_single::{self, Rounding};

/// The smallest normal single, as a double.
const SMALLEST_SINGLE: f64 = f32::MIN_POSITIVE as f64;

/// An operation, for the slow path.
#[derive(Debug, Clone, Copy)]
enum Operation {
    Round(f64),
    Add(f64, f64),
    Multiply(f64, f64),
    Divide(f64, f64),
    MultiplyAdd(f64, f64, f64),
}

impl FloatUnit {
    /// `a + b`.
    #[inline]
    pub(super) fn add(&mut self, a: f64, b: f64, precision: Precision) -> f64 {
        let sum = a + b;
        if sum.is_nan() {
            return self.nan(&[a, b], VXISI, precision);
        }
        self.finish(sum, precision, || Operation::Add(a, b))
    }

    /// `a - b`.
    #[inline]
    pub(super) fn subtract(&mut self, a: f64, b: f64, precision: Precision) -> f64 {
        let difference = a - b;
        if difference.is_nan() {
            return self.nan(&[a, b], VXISI, precision);
        }
        self.finish(difference, precision, || Operation::Add(a, -b))
    }

    /// `a * c`. In single precision, `c` is first rounded to 25 bits.
    #[inline]
    pub(super) fn multiply(&mut self, a: f64, c: f64, precision: Precision) -> f64 {
        let c = factor(c, precision);
        let product = a * c;
        if product.is_nan() {
            return self.nan(&[a, c], VXIMZ, precision);
        }
        self.finish(product, precision, || Operation::Multiply(a, c))
    }

    /// The product of `ps_muls0` and `ps_muls1`: Dolphin's JIT looks for a NaN in frC first.
    /// [measured: Dolphin 5.0-17995 JIT]
    pub(super) fn multiply_scalar(&mut self, a: f64, c: f64) -> f64 {
        let product = self.multiply(a, c, Precision::Single);
        if c.is_nan() && self.is_jit() { self.nan(&[c], 0, Precision::Single) } else { product }
    }

    /// `a / b`.
    pub(super) fn divide(&mut self, a: f64, b: f64, precision: Precision) -> f64 {
        let quotient = a / b;
        if quotient.is_nan() {
            return self.nan(&[a, b], if b == 0.0 { VXZDZ } else { VXIDI }, precision);
        }
        if b == 0.0 && a.is_finite() {
            self.raise(ZX);
        }
        self.finish(quotient, precision, || Operation::Divide(a, b))
    }

    /// `a * c + b`, or `- b`, fused. In single precision, `c` is first rounded to 25 bits.
    #[inline]
    pub(super) fn multiply_add(&mut self, [a, c, b]: [f64; 3], minus: bool, precision: Precision) -> f64 {
        let c = factor(c, precision);
        let addend = if minus { -b } else { b };
        // The product of two singles is exact in a double: then no fused operation is needed.
        let sum = if is_single(a) && is_single(c) { a * c + addend } else { a.mul_add(c, addend) };
        if sum.is_nan() {
            let zero_by_infinity = (a == 0.0 && c.is_infinite()) || (a.is_infinite() && c == 0.0);
            // The JIT's fused operation has frC as its first operand. [measured: Dolphin 5.0-17995 JIT]
            let order = if self.is_jit() { [c, a, b] } else { [a, b, c] };
            return self.nan(&order, if zero_by_infinity { VXIMZ } else { VXISI }, precision);
        }
        self.finish(sum, precision, || Operation::MultiplyAdd(a, c, addend))
    }

    /// Both lanes of `a * c + b` in single precision at once, where nothing unusual happens: singles
    /// in, normal singles (or what rounds to infinity) out. `None` sends the lanes the long way.
    #[inline]
    pub(super) fn multiply_add_pair(&self, a: [f64; 2], c: [f64; 2], b: [f64; 2]) -> Option<[f64; 2]> {
        let sums = [a[0] * c[0] + b[0], a[1] * c[1] + b[1]];
        (self.plain() && are_short(a, c) && is_usual(sums[0]) && is_usual(sums[1]))
            .then(|| [f64::from(sums[0] as f32), f64::from(sums[1] as f32)])
    }

    /// Both lanes of `a * c`, likewise.
    #[inline]
    pub(super) fn multiply_pair(&self, a: [f64; 2], c: [f64; 2]) -> Option<[f64; 2]> {
        let products = [a[0] * c[0], a[1] * c[1]];
        (self.plain() && are_short(a, c) && is_usual(products[0]) && is_usual(products[1]))
            .then(|| [f64::from(products[0] as f32), f64::from(products[1] as f32)])
    }

    /// The negated form: a NaN keeps its sign, but not in the JIT. [measured: Dolphin 5.0-17995]
    #[inline]
    pub(super) fn negative_multiply_add(&mut self, abc: [f64; 3], minus: bool, precision: Precision) -> f64 {
        let value = self.multiply_add(abc, minus, precision);
        let value = if value.is_nan() && !self.is_jit() { value } else { negated(value) };
        self.note(value, precision)
    }

    /// `frsp`, and lanes that pass through an operation.
    #[inline]
    pub(super) fn round(&mut self, value: f64, precision: Precision) -> f64 {
        if value.is_nan() {
            return self.nan(&[value], 0, precision);
        }
        self.finish(value, precision, || Operation::Round(value))
    }

    /// The first NaN of the operands, quieted, or the generated one.
    /// [measured: Dolphin 5.0-17995 interpreter, 5,238 lanes]
    #[cold]
    pub(super) fn nan(&mut self, operands: &[f64], invalid: u32, precision: Precision) -> f64 {
        if operands.iter().any(|&operand| is_signalling(operand)) {
            self.raise(VXSNAN);
        }
        let value = if let Some(&nan) = operands.iter().find(|operand| operand.is_nan()) {
            quieted(nan, precision == Precision::Single)
        } else {
            self.raise(invalid);
            if self.is_jit() { GENERATED_NAN_OF_THE_JIT } else { GENERATED_NAN }
        };
        self.note(value, precision)
    }

    /// Rounds a result that is not a NaN. `value` is the operation's double, to nearest.
    #[inline]
    fn finish(&mut self, value: f64, precision: Precision, operation: impl FnOnce() -> Operation) -> f64 {
        let rounded = if self.plain() {
            self.flush(value, precision).unwrap_or_else(|| nearest(value, precision))
        } else {
            self.finish_exactly(value, precision, operation())
        };
        self.note(rounded, precision)
    }

    /// The signed zero of a result that is denormal before rounding (in the JIT: after it), if NI asks for
    /// it. [measured: Dolphin 5.0-17995; machine.md A4: hardware]
    #[inline]
    fn flush(&self, value: f64, precision: Precision) -> Option<f64> {
        let smallest = match precision {
            Precision::Single if self.is_jit() => SMALLEST_AFTER_ROUNDING,
            Precision::Single => SMALLEST_SINGLE,
            Precision::Double => f64::MIN_POSITIVE,
        };
        (value.abs() < smallest && self.flushes()).then(|| 0.0f64.copysign(value))
    }

    #[cold]
    fn finish_exactly(&self, value: f64, precision: Precision, operation: Operation) -> f64 {
        if self.mode() == 0 {
            if precision == Precision::Double || operation.rounds_once() {
                return self.flush(value, precision).unwrap_or_else(|| nearest(value, precision));
            }
            if let (Operation::MultiplyAdd(a, c, b), true) = (operation, self.flushes())
                && [a, c, b].into_iter().all(is_single)
            {
                let sum = paired_single::multiply_add(a as f32, c as f32, b as f32, Rounding::Exact);
                return f64::from(sum);
            }
        }
        let mode = round_mode(self.mode());
        match precision {
            Precision::Double => {
                let rounded = operation.compute(mode).0;
                self.flush(rounded, precision).unwrap_or(rounded)
            }
            Precision::Single => {
                let odd = operation.to_odd();
                if odd == 0.0 {
                    // The sign of an exact zero depends on the mode; it needs no rounding.
                    return operation.compute(mode).0;
                }
                self.flush(odd, precision).unwrap_or_else(|| to_single(odd, mode))
            }
        }
    }

    /// `fctiw` and `fctiwz`: to a signed word by a rounding mode; saturated.
    pub(super) fn integer(&mut self, value: f64, mode: u32) -> u32 {
        let rounded = match mode {
            0 => value.round_ties_even(),
            1 => value.trunc(),
            2 => value.ceil(),
            _ => value.floor(),
        };
        if is_signalling(value) {
            self.raise(VXSNAN);
        }
        if value.is_nan() || rounded < f64::from(i32::MIN) || rounded > f64::from(i32::MAX) {
            self.raise(VXCVI);
        }
        if value.is_nan() { 0x8000_0000 } else { (rounded as i32) as u32 }
    }
}

impl Operation {
    /// Whether rounding to double and then to single is the same as rounding once: true for sums,
    /// products and quotients of singles, whose results have 53 ≥ 2 × 24 + 2 bits.
    fn rounds_once(self) -> bool {
        match self {
            Self::Round(_) => true,
            Self::Add(a, b) | Self::Multiply(a, b) | Self::Divide(a, b) => is_single(a) && is_single(b),
            Self::MultiplyAdd(..) => false,
        }
    }

    /// The result as a double, and whether it is exact.
    fn compute(self, mode: Round) -> (f64, bool) {
        let double = |value: f64| Double::from_bits(u128::from(value.to_bits()));
        let result = match self {
            Self::Round(value) => return (value, true),
            Self::Add(a, b) => double(a).add_r(double(b), mode),
            Self::Multiply(a, b) => double(a).mul_r(double(b), mode),
            Self::Divide(a, b) => double(a).div_r(double(b), mode),
            Self::MultiplyAdd(a, c, b) => double(a).mul_add_r(double(c), double(b), mode),
        };
        (f64::from_bits(result.value.to_bits() as u64), !result.status.contains(Status::INEXACT))
    }

    /// The result rounded to odd: rounding it again rounds the exact one once.
    fn to_odd(self) -> f64 {
        let (value, exact) = self.compute(Round::TowardZero);
        if exact { value } else { f64::from_bits(value.to_bits() | 1) }
    }
}

/// Whether all lanes have no more bits than a single, so that a product is exact, as long as its
/// exponent fits: where it does not, the result is not usual, or does not depend on it.
#[inline]
fn are_short(a: [f64; 2], c: [f64; 2]) -> bool {
    (a[0].to_bits() | a[1].to_bits() | c[0].to_bits() | c[1].to_bits()).trailing_zeros() >= 29
}

/// Whether a result is finite and not below the normal singles.
#[inline]
fn is_usual(value: f64) -> bool {
    value.abs() >= SMALLEST_SINGLE && value.abs() <= f64::MAX
}

#[inline]
fn factor(c: f64, precision: Precision) -> f64 {
    if precision == Precision::Single { to_25_bits(c) } else { c }
}

#[inline]
fn nearest(value: f64, precision: Precision) -> f64 {
    match precision {
        Precision::Single => f64::from(value as f32),
        Precision::Double => value,
    }
}

fn round_mode(mode: u32) -> Round {
    match mode {
        0 => Round::NearestTiesToEven,
        1 => Round::TowardZero,
        2 => Round::TowardPositive,
        _ => Round::TowardNegative,
    }
}

fn to_single(value: f64, mode: Round) -> f64 {
    let double = Double::from_bits(u128::from(value.to_bits()));
    let single: Single = double.convert_r(mode, &mut false).value;
    f64::from(f32::from_bits(single.to_bits() as u32))
}
