//! Tracks and key frames, and where each component lies in the bytes that a key points at.

use super::{KEY_SIZE, Quantization, TRACK_SIZE};
use crate::bytes::{ReadResult, View};

/// Component bit: translation. (The bits are not those of a control's type.)
pub const TRANSLATION: u8 = 0x01;
/// Component bit: scale.
pub const SCALE: u8 = 0x02;
/// Component bit: Euler angles, degrees.
pub const EULER: u8 = 0x04;
/// Component bit: quaternion.
pub const QUATERNION: u8 = 0x08;
/// Component bit: a whole matrix, which rules out the others.
pub const MATRIX: u8 = 0x10;

/// Bytes of a packed quaternion.
pub const QUATERNION_SIZE: u64 = 8;
/// Bytes of a packed ease pair.
pub const EASE_SIZE: u64 = 4;

/// How a vector (scale, translation) goes from key to key; Euler angles know the first three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorCurve {
    /// Stays at the start key.
    None,
    /// Straight line.
    Linear,
    /// Cubic Bezier; controls are relative to their key.
    Bezier,
    /// Cubic Hermite with ease.
    Hermite,
}

impl VectorCurve {
    /// From two bits of the interpolation byte.
    const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Linear,
            2 => Self::Bezier,
            _ => Self::Hermite,
        }
    }

    /// Bytes of its interpolation block, given those of one vector.
    pub const fn block_size(self, vector: u64) -> u64 {
        match self {
            Self::None | Self::Linear => 0,
            Self::Bezier => 2 * vector,
            Self::Hermite => 2 * vector + EASE_SIZE,
        }
    }
}

/// How a rotation goes from key to key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotationCurve {
    /// Euler angles: none, linear or Bezier.
    Euler(VectorCurve),
    /// A quaternion that stays at the start key.
    None,
    /// Spherical linear.
    Slerp,
    /// Spherical cubic.
    Squad,
    /// Spherical cubic with ease.
    SquadEase,
    /// A code on which the library panics.
    Unknown(u8),
}

impl RotationCurve {
    /// Bytes of its interpolation block, given those of one vector.
    pub const fn block_size(self, vector: u64) -> u64 {
        match self {
            Self::Euler(curve) => curve.block_size(vector),
            Self::Squad => 2 * QUATERNION_SIZE,
            Self::SquadEase => 2 * QUATERNION_SIZE + EASE_SIZE,
            Self::None | Self::Slerp | Self::Unknown(_) => 0,
        }
    }
}

/// A track record, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Track {
    /// Offset of the record in the bank.
    pub offset: u64,
    /// Length in the clock's unit: where the clock wraps.
    pub length: f32,
    /// Offset of the first key frame.
    pub keys: u32,
    /// Number of key frames.
    pub key_count: u16,
    /// Track id: the id of the bone that it moves.
    pub id: u16,
    /// How vectors are packed.
    pub quantization: Quantization,
    /// Component bits.
    pub components: u8,
    /// Interpolation byte: bits 0-1 translation, 2-3 scale, 4-6 rotation.
    pub interpolation: u8,
    /// 0: the animated transform comes after the bone's own; otherwise it stands in its place.
    pub replace: u8,
}

