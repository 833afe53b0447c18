//! An animation bank: sequences of tracks of key frames, and the packed values that the keys point at.
//!
//! Every offset counts from the start of the bank. The library relocates three tables by position: the
//! sequences at +0x18, behind them all tracks, behind them all key frames; a pointer that does not meet
//! a record of its table would be followed unrelocated, so it is an error here when it is followed.
//! \[listing: April 2001 library\]

use std::ops::Range;

use crate::bytes::{Endian, ReadError, ReadResult, View};

pub mod quantization;
pub mod source;
pub mod track;

pub use super::act::VERSION;
pub use quantization::{Quantization, ValueType};
pub use source::{AnmSource, KeySource, SequenceSource, TrackSource};
pub use track::{Key, RotationCurve, Track, VectorCurve};

/// Size of the header in bytes; the sequence table follows.
pub const HEADER_SIZE: u64 = 0x18;
/// Size of a sequence record in bytes.
pub const SEQUENCE_SIZE: u64 = 0xC;
/// Size of a track record in bytes.
pub const TRACK_SIZE: u64 = 0x10;
/// Size of a key frame record in bytes.
pub const KEY_SIZE: u64 = 0xC;

/// The header, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnmHeader {
    /// Version word, [`VERSION`].
    pub version: u32,
    /// Offset of the sequence table (0x18).
    pub sequences: u32,
    /// Bank id.
    pub bank_id: u16,
    /// Number of sequences.
    pub sequence_count: u16,
    /// Number of tracks in all sequences together.
    pub track_count: u16,
    /// Number of key frames in all tracks together.
    pub key_count: u16,
    /// Size of the user data in bytes.
    pub user_data_size: u32,
    /// Offset of the user data.
    pub user_data: u32,
}

impl AnmHeader {
    fn parse(view: View) -> ReadResult<Self> {
        let header = view.sub(0, HEADER_SIZE, "ANM header")?;
        let word = |offset| header.u32(offset, "ANM header");
        let half = |offset| header.u16(offset, "ANM header");
        Ok(Self {
            version: word(0x00)?,
            sequences: word(0x04)?,
            bank_id: half(0x08)?,
            sequence_count: half(0x0A)?,
            track_count: half(0x0C)?,
            key_count: half(0x0E)?,
            user_data_size: word(0x10)?,
            user_data: word(0x14)?,
        })
    }

    /// The header as stored in a file.
    pub fn to_bytes(&self) -> [u8; HEADER_SIZE as usize] {
        let mut bytes = [0; HEADER_SIZE as usize];
        bytes[0x00..0x04].copy_from_slice(&self.version.to_be_bytes());
        bytes[0x04..0x08].copy_from_slice(&self.sequences.to_be_bytes());
        bytes[0x08..0x0A].copy_from_slice(&self.bank_id.to_be_bytes());
        bytes[0x0A..0x0C].copy_from_slice(&self.sequence_count.to_be_bytes());
        bytes[0x0C..0x0E].copy_from_slice(&self.track_count.to_be_bytes());
        bytes[0x0E..0x10].copy_from_slice(&self.key_count.to_be_bytes());
        bytes[0x10..0x14].copy_from_slice(&self.user_data_size.to_be_bytes());
        bytes[0x14..0x18].copy_from_slice(&self.user_data.to_be_bytes());
        bytes
    }

    /// Offset of the track table, where the library expects it.
    pub fn tracks_at(&self) -> u64 {
        HEADER_SIZE + SEQUENCE_SIZE * u64::from(self.sequence_count)
    }

    /// Offset of the key frame table, where the library expects it.
    pub fn keys_at(&self) -> u64 {
        self.tracks_at() + TRACK_SIZE * u64::from(self.track_count)
    }
}

/// A sequence record, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sequence {
    /// Offset of the record in the bank.
    pub offset: u64,
    /// Offset of the name, 0 for none.
    pub name: u32,
    /// Offset of the first track.
    pub tracks: u32,
    /// Number of tracks.
    pub track_count: u16,
    /// Unused halfword at +0xA.
    pub padding: u16,
}

