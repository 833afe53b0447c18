//! The lists of a block as they lie in memory: which entry an address or a transfer belongs to. For
//! observers that see accesses alone.

use crate::c3::format::skn::{EntryId, List};
use crate::c3::runtime::header::{EntryAt, HeaderAt};
use crate::c3::runtime::journal::Cargo;
use crate::gekko::address::line_start;
use crate::gekko::locked_cache::Direction;
use crate::gekko::machine::Machine;

/// The bits of a memory address that a transfer keeps on any console.
pub(in crate::c3) const PHYSICAL: u32 = 0x1fff_ffff;

/// A transfer that the lists ask for.
#[derive(Debug, Clone, Copy)]
pub(in crate::c3) struct Expected {
    pub(super) memory: u32,
    pub(super) direction: Direction,
    /// The entry that asks for it.
    pub entry: EntryId,
    /// What it moves.
    pub cargo: Cargo,
}

/// The lists as they lie in memory when the frame starts.
#[derive(Debug, Clone, Default)]
pub(in crate::c3) struct Lists {
    expected: Vec<Expected>,
    /// Address of each list's first entry.
    pub first: [u32; 3],
    count: [u32; 3],
}

impl Lists {
    /// Reads them without a trace in the machine: what cannot be read is left out.
    pub fn read(machine: &Machine, skn: u32) -> Self {
        let mut quiet = Quiet(machine);
        let mut lists = Self::default();
        for list in [List::Sk1, List::Sk2, List::SkAcc] {
            let header = HeaderAt(skn);
            let first = quiet.word(header.list_at(list));
            let count = quiet.word(header.count_at(list)) >> 16;
            lists.first[list as usize] = first;
            lists.count[list as usize] = count;
            for index in 0..count {
                let address = first.wrapping_add(index * list.entry_size() as u32);
                if machine.memory(address, list.entry_size() as u32).is_none() {
                    break;
                }
                lists.expect(&mut quiet, EntryAt { list, address }, EntryId { list, index });
            }
        }
        lists
    }

    fn expect(&mut self, quiet: &mut Quiet, at: EntryAt, entry: EntryId) {
        let cargoes: &[Cargo] = match at.list {
            List::Sk1 => &[Cargo::Source, Cargo::Result],
            List::Sk2 => &[Cargo::Source, Cargo::Weights, Cargo::Result],
            List::SkAcc => &[Cargo::Source, Cargo::Indices, Cargo::Weights],
        };
        for &cargo in cargoes {
            let direction = if cargo == Cargo::Result { Direction::Store } else { Direction::Load };
            let memory = line_start(quiet.word(at.pointer_at(cargo)) & PHYSICAL);
            self.expected.push(Expected { memory, direction, entry, cargo });
        }
    }

    /// Whether the library skins an entry without having waited for its transfers: the last of SK1, and all of
    /// `SKAcc` but the first. [listing]
    pub fn library_has_no_wait(&self, entry: EntryId) -> bool {
        match entry.list {
            List::Sk1 => entry.index + 1 == self.count[List::Sk1 as usize],
            List::Sk2 => false,
            List::SkAcc => entry.index > 0,
        }
    }

    /// The entry of a list whose matrices begin at an address.
    pub fn entry_at(&self, list: List, address: u32) -> Option<EntryId> {
        let index = address.wrapping_sub(self.first[list as usize]) / list.entry_size() as u32;
        (index < self.count[list as usize]).then_some(EntryId { list, index })
    }

    /// The entry of any list whose fields or matrices an address lies in.
    pub fn entry_around(&self, address: u32) -> Option<EntryId> {
        let lists = [List::Sk1, List::Sk2, List::SkAcc];
        lists.into_iter().find_map(|list| self.entry_at(list, address))
    }

    /// The entry and the offset in it that an address lies in. `reached` is the list that the code is at: it
    /// comes first where lists overlap, and those behind it do not count.
    pub fn offset_at(&self, address: u32, reached: List) -> Option<(EntryId, u32)> {
        let lists = [List::Sk1, List::Sk2, List::SkAcc];
        lists[..=reached as usize].iter().rev().find_map(|&list| {
            let entry = self.entry_at(list, address)?;
            let offset = address.wrapping_sub(self.first[list as usize]) % list.entry_size() as u32;
            Some((entry, offset))
        })
    }

    /// Bytes of an entry's matrices, which come first.
    pub fn matrices(list: List) -> u32 {
        if list == List::Sk2 { 0x60 } else { 0x30 }
    }

    /// What the pointer at an offset of an entry leads to.
    pub fn cargo_at(list: List, offset: u32) -> Option<Cargo> {
        let cargoes = [Cargo::Source, Cargo::Weights, Cargo::Indices, Cargo::Result];
        let mut fields = cargoes.into_iter().filter(|&cargo| match list {
            List::Sk1 => matches!(cargo, Cargo::Source | Cargo::Result),
            List::Sk2 => cargo != Cargo::Indices,
            List::SkAcc => true,
        });
        fields.find(|&cargo| EntryAt { list, address: 0 }.pointer_at(cargo) == offset)
    }

    /// The code has read a field of the header: the lists are where it says from now on.
    pub fn header_read(&mut self, offset: u32, size: u32, value: u64) {
        match (offset, size) {
            (0 | 2 | 4, 2) => self.count[offset as usize / 2] = value as u32,
            (0x08 | 0x0c | 0x10, 4) => self.first[offset as usize / 4 - 2] = value as u32,
            _ => {}
        }
    }

    /// The transfer that one of this direction and address is, at or after the entry last seen.
    pub fn find(&self, direction: Direction, memory: u32, last: Option<EntryId>) -> Option<Expected> {
        let fits = |expected: &&Expected| expected.direction == direction && expected.memory == memory;
        let rank = |entry: EntryId| (entry.list as usize, entry.index);
        let from = last.map_or((0, 0), rank);
        let mut fitting = self.expected.iter().filter(fits);
        fitting.clone().find(|expected| rank(expected.entry) >= from).or_else(|| fitting.next()).copied()
    }
}

/// Reads that cannot fault, of what the processor sees: the loader's relocations may still wait in the
/// data cache.
pub(in crate::c3) struct Quiet<'m>(pub &'m Machine);

impl Quiet<'_> {
    pub fn word(&mut self, address: u32) -> u32 {
        self.0.seen_word(address).unwrap_or(0)
    }
}
