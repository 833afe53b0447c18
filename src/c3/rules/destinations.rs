//! Where writes land: shared lines, shared slots, structures of the model, bytes outside it.

use std::ops::Range;

use super::codes;
use super::found::{Found, Reach};
use super::outside;
use super::spoiled::Spoiled;
use super::subject::{Direct, Subject, section_owners, signed_hex};
use super::writes::{Write, between, is_target, writes};
use crate::c3::format::align32;
use crate::c3::format::block::SectionKind;
use crate::c3::format::gpl::ReadWhen;
use crate::c3::format::skn::{List, STRIDE, Skn};
use crate::c3::runtime::journal::Writer;
use crate::finding::Severity;

/// Comparisons of writes with structures that are made at most: both numbers come from the file.
const COMPARISON_LIMIT: usize = 20_000_000;

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    shared_lines(subject, found);
    overlaps(subject, found);
    let Some(start) = subject.positions() else { return };
    let writes = writes(subject);
    let before = found.len();
    over_structures(subject, start, &writes, found);
    outside::check(subject, &writes, found);
    // What a write does to bytes that belong to something is told: those that it may have are another matter.
    let told: Vec<Writer> =
        found[before..].iter().flat_map(|one| one.evidence.writers.iter().copied()).collect();
    let free: Vec<&Write> = writes.iter().filter(|write| !told.contains(&write.writer())).collect();
    outside_scratch(subject, &free, found);
}

/// Pairs of entries whose ranges meet: each entry with the one that reaches farthest of those that begin
/// before it. The one that runs later comes second.
fn meeting<'s>(
    subject: &'s Subject,
    range: impl Fn(&Direct) -> Range<i64>,
) -> Vec<(&'s Direct, &'s Direct, Range<i64>)> {
    let mut sorted: Vec<&Direct> = subject.direct.iter().filter(|entry| !range(entry).is_empty()).collect();
    sorted.sort_by_key(|entry| (range(entry).start, entry.id));
    let mut pairs = Vec::new();
    let mut farthest: Option<&Direct> = None;
    for entry in sorted {
        if let Some(other) = farthest.filter(|other| range(entry).start < range(other).end) {
            let shared = range(entry).start..range(entry).end.min(range(other).end);
            let (first, second) = if entry.id < other.id { (entry, other) } else { (other, entry) };
            pairs.push((first, second, shared));
        }
        if farthest.is_none_or(|other| range(entry).end > range(other).end) {
            farthest = Some(entry);
        }
    }
    pairs.sort_by_key(|(first, second, _)| (second.id, first.id));
    pairs
}

fn shared_lines(subject: &Subject, found: &mut Vec<Found>) {
    for (first, second, shared) in meeting(subject, stored_around) {
        let overlap = between(&first.vertices_around(), &shared);
        let slots = slots_in(&overlap);
        let damage = if overlap.is_empty() {
            "no vertex of it lies there".to_owned()
        } else {
            format!(
                "its store puts {} bytes over {}: {}",
                overlap.end - overlap.start,
                place_words(&slots),
                put_there(subject, second, &overlap)
            )
        };
        let text = format!(
            "it stores the line{} {}..{} of {} again, which runs before: {damage}",
            if shared.end - shared.start > 32 { "s" } else { "" },
            signed_hex(shared.start),
            signed_hex(shared.end),
            first.id
        );
        let help = "begin the entry on the next free line: `skinsim repair` lays entries out without sharing";
        let place = subject.entry_place(second.id);
        let finding = Found::new(&codes::LINE_SHARED, place, text, help).entry(second.id);
        // Slots that both entries write whole are no matter of their lines.
        let own = second.vertices_around();
        let on_slots = own.start.rem_euclid(STRIDE as i64) == 0;
        let own = if on_slots { own } else { own.start..own.start };
        let beside = [i64::MIN..own.start, own.end..i64::MAX].map(|side| between(&side, &overlap));
        let beside = beside.iter().filter(|part| !part.is_empty()).map(slots_in);
        found.push(beside.fold(finding, Found::slots));
    }
}

