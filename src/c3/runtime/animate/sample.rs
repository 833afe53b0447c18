//! Sampling a track: which keys, how far between them, and each component's value there.

use super::TickFault;
use super::curve::{self, Ease};
use crate::bytes::{ReadResult, View};
use crate::c3::format::act::Control;
use crate::c3::format::anm::quantization::fixed;
use crate::c3::format::anm::track::{EULER, QUATERNION, QUATERNION_SIZE, SCALE, TRANSLATION};
use crate::c3::format::anm::{Key, RotationCurve, Track, VectorCurve};

/// Two keys and the place between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Where the segment starts.
    pub start: Key,
    /// Where it ends: the next key, or the first one behind the last.
    pub end: Key,
    /// 0 at the start, 1 at the end; not clamped.
    pub u: f32,
}

impl Segment {
    /// The segment at `time`: from the first key that is not later and is the last or has a later
    /// neighbour. None before the first key.
    pub fn find(keys: &[Key], length: f32, time: f32) -> Option<Self> {
        let index = keys.iter().enumerate().position(|(index, key)| {
            key.time <= time && keys.get(index + 1).is_none_or(|next| next.time > time)
        })?;
        let start = keys[index];
        let end = *keys.get(index + 1).unwrap_or(&keys[0]);
        let u = if time == start.time {
            0.0
        } else if end.time > start.time {
            (time - start.time) / (end.time - start.time)
        } else {
            (time - start.time) / (length - start.time)
        };
        Some(Self { start, end, u })
    }
}

/// Evaluates every component of a track and writes it into the bone's animated control, in the
/// library's order: scale, rotation, translation.
///
/// # Errors
/// When values lie outside the bank, or the rotation's code is one on which the library panics.
pub fn components(
    bank: View,
    track: &Track,
    segment: &Segment,
    ease: Ease,
    animated: &mut Control,
) -> Result<(), TickFault> {
    let sampler = Sampler { bank, track, segment, ease };
    if track.has(SCALE) {
        animated.set_scale(sampler.vector(track.scale_curve(), 0, 0, "scale")?);
    }
    if track.has(QUATERNION | EULER) {
        sampler.rotation(animated)?;
    }
    if track.has(TRANSLATION) {
        let (value_at, block_at) = (track.translation_at(), track.translation_block_at());
        let curve = track.translation_curve();
        animated.set_translation(sampler.vector(curve, value_at, block_at, "translation")?);
    }
    Ok(())
}

struct Sampler<'a> {
    bank: View<'a>,
    track: &'a Track,
    segment: &'a Segment,
    ease: Ease,
}

impl Sampler<'_> {
    fn packed(&self, pointer: u32, at: u64, what: &str) -> ReadResult<[f32; 3]> {
        self.track.quantization.vector(self.bank, u64::from(pointer) + at, what)
    }

    fn fixed<const N: usize>(&self, pointer: u32, at: u64, what: &str) -> ReadResult<[f32; N]> {
        fixed(self.bank, u64::from(pointer) + at, what)
    }

    /// The segment's outgoing side at its start key and incoming side at its end key.
    fn sides(&self, block_at: u64, what: &str) -> ReadResult<([f32; 3], [f32; 3])> {
        let size = self.track.quantization.vector_size();
        let outgoing = self.packed(self.segment.start.interpolation, block_at + size, what)?;
        let incoming = self.packed(self.segment.end.interpolation, block_at, what)?;
        Ok((outgoing, incoming))
    }

    /// The place on the segment after the ease pair that lies at `at`: ease-out of the start key, ease-in
    /// of the end key.
    fn eased(&self, at: u64, what: &str) -> ReadResult<f32> {
        let [_, out] = self.fixed(self.segment.start.interpolation, at, what)?;
        let [into, _] = self.fixed(self.segment.end.interpolation, at, what)?;
        Ok(curve::ease(self.segment.u, out, into, self.ease))
    }

    fn vector(
        &self,
        curve: VectorCurve,
        value_at: u64,
        block_at: u64,
        what: &str,
    ) -> Result<[f32; 3], TickFault> {
        let (start, end, u) = (self.segment.start, self.segment.end, self.segment.u);
        let p = self.packed(start.setting, value_at, what)?;
        if curve == VectorCurve::None {
            return Ok(p);
        }
        let q = self.packed(end.setting, value_at, what)?;
        Ok(match curve {
            VectorCurve::None | VectorCurve::Linear => curve::linear(p, q, u),
            VectorCurve::Bezier => {
                let (outgoing, incoming) = self.sides(block_at, what)?;
                curve::bezier(p, q, outgoing, incoming, u)
            }
            VectorCurve::Hermite => {
                let (outgoing, incoming) = self.sides(block_at, what)?;
                let ease_at = block_at + 2 * self.track.quantization.vector_size();
                curve::hermite(p, q, outgoing, incoming, self.eased(ease_at, what)?)
            }
        })
    }

    fn rotation(&self, animated: &mut Control) -> Result<(), TickFault> {
        let (value_at, block_at) = (self.track.rotation_at(), self.track.rotation_block_at());
        match self.track.rotation_curve() {
            RotationCurve::Euler(VectorCurve::Linear) => {
                let p = self.packed(self.segment.start.setting, value_at, "Euler angles")?;
                let q = self.packed(self.segment.end.setting, value_at, "Euler angles")?;
                animated.set_euler(curve::linear_angles(p, q, self.segment.u));
            }
            RotationCurve::Euler(curve) => {
                animated.set_euler(self.vector(curve, value_at, block_at, "Euler angles")?);
            }
            RotationCurve::Unknown(code) => {
                let quaternion = self.track.has(QUATERNION);
                return Err(TickFault::UnknownInterpolation { code, quaternion });
            }
            curve => animated.set_quaternion(self.quaternion(curve, value_at, block_at)?),
        }
        Ok(())
    }

    fn quaternion(&self, curve: RotationCurve, value_at: u64, block_at: u64) -> ReadResult<[f32; 4]> {
        let what = "quaternion";
        let (start, end) = (self.segment.start, self.segment.end);
        let p = self.fixed(start.setting, value_at, what)?;
        let place = match curve {
            RotationCurve::Slerp | RotationCurve::Squad => self.segment.u,
            RotationCurve::SquadEase => self.eased(block_at + 2 * QUATERNION_SIZE, what)?,
            RotationCurve::None | RotationCurve::Euler(_) | RotationCurve::Unknown(_) => return Ok(p),
        };
        let q = self.fixed(end.setting, value_at, what)?;
        if curve == RotationCurve::Slerp {
            return Ok(curve::slerp(p, q, place));
        }
        let outgoing = self.fixed(start.interpolation, block_at + QUATERNION_SIZE, what)?;
        let incoming = self.fixed(end.interpolation, block_at, what)?;
        Ok(curve::squad([p, q], [outgoing, incoming], place))
    }
}
