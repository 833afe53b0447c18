//! Which fault of a run goes with a message, and how well.

use super::access::{Access, Routine};
use super::candidates::{Candidate, Fit};
use super::suspect::Shown;
use super::{Explanation, LOCKED_CACHE_END};
use crate::c3::format::skn::EntryId;
use crate::c3::rules::effects::{FaultSeen, Part};
use crate::gekko::address::LINE_SIZE;
use crate::gekko::fault::FaultKind;
use crate::gekko::message::{Message, MessageKind};

/// How a fault of a run goes with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// In everything that both tell.
    Whole,
    /// In the address: that the instruction is the same is not known.
    Address,
    /// In the read through a pointer that an entry overwrote: where it leads depends on the vertices of the frame.
    Pointer,
    /// In all but the address, which is what the model would give at another place in memory.
    Moved,
    /// In the function: the run was cut off in a loop that does not end before it got to the address.
    Loop,
}

/// What a run does after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// It ends; the entry is mended, and it begins again.
    Mend,
    /// It goes on, as Dolphin does where its message is ignored.
    GoOn,
}

/// The first fault of a run that goes with a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit<'f> {
    /// The run.
    pub policy: Policy,
    /// Its faults.
    pub faults: &'f [FaultSeen],
    /// Which of them.
    pub index: usize,
    /// How well.
    pub agreement: Agreement,
}

impl<'f> Hit<'f> {
    /// The first fault that agrees best.
    pub fn find(
        shown: &'f Shown,
        policy: Policy,
        wanted: &[Agreement],
        explanation: &Explanation,
        candidates: &[Candidate],
    ) -> Option<Self> {
        let faults = shown.faults(policy);
        let of = |&agreement: &Agreement| {
            let agrees =
                |fault: &FaultSeen| self::agreement(shown, fault, explanation, candidates) == Some(agreement);
            Some(Self { policy, faults, index: faults.iter().position(agrees)?, agreement })
        };
        wanted.iter().find_map(of)
    }

    /// The fault.
    pub fn fault(&self) -> &'f FaultSeen {
        &self.faults[self.index]
    }

    /// The other faults that agree as well as this one, with it.
    pub fn agreeing(
        &self,
        shown: &Shown,
        explanation: &Explanation,
        candidates: &[Candidate],
    ) -> Vec<(usize, &'f FaultSeen, EntryId)> {
        let all = self.faults.iter().enumerate();
        all.filter(|(_, fault)| agreement(shown, fault, explanation, candidates) == Some(self.agreement))
            .filter_map(|(index, fault)| Some((index, fault, fault.entry?)))
            .collect()
    }
}

/// Whether a fault of a run is the one that a message tells.
fn agreement(
    shown: &Shown,
    fault: &FaultSeen,
    explanation: &Explanation,
    candidates: &[Candidate],
) -> Option<Agreement> {
    let message = &explanation.message;
    let of_routine = explanation.routine.map(|routine| is_of(routine, fault));
    if fault.kind == FaultKind::Budget {
        let can_come = of_routine.unwrap_or(message.pc.is_none()) && message.kind != MessageKind::Transfer;
        return can_come.then_some(Agreement::Loop);
    }
    let fits = |entry: EntryId| candidates.iter().any(|one| one.entry == entry && one.fit == Fit::Fits);
    // A loop that has run off goes on: what it names later is told by arithmetic.
    let same_loop = explanation.runs_off()
        && fault.address == LOCKED_CACHE_END
        && fault.part == Part::Entry
        && fault.entry.is_some_and(fits);
    let same_kind = same_kind(fault.kind, message.kind);
    let same_access = same_kind && fault.address == message.address;
    if !same_loop && !same_access {
        if same_kind && of_routine == Some(true) && moved_to(shown, fault, message).is_some() {
            return Some(Agreement::Moved);
        }
        let overwritten = explanation.access == Some(Access::StateList) && fault.part == Part::Draw;
        return (overwritten && same_kind && fault.entry.is_some()).then_some(Agreement::Pointer);
    }
    let Some(pc) = message.pc else { return Some(Agreement::Whole) };
    let same_offset = explanation.place.as_ref().is_some_and(|place| place.offset == fault.site.offset);
    match of_routine {
        Some(true) if same_loop || same_offset || fault.site.pc.is_none() => Some(Agreement::Whole),
        // Where the runtime does not know the function's address, another name proves nothing.
        None if shown.pc(fault).is_none_or(|known| known == pc) || explanation.place.is_none() => {
            Some(Agreement::Address)
        }
        _ => None,
    }
}

/// Where the model would have to lie for a fault to name a message's address: what transfers and accumulation access
/// is as far from the model as a pointer of the file says.
pub(super) fn moved_to(shown: &Shown, fault: &FaultSeen, message: &Message) -> Option<u32> {
    let name = fault.site.function;
    let same_place = name == Routine::Accumulate.runtime_name() || fault.kind == FaultKind::Dma;
    let locked_cache = (fault.address >> 28 == 0xE) || (message.address >> 28 == 0xE);
    let placement = shown.placement;
    if !same_place || locked_cache || fault.part != Part::Entry || placement.skn.is_some() {
        return None;
    }
    // Of a transfer's address Dolphin names 30 bits.
    let far = message.address.wrapping_sub(fault.address);
    let far =
        if fault.kind == FaultKind::Dma { ((far << 2).cast_signed() >> 2).cast_unsigned() } else { far };
    let place = placement.model.wrapping_add(far);
    let in_memory =
        (0x8000_0000..0x8180_0000).contains(&place) || (0x9000_0000..0x9400_0000).contains(&place);
    (in_memory && far != 0 && far.is_multiple_of(LINE_SIZE)).then_some(place)
}

/// Whether a fault happened in a part of the code. Where nobody has listed the copy of the matrix, the frame's
/// function may hold it.
fn is_of(routine: Routine, fault: &FaultSeen) -> bool {
    let name = fault.site.function;
    routine.runtime_name() == name
        || (routine == Routine::Frame && name == Routine::Reorder.runtime_name() && fault.site.pc.is_none())
}

pub(super) fn same_kind(fault: FaultKind, message: MessageKind) -> bool {
    matches!(
        (fault, message),
        (FaultKind::Read, MessageKind::Read)
            | (FaultKind::Write, MessageKind::Write)
            | (FaultKind::Dma, MessageKind::Transfer)
    )
}
