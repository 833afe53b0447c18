//! Entries of two skins put side by side: which is which, by list, bones and slots.

use super::difference::Entry;
use crate::difference::{Change, ChangeKind};

/// Entries that changed. An entry that only has another number did not.
pub(super) fn entries(before: &[Entry], after: &[Entry]) -> Vec<Change> {
    let mut pairing = Pairing {
        before: before.iter().map(Some).collect(),
        after: after.iter().map(Some).collect(),
        changes: Vec::new(),
    };
    pairing.pair(
        |a, b| same_bones(a, b) && a.slots == b.slots,
        |a, b| (a.layout != b.layout).then(|| change(ChangeKind::Changed, a, b, arrow(&a.layout, &b.layout))),
    );
    pairing.pair(
        |a, b| !a.slots.is_empty() && a.slots == b.slots,
        |a, b| {
            let lists = (a.id.list != b.id.list)
                .then(|| format!(", {} \u{2192} {}", a.id.list.name(), b.id.list.name()));
            let what = format!("bones {}{}", arrow(&bones(a), &bones(b)), lists.unwrap_or_default());
            Some(change(ChangeKind::Retargeted, a, b, what))
        },
    );
    pairing.divided();
    pairing.pair(
        |a, b| same_bones(a, b) && overlap(a, b),
        |a, b| {
            let what = format!("slots {}", arrow(&span(&a.slots), &span(&b.slots)));
            Some(change(ChangeKind::Changed, a, b, what))
        },
    );
    pairing.pair(
        |a, b| same_bones(a, b) && a.slots.len() == b.slots.len(),
        |a, b| {
            let what = format!("slots {}", arrow(&span(&a.slots), &span(&b.slots)));
            Some(change(ChangeKind::Moved, a, b, what))
        },
    );
    pairing.finish()
}

struct Pairing<'e> {
    before: Vec<Option<&'e Entry>>,
    after: Vec<Option<&'e Entry>>,
    changes: Vec<Change>,
}

impl Pairing<'_> {
    /// Takes every entry and the first that belongs to it out of what is left.
    fn pair(
        &mut self,
        belongs: impl Fn(&Entry, &Entry) -> bool,
        told: impl Fn(&Entry, &Entry) -> Option<Change>,
    ) {
        for old in &mut self.before {
            let Some(a) = *old else { continue };
            let Some(new) = self.after.iter_mut().find(|new| new.is_some_and(|b| belongs(a, b))) else {
                continue;
            };
            if let Some(b) = new.take() {
                self.changes.extend(told(a, b));
                *old = None;
            }
        }
    }

    /// One entry whose slots several entries of the same bones took over, and the other way round.
    fn divided(&mut self) {
        let split = taken_over(&mut self.before, &mut self.after, ChangeKind::Split);
        let merged = taken_over(&mut self.after, &mut self.before, ChangeKind::Merged);
        self.changes.extend(split.into_iter().chain(merged));
    }

    fn finish(mut self) -> Vec<Change> {
        for a in self.before.into_iter().flatten() {
            let what = format!("{} {}, slots {}", word(a), bones(a), span(&a.slots));
            self.changes.push(Change::new(ChangeKind::Removed, a.id.to_string(), "", what));
        }
        for b in self.after.into_iter().flatten() {
            let what = format!("{} {}, slots {}", word(b), bones(b), span(&b.slots));
            self.changes.push(Change::new(ChangeKind::Added, "", b.id.to_string(), what));
        }
        self.changes
    }
}

/// Takes out every entry of which at least two others hold slots and no others.
fn taken_over(whole: &mut [Option<&Entry>], pieces: &mut [Option<&Entry>], kind: ChangeKind) -> Vec<Change> {
    let mut changes = Vec::new();
    for one in whole {
        let Some(entry) = *one else { continue };
        let held = |slot: &u32| entry.slots.binary_search(slot).is_ok();
        let inside = |part: &Entry| !part.slots.is_empty() && part.slots.iter().all(held);
        let belongs = |part: &Entry| same_bones(entry, part) && inside(part);
        let parts: Vec<usize> = (0..pieces.len()).filter(|&at| pieces[at].is_some_and(belongs)).collect();
        if parts.len() >= 2 {
            let taken: Vec<&Entry> = parts.iter().filter_map(|&at| pieces[at].take()).collect();
            *one = None;
            changes.push(divided(entry, &taken, kind));
        }
    }
    changes
}

