//! Bones that entries name, and submeshes that bones own.

use std::collections::{BTreeMap, BTreeSet};

use super::codes;
use super::found::Found;
use super::skeleton::bones_of_tree;
use super::subject::Subject;
use crate::c3::format::act::{Act, Bone, NO_OBJECT};
use crate::c3::format::gpl::Layout;
use crate::c3::format::skn::{EntryField, EntryId, List, Skn};
use crate::c3::model::Model;
use crate::c3::poses::bones_named;
use crate::finding::Effect;

/// Why frames show nothing of these rules.
const SKIN_ALONE: &str = "a frame of the skin alone does not show what the game does with such a bone";

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let entries = entry_bones(subject);
    let act = act(subject.model);
    out_of_range(subject, act.as_ref(), &entries, found);
    if let Some(act) = &act {
        owning_bones(subject, act, &entries, found);
        owners(subject, act, found);
    }
    if let Some(donor) = subject.donor {
        not_in_donor(subject, donor, &entries, found);
    }
    if let (Some(act), Some(high)) = (&act, subject.lod_of.and_then(self::act)) {
        missing_in_high(subject, act, &high, &entries, found);
    }
}

fn act<'a>(model: &Model<'a>) -> Option<Act<'a>> {
    Act::parse_view(model.act?).ok()
}

/// The records of the bones in the order of the bone array: table order in blocks, the order of the walk
/// in loose files. \[open for Super Sluggers\]
pub(super) fn array<'a>(act: &'a Act, in_block: bool) -> Vec<&'a Bone> {
    match act.walk() {
        Ok(visits) if !in_block => visits.iter().map(|visit| &act.bones[visit.record]).collect(),
        _ => act.bones.iter().collect(),
    }
}

/// The bones of every entry.
fn entry_bones(subject: &Subject) -> Vec<(EntryId, BTreeSet<u16>)> {
    let direct = subject.direct.iter().map(|entry| (entry.id, entry.bones.into()));
    let skacc = subject.skn().into_iter().flat_map(|skn| skn.skacc.iter().zip(0..));
    let skacc = skacc.map(|(entry, index)| (EntryId { list: List::SkAcc, index }, [entry.bone].into()));
    direct.chain(skacc).collect()
}

