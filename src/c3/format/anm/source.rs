//! Writing an animation bank from nothing: tables, then each key's packed values, then the names.

use super::quantization::encode_fixed;
use super::track::{EULER, MATRIX, QUATERNION, SCALE, TRANSLATION};
use super::{AnmHeader, HEADER_SIZE, Key, Quantization, Sequence, Track, VERSION};
use crate::bytes::{ReadError, ReadResult};
use crate::c3::format::align32;

/// A vector of a key, with what its curve needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VectorKey {
    /// Stays until the next key.
    Hold([f32; 3]),
    /// Goes straight to the next key.
    Linear([f32; 3]),
    /// Value, then the controls of the segment before and of the one behind, relative to the value.
    Bezier([f32; 3], [[f32; 3]; 2]),
    /// Value, then the tangents of the segment before and of the one behind, then ease-in and ease-out.
    Hermite([f32; 3], [[f32; 3]; 2], [f32; 2]),
}

/// A rotation of a key, with what its curve needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RotationKey {
    /// Euler angles in degrees; Hermite is unknown to the library and refused.
    Euler(VectorKey),
    /// A quaternion that stays until the next key.
    Hold([f32; 4]),
    /// A quaternion that goes to the next one on the sphere, never by the short way of its own accord.
    Slerp([f32; 4]),
    /// Value, then the control quaternions of the segment before and of the one behind.
    Squad([f32; 4], [[f32; 4]; 2]),
    /// The same with ease-in and ease-out.
    SquadEase([f32; 4], [[f32; 4]; 2], [f32; 2]),
}

/// A key to be written. All keys of a track have the same components and curves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KeySource {
    /// Time in the clock's unit.
    pub time: f32,
    /// Scale.
    pub scale: Option<VectorKey>,
    /// Rotation.
    pub rotation: Option<RotationKey>,
    /// Translation.
    pub translation: Option<VectorKey>,
    /// A whole matrix instead of the components.
    pub matrix: Option<[[f32; 4]; 3]>,
}

/// A track to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackSource {
    /// Id of the bone that it moves.
    pub id: u16,
    /// Length in the clock's unit.
    pub length: f32,
    /// How vectors are packed (quaternions always are s16 / 16384).
    pub quantization: Quantization,
    /// Whether the animated transform stands in the place of the bone's own.
    pub replace: bool,
    /// The keys in ascending time.
    pub keys: Vec<KeySource>,
}

/// A sequence to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceSource {
    /// Name without its NUL.
    pub name: Option<Vec<u8>>,
    /// Tracks.
    pub tracks: Vec<TrackSource>,
}

/// A bank to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct AnmSource {
    /// Bank id.
    pub bank_id: u16,
    /// Sequences.
    pub sequences: Vec<SequenceSource>,
}

impl AnmSource {
    /// The file, padded to whole 32-byte lines.
    ///
    /// # Errors
    /// When a value does not fit its type, the keys of a track are not all of one kind, or a count or the
    /// file's size does not fit its field.
    pub fn to_bytes(&self) -> ReadResult<Vec<u8>> {
        let tracks: Vec<&TrackSource> = self.sequences.iter().flat_map(|sequence| &sequence.tracks).collect();
        let key_count = tracks.iter().map(|track| track.keys.len()).sum();
        let header = AnmHeader {
            version: VERSION,
            sequences: HEADER_SIZE as u32,
            bank_id: self.bank_id,
            sequence_count: count(self.sequences.len(), "sequences")?,
            track_count: count(tracks.len(), "tracks")?,
            key_count: count(key_count, "key frames")?,
            user_data_size: 0,
            user_data: 0,
        };
        let data_at = header.keys_at() + super::KEY_SIZE * key_count as u64;
        let mut tables = Tables { header, data_at, data: Vec::new(), tracks: Vec::new(), keys: Vec::new() };
        for track in &tracks {
            tables.add_track(track)?;
        }
        tables.finish(&self.sequences)
    }
}

fn count(count: usize, what: &str) -> ReadResult<u16> {
    u16::try_from(count).map_err(|_| ReadError::new(what, 0, "at most 65535", format!("{count}")))
}

struct Tables {
    header: AnmHeader,
    data_at: u64,
    data: Vec<u8>,
    tracks: Vec<Track>,
    keys: Vec<Key>,
}

impl Tables {
    fn add_track(&mut self, source: &TrackSource) -> ReadResult<()> {
        let what = format!("track {}", source.id);
        let first =
            source.keys.first().ok_or_else(|| ReadError::new(&what, 0, "at least one key", "none"))?;
        let (components, interpolation) = first.codes(&what)?;
        let keys_at = self.header.keys_at() + super::KEY_SIZE * self.keys.len() as u64;
        self.tracks.push(Track {
            offset: 0,
            length: source.length,
            keys: keys_at as u32,
            key_count: count(source.keys.len(), "key frames")?,
            id: source.id,
            quantization: source.quantization,
            components,
            interpolation,
            replace: source.replace.into(),
        });
        for key in &source.keys {
            if key.codes(&what)? != (components, interpolation) {
                return Err(ReadError::new(
                    &what,
                    0,
                    "keys of one kind",
                    format!("another kind at time {}", key.time),
                ));
            }
            let setting = self.store(&key.setting(source.quantization, &what)?);
            let interpolation = self.store(&key.interpolation(source.quantization, &what)?);
            self.keys.push(Key { offset: 0, time: key.time, setting, interpolation });
        }
        Ok(())
    }

    /// Appends data on a word boundary; gives its offset in the file, 0 for no data.
    fn store(&mut self, bytes: &[u8]) -> u32 {
        if bytes.is_empty() {
            return 0;
        }
        let at = self.data_at + self.data.len() as u64;
        self.data.extend(bytes);
        self.data.resize(self.data.len().next_multiple_of(4), 0);
        at as u32
    }