fn divided(whole: &Entry, pieces: &[&Entry], kind: ChangeKind) -> Change {
    let names: Vec<String> = pieces.iter().map(|piece| piece.id.to_string()).collect();
    let spans: Vec<String> = pieces.iter().map(|piece| span(&piece.slots)).collect();
    let (whole_name, whole_span) = (whole.id.to_string(), span(&whole.slots));
    let (names, spans) = (names.join(", "), spans.join(", "));
    if kind == ChangeKind::Split {
        Change::new(kind, whole_name, names, format!("slots {}", arrow(&whole_span, &spans)))
    } else {
        Change::new(kind, names, whole_name, format!("slots {}", arrow(&spans, &whole_span)))
    }
}

fn change(kind: ChangeKind, a: &Entry, b: &Entry, what: String) -> Change {
    Change::new(kind, a.id.to_string(), b.id.to_string(), what)
}

fn same_bones(a: &Entry, b: &Entry) -> bool {
    a.id.list == b.id.list && a.bones == b.bones
}

fn overlap(a: &Entry, b: &Entry) -> bool {
    a.slots.iter().any(|slot| b.slots.binary_search(slot).is_ok())
}

fn word(entry: &Entry) -> &'static str {
    if entry.bones.len() == 1 { "bone" } else { "bones" }
}

fn bones(entry: &Entry) -> String {
    entry.bones.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn arrow(before: &str, after: &str) -> String {
    format!("{before} \u{2192} {after}")
}

/// `3..10` for a run, `12 of 3..40` for slots with gaps.
fn span(slots: &[u32]) -> String {
    let (Some(first), Some(last)) = (slots.first(), slots.last()) else { return "none".to_owned() };
    let width = u64::from(last - first) + 1;
    let run = format!("{first}..{}", u64::from(*last) + 1);
    if width == slots.len() as u64 { run } else { format!("{} of {run}", slots.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::format::skn::{EntryId, List};

    fn entry(index: u32, bone: u16, slots: std::ops::Range<u32>) -> Entry {
        let id = EntryId { list: List::Sk1, index };
        Entry { id, bones: vec![bone], slots: slots.collect(), layout: String::new() }
    }

    fn told(before: &[Entry], after: &[Entry]) -> Vec<String> {
        let line = |change: &Change| {
            format!("{:?} {}|{}: {}", change.kind, change.before, change.after, change.what)
        };
        entries(before, after).iter().map(line).collect()
    }

    #[test]
    fn an_entry_with_another_number_alone_did_not_change() {
        assert!(
            told(&[entry(0, 1, 0..4), entry(1, 2, 4..9)], &[entry(0, 2, 4..9), entry(1, 1, 0..4)]).is_empty()
        );
    }

    #[test]
    fn what_happened_to_entries_is_told_by_what_they_write() {
        let before = [
            entry(0, 1, 0..10),
            entry(1, 2, 10..20),
            entry(2, 3, 20..30),
            entry(3, 4, 30..40),
            entry(4, 5, 40..42),
        ];
        let after = [
            entry(0, 1, 0..5),
            entry(1, 1, 5..10),
            entry(2, 9, 10..20),
            entry(3, 3, 50..60),
            entry(4, 4, 30..41),
            entry(5, 7, 60..61),
        ];
        assert_eq!(
            told(&before, &after),
            [
                "Retargeted SK1[1]|SK1[2]: bones 2 \u{2192} 9",
                "Split SK1[0]|SK1[0], SK1[1]: slots 0..10 \u{2192} 0..5, 5..10",
                "Changed SK1[3]|SK1[4]: slots 30..40 \u{2192} 30..41",
                "Moved SK1[2]|SK1[3]: slots 20..30 \u{2192} 50..60",
                "Removed SK1[4]|: bone 5, slots 40..42",
                "Added |SK1[5]: bone 7, slots 60..61",
            ]
        );
        assert!(told(&after, &before).iter().any(|line| line.starts_with("Merged SK1[0], SK1[1]|SK1[0]")));
    }
}
