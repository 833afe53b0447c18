//! Bits of singles and doubles: what loads, stores and conversions do without arithmetic.

/// The quiet bit of a double's significand.
pub(super) const QUIET: u64 = 0x0008_0000_0000_0000;
/// The NaN that an invalid operation generates.
pub(super) const GENERATED_NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
/// The bits of a double that a single does not have.
const BEYOND_SINGLE: u64 = 0x1fff_ffff;

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
