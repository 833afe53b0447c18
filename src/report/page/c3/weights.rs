//! Bones and weights of the skinned vertices.

use std::collections::HashMap;
use std::ops::Range;

use super::geometry::{Influence, Influences};
use crate::c3::format::skn::EntryId;
use crate::c3::rules::subject::Subject;
use crate::c3::rules::weights::contributions;

/// What the weights of a slot sum to.
const WHOLE: u16 = 256;
/// Parts of one vertex that the page knows at most.
const MOST_PARTS: usize = 64;

/// The parts of every vertex of the mesh, in the order in which a frame adds them.
pub fn influences(
    subject: &Subject,
    entries: &[EntryId],
    vertices: usize,
    skinned: &Range<usize>,
) -> Influences {
    let numbers: HashMap<EntryId, u16> = entries.iter().copied().zip(0..).collect();
    let mut by_vertex = vec![Vec::new(); vertices];
    for part in contributions(subject) {
        let vertex = usize::try_from(part.slot).ok().and_then(|slot| slot.checked_add(skinned.start));
        let parts = vertex.filter(|vertex| skinned.contains(vertex)).and_then(|at| by_vertex.get_mut(at));
        if let (Some(parts), Some(&entry)) = (parts, numbers.get(&part.entry))
            && parts.len() < MOST_PARTS
        {
            parts.push(Influence { entry, bone: part.bone, weight: part.weight });
        }
    }
    Influences::new(&by_vertex, WHOLE)
}
