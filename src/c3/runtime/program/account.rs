//! Watches a program at work and keeps the same journal that the direct model keeps: which entry is
//! being loaded, skinned and stored, told from the addresses that the code uses.

use super::functions::Functions;
use super::lists::{Lists, PHYSICAL, Quiet};
use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::c3::runtime::journal::{Cargo, Journal, Stage, TransferRecord};
use crate::gekko::address::line_start;
use crate::gekko::bus::{AccessKind, AccessRecord, Bus};
use crate::gekko::fault::{FaultKind, Site};
use crate::gekko::locked_cache::{Direction, DmaRegisters, MAX_LINES, Transfer};
use crate::gekko::machine::{Access, Machine};

/// Where an `SKAcc` entry has its destination base, and how far an index leads from it. [listing]
const DESTINATION_BASE: u32 = 0x38;
const INDEX_REACH: u32 = 0x1_0000 * STRIDE as u32;
/// Bytes of the accumulate kernel. [listing]
const ACCUMULATE_SIZE: u32 = 0x140;

/// Where a kernel first reads its matrix, which is where its entry lies. [listing]
#[derive(Debug, Clone, Copy)]
struct Kernel {
    first_read: u32,
    first_vertex: u32,
    list: List,
}

/// The bus of a program: tells the journal what the accesses mean.
pub(super) struct Account<'m> {
    machine: &'m mut Machine,
    journal: &'m mut Journal,
    lists: Lists,
    kernels: Vec<Kernel>,
    accumulate: Option<u32>,
    /// An entry's matrix was written and no vertex of it read yet: kept for kernels that nobody listed.
    awaits_vertex: bool,
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
            let start = functions.start_as_listed(name)?;
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
            accumulate: functions.start_as_listed("accumulate"),
            awaits_vertex: false,
            last: None,
            cargo: Cargo::Source,
            first_vertex: 0,
        }
    }

    /// Names the instructions behind the faults, and their vertices and parts of the frame where
    /// the kernel tells.
    pub(super) fn finish(self, functions: &Functions) {
        self.journal.finish(self.machine);
        for early in &mut self.journal.early {
            if let Some(pc) = early.access.site.pc {
                early.access.site = functions.locate(pc);
            }
        }
        for located in &mut self.journal.faults {
            if let Some(pc) = located.fault.site.pc {
                located.fault.site = functions.locate(pc);
            }
            let known = match located.fault.site.function {
                "one-bone" => Some(Stage::Sk1),
                "two-bone" => Some(Stage::Sk2),
                "accumulate" => Some(Stage::SkAcc),
                "clear" => Some(Stage::Clear),
                "flush" | "store-range" => Some(Stage::Flush),
                _ => None,
            };
            located.stage = known.unwrap_or(located.stage);
            let reads_source = matches!(located.stage, Stage::Sk1 | Stage::Sk2)
                && located.fault.kind == FaultKind::Read
                && (known.is_some() || in_locked_cache(located.fault.address));
            if reads_source {
                located.fault.marker = Some(located.fault.address.wrapping_sub(self.first_vertex) / 12);
            }
        }
    }

    fn enter(&mut self, entry: EntryId) {
        self.last = Some(entry);
        self.journal.enter(self.machine, entry.list.into(), Some(entry));
        self.machine.library_has_no_wait = self.lists.library_has_no_wait(entry);
    }

    /// Names the entry that asks for a transfer, before it happens: its fault is the entry's.
    fn transfer_begins(&mut self, direction: Direction, memory: u32) {
        if let Some(expected) = self.lists.find(direction, line_start(memory & PHYSICAL), self.last) {
            self.cargo = expected.cargo;
            self.enter(expected.entry);
        }
    }

    fn transferred(&mut self, direction: Direction, record: &AccessRecord) {
        let lines = (record.size / 32).clamp(1, MAX_LINES);
        let transfer = Transfer { direction, memory: record.value as u32, cache: record.address, lines };
        self.journal.transferred(TransferRecord {
            cargo: self.cargo,
            memory: 0x8000_0000 | (record.value as u32 & PHYSICAL),
            asked: lines,
            done: Some(transfer),
        });
    }

    /// Whether an instruction belongs to the accumulate kernel as it is listed.
    fn stores_vertices(&self, pc: u32) -> bool {
        self.accumulate.is_some_and(|start| pc.wrapping_sub(start) < ACCUMULATE_SIZE)
    }

    /// A kernel's first read of its matrix names the entry; its first read of a vertex, the start.
    fn kernel_read(&mut self, pc: u32, address: u32) {
        for kernel in &self.kernels {
            if pc == kernel.first_vertex {
                self.first_vertex = address;
            }
            if pc == kernel.first_read {
                if let Some(entry) = self.lists.entry_at(kernel.list, address) {
                    self.enter(entry);
                }
                return;
            }
        }
    }

    /// Kernels that nobody listed: the entry is the one whose matrix is written, its first vertex what
    /// is read next of the locked cache.
    fn watch_unlisted(&mut self, kind: AccessKind, address: u32) {
        if kind == AccessKind::Store {
            if let Some(entry) = self.lists.entry_around(address) {
                if self.last != Some(entry) || !self.awaits_vertex {
                    self.enter(entry);
                }
                self.awaits_vertex = true;
            }
        } else if self.awaits_vertex && in_locked_cache(address) {
            (self.first_vertex, self.awaits_vertex) = (address, false);
        }
    }

    /// Notes a store of the accumulate kernel: it goes where the entry's indices can lead.
    fn accumulated(&mut self, record: &AccessRecord) {
        let Some(entry) = self.last.filter(|entry| entry.list == List::SkAcc) else { return };
        let at = self.lists.first[List::SkAcc as usize]
            .wrapping_add(entry.index * List::SkAcc.entry_size() as u32);
        let destination = Quiet(self.machine).word(at.wrapping_add(DESTINATION_BASE));
        let offset = record.address.wrapping_sub(destination);
        if offset < INDEX_REACH && self.lists.entry_around(record.address).is_none() {
            self.journal.accumulated_at(destination, (offset / STRIDE as u32) as u16);
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

fn in_locked_cache(address: u32) -> bool {
    address >> 28 == 0xe
}

impl Bus for Account<'_> {
    const OBSERVED: bool = true;

    #[inline]
    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn transfer(&mut self, registers: DmaRegisters, site: Site) -> Access<Option<Transfer>> {
        let asked = registers.transfer();
        self.transfer_begins(asked.direction, asked.memory);
        let done = self.machine.transfer(registers, site)?;
        let record = AccessRecord {
            site,
            kind: AccessKind::Transfer(asked.direction),
            address: asked.cache,
            size: asked.bytes(),
            value: u64::from(asked.memory),
        };
        self.transferred(asked.direction, &record);
        Ok(done)
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
            AccessKind::Load if !in_locked_cache(record.address) => {
                if let Some(entry) = self.lists.bone_at(record.address) {
                    self.enter(entry);
                }
            }
            AccessKind::Store if self.stores_vertices(pc) => self.accumulated(&record),
            kind @ (AccessKind::Load | AccessKind::Store) if self.kernels.len() < 3 => {
                self.watch_unlisted(kind, record.address);
                if kind == AccessKind::Store {
                    self.accumulated(&record);
                }
            }
            AccessKind::Store if !in_locked_cache(record.address) => {
                if let Some(entry) = self.lists.scratch_at(record.address)
                    && self.last != Some(entry)
                {
                    self.enter(entry);
                }
            }
            // `dcbz_l` on the locked cache is no part of a frame's clear.
            AccessKind::ZeroLine if !in_locked_cache(record.address) => self.cleared(record.address),
            _ => {}
        }
    }
}
