//! Sources larger than their buffers: direct entries are split at a vertex that begins a line, `SKAcc`
//! entries anywhere.

use super::case::{Case, Fix, Refusals, entry_of, fix};
use super::plan::{Plan, PlannedDirect, begins_line};
use crate::c3::build::layout::{MOST_BYTES, MOST_SUPPLEMENTS, piece};
use crate::c3::build::skn::{AccumulateSource, Movers};
use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::c3::rules::codes;
use crate::finding::Code;

const CODES: [&Code; 4] = [
    &codes::SOURCE_OVER_BUFFER,
    &codes::SOURCE_OVER_VANILLA_LIMIT,
    &codes::DMA_LENGTH_WRAPS,
    &codes::STORE_SIZE_WRAPS,
];

/// Splits what is too large.
pub fn remedy(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let mut fixes = Vec::new();
    let mut split: Vec<EntryId> = Vec::new();
    for finding in case.of(&CODES) {
        let Some(id) = entry_of(finding) else { continue };
        let parts = match (split.contains(&id), id.list) {
            (true, _) => continue,
            (false, List::SkAcc) => count_supplements(plan, id),
            (false, _) => split_direct(plan, id),
        };
        match parts {
            0 => refusals.add(finding, "it can be split once it begins on a line"),
            1 => {}
            _ => {
                split.push(id);
                fixes.push(fix(finding, format!("it is split into {parts} entries")));
            }
        }
    }
    split_supplements(plan, &split);
    fixes
}

fn count_supplements(plan: &Plan, id: EntryId) -> usize {
    plan.skacc.get(id.index as usize).map_or(1, |entry| entry.supplements.len().div_ceil(MOST_SUPPLEMENTS))
}

fn split_supplements(plan: &mut Plan, ids: &[EntryId]) {
    let split = |index: usize| ids.contains(&EntryId { list: List::SkAcc, index: index as u32 });
    let entries = std::mem::take(&mut plan.skacc);
    for (index, entry) in entries.into_iter().enumerate() {
        if !split(index) {
            plan.skacc.push(entry);
            continue;
        }
        let AccumulateSource { bone, base, supplements } = entry;
        let parts = supplements.chunks(MOST_SUPPLEMENTS);
        plan.skacc.extend(parts.map(|part| AccumulateSource { bone, base, supplements: part.to_vec() }));
    }
}

/// Splits an entry; gives the number of pieces, 0 when it cannot be split where it lies.
fn split_direct(plan: &mut Plan, id: EntryId) -> usize {
    let Some(at) = plan.direct.iter().position(|planned| planned.id == id) else { return 1 };
    let whole = plan.direct[at].clone();
    let first = whole.first_byte();
    if !first.is_multiple_of(STRIDE)
        || !begins_line(first / STRIDE)
        || !whole.entry.destination.is_multiple_of(32)
    {
        return 0;
    }
    let most = MOST_BYTES[usize::from(matches!(whole.entry.movers, Movers::Two(..)))];
    let mut pieces: Vec<PlannedDirect> = Vec::new();
    let (mut slot, mut from) = (first / STRIDE, 0);
    while from < whole.entry.records.len() {
        let offset = (slot * STRIDE % 32) as usize;
        let count = piece(slot, offset, whole.entry.records.len() - from, most);
        let mut part = whole.clone();
        part.entry.records = whole.entry.records[from..from + count].to_vec();
        if let (Movers::Two(_, all), Movers::Two(_, own)) = (&whole.entry.movers, &mut part.entry.movers) {
            *own = all[from..from + count].to_vec();
        }
        part.place_at(slot);
        pieces.push(part);
        (slot, from) = (slot + count as u64, from + count);
    }
    let count = pieces.len();
    plan.direct.splice(at..=at, pieces);
    count
}
