//! Entries that can have caused a message, by arithmetic.

use super::Explanation;
use super::access::Routine;
use super::loops::Loop;
use super::structures::over_structures;
use crate::c3::format::skn::EntryId;
use crate::c3::rules::effects::DryRun;
use crate::c3::rules::subject::Subject;
use crate::gekko::message::MessageKind;

/// How well an entry goes with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// A run of the model gives this very message at this entry, and at no entry before it.
    ThisOne,
    /// Address, instruction, buffer and vertex offset agree.
    Fits,
    /// They do not.
    No,
}

/// An entry, and why it fits or does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The entry.
    pub entry: EntryId,
    /// How well it goes with the message.
    pub fit: Fit,
    /// Why.
    pub reason: String,
}

/// The entries that come into question, in running order.
pub(super) fn candidates(
    subject: &Subject,
    explanation: &Explanation,
    run: Option<&DryRun>,
) -> Vec<Candidate> {
    match explanation.routine {
        Some(Routine::Draw) => {
            run.map(|run| over_structures(subject, run, explanation.access)).unwrap_or_default()
        }
        // Without an instruction any kernel may be meant.
        Some(Routine::OneBone | Routine::TwoBone | Routine::Accumulate) | None if explanation.runs_off() => {
            let loops = Loop::runaway(subject).into_iter();
            let asked =
                loops.filter(|one| explanation.routine.is_none_or(|routine| one.routine() == routine));
            asked.map(|one| of_loop(&one, explanation)).collect()
        }
        _ => Vec::new(),
    }
}

fn of_loop(one: &Loop, explanation: &Explanation) -> Candidate {
    let kernel = one.routine();
    let listed = explanation.place.as_ref().filter(|place| kernel.is_listed(place.size));
    // Of a build that is not listed, or of an instruction that is not known, nothing rules an entry out but what no
    // entry of its list does.
    let kind = explanation.message.kind;
    let can_be = match explanation.access {
        Some(access) => access.can_be(kind),
        None => kind == MessageKind::Read || kernel != Routine::Accumulate,
    };
    let named = explanation.routine.is_none()
        || listed.is_none_or(|place| one.can_name(place.offset, explanation.message.address));
    let fits = can_be && named;
    let many = if one.wraps() { "" } else { ", far too many" };
    let plural = if one.count == 1 { "ex" } else { "ices" };
    let reason = format!(
        "{} vert{plural}{many}, buffer {:#010x}, vertex offset {}: the load at +{:#x} meets the end first",
        one.count,
        one.buffer(),
        one.vertex_offset,
        one.first_faulting_read()
    );
    Candidate { entry: one.entry, fit: if fits { Fit::Fits } else { Fit::No }, reason }
}
