//! What `SKAcc` entries add to, what is cleared before, and what is flushed after.

use std::collections::BTreeSet;
use std::ops::Range;

use super::codes;
use super::effects::Part;
use super::found::Found;
use super::subject::Subject;
use crate::c3::format::align32;
use crate::c3::format::skn::{EntryId, List, STRIDE, Skn};

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(skn) = subject.skn() else { return };
    if skn.header.skacc_count == 0 {
        if skn.header.clear_size != 0 {
            let text = "a range is set, but without SKAcc entries nothing is cleared";
            let help = "set start and size to 0";
            let place = subject.skn_place(0x14).field("memClr");
            found.push(Found::new(&codes::CLEAR_WITHOUT_ACCUMULATION, place, text, help));
        }
        return;
    }
    clear_formula(subject, skn, found);
    not_cleared(subject, skn, found);
    clear_hits(subject, found);
    bases(subject, skn, found);
    into_sk1(subject, skn, found);
    shares_line(subject, found);
    super::flush::check(subject, skn, found);
}

/// The range that known models clear: from the lowest slot that only `SKAcc` writes, up to the end of
/// the highest, in whole lines. \[seed 003\]
fn usual_range(subject: &Subject) -> Option<(u64, u64)> {
    let lowest = subject.coverage.accumulation_only().next()? as u64;
    let highest = subject.coverage.accumulation_only().last()? as u64;
    let start = lowest * STRIDE;
    Some((start, align32((highest + 1) * STRIDE - start)))
}

fn clear_formula(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    if subject.positions().is_none() {
        return; // How many slots there are is not known, nor which of them entries write.
    }
    let have = (u64::from(skn.header.clear_start), u64::from(skn.header.clear_size));
    let want = usual_range(subject).unwrap_or((0, 0));
    if have == want || (have.1 == 0 && want.1 == 0) {
        return;
    }
    let place = subject.skn_place(0x14).field("memClr");
    let help = format!("known models would use start {:#x}, size {:#x}", want.0, want.1);
    let text = format!("the clear range is {:#x} bytes at {:#x}", have.1, have.0);
    let extra = have.0 == want.0 && have.1 == want.1 + 32;
    let code = if extra { &codes::CLEAR_EXTRA_LINE } else { &codes::CLEAR_RANGE };
    let text = if extra { format!("{text}, one line more than needed") } else { text };
    found.push(Found::new(code, place, text, help).part(Part::Clear));
}

/// Runs of slots in ascending order.
pub(super) fn runs(slots: impl Iterator<Item = u64>) -> Vec<Range<u64>> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    for slot in slots {
        match runs.last_mut() {
            Some(run) if run.end == slot => run.end += 1,
            _ => runs.push(slot..slot + 1),
        }
    }
    runs
}

/// `3..7, 9`: runs as people write them, the first few.
pub(super) fn slot_list(runs: &[Range<u64>]) -> String {
    let shown = runs.iter().take(4).map(|run| {
        if run.end - run.start == 1 {
            run.start.to_string()
        } else {
            format!("{}..{}", run.start, run.end - 1)
        }
    });
    let text = shown.collect::<Vec<_>>().join(", ");
    if runs.len() > 4 { format!("{text}, …") } else { text }
}

fn total(runs: &[Range<u64>]) -> u64 {
    runs.iter().map(|run| run.end - run.start).sum()
}

fn not_cleared(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    let lines = subject.cleared_lines();
    let start = u64::from(skn.header.clear_start);
    let bytes = start..start + u64::from(skn.header.clear_size);
    let inside =
        |range: &Range<u64>, slot: u64| range.start <= slot * STRIDE && (slot + 1) * STRIDE <= range.end;
    let only = || subject.coverage.accumulation_only().map(|slot| slot as u64);
    let never = runs(only().filter(|&slot| !inside(&lines, slot) && !inside(&bytes, slot)));
    let cut = runs(only().filter(|&slot| !inside(&lines, slot) && inside(&bytes, slot)));
    let place = subject.skn_place(0x14).field("memClr");
    if !never.is_empty() {
        let text = format!(
            "{} slot{} that only SKAcc writes {} not cleared: {}",
            total(&never),
            if total(&never) == 1 { "" } else { "s" },
            if total(&never) == 1 { "is" } else { "are" },
            slot_list(&never)
        );
        let help = "extend the clear range, or let an SK1 or SK2 entry write these slots first";
        let finding = Found::new(&codes::ACCUMULATED_NOT_CLEARED, place.clone(), text, help);
        found.push(never.into_iter().fold(finding, Found::slots));
    }
    if !cut.is_empty() {
        let text = format!(
            "the range {:#x}..{:#x} covers slot {}, the lines {:#x}..{:#x} that are cleared do not",
            bytes.start,
            bytes.end,
            slot_list(&cut),
            lines.start,
            lines.end
        );
        let help =
            "make the range one line longer; this assumes that whole lines are cleared, as the library does";
        let finding = Found::new(&codes::CLEAR_CUT_SHORT, place, text, help).open();
        found.push(cut.into_iter().fold(finding, Found::slots));
    }
}

