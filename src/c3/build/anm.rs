//! Writing the animation bank: one sequence an animation, key times in frames of 1/60 second.

use super::character::{Animation, Bone, Channel, Curve, Rest, Track};
use super::error::BuildResult;
use crate::c3::format::anm::Quantization;
use crate::c3::format::anm::source::{
    AnmSource, KeySource, RotationKey, SequenceSource, TrackSource, VectorKey,
};

/// Key time units a second: a pipe's clock advances by 1 a tick, and games tick 60 times a second.
pub const UNITS_PER_SECOND: f64 = 60.0;

/// Largest error of a stored scale; larger ones are stored as floats.
const SCALE_ERROR: f64 = 1.0 / 16384.0;

/// Length of an animation in key time units: at least 1, because the clock of a shorter one never comes
/// to rest.
pub fn length(animation: &Animation) -> f32 {
    ((animation.duration * UNITS_PER_SECOND) as f32).max(1.0)
}

/// The bank of a character's animations. Translations are stored as s16 where that moves no value by more
/// than `error`.
///
/// # Errors
/// When a count does not fit its field.
pub fn bank(bones: &[Bone], animations: &[Animation], error: f64) -> BuildResult<Vec<u8>> {
    let sequence = |animation: &Animation| SequenceSource {
        name: Some(animation.name.bytes().filter(|&byte| byte != 0).collect()),
        tracks: animation
            .tracks
            .iter()
            .filter_map(|moved| track(&bones[usize::from(moved.bone)], moved, length(animation), error))
            .collect(),
    };
    let source = AnmSource { bank_id: 0, sequences: animations.iter().map(sequence).collect() };
    Ok(source.to_bytes()?)
}

/// Which components a track holds. What it leaves out, binding takes from the bone's own control.
struct Held {
    translation: bool,
    rotation: bool,
    scale: bool,
}

impl Held {
    fn of(bone: &Bone, track: &Track) -> Self {
        let animated = (track.translation.is_some(), track.rotation.is_some(), track.scale.is_some());
        let differs = match (&bone.local, &track.rest) {
            (Rest::Components(own), Rest::Components(rest)) => {
                (own.translation != rest.translation, own.rotation != rest.rotation, own.scale != rest.scale)
            }
            _ => (true, true, true),
        };
        Self {
            translation: animated.0 || differs.0,
            rotation: animated.1 || differs.1,
            scale: animated.2 || differs.2,
        }
    }

    fn nothing(&self) -> bool {
        !(self.translation || self.rotation || self.scale)
    }
}

fn track(bone: &Bone, track: &Track, length: f32, error: f64) -> Option<TrackSource> {
    let source =
        |keys, quantization| TrackSource { id: track.bone, length, quantization, replace: true, keys };
    let rest = match track.rest {
        Rest::Components(rest) => rest,
        Rest::Matrix(matrix) => {
            let matrix = Some(matrix.0.map(|row| row.map(|cell| cell as f32)));
            let same = bone.local == track.rest;
            return (!same)
                .then(|| source(vec![KeySource { matrix, ..KeySource::default() }], Quantization::F32));
        }
    };
    let held = Held::of(bone, track);
    if held.nothing() {
        return None;
    }
    let mut keys: Vec<KeySource> = Vec::new();
    let mut before = rest.rotation;
    for (time, seconds) in key_times(track, length) {
        let rotation =
            track.rotation.as_ref().and_then(|channel| channel.at(seconds)).unwrap_or(rest.rotation);
        let rotation = same_side(before, rotation);
        before = rotation;
        let vector = |held: bool, channel: Option<&Channel<3>>, rest: [f64; 3]| {
            held.then(|| vector_key(channel, seconds, rest))
        };
        keys.push(KeySource {
            time,
            scale: vector(held.scale, track.scale.as_ref(), rest.scale),
            rotation: held.rotation.then(|| rotation_key(track.rotation.as_ref(), rotation)),
            translation: vector(held.translation, track.translation.as_ref(), rest.translation),
            matrix: None,
        });
    }
    let quantization = quantization(&keys, error);
    Some(source(keys, quantization))
}

