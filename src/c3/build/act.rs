//! Writing the skeleton: one record a bone in pre-order, so that id, table order and array order agree.

use super::character::{Bone, Rest};
use super::error::BuildResult;
use crate::c3::format::act::{ActSource, BoneSource, Control};

/// The skeleton of a character whose skin object is the palette's first.
///
/// # Errors
/// When there are no bones, or too many.
pub fn skeleton(bones: &[Bone], palette_name: &str) -> BuildResult<Vec<u8>> {
    let sources = bones
        .iter()
        .zip(0..)
        .map(|(bone, id)| BoneSource::new(id, bone.parent.map(usize::from), control(&bone.local)));
    let source = ActSource {
        actor_id: 0,
        skin_object: 0,
        palette_name: Some(palette_name.bytes().filter(|&byte| byte != 0).collect()),
        bones: sources.collect(),
        user_data: Vec::new(),
    };
    Ok(source.to_bytes()?)
}

/// A transform as a control: the bits of those components that do something, or a matrix.
pub fn control(rest: &Rest) -> Control {
    let mut control = Control::IDENTITY;
    match rest {
        Rest::Matrix(matrix) => control.set_matrix(matrix.0.map(|row| row.map(|cell| cell as f32))),
        Rest::Components(trs) => {
            if trs.scale != [1.0; 3] {
                control.set_scale(trs.scale.map(|part| part as f32));
            }
            if trs.rotation[..3] != [0.0; 3] {
                control.set_quaternion(trs.rotation.map(|part| part as f32));
            }
            if trs.translation != [0.0; 3] {
                control.set_translation(trs.translation.map(|part| part as f32));
            }
        }
    }
    control
}
