//! Weights: what each slot gets from which bone, over all lists.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::accumulation::{runs, slot_list};
use super::codes;
use super::found::Found;
use super::lists;
use super::subject::{Direct, Subject};
use crate::c3::coverage::accumulated_slot;
use crate::c3::format::apart;
use crate::c3::format::skn::{EntryId, List, STRIDE, Skn};
use crate::finding::Effect;

/// Contributions that are gathered at most; entries may share bytes.
const CONTRIBUTION_LIMIT: usize = 400_000;
/// What a slot's weights sum to.
const WHOLE: u32 = 256;

/// One bone's part in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contribution {
    /// Slot of the position array.
    pub slot: u64,
    /// Bone.
    pub bone: u16,
    /// The entry.
    pub entry: EntryId,
    /// Vertex of the entry.
    pub vertex: u32,
    /// Weight in 1/256; 0 where the section does not hold it.
    pub weight: u16,
    /// Whether the section holds the weight.
    pub held: bool,
}

/// Where weights and destination indices are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadFrom {
    /// From where the file says that they lie.
    File,
    /// From where transfers bring them: the cache line in which they begin.
    Lines,
}

impl ReadFrom {
    fn bytes<'a>(self, skn: &Skn<'a>, offset: u32, size: u64) -> &'a [u8] {
        match self {
            Self::File => skn.held(offset, size),
            Self::Lines => skn.loaded(offset, size),
        }
    }
}

/// Every contribution, in the order in which a frame makes them.
pub fn contributions(subject: &Subject) -> Vec<Contribution> {
    contributions_below(subject, ReadFrom::Lines, u64::MAX)
}

/// Every contribution to a slot below a limit.
pub fn contributions_below(subject: &Subject, from: ReadFrom, limit: u64) -> Vec<Contribution> {
    let Some(skn) = subject.skn() else { return Vec::new() };
    let direct = subject.direct.iter().flat_map(|entry| {
        let weights = entry.weights.map(|weights| from.bytes(skn, weights, 2 * u64::from(entry.count)));
        let slots = (0..u32::from(entry.count)).filter_map(|vertex| Some((vertex, entry.slot_of(vertex)?)));
        slots.take_while(move |(_, slot)| *slot < limit).flat_map(move |(vertex, slot)| {
            let part = |half: usize| {
                let weight = match weights {
                    Some(weights) => weights.get(2 * vertex as usize + half).copied().map(u16::from),
                    None => Some(WHOLE as u16),
                };
                let (held, weight) = (weight.is_some(), weight.unwrap_or(0));
                Contribution { slot, bone: entry.bones[half], entry: entry.id, vertex, weight, held }
            };
            std::iter::once(part(0)).chain(weights.map(|_| part(1)))
        })
    });
    let accumulated = accumulated(skn, from).filter(|part| part.slot < limit);
    direct.chain(accumulated).take(CONTRIBUTION_LIMIT).collect()
}

fn accumulated<'a>(skn: &'a Skn, from: ReadFrom) -> impl Iterator<Item = Contribution> + 'a {
    skn.skacc.iter().zip(0..).flat_map(move |(entry, index)| {
        let id = EntryId { list: List::SkAcc, index };
        let weights = from.bytes(skn, entry.weights, entry.count.into());
        let indices = from.bytes(skn, entry.indices, 2 * u64::from(entry.count)).chunks_exact(2);
        let indices = indices.map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        indices.zip(0..).filter_map(move |(index, vertex)| {
            let slot = accumulated_slot(entry.destination, index)?;
            let weight = weights.get(vertex as usize).copied();
            let (held, weight) = (weight.is_some(), weight.map_or(0, u16::from));
            Some(Contribution { slot, bone: entry.bone, entry: id, vertex, weight, held })
        })
    })
}

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let mut parts = contributions(subject);
    zeroes(subject, &parts, found);
    parts.sort_by_key(|part| (part.slot, part.bone, part.entry, part.vertex));
    sums(subject, &parts, found);
    duplicates(subject, &parts, found);
}

