//! The entries of the three lists, every field as stored. \[listing\]

use super::List;
use crate::bytes::{ReadResult, View};

/// A field of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryField {
    /// Pointer to the source array.
    Source,
    /// Pointer to the weights (SK2, `SKAcc`).
    Weights,
    /// Pointer to the destination indices (`SKAcc`).
    Indices,
    /// Destination, from the position array.
    Destination,
    /// The bone, or the first of two.
    Bone,
    /// Number of vertices.
    Count,
    /// Bytes before the first vertex (SK1, SK2).
    VertexOffset,
}

impl EntryField {
    /// The name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Weights => "weights",
            Self::Indices => "indices",
            Self::Destination => "destination",
            Self::Bone => "bone",
            Self::Count => "count",
            Self::VertexOffset => "vertex offset",
        }
    }

    /// Its offset in an entry of a list; 0, the entry's own, in one that has no such field.
    pub const fn offset_in(self, list: List) -> u64 {
        let [sk1, sk2, skacc] = match self {
            Self::Source => [0x30, 0x60, 0x30],
            Self::Weights => [0, 0x64, 0x3C],
            Self::Indices => [0, 0, 0x34],
            Self::Destination => [0x34, 0x68, 0x38],
            Self::Bone => [0x38, 0x6C, 0x40],
            Self::Count => [0x3A, 0x70, 0x42],
            Self::VertexOffset => [0x3C, 0x72, 0],
        };
        match list {
            List::Sk1 => sk1,
            List::Sk2 => sk2,
            List::SkAcc => skacc,
        }
    }
}

/// An SK1 entry: consecutive vertices, one bone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sk1Entry {
    /// Offset of the entry in the SKN.
    pub offset: u64,
    /// Room for the reordered matrix; what the file stores there is never read.
    pub scratch: [u8; 0x30],
    /// Offset of the source array.
    pub source: u32,
    /// Offset of the first stored line, from the position array.
    pub destination: u32,
    /// Bone whose matrix moves the vertices.
    pub bone: u16,
    /// Number of vertices.
    pub count: u16,
    /// Bytes between the start of source and destination and the first vertex.
    pub vertex_offset: u8,
    /// Unused bytes at +0x3D.
    pub padding: [u8; 3],
}

/// An SK2 entry: consecutive vertices, two bones, two weights a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sk2Entry {
    /// Offset of the entry in the SKN.
    pub offset: u64,
    /// Room for the two reordered matrices.
    pub scratch: [u8; 0x60],
    /// Offset of the source array.
    pub source: u32,
    /// Offset of the weights, two u8 a vertex.
    pub weights: u32,
    /// Offset of the first stored line, from the position array.
    pub destination: u32,
    /// The two bones.
    pub bones: [u16; 2],
    /// Number of vertices.
    pub count: u16,
    /// Bytes between the start of source and destination and the first vertex.
    pub vertex_offset: u8,
    /// Unused byte at +0x73.
    pub padding: u8,
}

/// An `SKAcc` entry: one bone's contributions, each with its destination index and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkAccEntry {
    /// Offset of the entry in the SKN.
    pub offset: u64,
    /// Room for the reordered matrix.
    pub scratch: [u8; 0x30],
    /// Offset of the source array, one vertex a contribution.
    pub source: u32,
    /// Offset of the destination indices, u16 each.
    pub indices: u32,
    /// Destination base, from the position array; 0 in every known file.
    pub destination: u32,
    /// Offset of the weights, u8 each.
    pub weights: u32,
    /// Bone whose matrix moves the vertices.
    pub bone: u16,
    /// Number of contributions.
    pub count: u16,
}