impl Sequence {
    fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let record = view.sub(offset, SEQUENCE_SIZE, "sequence record")?;
        Ok(Self {
            offset,
            name: record.u32(0, "sequence name")?,
            tracks: record.u32(4, "sequence tracks")?,
            track_count: record.u16(8, "sequence track count")?,
            padding: record.u16(10, "sequence record")?,
        })
    }

    /// The record as stored in a file.
    pub fn to_bytes(&self) -> [u8; SEQUENCE_SIZE as usize] {
        let mut bytes = [0; SEQUENCE_SIZE as usize];
        bytes[0..4].copy_from_slice(&self.name.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.tracks.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.track_count.to_be_bytes());
        bytes[10..].copy_from_slice(&self.padding.to_be_bytes());
        bytes
    }
}

/// A parsed animation bank.
#[derive(Debug, Clone)]
pub struct Anm<'a> {
    view: View<'a>,
    /// The header as stored.
    pub header: AnmHeader,
    /// The sequences that the file holds.
    pub sequences: Vec<Sequence>,
    /// The tracks that the file holds, all sequences together.
    pub tracks: Vec<Track>,
    /// The key frames that the file holds, all tracks together.
    pub keys: Vec<Key>,
    /// Tables that the file does not hold whole.
    pub problems: Vec<ReadError>,
}

impl<'a> Anm<'a> {
    /// Reads a bank from the bytes of its file.
    ///
    /// # Errors
    /// When there is no whole header.
    pub fn parse(bytes: &'a [u8]) -> ReadResult<Self> {
        Self::parse_view(View::new(bytes, Endian::Big))
    }

    /// Reads a bank inside a larger file; errors then name that file's offsets.
    ///
    /// # Errors
    /// When there is no whole header.
    pub fn parse_view(view: View<'a>) -> ReadResult<Self> {
        let view = view.with_endian(Endian::Big);
        let header = AnmHeader::parse(view)?;
        let mut problems = Vec::new();
        let mut held = |start: u64, (count, field): (u16, u64), size: u64, what: &str| {
            let held = (view.len().saturating_sub(start) / size).min(count.into());
            if held < u64::from(count) {
                let problem = ReadError::new(
                    what,
                    view.base() + start,
                    format!("{count} records of {size:#x} bytes"),
                    format!("room for {held} in {:#x} bytes", view.len()),
                );
                problems.push(problem.led_by(view.base() + field));
            }
            (0..held).map(move |index| start + index * size)
        };
        let sequences = held(HEADER_SIZE, (header.sequence_count, 0xA), SEQUENCE_SIZE, "sequence table");
        let tracks = held(header.tracks_at(), (header.track_count, 0xC), TRACK_SIZE, "track table");
        let keys = held(header.keys_at(), (header.key_count, 0xE), KEY_SIZE, "key frame table");
        Ok(Self {
            view,
            header,
            sequences: sequences.map(|at| Sequence::parse(view, at)).collect::<ReadResult<_>>()?,
            tracks: tracks.map(|at| Track::parse(view, at)).collect::<ReadResult<_>>()?,
            keys: keys.map(|at| Key::parse(view, at)).collect::<ReadResult<_>>()?,
            problems,
        })
    }

    /// The bytes of the bank.
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// Refuses a file that the library would refuse.
    ///
    /// # Errors
    /// When the version word is not [`VERSION`].
    pub fn require_version(&self) -> ReadResult<()> {
        if self.header.version == VERSION {
            return Ok(());
        }
        Err(ReadError::new(
            "ANM version",
            self.view.base(),
            format!("{VERSION} ({VERSION:#010x})"),
            format!("{} ({:#010x})", self.header.version, self.header.version),
        ))
    }

    /// Refuses a file whose header does not lead to the sequence table where the library relocates it: a
    /// skeleton, which has the same version word, among others.
    ///
    /// # Errors
    /// When the pointer is another one.
    pub fn require_table(&self) -> ReadResult<()> {
        if u64::from(self.header.sequences) == HEADER_SIZE {
            return Ok(());
        }
        Err(ReadError::new(
            "sequence table pointer",
            self.view.base() + 4,
            format!("{HEADER_SIZE:#x}"),
            format!("{:#x}", self.header.sequences),
        ))
    }

