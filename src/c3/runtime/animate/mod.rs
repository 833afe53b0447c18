//! Animation: tracks bound to bones, clocks that tick, values written into the bones' controls.
//!
//! A tick samples at the current clock and then advances it. Faults of the library that are modelled:
//! a matrix track multiplies its key in the loaded file by the track's shift every time and never
//! advances its clock; past its last key a track runs towards its first; nothing is found before the
//! first key. \[listing\]

use std::fmt;

use super::pose::Actor;
use crate::bytes::{Endian, ReadError, ReadResult, View};
use crate::c3::format::act::Control;
use crate::c3::format::act::control as own;
use crate::c3::format::anm::track::{EULER, MATRIX, QUATERNION, SCALE, TRANSLATION};
use crate::c3::format::anm::{Anm, Key, Track};

pub mod curve;
pub mod player;
pub mod sample;

pub use curve::Ease;
pub use player::{Play, Player};

/// An animation bank in memory: its tables, and its bytes, which matrix tracks change.
#[derive(Debug, Clone, PartialEq)]
pub struct Bank {
    /// Per sequence, its tracks as numbers into `tracks`; an error where they do not lie in the table.
    sequences: Vec<ReadResult<std::ops::Range<usize>>>,
    tracks: Vec<(Track, ReadResult<std::ops::Range<usize>>)>,
    keys: Vec<Key>,
    bytes: Vec<u8>,
}

impl Bank {
    /// Loads a bank.
    ///
    /// # Errors
    /// When the library would refuse the version, or the file does not hold the tables it counts.
    pub fn load(anm: &Anm) -> ReadResult<Self> {
        anm.require_version()?;
        if let Some(problem) = anm.problems.first() {
            return Err(problem.clone());
        }
        let sequences = (0..anm.sequences.len())
            .map(|index| anm.sequence(index).and_then(|sequence| anm.tracks_of(sequence)))
            .collect();
        let tracks = anm.tracks.iter().map(|track| (*track, anm.keys_of(track))).collect();
        Ok(Self { sequences, tracks, keys: anm.keys.clone(), bytes: anm.to_bytes() })
    }

    /// The tracks of a sequence, as numbers into the bank's table.
    ///
    /// # Errors
    /// When there is no such sequence or its pointer does not meet the table.
    pub fn sequence(&self, index: usize) -> ReadResult<std::ops::Range<usize>> {
        match self.sequences.get(index) {
            Some(tracks) => tracks.clone(),
            None => Err(ReadError::new(
                "sequence",
                0xA,
                format!("a sequence {index}"),
                format!("{} sequences", self.sequences.len()),
            )),
        }
    }

    /// A track's record.
    pub fn track(&self, index: usize) -> Option<&Track> {
        self.tracks.get(index).map(|(track, _)| track)
    }

    fn view(&self) -> View<'_> {
        View::new(&self.bytes, Endian::Big)
    }

    fn keys_of(&self, track: usize) -> Result<&[Key], TickFault> {
        match self.tracks.get(track) {
            Some((_, Ok(range))) => Ok(self.keys.get(range.clone()).unwrap_or_default()),
            Some((_, Err(error))) => Err(TickFault::Unreadable(error.clone())),
            None => Ok(&[]),
        }
    }
}

/// What drives a bone: a track and the bone's own clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pipe {
    /// Number of the track in the bank's table.
    pub track: usize,
    /// The clock, in the track's unit.
    pub clock: f32,
    /// What each tick adds to the clock.
    pub speed: f32,
    /// Whether the animated transform stands in the place of the bone's own.
    pub replace: bool,
}

/// Why a tick fails.
#[derive(Debug, Clone, PartialEq)]
pub enum TickFault {
    /// No key at or before the clock. The debug library stops with "Keyframes not found"; the release
    /// library goes on with pointers that were never set.
    NoKey {
        /// Time of the first key, if there is one.
        first: Option<f32>,
    },
    /// A rotation code on which the library panics.
    UnknownInterpolation {
        /// The three bits.
        code: u8,
        /// Whether the rotation is a quaternion.
        quaternion: bool,
    },
    /// Values that do not lie in the file.
    Unreadable(ReadError),
}

impl From<ReadError> for TickFault {
    fn from(error: ReadError) -> Self {
        Self::Unreadable(error)
    }
}

impl fmt::Display for TickFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKey { first: Some(first) } => write!(
                f,
                "no key frame at or before that time (the first is at {first}); the library: \"Keyframes not found\""
            ),
            Self::NoKey { first: None } => {
                f.write_str("the track has no key frame; the library: \"Keyframes not found\"")
            }
            Self::UnknownInterpolation { code, quaternion } => {
                let rotation = if *quaternion { "a quaternion" } else { "Euler angles" };
                write!(f, "interpolation code {code} of {rotation}, on which the library panics")
            }
            Self::Unreadable(error) => error.fmt(f),
        }
    }
}

