//! The queue of locked-cache DMA: transfers that were asked for and have not happened yet.
//!
//! The hardware holds 15 of them and works them off in order; how long one takes nobody has shown.
//! [machine.md A3: H for the order of the length field, M for the depth; open for the time]
//! So there are two extremes. *Instant* is Dolphin's way: nothing is ever queued. *Deferred* is the
//! latest that is still legal: a transfer happens when a wait demands it, or when a full queue must
//! make room after the processor has worked on the locked cache in between.

use std::collections::VecDeque;

use super::fault::Site;
use super::locked_cache::{Direction, Transfer};
use super::map::{Bus, LOCKED_CACHE_START};

/// Transfers that the queue holds. [machine.md A5: M, from the four bits of its length]
pub const QUEUE_LENGTH: usize = 15;

/// Accesses kept in the log; later ones are only counted.
const KEPT_ACCESSES: usize = 1024;

/// When the console's transfers happen. [open]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DmaTiming {
    /// The moment they are asked for, as in Dolphin.
    #[default]
    Instant,
    /// As late as the code's waits allow.
    Deferred,
}

/// A transfer that waits its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Queued {
    pub(super) transfer: Transfer,
    /// The memory side, decoded.
    pub(super) bus: Bus,
    /// The cache side, as an offset.
    pub(super) cache: usize,
    /// Whether an access that came too early was noted.
    noted: bool,
}

impl Queued {
    pub(super) fn new(transfer: Transfer, bus: Bus, cache: usize) -> Self {
        Self { transfer, bus, cache, noted: false }
    }

    /// Whether an access meets what the transfer has yet to bring, or changes what it has yet to take.
    fn is_met_by(&self, offset: usize, size: usize, write: bool) -> bool {
        let end = self.cache + self.transfer.bytes() as usize;
        let touches = offset < end && self.cache < offset + size;
        touches && (write || self.transfer.direction == Direction::Load)
    }
}

/// An access to the locked cache that came before a transfer which nobody had waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlyAccess {
    /// The instruction.
    pub site: Site,
    /// Whether it wrote: a load still to come undoes that, a store still to come takes it along.
    pub write: bool,
    /// Effective address.
    pub address: u32,
    /// The transfer that had not happened.
    pub transfer: Transfer,
    /// The machine's marker at that time (the frame: the vertex).
    pub marker: Option<u32>,
    /// Whether the library itself has no wait there; see
    /// [`Machine::library_has_no_wait`](super::machine::Machine::library_has_no_wait).
    pub listed: bool,
}

/// Who accesses the locked cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accessor {
    pub(super) site: Site,
    pub(super) marker: Option<u32>,
    pub(super) listed: bool,
}

/// Accesses that came too early, the first of each transfer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlyLog {
    /// The first ones.
    pub accesses: Vec<EarlyAccess>,
    /// How many there were.
    pub total: u64,
}

/// The queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TransferQueue {
    entries: VecDeque<Queued>,
    /// How many of the oldest were queued before the processor's last access to the locked cache.
    worked_past: usize,
    /// Whether the length was read, and nothing queued or accessed since: reading again means waiting.
    polled: bool,
    pub(super) early: EarlyLog,
}

impl TransferQueue {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether another transfer must wait for the oldest.
    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= QUEUE_LENGTH
    }

    /// Whether the processor has worked since the oldest was queued, so that it can have happened.
    pub(super) fn oldest_had_time(&self) -> bool {
        self.worked_past > 0
    }

    pub(super) fn push(&mut self, queued: Queued) {
        self.entries.push_back(queued);
        self.polled = false;
    }

    pub(super) fn pop(&mut self) -> Option<Queued> {
        self.worked_past = self.worked_past.saturating_sub(1);
        self.entries.pop_front()
    }

    /// Notes a read of the length, and gives whether it is one in a loop.
    pub(super) fn poll(&mut self) -> bool {
        std::mem::replace(&mut self.polled, true)
    }

    /// The processor accesses the locked cache at an offset. Gives how many of the oldest would have had to
    /// happen before.
    pub(super) fn meet(&mut self, (offset, size): (usize, u32), write: bool, by: Accessor) -> usize {
        self.worked_past = self.entries.len();
        self.polled = false;
        let mut met = 0;
        for (place, queued) in self.entries.iter_mut().enumerate() {
            if !queued.is_met_by(offset, size as usize, write) {
                continue;
            }
            met = place + 1;
            if std::mem::replace(&mut queued.noted, true) {
                continue;
            }
            self.early.total += 1;
            if self.early.accesses.len() < KEPT_ACCESSES {
                let address = LOCKED_CACHE_START + offset as u32;
                let (transfer, Accessor { site, marker, listed }) = (queued.transfer, by);
                self.early.accesses.push(EarlyAccess { site, write, address, transfer, marker, listed });
            }
        }
        met
    }
}
