//! Why a run shows no effect of a finding, where that does not mean that there is none.

use std::ops::Range;

use crate::c3::format::skn::{EntryId, List};
use crate::c3::rules::effects::{DryRun, FaultSeen, Mended, Part};
use crate::c3::rules::found::Evidence;
use crate::finding::Effect;

/// A point of the frame: its stage in order, and the number of the entry in it. \[listing\]
type Point = (u8, u32);

const LOAD: Point = (0, 0);
const CLEAR: Point = (3, 0);
const FLUSH: Point = (5, 0);
const DRAW: Point = (6, 0);

/// The point at which an entry runs: SK1, SK2, the clear, `SKAcc`.
fn entry_point(id: EntryId) -> Point {
    match id.list {
        List::Sk1 => (1, id.index),
        List::Sk2 => (2, id.index),
        List::SkAcc => (4, id.index),
    }
}

/// Where in the frame a fault lies.
fn fault_point(fault: &FaultSeen) -> Point {
    match (fault.part, fault.entry) {
        (Part::Entry, Some(entry)) => entry_point(entry),
        (Part::Load | Part::Entry, _) => LOAD,
        (Part::Clear, _) => CLEAR,
        (Part::Flush, _) => FLUSH,
        (Part::Draw, _) => DRAW,
    }
}

/// The first point of the frame that has to do with a finding, where its evidence says so.
fn first_point(evidence: &Evidence) -> Option<Point> {
    let entries = evidence.entries.iter().map(|&entry| entry_point(entry));
    let parts = evidence.parts.iter().filter_map(|part| match part {
        Part::Load => Some(LOAD),
        Part::Entry => None,
        Part::Clear => Some(CLEAR),
        Part::Flush => Some(FLUSH),
        Part::Draw => Some(DRAW),
    });
    entries.chain(parts).min()
}

/// What stood between the finding and the frames; nothing where they went through it.
pub(super) fn unshown(run: &DryRun, evidence: &Evidence) -> Option<Effect> {
    if let Some(why) = evidence.unseen {
        return Some(Effect::not_exercised(why));
    }
    // An entry that ran with a count which is not its own shows nothing, nor does who writes its slots.
    let meets =
        |slots: &Range<u32>| evidence.slots.iter().any(|own| own.start < slots.end && slots.start < own.end);
    let hides = |mended: &&Mended| evidence.entries.contains(&mended.entry) || meets(&mended.slots);
    if let Some(mended) = run.mended.iter().find(hides) {
        return Some(Effect::ended_early(&mended.fault));
    }
    if !run.ended {
        return None;
    }
    let Some(fault) = run.faults.iter().rfind(|fault| fault.part != Part::Draw) else {
        return Some(Effect::no_frame("the run ended early"));
    };
    // The data of the entry that follows are loaded before an entry runs. [listing]
    let (stage, index) = fault_point(fault);
    let loaded = (stage, index.saturating_add(1));
    match first_point(evidence).filter(|point| *point > loaded) {
        Some(_) => Some(Effect::not_reached(&fault.message)),
        None => Some(Effect::ended_early(&fault.message)),
    }
}
