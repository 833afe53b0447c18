//! The whole check of a model: rules, a dry run, and the two joined.

use super::dry_run::dry_run_on;
use super::model::Model;
use super::rules::effects::Target;
use super::rules::join::join;
use super::rules::subject::Subject;
use super::runtime::load::{LoadPlan, Placement};
use super::runtime::simulation::RunOptions;
use crate::finding::{Finding, Severity};

/// What to check a model against.
#[derive(Debug, Clone, Default)]
pub struct Comparison<'m> {
    /// The model that it was made from.
    pub donor: Option<&'m Model<'m>>,
    /// The high-detail model that it stands in for.
    pub lod_of: Option<&'m Model<'m>>,
}

/// Every finding of a model that lies at an address (its loose SKN a while behind it), with what frames on these targets showed.
pub fn check<'m>(
    model: &'m Model<'m>,
    comparison: &Comparison<'m>,
    address: u32,
    targets: &[Target],
) -> Vec<Finding> {
    check_on(model, comparison, address.into(), targets, &RunOptions::default())
}

/// The same, the frames run on a machine with these switches (their target, their timing of DMA and what
/// they do after a fault do not count).
pub fn check_on<'m>(
    model: &'m Model<'m>,
    comparison: &Comparison<'m>,
    placement: Placement,
    targets: &[Target],
    switches: &RunOptions,
) -> Vec<Finding> {
    let subject = Subject {
        donor: comparison.donor,
        lod_of: comparison.lod_of,
        address: placement.model,
        skn_address: LoadPlan::placed(model, placement).ok().map(|plan| plan.skn),
        ..Subject::on(model, switches)
    };
    // What only a console shows is told from what Dolphin shows too.
    let console_alone = targets == [Target::Console];
    let reference = console_alone.then_some(&Target::Dolphin).into_iter();
    let runs: Vec<_> = targets
        .iter()
        .chain(reference)
        .filter_map(|&target| dry_run_on(model, target, placement, switches))
        .collect();
    let mut found = super::rules::check(&subject);
    super::rules::seen::overwrites(&subject, &runs, &mut found);
    super::rules::seen::matrices(&subject, &runs, &mut found);
    join(found, &runs, targets, &no_frame(model, placement))
}

/// Why a dry run of a model shows nothing, where there is none.
pub fn no_frame(model: &Model, placement: Placement) -> String {
    match LoadPlan::placed(model, placement) {
        Err(error) => error.to_string(),
        Ok(_) if model.skn.is_none() => "there is no whole SKN header to skin by".to_owned(),
        Ok(_) => format!("memory does not hold the model and its bones at {:#010x}", placement.model),
    }
}

/// Lowers to warnings what rules take for fatal in these sections, once every tick that was asked for could be
/// sampled: what a frame shows to be harmless is no error.
pub fn sampled(findings: &mut [Finding], sections: &[&str]) {
    let of_these = |finding: &&mut Finding| {
        finding.place.section.as_deref().is_some_and(|section| sections.contains(&section))
    };
    for finding in findings.iter_mut().filter(of_these) {
        finding.severity = finding.severity.min(Severity::Warning);
    }
}

/// The findings of a model's skeleton and animation bank, from their bytes alone: nothing is run.
pub fn check_pose(model: &Model) -> Vec<Finding> {
    join(super::rules::check_pose(&Subject::new(model)), &[], &[], "")
}
