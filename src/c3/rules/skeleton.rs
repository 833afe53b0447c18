//! The skeleton's tree and controls, and the animation bank beside it.

use std::collections::BTreeSet;

use super::codes;
use super::container::unreadable;
use super::found::Found;
use super::subject::Subject;
use crate::c3::format::act::{Act, Control, control};
use crate::c3::format::anm::{Anm, RotationCurve, Track, VectorCurve};
use crate::finding::{Place, Severity};

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let act = subject.model.act.and_then(|view| Act::parse_view(view).ok());
    if let Some(act) = &act {
        for problem in &act.problems {
            found.push(unreadable(subject, &codes::OUT_OF_BOUNDS, "ACT", problem));
        }
        tree(subject, act, found);
        controls(subject, act, found);
    }
    if let Some(anm) = subject.model.anm.and_then(|view| Anm::parse_view(view).ok()) {
        animation(subject, &anm, act.as_ref(), found);
    }
}

fn bone_place(subject: &Subject, act: &Act, record: usize) -> Place {
    let offset = act.view().base() + act.bones.get(record).map_or(0, |bone| bone.offset);
    subject.place("ACT", offset, subject.model.block.is_some()).entry(format!("bone {record}"))
}

fn tree(subject: &Subject, act: &Act, found: &mut Vec<Found>) {
    let visits = match act.walk() {
        Ok(visits) => visits,
        Err(error) => {
            let code = if error.what == "bone count" { &codes::BONE_COUNT } else { &codes::TREE_LINK };
            found.push(unreadable(subject, code, "ACT", &error));
            return;
        }
    };
    if let Some((place, visit)) = visits.iter().enumerate().find(|(place, visit)| visit.record != *place) {
        let text = format!("record {} is number {place} of the tree", visit.record);
        let help = "append bones so that table and tree order agree: which one numbers bones in Super Sluggers is open";
        found.push(Found::new(&codes::BONE_ORDER, bone_place(subject, act, visit.record), text, help));
    }
    for visit in &visits {
        let parent = visit.parent.map_or(0, |parent| act.bones[visits[parent].record].offset);
        let bone = &act.bones[visit.record];
        if u64::from(bone.parent) != parent {
            let text = format!("its parent link is {:#x}, the tree puts it under {parent:#x}", bone.parent);
            let help = "link every bone back to its parent; the library computes the link anew";
            let place = bone_place(subject, act, visit.record).field("parent");
            found.push(Found::new(&codes::TREE_LINK, place, text, help).severity(Severity::Warning));
        }
    }
}

fn controls(subject: &Subject, act: &Act, found: &mut Vec<Found>) {
    for (record, bone) in act.bones.iter().enumerate() {
        let Ok(control) = act.control(bone) else {
            let text = format!("its control lies at {:#x}, outside the section", bone.control);
            let help = "point the bone at its control; 0 is none";
            let place = bone_place(subject, act, record).field("control");
            found.push(Found::new(&codes::OUT_OF_BOUNDS, place, text, help));
            continue;
        };
        let ignored = ignored(&control);
        if !ignored.is_empty() {
            let text =
                format!("its {} set, and its type {} leaves them out", ignored.join(" and "), control.bits);
            let help = "set the type bit, or clear the values";
            let place = bone_place(subject, act, record).field("control");
            found.push(Found::new(&codes::CONTROL_IGNORED, place, text, help));
        }
    }
}

/// Components that say something and whose bit is clear.
fn ignored(value: &Control) -> Vec<&'static str> {
    if value.has(control::MATRIX) {
        return Vec::new();
    }
    let says =
        |parameters: &[f32], rest: &[f32]| parameters.iter().any(|&cell| cell != 0.0) && parameters != rest;
    let mut ignored = Vec::new();
    if !value.has(control::SCALE) && says(&value.scale(), &[1.0; 3]) {
        ignored.push("scale values are");
    }
    let turns = value.has(control::EULER) || value.has(control::QUATERNION);
    if !turns && says(&value.quaternion(), &[0.0, 0.0, 0.0, 1.0]) {
        ignored.push("rotation values are");
    }
    if !value.has(control::TRANSLATION) && says(&value.translation(), &[0.0; 3]) {
        ignored.push("translation values are");
    }
    ignored
}

