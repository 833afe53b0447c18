//! Entries that write the same slots or store the same lines: tails that show nowhere are cut, and what is
//! still in the way moves to lines of its own.

use std::collections::BTreeSet;

use super::case::{Case, Fix, Refusals, Writers, fix};
use super::plan::{Plan, PlannedDirect};
use crate::c3::build::layout::FEWEST;
use crate::c3::format::skn::EntryId;
use crate::c3::rules::codes;
use crate::finding::{Code, Finding};

const CODES: [&Code; 2] = [&codes::DESTINATION_OVERLAP, &codes::LINE_SHARED];
const BEYOND: [&Code; 3] =
    [&codes::WRITE_BACK_OVER_STRUCTURE, &codes::WRITE_OUTSIDE_SCRATCH, &codes::WRITE_OUTSIDE_MODEL];

/// Takes entries apart that meet: the one that runs last first.
pub fn remedy(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let mut pairs = meeting(plan);
    // What the last entry stores is what the frame shows: it keeps its vertices whatever happens.
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.1));
    let mut done: Vec<EntryId> = Vec::new();
    let mut fixes = Vec::new();
    for (first, second, overlap) in pairs {
        if done.contains(&first) || done.contains(&second) {
            continue;
        }
        let code = if overlap { CODES[0] } else { CODES[1] };
        let Some(finding) = case.about(&[code], second).or_else(|| case.of(&[code]).next()) else { continue };
        done.extend([first, second]);
        fixes.extend(apart(case, plan, (first, second), overlap, finding, refusals));
        if overlap {
            break;
        }
    }
    fixes
}

/// Pairs of entries whose stored lines meet, the one that runs first in front; whether they share slots.
fn meeting(plan: &Plan) -> Vec<(EntryId, EntryId, bool)> {
    let mut sorted: Vec<&PlannedDirect> =
        plan.direct.iter().filter(|planned| !planned.entry.records.is_empty()).collect();
    sorted.sort_by_key(|planned| (planned.stored().start, planned.id));
    let mut pairs = Vec::new();
    let mut farthest: Option<&PlannedDirect> = None;
    for planned in sorted {
        if let Some(other) = farthest.filter(|other| planned.stored().start < other.stored().end) {
            let overlap =
                planned.slots().start < other.slots().end && other.slots().start < planned.slots().end;
            pairs.push((planned.id.min(other.id), planned.id.max(other.id), overlap));
        }
        if farthest.is_none_or(|other| planned.stored().end > other.stored().end) {
            farthest = Some(planned);
        }
    }
    pairs
}

fn apart(
    case: &Case,
    plan: &mut Plan,
    (first, second): (EntryId, EntryId),
    overlap: bool,
    finding: &Finding,
    refusals: &mut Refusals,
) -> Option<Fix> {
    for (cut, other) in [(first, second), (second, first)] {
        if let Some(text) = cut_tail(case, plan, cut, Some(other)) {
            return Some(fix(finding, text));
        }
    }
    // Without shared slots the entry that begins in the other's last line moves.
    let begins = |id: EntryId| {
        plan.direct.iter().find(|planned| planned.id == id).map(|planned| planned.stored().start)
    };
    let moved = if overlap || begins(second) >= begins(first) { second } else { first };
    match plan.relocate(moved) {
        Ok((old, new)) => {
            let keeps = if overlap { "; what the frame shows is kept" } else { "" };
            Some(fix(finding, format!("{moved} moves from slot {old} to {new}, on lines of its own{keeps}")))
        }
        Err(reason) => {
            refusals.add(finding, reason);
            None
        }
    }
}

/// Cuts the tails of entries that store over structures, where no primitive draws them.
///
/// None while drawn slots lack a writer: an entry that went astray would lose their vertices.
pub fn tails(case: &Case, plan: &mut Plan, _: &mut Refusals) -> Vec<Fix> {
    if case.of(&[&codes::SLOT_UNWRITTEN]).next().is_some() {
        return Vec::new();
    }
    let mut fixes = Vec::new();
    let mut seen = BTreeSet::new();
    for finding in case.of(&BEYOND) {
        let Some(id) = super::case::entry_of(finding).filter(|id| seen.insert(*id)) else { continue };
        fixes.extend(cut_tail(case, plan, id, None).map(|text| fix(finding, text)));
    }
    fixes
}

/// Cuts the vertices of an entry that show nowhere: neither drawn nor added to, or stored again by an
/// entry that runs later.
fn cut_tail(case: &Case, plan: &mut Plan, id: EntryId, other: Option<EntryId>) -> Option<String> {
    if !case.draws {
        return None;
    }
    let planned = plan.direct.iter().find(|planned| planned.id == id)?.clone();
    let writers = Writers::of(plan);
    let slots = planned.slots();
    let shows = |slot: u64| !writers.again(id, slot) && (case.drawn(slot) || case.added(slot));
    let needed = slots.clone().rev().find(|&slot| shows(slot)).map_or(0, |slot| slot + 1 - slots.start);
    let kept = (needed as usize).max(FEWEST);
    let have = planned.entry.records.len();
    if needed == 0 || kept >= have {
        return None;
    }
    let mut shorter = planned.clone();
    shorter.truncate(kept);
    if let Some(other) = other.and_then(|other| plan.direct.iter().find(|planned| planned.id == other)) {
        let (a, b) = (shorter.stored(), other.stored());
        if a.start < b.end && b.start < a.end {
            return None;
        }
    }
    *plan.find(id)? = shorter;
    let from = slots.start + kept as u64;
    Some(format!("{id} is cut from {have} to {kept} vertices: slots {from}..{} show nowhere", slots.end - 1))
}
