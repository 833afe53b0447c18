//! Repair: the remedies of finding codes, applied one after the other until none has anything to do.
//!
//! Each remedy takes the model apart ([`plan`]), changes what its codes name, and the whole is written back
//! and checked again before the next one. What an untouched vertex looks like after a frame never changes;
//! what cannot be mended without changing that is refused with the reason.

pub mod accumulation;
pub mod arrays;
pub mod case;
pub mod counts;
pub mod evidence;
pub mod flush;
mod foreign;
pub mod lines;
pub mod order;
pub mod plan;
pub mod reserve;
pub mod sections;
pub mod shift;
pub mod sizes;
pub mod weights;
pub mod write;

use std::collections::BTreeMap;

use case::{Case, Fix, Refusal, Refusals};
use plan::Plan;
use write::Files;

use super::check::{Comparison, check};
use super::model::{LooseFiles, Model};
use super::rules;
use super::rules::effects::Target;
use super::rules::found::Found;
use super::rules::subject::Subject;
use super::runtime::load::DEFAULT_ADDRESS;
use crate::bytes::ReadError;
use crate::finding::{Code, Finding, ModelReport, Severity, Verdict};

/// A remedy: changes a plan and tells what it changed.
type Remedy = fn(&Case, &mut Plan, &mut Refusals) -> Vec<Fix>;

/// The remedies in the order in which they are tried. Those that read what the mirror still holds come
/// first: writing a plan keeps only what entries cover.
const REMEDIES: [Remedy; 14] = [
    evidence::remedy,
    accumulation::bases,
    shift::remedy,
    lines::tails,
    lines::remedy,
    sizes::remedy,
    counts::remedy,
    accumulation::clear,
    weights::remedy,
    reserve::remedy,
    order::remedy,
    arrays::remedy,
    flush::remedy,
    sizes::remedy,
];

/// Steps after which repair gives up; each handles all findings of its codes.
const STEPS: usize = 64;

/// The codes that repair can mend, given that nothing else stands in the way.
pub fn mendable() -> Vec<&'static Code> {
    use rules::codes as c;
    vec![
        &c::SECTION_UNALIGNED,
        &c::SECTION_ORDER,
        &c::SHIFT_OUT_OF_RANGE,
        &c::SHIFT_MISMATCH,
        &c::POSITIONS_UNALIGNED,
        &c::COUNT_WRAPS,
        &c::COUNT_BELOW_VANILLA,
        &c::SLOT_UNWRITTEN,
        &c::SOURCE_OVER_VANILLA_LIMIT,
        &c::SOURCE_OVER_BUFFER,
        &c::DMA_LENGTH_WRAPS,
        &c::DMA_ADDRESS_UNALIGNED,
        &c::STORE_SIZE_WRAPS,
        &c::VERTEX_OFFSET,
        &c::LINE_SHARED,
        &c::DESTINATION_OVERLAP,
        &c::WRITE_BACK_OVER_STRUCTURE,
        &c::WRITE_OUTSIDE_SCRATCH,
        &c::WRITE_OUTSIDE_MODEL,
        &c::ENTRIES_UNSORTED,
        &c::SOURCE_OFF_MIRROR,
        &c::ARRAY_UNALIGNED,
        &c::ARRAY_OVERLAP,
        &c::ARRAY_ORDER,
        &c::PADDING_NOT_ZERO,
        &c::PREFIX_NOT_ZERO,
        &c::ACCUMULATED_NOT_CLEARED,
        &c::CLEARED_NOT_ACCUMULATED,
        &c::CLEAR_HITS_DIRECT,
        &c::CLEAR_RANGE,
        &c::CLEAR_CUT_SHORT,
        &c::CLEAR_WITHOUT_ACCUMULATION,
        &c::ACCUMULATION_SHARES_LINE,
        &c::ACCUMULATE_BASE,
        &c::FLUSH_MISSING,
        &c::FLUSH_TAIL,
        &c::FLUSH_SUPERFLUOUS,
        &c::FLUSH_OUT_OF_RANGE,
        &c::WEIGHT_SUM,
    ]
}

/// A model after repair.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// Its files.
    pub files: Files,
    /// What was changed, in order.
    pub fixes: Vec<Fix>,
    /// Warnings and errors that stay, with the reason.
    pub refused: Vec<Refusal>,
    /// Where slots went.
    pub moves: BTreeMap<u16, u16>,
    /// What [`check`] says of the files before.
    pub before: Verdict,
    /// And of those that repair leaves.
    pub after: Verdict,
}

impl Files {
    /// The model that the files hold.
    ///
    /// # Errors
    /// When a file ends inside its header.
    pub fn model(&self) -> Result<Model<'_>, ReadError> {
        match self {
            Self::Block(bytes) => Model::from_block(bytes),
            Self::Loose { gpl, skn, act } => {
                let act = act.as_deref();
                Model::from_loose(LooseFiles { gpl, skn: Some(skn), act, ..LooseFiles::default() })
            }
        }
    }
}

