//! Arrays whose pointer names another array: bytes that are no vertices, weights or indices, whatever is read.
//!
//! Arrays may share bytes with their like: known tools store what is the same once. That an array runs into the
//! next of another kind is a count that went wrong, and says nothing about the next one's pointer.

use std::collections::BTreeMap;
use std::ops::Range;

use super::plan::Reason;
use crate::c3::format::skn::EntryId;
use crate::c3::model::Model;
use crate::c3::rules::arrays::{VariableArray, VariableKind, variable_arrays};
use crate::c3::rules::subject::Subject;

/// The arrays of a section, to be asked whose bytes an array of an entry begins with.
pub(super) struct Foreign {
    arrays: Vec<VariableArray>,
    /// Bytes of direct entries' vertices, in ascending order and apart from each other.
    vertices: Vec<Range<u64>>,
    /// Those of everything else.
    others: Vec<Range<u64>>,
    /// The first array that begins at a place, of each kind.
    starts: BTreeMap<(u64, VariableKind), usize>,
}

/// What may share bytes with it.
const fn is_vertices(kind: VariableKind) -> bool {
    matches!(kind, VariableKind::Source | VariableKind::AccumulationSource)
}

impl Foreign {
    /// The arrays of a model.
    pub fn of(model: &Model) -> Self {
        let mut arrays = variable_arrays(&Subject::new(model));
        arrays.retain(|array| !array.range.is_empty());
        let ranges = |direct: bool| {
            let wanted = arrays.iter().filter(|array| direct == (array.kind == VariableKind::Source));
            merged(wanted.map(|array| array.range.clone()).collect())
        };
        let (vertices, others) = (ranges(true), ranges(false));
        let starts = arrays.iter().enumerate().rev();
        let starts = starts.map(|(index, array)| ((array.range.start, array.kind), index)).collect();
        Self { arrays, vertices, others, starts }
    }

    /// Refuses an array that begins, so many bytes into the section, where another kind of array lies.
    ///
    /// # Errors
    /// With the other array.
    pub fn refuse(&self, id: EntryId, kind: VariableKind, start: u64) -> Result<(), Reason> {
        // Vertices of direct entries come first: nothing that is too long runs into them.
        let inside = if kind == VariableKind::Source {
            holds(&self.others, start)
        } else {
            holds(&self.vertices, start)
        };
        let at = (start, VariableKind::Source)..=(start, VariableKind::AccumulationWeights);
        let begins = self.starts.range(at).any(|((_, other), _)| !alike(kind, *other));
        if !begins && (!inside || kind == VariableKind::AccumulationSource) {
            return Ok(());
        }
        let other = self.arrays.iter().find(|other| !alike(kind, other.kind) && other.range.contains(&start));
        let Some(other) = other else { return Ok(()) };
        let whose = other.entry.map_or_else(|| "the".to_owned(), |entry| format!("{entry}'s"));
        Err(format!(
            "{id} {} at {start:#x}: want bytes of its own, have {whose} {} at {:#x}: which of the two they are is not in \
             the file",
            kind.name(),
            other.kind.name(),
            other.range.start
        ))
    }
}

fn alike(a: VariableKind, b: VariableKind) -> bool {
    a == b || (is_vertices(a) && is_vertices(b))
}

fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut apart: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

fn holds(ranges: &[Range<u64>], at: u64) -> bool {
    let before = ranges.partition_point(|range| range.start <= at);
    before.checked_sub(1).is_some_and(|index| ranges[index].contains(&at))
}
