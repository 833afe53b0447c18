//! Fused multiply-adds of singles against a software implementation of IEEE arithmetic, at the edges of
//! the format and anywhere.

use proptest::prelude::*;
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use skinsim::gekko::paired_single::{Rounding, add, multiply, multiply_add};

/// Magnitudes at which something changes.
const EDGES: [u32; 22] = [
    0,
    1,
    2,
    0x0040_0000,
    0x007f_fffe,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x1fff_ffff,
    0x2000_0000,
    0x33ff_ffff,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x4b7f_ffff,
    0x5f00_0000,
    0x7e80_0000,
    0x7f7f_fffe,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
];

fn single(bits: u32) -> Single {
    Single::from_bits(bits.into())
}

fn double(bits: u32) -> Double {
    single(bits).convert(&mut false).value
}

/// What FPSCR.NI makes of a result: below 2^-126 before rounding it is a signed zero.
fn flushed(truncated: Double, result: Single) -> Single {
    let smallest = double(0x0080_0000);
    let below = truncated.is_zero() || truncated.abs() < smallest;
    if below { Single::ZERO.copy_sign(result) } else { result }
}

/// `a * c + b`, rounded once, or to double and then to single.
fn expected(a: u32, c: u32, b: u32, rounding: Rounding) -> Single {
    let fused = |round| double(a).mul_add_r(double(c), double(b), round).value;
    match rounding {
        Rounding::Exact => flushed(fused(Round::TowardZero), single(a).mul_add(single(c), single(b)).value),
        Rounding::Dolphin => {
            let sum = fused(Round::NearestTiesToEven);
            flushed(sum, sum.convert(&mut false).value)
        }
    }
}

fn check(a: u32, c: u32, b: u32) {
    let [x, z, y] = [a, c, b].map(f32::from_bits);
    for rounding in [Rounding::Exact, Rounding::Dolphin] {
        let (have, want) = (multiply_add(x, z, y, rounding), expected(a, c, b, rounding));
        assert_eq!(have.is_nan(), want.is_nan(), "{a:08x} {c:08x} {b:08x} {rounding:?}");
        if !have.is_nan() {
            assert_eq!(have.to_bits(), want.to_bits() as u32, "{a:08x} {c:08x} {b:08x} {rounding:?}");
        }
    }
    let product = flushed((double(a) * double(c)).value, (single(a) * single(c)).value);
    let sum = flushed((double(a) + double(b)).value, (single(a) + single(b)).value);
    for (have, want) in [(multiply(x, z), product), (add(x, y), sum)] {
        assert!(
            have.is_nan() && want.is_nan() || have.to_bits() == want.to_bits() as u32,
            "{a:08x} {c:08x} {b:08x}"
        );
    }
}

#[test]
fn every_triple_of_edges_is_rounded_as_ieee_says() {
    let signed = || EDGES.into_iter().flat_map(|bits| [bits, bits | 0x8000_0000]);
    for a in signed() {
        for c in signed() {
            signed().for_each(|b| check(a, c, b));
        }
    }
}

proptest! {
    #[test]
    fn any_singles_are_rounded_as_ieee_says(a: u32, c: u32, b: u32, near in 0u32..64) {
        check(a, c, b);
        // A sum that cancels: the addend is close to the product's negative.
        let product = -(f32::from_bits(a) * f32::from_bits(c));
        check(a, c, product.to_bits().wrapping_add(near));
    }
}
