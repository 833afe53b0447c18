//! Counts: entries without vertices go, entries of one or two are filled up to three.

use super::case::{Case, Fix, Refusals, Writers, entry_of, fix};
use super::plan::{MOST_SLOTS, Plan, PlannedDirect};
use crate::c3::build::layout::FEWEST;
use crate::c3::build::skn::Movers;
use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::c3::rules::codes;
use crate::finding::{Code, Finding};

const CODES: [&Code; 2] = [&codes::COUNT_WRAPS, &codes::COUNT_BELOW_VANILLA];

/// Drops empty entries and pads short ones by repeating their first vertex.
pub fn remedy(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let mut fixes = Vec::new();
    let mut empty: Vec<u32> = Vec::new();
    for finding in case.of(&CODES) {
        match entry_of(finding) {
            Some(id) if id.list == List::SkAcc => {
                empty.push(id.index);
                fixes.push(fix(finding, "the entry is removed: it adds nothing"));
            }
            Some(id) => fixes.extend(direct(case, plan, id, finding, refusals)),
            None => {}
        }
    }
    empty.sort_unstable();
    for index in empty.into_iter().rev() {
        if (index as usize) < plan.skacc.len() {
            plan.skacc.remove(index as usize);
        }
    }
    fixes
}

fn direct(
    case: &Case,
    plan: &mut Plan,
    id: EntryId,
    finding: &Finding,
    refusals: &mut Refusals,
) -> Option<Fix> {
    let count = plan.find(id)?.entry.records.len();
    if count == 0 {
        plan.direct.retain(|planned| planned.id != id);
        return Some(fix(finding, "the entry is removed: it moves nothing"));
    }
    let missing = FEWEST.checked_sub(count).filter(|missing| *missing > 0)?;
    let mut text =
        format!("its first vertex is repeated {missing} time{}", if missing == 1 { "" } else { "s" });
    if !has_room(case, plan, id) {
        match plan.relocate(id) {
            Ok((old, new)) => text = format!("its slots move from {old} to {new}, and {text}"),
            Err(reason) => {
                refusals.add(finding, reason);
                return None;
            }
        }
    }
    pad(plan, id);
    Some(fix(finding, format!("{text}, into slots that nothing draws")))
}

/// Whether the slots behind a short entry, and the lines that they are stored with, belong to nothing.
fn has_room(case: &Case, plan: &Plan, id: EntryId) -> bool {
    let Some(planned) = plan.direct.iter().find(|planned| planned.id == id) else { return false };
    let writers = Writers::of(plan);
    let behind = planned.slots().end..planned.slots().start + FEWEST as u64;
    let mut padded: PlannedDirect = planned.clone();
    padded.entry.records.resize(FEWEST, [0; 6]);
    let lines = padded.stored();
    let meets = |other: &PlannedDirect| {
        other.id != id && other.stored().start < lines.end && lines.start < other.stored().end
    };
    behind.end <= MOST_SLOTS
        && behind.clone().all(|slot| !case.drawn(slot) && !case.added(slot) && !writers.any(slot))
        && !plan.direct.iter().any(meets)
        && lines.end <= plan.end().next_multiple_of(32)
}

fn pad(plan: &mut Plan, id: EntryId) {
    let Some(planned) = plan.find(id) else { return };
    let (first, count) = (planned.first_byte() / STRIDE, planned.entry.records.len());
    let record = planned.entry.records[0];
    planned.entry.records.resize(FEWEST, record);
    if let Movers::Two(_, weights) = &mut planned.entry.movers {
        let first = weights.first().copied().unwrap_or([255, 1]);
        weights.resize(FEWEST, first);
    }
    let added: Vec<u64> = (first + count as u64..first + FEWEST as u64).collect();
    plan.grow(first + FEWEST as u64);
    let stored = plan.positions[first as usize];
    for &slot in &added {
        plan.positions[slot as usize] = stored;
    }
    for entry in plan.skacc.iter_mut().filter(|entry| entry.base == 0) {
        let again: Vec<_> =
            entry.supplements.iter().copied().filter(|part| u64::from(part.slot) == first).collect();
        for part in again {
            entry.supplements.extend(added.iter().map(|&slot| {
                let mut part = part;
                part.slot = slot as u16;
                part
            }));
        }
    }
}
