//! Overwritten structures that only the frames show: an entry whose indices, count or bone are themselves overwritten
//! writes elsewhere than the file says.

use std::collections::BTreeSet;

use super::bones::array;
use super::codes;
use super::effects::{DryRun, Overwritten};
use super::found::Found;
use super::spoiled::Spoiled;
use super::subject::Subject;
use crate::c3::format::act::Act;
use crate::c3::format::gpl::ReadWhen;
use crate::c3::format::skn::{List, Skn};
use crate::c3::runtime::owners::{SKN_ARRAYS, SKN_LISTS};
use crate::finding::Severity;

/// Adds a finding for every overwritten structure that none answers for.
pub fn overwrites(subject: &Subject, runs: &[DryRun], found: &mut Vec<Found>) {
    let mut spoiled = Spoiled::new(subject);
    for over in runs.iter().flat_map(|run| &run.overwritten) {
        if found.iter().any(|one| answers(one, over)) {
            continue;
        }
        // An entry of a list that lies outside of the section is none: the list answers for it.
        match stray_list(subject, over).and_then(|name| of_list(found, name)) {
            Some(list) => {
                list.evidence.writers.push(over.by);
                list.evidence.structures.push(over.structure.clone());
            }
            None => found.push(finding(subject, over, &mut spoiled)),
        }
    }
}

/// The list that a writer's record lies in, where that is outside of the section.
fn stray_list(subject: &Subject, over: &Overwritten) -> Option<&'static str> {
    let (skn, entry) = (subject.skn()?, over.by.entry()?);
    let outside = skn.entry_offset(entry) + entry.list.entry_size() > skn.view().len();
    outside.then_some(match entry.list {
        List::Sk1 => "SK1 list",
        List::Sk2 => "SK2 list",
        List::SkAcc => "SKAcc list",
    })
}

/// What is told of a list that the section does not hold.
fn of_list<'f>(found: &'f mut [Found], name: &str) -> Option<&'f mut Found> {
    let told = |one: &&mut Found| {
        *one.finding.code == codes::OUT_OF_BOUNDS && one.finding.place.field.as_deref() == Some(name)
    };
    found.iter_mut().find(told)
}

/// Adds a finding for every bone whose matrix a frame showed to be none, at the bone's control: one that a rule tells
/// of is there.
pub fn matrices(subject: &Subject, runs: &[DryRun], found: &mut Vec<Found>) {
    let bad: BTreeSet<u16> = runs.iter().flat_map(|run| &run.bad_matrices).map(|bad| bad.bone).collect();
    let Some(act) = subject.model.act.and_then(|view| Act::parse_view(view).ok()) else { return };
    let array = array(&act, subject.model.block.is_some());
    for (index, bone) in bad.into_iter().filter_map(|index| Some((index, array.get(usize::from(index))?))) {
        let name = format!("bone {index}");
        let told = |one: &Found| {
            *one.finding.code == codes::NAN_MATRIX
                && one.finding.place.entry.as_deref() == Some(name.as_str())
        };
        if found.iter().any(told) {
            continue;
        }
        let offset = if bone.control == 0 { bone.offset } else { bone.control.into() };
        let place = subject.place("ACT", act.view().base() + offset).entry(name).field("control");
        let text = format!("the matrix of bone {index} holds a cell that is no finite number");
        let help = "check the bone's control, those of the bones above it, and its animation keys";
        found.push(Found::new(&codes::NAN_MATRIX, place, text, help));
    }
}

fn answers(Found { evidence, .. }: &Found, over: &Overwritten) -> bool {
    evidence.is_about(over.by) && evidence.structures.contains(&over.structure)
}

fn finding(subject: &Subject, over: &Overwritten, spoiled: &mut Spoiled) -> Found {
    let (severity, when) = match over.read_when {
        ReadWhen::EveryFrame => (Severity::Error, "read in every frame"),
        ReadWhen::Load => (Severity::Warning, "read once while loading"),
    };
    let by = over.by.entry();
    let what = if by.is_some() { "it writes" } else { "the clear reaches" };
    let text = format!(
        "{what} over the {}, from its byte {:#x} on, which is {when}: frames show it, the entry's own bytes do not say it",
        over.structure, over.within.start
    );
    let help = "mend the other findings first: something overwrites or misplaces what the entry is read from";
    let place = match by {
        Some(entry) => subject.entry_place(entry),
        None => subject.skn_place(0x14).field("memClr"),
    };
    let finding = Found::new(&codes::WRITE_BACK_OVER_STRUCTURE, place, text, help).severity(severity);
    let finding = by.into_iter().fold(finding, Found::entry);
    let finding = finding.writer(over.by).structure(over.structure.clone());
    // The arrays begin where the lists end.
    let base = match over.structure.as_str() {
        SKN_LISTS => 0,
        SKN_ARRAYS => subject.skn().map_or(0, Skn::lists_end),
        _ => return finding,
    };
    let bytes = base + u64::from(over.within.start)..base + u64::from(over.within.end);
    spoiled.answer(subject, finding, std::slice::from_ref(&bytes))
}
