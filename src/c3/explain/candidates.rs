//! Which entries of a model can have caused a message, by arithmetic and by running it.

use super::access::{Access, Routine};
use super::{Explanation, LOCKED_CACHE_END};
use crate::c3::dry_run::dry_run;
use crate::c3::format::skn::{EntryId, List};
use crate::c3::model::Model;
use crate::c3::rules::effects::{DryRun, Target};
use crate::c3::rules::subject::{Direct, Subject};

/// An entry, and why it fits or does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The entry.
    pub entry: EntryId,
    /// Whether address, instruction, buffer and vertex offset agree.
    pub fits: bool,
    /// Why.
    pub reason: String,
    /// Whether a run of the model gives this very fault at this entry.
    pub reproduced: bool,
}

/// What a model says to a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Entries that can have done it, the ones that fit first.
    pub candidates: Vec<Candidate>,
    /// What running the model gave, in a sentence.
    pub run: String,
}

/// Entries that are listed.
const LISTED: usize = 32;

/// Looks for the entries behind a message.
pub fn candidates(model: &Model, explanation: &Explanation, address: u32) -> Verdict {
    let subject = Subject::new(model);
    let run = dry_run(model, Target::Dolphin, address);
    let mut candidates = match (explanation.routine, explanation.access) {
        (Some(routine @ (Routine::OneBone | Routine::TwoBone)), Some(Access::NextVertex(_))) => {
            wrapping(&subject, explanation, routine)
        }
        (Some(Routine::Accumulate), Some(_)) => empty_accumulation(&subject),
        (Some(Routine::Draw), _) => over_structures(&subject),
        _ => Vec::new(),
    };
    let run_words = mark(&mut candidates, explanation, run.as_ref());
    candidates.sort_by_key(|candidate| (!candidate.reproduced, !candidate.fits, candidate.entry));
    candidates.truncate(LISTED);
    Verdict { candidates, run: run_words }
}

/// Offset in the kernel of the load that meets the end of Dolphin's locked cache first: a vertex is
/// three words, read in turn from the first vertex on.
pub fn first_faulting_load(routine: Routine, entry_index: u32, vertex_offset: u8) -> Option<u32> {
    let buffer = 0xE000_0000 + 0x2000 * (entry_index & 1);
    let words = (LOCKED_CACHE_END - buffer).checked_sub(vertex_offset.into())? / 4;
    Some(routine.loop_loads()?[(words % 3) as usize])
}

fn wrapping(subject: &Subject, explanation: &Explanation, routine: Routine) -> Vec<Candidate> {
    let list = if routine == Routine::OneBone { List::Sk1 } else { List::Sk2 };
    let at = explanation.place.as_ref().map(|place| place.offset);
    let entries = subject.direct.iter().filter(|entry| entry.id.list == list && entry.count < 2);
    entries.map(|entry| wrapping_entry(entry, routine, at)).collect()
}

fn wrapping_entry(entry: &Direct, routine: Routine, at: Option<u32>) -> Candidate {
    let first = first_faulting_load(routine, entry.id.index, entry.vertex_offset);
    let buffer = if entry.id.index.is_multiple_of(2) { "0xe0000000" } else { "0xe0002000" };
    let reason = format!(
        "{} vert{}, buffer {buffer}, vertex offset {}: the load at +{:#x} meets the end first",
        entry.count,
        if entry.count == 1 { "ex" } else { "ices" },
        entry.vertex_offset,
        first.unwrap_or(0)
    );
    Candidate { entry: entry.id, fits: first.is_some() && first == at, reason, reproduced: false }
}

fn empty_accumulation(subject: &Subject) -> Vec<Candidate> {
    let skacc = subject.skn().into_iter().flat_map(|skn| skn.skacc.iter().zip(0..));
    skacc
        .filter(|(entry, _)| entry.count == 0)
        .map(|(_, index)| Candidate {
            entry: EntryId { list: List::SkAcc, index },
            fits: true,
            reason: "0 vertices: the loop counter starts at 0".to_owned(),
            reproduced: false,
        })
        .collect()
}

/// Entries whose stored lines reach a structure that is read in every frame.
fn over_structures(subject: &Subject) -> Vec<Candidate> {
    let Some(start) = subject.positions() else { return Vec::new() };
    let mut candidates = Vec::new();
    for entry in &subject.direct {
        let stored = entry.stored();
        let reached = subject.structures.iter().find(|structure| {
            let range = &structure.range;
            range.start != start && range.start < start + stored.end && start + stored.start < range.end
        });
        if let Some(structure) = reached {
            let reason = format!("its stored lines reach the {}", structure.name());
            candidates.push(Candidate { entry: entry.id, fits: true, reason, reproduced: false });
        }
    }
    candidates
}

/// Marks the entries at which a run gives the same fault, adding them where arithmetic had none.
fn mark(candidates: &mut Vec<Candidate>, explanation: &Explanation, run: Option<&DryRun>) -> String {
    let Some(run) = run else { return "The model cannot be run: it has nothing to skin.".to_owned() };
    let (message, place) = (&explanation.message, explanation.place.as_ref());
    let mut reproduced = Vec::new();
    for fault in &run.faults {
        let name = explanation.routine.map(|routine| routine.words().1);
        let same_place =
            name == Some(fault.function) && place.is_some_and(|place| place.offset == fault.offset);
        let same_address = fault.address == message.address;
        if !(same_address && (same_place || place.is_none())) {
            continue;
        }
        reproduced.push(fault.message.clone());
        let Some(entry) = fault.entry else { continue };
        match candidates.iter_mut().find(|candidate| candidate.entry == entry) {
            Some(candidate) => candidate.reproduced = true,
            None => candidates.push(Candidate {
                entry,
                fits: true,
                reason: "the run faults there".to_owned(),
                reproduced: true,
            }),
        }
    }
    match (reproduced.first(), run.faults.first()) {
        (Some(words), _) => format!("Running the model gives the same fault: {words}"),
        (None, Some(other)) => format!("Running the model gives another fault: {}", other.message),
        (None, None) => "Running the model gives no fault.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_and_vertex_offset_decide_which_load_meets_the_end() {
        // [measured: Dolphin 5.0-17995; dolphin-measured.md 4]
        let expected = [(0, [0xCC, 0xB8, 0xD8]), (1, [0xD8, 0xCC, 0xB8])];
        for (parity, loads) in expected {
            for (offset, load) in [0, 4, 8].into_iter().zip(loads) {
                assert_eq!(
                    first_faulting_load(Routine::OneBone, parity, offset),
                    Some(load),
                    "{parity} {offset}"
                );
            }
        }
        assert_eq!(first_faulting_load(Routine::TwoBone, 0, 4), Some(0x19C));
        assert_eq!(first_faulting_load(Routine::Draw, 0, 4), None);
    }
}