impl Sk1Entry {
    pub(super) fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let entry = view.sub(offset, List::Sk1.entry_size(), "SK1 entry")?;
        Ok(Self {
            offset,
            scratch: array(entry, 0)?,
            source: entry.u32(0x30, "SK1 source")?,
            destination: entry.u32(0x34, "SK1 destination")?,
            bone: entry.u16(0x38, "SK1 bone")?,
            count: entry.u16(0x3A, "SK1 count")?,
            vertex_offset: entry.u8(0x3C, "SK1 vertex offset")?,
            padding: array(entry, 0x3D)?,
        })
    }

    /// The entry as stored in a file.
    pub fn to_bytes(&self) -> [u8; 0x40] {
        let mut bytes = [0; 0x40];
        bytes[..0x30].copy_from_slice(&self.scratch);
        bytes[0x30..0x34].copy_from_slice(&self.source.to_be_bytes());
        bytes[0x34..0x38].copy_from_slice(&self.destination.to_be_bytes());
        bytes[0x38..0x3A].copy_from_slice(&self.bone.to_be_bytes());
        bytes[0x3A..0x3C].copy_from_slice(&self.count.to_be_bytes());
        bytes[0x3C] = self.vertex_offset;
        bytes[0x3D..].copy_from_slice(&self.padding);
        bytes
    }
}

impl Sk2Entry {
    pub(super) fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let entry = view.sub(offset, List::Sk2.entry_size(), "SK2 entry")?;
        Ok(Self {
            offset,
            scratch: array(entry, 0)?,
            source: entry.u32(0x60, "SK2 source")?,
            weights: entry.u32(0x64, "SK2 weights")?,
            destination: entry.u32(0x68, "SK2 destination")?,
            bones: [entry.u16(0x6C, "SK2 bone 0")?, entry.u16(0x6E, "SK2 bone 1")?],
            count: entry.u16(0x70, "SK2 count")?,
            vertex_offset: entry.u8(0x72, "SK2 vertex offset")?,
            padding: entry.u8(0x73, "SK2 padding")?,
        })
    }

    /// The entry as stored in a file.
    pub fn to_bytes(&self) -> [u8; 0x74] {
        let mut bytes = [0; 0x74];
        bytes[..0x60].copy_from_slice(&self.scratch);
        bytes[0x60..0x64].copy_from_slice(&self.source.to_be_bytes());
        bytes[0x64..0x68].copy_from_slice(&self.weights.to_be_bytes());
        bytes[0x68..0x6C].copy_from_slice(&self.destination.to_be_bytes());
        bytes[0x6C..0x6E].copy_from_slice(&self.bones[0].to_be_bytes());
        bytes[0x6E..0x70].copy_from_slice(&self.bones[1].to_be_bytes());
        bytes[0x70..0x72].copy_from_slice(&self.count.to_be_bytes());
        bytes[0x72] = self.vertex_offset;
        bytes[0x73] = self.padding;
        bytes
    }
}

impl SkAccEntry {
    pub(super) fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let entry = view.sub(offset, List::SkAcc.entry_size(), "SKAcc entry")?;
        Ok(Self {
            offset,
            scratch: array(entry, 0)?,
            source: entry.u32(0x30, "SKAcc source")?,
            indices: entry.u32(0x34, "SKAcc indices")?,
            destination: entry.u32(0x38, "SKAcc destination")?,
            weights: entry.u32(0x3C, "SKAcc weights")?,
            bone: entry.u16(0x40, "SKAcc bone")?,
            count: entry.u16(0x42, "SKAcc count")?,
        })
    }

    /// The entry as stored in a file.
    pub fn to_bytes(&self) -> [u8; 0x44] {
        let mut bytes = [0; 0x44];
        bytes[..0x30].copy_from_slice(&self.scratch);
        bytes[0x30..0x34].copy_from_slice(&self.source.to_be_bytes());
        bytes[0x34..0x38].copy_from_slice(&self.indices.to_be_bytes());
        bytes[0x38..0x3C].copy_from_slice(&self.destination.to_be_bytes());
        bytes[0x3C..0x40].copy_from_slice(&self.weights.to_be_bytes());
        bytes[0x40..0x42].copy_from_slice(&self.bone.to_be_bytes());
        bytes[0x42..].copy_from_slice(&self.count.to_be_bytes());
        bytes
    }
}

fn array<const N: usize>(view: View, offset: u64) -> ReadResult<[u8; N]> {
    let mut bytes = [0; N];
    bytes.copy_from_slice(view.take(offset, N as u64, "SKN entry")?);
    Ok(bytes)
}
