//! Stores that reach past the position array: the array is given the room, at the end of the palette where
//! there is none in its place.

use super::case::{Case, Fix, Refusals, fix};
use super::plan::{MOST_SLOTS, Plan};
use super::write::slots_up_to;
use crate::c3::rules::codes;
use crate::finding::Code;

const CODES: [&Code; 4] = [
    &codes::WRITE_BACK_OVER_STRUCTURE,
    &codes::WRITE_OUTSIDE_SCRATCH,
    &codes::WRITE_OUTSIDE_MODEL,
    &codes::POSITIONS_UNALIGNED,
];

/// Reserves the bytes up to the end of the last stored line.
pub fn remedy(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let findings: Vec<_> = case.of(&CODES).collect();
    if findings.is_empty() {
        return Vec::new();
    }
    let end = plan.end();
    let slots = slots_up_to(end);
    if slots > MOST_SLOTS {
        for finding in findings {
            let reason = format!("it writes up to {end:#x}, behind the last slot that can be numbered");
            refusals.add(finding, reason);
        }
        return Vec::new();
    }
    plan.reserve = end.next_multiple_of(32);
    plan.grow(slots);
    let text = format!("the position array gets {:#x} bytes of its own, on a line", plan.reserve);
    findings.into_iter().map(|finding| fix(finding, text.clone())).collect()
}
