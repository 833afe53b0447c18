//! Which entry asks for a transfer: the one whose pointer the code has read for it. A transfer's own
//! address does not tell, where entries share a pointer, or where one was written over.

use std::collections::VecDeque;

use super::lists::{Expected, PHYSICAL};
use crate::c3::format::skn::{EntryId, List};
use crate::c3::runtime::journal::Cargo;
use crate::gekko::address::line_start;
use crate::gekko::locked_cache::{Direction, MAX_LINES};

/// The bits of an address that a transfer keeps on every console.
const KEPT: u32 = 0x0fff_ffe0;
/// Pointers remembered: those of two entries, and some more.
const REMEMBERED: usize = 16;

/// A pointer that the code has read.
#[derive(Debug, Clone, Copy)]
struct Seen {
    expected: Expected,
    value: u32,
    used: bool,
}

/// The pointers that the code has read of late, and the transfer that it has made last.
#[derive(Debug, Default)]
pub(super) struct Pointers {
    seen: VecDeque<Seen>,
    last: Option<(Direction, u32, Expected)>,
}

impl Pointers {
    /// The code has read a pointer of an entry.
    pub fn read(&mut self, entry: EntryId, cargo: Cargo, value: u32) {
        let direction = if cargo == Cargo::Result { Direction::Store } else { Direction::Load };
        let memory = line_start(value & PHYSICAL);
        let expected = Expected { memory, direction, entry, cargo };
        self.seen.push_front(Seen { expected, value, used: false });
        self.seen.truncate(REMEMBERED);
    }

    /// What the code has last read as the base of an `SKAcc` entry's destination.
    pub fn base(&self, entry: EntryId) -> Option<u32> {
        let of = |seen: &&Seen| seen.expected.entry == entry && seen.expected.cargo == Cargo::Result;
        self.seen.iter().find(of).map(|seen| seen.value)
    }

    /// The entry and the cargo of a transfer that is about to happen.
    pub fn transfer(&mut self, direction: Direction, memory: u32) -> Option<Expected> {
        let fits = |seen: &Seen| {
            // An accumulate kernel stores by itself.
            seen.expected.direction == direction
                && (direction == Direction::Load || seen.expected.entry.list != List::SkAcc)
        };
        let same = |seen: &Seen| fits(seen) && (seen.value ^ memory) & KEPT == 0;
        let place = |wanted: &dyn Fn(&Seen) -> bool| self.seen.iter().position(wanted);
        let goes_on = || {
            let (last, address, expected) = self.last?;
            let next = address.wrapping_add(32 * MAX_LINES);
            (last == direction && (next ^ memory) & KEPT == 0).then_some(expected)
        };
        let at = place(&|seen: &Seen| same(seen) && !seen.used);
        let found = match (at, goes_on()) {
            (Some(at), _) => Some(at),
            (None, Some(expected)) => {
                self.last = Some((direction, memory, expected));
                return Some(expected);
            }
            (None, None) => place(&same).or_else(|| place(&|seen: &Seen| fits(seen) && !seen.used)),
        };
        let seen = self.seen.get_mut(found?)?;
        seen.used = true;
        self.last = Some((direction, memory, seen.expected));
        Some(seen.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sk1(index: u32) -> EntryId {
        EntryId { list: List::Sk1, index }
    }

    #[test]
    fn of_entries_with_one_pointer_the_one_that_read_it_last_asks() {
        let mut pointers = Pointers::default();
        for index in 0..2 {
            pointers.read(sk1(index), Cargo::Source, 0x8000_1000);
            assert_eq!(pointers.transfer(Direction::Load, 0x1000).unwrap().entry, sk1(index));
        }
        pointers.read(sk1(0), Cargo::Result, 0x9000_1004);
        let found = pointers.transfer(Direction::Store, 0x1000).unwrap();
        assert_eq!((found.entry, found.cargo), (sk1(0), Cargo::Result));
        let next = pointers.transfer(Direction::Store, 0x2000).unwrap();
        assert_eq!(next.entry, sk1(0), "what is longer than a transfer goes on");
        assert!(pointers.transfer(Direction::Store, 0x9000).is_none());
    }
}