fn clear_hits(subject: &Subject, found: &mut Vec<Found>) {
    let lines = subject.cleared_lines();
    if lines.is_empty() {
        return;
    }
    let limit = subject.coverage.skacc.len() as u64;
    let touched = lines.start / STRIDE..lines.end.div_ceil(STRIDE).min(limit);
    let direct = runs(touched.clone().filter(|&slot| subject.coverage.is_direct(slot as usize)));
    let place = subject.skn_place(0x14).field("memClr");
    if !direct.is_empty() {
        let text = format!(
            "the lines {:#x}..{:#x} cover slots that SK1 or SK2 entries write: {}",
            lines.start,
            lines.end,
            slot_list(&direct)
        );
        let help = "clear only slots that SKAcc alone writes: the clear runs after SK1 and SK2";
        let finding = Found::new(&codes::CLEAR_HITS_DIRECT, place.clone(), text, help);
        found.push(direct.into_iter().fold(finding, Found::slots));
    }
    let whole = lines.start.div_ceil(STRIDE)..(lines.end / STRIDE).min(limit);
    let idle = |slot: &u64| {
        let slot = *slot as usize;
        !subject.coverage.is_direct(slot) && !subject.coverage.is_accumulation_only(slot)
    };
    // What rounding to lines adds, and one line more, is usual: a known model has it.
    let usual = usual_range(subject).map_or(0..0, |(start, size)| start & !31..start + size + 32);
    let drawn = |slot: u64| subject.coverage.used.get(slot as usize).is_some_and(|bit| *bit);
    let odd =
        |slot: &u64| drawn(*slot) || !(usual.start <= slot * STRIDE && (slot + 1) * STRIDE <= usual.end);
    let slots: Vec<u64> = whole.filter(idle).filter(odd).collect();
    if !slots.is_empty() {
        let shown = slots.iter().filter(|&&slot| drawn(slot)).count();
        let which = if shown != 0 { "slots, drawn ones among them," } else { "slots" };
        let text = format!(
            "{which} are cleared, and nothing accumulates into them: {}",
            slot_list(&runs(slots.into_iter()))
        );
        let help = "shorten the clear range, or let SKAcc entries write these slots";
        let finding = Found::new(&codes::CLEARED_NOT_ACCUMULATED, place, text, help);
        let lie = if shown == 1 { "slot lies" } else { "slots lie" };
        found.push(match shown {
            0 => finding,
            _ => finding.spoils(format!("{shown} drawn {lie} at the origin")),
        });
    }
}

fn bases(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    for (entry, index) in skn.skacc.iter().zip(0..).filter(|(entry, _)| entry.destination != 0) {
        let id = EntryId { list: List::SkAcc, index };
        let text = format!(
            "its destination base is {:#x}; flush indices count from the first entry's base for all",
            entry.destination
        );
        let help = "use base 0 and add it to the indices, as every known model does";
        let place = subject.entry_place(id).field("destination");
        let finding = Found::new(&codes::ACCUMULATE_BASE, place, text, help).entry(id);
        found
            .push(based_slots(entry.destination, skn.indices(entry)).into_iter().fold(finding, Found::slots));
    }
}

/// The slots that an entry adds to, also where its base is none of a slot: addresses wrap at 32 bits.
fn based_slots(base: u32, indices: impl Iterator<Item = u16>) -> Vec<Range<u64>> {
    let touched: BTreeSet<u64> = indices
        .flat_map(|index| {
            let start = u64::from(base.wrapping_add(u32::from(index) * STRIDE as u32));
            start / STRIDE..(start + STRIDE).div_ceil(STRIDE)
        })
        .collect();
    runs(touched.into_iter())
}

fn into_sk1(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    for (entry, index) in skn.skacc.iter().zip(0..) {
        let id = EntryId { list: List::SkAcc, index };
        let base = u64::from(entry.destination) / STRIDE;
        let hits: BTreeSet<u64> = skn
            .indices(entry)
            .map(|slot| base + u64::from(slot))
            .filter(|&slot| subject.coverage.sk1.get(slot as usize).is_some_and(|bit| *bit))
            .collect();
        let hits = runs(hits.into_iter());
        if !hits.is_empty() {
            let text = format!("it adds to slots that SK1 entries write: {}", slot_list(&hits));
            let help = "known models supplement SK2 slots only; a one-bone vertex has no weight left";
            found.push(Found::new(&codes::ACCUMULATE_INTO_SK1, subject.entry_place(id), text, help));
        }
    }
}

fn shares_line(subject: &Subject, found: &mut Vec<Found>) {
    let mut lines = BTreeSet::new();
    for slot in subject.coverage.accumulation_only() {
        let start = slot as u64 * STRIDE;
        lines.extend(start / 32..(start + STRIDE).div_ceil(32));
    }
    for entry in &subject.direct {
        let stored = entry.stored();
        let shared: Vec<u64> = lines.range(stored.start / 32..stored.end / 32).copied().collect();
        let (Some(first), false) = (shared.first(), shared.is_empty()) else { continue };
        let text = format!(
            "it stores {} line{} in which slots lie that only SKAcc writes, the first at {:#x}",
            shared.len(),
            if shared.len() == 1 { "" } else { "s" },
            first * 32
        );
        let help = "give slots that only SKAcc writes lines of their own";
        let slots =
            first * 32 / STRIDE..(shared.last().map_or(*first, |last| *last) * 32 + 32).div_ceil(STRIDE);
        let place = subject.entry_place(entry.id);
        found.push(
            Found::new(&codes::ACCUMULATION_SHARES_LINE, place, text, help).slots(slots).entry(entry.id),
        );
    }
}
