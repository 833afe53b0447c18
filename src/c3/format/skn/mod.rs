//! The skinning section: a header and three lists of entries. \[listing\] \[seed 003\]
//!
//! Offsets into arrays (sources, weights, indices) count from the start of the SKN; destinations count
//! from the position array of the skinned submesh. A vertex is six s16: x y z nx ny nz, 12 bytes.

use std::ops::Range;

use std::fmt;

use crate::bytes::{Endian, ReadError, ReadResult, View};

mod entries;
mod header;
#[cfg(test)]
mod tests;

pub use entries::{EntryField, Sk1Entry, Sk2Entry, SkAccEntry};
pub use header::SknHeader;

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
        let sk1 = list.read((header.sk1, 0x08), header.sk1_count.into(), 0x40, "SK1 list", Sk1Entry::parse);
        let sk2 = list.read((header.sk2, 0x0C), header.sk2_count.into(), 0x74, "SK2 list", Sk2Entry::parse);
        let skacc =
            list.read((header.skacc, 0x10), header.skacc_count.into(), 0x44, "SKAcc list", SkAccEntry::parse);
        let flush =
            list.read((header.flush, 0x1C), header.flush_count, 2, "flush indices", |view, offset| {
                view.u16(offset, "flush index")
            });
        Ok(Self { view, header, sk1, sk2, skacc, flush, problems })
    }

    /// The bytes of the section.
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// End of the last list of entries, in bytes from the SKN start. A list that the section does not hold
    /// says nothing about where the others end.
    pub fn lists_end(&self) -> u64 {
        let list = |start: u32, count: u16, list: List| match (start, count) {
            (0, _) | (_, 0) => 0,
            _ => u64::from(start) + u64::from(count) * list.entry_size(),
        };
        let list = |start, count, kind| Some(list(start, count, kind)).filter(|end| *end <= self.view.len());
        let list = |start, count, kind| list(start, count, kind).unwrap_or(0);
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

    /// The destination indices that a kernel gets: transfers begin on a cache line. \[listing\]
    pub fn loaded_indices(&self, entry: &SkAccEntry) -> impl Iterator<Item = u16> + 'a {
        let bytes = self.loaded(entry.indices, 2 * u64::from(entry.count));
        bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
    }

    /// The bytes that a transfer brings of an array at an offset of the SKN: those of the line in which it begins come
    /// first. \[listing\]
    pub fn loaded(&self, offset: u32, size: u64) -> &'a [u8] {
        let into = (self.view.base() as u32).wrapping_add(offset) % 32;
        self.held(offset.wrapping_sub(into), size)
    }

    /// The bytes that a transfer finds at an offset of the SKN, as far as they lie inside the section: it keeps 29
    /// bits of an address. \[listing\]
    pub fn held(&self, offset: u32, size: u64) -> &'a [u8] {
        let start = u64::from(offset & 0x1FFF_FFFF).min(self.view.len());
        let end = start.saturating_add(size).min(self.view.len());
        &self.view.bytes()[start as usize..end as usize]
    }

    /// The bytes of the section that a frame reads: header, lists and every array, ascending and apart from each other.
    pub fn used(&self) -> Vec<Range<u64>> {
        let sized =
            |start: u32, size: u64| u64::from(start & 0x1FFF_FFFF)..u64::from(start & 0x1FFF_FFFF) + size;
        let source =
            |start, offset: u8, count: u16| sized(start, u64::from(offset) + u64::from(count) * STRIDE);
        let mut ranges = vec![0..self.lists_end(), sized(self.header.flush, 2 * self.flush.len() as u64)];
        ranges.extend(self.sk1.iter().map(|entry| source(entry.source, entry.vertex_offset, entry.count)));
        for entry in &self.sk2 {
            ranges.push(source(entry.source, entry.vertex_offset, entry.count));
            ranges.push(sized(entry.weights, 2 * u64::from(entry.count)));
        }
        for entry in &self.skacc {
            ranges.push(source(entry.source, 0, entry.count));
            ranges.push(sized(entry.indices, 2 * u64::from(entry.count)));
            ranges.push(sized(entry.weights, entry.count.into()));
        }
        let length = self.view.len();
        let inside = |range: Range<u64>| range.start.min(length)..range.end.min(length);
        super::apart(ranges.into_iter().map(inside))
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
        (start, pointer): (u32, u64),
        count: u32,
        size: u64,
        what: &str,
        parse: impl Fn(View<'a>, u64) -> ReadResult<T>,
    ) -> Vec<T> {
        // The loader leaves a pointer of 0 as it is: whatever is read through it does not lie here. [listing]
        if count == 0 || start == 0 {
            return Vec::new();
        }
        let start = u64::from(start);
        let held = (self.view.len().saturating_sub(start) / size).min(count.into());
        if held < count.into() {
            let problem = ReadError::new(
                what,
                self.view.base() + start,
                format!("{count} records of {size:#x} bytes"),
                format!("room for {held} in a section of {:#x} bytes", self.view.len()),
            );
            self.problems.push(problem.led_by(self.view.base() + pointer));
        }
        (0..held).map_while(|index| parse(self.view, start + index * size).ok()).collect()
    }
}
