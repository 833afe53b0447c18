//! Bones moved by a pose file: one skin matrix (rest to posed) a bone.
//!
//! A bone's rest in the model's space is the inverse of its `poseToBone`; its local transform is that relative
//! to its parent's. What a bone does to vertices at rest is its world transform after `poseToBone`.
//! `[spec: SDK]`

use super::vector::Matrix;
use crate::affine::Affine;
use crate::mdl::format::{Bone, Mdl};
use crate::pose_file::{Placement, PoseError, PoseFile, Space};

/// The skin matrices of a pose, one a bone. A bone that the pose leaves alone follows its parent, so that a
/// pose of nothing moves nothing, to the bit.
///
/// # Errors
/// When the pose fits no bones of the model, flattens one, or needs a rest that the model does not give: a
/// `poseToBone` without an inverse, or a parent that does not stand before its child.
pub fn skin(mdl: &Mdl, pose: &PoseFile) -> Result<Vec<Matrix>, PoseError> {
    let names: Vec<&str> = mdl.bones.iter().map(|bone| &*bone.name).collect();
    let placements = pose.placements("bone", &names)?;
    let mut moves: Vec<Affine> = Vec::with_capacity(mdl.bones.len());
    for (index, (bone, placement)) in mdl.bones.iter().zip(placements).enumerate() {
        let parent = parent(mdl, index)?;
        let skin = match placement {
            None => parent.map_or(Affine::IDENTITY, |parent| moves[parent]),
            Some(placement) => {
                let given = given(index, bone, &placement)?;
                let world = match (placement.space, parent) {
                    (Space::World, _) | (Space::Local, None) => given,
                    (Space::Local, Some(parent)) => moves[parent].after(&rest(mdl, parent)?).after(&given),
                };
                world.after(&pose_to_bone(bone))
            }
        };
        if !skin.is_finite() {
            return Err(refused(index, bone, "a move of finite numbers", "one that overflows"));
        }
        moves.push(skin);
    }
    Ok(moves.iter().map(|skin| skin.0.map(|row| row.map(|cell| cell as f32))).collect())
}

/// The parent, which compilers write before its children; a link that is no such parent could make a circle.
fn parent(mdl: &Mdl, index: usize) -> Result<Option<usize>, PoseError> {
    let bone = &mdl.bones[index];
    match usize::try_from(bone.parent) {
        Ok(parent) if parent < index => Ok(Some(parent)),
        Err(_) if bone.parent == -1 => Ok(None),
        _ => {
            let want = "a parent before the bone, or -1 for none";
            Err(refused(index, bone, want, &format!("parent {}", bone.parent)))
        }
    }
}

/// The transform that the pose gives, in column-vector form as the engine has it.
fn given(index: usize, bone: &Bone, placement: &Placement) -> Result<Affine, PoseError> {
    let [x, y, z, origin] = placement.rows;
    let given = Affine([0, 1, 2].map(|axis| [x[axis], y[axis], z[axis], origin[axis]]));
    match given.inverse() {
        Some(_) => Ok(given),
        None => Err(refused(index, bone, "a matrix with an inverse", "one that flattens space")),
    }
}

/// A bone's rest in the model's space.
fn rest(mdl: &Mdl, index: usize) -> Result<Affine, PoseError> {
    let bone = &mdl.bones[index];
    pose_to_bone(bone).inverse().ok_or_else(|| {
        refused(index, bone, "a poseToBone with an inverse, which is the rest", "one that flattens space")
    })
}

fn pose_to_bone(bone: &Bone) -> Affine {
    Affine(bone.pose_to_bone.map(|row| row.map(f64::from)))
}

fn refused(index: usize, bone: &Bone, want: &str, have: &str) -> PoseError {
    PoseError(format!("bone {index} '{}': want {want}, have {have}", bone.name))
}
