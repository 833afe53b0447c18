//! Watches a program at work and keeps the same journal that the direct model keeps: which entry is
//! being loaded, skinned and stored, told from the addresses that the code uses.

use super::functions::Functions;
use crate::c3::format::skn::{EntryId, List};
use crate::c3::runtime::header::{EntryAt, HeaderAt};
use crate::c3::runtime::journal::{Cargo, Journal, Stage, TransferRecord};
use crate::gekko::address::line_start;
use crate::gekko::bus::{AccessKind, AccessRecord, Bus};
use crate::gekko::fault::FaultKind;
use crate::gekko::locked_cache::{Direction, MAX_LINES, Transfer};
use crate::gekko::machine::Machine;

/// The bits of a memory address that a transfer keeps on any console.
const PHYSICAL: u32 = 0x1fff_ffff;

/// A transfer that the lists ask for.
#[derive(Debug, Clone, Copy)]
struct Expected {
    memory: u32,
    direction: Direction,
    entry: EntryId,
    cargo: Cargo,
}

/// Where a kernel first reads its matrix, which is where its entry lies. [listing]
#[derive(Debug, Clone, Copy)]
struct Kernel {
    first_read: u32,
    first_vertex: u32,
    list: List,
}

/// The lists as they lie in memory when the frame starts.
#[derive(Debug, Clone, Default)]
struct Lists {
    expected: Vec<Expected>,
    first: [u32; 3],
}

impl Lists {
    /// Reads them without a trace in the machine: what cannot be read is left out.
    fn read(machine: &Machine, skn: u32) -> Self {
        let mut quiet = Quiet(machine);
        let mut lists = Self::default();
        for list in [List::Sk1, List::Sk2, List::SkAcc] {
            let header = HeaderAt(skn);
            let first = quiet.word(header.list_at(list));
            let count = quiet.word(header.count_at(list)) >> 16;
            lists.first[list as usize] = first;
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

    /// The transfer that one of this direction and address is, at or after the entry last seen.
    fn find(&self, direction: Direction, memory: u32, last: Option<EntryId>) -> Option<Expected> {
        let fits = |expected: &&Expected| expected.direction == direction && expected.memory == memory;
        let rank = |entry: EntryId| (entry.list as usize, entry.index);
        let from = last.map_or((0, 0), rank);
        let mut fitting = self.expected.iter().filter(fits);
        fitting.clone().find(|expected| rank(expected.entry) >= from).or_else(|| fitting.next()).copied()
    }
}

/// Reads that cannot fault.
struct Quiet<'m>(&'m Machine);

impl Quiet<'_> {
    fn word(&mut self, address: u32) -> u32 {
        let bytes = self.0.memory(address, 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_be_bytes)
    }
}

/// The bus of a program: tells the journal what the accesses mean.
pub(super) struct Account<'m> {
    machine: &'m mut Machine,
    journal: &'m mut Journal,
    lists: Lists,
    kernels: Vec<Kernel>,
    clear: Option<u32>,
    last: Option<EntryId>,
    cargo: Cargo,
    first_vertex: u32,
}

impl<'m> Account<'m> {
    pub(super) fn new(
        machine: &'m mut Machine,
        journal: &'m mut Journal,
        functions: &Functions,
        skn: u32,
    ) -> Self {
        let kernel = |name, first_read, first_vertex, list| {
            let start = functions.start(name)?;
            Some(Kernel { first_read: start + first_read, first_vertex: start + first_vertex, list })
        };
        let kernels = [
            kernel("one-bone", 0x20, 0x34, List::Sk1),
            kernel("two-bone", 0x44, 0x5c, List::Sk2),
            kernel("accumulate", 0x50, 0x64, List::SkAcc),
        ];
        Self {
            lists: Lists::read(machine, skn),
            machine,
            journal,
            kernels: kernels.into_iter().flatten().collect(),
            clear: functions.start("clear"),
            last: None,
            cargo: Cargo::Source,
            first_vertex: 0,
        }
    }

    /// Names the instructions behind the faults, and their vertices and parts of the frame where
    /// the kernel tells.
    pub(super) fn finish(self, functions: &Functions) {
        self.journal.collect(self.machine);
        for located in &mut self.journal.faults {
            if let Some(pc) = located.fault.site.pc {
                located.fault.site = functions.locate(pc);
            }
            let stage = match located.fault.site.function {
                "one-bone" => Stage::Sk1,
                "two-bone" => Stage::Sk2,
                "accumulate" => Stage::SkAcc,
                "clear" => Stage::Clear,
                "flush" | "store-range" => Stage::Flush,
                _ => continue,
            };
            located.stage = stage;
            let reads_source = stage == Stage::Sk1 || stage == Stage::Sk2;
            if reads_source && located.fault.kind == FaultKind::Read {
                located.fault.marker = Some(located.fault.address.wrapping_sub(self.first_vertex) / 12);
            }
        }
    }

    fn enter(&mut self, entry: EntryId) {
        self.last = Some(entry);
        self.journal.enter(self.machine, entry.list.into(), Some(entry));
    }

    fn transferred(&mut self, direction: Direction, record: &AccessRecord) {
        let memory = line_start(record.value as u32 & PHYSICAL);
        if let Some(expected) = self.lists.find(direction, memory, self.last) {
            self.cargo = expected.cargo;
            self.enter(expected.entry);
        }
        let lines = (record.size / 32).clamp(1, MAX_LINES);
        let transfer = Transfer { direction, memory: record.value as u32, cache: record.address, lines };
        self.journal.transferred(TransferRecord {
            cargo: self.cargo,
            memory: 0x8000_0000 | (record.value as u32 & PHYSICAL),
            asked: lines,
            done: Some(transfer),
        });
    }

    /// A kernel's first read of its matrix names the entry; its first read of a vertex, the start.
    fn kernel_read(&mut self, pc: u32, address: u32) {
        for kernel in &self.kernels {
            if pc == kernel.first_vertex {
                self.first_vertex = address;
            }
            if pc == kernel.first_read {
                let size = kernel.list.entry_size() as u32;
                let index = address.wrapping_sub(self.lists.first[kernel.list as usize]) / size;
                return self.enter(EntryId { list: kernel.list, index });
            }
        }
    }

    fn cleared(&mut self, address: u32) {
        if self.journal.cleared.is_none() {
            self.journal.enter(self.machine, Stage::Clear, None);
        }
        let line = line_start(address);
        let (start, _) = self.journal.cleared.unwrap_or((line, line));
        self.journal.cleared = Some((start, line.wrapping_add(32)));
    }
}

impl Bus for Account<'_> {
    const OBSERVED: bool = true;

    #[inline]
    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    #[inline]
    fn observe(&mut self, record: AccessRecord) {
        let pc = record.site.pc.unwrap_or(0);
        match record.kind {
            AccessKind::Load
                if self.kernels.iter().any(|kernel| pc == kernel.first_read || pc == kernel.first_vertex) =>
            {
                self.kernel_read(pc, record.address);
            }
            AccessKind::Transfer(direction) => self.transferred(direction, &record),
            AccessKind::ZeroLine if self.clear.is_some_and(|clear| pc.wrapping_sub(clear) < 0x1c) => {
                self.cleared(record.address);
            }
            _ => {}
        }
    }
}
