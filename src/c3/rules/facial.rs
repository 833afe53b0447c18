//! Facial poses: counts, runs, and where their values land.

use std::collections::BTreeSet;
use std::ops::Range;

use super::codes;
use super::container::{BEHIND, unreadable};
use super::destinations::slot_words;
use super::found::Found;
use super::landing::{Halves, landings, strays};
use super::subject::Subject;
use crate::bytes::ReadError;
use crate::c3::format::block::SectionKind;
use crate::c3::format::facial::{Attribute, Facial, NORMALS, POSITIONS, Run, SUPPLEMENTS};
use crate::c3::format::skn::{EntryField, STRIDE};
use crate::finding::{Place, Severity};

/// Why frames show nothing of these rules.
pub(super) const UNPOSED: &str = "no frame of a check poses the face";
/// What poses do whose runs or tables are not what their counts say.
const DISPLACED: &str = "poses move other vertices than they are meant for";
/// What poses of vertices do that are not there.
const ELSEWHERE: &str = "poses are written into other data";

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(view) = subject.model.facial else { return };
    let facial = match Facial::parse_view(view) {
        Ok(facial) => facial,
        Err(error) => {
            let error = error.led_by(SectionKind::Facial.header_offset());
            found.push(
                unreadable(subject, &codes::FACIAL_COUNT, "facial", &error).spoils_unseen(BEHIND, UNPOSED),
            );
            return;
        }
    };
    for problem in &facial.problems {
        let code = if is_of_runs(problem) { &codes::FACIAL_RUN_LIST } else { &codes::FACIAL_COUNT };
        found.push(unreadable(subject, code, "facial", problem).spoils_unseen(DISPLACED, UNPOSED));
    }
    let most = facial.objects.iter().map(|object| object.pose_count).max().unwrap_or(0);
    if most != facial.header.max_poses {
        let text =
            format!("the header says {} poses at most, the objects have {most}", facial.header.max_poses);
        let help = "write the largest pose count of any object";
        let place = subject.place("facial", view.base());
        found.push(Found::new(&codes::FACIAL_COUNT, place, text, help).unseen(UNPOSED));
    }
    let runs_are_held = !facial.problems.iter().any(is_of_runs);
    for (number, object) in facial.objects.iter().enumerate() {
        for (index, attribute) in object.attributes.iter().enumerate() {
            let place = subject.place("facial", view.base() + attribute.offset);
            let place = place.entry(format!("object {number} attribute {index}"));
            components(attribute, runs_are_held, &place, found);
            values(subject, &facial, attribute, &place, found);
            indices(subject, attribute, &place, found);
        }
    }
    off_mirror(subject, &facial, found);
}

/// Whether a read that failed was one of a run list.
fn is_of_runs(problem: &ReadError) -> bool {
    problem.what.starts_with("facial run")
}

fn components(attribute: &Attribute, runs_are_held: bool, place: &Place, found: &mut Vec<Found>) {
    if attribute.kind == SUPPLEMENTS {
        let text = "kind 0 supplements SKAcc entries; what it moves is not known, and it is not run";
        let help = "nothing to mend: known models have such attributes";
        let finding = Found::new(&codes::FACIAL_COMPONENT, place.clone(), text, help);
        found.push(finding.severity(Severity::Note).unseen(UNPOSED));
    } else if !matches!(attribute.kind, POSITIONS | NORMALS)
        || (attribute.components, attribute.width) != (3, 2)
    {
        let text = format!(
            "kind {}, {} components of {} bytes",
            attribute.kind, attribute.components, attribute.width
        );
        let help = "want kind 1 (positions) or 2 (normals), 3 components of 2 bytes";
        let finding = Found::new(&codes::FACIAL_COMPONENT, place.clone(), text, help);
        found.push(finding.spoils_unseen("values of poses are read with another size", UNPOSED));
    }
    let sum: u64 = attribute.runs.iter().map(|run| u64::from(run.length)).sum();
    if runs_are_held && sum != u64::from(attribute.entries) {
        let text = format!("its runs have {sum} vertices in all, its count is {}", attribute.entries);
        let help = "write runs that add up to the count";
        let finding = Found::new(&codes::FACIAL_RUN_LIST, place.clone().field("runs"), text, help);
        found.push(finding.spoils_unseen(DISPLACED, UNPOSED));
    }
}

