//! How a member's bytes become numbers: one table of data, semantic × type → interpretation.
//!
//! The rows are those of seed 001; a row marked [`Source::Sourced`] comes from a community reader and is
//! checked against no consumer. A pair without a row is left undecoded and reported, never guessed.

use half::f16;

use super::layout::{MemberType, Semantic};

/// The reciprocal of 127 as the vertex programs hold it; dividing by 127 differs by one unit in the last
/// place for some bytes [seed 001].
pub const RECIPROCAL_127: f32 = f32::from_bits(0x3C01_0204);

/// The rule from bytes to lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpack {
    /// IEEE floats.
    Floats,
    /// IEEE half floats.
    Halves,
    /// Signed bytes / 127.
    SignedBytes,
    /// Unsigned bytes / 255.
    UnsignedBytes,
    /// `(b - 127) * r`, r = [`RECIPROCAL_127`].
    BiasedBytes,
    /// Bytes 3, 2, 1 as signed / 127.
    ReversedSignedBytes,
    /// Signed shorts / 2048 (1024 before version 0x2000F).
    TextureShorts,
    /// Signed shorts / 32767.
    SignedShorts,
    /// `(u - 32767) / 32767` of unsigned shorts.
    BiasedShorts,
    /// `(u ^ 0x8000) / 65535` of unsigned shorts: another reading of weights of type 0x16 [sourced].
    FlippedShorts,
    /// Unsigned bytes as integers.
    ByteIntegers,
    /// Unsigned shorts as integers.
    ShortIntegers,
}

impl Unpack {
    /// Unpacks up to four lanes; lanes past the end of `bytes` stay zero.
    pub fn lanes(self, bytes: &[u8], lanes: usize, uv_divisor: f32) -> [f32; 4] {
        let mut out = [0.0; 4];
        let out_lanes = &mut out[..lanes.min(4)];
        let short = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
        match self {
            Self::Floats => fill(out_lanes, bytes.chunks_exact(4), |word| {
                f32::from_le_bytes([word[0], word[1], word[2], word[3]])
            }),
            Self::Halves => {
                fill(out_lanes, bytes.chunks_exact(2), |pair| f16::from_bits(short(pair)).to_f32());
            }
            Self::SignedBytes => fill(out_lanes, bytes, |byte| f32::from(*byte as i8) / 127.0),
            Self::UnsignedBytes => fill(out_lanes, bytes, |byte| f32::from(*byte) / 255.0),
            Self::BiasedBytes => {
                fill(out_lanes, bytes, |byte| (f32::from(*byte) - 127.0) * RECIPROCAL_127);
            }
            Self::ReversedSignedBytes => {
                fill(out_lanes, bytes.iter().rev(), |byte| f32::from(*byte as i8) / 127.0);
            }
            Self::TextureShorts => {
                fill(out_lanes, bytes.chunks_exact(2), |pair| f32::from(short(pair) as i16) / uv_divisor);
            }
            Self::SignedShorts => {
                fill(out_lanes, bytes.chunks_exact(2), |pair| f32::from(short(pair) as i16) / 32767.0);
            }
            Self::BiasedShorts => {
                fill(out_lanes, bytes.chunks_exact(2), |pair| (f32::from(short(pair)) - 32767.0) / 32767.0);
            }
            Self::FlippedShorts => {
                fill(out_lanes, bytes.chunks_exact(2), |pair| f32::from(short(pair) ^ 0x8000) / 65535.0);
            }
            Self::ByteIntegers => fill(out_lanes, bytes, |byte| f32::from(*byte)),
            Self::ShortIntegers => fill(out_lanes, bytes.chunks_exact(2), |pair| f32::from(short(pair))),
        }
        out
    }
}

fn fill<T>(lanes: &mut [f32], items: impl IntoIterator<Item = T>, unpack: impl Fn(T) -> f32) {
    for (lane, item) in lanes.iter_mut().zip(items) {
        *lane = unpack(item);
    }
}

/// Where a normal keeps the integer that names its rigid bone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegerW {
    /// Nowhere.
    None,
    /// An unsigned byte at this offset.
    Byte(usize),
    /// A signed short at this offset.
    Short(usize),
    /// A float at this offset, where its value is whole.
    Float(usize),
}

impl IntegerW {
    /// The integer; `None` where a float is not whole.
    pub fn read(self, bytes: &[u8]) -> Option<i32> {
        match self {
            Self::None => None,
            Self::Byte(at) => bytes.get(at).map(|byte| i32::from(*byte)),
            Self::Short(at) => {
                bytes.get(at..at + 2).map(|pair| i32::from(i16::from_le_bytes([pair[0], pair[1]])))
            }
            Self::Float(at) => {
                let word = bytes.get(at..at + 4)?;
                let value = f32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                (value.fract() == 0.0 && value.abs() < 32768.0).then_some(value as i32)
            }
        }
    }
}

/// How sure a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Checked against real data or a vertex program [seed 001].
    Observed,
    /// From a community reader.
    Sourced,
}

