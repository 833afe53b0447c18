//! Graphics quantization registers and the quantized load / store conversions (`psq_l`, `psq_st`).
//!
//! Measured in Dolphin 5.0-17995 over 176,128 stores and 8,064 loads: scale is a 6-bit two's
//! complement exponent, stores truncate toward zero and saturate. [measured: Dolphin 5.0-17995]

/// Numeric type of a quantized access: the GQR's three type bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuantizedType {
    /// 32-bit float, not scaled (type 0).
    Float,
    /// Types 1 to 3, which the hardware does not define.
    Invalid(u8),
    /// Unsigned byte (type 4).
    U8,
    /// Unsigned halfword (type 5).
    U16,
    /// Signed byte (type 6).
    S8,
    /// Signed halfword (type 7).
    S16,
}

impl QuantizedType {
    /// Decodes the three type bits of a GQR.
    pub const fn from_bits(bits: u32) -> Self {
        match bits & 7 {
            0 => Self::Float,
            4 => Self::U8,
            5 => Self::U16,
            6 => Self::S8,
            7 => Self::S16,
            other => Self::Invalid(other as u8),
        }
    }

    /// Bytes of one element.
    pub const fn size(self) -> u32 {
        match self {
            Self::Float | Self::Invalid(_) => 4,
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
        }
    }
}

/// A graphics quantization register. Store type: bits 0–2, store scale: 8–13, load type: 16–18,
/// load scale: 24–29 (bit 0 the least significant). [machine.md A4: H]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Gqr(pub u32);

impl Gqr {
    /// One type and scale for loads and stores, as the skinning library sets its registers; bits of
    /// `scale` above the field are dropped.
    pub const fn both(type_bits: u32, scale: u32) -> Self {
        let half = (type_bits & 7) | ((scale & 0x3f) << 8);
        Self(half | (half << 16))
    }

    /// Type used by loads.
    pub const fn load_type(self) -> QuantizedType {
        QuantizedType::from_bits(self.0 >> 16)
    }

    /// Type used by stores.
    pub const fn store_type(self) -> QuantizedType {
        QuantizedType::from_bits(self.0)
    }

    /// What a load multiplies by: 2^-scale.
    pub fn load_factor(self) -> f32 {
        power_of_two(-signed_scale(self.0 >> 24))
    }

    /// What a store multiplies by: 2^scale.
    pub fn store_factor(self) -> f32 {
        power_of_two(signed_scale(self.0 >> 8))
    }
}

/// The 6-bit field as a signed exponent, -32..=31.
const fn signed_scale(field: u32) -> i32 {
    ((field as i32) << 26) >> 26
}

/// 2^exponent for exponents whose result is a normal single.
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((127 + exponent) as u32) << 23)
}

/// How a NaN comes out of a quantized store: Dolphin's engines disagree, no hardware test is known.
/// [measured: Dolphin 5.0-17995; hardware: open]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NanStore {
    /// Every type stores 0 (Dolphin's interpreters).
    #[default]
    Zero,
    /// A pair stores the type's maximum; a single s16 or s8 stores the minimum, as Dolphin's JIT does.
    Jit,
}

/// Dequantizes the integer bits `raw` (one element, right-aligned) of a type that is not float.
pub fn dequantize(raw: u32, kind: QuantizedType, factor: f32) -> f32 {
    match kind {
        QuantizedType::Float | QuantizedType::Invalid(_) => f32::from_bits(raw),
        QuantizedType::U8 => f32::from(raw as u8) * factor,
        QuantizedType::S8 => f32::from(raw as u8 as i8) * factor,
        QuantizedType::U16 => f32::from(raw as u16) * factor,
        QuantizedType::S16 => f32::from(raw as u16 as i16) * factor,
    }
}

/// Quantizes a single to the element bits of a type (right-aligned): scaled, saturated, truncated
/// toward zero. `pair` tells whether two lanes are stored, which only matters for NaN.
pub fn quantize(value: f32, kind: QuantizedType, factor: f32, nan: NanStore, pair: bool) -> u32 {
    if value.is_nan() && nan == NanStore::Jit {
        return quantize_nan_like_the_jit(value, kind, pair);
    }
    let scaled = value * factor;
    // Rust's float-to-int casts truncate, saturate, and give 0 for NaN: exactly the measured rule.
    match kind {
        QuantizedType::Float | QuantizedType::Invalid(_) => stored_float(value).to_bits(),
        QuantizedType::U8 => u32::from(scaled as u8),
        QuantizedType::S8 => u32::from((scaled as i8) as u8),
        QuantizedType::U16 => u32::from(scaled as u16),
        QuantizedType::S16 => u32::from((scaled as i16) as u16),
    }
}

/// [measured: Dolphin 5.0-17995 JIT: s16 32767, u8 255, u16 65535, s8 127 in a pair; s16 -32768 alone]
fn quantize_nan_like_the_jit(value: f32, kind: QuantizedType, pair: bool) -> u32 {
    match (kind, pair) {
        (QuantizedType::Float | QuantizedType::Invalid(_), _) => value.to_bits(),
        (QuantizedType::U8, true) => 0xff,
        (QuantizedType::U16, true) => 0xffff,
        (QuantizedType::S8, true) => 0x7f,
        (QuantizedType::S16, true) => 0x7fff,
        (QuantizedType::S8, false) => 0x80,
        (QuantizedType::S16, false) => 0x8000,
        (QuantizedType::U8 | QuantizedType::U16, false) => 0,
    }
}

/// A float store turns a denormal single into a signed zero. [measured: Dolphin 5.0-17995]
#[inline]
pub fn stored_float(value: f32) -> f32 {
    if value.is_subnormal() { 0.0f32.copysign(value) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_field_is_six_bits_of_twos_complement() {
        assert_eq!(Gqr::both(7, 8).load_factor(), 1.0 / 256.0);
        assert_eq!(Gqr::both(7, 63).load_factor(), 2.0);
        assert_eq!(Gqr::both(7, 32).load_factor(), 4_294_967_296.0);
        assert_eq!(Gqr::both(7, 0x48), Gqr::both(7, 8));
    }

    #[test]
    fn stores_truncate_toward_zero_and_saturate() {
        let s16 = |value| quantize(value, QuantizedType::S16, 1.0, NanStore::Zero, true) as u16 as i16;
        assert_eq!(s16(-0.9999), 0);
        assert_eq!(s16(-1.5), -1);
        assert_eq!(s16(1e9), 32767);
        assert_eq!(s16(f32::NEG_INFINITY), -32768);
        assert_eq!(s16(f32::NAN), 0);
    }

    #[test]
    fn a_nan_stores_what_the_named_engine_stores() {
        let jit = |kind, pair| quantize(f32::NAN, kind, 1.0, NanStore::Jit, pair);
        assert_eq!(jit(QuantizedType::S16, true), 0x7fff);
        assert_eq!(jit(QuantizedType::S16, false), 0x8000);
        assert_eq!(jit(QuantizedType::U8, true), 0xff);
    }

    #[test]
    fn a_weight_byte_of_255_is_less_than_one() {
        let weights = Gqr::both(4, 8);
        assert_eq!(dequantize(255, weights.load_type(), weights.load_factor()), 0.99609375);
    }
}
