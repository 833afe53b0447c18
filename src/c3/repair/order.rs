//! SK1 and SK2 entries in ascending destination order.

use super::case::{Case, Fix, Refusals, fix};
use super::plan::Plan;
use crate::c3::rules::codes;

/// Sorts each list.
pub fn remedy(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let findings: Vec<_> = case.of(&[&codes::ENTRIES_UNSORTED]).collect();
    if findings.is_empty() {
        return Vec::new();
    }
    let mut sorted = plan.direct.clone();
    sorted.sort_by_key(|planned| (planned.id.list, planned.entry.destination));
    let meet = sorted
        .windows(2)
        .any(|pair| pair[0].id.list == pair[1].id.list && pair[1].stored().start < pair[0].stored().end);
    if meet {
        for finding in findings {
            refusals.add(finding, "entries that meet show what the later one stores: their order matters");
        }
        return Vec::new();
    }
    plan.direct = sorted;
    findings.into_iter().map(|finding| fix(finding, "the entries are sorted by destination")).collect()
}
