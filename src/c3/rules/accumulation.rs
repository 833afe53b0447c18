//! What `SKAcc` entries add to.

use std::collections::BTreeSet;
use std::ops::Range;

use super::codes;
use super::found::{Found, Reach};
use super::subject::Subject;
use super::weights::OWN_WEIGHTS;
use crate::c3::coverage::{accumulated_at, accumulated_slot, slots_from};
use crate::c3::format::skn::{EntryField, EntryId, List, STRIDE, Skn};
use crate::finding::Effect;

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(skn) = subject.skn() else { return };
    if skn.header.skacc_count == 0 {
        return;
    }
    bases(subject, skn, found);
    into_sk1(subject, skn, found);
    shares_line(subject, found);
    super::flush::check(subject, skn, found);
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

pub(super) fn total(runs: &[Range<u64>]) -> u64 {
    runs.iter().map(|run| run.end - run.start).sum()
}

fn bases(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    for (entry, index) in skn.skacc.iter().zip(0..).filter(|(entry, _)| entry.destination != 0) {
        let id = EntryId { list: List::SkAcc, index };
        let text = format!(
            "its destination base is {:#x}; flush indices count from the first entry's base for all",
            entry.destination
        );
        let help = "use base 0 and add it to the indices, as every known model does";
        let place = subject.field_place(id, EntryField::Destination);
        let finding = Found::new(&codes::ACCUMULATE_BASE, place, text, help).entry(id);
        // A base of whole slots counts them otherwise, and adds to each as it should.
        let whole = entry.destination.cast_signed().rem_euclid(STRIDE as i32) == 0;
        let slots =
            if whole { Vec::new() } else { based_slots(entry.destination, skn.loaded_indices(entry)) };
        found.push(slots.into_iter().fold(finding, Found::slots));
    }
}

/// The slots that an entry adds to, also where its base is none of a slot.
fn based_slots(base: u32, indices: impl Iterator<Item = u16>) -> Vec<Range<u64>> {
    let starts = indices.filter_map(|index| accumulated_at(base, index));
    let touched: BTreeSet<u64> = starts.flat_map(|start| slots_from(start, 1)).collect();
    runs(touched.into_iter())
}

fn into_sk1(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    for (entry, index) in skn.skacc.iter().zip(0..) {
        let id = EntryId { list: List::SkAcc, index };
        let hits: BTreeSet<u64> = skn
            .loaded_indices(entry)
            .filter_map(|index| accumulated_slot(entry.destination, index))
            .filter(|&slot| subject.coverage.sk1.get(slot as usize).is_some_and(|bit| *bit))
            .collect();
        let hits = runs(hits.into_iter());
        if !hits.is_empty() {
            let text = format!("it adds to slots that SK1 entries write: {}", slot_list(&hits));
            let help = "known models supplement SK2 slots only; a one-bone vertex has no weight left";
            let more = format!("{OWN_WEIGHTS}: the vertices get more than their whole weight");
            let finding = Found::new(&codes::ACCUMULATE_INTO_SK1, subject.entry_place(id), text, help);
            found.push(finding.always(Effect::not_exercised(more)));
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
        let stored = if entry.ever_stores() { entry.stored() } else { 0..0 };
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
            Found::new(&codes::ACCUMULATION_SHARES_LINE, place, text, help)
                .slots(slots)
                .entry(entry.id)
                .reach(Reach::DataCache),
        );
    }
}
