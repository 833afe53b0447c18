//! The skeleton's tree and controls, and the animation bank beside it.

use super::codes;
use super::container::{BEHIND, unreadable};
use super::found::Found;
use super::subject::Subject;
use super::{animation, faults};
use crate::c3::format::act::{Act, Control, Visit, control};
use crate::c3::format::block::SectionKind;
use crate::finding::{Effect, Place, Severity};

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let act = match subject.model.act.map(Act::parse_view) {
        Some(Err(error)) => {
            let kind = subject.model.block.is_some().then(|| SectionKind::Act.header_offset());
            let error = kind.map_or(error.clone(), |pointer| error.led_by(pointer));
            found.push(unreadable(subject, &codes::OUT_OF_BOUNDS, "ACT", &error).spoils(BEHIND));
            None
        }
        act => act.and_then(Result::ok),
    };
    if let Some(act) = &act {
        // Controls are told with their bone.
        for problem in act.problems.iter().filter(|problem| problem.what != "control record") {
            let finding = unreadable(subject, &codes::OUT_OF_BOUNDS, "ACT", problem);
            // So many bones the tree has not.
            let stops = problem.what == "bone table" && act.walk().is_err();
            found.push(if stops { finding.always(wrong_count()) } else { finding });
        }
        header_pointers(subject, act, found);
        tree(subject, act, found);
        controls(subject, act, found);
        faults::check(subject, act, found);
    }
    animation::check(subject, act.as_ref(), found);
}

/// What the header points at: the palette's name and the user data.
fn header_pointers(subject: &Subject, act: &Act, found: &mut Vec<Found>) {
    let base = act.view().base();
    let pointed = [(act.palette_name().map(drop), 0x10), (act.user_data_bytes().map(drop), 0x1C)];
    for (read, pointer) in pointed {
        if let Err(error) = read {
            let error = error.led_by(base + pointer);
            found.push(unreadable(subject, &codes::OUT_OF_BOUNDS, "ACT", &error).spoils(BEHIND));
        }
    }
}

/// What a walk that finds another number of bones than the header's is about.
const BONE_COUNT: &str = "bone count";

/// What the library does with a skeleton whose tree has another number of bones.
fn wrong_count() -> Effect {
    Effect::Faults("the library stops: the number of bones is not that of the header".to_owned())
}

/// How many records of the table are bones: where the header counts more than the tree reaches, what follows the
/// last bone of the tree is something else.
pub(super) fn bones_of_tree(act: &Act) -> usize {
    if !act.walk().is_err_and(|error| error.what == BONE_COUNT) {
        return act.bones.len();
    }
    let mut met = vec![false; act.bones.len()];
    let mut links = vec![act.header.root];
    while let Some(record) = links.pop() {
        let Some(record) = act.record_at(record) else { continue };
        if !std::mem::replace(&mut met[record], true) {
            links.extend([act.bones[record].next, act.bones[record].children]);
        }
    }
    met.iter().rposition(|met| *met).map_or(0, |last| last + 1)
}

pub(super) fn bone_place(subject: &Subject, act: &Act, record: usize) -> Place {
    let offset = act.view().base() + act.bones.get(record).map_or(0, |bone| bone.offset);
    subject.place("ACT", offset).entry(format!("bone {record}"))
}

fn tree(subject: &Subject, act: &Act, found: &mut Vec<Found>) {
    let visits = match act.walk() {
        Ok(visits) => visits,
        Err(error) => {
            let (code, effect) = if error.what == BONE_COUNT {
                (&codes::BONE_COUNT, wrong_count())
            } else {
                let lost = "the walk over the tree leaves the skeleton, or does not end";
                (&codes::TREE_LINK, Effect::Faults(lost.to_owned()))
            };
            found.push(unreadable(subject, code, "ACT", &error).always(effect));
            return;
        }
    };
    numbering(subject, act, &visits, found);
    for visit in &visits {
        let parent = visit.parent.map_or(0, |parent| act.bones[visits[parent].record].offset);
        let bone = &act.bones[visit.record];
        if u64::from(bone.parent) != parent {
            let text = format!("its parent link is {:#x}, the tree puts it under {parent:#x}", bone.parent);
            back_link(subject, act, visit.record, "parent", text, found);
        }
        let next = act.record_at(bone.next).map(|record| (record, act.bones[record].previous));
        if let Some((next, previous)) = next.filter(|&(_, previous)| u64::from(previous) != bone.offset) {
            let text =
                format!("its link back is {previous:#x}, the one before it lies at {:#x}", bone.offset);
            back_link(subject, act, next, "previous", text, found);
        }
        let child = act.record_at(bone.children).map(|record| (record, act.bones[record].previous));
        if let Some((child, previous)) = child.filter(|&(_, previous)| previous != 0) {
            let text = format!("its link back is {previous:#x}, it is the first child");
            back_link(subject, act, child, "previous", text, found);
        }
    }
}

