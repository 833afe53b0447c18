//! Accumulation: bases folded into indices, slots that only `SKAcc` writes gathered on lines of their own,
//! the clear range computed anew.

use std::collections::{BTreeMap, BTreeSet};

use super::case::{Case, Fix, Refusals, Writers, entry_of, fix};
use super::plan::{MOST_SLOTS, Plan};
use crate::c3::format::align32;
use crate::c3::format::skn::{List, STRIDE};
use crate::c3::rules::codes;
use crate::finding::Code;

const CLEAR: [&Code; 6] = [
    &codes::ACCUMULATED_NOT_CLEARED,
    &codes::CLEAR_HITS_DIRECT,
    &codes::CLEARED_NOT_ACCUMULATED,
    &codes::CLEAR_CUT_SHORT,
    &codes::CLEAR_RANGE,
    &codes::CLEAR_WITHOUT_ACCUMULATION,
];

/// Folds destination bases into the indices.
pub fn bases(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let mut fixes = Vec::new();
    for finding in case.of(&[&codes::ACCUMULATE_BASE]) {
        let entry = entry_of(finding).filter(|id| id.list == List::SkAcc);
        let Some(entry) = entry.and_then(|id| plan.skacc.get_mut(id.index as usize)) else { continue };
        let base = u64::from(entry.base);
        let farthest = entry.supplements.iter().map(|part| u64::from(part.slot)).max().unwrap_or(0);
        if !base.is_multiple_of(STRIDE) {
            refusals.add(finding, format!("the base {base:#x} lies between two slots"));
        } else if farthest + base / STRIDE > MOST_SLOTS {
            refusals.add(finding, "the indices would not fit into 16 bits");
        } else {
            let added = (base / STRIDE) as u16;
            entry.supplements.iter_mut().for_each(|part| part.slot += added);
            entry.base = 0;
            fixes.push(fix(finding, format!("the base becomes 0, and {added} is added to the indices")));
        }
    }
    fixes
}

/// Computes the clear range anew; gathers the slots that only `SKAcc` writes where it would hit others.
pub fn clear(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let sharing = case.of(&[&codes::ACCUMULATION_SHARES_LINE]).next();
    let findings: Vec<_> = sharing.into_iter().chain(case.of(&CLEAR)).collect();
    if findings.is_empty() {
        return Vec::new();
    }
    if plan.skacc.iter().any(|entry| entry.base != 0) {
        for finding in findings {
            refusals.add(finding, "an SKAcc entry keeps a base that lies between two slots");
        }
        return Vec::new();
    }
    let mut text = String::new();
    let slots = accumulation_only(plan);
    if sharing.is_some() || is_in_the_way(case, plan, &slots) {
        match gather(plan, &slots) {
            Ok(first) => {
                text =
                    format!("the {} slots that only SKAcc writes move to {first} and behind; ", slots.len());
            }
            Err(reason) => {
                for finding in findings {
                    refusals.add(finding, reason.clone());
                }
                return Vec::new();
            }
        }
    }
    plan.clear = range(&accumulation_only(plan));
    let (start, size) = plan.clear;
    findings
        .into_iter()
        .map(|finding| fix(finding, format!("{text}the clear range becomes {size:#x} bytes at {start:#x}")))
        .collect()
}

/// The slots that `SKAcc` entries add to and no direct entry writes.
fn accumulation_only(plan: &Plan) -> BTreeSet<u16> {
    let writers = Writers::of(plan);
    let added = plan.skacc.iter().flat_map(|entry| entry.supplements.iter().map(|part| part.slot));
    added.filter(|&slot| !writers.any(slot.into())).collect()
}

/// The range of known models, a line longer where whole lines would leave the end uncleared.
fn range(slots: &BTreeSet<u16>) -> (u32, u32) {
    let (Some(&first), Some(&last)) = (slots.first(), slots.last()) else { return (0, 0) };
    let (start, end) = (STRIDE * u64::from(first), STRIDE * (u64::from(last) + 1));
    let size = align32(end - start);
    let short = (start & !31) + size < end;
    (start as u32, (size + if short { 32 } else { 0 }) as u32)
}

/// Whether clearing these slots by whole lines would clear something else that shows.
fn is_in_the_way(case: &Case, plan: &Plan, slots: &BTreeSet<u16>) -> bool {
    let (start, size) = range(slots);
    if size == 0 {
        return false;
    }
    let start = u64::from(start) & !31;
    let (lines, writers) = (start..start + u64::from(size), Writers::of(plan));
    let hit = lines.start / STRIDE..lines.end.div_ceil(STRIDE);
    let stores = plan.direct.iter().any(|planned| {
        let stored = planned.stored();
        stored.start < lines.end && lines.start < stored.end
    });
    let idle = |slot: u64| case.drawn(slot) && !slots.contains(&(slot as u16));
    stores || hit.clone().any(|slot| writers.any(slot) || idle(slot))
}

/// Moves slots to a line of their own behind everything; gives the first.
fn gather(plan: &mut Plan, slots: &BTreeSet<u16>) -> Result<u16, String> {
    // The clear range begins at a slot: one whose first byte begins a line.
    let first = plan.end().next_multiple_of(32).div_ceil(STRIDE).next_multiple_of(8);
    if first + slots.len() as u64 > MOST_SLOTS {
        return Err(format!("{} slots behind slot {first} cannot be numbered by 16 bits", slots.len()));
    }
    let slots: Vec<u16> = slots.iter().copied().collect();
    plan.move_slots(&slots, first as u16);
    Ok(first as u16)
}

/// The weights of each slot: places of its supplements and, from its SK2 entry, of its pair.
pub type Parts = BTreeMap<u64, Vec<(usize, usize)>>;

/// Supplements by slot: number of the entry and of the supplement.
pub fn parts(plan: &Plan) -> Parts {
    let mut parts = Parts::new();
    for (n, entry) in plan.skacc.iter().enumerate() {
        let base = u64::from(entry.base) / STRIDE;
        for (k, part) in entry.supplements.iter().enumerate() {
            parts.entry(base + u64::from(part.slot)).or_default().push((n, k));
        }
    }
    parts
}
