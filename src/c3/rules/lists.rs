//! The three entry lists: where they lie, and what else lies there.
//!
//! The loader relocates every pointer of an entry in place, and a frame writes a matrix into each entry:
//! whatever shares bytes with a list changes with it. [listing]

use std::ops::Range;

use super::arrays::{VariableArray, variable_arrays};
use super::codes;
use super::effects::Part;
use super::found::{Found, Reach};
use super::subject::Subject;
use crate::c3::format::skn::{EntryId, HEADER_SIZE, List, SkAccEntry, Skn};

/// Entries of one list that a finding answers for at most.
const ENTRY_LIMIT: u32 = 4096;

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(skn) = subject.skn() else { return };
    null_pointers(subject, skn, found);
    packed(subject, skn, found);
    overlapping_lists(subject, skn, found);
    arrays_over_lists(subject, skn, found);
}

/// A list of the header.
struct EntryList {
    list: List,
    /// Offset of its pointer in the header.
    field: u64,
    pointer: u32,
    count: u16,
}

impl EntryList {
    /// Its bytes in the SKN.
    fn range(&self) -> Range<u64> {
        let start = u64::from(self.pointer);
        start..start + u64::from(self.count) * self.list.entry_size()
    }

    /// The entries that have bytes in a range.
    fn entries(&self, range: &Range<u64>) -> impl Iterator<Item = EntryId> {
        let (own, size) = (self.range(), self.list.entry_size());
        let first = range.start.max(own.start).saturating_sub(own.start) / size;
        let last = range.end.min(own.end).saturating_sub(own.start).div_ceil(size);
        let list = self.list;
        (first as u32..last as u32).take(ENTRY_LIMIT as usize).map(move |index| EntryId { list, index })
    }
}

fn lists(skn: &Skn) -> impl Iterator<Item = EntryList> {
    let header = skn.header;
    let lists = [
        EntryList { list: List::Sk1, field: 0x08, pointer: header.sk1, count: header.sk1_count },
        EntryList { list: List::Sk2, field: 0x0C, pointer: header.sk2, count: header.sk2_count },
        EntryList { list: List::SkAcc, field: 0x10, pointer: header.skacc, count: header.skacc_count },
    ];
    lists.into_iter().filter(|list| list.count != 0)
}

/// Whether entries of a list are read from elsewhere than the section: what no entry does, and where the lists end,
/// is then not known.
pub(super) fn unread(skn: &Skn) -> bool {
    lists(skn).any(|list| list.pointer == 0 || list.range().end > skn.view().len())
}

/// Whether it is not known which slots entries write: entries, or indices, are read from elsewhere than the section.
pub(super) fn writes_unknown(skn: &Skn) -> bool {
    let cut = |entry: &SkAccEntry| {
        let size = 2 * u64::from(entry.count);
        (skn.held(entry.indices, size).len() as u64) < size
    };
    unread(skn) || skn.skacc.iter().any(cut)
}

/// The bytes that the lists take in the section.
pub(super) fn ranges(skn: &Skn) -> impl Iterator<Item = Range<u64>> {
    lists(skn).filter(|list| list.pointer != 0).map(|list| list.range())
}

/// Array pointers of 0 are not relocated: what they count is read from the bottom of memory.
fn null_pointers(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    for list in lists(skn).filter(|list| list.pointer == 0) {
        let name = list.list.name();
        let text = format!("the pointer to {} {name} entries is 0: they are read from address 0", list.count);
        let help = "point to the list, or set its count to 0";
        let place = subject.skn_place(list.field).field(format!("{name} list"));
        let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help).part(Part::Load);
        found.push(list.entries(&list.range()).fold(finding, Found::entry).not_decisive());
    }
    if skn.header.flush == 0 && skn.header.flush_count != 0 {
        let text = format!(
            "the pointer to {} flush indices is 0: they are read from address 0",
            skn.header.flush_count
        );
        let help = "point to the indices, or set their count to 0";
        let place = subject.skn_place(0x1C).field("flush");
        let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help).part(Part::Flush);
        found.push(super::flush::unread(subject, finding));
    }
}

