//! Long arrays as base64 of their little-endian bytes: a third of their size as decimal text, and one
//! step to read for the page's typed arrays.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes as they are.
pub fn bytes(values: &[u8]) -> String {
    STANDARD.encode(values)
}

/// 16-bit values.
pub fn u16s(values: impl IntoIterator<Item = u16>) -> String {
    bytes(&values.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<_>>())
}

/// 32-bit values.
pub fn u32s(values: impl IntoIterator<Item = u32>) -> String {
    bytes(&values.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>())
}

/// Floats, to the bit.
pub fn f32s(values: impl IntoIterator<Item = f32>) -> String {
    u32s(values.into_iter().map(f32::to_bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_little_endian() {
        assert_eq!(u16s([0x0102]), bytes(&[2, 1]));
        assert_eq!(u32s([0x01020304]), bytes(&[4, 3, 2, 1]));
        assert_eq!(f32s([1.0]), bytes(&[0, 0, 0x80, 0x3f]));
    }
}
