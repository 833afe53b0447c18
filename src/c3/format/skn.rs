//! The skinning section: a header and three lists of entries. \[listing\] \[seed 003\]
//!
//! Offsets into arrays (sources, weights, indices) count from the start of the SKN; destinations count
//! from the position array of the skinned submesh. A vertex is six s16: x y z nx ny nz, 12 bytes.

use std::fmt;

use crate::bytes::{Endian, ReadError, ReadResult, View};

/// Bytes of a vertex in source and position arrays.
pub const STRIDE: u64 = 12;
/// Size of the header in bytes.
pub const HEADER_SIZE: u64 = 0x24;

/// One of the three lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// Vertices moved by one bone.
    Sk1,
    /// Vertices moved by two bones.
    Sk2,
    /// Contributions added to vertices by index.
    SkAcc,
}

impl List {
    /// The name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sk1 => "SK1",
            Self::Sk2 => "SK2",
            Self::SkAcc => "SKAcc",
        }
    }

    /// Size of one entry in bytes.
    pub const fn entry_size(self) -> u64 {
        match self {
            Self::Sk1 => 0x40,
            Self::Sk2 => 0x74,
            Self::SkAcc => 0x44,
        }
    }
}

/// Names an entry: `SK1[3]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId {
    /// Its list.
    pub list: List,
    /// Its number in the list, from 0.
    pub index: u32,
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.list.name(), self.index)
    }
}

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
    fn parse(view: View) -> ReadResult<Self> {
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
    fn parse(view: View, offset: u64) -> ReadResult<Self> {
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
    fn parse(view: View, offset: u64) -> ReadResult<Self> {
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
    fn parse(view: View, offset: u64) -> ReadResult<Self> {
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

/// A parsed skinning section.
#[derive(Debug, Clone)]
pub struct Skn<'a> {
    view: View<'a>,
    /// The header as stored.
    pub header: SknHeader,
    /// The SK1 entries that lie inside the section (fewer than the header counts when it is cut off).
    pub sk1: Vec<Sk1Entry>,
    /// The SK2 entries that lie inside the section.
    pub sk2: Vec<Sk2Entry>,
    /// The `SKAcc` entries that lie inside the section.
    pub skacc: Vec<SkAccEntry>,
    /// The flush indices that lie inside the section.
    pub flush: Vec<u16>,
    /// Lists that the section does not hold whole.
    pub problems: Vec<ReadError>,
}

impl<'a> Skn<'a> {
    /// Reads a loose file.
    ///
    /// # Errors
    /// When there is no whole header.
    pub fn parse(bytes: &'a [u8]) -> ReadResult<Self> {
        Self::parse_view(View::new(bytes, Endian::Big))
    }

    /// Reads a section of a block; errors then name the block's offsets.
    ///
    /// # Errors
    /// When there is no whole header.
    pub fn parse_view(view: View<'a>) -> ReadResult<Self> {
        let view = view.with_endian(Endian::Big);
        let header = SknHeader::parse(view)?;
        let mut problems = Vec::new();
        let mut list = ListReader { view, problems: &mut problems };
        let sk1 = list.read(header.sk1, header.sk1_count.into(), 0x40, "SK1 list", Sk1Entry::parse);
        let sk2 = list.read(header.sk2, header.sk2_count.into(), 0x74, "SK2 list", Sk2Entry::parse);
        let skacc = list.read(header.skacc, header.skacc_count.into(), 0x44, "SKAcc list", SkAccEntry::parse);
        let flush = list.read(header.flush, header.flush_count, 2, "flush indices", |view, offset| {
            view.u16(offset, "flush index")
        });
        Ok(Self { view, header, sk1, sk2, skacc, flush, problems })
    }

    /// The bytes of the section.
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// End of the last list of entries, in bytes from the SKN start.
    pub fn lists_end(&self) -> u64 {
        let list = |start: u32, count: u16, list: List| match count {
            0 => 0,
            _ => u64::from(start) + u64::from(count) * list.entry_size(),
        };
        let header = &self.header;
        HEADER_SIZE
            .max(list(header.sk1, header.sk1_count, List::Sk1))
            .max(list(header.sk2, header.sk2_count, List::Sk2))
            .max(list(header.skacc, header.skacc_count, List::SkAcc))
    }

    /// Where the mirror of the position array begins: the lists' end on the next line. \[seed 003\]
    pub fn mirror_start(&self) -> u64 {
        super::align32(self.lists_end())
    }

    /// Every entry of the three lists in the order in which a frame runs them.
    pub fn entries(&self) -> impl Iterator<Item = EntryId> + '_ {
        let ids = |list, count: usize| (0..count as u32).map(move |index| EntryId { list, index });
        ids(List::Sk1, self.sk1.len())
            .chain(ids(List::Sk2, self.sk2.len()))
            .chain(ids(List::SkAcc, self.skacc.len()))
    }

    /// Offset of an entry in the SKN.
    pub fn entry_offset(&self, id: EntryId) -> u64 {
        let start = match id.list {
            List::Sk1 => self.header.sk1,
            List::Sk2 => self.header.sk2,
            List::SkAcc => self.header.skacc,
        };
        u64::from(start) + u64::from(id.index) * id.list.entry_size()
    }

    /// The destination indices of an `SKAcc` entry, as far as they lie inside the section.
    pub fn indices(&self, entry: &SkAccEntry) -> impl Iterator<Item = u16> + 'a {
        let bytes = self.held(entry.indices, 2 * u64::from(entry.count));
        bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
    }

    /// The bytes at an offset of the SKN, as far as they lie inside the section.
    pub fn held(&self, offset: u32, size: u64) -> &'a [u8] {
        let start = u64::from(offset).min(self.view.len());
        let end = start.saturating_add(size).min(self.view.len());
        &self.view.bytes()[start as usize..end as usize]
    }

    /// The section as a file: the parsed bytes with the typed fields laid over them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.view.bytes().to_vec();
        super::overlay(&mut bytes, 0, &self.header.to_bytes());
        for entry in &self.sk1 {
            super::overlay(&mut bytes, entry.offset, &entry.to_bytes());
        }
        for entry in &self.sk2 {
            super::overlay(&mut bytes, entry.offset, &entry.to_bytes());
        }
        for entry in &self.skacc {
            super::overlay(&mut bytes, entry.offset, &entry.to_bytes());
        }
        for (index, flush) in self.flush.iter().enumerate() {
            let offset = u64::from(self.header.flush) + 2 * index as u64;
            super::overlay(&mut bytes, offset, &flush.to_be_bytes());
        }
        bytes
    }
}

