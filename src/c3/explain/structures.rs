//! Which entries' writes reach what the display code reads in every frame, in the order in which it does.

use std::ops::Range;

use super::access::Access;
use super::candidates::{Candidate, Fit};
use crate::c3::format::gpl::{Gpl, ReadWhen, Structure, StructureKind, Submesh};
use crate::c3::format::skn::EntryId;
use crate::c3::rules::effects::DryRun;
use crate::c3::rules::subject::{Direct, Subject};

/// The list pointer of a display state that draws a list.
struct ListPointer {
    submesh: u32,
    state: u16,
    /// Its bytes in the GPL.
    field: Range<u64>,
    /// Whether the file has none.
    is_null: bool,
    size: u32,
}

/// The pointers that the display code reads through, in its order.
fn list_pointers(gpl: &Gpl) -> Vec<ListPointer> {
    let of_submesh = |submesh: &Submesh| {
        let index = submesh.index;
        let display = submesh.layout.as_ref().and_then(|layout| layout.display.as_ref());
        let states = display.map(|display| display.states.clone()).unwrap_or_default();
        (0..).zip(states).filter(|(_, state)| state.list_size != 0).map(move |(number, state)| ListPointer {
            submesh: index,
            state: number,
            field: state.offset + 8..state.offset + 12,
            is_null: state.primitive_list == 0,
            size: state.list_size,
        })
    };
    gpl.submeshes.iter().flat_map(of_submesh).collect()
}

/// The first state that draws a list and has no pointer to one, in words.
pub(super) fn null_in_the_file(gpl: &Gpl) -> Option<String> {
    let pointers = list_pointers(gpl);
    let ListPointer { submesh, state, size, .. } = pointers.into_iter().find(|pointer| pointer.is_null)?;
    Some(format!(
        "The file itself has the null pointer: state {state} of submesh {submesh} draws a list of {size:#x} bytes and \
         points to none."
    ))
}

/// Entries that changed structures: those that can have caused a fault of the display code, and those that only
/// reach what it does not read there.
pub(super) fn over_structures(subject: &Subject, run: &DryRun, access: Option<Access>) -> Vec<Candidate> {
    let mut entries: Vec<EntryId> = run.overwritten.iter().filter_map(|over| over.by.entry()).collect();
    entries.sort_unstable();
    entries.dedup();
    let reached = |entry: &EntryId| {
        let mut reached: Vec<&Structure> = subject
            .structures
            .iter()
            .filter(|structure| {
                let name = structure.name();
                run.overwritten.iter().any(|over| over.by.entry() == Some(*entry) && over.structure == name)
            })
            .collect();
        reached.sort_by_key(|structure| reading_order(structure));
        reached
    };
    entries.iter().filter_map(|entry| over(subject, *entry, &reached(entry), access)).collect()
}

/// Structures in the order in which the display code comes to them: submesh by submesh the state list, the list of
/// each state, the arrays; last what is read while loading.
fn reading_order(structure: &Structure) -> (When, Option<u32>, u8, StructureKind) {
    let when = if structure.read_when == ReadWhen::EveryFrame { When::EveryFrame } else { When::Load };
    let part = match structure.kind {
        StructureKind::StateList => 0,
        StructureKind::PrimitiveList(_) => 1,
        _ => 2,
    };
    (when, structure.submesh, part, structure.kind)
}

/// [`ReadWhen`], what is read in every frame first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum When {
    EveryFrame,
    Load,
}

fn over(
    subject: &Subject,
    entry: EntryId,
    reached: &[&Structure],
    access: Option<Access>,
) -> Option<Candidate> {
    let first = reached.first()?;
    let candidate = |fits: bool, words: String| {
        let fit = if fits { Fit::Fits } else { Fit::No };
        Candidate { entry, fit, reason: format!("its stores reach {words}") }
    };
    let name = first.name();
    if first.read_when == ReadWhen::Load {
        return Some(candidate(false, format!("the {name}, which is read once while loading")));
    }
    if access != Some(Access::StateList) {
        return Some(candidate(true, format!("the {name}, which is read in every frame")));
    }
    if first.kind != StructureKind::StateList {
        return Some(candidate(false, format!("the {name}, in which the display code follows no pointer")));
    }
    let Some(direct) = subject.direct_entry(entry) else {
        // What accumulation writes is no range.
        return Some(candidate(true, format!("the {name}, whose pointers are followed in every frame")));
    };
    Some(match pointer_reached(subject, direct) {
        Some(ListPointer { submesh, state, .. }) => candidate(
            true,
            format!(
                "the list pointer of state {state} of submesh {submesh}, which is followed in every frame"
            ),
        ),
        None => candidate(false, format!("the {name}, but no pointer in it that is followed")),
    })
}

/// The first list pointer that an SK1 or SK2 entry's stored lines reach.
fn pointer_reached(subject: &Subject, entry: &Direct) -> Option<ListPointer> {
    let (start, stored) = (subject.positions()?, entry.stored());
    let stored = start + stored.start..start + stored.end;
    let mut pointers = list_pointers(subject.gpl()?).into_iter();
    pointers.find(|pointer| pointer.field.start < stored.end && stored.start < pointer.field.end)
}
