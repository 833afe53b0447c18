//! Slots picked from what a run saw, and counted in words.

use std::ops::Range;

use crate::c3::rules::effects::WrongSlot;

/// The items of an ascending list that lie in any of these ranges of slots, as ranges of the list.
pub(super) fn within<T>(list: &[T], slot: impl Fn(&T) -> u32, ranges: &[Range<u32>]) -> Vec<Range<usize>> {
    let first = |from: u32| list.partition_point(|item| slot(item) < from);
    let found = ranges.iter().map(|range| first(range.start)..first(range.end));
    found.filter(|range| range.start < range.end).collect()
}

/// The items of a list in these ranges of it, each once.
pub(super) fn select<T>(list: &[T], mut ranges: Vec<Range<usize>>) -> Vec<&T> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut next = 0;
    let mut items = Vec::new();
    for range in ranges {
        let start = range.start.max(next);
        items.extend(list.get(start..range.end.max(start)).into_iter().flatten());
        next = next.max(range.end);
    }
    items
}

/// `3 slots`.
pub(super) fn slots(count: usize) -> String {
    format!("{count} slot{}", if count == 1 { "" } else { "s" })
}

/// `12 slots, the worst is 34 by 512 units`; nothing when none is wrong.
pub(super) fn wrong_words(wrong: &[&WrongSlot]) -> Option<String> {
    let worst = wrong.iter().max_by_key(|wrong| (wrong.difference, std::cmp::Reverse(wrong.slot)))?;
    Some(format!(
        "{}, the worst is {} by {} unit{}",
        slots(wrong.len()),
        worst.slot,
        worst.difference,
        if worst.difference == 1 { "" } else { "s" }
    ))
}
