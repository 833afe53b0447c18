//! What the library's curves make of a track's rotations. \[listing\]

use super::animation::UNPLAYED;
use super::codes;
use super::found::Found;
use crate::c3::format::act::{Act, Control, control};
use crate::c3::format::anm::quantization::fixed;
use crate::c3::format::anm::track::{EULER, MATRIX, QUATERNION, SCALE, TRANSLATION};
use crate::c3::format::anm::{Anm, Key, RotationCurve, Track, VectorCurve};
use crate::finding::{Place, Severity};

/// Degrees of a half and of a whole turn.
const HALF: f32 = 180.0;
const WHOLE: f32 = 360.0;

/// A track, the keys of it that are looked at, and where it lies.
pub(super) struct Turning<'t, 'a> {
    pub anm: &'t Anm<'a>,
    pub track: &'t Track,
    pub keys: &'t [Key],
    pub place: &'t Place,
}

impl Turning<'_, '_> {
    /// All rules of this file about keys.
    pub fn check(&self, found: &mut Vec<Found>) {
        if self.track.has(MATRIX) {
            return;
        }
        if self.track.has(QUATERNION) {
            self.quaternions(found);
        } else if self.track.has(EULER) {
            self.angles(found);
        }
    }

    fn offset(&self, key: &Key) -> u64 {
        u64::from(key.setting) + self.track.rotation_at()
    }

    /// The first of each: keys that turn nothing, and keys between which a bone turns the long way.
    fn quaternions(&self, found: &mut Vec<Found>) {
        let value = |key: &Key| fixed::<4>(self.anm.view(), self.offset(key), "quaternion").ok();
        if let Some(at) = self.keys.iter().position(|key| value(key) == Some([0.0; 4])) {
            let text = format!(
                "the quaternion of key {at} is 0: divided by the square of its length, it makes no matrix"
            );
            let help = "a bone that does not turn has the quaternion 0, 0, 0, 1";
            let finding = Found::new(&codes::NAN_MATRIX, self.place.clone().field("quaternion"), text, help);
            found.push(
                finding
                    .spoils_unseen(format!("every vertex that the bone moves, from key {at} on"), UNPLAYED),
            );
        }
        let slerps = !matches!(self.track.rotation_curve(), RotationCurve::None | RotationCurve::Unknown(_));
        let apart = |pair: &[Key]| {
            let (one, other) = (value(&pair[0])?, value(&pair[1])?);
            Some(one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>() < 0.0)
        };
        if slerps && let Some(at) = self.keys.windows(2).position(|pair| apart(pair) == Some(true)) {
            let text = format!(
                "the quaternions of keys {at} and {} lie more than a right angle apart: the library takes the way as \
                 they give it, which is the long one",
                at + 1
            );
            let help =
                "negate all four components of the later one, and of those behind it, unless it is meant";
            let finding =
                Found::new(&codes::LIBRARY_FAULT, self.place.clone().field("quaternion"), text, help);
            found.push(finding.severity(Severity::Note).unseen(UNPLAYED));
        }
    }

    /// Angles that the linear curve does not expect, and those between which a Bezier curve turns too far.
    fn angles(&self, found: &mut Vec<Found>) {
        let value =
            |key: &Key| self.track.quantization.vector(self.anm.view(), self.offset(key), "angles").ok();
        let mut report = |text: String, help: &str| {
            let place = self.place.clone().field("angles");
            found.push(Found::new(&codes::LIBRARY_FAULT, place, text, help).unseen(UNPLAYED));
        };
        let curve = self.track.rotation_curve();
        if curve == RotationCurve::Euler(VectorCurve::Linear) {
            let far =
                |key: &Key| value(key).is_some_and(|angles| angles.iter().any(|angle| angle.abs() > WHOLE));
            if let Some(at) = self.keys.iter().position(far) {
                let text = format!(
                    "key {at} has an angle past {WHOLE} degrees; the way to the next key is shortened by one turn at \
                     most, and the debug library stops"
                );
                report(text, "keep angles within 360 degrees");
            }
        }
        if curve == RotationCurve::Euler(VectorCurve::Bezier) {
            let apart = |pair: &[Key]| {
                let (one, other) = (value(&pair[0])?, value(&pair[1])?);
                Some(one.iter().zip(other).any(|(a, b)| (a - b).abs() > HALF))
            };
            if let Some(at) = self.keys.windows(2).position(|pair| apart(pair) == Some(true)) {
                let text = format!(
                    "the angles of keys {at} and {} are more than {HALF} degrees apart: linear curves take the short \
                     way there, Bezier curves the long one",
                    at + 1
                );
                report(text, "add or take away a whole turn so that neighbouring keys are close");
            }
        }
    }
}

/// A track that comes after its bone's own transform, and lacks a part of it: the library copies that part when
/// it binds the track, and so applies it twice. \[listing\]
pub(super) fn applied_twice(act: &Act, track: &Track, place: &Place, found: &mut Vec<Found>) {
    if track.replace != 0 || track.has(MATRIX) {
        return;
    }
    let Some(own) = act.bones.iter().find(|bone| bone.id == track.id).and_then(|bone| act.control(bone).ok())
    else {
        return;
    };
    let twice = copied(&own, track);
    if !twice.is_empty() {
        let text = format!(
            "it comes after its bone's own transform and has no {0}: the library applies the bone's {0} twice",
            twice.join(" and ")
        );
        let help = "give the track the component, or let it stand in place of the bone's transform";
        let finding = Found::new(&codes::LIBRARY_FAULT, place.clone().field("replace"), text, help);
        found.push(finding.unseen(UNPLAYED));
    }
}

fn copied(own: &Control, track: &Track) -> Vec<&'static str> {
    if own.has(control::MATRIX) {
        return Vec::new();
    }
    let mut copied = Vec::new();
    if own.has(control::TRANSLATION) && !track.has(TRANSLATION) && own.translation() != [0.0; 3] {
        copied.push("translation");
    }
    if own.has(control::SCALE) && !track.has(SCALE) && own.scale() != [1.0; 3] {
        copied.push("scale");
    }
    let turned = own.has(control::QUATERNION) && own.quaternion()[..3] != [0.0; 3]
        || own.has(control::EULER) && own.euler() != [0.0; 3];
    if turned && !track.has(EULER | QUATERNION) {
        copied.push("rotation");
    }
    copied
}
