//! How a track packs its values: an element type and a number of fraction bits.

use crate::bytes::{ReadError, ReadResult, View};

/// Fraction bits of quaternions and ease values, which are s16 whatever the track's type.
pub const FIXED_SHIFT: u32 = 14;

/// Element type of a track's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Unsigned byte.
    U8,
    /// Signed byte.
    S8,
    /// Unsigned halfword.
    U16,
    /// Signed halfword.
    S16,
    /// Single float, to which the shift does not apply.
    F32,
}

impl ValueType {
    /// Size of one value in bytes.
    pub const fn size(self) -> u64 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
            Self::F32 => 4,
        }
    }

    /// The integers that the type holds.
    const fn range(self) -> (f64, f64) {
        match self {
            Self::U8 => (0.0, 255.0),
            Self::S8 => (-128.0, 127.0),
            Self::U16 => (0.0, 65535.0),
            Self::S16 => (-32768.0, 32767.0),
            Self::F32 => (f32::MIN as f64, f32::MAX as f64),
        }
    }
}

/// The quantization byte: type in the high nibble, fraction bits in the low one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantization(pub u8);

impl Quantization {
    /// Plain single floats.
    pub const F32: Self = Self(0x40);

    /// Signed halfwords with `shift` fraction bits (0 to 15).
    pub const fn s16(shift: u8) -> Self {
        Self(0x30 | (shift & 0x0F))
    }

    /// Signed halfwords with as many fraction bits as values up to `largest` (by magnitude) leave room
    /// for; plain floats when they leave none.
    pub fn s16_for(largest: f32) -> Self {
        let fits = |shift: &u8| largest.abs() * f32::from(1_u16 << shift) <= 32767.0;
        (0..=15_u8).rev().find(fits).map_or(Self::F32, Self::s16)
    }

    /// The element type, if the nibble is one of the library's five.
    pub const fn value_type(self) -> Option<ValueType> {
        match self.0 >> 4 {
            0 => Some(ValueType::U8),
            1 => Some(ValueType::S8),
            2 => Some(ValueType::U16),
            3 => Some(ValueType::S16),
            4 => Some(ValueType::F32),
            _ => None,
        }
    }

    /// Fraction bits, 0 to 15.
    pub const fn shift(self) -> u8 {
        self.0 & 0x0F
    }

    /// 2^-shift, which multiplies raw integers (and, by a fault of the library, matrices).
    pub fn scale(self) -> f32 {
        1.0 / f32::from(1_u16 << self.shift())
    }

    /// Bytes of three values; 0 for an unknown type.
    pub const fn vector_size(self) -> u64 {
        match self.value_type() {
            Some(value_type) => 3 * value_type.size(),
            None => 0,
        }
    }

    /// Three values at `offset`.
    ///
    /// # Errors
    /// When they lie outside the view or the type nibble is unknown.
    pub fn vector(self, view: View, offset: u64, what: &str) -> ReadResult<[f32; 3]> {
        let Some(value_type) = self.value_type() else {
            return Err(ReadError::new(
                what,
                view.base() + offset,
                "a value type from 0 to 4",
                format!("{}", self.0 >> 4),
            ));
        };
        let mut values = [0.0; 3];
        for (value, at) in values.iter_mut().zip((offset..).step_by(value_type.size() as usize)) {
            let raw = match value_type {
                ValueType::F32 => {
                    *value = view.f32(at, what)?;
                    continue;
                }
                ValueType::U8 => f32::from(view.u8(at, what)?),
                ValueType::S8 => f32::from(view.i8(at, what)?),
                ValueType::U16 => f32::from(view.u16(at, what)?),
                ValueType::S16 => f32::from(view.i16(at, what)?),
            };
            *value = raw * self.scale();
        }
        Ok(values)
    }

    /// The bytes of `values`, each rounded to the nearest that the type holds.
    ///
    /// # Errors
    /// When a value does not fit, or the type nibble is unknown.
    pub fn encode(self, values: &[f32], what: &str) -> ReadResult<Vec<u8>> {
        let value_type = self
            .value_type()
            .ok_or_else(|| ReadError::new(what, 0, "a value type from 0 to 4", format!("{}", self.0 >> 4)))?;
        let mut bytes = Vec::with_capacity(values.len() * value_type.size() as usize);
        for &value in values {
            if value_type == ValueType::F32 {
                bytes.extend(value.to_bits().to_be_bytes());
                continue;
            }
            let raw = f64::from(value) * f64::from(1_u32 << self.shift());
            let raw = integer(raw, value_type, what)?.to_be_bytes();
            bytes.extend(&raw[4 - value_type.size() as usize..]);
        }
        Ok(bytes)
    }
}

/// Rounds to the nearest integer that the type holds.
fn integer(raw: f64, value_type: ValueType, what: &str) -> ReadResult<i32> {
    let (least, most) = value_type.range();
    let rounded = raw.round_ties_even();
    if (least..=most).contains(&rounded) {
        return Ok(rounded as i32);
    }
    Err(ReadError::new(what, 0, format!("a value from {least} to {most} after the shift"), format!("{raw}")))
}

/// Values of a quaternion or an ease at `offset`: s16 / 16384.
///
/// # Errors
/// When they lie outside the view.
pub fn fixed<const N: usize>(view: View, offset: u64, what: &str) -> ReadResult<[f32; N]> {
    let mut values = [0.0; N];
    for (value, at) in values.iter_mut().zip((offset..).step_by(2)) {
        *value = f32::from(view.i16(at, what)?) / f32::from(1_u16 << FIXED_SHIFT);
    }
    Ok(values)
}

/// The bytes of a quaternion's or an ease's values.
///
/// # Errors
/// When a value is not within ±2.
pub fn encode_fixed(values: &[f32], what: &str) -> ReadResult<Vec<u8>> {
    let scaled: Vec<f32> = values.iter().map(|value| value * f32::from(1_u16 << FIXED_SHIFT)).collect();
    Quantization::s16(0).encode(&scaled, what)
}
