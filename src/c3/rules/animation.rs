//! The animation bank: tables, tracks, keys and the values they point at.

use std::collections::BTreeSet;

use super::codes;
use super::container::{BEHIND, is_bank, unreadable};
use super::curves::{Turning, applied_twice};
use super::found::Found;
use super::subject::Subject;
use crate::bytes::{Endian, ReadError};
use crate::c3::format::act::Act;
use crate::c3::format::anm::track::{EULER, MATRIX, QUATERNION};
use crate::c3::format::anm::{Anm, Key, RotationCurve, Track, VectorCurve};
use crate::finding::{Effect, Place, Severity};

/// Why frames show nothing of these rules.
pub(super) const UNPLAYED: &str = "no frame of a check plays the animation";
/// Keys that are looked at in all: tracks may share theirs.
const KEY_LIMIT: usize = 4_000_000;

/// All rules of this file.
pub fn check(subject: &Subject, act: Option<&Act>, found: &mut Vec<Found>) {
    let Some(view) = subject.model.anm else { return };
    // Of a file that is none, its version word is told.
    if view.with_endian(Endian::Big).u32(0, "ANM version").is_ok_and(|version| !is_bank(version)) {
        return;
    }
    let anm = match Anm::parse_view(view) {
        Ok(anm) => anm,
        Err(error) => {
            let finding = unreadable(subject, &codes::OUT_OF_BOUNDS, "ANM", &error);
            found.push(finding.spoils_unseen(BEHIND, UNPLAYED));
            return;
        }
    };
    // A skeleton has the same version word.
    if let Err(error) = anm.require_table() {
        let mut finding = unreadable(subject, &codes::OUT_OF_BOUNDS, "ANM", &error);
        finding
            .finding
            .text
            .push_str(": an animation bank's tables follow its header; nothing more is told of this file");
        found.push(finding.spoils_unseen(BEHIND, UNPLAYED));
        return;
    }
    tables(subject, &anm, found);
    for sequence in &anm.sequences {
        names_twice(subject, &anm, anm.tracks_of(sequence).unwrap_or_default(), found);
    }
    let mut budget = KEY_LIMIT;
    let ids: Option<BTreeSet<u16>> = act.map(|act| act.bones.iter().map(|bone| bone.id).collect());
    for (index, track) in anm.tracks.iter().enumerate() {
        let place = track_place(subject, &anm, index);
        if ids.as_ref().is_some_and(|ids| !ids.contains(&track.id)) {
            let text = format!("its id {} is no bone's", track.id);
            found.push(Found::new(&codes::TRACK_WITHOUT_BONE, place.clone(), text, "it moves nothing"));
        }
        let held = held(&anm, track, &mut budget);
        if let Some(keys) = held {
            self::keys((subject, &anm), track, keys, &place, found);
            Turning { anm: &anm, track, keys, place: &place }.check(found);
        }
        values(subject, &anm, track, held.unwrap_or_default(), found);
        interpolation(track, &place, found);
        faults(track, &place, found);
        if let Some(act) = act {
            applied_twice(act, track, &place, found);
        }
    }
}

fn track_place(subject: &Subject, anm: &Anm, index: usize) -> Place {
    let offset = anm.view().base() + anm.tracks[index].offset;
    subject.place("ANM", offset).entry(format!("track {index}"))
}

/// Tables that the file does not hold, and pointers that do not meet them.
fn tables(subject: &Subject, anm: &Anm, found: &mut Vec<Found>) {
    let first = (!anm.sequences.is_empty()).then(|| anm.sequence(0).err()).flatten();
    let sequences = anm.sequences.iter().filter_map(|sequence| anm.tracks_of(sequence).err());
    let tracks = anm.tracks.iter().filter_map(|track| anm.keys_of(track).err());
    let user_data = anm.user_data_bytes().err().map(|error| error.led_by(anm.view().base() + 0x14));
    let problems = anm.problems.iter().cloned().chain(user_data).chain(first).chain(sequences).chain(tracks);
    for problem in problems {
        found.push(
            unreadable(subject, &codes::OUT_OF_BOUNDS, "ANM", &problem).spoils_unseen(BEHIND, UNPLAYED),
        );
    }
}

