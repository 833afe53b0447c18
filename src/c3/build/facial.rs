//! Morph targets as facial poses: a neutral one, then differences from it, on the slots of the body.

use std::collections::BTreeMap;

use super::error::{BuildError, BuildResult};
use super::skn::Record;
use crate::c3::format::facial::{AttributeSource, FacialSource, NORMALS, ObjectSource, POSITIONS};

/// What moves one slot, by target.
pub type SlotDeltas = BTreeMap<u16, Vec<(u16, Record)>>;

/// The section for some morphs: of each the number of targets and what they move.
///
/// # Errors
/// When a count does not fit its field.
pub fn section(morphs: &[(usize, SlotDeltas)], positions: &[Record]) -> BuildResult<Vec<u8>> {
    let objects = morphs.iter().map(|(targets, slots)| object(*targets, slots, positions));
    Ok(FacialSource { objects: objects.collect() }.to_bytes()?)
}

fn object(targets: usize, slots: &SlotDeltas, positions: &[Record]) -> ObjectSource {
    let attribute = |kind: u8, first: usize| {
        let half = |record: &Record| [record[first], record[first + 1], record[first + 2]];
        let neutral = slots.keys().map(|&slot| half(&positions[usize::from(slot)])).collect();
        let pose = |target: usize| {
            let of = |deltas: &Vec<(u16, Record)>| {
                deltas
                    .iter()
                    .find(|(known, _)| usize::from(*known) == target)
                    .map_or([0; 3], |(_, d)| half(d))
            };
            slots.values().map(of).collect()
        };
        let poses = std::iter::once(neutral).chain((0..targets).map(pose)).collect();
        AttributeSource { submesh: 0, kind, vertices: slots.keys().copied().collect(), poses }
    };
    let turns = slots.values().flatten().any(|(_, delta)| delta[3..] != [0; 3]);
    let positions = attribute(POSITIONS, 0);
    let normals = turns.then(|| attribute(NORMALS, 3));
    ObjectSource { attributes: std::iter::once(positions).chain(normals).collect() }
}

/// The difference of two records as stored.
///
/// # Errors
/// When a component differs by more than s16 holds.
pub fn difference(neutral: &Record, moved: &Record, place: impl Fn() -> String) -> BuildResult<Record> {
    let mut delta = [0; 6];
    for ((delta, neutral), moved) in delta.iter_mut().zip(neutral).zip(moved) {
        *delta = moved.checked_sub(*neutral).ok_or_else(|| {
            BuildError::new(place(), "a morph target that moves by less than 32768 steps", "a larger move")
        })?;
    }
    Ok(delta)
}