/// Key times in units, ascending, each with its seconds: a key at 0 because nothing is found before the
/// first key, and one at the end because behind the last key the pose runs back towards the first.
fn key_times(track: &Track, length: f32) -> Vec<(f32, f64)> {
    let keys = track.times().into_iter().map(|seconds| ((seconds * UNITS_PER_SECOND) as f32, seconds));
    let mut times: Vec<(f32, f64)> = vec![(0.0, 0.0)];
    for (time, seconds) in keys.chain([(length, f64::from(length) / UNITS_PER_SECOND)]) {
        // Keys that fall on one moment of the clock: the later one counts.
        match times.last_mut() {
            Some(last) if last.0 >= time => last.1 = last.1.max(seconds),
            _ => times.push((time, seconds)),
        }
    }
    // An animation of one moment needs no second key.
    if track.times().len() <= 1 && constant(track) {
        times.truncate(1);
    }
    times
}

fn constant(track: &Track) -> bool {
    let keys = |count: Option<usize>| count.unwrap_or(0) <= 1;
    keys(track.translation.as_ref().map(|channel| channel.keys.len()))
        && keys(track.rotation.as_ref().map(|channel| channel.keys.len()))
        && keys(track.scale.as_ref().map(|channel| channel.keys.len()))
}

/// The same rotation by the quaternion that lies nearer: the library goes the long way otherwise.
fn same_side(before: [f64; 4], rotation: [f64; 4]) -> [f64; 4] {
    let dot: f64 = before.iter().zip(rotation).map(|(a, b)| a * b).sum();
    if dot < 0.0 { rotation.map(|part| -part) } else { rotation }
}

fn vector_key(channel: Option<&Channel<3>>, seconds: f64, rest: [f64; 3]) -> VectorKey {
    let value = channel.and_then(|channel| channel.at(seconds)).unwrap_or(rest).map(|part| part as f32);
    match channel.map(|channel| channel.curve) {
        Some(Curve::Linear) => VectorKey::Linear(value),
        Some(Curve::Step) | None => VectorKey::Hold(value),
    }
}

fn rotation_key(channel: Option<&Channel<4>>, rotation: [f64; 4]) -> RotationKey {
    let value = rotation.map(|part| part as f32);
    match channel.map(|channel| channel.curve) {
        Some(Curve::Linear) => RotationKey::Slerp(value),
        Some(Curve::Step) | None => RotationKey::Hold(value),
    }
}

/// s16 with the most fraction bits that hold every vector of the keys, or floats where that moves a
/// translation by more than `error` or a scale by more than [`SCALE_ERROR`].
fn quantization(keys: &[KeySource], error: f64) -> Quantization {
    let value = |key: &VectorKey| match key {
        VectorKey::Hold(value)
        | VectorKey::Linear(value)
        | VectorKey::Bezier(value, _)
        | VectorKey::Hermite(value, ..) => *value,
    };
    let translations = || keys.iter().filter_map(|key| key.translation.as_ref()).flat_map(value);
    let scales = || keys.iter().filter_map(|key| key.scale.as_ref()).flat_map(value);
    let largest = translations().chain(scales()).fold(0.0, |largest: f32, part| largest.max(part.abs()));
    let packed = Quantization::s16_for(largest);
    if packed == Quantization::F32 {
        return packed;
    }
    let step = f64::from(packed.scale());
    let moved = |part: f32| ((f64::from(part) / step).round() * step - f64::from(part)).abs();
    let fits =
        translations().all(|part| moved(part) <= error) && scales().all(|part| moved(part) <= SCALE_ERROR);
    if fits { packed } else { Quantization::F32 }
}
