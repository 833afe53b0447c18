//! Overwritten structures that only the frames show: an entry whose indices, count or bone are themselves overwritten
//! writes elsewhere than the file says.

use super::codes;
use super::effects::{DryRun, Overwritten, Part};
use super::found::Found;
use super::spoiled::Spoiled;
use super::subject::Subject;
use crate::c3::format::gpl::ReadWhen;
use crate::c3::format::skn::Skn;
use crate::c3::runtime::owners::{SKN_ARRAYS, SKN_LISTS};
use crate::finding::Severity;

/// Adds a finding for every overwritten structure that none answers for.
pub fn overwrites(subject: &Subject, runs: &[DryRun], found: &mut Vec<Found>) {
    let mut spoiled = Spoiled::new(subject);
    for over in runs.iter().flat_map(|run| &run.overwritten) {
        if !found.iter().any(|one| answers(one, over)) {
            found.push(finding(subject, over, &mut spoiled));
        }
    }
}

fn answers(Found { evidence, .. }: &Found, over: &Overwritten) -> bool {
    let by = over.by.is_none_or(|by| evidence.entries.is_empty() || evidence.entries.contains(&by));
    by && evidence.structures.contains(&over.structure)
}

fn finding(subject: &Subject, over: &Overwritten, spoiled: &mut Spoiled) -> Found {
    let (severity, when) = match over.read_when {
        ReadWhen::EveryFrame => (Severity::Error, "read in every frame"),
        ReadWhen::Load => (Severity::Warning, "read once while loading"),
    };
    let what = if over.by.is_some() { "it writes" } else { "the clear reaches" };
    let text = format!(
        "{what} over the {}, from its byte {:#x} on, which is {when}: frames show it, the entry's own bytes do not say it",
        over.structure, over.within.start
    );
    let help = "mend the other findings first: something overwrites or misplaces what the entry is read from";
    let place = match over.by {
        Some(entry) => subject.entry_place(entry),
        None => subject.skn_place(0x14).field("memClr"),
    };
    let finding = Found::new(&codes::WRITE_BACK_OVER_STRUCTURE, place, text, help).severity(severity);
    let finding = match over.by {
        Some(entry) => finding.entry(entry),
        None => finding.part(Part::Clear),
    };
    let finding = finding.structure(over.structure.clone());
    // The arrays begin where the lists end.
    let base = match over.structure.as_str() {
        SKN_LISTS => 0,
        SKN_ARRAYS => subject.skn().map_or(0, Skn::lists_end),
        _ => return finding,
    };
    let bytes = base + u64::from(over.within.start)..base + u64::from(over.within.end);
    spoiled.answer(subject, finding, std::slice::from_ref(&bytes))
}
