//! Fraction bits: how finely positions and normals are stored, and how far they then reach.

use super::character::{Animation, Character};
use super::error::{BuildError, BuildResult, Notes};
use super::pose::skin;
use super::skn::Record;
use crate::affine::Affine;

/// Most fraction bits: with 15 a normal of length 1 would not fit.
pub const MOST: u8 = 14;
/// Moments of an animation that are looked at.
const MOMENTS: usize = 128;

/// Chooses the most fraction bits with which the rest pose and every animation stay in range, or checks
/// the chosen ones.
///
/// # Errors
/// When the rest pose does not fit; the error names a vertex.
pub fn choose(
    character: &Character,
    used: &[bool],
    chosen: Option<u8>,
    notes: &mut Notes,
) -> BuildResult<u8> {
    let rest = check_rest(character, used, chosen)?;
    let mut best = rest;
    let boxes = Boxes::of(character, used);
    for animation in &character.animations {
        let reach = boxes.reach(character, animation);
        let fits = (1..=rest).rev().find(|&shift| reach * step(shift) <= 32767.0).unwrap_or(1);
        match chosen {
            Some(shift) if reach * step(shift) > 32767.0 => {
                let what = format!(
                    "animation '{}' can move vertices out of range with shift {shift}",
                    animation.name
                );
                notes.add(what, "");
            }
            None if fits < rest => {
                let what = format!(
                    "the shift is below {rest}, which the rest pose allows, so that animations stay in range"
                );
                notes.add(what, format!("'{}'", animation.name));
            }
            _ => {}
        }
        best = best.min(fits);
    }
    Ok(chosen.unwrap_or(best))
}

/// Steps a unit.
pub fn step(shift: u8) -> f64 {
    f64::from(1u32 << shift)
}

fn check_rest(character: &Character, used: &[bool], chosen: Option<u8>) -> BuildResult<u8> {
    let far = |position: &[f64; 3]| position.iter().fold(0.0, |far: f64, part| far.max(part.abs()));
    let vertices = character.vertices.iter().zip(used).filter(|(_, used)| **used);
    let farthest =
        vertices.map(|(vertex, _)| vertex).max_by(|a, b| far(&a.position).total_cmp(&far(&b.position)));
    let Some(farthest) = farthest else { return Ok(MOST) };
    let reach = far(&farthest.position);
    let best = (1..=MOST).rev().find(|&shift| reach * step(shift) <= 32767.0);
    let wrong = |shift: u8, hint: String| {
        let want = format!("coordinates within ±{:.3} for shift {shift}", 32767.0 / step(shift));
        let have = format!("{:?}{hint}", farthest.position);
        BuildError::new(farthest.origin.to_string(), want, have)
    };
    match (chosen, best) {
        (None, None) => Err(wrong(1, String::new())),
        (Some(shift), Some(best)) if shift > best => {
            Err(wrong(shift, format!("; at most shift {best} fits")))
        }
        (Some(shift), None) => Err(wrong(shift, String::new())),
        (Some(shift), Some(_)) => Ok(shift),
        (None, Some(best)) => Ok(best),
    }
}

/// For each bone the box around the vertices that it moves.
struct Boxes(Vec<Option<[[f64; 3]; 2]>>);

impl Boxes {
    fn of(character: &Character, used: &[bool]) -> Self {
        let mut boxes: Vec<Option<[[f64; 3]; 2]>> = vec![None; character.bones.len()];
        for (vertex, _) in character.vertices.iter().zip(used).filter(|(_, used)| **used) {
            for (bone, _) in &vertex.influences {
                let [low, high] = boxes[usize::from(*bone)].get_or_insert([vertex.position; 2]);
                for axis in 0..3 {
                    low[axis] = low[axis].min(vertex.position[axis]);
                    high[axis] = high[axis].max(vertex.position[axis]);
                }
            }
        }
        Self(boxes)
    }

    /// How far from the origin any vertex can come: blending stays between what the bones make of it.
    fn reach(&self, character: &Character, animation: &Animation) -> f64 {
        let mut times: Vec<f64> = animation.tracks.iter().flat_map(super::character::Track::times).collect();
        times.push(0.0);
        times.sort_by(f64::total_cmp);
        times.dedup();
        let stride = times.len().div_ceil(MOMENTS);
        let moments = times.iter().step_by(stride.max(1));
        moments.map(|&time| self.reach_of(&skin(&character.bones, animation, time))).fold(0.0, f64::max)
    }

    fn reach_of(&self, matrices: &[Affine]) -> f64 {
        let corners = self.0.iter().zip(matrices).filter_map(|(ends, matrix)| Some((ends.as_ref()?, matrix)));
        corners
            .flat_map(|(ends, matrix)| {
                (0..8)
                    .map(move |n: usize| matrix.point(std::array::from_fn(|axis| ends[n >> axis & 1][axis])))
            })
            .flatten()
            .fold(0.0, |reach: f64, part| reach.max(part.abs()))
    }
}

/// A position and a normal as stored: rounded to the nearest step, normals cut off at the end of the range.
pub fn record(position: [f64; 3], normal: [f64; 3], shift: u8) -> Record {
    let stored = |part: f64| (part * step(shift)).round_ties_even().clamp(-32768.0, 32767.0) as i16;
    let ([x, y, z], [nx, ny, nz]) = (position.map(stored), normal.map(stored));
    [x, y, z, nx, ny, nz]
}
