//! Entries whose count or place went wrong while everything else still shows what they were: drawn slots
//! that nothing writes, whose positions the mirror still holds.

use super::case::{Case, Fix, Refusals, Writers, entry_of, fix};
use super::plan::{MOST_SLOTS, Plan, PlannedDirect, begins_line, next_line_slot, records};
use crate::c3::build::layout::FEWEST;
use crate::c3::build::skn::{Movers, Record};
use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::c3::rules::codes;
use crate::finding::{Code, Finding};

/// Codes that say that an entry lies where none can lie.
const DISPLACED: [&Code; 2] = [&codes::VERTEX_OFFSET, &codes::DMA_ADDRESS_UNALIGNED];
/// Codes that say that an entry is too short.
const SHORT: [&Code; 3] = [&codes::COUNT_WRAPS, &codes::COUNT_BELOW_VANILLA, &codes::SLOT_UNWRITTEN];

/// Entries among which ones that run over others are looked for; known models have far fewer.
const MOST_COMPARED: usize = 512;

/// Puts displaced entries back and gives short ones the vertices that they lost.
pub fn remedy(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let mut fixes = overlong(case, plan);
    let ids: Vec<EntryId> = plan.direct.iter().map(|planned| planned.id).collect();
    for id in ids {
        let Some(planned) = plan.direct.iter().find(|planned| planned.id == id).cloned() else { continue };
        if !is_placed(&planned) {
            let finding = case.about(&DISPLACED, id);
            fixes.extend(finding.and_then(|finding| place(case, plan, &planned, finding, refusals)));
        } else if let Some(finding) = shortness(case, id) {
            fixes.extend(lengthen(case, plan, &planned, finding));
        }
    }
    fixes
}

/// Cuts entries that run over others where one of those lost its count: a good layout has one entry a
/// slot, so what lies behind the next entry's start is the next entry's.
fn overlong(case: &Case, plan: &mut Plan) -> Vec<Fix> {
    let Some(finding) = case.of(&[&codes::DESTINATION_OVERLAP]).next() else { return Vec::new() };
    // Every entry is compared with every other one.
    if plan.direct.len() > MOST_COMPARED {
        return Vec::new();
    }
    let mut fixes = Vec::new();
    for index in 0..plan.direct.len() {
        let planned = plan.direct[index].clone();
        let slots = planned.slots();
        let inside = |other: &&PlannedDirect| {
            is_placed(other) && other.slots().start > slots.start && other.slots().start < slots.end
        };
        let Some(next) = plan.direct.iter().filter(inside).map(|other| other.slots().start).min() else {
            continue;
        };
        let others: Vec<&PlannedDirect> = plan.direct.iter().filter(|other| other.id != planned.id).collect();
        let writers = Writers::of(plan);
        let covered = |slot: u64| writers.other(&planned, slot);
        let behind_short = |slot: u64| {
            let before = others
                .iter()
                .filter(|other| other.slots().start <= slot)
                .max_by_key(|other| other.slots().start);
            before.is_some_and(|other| other.entry.records.len() < FEWEST)
        };
        let mut open = (next..slots.end).filter(|&slot| case.drawn(slot) && !covered(slot)).peekable();
        if open.peek().is_none() || !open.all(behind_short) {
            continue;
        }
        let shows = |slot: &u64| case.drawn(*slot) || case.added(*slot);
        let kept = (slots.start..next).rev().find(shows).map_or(0, |slot| slot + 1 - slots.start);
        let kept = (kept as usize).max(FEWEST).min((next - slots.start) as usize);
        plan.direct[index].truncate(kept);
        let text = format!(
            "{} is cut from {} to {kept} vertices: other entries begin behind them",
            planned.id,
            planned.entry.records.len()
        );
        fixes.push(fix(case.about(&[&codes::DESTINATION_OVERLAP], planned.id).unwrap_or(finding), text));
    }
    fixes
}

/// Whether an entry begins with the first whole slot of a cache line.
fn is_placed(planned: &PlannedDirect) -> bool {
    let first = planned.first_byte();
    planned.entry.destination.is_multiple_of(32)
        && u64::from(planned.entry.vertex_offset) < STRIDE
        && first.is_multiple_of(STRIDE)
}

fn shortness<'c>(case: &Case<'c, '_>, id: EntryId) -> Option<&'c Finding> {
    case.about(&SHORT[..2], id).or_else(|| case.of(&SHORT[2..]).find(|finding| entry_of(finding).is_none()))
}

fn place(
    case: &Case,
    plan: &mut Plan,
    planned: &PlannedDirect,
    finding: &Finding,
    refusals: &mut Refusals,
) -> Option<Fix> {
    let (first, id) = (planned.first_byte(), planned.id);
    if let Some((slot, found)) = gap(case, plan, planned) {
        let entry = plan.find(id)?;
        entry.place_at(slot);
        entry.entry.records = found;
        let text = format!(
            "the entry goes back to slots {slot}..{}, which are drawn, written by nothing else and held by the mirror",
            slot + planned.entry.records.len() as u64 - 1
        );
        return Some(fix(finding, text));
    }
    if first.is_multiple_of(STRIDE) {
        let slot = first / STRIDE;
        if begins_line(slot) {
            let entry = plan.find(id)?;
            entry.place_at(slot);
            let (line, offset) = (entry.entry.destination, entry.entry.vertex_offset);
            return Some(fix(
                finding,
                format!("destination {line:#x}, vertex offset {offset}: slot {slot} as before"),
            ));
        }
        return match plan.relocate(id) {
            Ok((old, new)) => {
                Some(fix(finding, format!("its slots move from {old} to {new}, on lines of their own")))
            }
            Err(reason) => {
                refusals.add(finding, reason);
                None
            }
        };
    }
    if let Some((slot, found)) = whole_offset(case, plan, planned) {
        let entry = plan.find(id)?;
        entry.place_at(slot);
        entry.entry.records = found;
        let offset = entry.entry.vertex_offset;
        return Some(fix(
            finding,
            format!("vertex offset {offset}: there its source holds the positions of slot {slot}"),
        ));
    }
    refusals.add(
        finding,
        "its first vertex lies between two slots, and neither the drawn slots nor its source say which it was",
    );
    None
}

