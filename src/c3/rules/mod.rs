//! What known-good files obey; one rule one place.
//!
//! A rule is a pure function over a parsed model and knows no more than the bytes. What breaking it
//! does is decided by a frame: [`join::join`] puts the two together.

mod accumulation;
mod animation;
pub mod arrays;
mod bones;
mod clear;
pub mod codes;
mod container;
mod curves;
mod destinations;
pub mod direct;
mod draw;
pub mod effects;
mod entries;
mod facial;
mod faults;
mod flush;
pub mod found;
mod gpl;
pub mod join;
pub mod landing;
mod lists;
pub mod mechanism;
mod mirror;
mod null_arrays;
mod outside;
mod padding;
pub mod seen;
mod skeleton;
mod spoiled;
mod states;
pub mod subject;
mod textures;
pub mod weights;
mod writes;

pub use codes::CODES;

use std::collections::BTreeMap;
use std::ops::Range;

use found::Found;
use subject::Subject;

use super::coverage::accumulated_slot;
use super::format::skn::{EntryId, List, STRIDE};

/// Applies every rule to a model.
pub fn check(subject: &Subject) -> Vec<Found> {
    let rules: [fn(&Subject, &mut Vec<Found>); 18] = [
        container::check,
        gpl::check,
        draw::check,
        null_arrays::check,
        states::check,
        draw::palette_names,
        textures::check,
        lists::check,
        entries::check,
        destinations::check,
        arrays::check,
        clear::check,
        accumulation::check,
        weights::check,
        weights::unwritten,
        bones::check,
        skeleton::check,
        facial::check,
    ];
    rules.iter().fold(Vec::new(), |mut found, rule| {
        rule(subject, &mut found);
        // After every rule: garbage lists make all of them find something in every entry.
        limited(found)
    })
}

/// Applies the rules of skeleton and animation bank alone: what decides a model's bone matrices.
pub fn check_pose(subject: &Subject) -> Vec<Found> {
    let mut found = Vec::new();
    skeleton::check(subject, &mut found);
    limited(found)
}

/// Findings of one code that are kept one by one. No model that was ever meant to run has as many, and a
/// file can be made to have millions.
const KEPT: usize = 1000;

/// At most [`KEPT`] findings of a code; the last one counts the others.
fn limited(found: Vec<Found>) -> Vec<Found> {
    let mut seen: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut kept: Vec<Found> = Vec::new();
    for one in found {
        let (count, last) = seen.entry(one.finding.code.name).or_default();
        *count += 1;
        if *count > KEPT {
            kept[*last].finding.count += one.finding.count;
        } else {
            *last = kept.len();
            kept.push(one);
        }
    }
    kept
}

/// The slots that an entry writes, and those that it may be meant to where it has too few vertices to tell: up to
/// where the next SK1 or SK2 entry begins.
pub fn meant_slots(subject: &Subject, id: EntryId) -> Range<u64> {
    let own = entry_slots(subject, id);
    let Some(entry) = subject.direct_entry(id).filter(|entry| entry.count < 2) else { return own };
    let behind = |other: &&subject::Direct| other.landing > entry.landing;
    let next = subject.direct.iter().filter(behind).map(|other| other.slots().start).min();
    let end = next.unwrap_or_else(|| subject.stored_bytes() / STRIDE);
    let start = entry.vertices_around().start.max(0).unsigned_abs() / STRIDE;
    start..end.max(own.end).max(start)
}

/// The slots that an entry writes, as one range.
pub fn entry_slots(subject: &Subject, id: EntryId) -> Range<u64> {
    if id.list != List::SkAcc {
        return subject.direct_entry(id).map_or(0..0, subject::Direct::slots);
    }
    let Some(skn) = subject.skn() else { return 0..0 };
    let Some(entry) = skn.skacc.get(id.index as usize) else { return 0..0 };
    let slots = || skn.indices(entry).filter_map(|index| accumulated_slot(entry.destination, index));
    match (slots().min(), slots().max()) {
        (Some(first), Some(last)) => first..last + 1,
        _ => 0..0,
    }
}
