//! The flush list: the first vertex that begins in every line that `SKAcc` entries touch.

use super::case::{Case, Fix, Refusals, fix};
use super::plan::Plan;
use crate::c3::build::layout;
use crate::c3::rules::codes;
use crate::finding::Code;

const CODES: [&Code; 4] =
    [&codes::FLUSH_MISSING, &codes::FLUSH_TAIL, &codes::FLUSH_OUT_OF_RANGE, &codes::FLUSH_SUPERFLUOUS];

/// Computes the list anew.
pub fn remedy(case: &Case, plan: &mut Plan, _: &mut Refusals) -> Vec<Fix> {
    let findings: Vec<_> = case.of(&CODES).collect();
    if findings.is_empty() {
        return Vec::new();
    }
    let before = plan.flush.len();
    plan.flush = layout::flush(&plan.skacc);
    let text = format!("the flush list is computed anew: {} indices instead of {before}", plan.flush.len());
    findings.into_iter().map(|finding| fix(finding, text.clone())).collect()
}