/// What an entry stores, as far as it comes to it.
fn stored_around(entry: &Direct) -> Range<i64> {
    if entry.ever_stores() { entry.stored_around() } else { 0..0 }
}

/// `slot 5`, `slots 5..7`.
pub(super) fn slot_words(slots: &Range<u64>) -> String {
    match slots.end - slots.start {
        1 => format!("slot {}", slots.start),
        _ => format!("slots {}..{}", slots.start, slots.end - 1),
    }
}

/// The slots that have bytes in a range, as far as they do not lie before the array.
fn slots_in(range: &Range<i64>) -> Range<u64> {
    let slot = |at: i64| u64::try_from(at.div_euclid(STRIDE as i64)).unwrap_or(0);
    slot(range.start)..slot(range.end + STRIDE as i64 - 1)
}

/// The same in words.
fn place_words(slots: &Range<u64>) -> String {
    if slots.is_empty() { "bytes before the array".to_owned() } else { slot_words(slots) }
}

/// What an entry's store puts into a range: what lies around its vertices in its source goes along.
fn put_there(subject: &Subject, entry: &Direct, range: &Range<i64>) -> String {
    let (stored, vertices) = (entry.stored_around(), entry.vertices_around());
    let parts = [
        ("bytes before its first vertex", stored.start..vertices.start),
        ("its own vertices", vertices.clone()),
        ("what follows its last vertex in the source", vertices.end..i64::MAX),
    ];
    let named = parts.into_iter().filter_map(|(name, part)| {
        let part = between(&part, range);
        let from = entry.source.wrapping_add((part.start - stored.start) as u32);
        let bytes = subject.skn()?.held(from, (part.end - part.start).cast_unsigned());
        let zeroes = !bytes.is_empty() && bytes.iter().all(|&byte| byte == 0);
        (!part.is_empty()).then(|| format!("{name}{}", if zeroes { " (zeroes)" } else { "" }))
    });
    named.collect::<Vec<_>>().join(", ")
}

fn overlaps(subject: &Subject, found: &mut Vec<Found>) {
    for (first, second, shared) in meeting(subject, Direct::vertices_around) {
        let slots = slots_in(&shared);
        let text = format!("it writes {}, which {} writes before", place_words(&slots), first.id);
        let help = "let one entry write a slot; further bones add to it by SKAcc entries";
        let place = subject.entry_place(second.id);
        // The later entry's vertices are drawn; where they are others than the first one's, those are lost.
        let finding = Found::new(&codes::DESTINATION_OVERLAP, place, text, help).slots(slots);
        found.push(finding.reach(Reach::Conflicts));
    }
}

fn over_structures(subject: &Subject, start: u64, writes: &[Write], found: &mut Vec<Found>) {
    let structures: Vec<_> =
        subject.structures.iter().filter(|structure| !is_target(structure, start)).collect();
    let pairs = writes.iter().flat_map(|write| structures.iter().map(move |structure| (write, structure)));
    for (write, structure) in pairs.take(COMPARISON_LIMIT) {
        let bytes = write.bytes_in(start, &structure.range);
        if bytes == 0 {
            continue;
        }
        let (severity, when) = match structure.read_when {
            ReadWhen::EveryFrame => (Severity::Error, "read where it lies in every frame"),
            ReadWhen::Load => (Severity::Warning, "read once while loading"),
        };
        let text = format!(
            "{} reaches {bytes} bytes into the {} at {:#x}, which is {when}",
            write.what(),
            structure.name(),
            structure.range.start
        );
        let finding = write.found(subject, &codes::WRITE_BACK_OVER_STRUCTURE, text, remedy(write));
        found.push(finding.severity(severity).structure(structure.name()));
    }
    over_sections(subject, start, writes, found);
}