/// The library takes the first track of a sequence that has a bone's id.
fn names_twice(subject: &Subject, anm: &Anm, tracks: std::ops::Range<usize>, found: &mut Vec<Found>) {
    let mut met = BTreeSet::new();
    for index in tracks {
        let Some(track) = anm.tracks.get(index).filter(|track| !met.insert(track.id)) else { continue };
        let text = format!("an earlier track of the sequence has its id {} too", track.id);
        let place = track_place(subject, anm, index);
        found.push(Found::new(
            &codes::TRACK_WITHOUT_BONE,
            place,
            text,
            "it moves nothing: the first one counts",
        ));
    }
}

/// A track's keys, as far as the budget goes.
fn held<'k>(anm: &'k Anm, track: &Track, budget: &mut usize) -> Option<&'k [Key]> {
    let keys = anm.keys_of(track).ok().and_then(|range| anm.keys.get(range))?;
    let taken = &keys[..keys.len().min(*budget)];
    *budget -= taken.len();
    // A track that the budget leaves nothing of is not one without keys.
    (taken.len() == keys.len() || !taken.is_empty()).then_some(taken)
}

fn keys(
    (subject, anm): (&Subject, &Anm),
    track: &Track,
    keys: &[Key],
    place: &Place,
    found: &mut Vec<Found>,
) {
    let at_key = |key: &Key| {
        let at = subject.place("ANM", anm.view().base() + key.offset);
        place.entry.iter().fold(at, |at, entry| at.entry(entry.clone()))
    };
    let mut report = |place: Place, text: String, help: &str, effect: Effect| {
        found.push(Found::new(&codes::KEY_ORDER, place, text, help).always(effect));
    };
    let sort = "sort the keys by time, the first at 0: the library looks for the last one before the clock";
    // Only when the track is played, which a frame at rest does not.
    let nothing = Effect::Faults(format!(
        "the library finds no key and reads through pointers it never set ({UNPLAYED})"
    ));
    let Some(first) = keys.first() else {
        report(place.clone(), "it has no keys".to_owned(), sort, nothing);
        return;
    };
    let unsorted = |pair: &[Key]| pair[1].time < pair[0].time || pair[1].time.is_nan();
    if first.time > 0.0 || first.time.is_nan() {
        report(at_key(first), format!("its first key lies at {}", first.time), sort, nothing);
    } else if let Some(at) = keys.windows(2).position(unsorted) {
        let (one, other) = (keys[at].time, keys[at + 1].time);
        let wrong =
            Effect::WrongOutput(format!("the library takes other keys than the clock asks for ({UNPLAYED})"));
        report(
            at_key(&keys[at + 1]),
            format!("key {} at {other} follows key {at} at {one}", at + 1),
            sort,
            wrong,
        );
    }
    let last = keys.iter().fold(first.time, |last, key| last.max(key.time));
    let help = "the length is where the clock wraps: the last key's time, or what it takes back to the first";
    if !track.length.is_finite() || track.length < 0.0 {
        let wrong =
            Effect::WrongOutput(format!("the track's clock never comes back to its start ({UNPLAYED})"));
        report(place.clone(), format!("its length is {}", track.length), help, wrong);
    } else if track.length < last {
        let text = format!("its length {} ends before its last key at {last}", track.length);
        let finding = Found::new(&codes::KEY_ORDER, place.clone(), text, help);
        found.push(finding.severity(Severity::Warning).unseen(UNPLAYED));
    }
}

