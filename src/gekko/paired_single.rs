//! Paired-single arithmetic on lanes that hold singles.
//!
//! Dolphin 5.0-17995 computes a fused multiply-add in double precision and rounds the double to
//! single (two roundings); the hardware rounds once. Both are here, as a named choice.
//! [measured: Dolphin 5.0-17995, 1,012 results that tell the two apart]
//!
//! The product of two singles is exact in a double, so a double multiplication and addition is the
//! double-precision fused operation: no FMA hardware is needed for bit-exactness.
//! Operand C's rounding to 25 bits cannot show when the lane holds a single. [derived]

/// How a fused multiply-add is rounded to single.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// To double, then to single: Dolphin.
    #[default]
    Dolphin,
    /// Once, to single: the hardware.
    Exact,
}

/// Whose floating point a processor computes by, where Dolphin's engines differ: which NaN comes out,
/// its sign, what is flushed, what a float store does to a lane that is no single.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Arithmetic {
    /// Dolphin's interpreters. [measured: Dolphin 5.0-17995]
    #[default]
    Interpreter,
    /// Dolphin's JIT on an x86-64 with FMA, accurate NaNs off. [measured: Dolphin 5.0-17995]
    Jit,
}

/// The smallest normal single, 2^-126, as a double.
const SMALLEST_NORMAL: f64 = f32::MIN_POSITIVE as f64;

/// The quiet NaN that an invalid operation generates (Dolphin's interpreter, and the hardware).
const GENERATED_NAN: u32 = 0x7fc0_0000;

/// `a * c + b`, fused, with FPSCR.NI set: a result below 2^-126 before rounding becomes a signed zero.
/// A NaN result is the first NaN of a, b, c, quieted. [measured: Dolphin 5.0-17995]
#[inline]
pub fn multiply_add(a: f32, c: f32, b: f32, rounding: Rounding) -> f32 {
    let product = f64::from(a) * f64::from(c);
    let addend = f64::from(b);
    let sum = product + addend;
    if sum.is_nan() {
        return first_nan([a, b, c]);
    }
    match rounding {
        Rounding::Dolphin => round_to_single(sum),
        Rounding::Exact => round_to_single(round_to_odd(product, addend, sum)),
    }
}

/// `a * c`, correctly rounded to single, with FPSCR.NI set.
#[inline]
pub fn multiply(a: f32, c: f32) -> f32 {
    let product = f64::from(a) * f64::from(c);
    if product.is_nan() { first_nan([a, c, c]) } else { round_to_single(product) }
}

/// `a + b`, correctly rounded to single, with FPSCR.NI set.
#[inline]
pub fn add(a: f32, b: f32) -> f32 {
    let sum = f64::from(a) + f64::from(b);
    // Rounding twice is harmless for an addition: 53 significand bits are at least 2 * 24 + 2.
    if sum.is_nan() { first_nan([a, b, b]) } else { round_to_single(sum) }
}

/// Rounds a double to single; a magnitude below 2^-126 before rounding is flushed (FPSCR.NI).
#[inline]
fn round_to_single(value: f64) -> f32 {
    if value.abs() < SMALLEST_NORMAL { 0.0f32.copysign(value as f32) } else { value as f32 }
}

/// The sum of `product` and `addend` rounded to odd: rounding it again, to single, rounds once.
fn round_to_odd(product: f64, addend: f64, sum: f64) -> f64 {
    if !sum.is_finite() {
        return sum;
    }
    let error = sum_error(product, addend, sum);
    let bits = sum.to_bits();
    if error == 0.0 || bits & 1 == 1 {
        return sum;
    }
    // The true sum lies between `sum` and its neighbour in the direction of the error; of the two,
    // the one with an odd significand keeps the information that something was cut off.
    let away_from_zero = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away_from_zero { bits + 1 } else { bits - 1 })
}

/// The exact error of `a + b` (the two-sum identity).
fn sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let b_part = sum - a;
    let a_part = sum - b_part;
    (a - a_part) + (b - b_part)
}

#[cold]
fn first_nan(operands: [f32; 3]) -> f32 {
    match operands.into_iter().find(|operand| operand.is_nan()) {
        Some(nan) => f32::from_bits(nan.to_bits() | 0x0040_0000),
        None => f32::from_bits(GENERATED_NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_known_double_rounding_case_differs_between_dolphin_and_hardware() {
        // Mario Strikers Charged, as documented beside Dolphin's arithmetic. [machine.md A4]
        let [a, c, b] = [0x4248_0000, 0xbc88_cc38, 0x1b1c_72a0].map(f32::from_bits);
        assert_eq!(multiply_add(a, c, b, Rounding::Exact).to_bits(), 0xbf55_bf17);
        assert_eq!(multiply_add(a, c, b, Rounding::Dolphin).to_bits(), 0xbf55_bf18);
    }

    #[test]
    fn denormal_results_become_signed_zeros() {
        assert_eq!(multiply(f32::MIN_POSITIVE, -0.5).to_bits(), 0x8000_0000);
        // Below 2^-126 before rounding, though it would round up to it.
        assert_eq!(multiply(f32::MIN_POSITIVE, 1.0 - f32::EPSILON / 2.0), 0.0);
    }

    #[test]
    fn the_first_nan_of_a_b_c_wins_and_is_quieted() {
        let [a, b, c] = [0x7f80_0001, 0x7fc0_0002, 0x7fc0_0003].map(f32::from_bits);
        assert_eq!(multiply_add(a, c, b, Rounding::Dolphin).to_bits(), 0x7fc0_0001);
        assert_eq!(multiply_add(1.0, c, b, Rounding::Dolphin).to_bits(), 0x7fc0_0002);
        assert_eq!(multiply_add(f32::INFINITY, 0.0, 1.0, Rounding::Exact).to_bits(), GENERATED_NAN);
    }

    proptest! {
        #[test]
        fn exact_rounding_is_the_fused_single_operation(a: f32, c: f32, b: f32) {
            let expected = a.mul_add(c, b);
            prop_assume!(expected.is_normal() && expected.abs() > 2.0 * f32::MIN_POSITIVE);
            prop_assert_eq!(multiply_add(a, c, b, Rounding::Exact).to_bits(), expected.to_bits());
        }

        #[test]
        fn addition_is_correctly_rounded(a: f32, b: f32) {
            let expected = a + b;
            prop_assume!(expected.is_normal() && expected.abs() > 2.0 * f32::MIN_POSITIVE);
            prop_assert_eq!(add(a, b).to_bits(), expected.to_bits());
        }
    }
}