/// `bone 3`, `bones 3 and 9`.
fn bones_words(bones: &[u16]) -> String {
    match bones {
        [one] => format!("bone {one}"),
        _ => format!("bones {}", bones.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")),
    }
}

fn out_of_range(
    subject: &Subject,
    act: Option<&Act>,
    entries: &[(EntryId, BTreeSet<u16>)],
    found: &mut Vec<Found>,
) {
    // Without a skeleton, a frame has as many bones as a character can.
    let count = act.map_or_else(|| bones_named(subject.model), |act| act.header.bone_count.into());
    // A skeleton of no bone is the one thing told: the library stops at its count.
    if act.is_some() && count == 0 {
        return;
    }
    for (id, bones) in entries {
        let outside: Vec<u16> = bones.iter().copied().filter(|&bone| usize::from(bone) >= count).collect();
        if outside.is_empty() {
            continue;
        }
        let bones = bones_words(&outside);
        let text = match act {
            Some(_) => format!("it uses {bones} of a skeleton of {count}"),
            None => format!("it uses {bones}, and there is no skeleton: the frame has {count} bones"),
        };
        let help = format!("use bones 0 to {}, or append bones to the skeleton", count.saturating_sub(1));
        let place = subject.field_place(*id, EntryField::Bone);
        let finding = Found::new(&codes::BONE_OUT_OF_RANGE, place, text, help).entry(*id);
        let reads = Effect::Faults("the matrix is read through what lies behind the bone array".to_owned());
        found.push(finding.slots(super::entry_slots(subject, *id)).always(reads).not_decisive());
    }
}

fn owning_bones(subject: &Subject, act: &Act, entries: &[(EntryId, BTreeSet<u16>)], found: &mut Vec<Found>) {
    let array = array(act, subject.model.block.is_some());
    let owned =
        |bone: &&u16| array.get(usize::from(**bone)).is_some_and(|bone| bone.display_object != NO_OBJECT);
    for (id, bones) in entries {
        let owning: Vec<u16> = bones.iter().filter(owned).copied().collect();
        if owning.is_empty() {
            continue;
        }
        let text = format!(
            "it uses {}, which own{} a submesh",
            bones_words(&owning),
            if owning.len() == 1 { "s" } else { "" }
        );
        let help = "no known model skins to a bone that owns a submesh; append a bone without one";
        let place = subject.field_place(*id, EntryField::Bone);
        // Models were seen invisible or misplaced. [seed 003]
        found.push(Found::new(&codes::BONE_OWNS_MESH, place, text, help).unseen(SKIN_ALONE));
    }
}

/// Who owns each submesh: the "GEO ID" of the bone records.
fn owners(subject: &Subject, act: &Act, found: &mut Vec<Found>) {
    let Some(gpl) = subject.gpl() else { return };
    let mut owners: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    // What is no bone owns nothing, though it may have been one.
    let mut lost = BTreeSet::new();
    let bones = bones_of_tree(act);
    for (index, bone) in act.bones.iter().enumerate().filter(|(_, bone)| bone.display_object != NO_OBJECT) {
        if index < bones {
            owners.entry(bone.display_object).or_default().push(index);
        } else {
            lost.insert(u32::from(bone.display_object));
        }
    }
    let place = |record: usize| {
        let offset = act.view().base() + act.bones.get(record).map_or(0, |bone| bone.offset + 0x14);
        subject.place("ACT", offset).entry(format!("bone {record}"))
    };
    let count = gpl.submeshes.len();
    for (&object, records) in owners.range(u16::try_from(count).unwrap_or(u16::MAX)..) {
        let text = format!("it owns submesh {object} of {count}");
        let help = "correct the GEO ID; 0xFFFF is none";
        let follows = Effect::Faults("the game follows a descriptor behind the table".to_owned());
        found.push(Found::new(&codes::GEO_OUT_OF_RANGE, place(records[0]), text, help).always(follows));
    }
    let skinned = gpl.skinned().map(|(submesh, ..)| submesh.index);
    for submesh in &gpl.submeshes {
        let records = u16::try_from(submesh.index).ok().and_then(|index| owners.get(&index));
        let index = submesh.index;
        match (records.map(Vec::as_slice), skinned == Some(index)) {
            (Some([record, ..]), true) => {
                let text = format!("it owns submesh {index}, which is skinned");
                let help = "set the GEO ID to 0xFFFF: the skinned submesh follows its own matrices";
                found.push(Found::new(&codes::GEO_OWNS_SKINNED, place(*record), text, help));
            }
            // Only a rigid submesh is drawn by the bone that owns it.
            (None, false) if lost.contains(&index) => {}
            (None, false) if submesh.layout.as_ref().is_some_and(is_rigid) => {
                let text = format!(
                    "no bone owns submesh {index}: the game reads through a null pointer when it loads"
                );
                let help = "set one bone's GEO ID to the submesh";
                let place = subject.gpl_place(submesh.offset).entry(format!("submesh {index}"));
                let finding = Found::new(&codes::GEO_UNOWNED, place, text, help);
                let dolphin = Effect::Faults("Invalid read from 0x00000008, PC = 0x804ff694".to_owned());
                let console = Effect::Faults("reads 0x00000008, where nothing is".to_owned());
                found.push(finding.always_on(dolphin, console));
            }
            (Some([first, second, ..]), false) => {
                let text = format!("bones {first} and {second} both own submesh {index}");
                let help = "leave the submesh to one bone";
                found.push(Found::new(&codes::GEO_OWNED_TWICE, place(*second), text, help));
            }
            _ => {}
        }
    }
}

/// Component count of a submesh that a bone must own. \[formats.md 3.4\]
const OWNED_COMPONENTS: u8 = 3;

/// Whether a layout's submesh must have an owner, as far as its positions can be read. One without positions has no
/// component count that would tell it apart.
fn is_rigid(layout: &Layout) -> bool {
    layout.position.map_or(layout.pointers[0] == 0, |position| position.components == OWNED_COMPONENTS)
}

/// The bones that a skin uses.
fn skin_bones(skn: &Skn) -> BTreeSet<u16> {
    let one = skn.sk1.iter().map(|entry| entry.bone);
    let two = skn.sk2.iter().flat_map(|entry| entry.bones);
    one.chain(two).chain(skn.skacc.iter().map(|entry| entry.bone)).collect()
}

fn not_in_donor(
    subject: &Subject,
    donor: &Model,
    entries: &[(EntryId, BTreeSet<u16>)],
    found: &mut Vec<Found>,
) {
    let Some(skn) = &donor.skn else { return };
    let skinned = skin_bones(skn);
    let appended = act(donor).map_or(u16::MAX, |act| act.header.bone_count);
    for (id, bones) in entries {
        let other: Vec<u16> =
            bones.iter().copied().filter(|bone| !skinned.contains(bone) && *bone < appended).collect();
        if other.is_empty() {
            continue;
        }
        let text = format!("it uses {}, which the donor's skin does not", bones_words(&other));
        let help = "move the weights to the nearest ancestor that the donor skins, or to an appended bone";
        let place = subject.field_place(*id, EntryField::Bone);
        found.push(Found::new(&codes::BONE_NOT_IN_DONOR_SKIN, place, text, help).unseen(SKIN_ALONE));
    }
}

/// What becomes of vertices that such a bone moves.
const NO_MATRIX: &str = "what the bone moves: its matrix is never built";

/// A low-detail model borrows the high-detail one's bones.
fn missing_in_high(
    subject: &Subject,
    low: &Act,
    high: &Act,
    entries: &[(EntryId, BTreeSet<u16>)],
    found: &mut Vec<Found>,
) {
    let ids: BTreeSet<u16> = high.bones.iter().map(|bone| bone.id).collect();
    let array = array(low, subject.model.block.is_some());
    let has = |bone: u16| array.get(usize::from(bone)).is_none_or(|bone| ids.contains(&bone.id));
    for (id, bones) in entries {
        let missing: Vec<u16> = bones.iter().copied().filter(|&bone| !has(bone)).collect();
        if !missing.is_empty() {
            let text = format!("it uses {}, which the high-detail model lacks", bones_words(&missing));
            let help = "append the bone to the high-detail model too";
            let place = subject.field_place(*id, EntryField::Bone);
            found.push(Found::new(&codes::LOD_BONE_MISSING, place, text, help).spoils(NO_MATRIX));
        }
    }
    for (index, bone) in low.bones.iter().enumerate() {
        if bone.display_object != NO_OBJECT && !ids.contains(&bone.id) {
            let text = format!(
                "it owns submesh {}, and the high-detail model has no bone {}",
                bone.display_object, bone.id
            );
            let help = "append the bone to the high-detail model too";
            let place = subject.place("ACT", low.view().base() + bone.offset);
            let place = place.entry(format!("bone {index}"));
            found.push(Found::new(&codes::LOD_BONE_MISSING, place, text, help).spoils(NO_MATRIX));
        }
    }
}