impl Track {
    pub(super) fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let record = view.sub(offset, TRACK_SIZE, "track record")?;
        Ok(Self {
            offset,
            length: record.f32(0, "track length")?,
            keys: record.u32(4, "track key frames")?,
            key_count: record.u16(8, "track key count")?,
            id: record.u16(0xA, "track id")?,
            quantization: Quantization(record.u8(0xC, "track quantization")?),
            components: record.u8(0xD, "track components")?,
            interpolation: record.u8(0xE, "track interpolation")?,
            replace: record.u8(0xF, "track record")?,
        })
    }

    /// The record as stored in a file.
    pub fn to_bytes(&self) -> [u8; TRACK_SIZE as usize] {
        let mut bytes = [0; TRACK_SIZE as usize];
        bytes[0x0..0x4].copy_from_slice(&self.length.to_bits().to_be_bytes());
        bytes[0x4..0x8].copy_from_slice(&self.keys.to_be_bytes());
        bytes[0x8..0xA].copy_from_slice(&self.key_count.to_be_bytes());
        bytes[0xA..0xC].copy_from_slice(&self.id.to_be_bytes());
        bytes[0xC..].copy_from_slice(&[
            self.quantization.0,
            self.components,
            self.interpolation,
            self.replace,
        ]);
        bytes
    }

    /// Whether the track has any of the components.
    pub fn has(&self, components: u8) -> bool {
        self.components & components != 0
    }

    /// Bytes of a packed vector.
    fn vector(&self) -> u64 {
        self.quantization.vector_size()
    }

    /// How the scale goes from key to key.
    pub fn scale_curve(&self) -> VectorCurve {
        VectorCurve::from_bits(self.interpolation >> 2)
    }

    /// How the translation goes from key to key.
    pub fn translation_curve(&self) -> VectorCurve {
        VectorCurve::from_bits(self.interpolation)
    }

    /// How the rotation goes from key to key; where both kinds are set, the quaternion wins.
    pub fn rotation_curve(&self) -> RotationCurve {
        match (self.has(QUATERNION), (self.interpolation >> 4) & 7) {
            (true, 0) => RotationCurve::None,
            (true, 4) => RotationCurve::Squad,
            (true, 5) => RotationCurve::SquadEase,
            (true, 6) => RotationCurve::Slerp,
            (false, code @ 0..=2) => RotationCurve::Euler(VectorCurve::from_bits(code)),
            (_, code) => RotationCurve::Unknown(code),
        }
    }

    /// Offset of the rotation in a key's setting.
    pub fn rotation_at(&self) -> u64 {
        if self.has(SCALE) { self.vector() } else { 0 }
    }

    /// Offset of the translation in a key's setting. With both kinds of rotation set it is looked for
    /// behind both, although only the quaternion is read.
    pub fn translation_at(&self) -> u64 {
        let euler = if self.has(EULER) { self.vector() } else { 0 };
        let quaternion = if self.has(QUATERNION) { QUATERNION_SIZE } else { 0 };
        self.rotation_at() + euler + quaternion
    }

    /// Bytes of a key's setting.
    pub fn setting_size(&self) -> u64 {
        if self.has(MATRIX) {
            return 12 * 4;
        }
        self.translation_at() + if self.has(TRANSLATION) { self.vector() } else { 0 }
    }

    /// Offset of the rotation's block in a key's interpolation data.
    pub fn rotation_block_at(&self) -> u64 {
        if self.has(SCALE) { self.scale_curve().block_size(self.vector()) } else { 0 }
    }

    /// Offset of the translation's block in a key's interpolation data.
    pub fn translation_block_at(&self) -> u64 {
        let rotation =
            if self.has(EULER | QUATERNION) { self.rotation_curve().block_size(self.vector()) } else { 0 };
        self.rotation_block_at() + rotation
    }

    /// Bytes of a key's interpolation data.
    pub fn interpolation_size(&self) -> u64 {
        if self.has(MATRIX) {
            return 0;
        }
        let translation =
            if self.has(TRANSLATION) { self.translation_curve().block_size(self.vector()) } else { 0 };
        self.translation_block_at() + translation
    }
}

/// A key frame record, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Offset of the record in the bank.
    pub offset: u64,
    /// Time in the clock's unit.
    pub time: f32,
    /// Offset of the setting: the component values.
    pub setting: u32,
    /// Offset of the interpolation data: controls, tangents and eases.
    pub interpolation: u32,
}

impl Key {
    pub(super) fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let record = view.sub(offset, KEY_SIZE, "key frame record")?;
        Ok(Self {
            offset,
            time: record.f32(0, "key frame time")?,
            setting: record.u32(4, "key frame setting")?,
            interpolation: record.u32(8, "key frame interpolation")?,
        })
    }

    /// The record as stored in a file.
    pub fn to_bytes(&self) -> [u8; KEY_SIZE as usize] {
        let mut bytes = [0; KEY_SIZE as usize];
        bytes[0..4].copy_from_slice(&self.time.to_bits().to_be_bytes());
        bytes[4..8].copy_from_slice(&self.setting.to_be_bytes());
        bytes[8..].copy_from_slice(&self.interpolation.to_be_bytes());
        bytes
    }
}