/// Values that the section does not hold whole.
fn values(subject: &Subject, facial: &Facial, attribute: &Attribute, entry: &Place, found: &mut Vec<Found>) {
    let size = u64::from(attribute.components) * u64::from(attribute.width) * u64::from(attribute.entries);
    let length = facial.view().len();
    for (pose, &start) in attribute.poses.iter().enumerate().filter(|(_, start)| **start != 0) {
        if u64::from(start) + size > length {
            let text = format!(
                "pose {pose}: want {size:#x} bytes at {start:#x} of the facial section, which has {length:#x}"
            );
            let help = "correct the pointer or the count";
            let pointer = facial.view().base() + attribute.pose_pointer(pose);
            let mut place = subject.place("facial", pointer).field(format!("pose {pose}"));
            place.entry.clone_from(&entry.entry);
            let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help);
            found.push(finding.spoils_unseen(BEHIND, UNPOSED));
        }
    }
}

fn indices(subject: &Subject, attribute: &Attribute, place: &Place, found: &mut Vec<Found>) {
    let Some(gpl) = subject.gpl() else { return };
    let submesh = gpl.submeshes.get(usize::from(attribute.submesh));
    let Some(submesh) = submesh else {
        let text = format!("submesh {} of {}", attribute.submesh, gpl.submeshes.len());
        let help = "name a submesh that exists";
        let finding = Found::new(&codes::FACIAL_INDEX, place.clone().field("submesh"), text, help);
        found.push(finding.spoils_unseen(ELSEWHERE, UNPOSED));
        return;
    };
    let count =
        submesh.layout.as_ref().and_then(|layout| layout.position).map_or(0, |position| position.count);
    let end =
        attribute.runs.iter().map(|run| u32::from(run.first) + u32::from(run.length)).max().unwrap_or(0);
    if end > u32::from(count) {
        let text = format!("vertex {} of a submesh with {count}", end - 1);
        let help = "correct the runs";
        let finding = Found::new(&codes::FACIAL_INDEX, place.clone().field("runs"), text, help);
        found.push(finding.spoils_unseen(ELSEWHERE, UNPOSED));
    }
}

/// The vertices of some runs, each looked at once however many runs hold it.
fn vertices(runs: impl Iterator<Item = Run>) -> BTreeSet<u64> {
    let mut runs: Vec<Range<u64>> = runs
        .map(|run| (u64::from(run.first), u64::from(run.length)))
        .map(|(first, length)| first..first + length)
        .collect();
    runs.sort_unstable_by_key(|run| run.start);
    let mut vertices = BTreeSet::new();
    let mut next = 0;
    for run in runs {
        vertices.extend(run.start.max(next)..run.end);
        next = run.end.max(next);
    }
    vertices
}

/// The vertices of the skinned submesh that facial poses move.
pub(super) fn moved(subject: &Subject) -> BTreeSet<u64> {
    let facial = subject.model.facial.and_then(|view| Facial::parse_view(view).ok());
    facial.map(|facial| moved_of(subject, &facial)).unwrap_or_default()
}

fn moved_of(subject: &Subject, facial: &Facial) -> BTreeSet<u64> {
    moved_by(subject, facial, |_| true)
}

/// The runs of attributes of the skinned submesh.
fn runs_of<'f>(subject: &Subject, facial: &'f Facial) -> impl Iterator<Item = Run> + 'f {
    let skinned = subject.gpl().and_then(|gpl| gpl.skinned()).map(|(skinned, ..)| skinned.index);
    let attributes = facial.objects.iter().flat_map(|object| &object.attributes);
    let attributes = attributes.filter(move |attribute| Some(u32::from(attribute.submesh)) == skinned);
    attributes.flat_map(|attribute| attribute.runs.iter().copied())
}

/// Place of the first run that holds a vertex of the skinned submesh.
fn run_place(subject: &Subject, facial: &Facial, vertex: u64) -> Place {
    let skinned = subject.gpl().and_then(|gpl| gpl.skinned()).map(|(skinned, ..)| skinned.index);
    let attributes = facial.objects.iter().flat_map(|object| &object.attributes);
    let mut attributes = attributes.filter(|attribute| Some(u32::from(attribute.submesh)) == skinned);
    let run = attributes.find_map(|attribute| {
        let holds = |run: &Run| {
            let first = u64::from(run.first);
            (first..first + u64::from(run.length)).contains(&vertex)
        };
        Some(u64::from(attribute.runs_at) + 4 * attribute.runs.iter().position(holds)? as u64)
    });
    subject.place("facial", facial.view().base() + run.unwrap_or(0)).vertex(vertex as u32)
}