/// The nearest run of as many drawn slots as the entry has vertices that nothing else writes and the mirror
/// holds.
fn gap(case: &Case, plan: &Plan, planned: &PlannedDirect) -> Option<(u64, Vec<Record>)> {
    let count = planned.entry.records.len() as u64;
    let writers = Writers::of(plan);
    let open = |slot: u64| case.drawn(slot) && !writers.other(planned, slot);
    let near = planned.first_byte() / STRIDE;
    // An entry is displaced by lines, not by pages.
    let reach = near.saturating_sub(64)..near.saturating_add(65).min(MOST_SLOTS);
    let mut starts: Vec<u64> = reach
        .filter(|&slot| begins_line(slot) && open(slot) && (slot == 0 || !open(slot - 1)))
        .filter(|&slot| count > 0 && (slot..slot + count).all(open) && !open(slot + count))
        .collect();
    starts.sort_by_key(|slot| slot.abs_diff(near));
    starts.into_iter().find_map(|slot| Some((slot, case.mirror_is_copy(plan, slot, count)?)))
}

/// The first whole slot of the entry's line, if its source holds the stored positions there.
fn whole_offset(case: &Case, plan: &Plan, planned: &PlannedDirect) -> Option<(u64, Vec<Record>)> {
    let skn = case.model.skn.as_ref()?;
    let (line, count) = (u64::from(planned.entry.destination) & !31, planned.entry.records.len() as u64);
    let slot = next_line_slot(line);
    let source = match planned.id.list {
        List::Sk1 => skn.sk1.get(planned.id.index as usize)?.source,
        _ => skn.sk2.get(planned.id.index as usize)?.source,
    };
    let at = u64::from(source) + (slot * STRIDE - line);
    let held = records(skn.view().take(at, count * STRIDE, "source").ok()?);
    let stored = plan.positions.get(slot as usize..(slot + count) as usize)?;
    (stored == held.as_slice() && held.iter().any(|record| *record != [0; 6])).then_some((slot, held))
}

/// Gives an entry the drawn slots behind it that nothing writes, where mirror and weights still hold them.
fn lengthen(case: &Case, plan: &mut Plan, planned: &PlannedDirect, finding: &Finding) -> Option<Fix> {
    let writers = Writers::of(plan);
    let (first, have) = (planned.first_byte() / STRIDE, planned.entry.records.len() as u64);
    // Slots at which another entry begins are that entry's, even when it has no vertex left.
    let claimed = |slot: u64| {
        plan.direct.iter().any(|other| other.id != planned.id && other.first_byte() / STRIDE == slot)
    };
    let lost = |slot: u64| case.drawn(slot) && !writers.other(planned, slot) && !claimed(slot);
    let most = MOST_SLOTS.saturating_sub(first);
    let count = (have..most).take_while(|n| lost(first + n)).last()? + 1;
    let all = case.mirror_is_copy(plan, first, count)?;
    if all.get(..have as usize)? != planned.entry.records.as_slice() {
        return None;
    }
    let movers = match &planned.entry.movers {
        Movers::One(bone) if (first + have..first + count).all(|slot| !case.added(slot)) => {
            Movers::One(*bone)
        }
        Movers::One(_) => return None,
        Movers::Two(bones, _) => Movers::Two(*bones, whole_weights(case, plan, planned, count)?),
    };
    let entry = plan.find(planned.id)?;
    (entry.entry.records, entry.entry.movers) = (all, movers);
    let text = format!(
        "{} gets back {} vertices ({have} to {count}): slots {}..{} are drawn, nothing writes them, and the mirror holds them",
        planned.id,
        count - have,
        first + have,
        first + count - 1
    );
    Some(fix(finding, text))
}

/// The weights of an SK2 entry with more vertices, if those of the new ones are whole.
fn whole_weights(case: &Case, plan: &Plan, planned: &PlannedDirect, count: u64) -> Option<Vec<[u8; 2]>> {
    let skn = case.model.skn.as_ref()?;
    let at = skn.sk2.get(planned.id.index as usize)?.weights;
    let bytes = skn.view().take(at.into(), 2 * count, "weights").ok()?;
    let weights: Vec<[u8; 2]> = bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let (first, have) = (planned.first_byte() / STRIDE, planned.entry.records.len());
    let added = |slot: u64| -> u32 {
        let parts = plan.skacc.iter().flat_map(|entry| {
            let base = u64::from(entry.base) / STRIDE;
            entry.supplements.iter().map(move |part| (base + u64::from(part.slot), part.weight))
        });
        parts.filter(|(known, _)| *known == slot).map(|(_, weight)| u32::from(weight)).sum()
    };
    let whole =
        |n: usize| u32::from(weights[n][0]) + u32::from(weights[n][1]) + added(first + n as u64) == 256;
    (have..weights.len()).all(whole).then_some(weights)
}
