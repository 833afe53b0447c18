//! Joining what the rules found with what the frames did.
//!
//! Two passes: first every finding takes what its own evidence names (entries, slots, structures, parts of
//! the frame); then slots that are wrong and that nobody took go to the findings of the entry that stored
//! them. What is left becomes a finding of its own, so that nothing a frame did is lost.

mod reached;
mod rest;
mod run;
mod selection;

use std::collections::BTreeSet;

use super::effects::{DryRun, Target};
use super::found::{Evidence, Found, Reach};
use crate::finding::{Effect, Finding, Severity};
use run::Run;

/// Sets effects and final severities: a finding whose frames fault or spoil output is an error, and one
/// that the frames show to be harmless is none. What no finding answers for becomes a finding of its own.
/// Afterwards every finding has a verdict for each of `targets`; for one without a run it is what the bytes
/// alone say, or `no_frame`: why there is none.
///
/// `runs` may hold a run of Dolphin that `targets` does not name: it tells what the console's data cache is to
/// blame for.
pub fn join(mut found: Vec<Found>, runs: &[DryRun], targets: &[Target], no_frame: &str) -> Vec<Finding> {
    let asked = runs.iter().filter(|run| targets.contains(&run.target));
    let runs: Vec<Run> = asked.map(|run| Run { run, cache: Cache::new(&found, run, runs) }).collect();
    for run in &runs {
        run.share_out(&mut found);
    }
    let verdict = |evidence: &Evidence, target| match runs.iter().find(|run| run.run.target == target) {
        Some(run) => run.verdict(evidence),
        None => evidence.always_on(target).unwrap_or_else(|| Effect::no_frame(no_frame)),
    };
    let mut findings: Vec<Finding> = Vec::with_capacity(found.len());
    for one in &found {
        let effects: Vec<_> =
            targets.iter().map(|&target| (target, verdict(&one.evidence, target))).collect();
        findings.push(joined(one, effects));
    }
    for run in &runs {
        run.report_rest(&found, &mut findings);
    }
    // What one target alone showed by itself.
    for finding in &mut findings {
        for &target in targets {
            slot(finding, target).get_or_insert_with(|| verdict(&Evidence::default(), target));
        }
    }
    findings
}

/// Slots that findings about the data cache cover and that no other finding answers for.
#[derive(Default)]
struct Cache {
    /// Those that are wrong on a console alone.
    wrong: BTreeSet<u32>,
    /// Those that are stale.
    stale: BTreeSet<u32>,
}

impl Cache {
    fn new(found: &[Found], run: &DryRun, runs: &[DryRun]) -> Self {
        if run.target == Target::Dolphin {
            return Self::default();
        }
        let dolphin = runs.iter().filter(|run| run.target == Target::Dolphin);
        let spoiled: BTreeSet<u32> =
            dolphin.flat_map(|run| run.wrong.iter().map(|wrong| wrong.slot)).collect();
        let wrong = run.wrong.iter().map(|wrong| wrong.slot).filter(|slot| !spoiled.contains(slot));
        let (wrong, stale): (BTreeSet<u32>, BTreeSet<u32>) =
            (wrong.collect(), run.stale.iter().copied().collect());
        let cache = found.iter().filter(|one| one.evidence.reach == Reach::DataCache);
        let ranges: Vec<_> =
            cache.flat_map(|one| &one.evidence.slots).filter(|range| range.start < range.end).collect();
        let covered = |slots: &BTreeSet<u32>| {
            ranges.iter().flat_map(|range| slots.range((*range).clone()).copied()).collect()
        };
        Self { wrong: covered(&wrong), stale: covered(&stale) }
    }
}

/// A finding with its effects, and the severity that follows from them.
fn joined(found: &Found, effects: Vec<(Target, Effect)>) -> Finding {
    let mut finding = found.finding.clone();
    finding.severity = severity(found, &effects);
    for (target, effect) in effects {
        *slot(&mut finding, target) = Some(effect);
    }
    finding
}

fn slot(finding: &mut Finding, target: Target) -> &mut Option<Effect> {
    match target {
        Target::Dolphin => &mut finding.dolphin,
        Target::Console => &mut finding.console,
    }
}

/// Harmful effects make an error. That a finding is harmless must be shown on every target.
fn severity(Found { finding, evidence }: &Found, effects: &[(Target, Effect)]) -> Severity {
    let harmful = effects.iter().any(|(_, effect)| effect.is_harm());
    let harmless = !effects.is_empty() && effects.iter().all(|(_, effect)| *effect == Effect::None);
    match harmful {
        true if evidence.open => finding.severity,
        true => Severity::Error,
        false if harmless && evidence.decisive => finding.severity.min(Severity::Warning),
        false => finding.severity,
    }
}