fn animation(subject: &Subject, anm: &Anm, act: Option<&Act>, found: &mut Vec<Found>) {
    for problem in &anm.problems {
        found.push(unreadable(subject, &codes::OUT_OF_BOUNDS, "ANM", problem));
    }
    let pointers = anm.sequences.iter().filter_map(|sequence| anm.tracks_of(sequence).err());
    for problem in pointers.chain(anm.tracks.iter().filter_map(|track| anm.keys_of(track).err())) {
        found.push(unreadable(subject, &codes::OUT_OF_BOUNDS, "ANM", &problem));
    }
    let ids: Option<BTreeSet<u16>> = act.map(|act| act.bones.iter().map(|bone| bone.id).collect());
    for (index, track) in anm.tracks.iter().enumerate() {
        let place =
            subject.place("ANM", anm.view().base() + track.offset, false).entry(format!("track {index}"));
        if ids.as_ref().is_some_and(|ids| !ids.contains(&track.id)) {
            let text = format!("its id {} is no bone's", track.id);
            let help = "it moves nothing";
            found.push(Found::new(&codes::TRACK_WITHOUT_BONE, place.clone(), text, help));
        }
        keys(anm, track, &place, found);
        interpolation(track, &place, found);
    }
}

fn keys(anm: &Anm, track: &Track, place: &Place, found: &mut Vec<Found>) {
    let Some(keys) = anm.keys_of(track).ok().and_then(|range| anm.keys.get(range)) else { return };
    let mut report = |text: String| {
        let help =
            "sort the keys by time, the first at 0: the library looks for the last one before the clock";
        found.push(Found::new(&codes::KEY_ORDER, place.clone(), text, help));
    };
    match keys.first() {
        None => report("it has no keys".to_owned()),
        Some(first) if first.time > 0.0 || first.time.is_nan() => {
            report(format!("its first key lies at {}", first.time));
        }
        Some(_) => {
            let unsorted =
                |pair: &[crate::c3::format::anm::Key]| pair[1].time < pair[0].time || pair[1].time.is_nan();
            if let Some(at) = keys.windows(2).position(unsorted) {
                report(format!(
                    "key {} at {} follows key {at} at {}",
                    at + 1,
                    keys[at + 1].time,
                    keys[at].time
                ));
            }
        }
    }
}

fn interpolation(track: &Track, place: &Place, found: &mut Vec<Found>) {
    if track.quantization.value_type().is_none() {
        let text = format!("quantize byte {:#04x} has an unknown number type", track.quantization.0);
        let help = "the high nibble is one of 0 u8, 1 s8, 2 u16, 3 s16, 4 f32";
        found.push(Found::new(&codes::QUANTIZE_UNKNOWN, place.clone().field("quantize"), text, help));
    }
    let unknown = match track.rotation_curve() {
        RotationCurve::Unknown(code) => Some(format!("rotation interpolation {code}")),
        RotationCurve::Euler(VectorCurve::Hermite) => {
            Some("Hermite interpolation of Euler angles".to_owned())
        }
        _ => None,
    };
    if let Some(what) = unknown.filter(|_| turns(track)) {
        let text = format!("{what}, on which the library stops");
        let help = "Euler angles: 0 none, 1 linear, 2 Bezier; quaternions: 0 none, 4 squad, 5 squad with ease, 6 slerp";
        found.push(Found::new(
            &codes::INTERPOLATION_UNKNOWN,
            place.clone().field("interpolation"),
            text,
            help,
        ));
    }
}

fn turns(track: &Track) -> bool {
    use crate::c3::format::anm::track::{EULER, MATRIX, QUATERNION};
    track.components & MATRIX == 0 && track.components & (EULER | QUATERNION) != 0
}
