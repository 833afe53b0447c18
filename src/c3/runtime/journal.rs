//! What a frame did, as it happened: transfers, stored ranges, faults, each with the entry it
//! belongs to. Written while the frame runs, read by reports and rules afterwards.

use std::ops::Range;

use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::gekko::fault::{Fault, FaultKind};
use crate::gekko::locked_cache::Transfer;
use crate::gekko::machine::Machine;
use crate::gekko::transfer_queue::EarlyAccess;

/// Faults of a frame that are kept; later ones are only counted. Of one entry the machine keeps fewer.
const KEPT_FAULTS: usize = 1 << 16;

/// The part of a frame in which something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Stage {
    /// The loader, once.
    #[default]
    Load,
    /// Building the bone matrices.
    Pose,
    /// The SK1 list.
    Sk1,
    /// The SK2 list.
    Sk2,
    /// Clearing the accumulation range.
    Clear,
    /// The `SKAcc` list.
    SkAcc,
    /// Storing the cleared range and flushing by index.
    Flush,
    /// The display code's walk afterwards.
    Draw,
}

impl Stage {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Pose => "pose",
            Self::Sk1 => "sk1",
            Self::Sk2 => "sk2",
            Self::Clear => "clear",
            Self::SkAcc => "skacc",
            Self::Flush => "flush",
            Self::Draw => "draw",
        }
    }
}

impl From<List> for Stage {
    fn from(list: List) -> Self {
        match list {
            List::Sk1 => Self::Sk1,
            List::Sk2 => Self::Sk2,
            List::SkAcc => Self::SkAcc,
        }
    }
}

/// A fault with the place in the frame where it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocatedFault {
    /// The fault.
    pub fault: Fault,
    /// The part of the frame.
    pub stage: Stage,
    /// The entry, where one was being worked on.
    pub entry: Option<EntryId>,
    /// Frame number, from 0.
    pub frame: u32,
    /// The submesh whose display-state list the display code followed.
    pub submesh: Option<u32>,
}

impl LocatedFault {
    /// The vertex of the entry that the kernel was at, where a kernel was running.
    pub fn vertex(&self) -> Option<u32> {
        self.fault.marker
    }
}

/// An access that came before its transfer, with the place in the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocatedAccess {
    /// The access.
    pub access: EarlyAccess,
    /// The part of the frame.
    pub stage: Stage,
    /// The entry that was being worked on.
    pub entry: Option<EntryId>,
}

/// What a transfer brings or takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cargo {
    /// Source vertices.
    Source,
    /// Weights.
    Weights,
    /// Destination indices.
    Indices,
    /// Skinned vertices, to memory.
    Result,
}

/// A transfer as asked for and as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferRecord {
    /// What it moves.
    pub cargo: Cargo,
    /// Memory address the code passed.
    pub memory: u32,
    /// Lines the code asked for.
    pub asked: u32,
    /// What the registers made of it; `None` when nothing moved.
    pub done: Option<Transfer>,
}

/// Who writes to memory in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    /// An SK1, SK2 or `SKAcc` entry.
    Entry(EntryId),
    /// Clearing before accumulation.
    Clear,
}

impl Writer {
    /// The entry; none for the clear.
    pub const fn entry(self) -> Option<EntryId> {
        match self {
            Self::Entry(entry) => Some(entry),
            Self::Clear => None,
        }
    }
}

impl std::fmt::Display for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Entry(entry) => entry.fmt(f),
            Self::Clear => f.write_str("the clear"),
        }
    }
}

/// What one entry did in a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRecord {
    /// Which entry.
    pub entry: EntryId,
    /// Its transfers in order.
    pub transfers: Vec<TransferRecord>,
    /// What the kernel wrote in main memory (`SKAcc`).
    pub accumulated: Option<Accumulated>,
}

