//! The reciprocal and reciprocal square root estimates: piecewise linear, 32 pieces each, the same
//! on Gekko and Broadway.
//!
//! The constants are those of Dolphin's public tables, written down from memory and not derived from
//! recordings; no test of this tree holds them. [unconfirmed here: to be derived anew from recorded
//! `fres` and `frsqrte` results] Skinning uses neither instruction.

use super::convert::{GENERATED_NAN, QUIET};

const FRACTION: u64 = 0x000f_ffff_ffff_ffff;
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
const SIGN: u64 = 0x8000_0000_0000_0000;

/// Value at the start of each piece of 1/x for x in 1..2, and its fall over two of 1024 steps, in
/// units of 2^-23.
#[rustfmt::skip]
const RECIPROCAL: [(u32, u32); 32] = [
    (0x7ff800, 0x3e1), (0x783800, 0x3a7), (0x70ea00, 0x371), (0x6a0800, 0x340),
    (0x638800, 0x313), (0x5d6200, 0x2ea), (0x579000, 0x2c4), (0x520800, 0x2a0),
    (0x4cc800, 0x27f), (0x47ca00, 0x261), (0x430800, 0x245), (0x3e8000, 0x22a),
    (0x3a2c00, 0x212), (0x360800, 0x1fb), (0x321400, 0x1e5), (0x2e4a00, 0x1d1),
    (0x2aa800, 0x1be), (0x272c00, 0x1ac), (0x23d600, 0x19b), (0x209e00, 0x18b),
    (0x1d8800, 0x17c), (0x1a9000, 0x16e), (0x17ae00, 0x15b), (0x14f800, 0x15b),
    (0x124400, 0x143), (0x0fbe00, 0x143), (0x0d3800, 0x12d), (0x0ade00, 0x12d),
    (0x088400, 0x11a), (0x065000, 0x11a), (0x041c00, 0x108), (0x020c00, 0x106),
];

/// Value at the start of each piece of 1/sqrt(x), for odd powers of two and then for even ones, and its
/// fall over one of 2048 steps, in units of 2^-26.
#[rustfmt::skip]
const ROOT: [(u32, u32); 32] = [
    (0x1a7e800, 0x568), (0x17cb800, 0x4f3), (0x1552800, 0x48d), (0x130c000, 0x435),
    (0x10f2000, 0x3e7), (0x0eff000, 0x3a2), (0x0d2e000, 0x365), (0x0b7c000, 0x32e),
    (0x09e5000, 0x2fc), (0x0867000, 0x2d0), (0x06ff000, 0x2a8), (0x05ab800, 0x283),
    (0x046a000, 0x261), (0x0339800, 0x243), (0x0218800, 0x226), (0x0105800, 0x20b),
    (0x3ffa000, 0x7a4), (0x3c29000, 0x700), (0x38aa000, 0x670), (0x3572000, 0x5f2),
    (0x3279000, 0x584), (0x2fb7000, 0x524), (0x2d26000, 0x4cc), (0x2ac0000, 0x47e),
    (0x2881000, 0x43a), (0x2665000, 0x3fa), (0x2468000, 0x3c2), (0x2287000, 0x38e),
    (0x20c1000, 0x35e), (0x1f12000, 0x332), (0x1d79000, 0x30a), (0x1bf4000, 0x2e6),
];

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
    if exponent < 895 {
        // The reciprocal is beyond the singles.
        return f64::from(f32::MAX).copysign(value);
    }
    if exponent >= 1149 {
        return 0.0f64.copysign(value);
    }
    let step = (fraction >> 37) as u32;
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
    let step = (fraction >> 37) as u32;
    let even_power = exponent & 1 == 1;
    let (start, fall) = ROOT[(step / 2048) as usize + if even_power { 16 } else { 0 }];
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