fn zeroes(subject: &Subject, parts: &[Contribution], found: &mut Vec<Found>) {
    let mut zeroes: BTreeMap<EntryId, (u32, u32)> = BTreeMap::new();
    for part in parts.iter().filter(|part| part.held && part.weight == 0) {
        zeroes.entry(part.entry).or_insert((part.vertex, 0)).1 += 1;
    }
    for (entry, (first, count)) in zeroes {
        let text = format!(
            "{count} of its weights {} 0, the first at its vertex {first}",
            if count == 1 { "is" } else { "are" }
        );
        let help = "a weight of 0 only costs time";
        found.push(Found::new(&codes::WEIGHT_ZERO, subject.entry_place(entry), text, help));
    }
}

fn sums(subject: &Subject, parts: &[Contribution], found: &mut Vec<Found>) {
    // What adds to which slot is not known where entries or their indices are read from elsewhere.
    if subject.skn().is_none_or(lists::writes_unknown) {
        return;
    }
    let (drawn, idle): (Vec<Wrong>, Vec<Wrong>) =
        wrong_sums(parts).partition(|wrong| subject.is_drawn(wrong.first.slot));
    let help = "share out 256 among the bones of a vertex: SK2 pair and SKAcc weights together";
    for (wrong, is_drawn) in [(&drawn, true), (&idle, false)] {
        let Some(first) = wrong.first().map(|wrong| wrong.first) else { continue };
        let least = wrong.iter().map(|wrong| wrong.sum).min().unwrap_or(WHOLE);
        let largest = wrong.iter().map(|wrong| wrong.sum).max().unwrap_or(WHOLE);
        let sums = if least == largest { least.to_string() } else { format!("{least} to {largest}") };
        let entries: BTreeSet<EntryId> = wrong.iter().map(|wrong| wrong.first.entry).collect();
        let text = format!(
            "the weights of {} slot{} over all lists sum to {sums}, not {WHOLE}: {} ({} entr{})",
            wrong.len(),
            if wrong.len() == 1 { "" } else { "s" },
            slot_list(&runs(wrong.iter().map(|wrong| wrong.first.slot))),
            entries.len(),
            if entries.len() == 1 { "y" } else { "ies" }
        );
        let place = subject.entry_place(first.entry).vertex(first.slot as u32);
        found.push(if is_drawn {
            let (what, whose) = match wrong.len() {
                1 => ("the vertex is drawn at", "its"),
                _ => ("the vertices are drawn at", "their"),
            };
            let drawn = format!("{what} {sums} 256ths of {whose} place, {}", direction((least, largest)));
            let effect = Effect::not_exercised(format!("{OWN_WEIGHTS}: {drawn}"));
            Found::new(&codes::WEIGHT_SUM, place, text, help).always(effect)
        } else {
            let whose = if wrong.len() == 1 { "it" } else { "them" };
            let text = format!("{text}; no primitive draws {whose}");
            Found::new(&codes::WEIGHT_SUM, place, text, help).harmless()
        });
    }
}

/// A slot whose weights do not sum to the whole.
struct Wrong {
    /// The first contribution to it.
    first: Contribution,
    /// What they sum to.
    sum: u32,
}

/// The slots all of whose weights are there, and sum to something else.
fn wrong_sums(parts: &[Contribution]) -> impl Iterator<Item = Wrong> + '_ {
    let slots = parts.chunk_by(|a, b| a.slot == b.slot).filter(|slot| slot.iter().all(|part| part.held));
    let wrong = slots.map(|slot| {
        let sum = adding(slot).map(|part| u32::from(part.weight)).sum();
        Wrong { first: slot[0], sum }
    });
    wrong.filter(|wrong| wrong.sum != WHOLE)
}

/// The contributions to a slot that are drawn together: SK1 and SK2 entries store over what was there, so that of
/// several the last one's count, and `SKAcc` entries add to it.
fn adding(slot: &[Contribution]) -> impl Iterator<Item = &Contribution> {
    let direct = |part: &&Contribution| part.entry.list != List::SkAcc;
    let last = slot.iter().filter(direct).map(|part| part.entry).max();
    slot.iter().filter(move |part| !direct(part) || Some(part.entry) == last)
}

/// Why no frame tells what other weights would do.
pub(super) const OWN_WEIGHTS: &str = "a frame knows no other weights than the file's";

/// Where vertices of whose weights these are the least and the largest sum are drawn.
const fn direction((least, largest): (u32, u32)) -> &'static str {
    match (least < WHOLE, largest > WHOLE) {
        (true, false) => "towards the origin",
        (false, true) => "away from the origin",
        _ => "towards the origin or away from it",
    }
}

