//! Writing a skinning section from nothing, in the order of known models: header, entry lists, the mirror
//! of the position buffer, flush indices, SK2 weights, `SKAcc` arrays, each array on its own cache line.
//! \[seed 003\]

use super::error::{BuildError, BuildResult};
use crate::c3::format::align32;
use crate::c3::format::skn::{HEADER_SIZE, List, STRIDE, Sk1Entry, Sk2Entry, SkAccEntry, SknHeader};

/// A source vertex: position and normal, s16 each.
pub type Record = [i16; 6];

/// Which bones move the vertices of a direct entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Movers {
    /// One bone: an SK1 entry.
    One(u16),
    /// Two bones with the weights of each vertex: an SK2 entry.
    Two([u16; 2], Vec<[u8; 2]>),
}

/// An SK1 or SK2 entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectSource {
    /// Its bones.
    pub movers: Movers,
    /// First stored line, from the position array.
    pub destination: u32,
    /// Bytes from there to the first vertex.
    pub vertex_offset: u8,
    /// The source vertices.
    pub records: Vec<Record>,
}

impl DirectSource {
    /// Bytes of the source, the prefix included.
    pub fn size(&self) -> u64 {
        u64::from(self.vertex_offset) + STRIDE * self.records.len() as u64
    }

    /// One past the last byte that the store moves, from the position array.
    pub fn end(&self) -> u64 {
        u64::from(self.destination) + align32(self.size())
    }
}

/// One contribution of an `SKAcc` entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Supplement {
    /// Destination index.
    pub slot: u16,
    /// Source vertex.
    pub record: Record,
    /// Weight in 1/256.
    pub weight: u8,
}

/// An `SKAcc` entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccumulateSource {
    /// Its bone.
    pub bone: u16,
    /// Destination base, from the position array.
    pub base: u32,
    /// Its contributions.
    pub supplements: Vec<Supplement>,
}

/// A skinning section to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SknSource {
    /// Fraction bits.
    pub shift: u8,
    /// SK1 and SK2 entries; each list keeps this order.
    pub direct: Vec<DirectSource>,
    /// `SKAcc` entries in order.
    pub skacc: Vec<AccumulateSource>,
    /// Start and size of the range cleared before accumulation.
    pub clear: (u32, u32),
    /// Flush indices.
    pub flush: Vec<u16>,
}

impl SknSource {
    /// Where the mirror of the position buffer begins.
    pub fn mirror_start(&self) -> u64 {
        align32(self.starts()[3])
    }

    /// Where the SK1, SK2 and `SKAcc` lists begin, and where the last one ends.
    fn starts(&self) -> [u64; 4] {
        let two = self.sk2().count() as u64;
        let one = self.direct.len() as u64 - two;
        let sk2 = HEADER_SIZE + one * List::Sk1.entry_size();
        let skacc = sk2 + two * List::Sk2.entry_size();
        [HEADER_SIZE, sk2, skacc, skacc + self.skacc.len() as u64 * List::SkAcc.entry_size()]
    }

    fn sk1(&self) -> impl Iterator<Item = (&DirectSource, u16)> {
        self.direct.iter().filter_map(|entry| match entry.movers {
            Movers::One(bone) => Some((entry, bone)),
            Movers::Two(..) => None,
        })
    }

    fn sk2(&self) -> impl Iterator<Item = (&DirectSource, [u16; 2], &[[u8; 2]])> {
        self.direct.iter().filter_map(|entry| match &entry.movers {
            Movers::One(_) => None,
            Movers::Two(bones, weights) => Some((entry, *bones, weights.as_slice())),
        })
    }

    /// The section, padded to whole cache lines.
    ///
    /// # Errors
    /// When a count or the section's size does not fit its field.
    pub fn to_bytes(&self) -> BuildResult<Vec<u8>> {
        let mirror = self.mirror_start();
        let mut arrays = Arrays { bytes: vec![0; mirror as usize] };
        arrays.mirror(mirror, &self.direct)?;
        let flush = arrays.store(self.flush.iter().flat_map(|index| index.to_be_bytes()));
        let header = self.header(if self.flush.is_empty() { 0 } else { flush })?;
        let mut lists = header.to_bytes().to_vec();
        for (entry, bone) in self.sk1() {
            lists.extend(sk1_entry(entry, bone, mirror)?.to_bytes());
        }
        for (entry, bones, weights) in self.sk2() {
            let weights = arrays.store(weights.iter().flatten().copied());
            lists.extend(sk2_entry(entry, bones, weights, mirror)?.to_bytes());
        }
        for entry in &self.skacc {
            lists.extend(skacc_entry(entry, &mut arrays)?.to_bytes());
        }
        let mut bytes = arrays.bytes;
        if u32::try_from(bytes.len()).is_err() {
            return Err(BuildError::new("SKN", "at most 4 GiB", format!("{} bytes", bytes.len())));
        }
        bytes[..lists.len()].copy_from_slice(&lists);
        bytes.resize(align32(bytes.len() as u64) as usize, 0);
        Ok(bytes)
    }

