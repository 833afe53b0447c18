//! The two poses of a dry run: at rest, and one in which every bone moves.

use crate::c3::format::gpl::{Quantize, QuantizeType};
use crate::c3::model::Model;
use crate::c3::poses::{Poses, Rig, bones_named};
use crate::c3::runtime::load::{IDENTITY, SkinMatrix};

/// The rest pose: from the skeleton where it can be loaded, identities otherwise.
pub fn rest(model: &Model) -> Vec<SkinMatrix> {
    let pose = Poses::rest(model, &Rig::default(), 1).ok().and_then(|mut poses| poses.frames.next());
    match pose {
        Some(Ok(pose)) => pose.skin,
        _ => vec![IDENTITY; bones_named(model)],
    }
}

/// Degrees by which bones turn about each of two axes: a turn about one alone leaves what points along it where it is.
const TURN: f32 = 20.0;
/// How far bones move along each axis, in units of the s16.
const SHIFT: f32 = 400.0;

/// Every bone turned about two axes of its own and moved a little, each by at least half of the most, the same in
/// every run.
pub fn varied(model: &Model, rest: &[SkinMatrix]) -> Vec<SkinMatrix> {
    let unit = SHIFT / 2f32.powi(fraction_bits(model).into());
    (0..).zip(rest).map(|(bone, matrix)| moved(matrix, bone, unit)).collect()
}

fn fraction_bits(model: &Model) -> u8 {
    let position = model.gpl.as_ref().and_then(|gpl| gpl.skinned()).map(|(_, _, position)| position.quantize);
    position
        .filter(|quantize| quantize.component() == Some(QuantizeType::S16))
        .map_or(8, Quantize::fraction_bits)
}

/// `-1..=-0.5` or `0.5..=1` from a bone's number; neighbours differ by much.
fn spread(bone: u16, salt: u32) -> f32 {
    let hash = (u32::from(bone) * 7 + salt).wrapping_mul(0x9E37_79B9) >> 16;
    let around = hash as f32 / 32767.5 - 1.0;
    (0.5 + around.abs() / 2.0).copysign(around)
}

fn moved(rest: &SkinMatrix, bone: u16, unit: f32) -> SkinMatrix {
    let axis = usize::from(bone % 3);
    let mut out = turned(rest, axis, spread(bone, 0) * TURN);
    out = turned(&out, (axis + 1) % 3, spread(bone, 1) * TURN);
    for (salt, row) in (2..).zip(&mut out) {
        row[3] += spread(bone, salt) * unit;
    }
    out
}

/// Turned about a coordinate axis, by degrees.
fn turned(matrix: &SkinMatrix, axis: usize, degrees: f32) -> SkinMatrix {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut out = *matrix;
    for column in 0..4 {
        out[second][column] = cosine * matrix[second][column] - sine * matrix[third][column];
        out[third][column] = sine * matrix[second][column] + cosine * matrix[third][column];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_bones_move_differently_and_no_bone_far() {
        let model = Model::default();
        let poses = varied(&model, &[IDENTITY; 64]);
        for (bone, pair) in poses.windows(2).enumerate() {
            assert_ne!(pair[0], pair[1], "bone {bone}");
        }
        // No direction stays what it was.
        for (bone, pose) in poses.iter().enumerate() {
            for (axis, row) in pose.iter().enumerate() {
                assert!(row[axis] < 0.99, "bone {bone}, axis {axis}");
            }
        }
        let cells = poses.iter().flatten().flatten();
        assert!(cells.clone().all(|cell| cell.abs() <= SHIFT / 256.0));
    }
}