/// The vertices that poses of some kinds move.
fn moved_by(subject: &Subject, facial: &Facial, takes: impl Fn(u8) -> bool) -> BTreeSet<u64> {
    let Some((skinned, ..)) = subject.gpl().and_then(|gpl| gpl.skinned()) else { return BTreeSet::new() };
    let attributes = facial.objects.iter().flat_map(|object| &object.attributes);
    let attributes = attributes.filter(|attribute| u32::from(attribute.submesh) == skinned.index);
    let attributes = attributes.filter(|attribute| takes(attribute.kind));
    vertices(attributes.flat_map(|attribute| attribute.runs.iter().copied()))
}

/// Poses of the skinned submesh are written to the mirror of the position array: there must be the
/// source record of the vertex. \[seed 003\]
fn off_mirror(subject: &Subject, facial: &Facial, found: &mut Vec<Found>) {
    let moved = moved_of(subject, facial);
    for landing in landings(subject, &moved).iter().filter(|landing| landing.off_by() != 0) {
        let first = landing.slots[0];
        let mut text = format!(
            "facial poses move {} of its vertices: vertex {first} is read from {:#x}, poses are written to {:#x}, {}",
            landing.slots.len(),
            landing.read_from,
            landing.written_to,
            landing.off_by_words()
        );
        if !landing.reached.is_empty() {
            text.push_str(": over ");
            text.push_str(&landing.reached.join(", "));
        }
        let help = "lay sources out on the mirror, gaps included";
        let place = subject.field_place(landing.entry, EntryField::Source).vertex(first as u32);
        found.push(
            Found::new(&codes::FACIAL_OFF_MIRROR, place, text, help).spoils_unseen(landing.damage(), UNPOSED),
        );
    }
    no_record(subject, facial, &moved, found);
}

/// Poses of slots that no SK1 or SK2 entry reads. Where nothing is drawn and nothing lies, they do no harm.
fn no_record(subject: &Subject, facial: &Facial, moved: &BTreeSet<u64>, found: &mut Vec<Found>) {
    let drawn = |slot: u64| subject.coverage.used.get(slot as usize).is_some_and(|bit| *bit);
    let halves = Halves {
        positions: moved_by(subject, facial, |kind| kind != NORMALS),
        normals: moved_by(subject, facial, |kind| kind != POSITIONS),
    };
    for stray in strays(subject, moved, &halves) {
        let shown = stray.slots.clone().filter(|&slot| drawn(slot)).count();
        let slots = slot_words(&stray.slots);
        if shown == 0 && stray.reached.is_empty() {
            // Runs may go on over the slots between two entries; of vertices that the submesh does not have, their
            // number is told.
            let is_meant = runs_of(subject, facial).any(|run| {
                let first = u64::from(run.first);
                run.length != 0
                    && stray.slots.start <= first
                    && first + u64::from(run.length) <= stray.slots.end
            });
            if is_meant && stray.slots.start * STRIDE < subject.stored_bytes() {
                let text =
                    format!("facial poses move {slots}, which no SK1 or SK2 entry reads and nothing draws");
                let help = "take them out of the runs, or name the vertices that were meant";
                let place = run_place(subject, facial, stray.slots.start);
                let finding = Found::new(&codes::FACIAL_OFF_MIRROR, place, text, help);
                found.push(finding.severity(Severity::Warning).harmless());
            }
            continue;
        }
        let mut text = format!(
            "facial poses move {slots}, which no SK1 or SK2 entry reads: {:#x} is written",
            stray.written_to
        );
        let mut damage = format!("facial poses of {slots} move no vertex");
        if !stray.reached.is_empty() {
            let reached = stray.reached.join(", ");
            text = format!("{text}, over {reached}");
            damage = format!("{damage}, and are written over {reached}");
        }
        let help = "let an SK1 or SK2 entry hold the records of vertices that poses move";
        let place = run_place(subject, facial, stray.slots.start);
        found.push(Found::new(&codes::FACIAL_OFF_MIRROR, place, text, help).spoils_unseen(damage, UNPOSED));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_overlap_are_taken_apart() {
        let run = |first, length| Run { first, length };
        let held: Vec<u64> =
            vertices([run(7, 3), run(0, 2), run(1, 4), run(8, 1)].into_iter()).into_iter().collect();
        assert_eq!(held, [0, 1, 2, 3, 4, 7, 8, 9]);
        let all = vertices(std::iter::repeat_n(run(u16::MAX, u16::MAX), 100_000));
        assert_eq!(all.len(), usize::from(u16::MAX));
    }
}