/// One interpretation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Role of the member.
    pub semantic: Semantic,
    /// Packing of the member.
    pub member_type: MemberType,
    /// Rule from bytes to lanes.
    pub unpack: Unpack,
    /// Number of lanes.
    pub lanes: u8,
    /// The normal's W.
    pub w: IntegerW,
    /// How sure the row is.
    pub source: Source,
}

const fn row(semantic: Semantic, member_type: MemberType, unpack: Unpack, lanes: u8) -> Row {
    Row { semantic, member_type, unpack, lanes, w: IntegerW::None, source: Source::Observed }
}

const fn normal(member_type: MemberType, unpack: Unpack, w: IntegerW) -> Row {
    Row { semantic: Semantic::NORMAL, member_type, unpack, lanes: 3, w, source: Source::Observed }
}

const fn sourced(row: Row) -> Row {
    Row { source: Source::Sourced, ..row }
}

/// The table.
pub static TABLE: &[Row] = {
    use IntegerW as W;
    use MemberType as T;
    use Semantic as S;
    use Unpack as U;
    &[
        row(S::POSITION, T::FLOAT3, U::Floats, 3),
        row(S::POSITION, T::FLOAT4, U::Floats, 4),
        row(S::BONE_WEIGHTS, T::COLOR, U::SignedBytes, 4),
        row(S::BONE_WEIGHTS, T::UBYTE4_NORM, U::UnsignedBytes, 4),
        row(S::BONE_WEIGHTS, T::SHORT4, U::SignedShorts, 4),
        row(S::BONE_WEIGHTS, T::SHORT4_NORM, U::SignedShorts, 4),
        row(S::BONE_INDICES, T::UBYTE4, U::ByteIntegers, 4),
        row(S::BONE_INDICES, T::USHORT4, U::ShortIntegers, 4),
        row(S::BONE_INDICES, T::BYTE4_E, U::ByteIntegers, 4),
        normal(T::FLOAT3, U::Floats, W::None),
        sourced(normal(T::FLOAT4, U::Floats, W::Float(12))),
        normal(T::COLOR, U::BiasedBytes, W::Byte(3)),
        normal(T::UBYTE4, U::BiasedBytes, W::Byte(3)),
        normal(T::BYTE4, U::ReversedSignedBytes, W::Byte(0)),
        normal(T::UBYTE4_NORM, U::BiasedBytes, W::Byte(3)),
        normal(T::SHORT4_NORM, U::SignedShorts, W::Short(6)),
        normal(T::HALF4, U::BiasedShorts, W::Short(6)),
        normal(T::BYTE4_E, U::BiasedBytes, W::Byte(3)),
        sourced(row(S::UV, T::FLOAT1, U::Floats, 1)),
        row(S::UV, T::FLOAT2, U::Floats, 2),
        row(S::UV, T::FLOAT3, U::Floats, 3),
        row(S::UV, T::FLOAT4, U::Floats, 4),
        row(S::UV, T::COLOR, U::TextureShorts, 2),
        row(S::UV, T::UBYTE4, U::TextureShorts, 2),
        row(S::UV, T::BYTE4, U::TextureShorts, 2),
        row(S::UV, T::UBYTE4_NORM, U::UnsignedBytes, 4),
        sourced(row(S::UV, T::BYTE4_NORM, U::SignedBytes, 4)),
        row(S::UV, T::SHORT2, U::TextureShorts, 2),
        row(S::UV, T::SHORT4, U::TextureShorts, 4),
        sourced(row(S::UV, T::USHORT2, U::ShortIntegers, 2)),
        row(S::UV, T::HALF2, U::Halves, 2),
        row(S::UV, T::HALF4, U::Halves, 4),
        sourced(row(S::TANGENT, T::FLOAT3, U::Floats, 3)),
        sourced(row(S::TANGENT, T::FLOAT4, U::Floats, 4)),
        row(S::TANGENT, T::COLOR, U::BiasedBytes, 4),
        row(S::TANGENT, T::UBYTE4, U::BiasedBytes, 4),
        row(S::TANGENT, T::UBYTE4_NORM, U::BiasedBytes, 4),
        row(S::TANGENT, T::SHORT4_NORM, U::SignedShorts, 4),
        row(S::TANGENT, T::BYTE4_E, U::BiasedBytes, 4),
        row(S::BITANGENT, T::COLOR, U::BiasedBytes, 4),
        row(S::BITANGENT, T::UBYTE4, U::BiasedBytes, 4),
        row(S::BITANGENT, T::UBYTE4_NORM, U::BiasedBytes, 4),
        row(S::BITANGENT, T::SHORT4_NORM, U::SignedShorts, 4),
        row(S::BITANGENT, T::BYTE4_E, U::BiasedBytes, 4),
        sourced(row(S::COLOUR, T::FLOAT4, U::Floats, 4)),
        row(S::COLOUR, T::COLOR, U::UnsignedBytes, 4),
        row(S::COLOUR, T::UBYTE4_NORM, U::UnsignedBytes, 4),
    ]
};

/// The interpretation of a type in a semantic, where one is known.
pub fn interpretation(semantic: Semantic, member_type: MemberType) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.semantic == semantic && row.member_type == member_type)
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