/// The three numbers of a bone: its record's, its place in the tree, its id. The library of loose files counts
/// along the tree and gives ids to tracks alone; the game that reads blocks may count by id. \[formats.md 1.5\]
fn numbering(subject: &Subject, act: &Act, visits: &[Visit], found: &mut Vec<Found>) {
    let differs = |(place, visit): &(usize, &Visit)| {
        let id = usize::from(act.bones[visit.record].id);
        visit.record != *place || (subject.model.block.is_some() && id != *place)
    };
    let Some((place, visit)) = visits.iter().enumerate().find(differs) else { return };
    let id = act.bones[visit.record].id;
    let text = format!("record {} is number {place} of the tree, and its id is {id}", visit.record);
    let help =
        "append bones so that table, tree and ids agree: which one numbers bones in Super Sluggers is open";
    found.push(Found::new(&codes::BONE_ORDER, bone_place(subject, act, visit.record), text, help));
}

/// A link that only points back: the library computes it anew.
fn back_link(subject: &Subject, act: &Act, record: usize, field: &str, text: String, found: &mut Vec<Found>) {
    let help =
        "link every bone back to its parent and the sibling before it; the library computes these anew";
    let place = bone_place(subject, act, record).field(field);
    found.push(Found::new(&codes::TREE_LINK, place, text, help).severity(Severity::Warning));
}

fn controls(subject: &Subject, act: &Act, found: &mut Vec<Found>) {
    for (record, bone) in act.bones.iter().enumerate().take(bones_of_tree(act)) {
        let Ok(control) = act.control(bone) else {
            let (at, length) = (bone.control, act.view().len());
            let text = format!(
                "its control: want {:#x} bytes at {at:#x}, have a section of {length:#x} bytes",
                control::SIZE
            );
            let help = "point the bone at its control; 0 is none";
            let place = bone_place(subject, act, record).field("control");
            let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help);
            found.push(finding.spoils("the bone's transform is read from what lies there"));
            continue;
        };
        unknown_bits(subject, act, record, &control, found);
        no_rotation(subject, act, record, &control, found);
        let ignored = ignored(&control);
        if !ignored.is_empty() {
            let text = format!(
                "its {} values are set, and its type {} leaves them out",
                ignored.join(" and "),
                control.bits
            );
            let help = "set the type bit, or clear the values";
            let place = bone_place(subject, act, record).field("control");
            found.push(Found::new(&codes::CONTROL_IGNORED, place, text, help));
        }
    }
}

/// Type bits that the library does not know, or that others rule out.
fn unknown_bits(subject: &Subject, act: &Act, record: usize, value: &Control, found: &mut Vec<Found>) {
    let known =
        control::SCALE | control::EULER | control::QUATERNION | control::TRANSLATION | control::MATRIX;
    let text = if value.bits & !known == control::SCALE_AXES {
        "type bit 0x20 turns the axes of the scale in a later library; this one leaves it out".to_owned()
    } else if value.bits & !known != 0 {
        format!("type {:#04x} has bits that no library knows", value.bits)
    } else if value.has(control::MATRIX) && value.bits != control::MATRIX {
        format!("type {:#04x} has a matrix, which rules its other bits out", value.bits)
    } else if value.has(control::EULER) && value.has(control::QUATERNION) {
        format!("type {:#04x} has Euler angles and a quaternion: the quaternion counts", value.bits)
    } else {
        return;
    };
    let help = "leave the bit out, and its component with it";
    let place = bone_place(subject, act, record).field("control");
    found.push(Found::new(&codes::CONTROL_IGNORED, place, text, help));
}

/// A quaternion of length zero, by whose square everything is divided, and values that are no numbers.
fn no_rotation(subject: &Subject, act: &Act, record: usize, value: &Control, found: &mut Vec<Found>) {
    let turned = value.has(control::QUATERNION) && !value.has(control::MATRIX);
    let text = if turned && value.quaternion() == [0.0; 4] {
        "its quaternion is 0: divided by the square of its length, it makes no matrix"
    } else if used(value).iter().any(|cell| !cell.is_finite()) {
        "its control holds a value that is no finite number"
    } else {
        return;
    };
    let help = "a bone that does not turn has the quaternion 0, 0, 0, 1, or leaves its type bit clear";
    found.push(Found::new(&codes::NAN_MATRIX, bone_place(subject, act, record).field("control"), text, help));
}

/// The values of a control that its type asks for.
fn used(value: &Control) -> Vec<f32> {
    if value.has(control::MATRIX) {
        return value.matrix().concat();
    }
    let mut used = Vec::new();
    let parts: [(u8, &[f32]); 4] = [
        (control::SCALE, &value.scale()),
        (control::EULER, &value.euler()),
        (control::QUATERNION, &value.quaternion()),
        (control::TRANSLATION, &value.translation()),
    ];
    for (bit, cells) in parts.into_iter().filter(|(bit, _)| value.has(*bit)) {
        // Of both kinds of rotation the quaternion counts.
        if bit != control::EULER || !value.has(control::QUATERNION) {
            used.extend_from_slice(cells);
        }
    }
    used
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
        ignored.push("scale");
    }
    let turns = value.has(control::EULER) || value.has(control::QUATERNION);
    if !turns && says(&value.quaternion(), &[0.0, 0.0, 0.0, 1.0]) {
        ignored.push("rotation");
    }
    if !value.has(control::TRANSLATION) && says(&value.translation(), &[0.0; 3]) {
        ignored.push("translation");
    }
    ignored
}