/// What keeps a write off structures: by who writes, and on which side of the array.
fn remedy(write: &Write) -> &'static str {
    let before = write.ranges.first().is_some_and(|range| range.start < 0);
    match write.by.map(|id| id.list) {
        None => {
            "correct the clear range: it goes from the first to the last slot that SKAcc entries alone write: \
             `skinsim repair`"
        }
        Some(List::SkAcc) if before => "correct the entry's destination base, which should be 0",
        Some(List::SkAcc) => {
            "correct the indices or the base; if the slots are meant, reserve the position array up to the last of them: \
             `skinsim repair`"
        }
        Some(_) if before => "correct the destination: it must not lie before the position array",
        Some(_) => "reserve the position array up to the end of the last stored line: `skinsim repair`",
    }
}

/// Other sections of the block that a write reaches.
fn over_sections(subject: &Subject, start: u64, writes: &[Write], found: &mut Vec<Found>) {
    let (Some(block), Some(gpl)) = (&subject.model.block, subject.gpl()) else { return };
    let base = gpl.view().base() + start;
    let mut spoiled = Spoiled::new(subject);
    let used = subject.skn().map(Skn::used).unwrap_or_default();
    for write in writes {
        let others = block.sections().iter().filter(|section| section.inside.is_none());
        for section in others.filter(|section| section.view.base() != gpl.view().base()) {
            let mut reached = write.inside(base, &section.range());
            if section.kind == SectionKind::Skn {
                reached = meeting_ranges(&reached, &used);
            }
            let bytes: u64 = reached.iter().map(|range| range.end - range.start).sum();
            if bytes == 0 {
                continue;
            }
            let what = match section.kind {
                SectionKind::Skn => format!("the SKN section: {}", spoiled.names(&reached)),
                kind => format!("the {} section", kind.name()),
            };
            let text = format!("{} reaches {bytes} bytes into {what}", write.what());
            let finding = write.found(subject, &codes::WRITE_BACK_OVER_STRUCTURE, text, remedy(write));
            let finding = section_owners(section.kind).into_iter().fold(finding, Found::structure);
            found.push(match section.kind {
                SectionKind::Skn => spoiled.answer(subject, finding, &reached),
                _ => finding,
            });
        }
    }
}

/// What two lists of ranges share, both ascending and apart from each other.
fn meeting_ranges(written: &[Range<u64>], used: &[Range<u64>]) -> Vec<Range<u64>> {
    let of = |own: &Range<u64>| {
        let own = own.clone();
        let first = used.partition_point(|range| range.end <= own.start);
        let met = used[first..].iter().take_while(move |range| range.start < own.end).cloned();
        let own = own.clone();
        met.map(move |range| between(&range, &own)).collect::<Vec<_>>()
    };
    written.iter().flat_map(of).collect()
}

/// Writes behind the array that meet nothing which is known to lie there: those bytes must stay free.
fn outside_scratch(subject: &Subject, writes: &[&Write], found: &mut Vec<Found>) {
    let stored = align32(subject.stored_bytes());
    let Some(farthest) = writes.iter().max_by_key(|write| write.end()) else { return };
    if farthest.end() <= stored {
        return;
    }
    let array = subject.stored_bytes();
    let behind = array as i64..i64::MAX;
    let written = farthest.ranges.iter().map(|range| between(range, &behind)).find(|range| !range.is_empty());
    let first = written.map_or(array, |range| range.start.unsigned_abs());
    let text = if first == array {
        format!(
            "{} ends at {:#x} of a position array of {array:#x} bytes: the {:#x} bytes behind it must belong to nothing",
            farthest.what(),
            farthest.end(),
            farthest.end() - array
        )
    } else {
        format!(
            "{} reaches {first:#x}..{:#x} from the start of a position array of {array:#x} bytes: what lies there \
             must belong to nothing",
            farthest.what(),
            farthest.end()
        )
    };
    let help = "keep the bytes behind the array free up to there, as known models do";
    found.push(Found::new(&codes::WRITE_OUTSIDE_SCRATCH, farthest.place(subject), text, help));
}
