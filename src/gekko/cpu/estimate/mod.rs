//! The reciprocal and reciprocal square root estimates: piecewise linear, the same on Gekko and
//! Broadway. [measured: Dolphin 5.0-17995's interpreter; the hardware was not asked]
//!
//! The tables are fitted to recorded results: `ppc_traces/estimates` has the recording, the script that
//! fits them and how both were made. Tests hold every step of a mantissa and what lies at the edges:
//! zeros, denormals, infinities, NaNs, negative numbers, the ends of the exponents' range.

use super::convert::{GENERATED_NAN, QUIET};

mod tables;

use tables::{RECIPROCAL, ROOT, ROOT_ABOVE};

const FRACTION: u64 = 0x000f_ffff_ffff_ffff;
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
const SIGN: u64 = 0x8000_0000_0000_0000;

/// Bits of a fraction below the 32,768 steps that the estimates tell apart. [measured]
const BELOW_STEP: u32 = 37;
/// Below this exponent the reciprocal is beyond the singles, from the other on it is below them.
/// [measured]
const RECIPROCAL_EXPONENTS: std::ops::Range<u64> = 895..1149;

/// `fres`: about 1/x. NaNs come out quieted.
pub(super) fn reciprocal(value: f64) -> f64 {
    let bits = value.to_bits();
    let (sign, exponent, fraction) = (bits & SIGN, (bits & EXPONENT) >> 52, bits & FRACTION);
    if value == 0.0 {
        return f64::INFINITY.copysign(value);
    }
    if value.is_nan() {
        return f64::from_bits(bits | QUIET);
    }
    if exponent < RECIPROCAL_EXPONENTS.start {
        return f64::from(f32::MAX).copysign(value);
    }
    if exponent >= RECIPROCAL_EXPONENTS.end {
        return 0.0f64.copysign(value);
    }
    let step = (fraction >> BELOW_STEP) as u32;
    let (start, fall) = RECIPROCAL[(step / 1024) as usize];
    let estimate = start - (fall * (step % 1024)).div_ceil(2);
    f64::from_bits(sign | ((0x7fd - exponent) << 52) | (u64::from(estimate) << 29))
}

/// `frsqrte`: about 1/sqrt(x). NaNs come out quieted; a negative number gives the generated NaN.
pub(super) fn reciprocal_root(value: f64) -> f64 {
    if value == 0.0 {
        return f64::INFINITY.copysign(value);
    }
    if value.is_nan() {
        return f64::from_bits(value.to_bits() | QUIET);
    }
    if value < 0.0 {
        return GENERATED_NAN;
    }
    if value.is_infinite() {
        return 0.0;
    }
    let (exponent, fraction) = normalised(value.to_bits());
    let step = (fraction >> BELOW_STEP) as u32;
    // The exponent of 1 is odd; two numbers a power of two apart have roots of different mantissas.
    let table = if exponent & 1 == 1 { &ROOT } else { &ROOT_ABOVE };
    let (start, fall) = table[(step / 2048) as usize];
    let estimate = start - fall * (step % 2048);
    // 1/sqrt halves the exponent's distance from that of one half.
    let exponent = (0x3ff + (0x3fe - exponent).div_euclid(2)) as u64 & 0x7ff;
    f64::from_bits((exponent << 52) | (u64::from(estimate) << 26))
}

/// Biased exponent and fraction of a positive number, those of a denormal as if it were normal.
fn normalised(bits: u64) -> (i64, u64) {
    let (exponent, fraction) = ((bits >> 52) as i64, bits & FRACTION);
    if exponent != 0 {
        return (exponent, fraction);
    }
    let shift = i64::from(fraction.leading_zeros()) - 11;
    (1 - shift, (fraction << shift) & FRACTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_estimates_are_good_to_twelve_bits(value in 1e-30f64..1e30) {
            let error = |estimate: f64, exact: f64| ((estimate - exact) / exact).abs();
            prop_assert!(error(reciprocal(value), value.recip()) < 1.0 / 4096.0);
            prop_assert!(error(reciprocal_root(value), value.sqrt().recip()) < 1.0 / 4096.0);
        }

        #[test]
        fn no_bits_are_too_odd_to_estimate(bits: u64) {
            let value = f64::from_bits(bits);
            let _ = (reciprocal(value), reciprocal_root(value.abs()), reciprocal_root(value));
        }
    }

    #[test]
    fn denormals_have_a_root_too() {
        let value = f64::from_bits(1);
        let error = reciprocal_root(value) * value.sqrt() - 1.0;
        assert!(error.abs() < 1.0 / 4096.0, "{error}");
    }
}
