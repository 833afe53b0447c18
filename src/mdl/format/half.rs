//! The SDK's `float16`: IEEE half precision except at its ends. Infinity reads as ±65504 and NaN as
//! 0, so a broken delta throws a vertex far away and never poisons the arithmetic. `[spec: SDK]`

/// Largest finite half, which also stands for infinity.
const MAX: f32 = 65504.0;

/// A `float16`'s value.
pub fn decode(bits: u16) -> f32 {
    let value = half::f16::from_bits(bits).to_f32();
    if value.is_nan() { 0.0 } else { value.clamp(-MAX, MAX) }
}

/// Whether the bits are an infinity or a NaN, which [`decode`] replaces.
pub fn is_special(bits: u16) -> bool {
    bits & 0x7c00 == 0x7c00
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_range_are_not_ieee() {
        assert_eq!(decode(0x7c00), 65504.0);
        assert_eq!(decode(0xfc00), -65504.0);
        assert_eq!(decode(0x7e00), 0.0);
        assert_eq!(decode(0x7bff), 65504.0);
        assert!(is_special(0xfc00) && is_special(0x7c01) && !is_special(0x7bff));
    }

    #[test]
    fn denormals_and_ordinary_values_are_ieee() {
        assert_eq!(decode(0x0001), 2f32.powi(-24));
        assert_eq!(decode(0x3c00), 1.0);
        assert_eq!(decode(0xb800), -0.5);
        assert_eq!(decode(0x8000).to_bits(), (-0.0f32).to_bits());
    }
}