    /// A sequence by its number.
    ///
    /// # Errors
    /// When there is no such sequence, or the header's pointer is not where the library relocates them.
    pub fn sequence(&self, index: usize) -> ReadResult<&Sequence> {
        self.require_table()?;
        self.sequences.get(index).ok_or_else(|| {
            ReadError::new(
                "sequence",
                self.view.base() + 0xA,
                format!("a sequence {index}"),
                format!("{} sequences", self.sequences.len()),
            )
        })
    }

    /// The number of the first sequence of this name.
    pub fn sequence_named(&self, name: &[u8]) -> Option<usize> {
        self.sequences.iter().position(|sequence| self.name(sequence) == Some(name))
    }

    /// A sequence's name without its NUL, if it has one that lies inside the file.
    pub fn name(&self, sequence: &Sequence) -> Option<&'a [u8]> {
        match sequence.name {
            0 => None,
            offset => self.view.c_string(offset.into(), "sequence name").ok(),
        }
    }

    /// How long a sequence is: the length of its longest track, in the bank's own time; 0 without any.
    pub fn sequence_length(&self, sequence: usize) -> f32 {
        let tracks = self.sequences.get(sequence).and_then(|sequence| self.tracks_of(sequence).ok());
        let lengths = tracks.into_iter().flatten().filter_map(|track| Some(self.tracks.get(track)?.length));
        lengths.fold(0.0, f32::max)
    }

    /// A sequence's tracks, as numbers into [`Anm::tracks`].
    ///
    /// # Errors
    /// When they are not records of the track table.
    pub fn tracks_of(&self, sequence: &Sequence) -> ReadResult<Range<usize>> {
        self.records(
            &Pointer { value: sequence.tracks, at: sequence.offset + 4, count: sequence.track_count },
            (self.header.tracks_at(), TRACK_SIZE, self.tracks.len()),
            "sequence tracks",
        )
    }

    /// A track's key frames, as numbers into [`Anm::keys`].
    ///
    /// # Errors
    /// When they are not records of the key frame table.
    pub fn keys_of(&self, track: &Track) -> ReadResult<Range<usize>> {
        self.records(
            &Pointer { value: track.keys, at: track.offset + 4, count: track.key_count },
            (self.header.keys_at(), KEY_SIZE, self.keys.len()),
            "track key frames",
        )
    }

    fn records(&self, pointer: &Pointer, table: (u64, u64, usize), what: &str) -> ReadResult<Range<usize>> {
        let (start, size, held) = table;
        if pointer.count == 0 {
            return Ok(0..0);
        }
        let first = u64::from(pointer.value)
            .checked_sub(start)
            .filter(|from_table| from_table % size == 0)
            .map(|from_table| from_table / size);
        match first.map(|first| first..first + u64::from(pointer.count)) {
            Some(range) if range.end <= held as u64 => Ok(range.start as usize..range.end as usize),
            _ => Err(ReadError::new(
                what,
                self.view.base() + pointer.at,
                format!("{} of the {held} records from {start:#x}, {size:#x} bytes each", pointer.count),
                format!("a pointer to {:#x}", pointer.value),
            )),
        }
    }

    /// The user data's bytes.
    ///
    /// # Errors
    /// When they lie outside the file.
    pub fn user_data_bytes(&self) -> ReadResult<&'a [u8]> {
        match self.header.user_data {
            0 => Ok(&[]),
            offset => self.view.take(offset.into(), self.header.user_data_size.into(), "ANM user data"),
        }
    }

    /// The bank as a file: the parsed bytes with the typed fields laid over them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.view.bytes().to_vec();
        super::overlay(&mut bytes, 0, &self.header.to_bytes());
        for sequence in &self.sequences {
            super::overlay(&mut bytes, sequence.offset, &sequence.to_bytes());
        }
        for track in &self.tracks {
            super::overlay(&mut bytes, track.offset, &track.to_bytes());
        }
        for key in &self.keys {
            super::overlay(&mut bytes, key.offset, &key.to_bytes());
        }
        bytes
    }
}

/// A pointer to records of a table: its value, where it lies in the bank, how many records it means.
struct Pointer {
    value: u32,
    at: u64,
    count: u16,
}

#[cfg(test)]
mod tests;
