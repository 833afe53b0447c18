//! The page of a Character Pipeline model.

pub mod facts;
pub mod frames;
pub mod lines;
pub mod marks;
pub mod weights;

use std::ops::Range;

use super::finding::PageFinding;
use super::verdict;
use super::{PageModel, geometry};
use crate::c3::check::no_frame;
use crate::c3::dry_run::dry_run;
use crate::c3::format::skn::{EntryId, Skn};
use crate::c3::mesh::Topology;
use crate::c3::model::Model;
use crate::c3::poses::{FramePose, Poses};
use crate::c3::rules;
use crate::c3::rules::effects::{DryRun, Target};
use crate::c3::rules::found::Evidence;
use crate::c3::rules::join::join;
use crate::c3::rules::subject::Subject;
use crate::c3::runtime::load::{LoadError, LoadPlan};
use crate::c3::runtime::simulation::RunOptions;
use crate::finding::{Finding, SectionFiles, name_files};

/// What a page of a model is made from.
pub struct Source<'s, 'a> {
    /// As named on the command line.
    pub name: String,
    /// Files of sections that do not lie in the one that the model goes by.
    pub files: SectionFiles,
    /// The model.
    pub model: &'s Model<'a>,
    /// Where it goes; why it goes nowhere, when there is nothing to skin.
    pub plan: Result<LoadPlan<'a>, LoadError>,
    /// The machine of the frames shown.
    pub options: RunOptions,
    /// Address of the block, or of a loose GPL.
    pub address: u32,
    /// The rest pose.
    pub rest: FramePose,
    /// The frames after it.
    pub posed: Poses<'s>,
}

/// Draws up the page of a model.
///
/// # Errors
/// When memory does not hold the model.
pub fn page(source: Source) -> Result<PageModel, LoadError> {
    let model = source.model;
    let skn_address = source.plan.as_ref().ok().map(|plan| plan.skn);
    let subject = Subject { address: source.address, skn_address, ..Subject::new(model) };
    let runs: Vec<DryRun> = [Target::Dolphin, Target::Console]
        .into_iter()
        .filter_map(|target| dry_run(model, target, source.address))
        .collect();
    let found = rules::check(&subject);
    let evidence: Vec<Evidence> = found.iter().map(|found| found.evidence.clone()).collect();
    // Findings keep the order of what the rules found; the frames add theirs behind.
    let no_frame = no_frame(model, source.address.into());
    let mut joined = join(found, &runs, &[Target::Dolphin, Target::Console], &no_frame);
    name_files(&mut joined, &source.files);
    let entries: Vec<EntryId> = model.skn.iter().flat_map(Skn::entries).collect();
    let topology = Topology::of(model);
    let skinned = topology.skinned_vertices();
    let mut page = PageModel {
        kind: if model.block.is_some() { "model block" } else { "loose files" },
        verdicts: verdicts(&runs, &evidence),
        facts: facts::facts(&source),
        lines: None,
        geometry: None,
        findings: findings(&joined, &evidence, &entries, &skinned),
        tables: facts::tables(&subject),
        name: source.name,
        face: None,
        pose_error: None,
    };
    match source.plan {
        Ok(plan) => {
            let played = frames::Played {
                subject: &subject,
                topology: &topology,
                plan,
                options: source.options,
                entries: &entries,
            };
            let (geometry, outcome) = played.geometry(source.rest, source.posed)?;
            page.geometry = Some(geometry);
            page.pose_error = outcome.pose_error.as_ref().map(|error| {
                format!("{}: frame {}: {error}", outcome.pose_name, outcome.simulation.frames())
            });
            if let Some(error) = &page.pose_error {
                page.facts.push(("animation stopped".to_owned(), error.clone()));
            }
            page.lines = Some(lines::LineMap::new(&subject, &outcome, &runs, &entries));
        }
        Err(missing @ LoadError::Missing(_)) => {
            page.facts.push(("not run".to_owned(), missing.to_string()));
        }
        Err(error) => return Err(error),
    }
    Ok(page)
}

fn verdicts(runs: &[DryRun], evidence: &[Evidence]) -> Vec<verdict::TargetVerdict> {
    [Target::Dolphin, Target::Console]
        .into_iter()
        .map(|target| {
            let run = runs.iter().find(|run| run.target == target);
            verdict::of_run(target, run, run.is_some_and(|run| doubtful(run, evidence)))
        })
        .collect()
}

/// Whether every wrong slot is one that only open findings answer for.
fn doubtful(run: &DryRun, evidence: &[Evidence]) -> bool {
    let open = |slot: u32| {
        let mut answering = evidence.iter().filter(|evidence| evidence.covers(slot)).peekable();
        answering.peek().is_some() && answering.all(|evidence| evidence.open)
    };
    !run.wrong.is_empty() && run.wrong.iter().all(|wrong| open(wrong.slot))
}

/// The findings of a check on both targets, worst first, each with what it points at.
fn findings(
    joined: &[Finding],
    evidence: &[Evidence],
    entries: &[EntryId],
    skinned: &Range<usize>,
) -> Vec<PageFinding> {
    let nothing = Evidence::default();
    let evidence = evidence.iter().chain(std::iter::repeat(&nothing));
    let mut pairs: Vec<(&Finding, &Evidence)> = joined.iter().zip(evidence).collect();
    pairs.sort_by_key(|(finding, _)| {
        (std::cmp::Reverse(finding.severity), finding.code.name, finding.place.offset)
    });
    pairs.into_iter().map(|(finding, evidence)| shown(finding, evidence, entries, skinned)).collect()
}

fn shown(finding: &Finding, evidence: &Evidence, entries: &[EntryId], skinned: &Range<usize>) -> PageFinding {
    let number = |(number, id): (usize, &EntryId)| {
        let named = finding.place.entry.as_deref() == Some(id.to_string().as_str());
        (named || evidence.entries.contains(id)).then_some(number as u32)
    };
    let entries = entries.iter().enumerate().filter_map(number).collect();
    let slots = evidence.slots.iter().cloned().flatten().chain(finding.place.vertex);
    let vertex = |slot: u32| Some(slot as usize + skinned.start).filter(|vertex| skinned.contains(vertex));
    PageFinding::new(finding, slots.filter_map(vertex).map(|vertex| vertex as u32), entries)
}
