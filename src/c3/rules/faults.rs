//! Bones whose bind pose hangs on a fault of the library. \[listing\]

use super::codes;
use super::found::Found;
use super::skeleton::bone_place;
use super::subject::Subject;
use crate::c3::format::act::Act;
use crate::c3::poses::Rig;
use crate::c3::runtime::pose::control::{build, inverse_is_right};
use crate::c3::runtime::pose::{Matrix, Skeleton};

/// The rules of a skeleton that the library takes.
pub fn check(subject: &Subject, act: &Act, found: &mut Vec<Found>) {
    // Whether there is a skin decides whether bind poses are computed at all.
    let has_skn = subject.model.skn.is_some();
    let Ok(actor) = Rig::default().load(act, subject.model.block.is_some(), has_skn) else { return };
    let skeleton = &actor.skeleton;
    if !skeleton.has_skin {
        return;
    }
    for (place, bone) in skeleton.bones.iter().enumerate() {
        let told = if bone.inherits { inheriting(skeleton, place) } else { not_inheriting(skeleton, place) };
        if let Some((text, help)) = told {
            let place = bone_place(subject, act, bone.record);
            found.push(Found::new(&codes::LIBRARY_FAULT, place, text, help));
        }
    }
}

fn not_inheriting(skeleton: &Skeleton, place: usize) -> Option<(String, &'static str)> {
    let control = &skeleton.bones[place].control;
    if inverse_is_right(control) {
        return None;
    }
    let text = "it does not inherit, and the library's inverse of its control is none: a quaternion is not turned \
                back, the z angle is taken for the x angle, a scale of 0 has no inverse";
    Some((text.to_owned(), "let it inherit, or leave its rotation out: what it skins is displaced at rest"))
}

fn inheriting(skeleton: &Skeleton, place: usize) -> Option<(String, &'static str)> {
    let bone = &skeleton.bones[place];
    if skeleton.undefined.binary_search(&place).is_ok() {
        let text = "it is bound below a bone that does not inherit and has no earlier sibling that does: its bind \
                    pose hangs on memory that the library never wrote";
        return Some((text.to_owned(), "let the bone above inherit"));
    }
    if let Some(parent) = bone.parent.filter(|&parent| !skeleton.bones[parent].inherits) {
        let text = format!(
            "its parent, bone {parent}, does not inherit: the library binds it to an earlier sibling of that bone"
        );
        return Some((text, "let the bone above inherit"));
    }
    // The inverse of a singular matrix is left as it was: the identity.
    let singular = build(&bone.control, skeleton.library).inverse().is_none()
        && skeleton.orientation_inverse[place] == Matrix::IDENTITY;
    singular.then(|| {
        let text = "its control has no inverse (a scale of 0): the library leaves the identity in its place";
        (text.to_owned(), "scale by something above 0")
    })
}