struct ListReader<'a, 'p> {
    view: View<'a>,
    problems: &'p mut Vec<ReadError>,
}

impl<'a> ListReader<'a, '_> {
    /// The records that lie inside the section; one problem when that is not all of them.
    fn read<T>(
        &mut self,
        start: u32,
        count: u32,
        size: u64,
        what: &str,
        parse: impl Fn(View<'a>, u64) -> ReadResult<T>,
    ) -> Vec<T> {
        if count == 0 {
            return Vec::new();
        }
        let start = u64::from(start);
        let held = (self.view.len().saturating_sub(start) / size).min(count.into());
        if held < count.into() {
            self.problems.push(ReadError::new(
                what,
                self.view.base() + start,
                format!("{count} records of {size:#x} bytes"),
                format!("room for {held} in a section of {:#x} bytes", self.view.len()),
            ));
        }
        (0..held).map_while(|index| parse(self.view, start + index * size).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let header = SknHeader {
            sk1_count: 1,
            sk2_count: 1,
            skacc_count: 1,
            shift: 8,
            sk1: 0x24,
            sk2: 0x64,
            skacc: 0xD8,
            flush: 0x180,
            flush_count: 2,
            ..SknHeader::default()
        };
        let mut bytes = header.to_bytes().to_vec();
        bytes.resize(0x1A0, 0);
        bytes[0x24 + 0x30..0x24 + 0x3D].copy_from_slice(&[0, 0, 1, 0x20, 0, 0, 0, 0x40, 0, 5, 0, 3, 4]);
        bytes[0x180..0x184].copy_from_slice(&[0, 1, 0, 9]);
        bytes
    }

    #[test]
    fn the_fields_lie_where_the_game_reads_them() {
        let bytes = sample();
        let skn = Skn::parse(&bytes).unwrap();
        let entry = skn.sk1[0];
        assert_eq!((entry.source, entry.destination), (0x120, 0x40));
        assert_eq!((entry.bone, entry.count, entry.vertex_offset), (5, 3, 4));
        assert_eq!(skn.flush, [1, 9]);
        assert_eq!((skn.lists_end(), skn.mirror_start()), (0x11C, 0x120));
        let names: Vec<_> = skn.entries().map(|id| id.to_string()).collect();
        assert_eq!(names, ["SK1[0]", "SK2[0]", "SKAcc[0]"]);
        assert!(skn.problems.is_empty());
    }

    #[test]
    fn a_list_that_is_cut_off_keeps_the_entries_it_holds() {
        let mut bytes = sample();
        bytes[1] = 9; // nine SK1 entries where five fit
        let skn = Skn::parse(&bytes).unwrap();
        assert_eq!(skn.sk1.len(), 5);
        assert_eq!(
            skn.problems[0].to_string(),
            "SK1 list at offset 0x24: want 9 records of 0x40 bytes, have room for 5 in a section of 0x1a0 bytes"
        );
    }

    proptest! {
        #[test]
        fn a_mutated_skn_is_written_back_as_it_was(
            changes in proptest::collection::vec((0usize..0x1A0, any::<u8>()), 0..12),
            length in 0x24usize..0x1A1,
        ) {
            let mut bytes = sample();
            for (offset, value) in changes {
                bytes[offset] = value;
            }
            bytes.truncate(length);
            let skn = Skn::parse(&bytes).unwrap();
            prop_assert!(skn.mirror_start() >= HEADER_SIZE);
            prop_assert_eq!(skn.to_bytes(), bytes);
        }
    }
}
