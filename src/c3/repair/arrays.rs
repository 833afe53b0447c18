//! Variable data: writing a plan puts every array in its usual place, sources on the mirror.

use super::case::{Case, Fix, Refusals, fix};
use super::plan::Plan;
use crate::c3::rules::codes;
use crate::finding::Code;

const CODES: [&Code; 7] = [
    &codes::SOURCE_OFF_MIRROR,
    &codes::DMA_ADDRESS_UNALIGNED,
    &codes::ARRAY_UNALIGNED,
    &codes::ARRAY_OVERLAP,
    &codes::ARRAY_ORDER,
    &codes::PREFIX_NOT_ZERO,
    &codes::PADDING_NOT_ZERO,
];

/// Tells what writing the plan changes.
pub fn remedy(case: &Case, plan: &mut Plan, _: &mut Refusals) -> Vec<Fix> {
    let mirror = plan.skn().mirror_start();
    let findings = case.of(&CODES).filter(|finding| finding.place.field.as_deref() != Some("destination"));
    let told = findings.map(|finding| {
        let text = if finding.code == &codes::SOURCE_OFF_MIRROR {
            format!("its source goes to its place in the mirror, which begins at {mirror:#x}")
        } else if finding.code == &codes::PREFIX_NOT_ZERO || finding.code == &codes::PADDING_NOT_ZERO {
            "the bytes become zero".to_owned()
        } else {
            "the arrays are laid out anew, each on a cache line of its own".to_owned()
        };
        fix(finding, text)
    });
    told.collect()
}
