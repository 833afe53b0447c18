//! The flush list: which lines leave the data cache after accumulation.

use std::collections::BTreeSet;
use std::ops::Range;

use super::accumulation::slot_list;
use super::codes;
use super::found::{Found, Reach};
use super::lists;
use super::subject::{Direct, Subject, signed_hex};
use crate::c3::coverage::accumulated_at;
use crate::c3::format::apart;
use crate::c3::format::skn::{STRIDE, Skn};

/// Destination indices that are followed at most; arrays may share bytes.
const INDEX_LIMIT: usize = 16_000_000;

/// All rules of this file.
pub fn check(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    let base = skn.skacc.first().map_or(0, |entry| entry.destination);
    let touched = lines(skn.skacc.iter().flat_map(|entry| {
        skn.loaded_indices(entry).filter_map(|index| accumulated_at(entry.destination, index))
    }));
    // What lies before the array is not counted among its lines.
    let vertices = || skn.flush.iter().filter_map(|&index| accumulated_at(base, index));
    let flushed: Lines = vertices().filter_map(|start| u64::try_from(start).ok()).map(|at| at / 32).collect();
    let reached = lines(vertices());
    let stored = subject.clear_stored_lines();
    // What is stored after the clear stays in the cache: where a transfer stores, too, it shadows the next frame.
    let transferred = transferred(subject);
    let shadows = |line: u64| {
        let after = transferred.partition_point(|range| range.end <= line * 32);
        transferred.get(after).is_some_and(|range| range.start < line * 32 + 32)
    };
    let open = |line: &u64| !flushed.contains(line) && (!stored.contains(&(line * 32)) || shadows(*line));
    let (tail, none): (Vec<u64>, Vec<u64>) =
        touched.iter().copied().filter(open).partition(|line| reached.contains(line));
    // Which lines indices take that lie elsewhere, nobody knows: their being elsewhere is told.
    if (skn.flush.len() as u64) < u64::from(skn.header.flush_count) {
        return;
    }
    missing(subject, &none, found);
    tails(subject, &tail, found);
    let outside = out_of_range(subject, skn, base, &touched, found);
    if !lists::writes_unknown(skn) {
        let inside: Lines = flushed.difference(&outside).copied().collect();
        superfluous(subject, &touched, &inside, found);
    }
}

/// A finding about indices that do not lie in the section: it answers for what leaves the data cache late. Without
/// accumulation nothing is flushed.
pub(super) fn unread(subject: &Subject, finding: Found) -> Found {
    if subject.skn().is_some_and(|skn| skn.header.skacc_count != 0) {
        finding.reach(Reach::DataCache).slots(0..u64::from(u32::MAX))
    } else {
        finding.decisive()
    }
}

/// The bytes that SK1 and SK2 entries store, in ascending order and apart from each other.
fn transferred(subject: &Subject) -> Vec<Range<u64>> {
    apart(subject.direct.iter().map(Direct::stored))
}

/// Lines of the position array.
type Lines = BTreeSet<u64>;

/// The lines that vertices beginning at these bytes reach.
fn lines(starts: impl Iterator<Item = i64>) -> Lines {
    let at = |offset: i64| u64::try_from(offset).unwrap_or(0);
    let all = starts.take(INDEX_LIMIT);
    all.flat_map(|start| at(start) / 32..at(start + STRIDE as i64).div_ceil(32)).collect()
}

/// The slots that have bytes in a line.
fn slots(line: u64) -> Range<u64> {
    line * 32 / STRIDE..(line * 32 + 32).div_ceil(STRIDE)
}

fn missing(subject: &Subject, lines: &[u64], found: &mut Vec<Found>) {
    let Some(first) = lines.first() else { return };
    let count = lines.len();
    let text = format!(
        "{count} line{} that SKAcc entries write {} neither flushed nor cleared, the first at {:#x} (slot {})",
        if count == 1 { "" } else { "s" },
        if count == 1 { "is" } else { "are" },
        first * 32,
        slots(*first).start
    );
    let help = "list the first vertex of every line that an SKAcc entry writes; Dolphin shows no difference";
    let place = subject.skn_place(0x1C).field("flush");
    let finding = Found::new(&codes::FLUSH_MISSING, place, text, help).reach(Reach::DataCache);
    found.push(lines.iter().map(|&line| slots(line)).fold(finding, Found::slots));
}

