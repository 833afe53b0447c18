//! Bytes of the skinning section that belong to nothing, and that known models leave at zero.

use std::ops::Range;

use super::arrays::{VariableArray, VariableKind, place};
use super::codes;
use super::found::Found;
use super::lists;
use super::mirror::off_by;
use super::subject::Subject;
use crate::c3::format::align32;
use crate::c3::format::skn::{EntryField, HEADER_SIZE, Skn};
use crate::finding::Place;

/// The fewest vertices of a known SK1 or SK2 entry. \[seed 003\]
const FEWEST: u16 = 3;

/// All rules of this file.
pub(super) fn check(subject: &Subject, skn: &Skn, arrays: &[VariableArray], found: &mut Vec<Found>) {
    let mut report = |place: Place, text: String| {
        found.push(Found::new(&codes::PADDING_NOT_ZERO, place, text, "known models keep zeroes there"));
    };
    let lists_end = skn.lists_end();
    let gap = skn.held(lists_end as u32, skn.mirror_start() - lists_end);
    if let Some(first) = first_set(gap) {
        let text = "the bytes between the entry lists and the next line are not zero";
        report(subject.skn_place(lists_end + first), text.to_owned());
    }
    if skn.header.padding != 0 {
        report(subject.skn_place(7), "the unused byte of the header is not zero".to_owned());
    }
    let sk1 = skn.sk1.iter().map(|entry| first_set(&entry.padding));
    let sk2 = skn.sk2.iter().map(|entry| first_set(&[entry.padding]));
    for (entry, first) in subject.direct.iter().zip(sk1.chain(sk2)) {
        if let Some(first) = first {
            // They follow the vertex offset.
            let unused = entry.offset + EntryField::VertexOffset.offset_in(entry.id.list) + 1;
            let place = subject.skn_place(unused + first).entry(entry.id.to_string());
            report(place, "its unused bytes are not zero".to_owned());
        }
    }
    // Behind a count that is too small lie the entry's other vertices, and what a source off the mirror ends at is
    // told with it.
    let is_elsewhere = |array: &VariableArray| {
        let direct = array.entry.and_then(|entry| subject.direct_entry(entry));
        let source = array.kind == VariableKind::Source;
        direct.is_some_and(|entry| entry.count < FEWEST || source && off_by(entry, skn.mirror_start()) != 0)
    };
    for (array, bytes) in after_arrays(skn, arrays).into_iter().filter(|(array, _)| !is_elsewhere(array)) {
        let held = skn.held(bytes.start as u32, bytes.end - bytes.start);
        let dirty = held.iter().filter(|byte| **byte != 0).count();
        if dirty != 0 {
            let text = format!(
                "{dirty} of the {} bytes between the end of its {} and the next line, at {:#x}, {} not zero",
                held.len(),
                array.kind.name(),
                bytes.start,
                if dirty == 1 { "is" } else { "are" }
            );
            let first = first_set(held).unwrap_or(0);
            let mut at = subject.skn_place(bytes.start + first).field(array.kind.name());
            at.entry = place(subject, array).entry;
            report(at, text);
        }
    }
}

/// Which byte is the first that is not zero.
fn first_set(bytes: &[u8]) -> Option<u64> {
    bytes.iter().position(|&byte| byte != 0).map(|first| first as u64)
}

/// What lies between the end of an array and the end of its last line, and belongs to nothing else.
fn after_arrays<'a>(skn: &Skn, arrays: &'a [VariableArray]) -> Vec<(&'a VariableArray, Range<u64>)> {
    let none = |range: Range<u64>| (None, range);
    let held = arrays.iter().map(|array| (Some(array), array.range.clone()));
    let mut taken: Vec<_> = held.chain(lists::ranges(skn).map(none)).chain([none(0..HEADER_SIZE)]).collect();
    taken.retain(|(_, range)| !range.is_empty() && range.start < skn.view().len());
    taken.sort_by_key(|(_, range)| (range.start, range.end));
    taken.push(none(u64::MAX..u64::MAX));
    let mut padding = Vec::new();
    // Of what is taken so far the part that reaches farthest.
    let mut last: Option<(Option<&VariableArray>, u64)> = None;
    for (array, range) in taken {
        if let Some((Some(before), end)) = last.filter(|(_, end)| *end < range.start) {
            padding.push((before, end..align32(end).min(range.start)));
        }
        if last.is_none_or(|(_, end)| range.end > end) {
            last = Some((array, range.end));
        }
    }
    padding
}
