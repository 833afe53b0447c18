//! What known-good files obey; one rule one place.
//!
//! A rule is a pure function over a parsed model and knows no more than the bytes. What breaking it
//! does is decided by a frame: [`effects::join`] puts the two together.

mod accumulation;
pub mod arrays;
pub mod codes;
mod container;
mod destinations;
mod draw;
pub mod effects;
mod entries;
mod flush;
pub mod found;
mod gpl;
pub mod subject;
mod textures;
pub mod weights;

pub use codes::CODES;

use std::ops::Range;

use found::Found;
use subject::Subject;

use super::format::skn::{EntryId, List, STRIDE};

/// Applies every rule to a model.
pub fn check(subject: &Subject) -> Vec<Found> {
    let mut found = Vec::new();
    container::check(subject, &mut found);
    gpl::check(subject, &mut found);
    draw::check(subject, &mut found);
    draw::palette_names(subject, &mut found);
    textures::check(subject, &mut found);
    entries::check(subject, &mut found);
    destinations::check(subject, &mut found);
    arrays::check(subject, &mut found);
    accumulation::check(subject, &mut found);
    weights::check(subject, &mut found);
    weights::unwritten(subject, &mut found);
    found
}

/// The slots that an entry writes, as one range.
fn entry_slots(subject: &Subject, id: EntryId) -> Range<u64> {
    if id.list != List::SkAcc {
        return subject.direct.iter().find(|entry| entry.id == id).map_or(0..0, subject::Direct::slots);
    }
    let Some(skn) = subject.skn() else { return 0..0 };
    let Some(entry) = skn.skacc.get(id.index as usize) else { return 0..0 };
    let base = u64::from(entry.destination) / STRIDE;
    match (skn.indices(entry).min(), skn.indices(entry).max()) {
        (Some(first), Some(last)) => base + u64::from(first)..base + u64::from(last) + 1,
        _ => 0..0,
    }
}