/// The vertices of main memory that an `SKAcc` entry added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulated {
    /// Address of the vertex with index 0.
    pub base: u32,
    /// Lowest and highest index.
    pub extent: (u16, u16),
    /// Indices of the vertices that were stored, in order.
    pub indices: Vec<u16>,
}

impl Accumulated {
    /// Of the vertices with these indices; `None` where there are none.
    pub(super) fn of(base: u32, indices: Vec<u16>) -> Option<Self> {
        let extent = (*indices.iter().min()?, *indices.iter().max()?);
        Some(Self { base, extent, indices })
    }

    fn address(&self, index: u16) -> u32 {
        self.base.wrapping_add(u32::from(index) * STRIDE as u32)
    }

    /// From the first byte of one index's vertex to one past the last of another's.
    fn addresses(&self, first: u16, last: u16) -> (u32, u32) {
        (self.address(first), self.address(last).wrapping_add(STRIDE as u32))
    }

    /// Runs of neighbouring vertices: first and one past the last address of each, in ascending order.
    fn runs(&self) -> Vec<(u32, u32)> {
        let mut indices = self.indices.clone();
        indices.sort_unstable();
        indices.dedup();
        let runs = indices.chunk_by(|a, b| a + 1 == *b);
        runs.map(|run| self.addresses(run[0], run[run.len() - 1])).collect()
    }
}

/// One frame's account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Journal {
    /// Frame number, from 0.
    pub frame: u32,
    /// One record an entry, in the order they were first touched.
    pub entries: Vec<EntryRecord>,
    /// What was cleared, however far the clear came: first byte and one past the last.
    pub cleared: Option<(u32, u32)>,
    /// Faults in order.
    pub faults: Vec<LocatedFault>,
    /// How many faults there were, if more than were kept.
    pub fault_count: u64,
    /// Accesses to the locked cache before a transfer that nobody waited for (deferred DMA alone).
    pub early: Vec<LocatedAccess>,
    /// Transfers still queued when the frame's code returned.
    pub left_queued: usize,
    stage: Stage,
    entry: Option<EntryId>,
}

impl Journal {
    /// An empty account of frame `frame`.
    pub fn new(frame: u32) -> Self {
        Self { frame, ..Self::default() }
    }

    /// Enters a part of the frame: faults logged so far belong to the part before.
    pub(super) fn enter(&mut self, machine: &mut Machine, stage: Stage, entry: Option<EntryId>) {
        self.collect(machine);
        machine.marker = None;
        machine.library_has_no_wait = false;
        (self.stage, self.entry) = (stage, entry);
        if let Some(entry) = entry.filter(|&entry| self.find(entry).is_none()) {
            self.entries.push(EntryRecord { entry, transfers: Vec::new(), accumulated: None });
        }
    }

    /// Takes over the faults and early accesses that the machine has logged since the last call.
    pub(super) fn collect(&mut self, machine: &mut Machine) {
        if machine.early_accesses().total != 0 {
            let (stage, entry) = (self.stage, self.entry);
            let early = machine.take_early_accesses().accesses.into_iter();
            self.early.extend(early.map(|access| LocatedAccess { access, stage, entry }));
        }
        if machine.faults().total == 0 {
            return;
        }
        let log = machine.take_faults();
        self.fault_count += log.total;
        let (stage, entry, frame) = (self.stage, self.entry, self.frame);
        let room = KEPT_FAULTS.saturating_sub(self.faults.len());
        let located =
            log.faults.into_iter().map(|fault| LocatedFault { fault, stage, entry, frame, submesh: None });
        // That the frame was cut off is always told.
        let kept = located.enumerate().filter(|(at, one)| *at < room || one.fault.kind == FaultKind::Budget);
        self.faults.extend(kept.map(|(_, fault)| fault));
    }

    /// The frame's code has returned. What it left in the queue happens before anybody reads the
    /// result: the rest of the game's frame takes far longer.
    pub(super) fn finish(&mut self, machine: &mut Machine) {
        self.collect(machine);
        machine.library_has_no_wait = false;
        self.left_queued = machine.queued_transfers();
        machine.wait_for_transfers(0);
    }

