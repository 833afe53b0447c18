//! Variable data: writing a plan puts every array in its usual place, sources on the mirror.

use super::case::{Case, Fix, Refusals, entry_of, fix};
use super::plan::Plan;
use crate::c3::rules::arrays::{VariableArray, VariableKind, variable_arrays};
use crate::c3::rules::codes;
use crate::c3::rules::subject::Subject;
use crate::finding::{Code, Finding};

const CODES: [&Code; 7] = [
    &codes::SOURCE_OFF_MIRROR,
    &codes::DMA_ADDRESS_UNALIGNED,
    &codes::ARRAY_UNALIGNED,
    &codes::ARRAY_OVERLAP,
    &codes::ARRAY_ORDER,
    &codes::PREFIX_NOT_ZERO,
    &codes::PADDING_NOT_ZERO,
];

/// The array of another kind that has bytes of the array which an overlap is about.
fn other_kind(arrays: &[VariableArray], finding: &Finding) -> Option<String> {
    let is_vertices = |kind| matches!(kind, VariableKind::Source | VariableKind::AccumulationSource);
    let same = |a: VariableKind, b: VariableKind| a == b || (is_vertices(a) && is_vertices(b));
    let field = finding.place.field.as_deref().filter(|_| finding.code == &codes::ARRAY_OVERLAP)?;
    let own = arrays.iter().find(|array| array.kind.name() == field && array.entry == entry_of(finding))?;
    let meets = |other: &&VariableArray| {
        let (a, b) = (&own.range, &other.range);
        !same(own.kind, other.kind) && a.start.max(b.start) < a.end.min(b.end)
    };
    let other = arrays.iter().find(meets)?;
    let whose = other.entry.map_or_else(String::new, |entry| format!("{entry}'s "));
    Some(format!("{whose}{}", other.kind.name()))
}

/// Tells what writing the plan changes.
pub fn remedy(case: &Case, plan: &mut Plan, _: &mut Refusals) -> Vec<Fix> {
    let mirror = plan.skn().mirror_start();
    let arrays = variable_arrays(&Subject::new(case.model));
    let findings = case.of(&CODES).filter(|finding| finding.place.field.as_deref() != Some("destination"));
    let told = findings.map(|finding| {
        let text = if finding.code == &codes::SOURCE_OFF_MIRROR {
            format!("its source goes to its place in the mirror, which begins at {mirror:#x}")
        } else if finding.code == &codes::PREFIX_NOT_ZERO || finding.code == &codes::PADDING_NOT_ZERO {
            "the bytes become zero".to_owned()
        } else if let Some(other) = other_kind(&arrays, finding) {
            format!(
                "it gets bytes of its own, with what they hold now; they are also {other}, and which of the two they were \
                 meant to be is not in the file"
            )
        } else {
            "the arrays are laid out anew, each on a cache line of its own".to_owned()
        };
        fix(finding, text)
    });
    told.collect()
}
