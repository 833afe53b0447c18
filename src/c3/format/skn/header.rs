//! The header of a skinning section. \[listing\]

use super::HEADER_SIZE;
use crate::bytes::{ReadResult, View};

/// The header, every field as stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SknHeader {
    /// Number of SK1 entries.
    pub sk1_count: u16,
    /// Number of SK2 entries.
    pub sk2_count: u16,
    /// Number of `SKAcc` entries.
    pub skacc_count: u16,
    /// Fraction bits of the skinned positions and normals.
    pub shift: u8,
    /// Unused byte at +7.
    pub padding: u8,
    /// Offset of the SK1 list.
    pub sk1: u32,
    /// Offset of the SK2 list.
    pub sk2: u32,
    /// Offset of the `SKAcc` list.
    pub skacc: u32,
    /// Start of the range cleared before accumulation, from the position array.
    pub clear_start: u32,
    /// Size of that range in bytes; 0 for none.
    pub clear_size: u32,
    /// Offset of the flush indices, u16 each.
    pub flush: u32,
    /// Number of flush indices.
    pub flush_count: u32,
}

impl SknHeader {
    pub(super) fn parse(view: View) -> ReadResult<Self> {
        let header = view.sub(0, HEADER_SIZE, "SKN header")?;
        let word = |offset| header.u32(offset, "SKN header");
        Ok(Self {
            sk1_count: header.u16(0, "SKN header")?,
            sk2_count: header.u16(2, "SKN header")?,
            skacc_count: header.u16(4, "SKN header")?,
            shift: header.u8(6, "SKN header")?,
            padding: header.u8(7, "SKN header")?,
            sk1: word(0x08)?,
            sk2: word(0x0C)?,
            skacc: word(0x10)?,
            clear_start: word(0x14)?,
            clear_size: word(0x18)?,
            flush: word(0x1C)?,
            flush_count: word(0x20)?,
        })
    }

    /// The header as stored in a file.
    pub fn to_bytes(&self) -> [u8; HEADER_SIZE as usize] {
        let mut bytes = [0; HEADER_SIZE as usize];
        bytes[0..2].copy_from_slice(&self.sk1_count.to_be_bytes());
        bytes[2..4].copy_from_slice(&self.sk2_count.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.skacc_count.to_be_bytes());
        bytes[6] = self.shift;
        bytes[7] = self.padding;
        let words =
            [self.sk1, self.sk2, self.skacc, self.clear_start, self.clear_size, self.flush, self.flush_count];
        for (bytes, word) in bytes[8..].chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }
}
