//! Watches a program at work and keeps the same journal that the direct model keeps: which entry is
//! being loaded, skinned and stored, told from the addresses that the code uses.

use super::functions::Functions;
use super::listed::Listed;
use super::lists::{Lists, PHYSICAL, Quiet};
use super::pointers::Pointers;
use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::c3::runtime::journal::{Cargo, Journal, Stage, TransferRecord};
use crate::gekko::address::{LINE_SIZE, line_start};
use crate::gekko::bus::{AccessKind, AccessRecord, Bus};
use crate::gekko::fault::Site;
use crate::gekko::locked_cache::{DmaRegisters, MAX_LINES, Transfer};
use crate::gekko::machine::{Access, Machine};

/// Where an `SKAcc` entry has its destination base, and how far an index leads from it. [listing]
const DESTINATION_BASE: u32 = 0x38;
const INDEX_REACH: u32 = 0x1_0000 * STRIDE as u32;
/// Bytes of the SKN header. [listing]
const HEADER_SIZE: u32 = 0x24;

/// The bus of a program: tells the journal what the accesses mean. It does so before they happen, so that
/// a fault is told of what was being done.
pub(super) struct Account<'m> {
    machine: &'m mut Machine,
    journal: &'m mut Journal,
    skn: u32,
    lists: Lists,
    pointers: Pointers,
    kernels: Vec<Listed>,
    /// How far the frame is: a stage is not entered again by what is read of the header.
    reached: Stage,
    /// For each list the entry that is entered next: one behind the last that was.
    newest: [u32; 3],
    /// Where the sources of the last two entries were loaded to, for kernels that nobody listed.
    sources: [Option<(EntryId, u32)>; 2],
}

impl<'m> Account<'m> {
    pub(super) fn new(
        machine: &'m mut Machine,
        journal: &'m mut Journal,
        functions: &Functions,
        skn: u32,
    ) -> Self {
        journal.enter(machine, Stage::Sk1, None);
        Self {
            lists: Lists::read(machine, skn),
            machine,
            journal,
            skn,
            pointers: Pointers::default(),
            kernels: Listed::of(functions),
            reached: Stage::Sk1,
            newest: [0; 3],
            sources: [None; 2],
        }
    }

