//! Dummy points placed and oriented.

use schemars::JsonSchema;
use serde::Serialize;

use crate::flver::format::{Dummy, Flver};

use super::options::DummyFollow;
use super::skeleton::Skeleton;
use super::transform::Transform;

/// A dummy point in model space.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlacedDummy {
    /// What scripts and effects call the point.
    pub reference_id: i16,
    /// The node whose space the point is stored in; -1 for model space.
    pub parent: i16,
    /// The node the point follows; -1 for none.
    pub attach: i16,
    /// The node that moved it here: the attach bone, the parent, or none.
    pub follows: Option<usize>,
    /// Position.
    pub position: [f32; 3],
    /// Forward vector; the parent's scale included, so not of unit length below a scaled node.
    pub forward: [f32; 3],
    /// Upward vector, likewise.
    pub upward: [f32; 3],
    /// Whether the upward vector counts.
    pub use_upward: bool,
}

/// Places every dummy point. Position and vectors are in the parent's space and follow its world transform,
/// scale included [seed 000]; a posed attach bone then carries the point along [sourced].
pub fn place(flver: &Flver, skeleton: &Skeleton, follow: DummyFollow) -> Vec<PlacedDummy> {
    flver.dummies.iter().map(|dummy| place_one(dummy, skeleton, follow)).collect()
}

fn place_one(dummy: &Dummy, skeleton: &Skeleton, follow: DummyFollow) -> PlacedDummy {
    let node = |index: i16| usize::try_from(index).ok().filter(|index| *index < skeleton.world.len());
    let parent = node(dummy.parent_bone);
    let attached = match follow {
        DummyFollow::Attach => node(dummy.attach_bone).and_then(|bone| follow_attach(skeleton, parent, bone)),
        DummyFollow::Parent => None,
    };
    let (transform, follows) = attached
        .unwrap_or_else(|| (parent.map_or(Transform::IDENTITY, |parent| skeleton.world[parent]), parent));
    let single = |cells: [f64; 3]| cells.map(|cell| cell as f32);
    PlacedDummy {
        reference_id: dummy.reference_id,
        parent: dummy.parent_bone,
        attach: dummy.attach_bone,
        follows,
        position: single(transform.point(dummy.position.map(f64::from))),
        forward: single(transform.direction(dummy.forward.map(f64::from))),
        upward: single(transform.direction(dummy.upward.map(f64::from))),
        use_upward: dummy.use_upward != 0,
    }
}

/// The parent's bind pose, then what the attach bone did since; `None` where that cannot be said.
fn follow_attach(
    skeleton: &Skeleton,
    parent: Option<usize>,
    bone: usize,
) -> Option<(Transform, Option<usize>)> {
    let start = parent.map_or(Transform::IDENTITY, |parent| skeleton.bind[parent]);
    if skeleton.bind[bone] == skeleton.world[bone] {
        return Some((start, Some(bone)));
    }
    let inverse = skeleton.bind[bone].inverse()?;
    Some((start.then(&inverse).then(&skeleton.world[bone]), Some(bone)))
}
