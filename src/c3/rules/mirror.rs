//! The mirror of the position array: where the source of every SK1 and SK2 entry belongs. Facial poses are written
//! there, whatever an entry's source pointer says. \[seed 003\]

use std::collections::BTreeMap;

use super::codes;
use super::facial::{UNPOSED, moved};
use super::found::Found;
use super::landing::{Landing, landings};
use super::lists;
use super::subject::{Direct, Subject, signed_hex};
use crate::c3::format::skn::{EntryField, EntryId, Skn};
use crate::finding::Severity;

/// All rules of this file.
pub(super) fn check(subject: &Subject, skn: &Skn, found: &mut Vec<Found>) {
    // Where a list is not where its pointer says, the mirror begins nobody knows where.
    if lists::unread(skn) {
        return;
    }
    let mirror = skn.mirror_start();
    let landings = landings(subject, &moved(subject));
    let posed: BTreeMap<EntryId, &Landing> = landings
        .iter()
        .filter(|landing| landing.off_by() != 0)
        .map(|landing| (landing.entry, landing))
        .collect();
    let shared = displaced_together(subject, mirror);
    if let Some(by) = shared {
        found.push(displaced(subject, mirror, by, &posed));
    }
    let alone = subject.direct.iter().filter(|entry| !matches!(off_by(entry, mirror), 0));
    for entry in alone.filter(|entry| Some(off_by(entry, mirror)) != shared) {
        // Of a destination before the array, the place lies before the mirror: addresses wrap.
        let want = (mirror as u32).wrapping_add(entry.destination);
        let place = i64::from(want.cast_signed());
        let place = if entry.landing < 0 { signed_hex(place) } else { format!("{want:#x}") };
        let text =
            format!("its source lies at {:#x} of the SKN, its place in the mirror is {place}", entry.source);
        let help = "facial poses are written to the mirror: place sources there, gaps included";
        let place = subject.field_place(entry.id, EntryField::Source);
        let finding = Found::new(&codes::SOURCE_OFF_MIRROR, place, text, help);
        found.push(match posed.get(&entry.id) {
            Some(landing) => finding.severity(Severity::Error).spoils_unseen(landing.damage(), UNPOSED),
            None => finding,
        });
    }
}

/// How far from its place in the mirror a source lies; addresses wrap at 32 bits.
pub(super) fn off_by(entry: &Direct, mirror: u64) -> i32 {
    entry.source.wrapping_sub((mirror as u32).wrapping_add(entry.destination)).cast_signed()
}

/// The distance from their places that most sources have in common: then it is the mirror that moved, with the end
/// of the entry lists.
fn displaced_together(subject: &Subject, mirror: u64) -> Option<i32> {
    let mut distances: BTreeMap<i32, usize> = BTreeMap::new();
    for entry in &subject.direct {
        *distances.entry(off_by(entry, mirror)).or_default() += 1;
    }
    let (by, entries) = distances.into_iter().max_by_key(|(_, entries)| *entries)?;
    (by != 0 && entries > 1 && 2 * entries > subject.direct.len()).then_some(by)
}

/// One finding for all sources that lie where the mirror would begin elsewhere.
fn displaced(subject: &Subject, mirror: u64, by: i32, posed: &BTreeMap<EntryId, &Landing>) -> Found {
    let together: Vec<&Direct> = subject.direct.iter().filter(|entry| off_by(entry, mirror) == by).collect();
    let side = if by < 0 { "before" } else { "past" };
    let text = format!(
        "the sources of {} of {} SK1 and SK2 entries lie {:#x} bytes {side} their places in the mirror, which begins \
         at {mirror:#x}, behind the entry lists as the header counts them",
        together.len(),
        subject.direct.len(),
        by.unsigned_abs()
    );
    let help = "correct the header's counts and list pointers, or lay the sources out on the mirror: facial poses are \
                written to it";
    let place = subject.field_place(together[0].id, EntryField::Source);
    let finding = Found::new(&codes::SOURCE_OFF_MIRROR, place, text, help);
    let damages: Vec<String> =
        together.iter().filter_map(|entry| Some(posed.get(&entry.id)?.damage())).collect();
    match &damages[..] {
        [] => finding,
        [first] => finding.severity(Severity::Error).spoils_unseen(first, UNPOSED),
        [first, rest @ ..] => {
            let damage = format!("{first}, and those of {} other entries likewise", rest.len());
            finding.severity(Severity::Error).spoils_unseen(damage, UNPOSED)
        }
    }
}