    fn finish(mut self, sequences: &[SequenceSource]) -> ReadResult<Vec<u8>> {
        let mut records = Vec::new();
        let mut tracks_at = self.header.tracks_at();
        for sequence in sequences {
            let name =
                sequence.name.as_ref().map_or(0, |name| self.store(&[name.as_slice(), b"\0"].concat()));
            records.push(Sequence {
                offset: 0,
                name,
                tracks: tracks_at as u32,
                track_count: sequence.tracks.len() as u16,
                padding: 0,
            });
            tracks_at += super::TRACK_SIZE * sequence.tracks.len() as u64;
        }
        let mut bytes = self.header.to_bytes().to_vec();
        bytes.extend(records.iter().flat_map(Sequence::to_bytes));
        bytes.extend(self.tracks.iter().flat_map(Track::to_bytes));
        bytes.extend(self.keys.iter().flat_map(Key::to_bytes));
        bytes.extend(&self.data);
        bytes.resize(align32(bytes.len() as u64) as usize, 0);
        if u32::try_from(bytes.len()).is_err() {
            return Err(ReadError::new("ANM", 0, "at most 4 GiB", format!("{} bytes", bytes.len())));
        }
        Ok(bytes)
    }
}

impl VectorKey {
    fn code(&self) -> u8 {
        match self {
            Self::Hold(_) => 0,
            Self::Linear(_) => 1,
            Self::Bezier(..) => 2,
            Self::Hermite(..) => 3,
        }
    }

    fn value(&self) -> &[f32; 3] {
        match self {
            Self::Hold(value) | Self::Linear(value) | Self::Bezier(value, _) | Self::Hermite(value, ..) => {
                value
            }
        }
    }

    fn block(&self, quantization: Quantization, what: &str) -> ReadResult<Vec<u8>> {
        match self {
            Self::Hold(_) | Self::Linear(_) => Ok(Vec::new()),
            Self::Bezier(_, sides) => quantization.encode(sides.as_flattened(), what),
            Self::Hermite(_, sides, ease) => {
                let mut bytes = quantization.encode(sides.as_flattened(), what)?;
                bytes.extend(encode_fixed(ease, what)?);
                Ok(bytes)
            }
        }
    }
}

impl RotationKey {
    /// Component bit and code.
    fn codes(&self, what: &str) -> ReadResult<(u8, u8)> {
        Ok(match self {
            Self::Euler(VectorKey::Hermite(..)) => {
                return Err(ReadError::new(what, 0, "Euler angles held, linear or Bezier", "Hermite"));
            }
            Self::Euler(vector) => (EULER, vector.code()),
            Self::Hold(_) => (QUATERNION, 0),
            Self::Slerp(_) => (QUATERNION, 6),
            Self::Squad(..) => (QUATERNION, 4),
            Self::SquadEase(..) => (QUATERNION, 5),
        })
    }

    fn value(&self, quantization: Quantization, what: &str) -> ReadResult<Vec<u8>> {
        match self {
            Self::Euler(vector) => quantization.encode(vector.value(), what),
            Self::Hold(value) | Self::Slerp(value) | Self::Squad(value, _) | Self::SquadEase(value, ..) => {
                encode_fixed(value, what)
            }
        }
    }

    fn block(&self, quantization: Quantization, what: &str) -> ReadResult<Vec<u8>> {
        match self {
            Self::Euler(vector) => vector.block(quantization, what),
            Self::Hold(_) | Self::Slerp(_) => Ok(Vec::new()),
            Self::Squad(_, sides) => encode_fixed(sides.as_flattened(), what),
            Self::SquadEase(_, sides, ease) => {
                encode_fixed(&[sides.as_flattened(), ease.as_slice()].concat(), what)
            }
        }
    }
}

impl KeySource {
    /// Component bits and interpolation byte.
    fn codes(&self, what: &str) -> ReadResult<(u8, u8)> {
        if self.matrix.is_some() {
            return Ok((MATRIX, 0));
        }
        let (mut components, mut interpolation) = (0, 0);
        if let Some(translation) = &self.translation {
            components |= TRANSLATION;
            interpolation |= translation.code();
        }
        if let Some(scale) = &self.scale {
            components |= SCALE;
            interpolation |= scale.code() << 2;
        }
        if let Some(rotation) = &self.rotation {
            let (component, code) = rotation.codes(what)?;
            components |= component;
            interpolation |= code << 4;
        }
        Ok((components, interpolation))
    }

    fn setting(&self, quantization: Quantization, what: &str) -> ReadResult<Vec<u8>> {
        if let Some(matrix) = &self.matrix {
            return Quantization::F32.encode(matrix.as_flattened(), what);
        }
        let mut bytes = Vec::new();
        if let Some(scale) = &self.scale {
            bytes.extend(quantization.encode(scale.value(), what)?);
        }
        if let Some(rotation) = &self.rotation {
            bytes.extend(rotation.value(quantization, what)?);
        }
        if let Some(translation) = &self.translation {
            bytes.extend(quantization.encode(translation.value(), what)?);
        }
        Ok(bytes)
    }

    fn interpolation(&self, quantization: Quantization, what: &str) -> ReadResult<Vec<u8>> {
        let mut bytes = Vec::new();
        if let (Some(scale), None) = (&self.scale, &self.matrix) {
            bytes.extend(scale.block(quantization, what)?);
        }
        if let (Some(rotation), None) = (&self.rotation, &self.matrix) {
            bytes.extend(rotation.block(quantization, what)?);
        }
        if let (Some(translation), None) = (&self.translation, &self.matrix) {
            bytes.extend(translation.block(quantization, what)?);
        }
        Ok(bytes)
    }
}
