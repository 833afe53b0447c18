//! What known-good files obey; one rule one place.
//!
//! The figures in the rules' help are counts over every shipped file of Sekiro and Elden Ring [seed 000, seed 001].

mod codes;
mod dummies;
mod findings;
mod links;
mod nodes;
mod records;
mod vertices;

use std::collections::HashSet;
use std::fmt::Write;

use crate::bytes::ReadError;
use crate::finding::{Finding, Place};

pub use codes::CODES;
use findings::Findings;

use super::format::{BoundingBox, Flver};
use super::runtime::hierarchy::{Hierarchy, ScaleRule};
use super::runtime::options::{Options, RigidPalette, RigidRule};
use super::runtime::outcome::Outcome;
use super::runtime::posing::{decode_and_pose, joined, posed_bounds};
use super::runtime::skeleton::Skeleton;

const SENTINEL: BoundingBox = BoundingBox::SENTINEL;
/// How far the header's box may be from the posed vertices', relative to its longest side [seed 000].
const BOUNDS_TOLERANCE: f64 = 0.001;

/// Every finding about a file.
pub fn check(flver: &Flver) -> Vec<Finding> {
    let mut findings = Findings::new(flver.header.version);
    let composable = nodes::check_links(flver, &mut findings);
    let mut used = nodes::Use::new(flver);
    nodes::check_records(flver, &used, &mut findings);
    nodes::check_skeletons(flver, &mut findings);
    dummies::check(flver, &mut findings);
    records::check(flver, &mut findings);
    let posed = composable.then(|| Skeleton::current(flver, &Options::default()).ok()).flatten();
    let bounds = check_meshes(flver, posed.as_ref(), &mut used, &mut findings);
    if let (Ok(hierarchy), true) = (Hierarchy::new(&flver.nodes), composable) {
        nodes::check_flattened(flver, &used, &hierarchy, &mut findings);
    }
    if let Some(bounds) = bounds {
        check_bounds(flver, &bounds, &mut findings);
    }
    findings.into_list()
}

/// The boxes of a model's posed vertices.
struct PosedBounds {
    dynamic: Option<BoundingBox>,
    rigid: Option<BoundingBox>,
}

/// Checks each mesh; the boxes of the posed vertices where every mesh could be posed.
fn check_meshes(
    flver: &Flver,
    skeleton: Option<&Skeleton>,
    used: &mut nodes::Use,
    findings: &mut Findings,
) -> Option<PosedBounds> {
    let rest = Skeleton::unposed(flver.nodes.len());
    let mut bounds = PosedBounds { dynamic: None, rigid: None };
    let mut complete = skeleton.is_some();
    for (index, mesh) in flver.meshes.iter().enumerate() {
        let options = Options::default();
        match decode_and_pose(flver, mesh, skeleton.unwrap_or(&rest), &options, false) {
            Ok((vertices, binding, posed)) => {
                let check =
                    vertices::MeshCheck { flver, index, mesh, vertices: &vertices, binding: &binding };
                check.check(&mut used.vertices, findings);
                let part = if mesh.is_dynamic() { &mut bounds.dynamic } else { &mut bounds.rigid };
                *part = joined(*part, BoundingBox::of(&posed.positions));
            }
            Err(error) => {
                vertices::unreadable(flver, index, &error, findings);
                complete = false;
            }
        }
    }
    complete.then_some(bounds)
}

/// The header's box against the vertices'; `SpeedTree` boxes are the instance's [seed 000].
fn check_bounds(flver: &Flver, bounds: &PosedBounds, findings: &mut Findings) {
    let stored = &flver.header.bounds;
    let Some(posed) = &joined(bounds.dynamic, bounds.rigid) else { return };
    let difference = stored.relative_difference(posed);
    if flver.header.speedtree || difference <= BOUNDS_TOLERANCE {
        return;
    }
    let mut text = bounds_text(stored, posed, difference);
    let agreeing = other_readings_that_agree(flver, bounds);
    if !agreeing.is_empty() {
        let _ = write!(text, "; it agrees with {}", agreeing.join(", and with "));
    }
    findings.add(&codes::HEADER_BOUNDS, Place::section("header").field("bounds").offset(0x28), text);
}

fn bounds_text(stored: &BoundingBox, posed: &BoundingBox, difference: f64) -> String {
    format!(
        "stored {:?} to {:?}, posed vertices {:?} to {:?}: {:.3} % of the longest side apart",
        stored.min,
        stored.max,
        posed.min,
        posed.max,
        100.0 * difference
    )
}

/// Which other answer to an open question would give the stored box. Dynamic vertices are in bind space, and at
/// rest no answer moves them.
fn other_readings_that_agree(flver: &Flver, bounds: &PosedBounds) -> Vec<&'static str> {
    if bounds.rigid.is_none() {
        return Vec::new();
    }
    let default = Options::default;
    let readings = [
        ("`--no-inherit-scale`", Options { scale: ScaleRule::OwnOnly, ..default() }),
        ("`--rigid-palette palette`", Options { rigid_palette: RigidPalette::Palette, ..default() }),
        ("`--rigid node-index`", Options { rigid: RigidRule::NodeIndex, ..default() }),
        ("`--rigid stored`", Options { rigid: RigidRule::Stored, ..default() }),
    ];
    let agrees = |options: &Options| {
        let rigid = posed_bounds(flver, options, |mesh| !mesh.is_dynamic()).ok().flatten();
        joined(bounds.dynamic, rigid)
            .is_some_and(|bounds| flver.header.bounds.relative_difference(&bounds) <= BOUNDS_TOLERANCE)
    };
    readings.iter().filter(|(_, options)| agrees(options)).map(|(name, _)| *name).collect()
}

/// Every finding about a file and about a frame of it: what [`check`] finds, and what only the frame shows, which
/// is what `outcome` holds. The box in the header is judged by the frame, whose options may answer an open question
/// another way.
pub fn with_those_of_the_file(flver: &Flver, outcome: &Outcome) -> Vec<Finding> {
    let frame = &outcome.findings;
    let is_bounds = |finding: &Finding| finding.code.name == codes::HEADER_BOUNDS.code.name;
    let bounds_hold = !outcome.choices.posed && !frame.iter().any(is_bounds);
    let mut findings = check(flver);
    findings.retain(|finding| !(bounds_hold && is_bounds(finding)));
    let about = |finding: &Finding| (finding.code.name, finding.place.entry.clone());
    let told: HashSet<_> = findings.iter().map(about).collect();
    findings.extend(frame.iter().filter(|finding| !told.contains(&about(finding))).cloned());
    findings
}

/// What a frame itself shows to be wrong, and what of the file it could not use: meshes that cannot be decoded, by
/// number.
pub(super) fn of_a_run(flver: &Flver, unread: &[(usize, ReadError)], outcome: &Outcome) -> Vec<Finding> {
    let mut findings = Findings::new(flver.header.version);
    nodes::check_skeletons_are_read(flver, &mut findings);
    for (index, error) in unread {
        vertices::unreadable(flver, *index, error, &mut findings);
    }
    for (index, mesh) in outcome.meshes.iter().enumerate() {
        vertices::check_posed(flver, index, mesh, &mut findings);
    }
    let bounds = &outcome.bounds;
    if let (Some(posed), Some(difference)) = (&bounds.posed, bounds.relative_difference)
        && !outcome.choices.posed
        && !flver.header.speedtree
        && difference > BOUNDS_TOLERANCE
    {
        let text = bounds_text(&bounds.stored, posed, difference);
        findings.add(&codes::HEADER_BOUNDS, Place::section("header").field("bounds").offset(0x28), text);
    }
    findings.into_list()
}
