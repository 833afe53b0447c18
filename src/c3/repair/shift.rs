//! Fraction bits: skinning takes those with which the positions are drawn.

use super::case::{Case, Fix, Refusals, fix};
use super::plan::Plan;
use crate::c3::rules::codes;
use crate::finding::Code;

const CODES: [&Code; 2] = [&codes::SHIFT_OUT_OF_RANGE, &codes::SHIFT_MISMATCH];

/// Sets the shift to the fraction bits of the positions.
pub fn remedy(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let findings: Vec<_> = case.of(&CODES).collect();
    let drawn = case.model.gpl.as_ref().and_then(|gpl| Some(gpl.skinned()?.2.quantize.fraction_bits()));
    let (Some(drawn), false) = (drawn, findings.is_empty()) else { return Vec::new() };
    if drawn == 0 {
        for finding in findings {
            refusals.add(finding, "the positions have no fraction bits either");
        }
        return Vec::new();
    }
    let text = format!("skinning uses {drawn} fraction bits, those that the positions are drawn with");
    plan.shift = drawn;
    findings.into_iter().map(|finding| fix(finding, text.clone())).collect()
}