    fn header(&self, flush: u32) -> BuildResult<SknHeader> {
        let two = self.sk2().count();
        let one = self.direct.len() - two;
        let [sk1, sk2, skacc, _] = self.starts();
        let start = |count: usize, at: u64| if count == 0 { 0 } else { at as u32 };
        Ok(SknHeader {
            sk1_count: half(one, "SK1 entries")?,
            sk2_count: half(two, "SK2 entries")?,
            skacc_count: half(self.skacc.len(), "SKAcc entries")?,
            shift: self.shift,
            padding: 0,
            sk1: start(one, sk1),
            sk2: start(two, sk2),
            skacc: start(self.skacc.len(), skacc),
            clear_start: self.clear.0,
            clear_size: self.clear.1,
            flush,
            flush_count: self.flush.len() as u32,
        })
    }
}

fn half(count: usize, what: &str) -> BuildResult<u16> {
    u16::try_from(count).map_err(|_| BuildError::new(what, "at most 65535", format!("{count}")))
}

/// Variable data behind the lists.
struct Arrays {
    bytes: Vec<u8>,
}

impl Arrays {
    /// Sources at their places in the mirror; whatever no entry covers is zero.
    fn mirror(&mut self, mirror: u64, entries: &[DirectSource]) -> BuildResult<()> {
        let end = entries.iter().map(|entry| u64::from(entry.destination) + entry.size()).max().unwrap_or(0);
        // Slots are numbered by 16 bits, which bounds the position array.
        let most = STRIDE * (u64::from(u16::MAX) + 1);
        if end > most {
            return Err(BuildError::new("SKN", format!("slots up to {most:#x}"), format!("{end:#x}")));
        }
        self.bytes.resize((mirror + align32(end)) as usize, 0);
        for entry in entries {
            let mut at = (mirror + u64::from(entry.destination) + u64::from(entry.vertex_offset)) as usize;
            for record in &entry.records {
                self.bytes[at..at + STRIDE as usize].copy_from_slice(&record_bytes(record));
                at += STRIDE as usize;
            }
        }
        Ok(())
    }

    /// Appends an array on a cache line; gives its offset.
    fn store(&mut self, array: impl IntoIterator<Item = u8>) -> u32 {
        let at = align32(self.bytes.len() as u64);
        self.bytes.resize(at as usize, 0);
        self.bytes.extend(array);
        at as u32
    }
}

/// A record as stored.
pub fn record_bytes(record: &Record) -> [u8; STRIDE as usize] {
    let mut bytes = [0; STRIDE as usize];
    for (bytes, value) in bytes.chunks_exact_mut(2).zip(record) {
        bytes.copy_from_slice(&value.to_be_bytes());
    }
    bytes
}

fn sk1_entry(entry: &DirectSource, bone: u16, mirror: u64) -> BuildResult<Sk1Entry> {
    Ok(Sk1Entry {
        offset: 0,
        scratch: [0; 0x30],
        source: (mirror + u64::from(entry.destination)) as u32,
        destination: entry.destination,
        bone,
        count: half(entry.records.len(), "vertices of an SK1 entry")?,
        vertex_offset: entry.vertex_offset,
        padding: [0; 3],
    })
}

fn sk2_entry(entry: &DirectSource, bones: [u16; 2], weights: u32, mirror: u64) -> BuildResult<Sk2Entry> {
    Ok(Sk2Entry {
        offset: 0,
        scratch: [0; 0x60],
        source: (mirror + u64::from(entry.destination)) as u32,
        weights,
        destination: entry.destination,
        bones,
        count: half(entry.records.len(), "vertices of an SK2 entry")?,
        vertex_offset: entry.vertex_offset,
        padding: 0,
    })
}

fn skacc_entry(entry: &AccumulateSource, arrays: &mut Arrays) -> BuildResult<SkAccEntry> {
    let supplements = &entry.supplements;
    Ok(SkAccEntry {
        offset: 0,
        scratch: [0; 0x30],
        source: arrays.store(supplements.iter().flat_map(|part| record_bytes(&part.record))),
        indices: arrays.store(supplements.iter().flat_map(|part| part.slot.to_be_bytes())),
        destination: entry.base,
        weights: arrays.store(supplements.iter().map(|part| part.weight)),
        bone: entry.bone,
        count: half(supplements.len(), "vertices of an SKAcc entry")?,
    })
}
