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

/// Degrees by which bones turn at most.
const TURN: f32 = 20.0;
/// How far bones move at most, in units of the s16.
const SHIFT: f32 = 400.0;

/// Every bone turned about an axis of its own and moved a little, the same in every run.
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

/// `-1..=1` from a bone's number; neighbours differ by much.
fn spread(bone: u16, salt: u32) -> f32 {
    let hash = (u32::from(bone) * 3 + salt).wrapping_mul(0x9E37_79B9) >> 16;
    hash as f32 / 32767.5 - 1.0
}

fn moved(rest: &SkinMatrix, bone: u16, unit: f32) -> SkinMatrix {
    let (sine, cosine) = (spread(bone, 0) * TURN).to_radians().sin_cos();
    let axis = usize::from(bone % 3);
    let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut out = *rest;
    for column in 0..4 {
        out[second][column] = cosine * rest[second][column] - sine * rest[third][column];
        out[third][column] = sine * rest[second][column] + cosine * rest[third][column];
    }
    for (salt, row) in (1..).zip(&mut out) {
        row[3] += spread(bone, salt) * unit;
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
        let cells = poses.iter().flatten().flatten();
        assert!(cells.clone().all(|cell| cell.abs() <= SHIFT / 256.0));
    }
}