/// Repairs a model.
///
/// # Errors
/// When it cannot be read.
pub fn repair(files: Files) -> Result<Repaired, ReadError> {
    let before = checked(&files)?.verdict;
    let (fixes, refused, moves) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut work = Repaired { files, fixes, refused, moves, before, after: before };
    let mut refusals = Refusals::default();
    let mut tried = [false; REMEDIES.len()];
    for _ in 0..STEPS {
        let Some(step) = step(&work.files, &mut refusals, &mut tried)? else { break };
        for target in work.moves.values_mut() {
            *target = step.moves.get(target).copied().unwrap_or(*target);
        }
        for (from, to) in step.moves {
            work.moves.entry(from).or_insert(to);
        }
        work.files = step.files;
        work.fixes.extend(step.fixes);
    }
    let after = checked(&work.files)?;
    work.after = after.verdict;
    work.refused = remaining(after.findings, &refusals);
    Ok(work)
}

/// What remedies are looked for: the findings as the bytes alone give them.
fn found(model: &Model) -> Vec<Found> {
    rules::check(&Subject::new(model))
}

/// What `check` says: the same findings, joined with what frames show.
fn checked(files: &Files) -> Result<ModelReport, ReadError> {
    let model = files.model()?;
    let targets = [Target::Dolphin, Target::Console];
    let findings = check(&model, &Comparison::default(), DEFAULT_ADDRESS, &targets);
    Ok(ModelReport::new(String::new(), findings))
}

/// What one remedy gave.
struct Step {
    files: Files,
    fixes: Vec<Fix>,
    moves: BTreeMap<u16, u16>,
}

/// Applies the first remedy that changes something. One that fails or changes nothing is not tried again.
fn step(
    files: &Files,
    refusals: &mut Refusals,
    tried: &mut [bool; REMEDIES.len()],
) -> Result<Option<Step>, ReadError> {
    let model = files.model()?;
    let found = found(&model);
    if let Some((files, fixes)) = model.block.as_ref().and_then(|block| sections::remedy(block, &found)) {
        return Ok(Some(Step { files, fixes, moves: BTreeMap::new() }));
    }
    let case = Case::new(&model, &found);
    let plan = match Plan::read(&model) {
        Ok(plan) => plan,
        Err(reason) => {
            // A pointer that names nothing is told with what it keeps from being mended.
            let mut concerned = mendable();
            concerned.push(&rules::codes::OUT_OF_BOUNDS);
            let skinned =
                |finding: &&Finding| matches!(finding.place.section.as_deref(), Some("SKN" | "GPL"));
            for finding in case.of(&concerned).filter(skinned) {
                refusals.add(finding, reason.clone());
            }
            return Ok(None);
        }
    };
    for (remedy, tried) in REMEDIES.iter().zip(tried) {
        if *tried {
            continue;
        }
        let mut changed = plan.clone();
        let fixes = remedy(&case, &mut changed, refusals);
        if fixes.is_empty() {
            continue;
        }
        match changed.write(&model) {
            Ok(new) if new != *files => return Ok(Some(Step { files: new, fixes, moves: changed.moves })),
            Ok(_) => *tried = true,
            Err(reason) => {
                *tried = true;
                let same = |fix: &Fix, finding: &crate::finding::Finding| {
                    fix.code == finding.code && fix.place == finding.place
                };
                for found in found.iter().filter(|found| fixes.iter().any(|fix| same(fix, &found.finding))) {
                    refusals.add(&found.finding, reason.clone());
                }
            }
        }
    }
    Ok(None)
}

/// The warnings and errors that stay.
fn remaining(findings: Vec<Finding>, refusals: &Refusals) -> Vec<Refusal> {
    let staying = findings.into_iter().filter(|finding| finding.severity != Severity::Note);
    let refused = |finding: Finding| {
        let reason = refusals.reason(&finding).unwrap_or_else(|| why_not(finding.code)).to_owned();
        Refusal { code: finding.code, severity: finding.severity, place: finding.place, reason }
    };
    staying.map(refused).collect()
}

/// Why a code has no remedy.
fn why_not(code: &Code) -> &'static str {
    match code.name {
        "slot-unwritten" => "which bone should move these slots is not in the file",
        "accumulate-into-sk1" => {
            "a one-bone vertex has no weight left: taking some away changes where it lies"
        }
        "bone-out-of-range" | "bone-owns-mesh" | "bone-not-in-donor-skin" => {
            "which bone was meant is not in the file"
        }
        "out-of-bounds" => "what the pointer should name is not in the file",
        "vertex-offset" => "where its vertices belong is not in the file",
        _ if mendable().iter().any(|known| known.name == code.name) => {
            "the remedy has nothing to hold on to here"
        }
        _ => "repair mends skinning data and their place in the palette; this lies elsewhere",
    }
}