/// A tick that failed: where, and why.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("bone {bone} (id {bone_id}), track {track} at time {clock}: {fault}")]
pub struct TickError {
    /// Place in the bone array.
    pub bone: usize,
    /// Its id.
    pub bone_id: u16,
    /// Number of the track in the bank's table.
    pub track: usize,
    /// The bone's clock.
    pub clock: f32,
    /// Why.
    pub fault: TickFault,
}

impl Actor {
    /// Binds every bone to the first track of the sequence that has its id, and sets its clock.
    /// Bones without a track keep what they had. \[listing\]
    ///
    /// # Errors
    /// When the sequence is not in the bank.
    pub fn bind(&mut self, bank: &Bank, sequence: usize, time: f32) -> ReadResult<()> {
        let tracks = bank.sequence(sequence)?;
        let ids: Vec<u16> = self.skeleton.bones.iter().map(|bone| bone.id).collect();
        for (place, id) in ids.into_iter().enumerate() {
            if let Some(track) = tracks.clone().find(|&track| bank.tracks[track].0.id == id) {
                self.bind_bone(place, bank, track, time);
            }
        }
        Ok(())
    }

    /// Binds one bone to a track of the bank. What the track does not move is copied now, once, from the
    /// bone's own control.
    fn bind_bone(&mut self, place: usize, bank: &Bank, index: usize, time: f32) {
        let Some(track) = bank.track(index) else { return };
        let speed = self.pipes[place].map_or(1.0, |pipe| pipe.speed);
        self.pipes[place] = Some(Pipe { track: index, clock: time, speed, replace: track.replace != 0 });
        let bone = &self.skeleton.bones[place].control;
        let animated = &mut self.animated[place];
        animated.bits = 0;
        if bone.has(own::MATRIX) {
            return;
        }
        if bone.has(own::TRANSLATION) && !track.has(TRANSLATION) {
            animated.set_translation(bone.translation());
        }
        if bone.has(own::SCALE) && !track.has(SCALE) {
            animated.set_scale(bone.scale());
        }
        if bone.has(own::EULER) && !track.has(EULER) {
            animated.set_euler(bone.euler());
        } else if bone.has(own::QUATERNION) && !track.has(QUATERNION) {
            animated.set_quaternion(bone.quaternion());
        }
    }

    /// Sets what each tick adds to the clocks.
    pub fn set_speed(&mut self, speed: f32) {
        for pipe in self.pipes.iter_mut().flatten() {
            pipe.speed = speed;
        }
    }

    /// Ticks every bone that has a track, in the order of the bone array: samples, then advances.
    ///
    /// # Errors
    /// At the first bone whose track cannot be sampled.
    pub fn tick(&mut self, bank: &mut Bank, ease: Ease) -> Result<(), Box<TickError>> {
        for place in 0..self.pipes.len() {
            let Some(pipe) = &mut self.pipes[place] else { continue };
            tick(pipe, &mut self.animated[place], bank, ease).map_err(|fault| {
                Box::new(TickError {
                    bone: place,
                    bone_id: self.skeleton.bones[place].id,
                    track: pipe.track,
                    clock: pipe.clock,
                    fault,
                })
            })?;
        }
        Ok(())
    }
}

fn tick(pipe: &mut Pipe, animated: &mut Control, bank: &mut Bank, ease: Ease) -> Result<(), TickFault> {
    let Some(track) = bank.track(pipe.track).copied() else { return Ok(()) };
    let keys = bank.keys_of(pipe.track)?;
    let segment = sample::Segment::find(keys, track.length, pipe.clock)
        .ok_or_else(|| TickFault::NoKey { first: keys.first().map(|key| key.time) })?;
    if track.has(MATRIX) {
        animated.set_matrix(shrink_matrix(bank, &track, segment.start)?);
        // The library returns here: the clock of a matrix track stands still.
        return Ok(());
    }
    sample::components(bank.view(), &track, &segment, ease, animated)?;
    pipe.clock += pipe.speed;
    if pipe.clock > track.length {
        pipe.clock -= track.length;
    }
    Ok(())
}

/// A matrix key is multiplied by 2^-shift where it lies in memory, each time it is used.
fn shrink_matrix(bank: &mut Bank, track: &Track, key: Key) -> Result<[[f32; 4]; 3], TickFault> {
    let what = "matrix key";
    let at = u64::from(key.setting);
    let mut values: [f32; 12] = bank.view().f32s(at, what)?;
    for (value, bytes) in values.iter_mut().zip(bank.bytes[at as usize..].chunks_exact_mut(4)) {
        *value *= track.quantization.scale();
        bytes.copy_from_slice(&value.to_bits().to_be_bytes());
    }
    let mut rows = [[0.0; 4]; 3];
    rows.as_flattened_mut().copy_from_slice(&values);
    Ok(rows)
}

#[cfg(test)]
mod tests;