/// A flush takes the line in which its vertex begins. Lists that name, for every line written, the first
/// vertex that reaches it miss the lines which that vertex only ends in. Tools whose models run in game
/// write such lists, so whether a console shows it is open.
fn tails(subject: &Subject, lines: &[u64], found: &mut Vec<Found>) {
    let Some(first) = lines.first() else { return };
    let one = lines.len() == 1;
    let text = format!(
        "{} line{} that SKAcc entries write {} only the end of a flushed vertex and {} not flushed: the first at \
         {:#x} (slot {})",
        lines.len(),
        if one { "" } else { "s" },
        if one { "holds" } else { "hold" },
        if one { "is" } else { "are" },
        first * 32,
        slots(*first).start
    );
    let help = "add a vertex that begins in each of these lines; whether a console needs it is open";
    let place = subject.skn_place(0x1C).field("flush");
    let finding = Found::new(&codes::FLUSH_TAIL, place, text, help).reach(Reach::DataCache).open();
    found.push(lines.iter().map(|&line| slots(line)).fold(finding, Found::slots));
}

fn superfluous(subject: &Subject, touched: &Lines, flushed: &Lines, found: &mut Vec<Found>) {
    let cleared = subject.cleared();
    let cleared = cleared.start / 32..cleared.end.div_ceil(32);
    let needless = |line: &&u64| !touched.contains(line) && !cleared.contains(line);
    let lines: Vec<_> = flushed.iter().filter(needless).map(|line| *line..line + 1).collect();
    if lines.is_empty() {
        return;
    }
    let one = lines.len() == 1;
    let text = format!(
        "{} flushed line{} nothing that SKAcc writes: {} {}",
        lines.len(),
        if one { " holds" } else { "s hold" },
        if one { "line" } else { "lines" },
        slot_list(&lines)
    );
    let help = "leave them out; they cost time and do no harm";
    found.push(Found::new(&codes::FLUSH_SUPERFLUOUS, subject.skn_place(0x1C).field("flush"), text, help));
}

/// An index past the last slot flushes something else, unless a written line ends where its vertex begins. Gives the
/// lines that such indices flush.
fn out_of_range(subject: &Subject, skn: &Skn, base: u32, touched: &Lines, found: &mut Vec<Found>) -> Lines {
    let written = subject.direct.iter().map(|entry| entry.stored().end).max().unwrap_or(0);
    let accumulated = subject.coverage.skacc.last_one().map_or(0, |slot| (slot as u64 + 1) * STRIDE);
    let end = subject.stored_bytes().max(written).max(accumulated).max(subject.cleared().end);
    let is_outside = |index: u16| {
        let start = accumulated_at(base, index).and_then(|start| u64::try_from(start).ok());
        start.is_none_or(|start| start >= end && !touched.contains(&(start / 32)))
    };
    let outside: Vec<(u64, u16)> =
        (0..).zip(skn.flush.iter().copied()).filter(|(_, index)| is_outside(*index)).collect();
    let farthest = |(_, index): &&(u64, u16)| accumulated_at(base, *index).unwrap_or(i64::MIN);
    let (Some(&(first, _)), Some(&(_, worst))) = (outside.first(), outside.iter().max_by_key(farthest))
    else {
        return Lines::new();
    };
    let one = outside.len() == 1;
    let last = end.div_ceil(STRIDE).saturating_sub(1);
    let (ind, lie) = if one { ("index", "lies") } else { ("indices", "lie") };
    let text = match (base, accumulated_at(base, worst)) {
        (0, _) => format!("{} flush {ind} {lie} past the last slot ({last}), up to {worst}", outside.len()),
        (_, Some(start)) => format!(
            "{} flush {ind} {lie} outside of the slots 0..{last}, as they count from the first SKAcc entry's base \
             {base:#x}: index {worst} means {} of the position array",
            outside.len(),
            signed_hex(start)
        ),
        (_, None) => format!(
            "{} flush {ind} {lie} where no memory is, as they count from the first SKAcc entry's base {base:#x}",
            outside.len()
        ),
    };
    let help = "remove them: each flushes a line of something else";
    let place = subject.skn_place(u64::from(skn.header.flush) + 2 * first).field("flush");
    found.push(Found::new(&codes::FLUSH_OUT_OF_RANGE, place, text, help).decisive());
    let starts = outside.iter().filter_map(|(_, index)| accumulated_at(base, *index));
    starts.filter_map(|start| u64::try_from(start).ok()).map(|start| start / 32).collect()
}