fn duplicates(subject: &Subject, parts: &[Contribution], found: &mut Vec<Found>) {
    let mut twice: BTreeMap<EntryId, (Contribution, u32, u32)> = BTreeMap::new();
    let adding: Vec<Contribution> =
        parts.chunk_by(|a, b| a.slot == b.slot).flat_map(adding).copied().collect();
    for group in adding.chunk_by(|a, b| (a.slot, a.bone) == (b.slot, b.bone)) {
        let (Some(last), true) = (group.last(), group.len() > 1) else { continue };
        let known = group.len() == 2 && group[0].weight == 255 && last.weight == 1;
        let entry = twice.entry(last.entry).or_insert((*last, 0, 0));
        entry.1 += 1;
        entry.2 += u32::from(known);
    }
    for (entry, (first, count, known)) in twice {
        let pattern =
            if known == count { "all as 255 + 1, which known models have" } else { "not all as 255 + 1" };
        let text = format!(
            "a bone adds to {count} slot{} more than once, the first {} (bone {}), {pattern}",
            if count == 1 { "" } else { "s" },
            first.slot,
            first.bone
        );
        let help = "both contributions count; keep them apart when editing";
        found.push(Found::new(&codes::WEIGHT_DUPLICATE, subject.entry_place(entry), text, help));
    }
}

/// Slots that primitives draw and no list writes keep the position that the file stores; where they are
/// cleared they lie at the origin, which is a finding about the clear.
pub fn unwritten(subject: &Subject, found: &mut Vec<Found>) {
    if subject.skn().is_none_or(lists::writes_unknown) {
        return;
    }
    let slots: Vec<_> = subject
        .coverage
        .unwritten()
        .filter(|&slot| subject.coverage.used.get(slot).is_some_and(|bit| *bit))
        .filter(|&slot| !subject.is_cleared(slot as u64))
        .map(|slot| slot as u64)
        .collect();
    let Some(&first) = slots.first() else { return };
    let text = format!(
        "{} drawn slot{} no list writes: {}; {}",
        slots.len(),
        if slots.len() == 1 { "" } else { "s" },
        slot_list(&runs(slots.iter().copied())),
        unwritten_fate(subject, &slots)
    );
    let help = "write these slots by an SK1 or SK2 entry, or draw others";
    let place = subject.skn_place(0).vertex(first as u32);
    let stay = match slots.len() {
        1 => "1 drawn slot that no bone moves".to_owned(),
        count => format!("{count} drawn slots that no bone moves"),
    };
    found.push(Found::new(&codes::SLOT_UNWRITTEN, place, text, help).always(Effect::WrongOutput(stay)));
}

/// Where slots lie that no list writes: stores move whole lines, and put what lies beside an entry's vertices in its
/// source over what lies beside them in the array.
fn unwritten_fate(subject: &Subject, slots: &[u64]) -> String {
    let one = slots.len() == 1;
    let stays =
        if one { "it will stay where the file puts it" } else { "they will stay where the file puts them" };
    // A kernel of one vertex does not come to its store either.
    let storing = || subject.direct.iter().filter(|entry| entry.count > 1);
    let stored = apart(storing().map(Direct::stored));
    let meets =
        |range: &Range<u64>, slot: u64| range.start < (slot + 1) * STRIDE && slot * STRIDE < range.end;
    let mut covered = slots.iter().copied().filter(|&slot| {
        let behind = stored.partition_point(|range| range.end <= slot * STRIDE);
        stored.get(behind).is_some_and(|range| meets(range, slot))
    });
    // The store that runs last leaves its bytes.
    let last = |slot: u64| storing().rfind(|entry| meets(&entry.stored(), slot));
    let found = covered.next().and_then(|slot| Some((slot, last(slot)?.id)));
    let Some((first, entry)) = found else { return stays.to_owned() };
    let beside = "what lies beside the vertices in its source";
    match (one, covered.count()) {
        (true, _) => format!("the store of {entry} puts {beside} over it"),
        (false, 0) => format!("{stays}, but for slot {first}: the store of {entry} puts {beside} over it"),
        (false, more) => {
            format!(
                "{stays}, but for {} of them: the store of {entry} puts {beside} over slot {first}",
                more + 1
            )
        }
    }
}