/// Known models have the lists right behind the header, SK1, SK2, `SKAcc`, without gaps. \[seed 003\]
fn packed(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    // Where a pointer is 0, the gap it leaves is no one else's fault.
    if lists(skn).any(|list| list.pointer == 0) {
        return;
    }
    let mut end = HEADER_SIZE;
    for list in lists(skn) {
        let (start, name) = (u64::from(list.pointer), list.list.name());
        if start != end {
            let text = format!("the {name} list begins at {start:#x}, what comes before it ends at {end:#x}");
            let help = "known models pack the lists behind the header: SK1, SK2, SKAcc; the mirror begins behind \
                        the last one";
            let place = subject.skn_place(list.field).field(format!("{name} list"));
            found.push(Found::new(&codes::ARRAY_ORDER, place, text, help));
        }
        end = list.range().end;
    }
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> Option<Range<u64>> {
    let both = a.start.max(b.start)..a.end.min(b.end);
    (both.start < both.end).then_some(both)
}

fn overlapping_lists(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    let lists: Vec<EntryList> = lists(skn).filter(|list| list.pointer != 0).collect();
    let mut report = |list: &EntryList, other: &str, shared: &Range<u64>, others: Vec<EntryId>| {
        let text = format!(
            "its {} entries take {:#x}..{:#x}, {:#x} bytes of them in the {other}",
            list.count,
            list.range().start,
            list.range().end,
            shared.end - shared.start
        );
        let help = "correct the list's pointer or count: a frame writes a matrix into every entry";
        let place = subject.skn_place(list.field).entry(format!("{} list", list.list.name()));
        let mut finding = Found::new(&codes::ARRAY_OVERLAP, place, text, help).part(Part::Load);
        if shared.start < HEADER_SIZE {
            // The header is read anew at every step of the frame.
            let parts = [Part::Entry, Part::Clear, Part::Flush];
            finding = parts.into_iter().fold(finding.slots(0..u64::from(u32::MAX)), Found::part);
        }
        found.push(list.entries(shared).chain(others).fold(finding, Found::entry));
    };
    for (index, list) in lists.iter().enumerate() {
        if let Some(shared) = overlap(&list.range(), &(0..HEADER_SIZE)) {
            report(list, "SKN header", &shared, Vec::new());
        }
        for other in &lists[index + 1..] {
            if let Some(shared) = overlap(&list.range(), &other.range()) {
                let name = format!("{} list", other.list.name());
                report(list, &name, &shared, other.entries(&shared).collect());
            }
        }
    }
}

/// Arrays that lie in the header or in a list are read after the loader and the frame wrote there.
fn arrays_over_lists(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    let ranges: Vec<(String, Range<u64>)> = std::iter::once(("SKN header".to_owned(), 0..HEADER_SIZE))
        .chain(lists(skn).map(|list| (format!("{} list", list.list.name()), list.range())))
        .collect();
    for array in variable_arrays(subject).iter().filter(|array| !array.range.is_empty()) {
        let hit = ranges.iter().find_map(|(name, range)| Some((name, overlap(range, &array.range)?)));
        let Some((name, shared)) = hit else { continue };
        found.push(array_over(subject, array, name, &shared));
    }
}

fn array_over(subject: &Subject, array: &VariableArray, name: &str, shared: &Range<u64>) -> Found {
    let text = format!(
        "its {} at {:#x} have {:#x} bytes in the {name}, which the game writes to",
        array.kind.name(),
        array.range.start,
        shared.end - shared.start
    );
    let help = "give every array bytes of its own";
    let finding = Found::new(&codes::ARRAY_OVERLAP, super::arrays::place(subject, array), text, help);
    if let Some(entry) = array.entry {
        let finding = finding.entry(entry).slots(super::entry_slots(subject, entry));
        // It holds none: that a frame skins just these bytes makes them no vertices. A list may be said to have too many
        // entries, and the array be where it should.
        if shared.start >= HEADER_SIZE {
            return finding;
        }
        return finding.spoils(format!("what lies in the {name} is taken for its {}", array.kind.name()));
    }
    // Then other lines are flushed than the file's bytes say.
    finding.part(Part::Flush).reach(Reach::DataCache).slots(0..u64::from(u32::MAX))
}

/// The entries whose records have bytes in a range of the section.
pub(super) fn entries_in(skn: &Skn, range: &Range<u64>) -> Vec<EntryId> {
    let hit = lists(skn).filter(|list| overlap(&list.range(), range).is_some());
    hit.flat_map(|list| list.entries(range).collect::<Vec<_>>()).collect()
}
