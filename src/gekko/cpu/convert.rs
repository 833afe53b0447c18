//! Bits of singles and doubles: what loads, stores and conversions do without arithmetic.

/// The quiet bit of a double's significand.
pub(super) const QUIET: u64 = 0x0008_0000_0000_0000;
/// The NaN that an invalid operation generates.
pub(super) const GENERATED_NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
/// The one that the host's arithmetic generates, and so Dolphin's JIT.
pub(super) const GENERATED_NAN_OF_THE_JIT: f64 = f64::from_bits(0xfff8_0000_0000_0000);
/// The bits of a double that a single does not have.
const BEYOND_SINGLE: u64 = 0x1fff_ffff;

/// The smallest double that rounds to a normal single, where the exponent has no limit: what the host
/// takes for denormal after rounding lies below. The tie goes to the even 2^-126.
pub(super) const SMALLEST_AFTER_ROUNDING: f64 = f64::from_bits(0x380f_ffff_f000_0000);

/// A single as a register holds it. Exact; denormals become normal, NaNs keep every bit.
#[inline]
pub(super) fn widen(bits: u32) -> f64 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let sign = u64::from(bits & 0x8000_0000) << 32;
        return f64::from_bits(sign | 0x7ff0_0000_0000_0000 | (u64::from(bits & 0x007f_ffff) << 29));
    }
    f64::from(value)
}

/// A register as `stfs` stores it: bits are cut off, a value below the normal singles is
/// denormalised. [PowerPC manual; measured: Dolphin 5.0-17995]
#[inline]
pub(super) fn narrow(value: f64) -> u32 {
    let bits = value.to_bits();
    let exponent = (bits >> 52) & 0x7ff;
    if (874..=896).contains(&exponent) {
        let significand = (0x8000_0000 | ((bits & 0x000f_ffff_ffff_ffff) >> 21)) as u32;
        return (significand >> (905 - exponent)) | sign_of(bits);
    }
    cut(bits)
}

/// A register as `psq_st` stores it as a float: as [`narrow`], but denormals become signed zeros.
/// [measured: Dolphin 5.0-17995 interpreter]
#[inline]
pub(super) fn narrow_flushed(value: f64) -> u32 {
    let bits = value.to_bits();
    if (bits >> 52) & 0x7ff > 896 { cut(bits) } else { sign_of(bits) }
}

/// A register as `psq_st` of Dolphin's JIT stores it as a float: rounded to nearest, NaNs quieted, and
/// with `flush` (FPSCR.NI) denormals made signed zeros. [measured: Dolphin 5.0-17995 JIT]
pub(super) fn narrow_rounded(value: f64, flush: bool) -> u32 {
    if value.is_nan() {
        return cut(quieted(value, true).to_bits());
    }
    if flush && value.abs() < SMALLEST_AFTER_ROUNDING {
        sign_of(value.to_bits())
    } else {
        (value as f32).to_bits()
    }
}

fn cut(bits: u64) -> u32 {
    ((bits >> 32) as u32 & 0xc000_0000) | ((bits >> 29) as u32 & 0x3fff_ffff)
}

fn sign_of(bits: u64) -> u32 {
    (bits >> 32) as u32 & 0x8000_0000
}

/// A NaN made quiet, its payload cut to a single's if `single`.
pub(super) fn quieted(nan: f64, single: bool) -> f64 {
    let bits = nan.to_bits() | QUIET;
    f64::from_bits(if single { bits & !BEYOND_SINGLE } else { bits })
}

/// Whether a NaN is signalling.
pub(super) fn is_signalling(value: f64) -> bool {
    value.is_nan() && value.to_bits() & QUIET == 0
}

/// Whether a register holds a value that a single can hold.
#[inline]
pub(super) fn is_single(value: f64) -> bool {
    f64::from(value as f32) == value
}

/// Operand frC of a single-precision multiplication: rounded half up to 25 significant bits. The
/// identity for singles. [measured: Dolphin 5.0-17995]
#[inline]
pub(super) fn to_25_bits(value: f64) -> f64 {
    let bits = value.to_bits();
    f64::from_bits((bits & !0x07ff_ffff).wrapping_add(bits & 0x0800_0000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_signalling_nan_passes_through_a_register_unharmed() {
        assert_eq!(narrow(widen(0x7f80_0001)), 0x7f80_0001);
        assert!(is_signalling(widen(0xff80_0001)));
        assert!(!is_signalling(quieted(widen(0xff80_0001), true)));
    }

    #[test]
    fn the_jit_flushes_after_rounding() {
        assert_eq!(narrow_rounded(SMALLEST_AFTER_ROUNDING, true), 0x0080_0000);
        let below = f64::from_bits(SMALLEST_AFTER_ROUNDING.to_bits() - 1);
        assert_eq!(narrow_rounded(-below, true), 0x8000_0000);
        assert_eq!(narrow_rounded(f64::from(f32::from_bits(5)), false), 5);
        assert_eq!(narrow_rounded(widen(0xff80_0001), true), 0xffc0_0001);
        assert_eq!(narrow_rounded(1.0 + f64::from(f32::EPSILON) * 0.75, true), 0x3f80_0001);
    }

    #[test]
    fn doubles_below_the_singles_are_denormalised_or_flushed() {
        let smallest = f64::from(f32::from_bits(1));
        assert_eq!(narrow(-smallest), 0x8000_0001);
        assert_eq!(narrow_flushed(-smallest), 0x8000_0000);
    }

    proptest! {
        #[test]
        fn every_single_comes_back_from_a_register(bits: u32) {
            prop_assert_eq!(narrow(widen(bits)), bits);
            prop_assert_eq!(to_25_bits(widen(bits)).to_bits(), widen(bits).to_bits());
        }
    }
}
