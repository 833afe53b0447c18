//! Which of the library's entries may run before their transfers: those that the listing does not let wait.

use crate::case::{Case, folders};
use skinsim::c3::format::skn::{EntryId, List};
use skinsim::c3::runtime::journal::Journal;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::map::Target;
use skinsim::gekko::transfer_queue::DmaTiming;

/// The account of a frame, and the positions after it.
fn frame(case: &Case, target: Target, dma: DmaTiming) -> (Journal, Vec<u8>) {
    let (mut simulation, matrices) = case.load(RunOptions { target, dma, ..RunOptions::default() });
    let journal = simulation.frame(&matrices);
    (journal, simulation.position_bytes().unwrap().to_vec())
}

/// The last SK1 entry, and `SKAcc` entries after the first. [listing]
fn is_not_waited_for(journal: &Journal, entry: EntryId) -> bool {
    let last = journal.entries.iter().map(|record| record.entry).rfind(|entry| entry.list == List::Sk1);
    match entry.list {
        List::Sk1 => last == Some(entry),
        List::Sk2 => false,
        List::SkAcc => entry.index > 0,
    }
}

#[test]
fn only_the_entries_that_the_library_does_not_wait_for_come_too_early() {
    let mut early = 0;
    for folder in folders("skn") {
        let case = Case::read(&folder);
        let (journal, deferred) = frame(&case, Target::Console, DmaTiming::Deferred);
        let (instant, expected) = frame(&case, Target::Console, DmaTiming::Instant);
        assert_eq!(instant.early, []);
        // A source larger than its buffer meets the next entry's transfer.
        if case.name.contains("oversize") {
            continue;
        }
        for located in &journal.early {
            let entry = located.entry.unwrap();
            assert!(is_not_waited_for(&journal, entry) && located.access.listed, "{}: {entry}", case.name);
            early += 1;
        }
        assert!(deferred == expected, "{}: the library's frame is the same with a slow queue", case.name);
        assert_eq!((&journal.faults, &journal.entries), (&instant.faults, &instant.entries), "{}", case.name);
    }
    assert!(early > 0);
}

#[test]
fn dolphins_transfers_are_instant_whatever_is_asked_for() {
    for folder in folders("skn").iter().take(4) {
        let case = Case::read(folder);
        let deferred = frame(&case, Target::Dolphin, DmaTiming::Deferred);
        assert!(deferred == frame(&case, Target::Dolphin, DmaTiming::Instant), "{}", case.name);
    }
}