    fn find(&mut self, entry: EntryId) -> Option<&mut EntryRecord> {
        // Double buffering touches at most one entry ahead of the current one.
        self.entries.iter_mut().rev().take(2).find(|record| record.entry == entry)
    }

    pub(super) fn transferred(&mut self, record: TransferRecord) {
        if let Some(entry) = self.entry.and_then(|entry| self.find(entry)) {
            entry.transfers.push(record);
        }
    }

    pub(super) fn accumulated(&mut self, accumulated: Option<Accumulated>) {
        if let Some(entry) = self.entry.and_then(|entry| self.find(entry)) {
            entry.accumulated = accumulated;
        }
    }

    /// The clear has reached so many bytes more.
    pub(super) fn clears(&mut self, address: u32, size: u32) {
        let (start, _) = self.cleared.unwrap_or((address, address));
        self.cleared = Some((start, address.wrapping_add(size)));
    }

    /// Where the frame is.
    pub(super) fn place(&self) -> (Stage, Option<EntryId>) {
        (self.stage, self.entry)
    }

    /// The current entry has added to one more vertex.
    pub(super) fn accumulated_at(&mut self, base: u32, index: u16) {
        let Some(entry) = self.entry.and_then(|entry| self.find(entry)) else { return };
        let all = entry.accumulated.get_or_insert_with(|| Accumulated {
            base,
            extent: (index, index),
            indices: Vec::new(),
        });
        all.extent = (all.extent.0.min(index), all.extent.1.max(index));
        // A vertex takes four stores.
        if all.indices.last() != Some(&index) {
            all.indices.push(index);
        }
    }

    /// Whether execution was cut off or stopped.
    pub fn first_fault(&self) -> Option<&LocatedFault> {
        self.faults.first()
    }

    /// Everything that was written to main memory, first to last: SK1 and SK2 entries, the clear, `SKAcc`
    /// entries. \[listing\]
    pub fn written(&self) -> impl Iterator<Item = (Range<u32>, Writer)> + '_ {
        let of = |accumulated: bool| {
            let records =
                self.entries.iter().filter(move |record| (record.entry.list == List::SkAcc) == accumulated);
            records.flat_map(|record| {
                record.written().map(|(start, end)| (start..end, Writer::Entry(record.entry)))
            })
        };
        let cleared = self.cleared.iter().map(|&(start, end)| (start..end, Writer::Clear));
        of(false).chain(cleared).chain(of(true))
    }

    /// Whether the frame ran out of budget (the game hangs).
    pub fn hangs(&self) -> bool {
        self.faults.iter().any(|located| located.fault.kind == FaultKind::Budget)
    }
}

impl EntryRecord {
    /// The ranges of main memory that this entry's stores covered, in order: first byte and one past
    /// the last, as cached effective addresses. What was accumulated is one range, from the lowest vertex to
    /// the highest.
    pub fn stored(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.transferred().chain(self.accumulated.iter().map(|all| all.addresses(all.extent.0, all.extent.1)))
    }

    /// The same, with every run of accumulated vertices as a range of its own: nothing but what was written.
    pub fn written(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.transferred().chain(self.accumulated.iter().flat_map(Accumulated::runs))
    }

    fn transferred(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.transfers
            .iter()
            .filter(|record| record.cargo == Cargo::Result)
            .filter_map(|record| record.done)
            .map(|transfer| {
                let start = cached_address(transfer.memory);
                (start, start.wrapping_add(transfer.bytes()))
            })
    }
}

/// The cached effective address of a physical one: MEM1 at 0x80000000, MEM2 at 0x90000000.
fn cached_address(physical: u32) -> u32 {
    0x8000_0000 | (physical & 0x1fff_ffff)
}