/// Key values and curve data that the file does not hold: the first of a track.
fn values(subject: &Subject, anm: &Anm, track: &Track, keys: &[Key], found: &mut Vec<Found>) {
    let inside = |pointer: u32, size: u64, what: &str| match size {
        0 => Ok(()),
        _ => anm.view().take(pointer.into(), size, what).map(drop),
    };
    let outside = keys.iter().find_map(|key| {
        let setting = inside(key.setting, track.setting_size(), "key frame setting");
        let curve = || inside(key.interpolation, track.interpolation_size(), "key frame interpolation");
        let problem = setting.and_then(|()| curve()).err()?;
        let pointer = if problem.what.ends_with("setting") { 4 } else { 8 };
        let have = format!("{} for the bytes at {:#x}", problem.have, problem.offset);
        let at = anm.view().base() + key.offset + pointer;
        Some(ReadError::new(format!("{} pointer", problem.what), at, problem.want, have))
    });
    if let Some(problem) = outside {
        found.push(
            unreadable(subject, &codes::OUT_OF_BOUNDS, "ANM", &problem).spoils_unseen(BEHIND, UNPLAYED),
        );
    }
    let bare = |at: usize| keys[at].interpolation == 0 && is_on_a_way(track, keys, at);
    let curved = track.interpolation_size() != 0;
    if let Some(at) = (0..keys.len()).find(|&at| curved && bare(at)) {
        let text = format!(
            "key {at} has no interpolation data, and its curve reads {} bytes of them: the pointer is rebased all the \
             same, and the start of the bank is taken for them",
            track.interpolation_size()
        );
        let help = "give every key of the track its data, or choose a curve that needs none";
        let place = subject.place("ANM", anm.view().base() + keys[at].offset + 8);
        let finding = Found::new(&codes::LIBRARY_FAULT, place.field("interpolation"), text, help);
        found.push(finding.spoils_unseen("every vertex that the bone moves", UNPLAYED));
    }
}

/// Whether the clock passes between a key and a neighbour of it: a way takes the outgoing data of the key before it
/// and the incoming data of the key behind it. From the last key it leads back to the first one, as far as the track
/// is longer; on a key itself no data count. [pose.md 6]
fn is_on_a_way(track: &Track, keys: &[Key], at: usize) -> bool {
    let rises = |one: usize| keys.get(one..one + 2).is_some_and(|pair| pair[1].time > pair[0].time);
    let last = keys.len() - 1;
    let closes = (at == 0 || at == last) && track.length > keys[last].time;
    rises(at) || at.checked_sub(1).is_some_and(rises) || closes
}

fn interpolation(track: &Track, place: &Place, found: &mut Vec<Found>) {
    if track.quantization.value_type().is_none() {
        let text = format!("quantize byte {:#04x} has an unknown number type", track.quantization.0);
        let help = "the high nibble is one of 0 u8, 1 s8, 2 u16, 3 s16, 4 f32";
        let place = place.clone().field("quantize");
        found.push(Found::new(&codes::QUANTIZE_UNKNOWN, place, text, help).unseen(UNPLAYED));
    }
    let unknown = match track.rotation_curve() {
        RotationCurve::Unknown(code) => Some(format!("rotation interpolation {code}")),
        RotationCurve::Euler(VectorCurve::Hermite) => {
            Some("Hermite interpolation of Euler angles".to_owned())
        }
        _ => None,
    };
    let turns = !track.has(MATRIX) && track.has(EULER | QUATERNION);
    if let Some(what) = unknown.filter(|_| turns) {
        let text = format!("{what}, on which the library stops");
        let help = "Euler angles: 0 none, 1 linear, 2 Bezier; quaternions: 0 none, 4 squad, 5 squad with ease, 6 slerp";
        let place = place.clone().field("interpolation");
        let stops = Effect::Faults(format!("the library stops when it plays the track ({UNPLAYED})"));
        found.push(Found::new(&codes::INTERPOLATION_UNKNOWN, place, text, help).always(stops));
    }
}

/// Tracks on which a fault of the library shows.
fn faults(track: &Track, place: &Place, found: &mut Vec<Found>) {
    let mut report = |text: String, help: &str| {
        found.push(Found::new(&codes::LIBRARY_FAULT, place.clone(), text, help).unseen(UNPLAYED));
    };
    if track.has(MATRIX) && track.quantization.scale() != 1.0 {
        let text = format!(
            "its matrix is multiplied by {} where it lies, every time it is used: it shrinks to nothing",
            track.quantization.scale()
        );
        report(text, "matrix tracks want shift 0");
    }
    if track.has(MATRIX) && track.key_count > 1 {
        let text = "its clock stands still, as that of every matrix track: only the key at its start is used";
        report(text.to_owned(), "animate components, or give the track one key");
    }
    if track.has(EULER) && track.has(QUATERNION) && !track.has(MATRIX) {
        let text = "it has Euler angles and a quaternion: the quaternion is read where the angles lie, and the \
                    translation behind both";
        report(text.to_owned(), "keep one of the two");
    }
}
