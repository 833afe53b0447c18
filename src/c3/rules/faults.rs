//! Bones whose bind pose hangs on a fault of the library. \[listing\]

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use super::codes;
use super::found::Found;
use super::skeleton::bone_place;
use super::subject::Subject;
use super::weights::contributions;
use crate::c3::format::act::Act;
use crate::c3::poses::{FramePose, Rig};
use crate::c3::runtime::load::{IDENTITY, SkinMatrix};
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
    let rest = LazyCell::new(|| FramePose::of(skeleton, &actor.build()).skin);
    let moved = LazyCell::new(|| moved_slots(subject));
    for (place, bone) in skeleton.bones.iter().enumerate() {
        let told = if bone.inherits { inheriting(skeleton, place) } else { not_inheriting(skeleton, place) };
        let Some((text, help)) = told else { continue };
        let finding = Found::new(&codes::LIBRARY_FAULT, bone_place(subject, act, bone.record), text, help);
        found.push(if is_undefined(skeleton, place) {
            finding.unseen(UNWRITTEN)
        } else {
            displaced(finding, rest.get(place), moved.get(&place).copied().unwrap_or_default())
        });
    }
}

/// Why frames show nothing of bones that hang on memory which is never written.
const UNWRITTEN: &str = "frames take an identity for what memory happens to hold";

/// How far a cell of a rest matrix may be from the identity's, as far as rounding goes.
const ROUNDING: f32 = 1e-3;

/// The same finding, with what the bone's matrix at rest does: nothing of a sound model moves there.
fn displaced(finding: Found, rest: Option<&SkinMatrix>, moved: usize) -> Found {
    let apart = |matrix: &SkinMatrix| {
        let pairs = matrix.iter().flatten().zip(IDENTITY.iter().flatten());
        pairs.map(|(have, want)| (have - want).abs()).any(|apart| apart > ROUNDING)
    };
    if !rest.is_some_and(apart) {
        return finding;
    }
    match moved {
        0 => finding,
        1 => finding.spoils("1 drawn slot is displaced at rest"),
        count => finding.spoils(format!("{count} drawn slots are displaced at rest")),
    }
}

/// How many drawn slots each bone moves.
fn moved_slots(subject: &Subject) -> BTreeMap<usize, usize> {
    let drawn = |slot: u64| {
        usize::try_from(slot).is_ok_and(|slot| subject.coverage.used.get(slot).is_some_and(|bit| *bit))
    };
    let parts = contributions(subject).into_iter().filter(|part| part.weight != 0 && drawn(part.slot));
    let pairs: BTreeSet<(u16, u64)> = parts.map(|part| (part.bone, part.slot)).collect();
    pairs.into_iter().fold(BTreeMap::new(), |mut counts, (bone, _)| {
        *counts.entry(usize::from(bone)).or_default() += 1;
        counts
    })
}

fn is_undefined(skeleton: &Skeleton, place: usize) -> bool {
    skeleton.bones[place].inherits && skeleton.undefined.binary_search(&place).is_ok()
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
    if is_undefined(skeleton, place) {
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
