//! Weights that do not sum to 256: the shares of a slot keep their proportion.

use std::collections::{BTreeMap, BTreeSet};

use super::accumulation::parts;
use super::case::{Case, Fix, Refusals, fix};
use super::plan::Plan;
use crate::c3::build::skn::Movers;
use crate::c3::build::weights::{WHOLE, largest_remainder};
use crate::c3::format::skn::STRIDE;
use crate::c3::rules::codes;

/// Shares out 256 anew in every slot whose weights sum to something else.
pub fn remedy(case: &Case, plan: &mut Plan, refusals: &mut Refusals) -> Vec<Fix> {
    let Some(finding) = case.of(&[&codes::WEIGHT_SUM]).next() else { return Vec::new() };
    let supplements = parts(plan);
    // Slot by slot: where its SK2 pair is, and whether an SK1 entry gives it a whole weight.
    let mut pairs: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
    let mut whole: BTreeSet<u64> = BTreeSet::new();
    for (n, planned) in plan.direct.iter().enumerate() {
        let slots = (planned.first_byte() / STRIDE..).take(planned.entry.records.len());
        for (k, slot) in slots.enumerate() {
            match planned.entry.movers {
                Movers::One(_) => drop(whole.insert(slot)),
                Movers::Two(..) => pairs.entry(slot).or_default().push((n, k)),
            }
        }
    }
    let slots: BTreeSet<u64> = pairs.keys().chain(supplements.keys()).copied().collect();
    let (mut mended, mut kept) = (Vec::new(), Vec::new());
    for slot in slots {
        let pair = pairs.get(&slot).map_or(&[][..], Vec::as_slice);
        let added = supplements.get(&slot).map_or(&[][..], Vec::as_slice);
        let weights = weights_of(plan, pair, added);
        let sum: u32 = weights.iter().map(|weight| u32::from(*weight)).sum();
        let over = whole.contains(&slot);
        if (over && sum == 0) || (!over && sum == u32::from(WHOLE)) {
            continue;
        }
        if over || sum == 0 || pair.len() > 1 || weights.len() < 2 {
            kept.push(slot);
            continue;
        }
        store(plan, pair, added, &shared(&weights));
        mended.push(slot);
    }
    if let Some(first) = kept.first() {
        let reason = format!(
            "{} slots stay, the first {first}: a weight of 0, of one SKAcc entry alone, or on top of an SK1 entry has \
             no proportion to keep",
            kept.len()
        );
        refusals.add(finding, reason);
    }
    if mended.is_empty() {
        return Vec::new();
    }
    vec![fix(
        finding,
        format!("256 is shared out anew in {}, in the proportion of their weights", slot_list(&mended)),
    )]
}

/// `12 slots: 3..9, 14, …`: how many, and the first few runs.
fn slot_list(slots: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &slot in slots {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == slot => *last = slot,
            _ => runs.push((slot, slot)),
        }
    }
    let shown = runs
        .iter()
        .take(16)
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}..{last}") });
    let shown: Vec<String> = shown.collect();
    let more = if runs.len() > shown.len() { ", …" } else { "" };
    format!("{} slot{}: {}{more}", slots.len(), if slots.len() == 1 { "" } else { "s" }, shown.join(", "))
}

fn weights_of(plan: &Plan, pair: &[(usize, usize)], added: &[(usize, usize)]) -> Vec<u8> {
    let pairs = pair.iter().flat_map(|&(n, k)| match &plan.direct[n].entry.movers {
        Movers::Two(_, weights) => weights[k],
        Movers::One(_) => [0; 2],
    });
    pairs.chain(added.iter().map(|&(n, k)| plan.skacc[n].supplements[k].weight)).collect()
}

/// Shares in the weights' order; none is above 255, which is what a byte holds.
fn shared(weights: &[u8]) -> Vec<u8> {
    let named: Vec<(u16, f64)> = (0..).zip(weights).map(|(n, &weight)| (n, f64::from(weight))).collect();
    let shares = largest_remainder(&named);
    let mut stored = vec![0u16; weights.len()];
    for (n, units) in shares {
        stored[usize::from(n)] = units;
    }
    if let Some(full) = stored.iter().position(|&units| units == WHOLE) {
        stored[full] -= 1;
        stored[usize::from(full == 0)] += 1;
    }
    stored.into_iter().map(|units| units as u8).collect()
}

fn store(plan: &mut Plan, pair: &[(usize, usize)], added: &[(usize, usize)], shares: &[u8]) {
    let mut shares = shares.iter().copied();
    let mut next = || shares.next().unwrap_or(0);
    for &(n, k) in pair {
        if let Movers::Two(_, weights) = &mut plan.direct[n].entry.movers {
            weights[k] = [next(), next()];
        }
    }
    for &(n, k) in added {
        plan.skacc[n].supplements[k].weight = next();
    }
}

#[cfg(test)]
mod tests {
    use super::shared;

    #[test]
    fn slots_are_told_in_runs() {
        assert_eq!(super::slot_list(&[3, 4, 5, 9]), "4 slots: 3..5, 9");
        assert_eq!(super::slot_list(&[7]), "1 slot: 7");
    }

    #[test]
    fn shares_keep_their_proportion_and_fit_a_byte() {
        assert_eq!(shared(&[100, 50, 50]), [128, 64, 64]);
        assert_eq!(shared(&[0, 90]), [1, 255]);
        assert_eq!(shared(&[200, 0, 0]), [255, 1, 0]);
    }
}