    /// Names the instructions behind the faults.
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
        }
    }

    fn enter(&mut self, stage: Stage, entry: Option<EntryId>) {
        if self.journal.place() != (stage, entry) {
            self.journal.enter(self.machine, stage, entry);
            let no_wait = entry.is_some_and(|entry| self.lists.library_has_no_wait(entry));
            self.machine.library_has_no_wait = no_wait;
        }
    }

    fn enter_entry(&mut self, entry: EntryId) {
        let stage = entry.list.into();
        // What is loaded ahead may lie in the list before: a frame goes through its stages once.
        self.reached = if self.reached == Stage::Flush { stage } else { self.reached.max(stage) };
        let next = &mut self.newest[entry.list as usize];
        *next = (*next).max(entry.index.saturating_add(1));
        self.enter(stage, Some(entry));
    }

    fn reach(&mut self, stage: Stage) {
        if self.reached < stage {
            self.reached = stage;
            self.enter(stage, None);
        }
    }

    /// The list that the code is at.
    fn list(&self) -> List {
        match self.reached {
            Stage::Load | Stage::Pose | Stage::Sk1 => List::Sk1,
            Stage::Sk2 => List::Sk2,
            Stage::Clear | Stage::SkAcc | Stage::Flush | Stage::Draw => List::SkAcc,
        }
    }

    /// A field of the header is about to be read. The clear range is read twice: before the `SKAcc` list and
    /// behind it.
    fn header_read(&mut self, offset: u32) {
        match offset {
            0x02 | 0x0c => self.reach(Stage::Sk2),
            0x04 | 0x10 if self.reached < Stage::Clear => {
                self.reached = Stage::Clear;
                self.enter(Stage::SkAcc, None);
            }
            0x14 | 0x18 if self.reached < Stage::SkAcc => {
                self.reached = Stage::Clear;
                self.enter(Stage::Clear, None);
            }
            0x14..HEADER_SIZE if self.reached >= Stage::SkAcc => self.reach(Stage::Flush),
            _ => {}
        }
    }

    /// The entry and the offset in it that an address lies in, of those whose turn it can be: a list is walked
    /// from its first entry on, one ahead. A count that is far too large makes a list of all memory.
    fn offset_at(&self, address: u32) -> Option<(EntryId, u32)> {
        let (entry, offset) = self.lists.offset_at(address, self.list())?;
        let next = self.newest[entry.list as usize];
        (entry.index <= next && entry.index + 2 >= next).then_some((entry, offset))
    }

    /// The entry and the offset of the field that an address lies in, behind the matrices.
    fn field_at(&self, address: u32) -> Option<(EntryId, u32)> {
        self.offset_at(address).filter(|(entry, offset)| *offset >= Lists::matrices(entry.list))
    }

    /// The entry whose matrices an address lies in: what writes there is about to skin it.
    fn scratch_at(&self, address: u32) -> Option<EntryId> {
        let found = self.offset_at(address).filter(|_| self.reached != Stage::Flush);
        found.filter(|(entry, offset)| *offset < Lists::matrices(entry.list)).map(|(entry, _)| entry)
    }

    /// The kernel that an instruction belongs to, if it is the library's.
    fn kernel(&mut self, pc: u32) -> Option<&mut Listed> {
        self.kernels.iter_mut().find(|kernel| kernel.holds(pc))
    }

    /// Whether the kernel of the entry at work is one that nobody listed.
    fn unlisted(&self) -> Option<EntryId> {
        let entry = self.journal.place().1?;
        self.kernels.iter().all(|kernel| kernel.list() != entry.list).then_some(entry)
    }

    /// An access is about to happen: enters what it is a part of.
    fn approach(&mut self, kind: AccessKind, address: u32, size: u32, site: Site) {
        let pc = site.pc.unwrap_or(0);
        if let Some(kernel) = self.kernel(pc) {
            let (vertex, begins, list) = (kernel.vertex(pc), kernel.begins(pc), kernel.list());
            if let Some(entry) = begins.then(|| self.lists.entry_at(list, address)).flatten() {
                self.enter_entry(entry);
            }
            self.machine.marker = vertex;
            return;
        }
        self.machine.marker = None;
        match kind {
            AccessKind::Load => self.approach_load(address, size),
            AccessKind::Store => {
                if let Some(entry) = self.scratch_at(address) {
                    self.enter_entry(entry);
                }
            }
            // `dcbz_l` on the locked cache is no part of a frame's clear.
            AccessKind::ZeroLine if !in_locked_cache(address) && self.reached < Stage::SkAcc => {
                self.reached = Stage::Clear;
                self.enter(Stage::Clear, None);
            }
            _ => {}
        }
    }

    fn approach_load(&mut self, address: u32, size: u32) {
        let offset = address.wrapping_sub(self.skn);
        if offset < HEADER_SIZE {
            return self.header_read(offset);
        }
        if self.reached != Stage::Flush
            && let Some((entry, _)) = self.field_at(address)
        {
            return self.enter_entry(entry);
        }
        if in_locked_cache(address)
            && let Some(entry) = self.unlisted()
        {
            self.machine.marker = self.vertex_at(entry, address, size);
        } else if self.kernels.len() < 3
            && let Some(entry) = self.scratch_at(address)
        {
            self.enter_entry(entry);
        }
    }

    /// The vertex of an entry that an address of the locked cache lies in. Indices and weights lie behind the
    /// vertices, and are read by less than four bytes.
    fn vertex_at(&self, entry: EntryId, address: u32, size: u32) -> Option<u32> {
        let source = self.sources.iter().flatten().find(|(of, _)| *of == entry);
        let first = source.map(|&(_, cache)| cache.wrapping_add(self.vertex_offset(entry)))?;
        (entry.list != List::SkAcc || size >= 4).then(|| address.wrapping_sub(first) / STRIDE as u32)
    }

    fn vertex_offset(&self, entry: EntryId) -> u32 {
        let offset = match entry.list {
            List::Sk1 => 0x3c,
            List::Sk2 => 0x70,
            List::SkAcc => return 0,
        };
        let word = Quiet(self.machine).word(self.entry_address(entry).wrapping_add(offset));
        if entry.list == List::Sk1 { word >> 24 } else { (word >> 8) & 0xff }
    }

    fn entry_address(&self, entry: EntryId) -> u32 {
        let first = self.lists.first[entry.list as usize];
        first.wrapping_add(entry.index * entry.list.entry_size() as u32)
    }

    /// An access has happened, without a fault.
    fn landed(&mut self, kind: AccessKind, address: u32, (size, value): (u32, u64), site: Site) {
        match kind {
            AccessKind::Load => {
                let offset = address.wrapping_sub(self.skn);
                if offset < HEADER_SIZE {
                    self.lists.header_read(offset, size, value);
                } else if size == 4
                    && let Some((entry, offset)) = self.field_at(address)
                    && let Some(cargo) = Lists::cargo_at(entry.list, offset)
                {
                    self.pointers.read(entry, cargo, value as u32);
                }
            }
            AccessKind::Store => self.stored(address, site.pc.unwrap_or(0)),
            AccessKind::ZeroLine if self.journal.place().0 == Stage::Clear && !in_locked_cache(address) => {
                self.journal.clears(line_start(address), LINE_SIZE);
            }
            _ => {}
        }
    }

    /// Notes a store to a vertex of the position array: it goes where the entry's indices can lead.
    fn stored(&mut self, address: u32, pc: u32) {
        let Some(entry) = self.journal.place().1.filter(|entry| entry.list == List::SkAcc) else { return };
        let listed = self.kernel(pc).filter(|kernel| kernel.list() == List::SkAcc);
        let part = match listed {
            Some(kernel) => kernel.stores(pc),
            None => self.unlisted().map(|_| 0).filter(|_| self.lists.entry_around(address).is_none()),
        };
        let Some(part) = part else { return };
        let at = self.entry_address(entry).wrapping_add(DESTINATION_BASE);
        let base = self.pointers.base(entry).unwrap_or_else(|| Quiet(self.machine).word(at));
        let offset = address.wrapping_sub(part).wrapping_sub(base);
        if offset < INDEX_REACH {
            self.journal.accumulated_at(base, (offset / STRIDE as u32) as u16);
        }
    }

    /// Names the entry that asks for a transfer, before it happens: its fault is the entry's.
    fn transfer_begins(&mut self, asked: Transfer) -> Cargo {
        self.machine.marker = None;
        let last = self.journal.place().1;
        let expected = self
            .pointers
            .transfer(asked.direction, asked.memory)
            .or_else(|| self.lists.find(asked.direction, line_start(asked.memory & PHYSICAL), last));
        let Some(expected) = expected else { return Cargo::Source };
        self.enter_entry(expected.entry);
        let slot = &mut self.sources[expected.entry.index as usize & 1];
        if expected.cargo == Cargo::Source && slot.is_none_or(|(of, _)| of != expected.entry) {
            *slot = Some((expected.entry, asked.cache));
        }
        expected.cargo
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

    #[inline]
    fn read(&mut self, address: u32, size: u32, site: Site) -> Access<u64> {
        self.approach(AccessKind::Load, address, size, site);
        let faults = self.machine.faults().total;
        let value = self.machine.read(address, size, site)?;
        if self.machine.faults().total == faults {
            self.landed(AccessKind::Load, address, (size, value), site);
        }
        Ok(value)
    }

    #[inline]
    fn load_pair(&mut self, address: u32, single: bool, register: usize, site: Site) -> Access<[f32; 2]> {
        // A pair of halves takes four bytes, of vertices and indices alike the most common.
        self.approach(AccessKind::Load, address, 4, site);
        let (raw, _) = self.machine.load_raw(address, single, register, site)?;
        Ok(self.machine.dequantize_pair(raw, single, register))
    }

    #[inline]
    fn write(&mut self, address: u32, size: u32, value: u64, site: Site) -> Access<()> {
        self.approach(AccessKind::Store, address, size, site);
        let faults = self.machine.faults().total;
        self.machine.write(address, size, value, site)?;
        if self.machine.faults().total == faults {
            self.landed(AccessKind::Store, address, (size, value), site);
        }
        Ok(())
    }

    fn zero_line(&mut self, address: u32, site: Site) -> Access<()> {
        self.approach(AccessKind::ZeroLine, address, LINE_SIZE, site);
        let faults = self.machine.faults().total;
        self.machine.zero_line(address, site)?;
        if self.machine.faults().total == faults {
            self.landed(AccessKind::ZeroLine, address, (LINE_SIZE, 0), site);
        }
        Ok(())
    }

    fn transfer(&mut self, registers: DmaRegisters, site: Site) -> Access<Option<Transfer>> {
        let asked = registers.transfer();
        let cargo = self.transfer_begins(asked);
        let done = self.machine.transfer(registers, site)?;
        self.journal.transferred(TransferRecord {
            cargo,
            memory: 0x8000_0000 | (asked.memory & PHYSICAL),
            asked: (asked.bytes() / 32).clamp(1, MAX_LINES),
            done,
        });
        Ok(done)
    }

    fn observe(&mut self, _record: AccessRecord) {}
}
