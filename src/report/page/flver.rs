//! The page of a FLVER: meshes, nodes, findings; no line map, for the graphics processor skins it.

use std::ops::Range;

use super::finding::PageFinding;
use super::geometry::{Attributes, Frames, Geometry, Influence, Influences, Shape};
use super::table::{Table, numbers, words};
use super::{PageModel, verdict};
use crate::bytes::ReadResult;
use crate::finding::{Finding, ModelReport};
use crate::flver::format::Flver;
use crate::flver::rules;
use crate::flver::runtime::outcome::{BindingOutcome, MeshOutcome, Outcome};
use crate::flver::runtime::{self, Options};
use crate::mesh::{Mesh, MeshPart};

/// What weights of a vertex sum to.
const WHOLE: u16 = 65_535;

/// Draws up the page of a model in a pose.
///
/// # Errors
/// When the nodes cannot be composed, a mesh cannot be decoded, or the pose does not fit.
pub fn page(name: String, flver: &Flver, options: &Options, pose: &str) -> ReadResult<PageModel> {
    let at_rest = Options { pose: None, previous_pose: None, ..options.clone() };
    let rest = runtime::run(&name, flver, &at_rest)?;
    let posed = options.pose.as_ref().map(|_| runtime::run(&name, flver, options)).transpose()?;
    let report = ModelReport::new(name.clone(), rules::check(flver));
    let geometry = geometry(&rest, posed.as_ref(), pose);
    Ok(PageModel {
        kind: "FLVER",
        verdicts: vec![verdict::of_findings("Game", &report.findings)],
        facts: facts(&rest, &geometry, posed.as_ref().map(|_| pose)),
        lines: None,
        findings: findings(&report.findings, &rest.meshes),
        geometry: Some(geometry),
        tables: vec![nodes(posed.as_ref().unwrap_or(&rest)), meshes(&rest), dummies(&rest)],
        face: None,
        pose_error: None,
        name,
    })
}

fn facts(rest: &Outcome, geometry: &Geometry, pose: Option<&str>) -> Vec<(String, String)> {
    let mut facts = vec![
        ("version".to_owned(), rest.version.clone()),
        ("nodes".to_owned(), rest.nodes.len().to_string()),
        ("meshes".to_owned(), rest.meshes.len().to_string()),
        ("vertices".to_owned(), geometry.vertex_count.to_string()),
        ("dummy points".to_owned(), rest.dummies.len().to_string()),
    ];
    if let Some(difference) = rest.bounds.relative_difference {
        facts.push(("header bounds differ by".to_owned(), format!("{difference:.1e} of the longest side")));
    }
    facts.extend(pose.map(|pose| ("pose".to_owned(), pose.to_owned())));
    facts
}

fn geometry(rest: &Outcome, posed: Option<&Outcome>, pose: &str) -> Geometry {
    let mesh = joined(rest);
    let mut frames = Frames::new(mesh.positions.len());
    if let Some(posed) = posed {
        frames.push(|_| Shape { name: pose.to_owned(), positions: joined(posed).positions, errors: None });
    }
    let shape = Shape { name: "rest".to_owned(), positions: mesh.positions.clone(), errors: None };
    let by_vertex: Vec<Vec<Influence>> = rest.meshes.iter().flat_map(influences).collect();
    let attributes = Attributes {
        influences: Influences::new(&by_vertex, WHOLE),
        bone_names: rest.nodes.iter().map(|node| node.name.clone()).collect(),
        ..Attributes::default()
    };
    Geometry::new(&mesh, shape, frames, attributes)
}

/// All meshes in a row.
fn joined(outcome: &Outcome) -> Mesh {
    let mut joined = Mesh::default();
    for mesh in &outcome.meshes {
        let first = joined.positions.len() as u32;
        let inside = |corners: &&[u32; 3]| corners.iter().all(|&at| (at as usize) < mesh.positions.len());
        let triangles = mesh.triangles.iter().filter(inside).map(|corners| corners.map(|at| at + first));
        joined.parts.push(MeshPart {
            name: mesh.name.clone(),
            triangles: triangles.collect(),
            ..MeshPart::default()
        });
        joined.positions.extend(&mesh.positions);
    }
    joined
}

/// The parts of each of a mesh's vertices: its weights, or the node that it follows.
fn influences(mesh: &MeshOutcome) -> Vec<Vec<Influence>> {
    let part = |node: i32, weight: f32| {
        let bone = u16::try_from(node).ok()?;
        let weight = (weight.clamp(0.0, 1.0) * f32::from(WHOLE)).round() as u16;
        (weight > 0).then_some(Influence { entry: 0, bone, weight })
    };
    (0..mesh.positions.len())
        .map(|vertex| {
            match (&mesh.binding, mesh.normalized_weights.get(vertex), mesh.bone_indices.get(vertex)) {
                (BindingOutcome::Skinned, Some(weights), Some(bones)) => {
                    bones.iter().zip(weights).filter_map(|(&bone, &weight)| part(bone, weight)).collect()
                }
                _ => mesh.rigid_nodes.get(vertex).and_then(|&node| part(node, 1.0)).into_iter().collect(),
            }
        })
        .collect()
}

fn findings(findings: &[Finding], meshes: &[MeshOutcome]) -> Vec<PageFinding> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for mesh in meshes {
        let first = ranges.last().map_or(0, |last| last.end);
        ranges.push(first..first + mesh.positions.len() as u32);
    }
    findings
        .iter()
        .map(|finding| {
            PageFinding::new(finding, vertices(finding, &ranges).into_iter().flatten(), Vec::new())
        })
        .collect()
}

/// The vertices that a place names: `mesh 3 …`, or one of its vertices.
fn vertices(finding: &Finding, meshes: &[Range<u32>]) -> Option<Range<u32>> {
    let entry = finding.place.entry.as_deref()?.strip_prefix("mesh ")?;
    let number: usize = entry.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()?;
    let mesh = meshes.get(number)?.clone();
    match finding.place.vertex {
        Some(vertex) => {
            let at = mesh.start.checked_add(vertex).filter(|at| mesh.contains(at))?;
            Some(at..at + 1)
        }
        None => Some(mesh),
    }
}

fn nodes(outcome: &Outcome) -> Table {
    let columns = [numbers("bone"), words("name"), words("parent"), numbers("x"), numbers("y"), numbers("z")];
    let rows = outcome.nodes.iter().enumerate().map(|(number, node)| {
        let [x, y, z, _] = node.world[3];
        let parent = if node.parent < 0 { String::new() } else { node.parent.to_string() };
        vec![number.to_string(), node.name.clone(), parent, short(x), short(y), short(z)]
    });
    Table::new("Nodes", &columns, rows)
}

fn meshes(outcome: &Outcome) -> Table {
    let columns = [
        words("mesh"),
        numbers("vertices"),
        numbers("triangles"),
        words("moved by"),
        numbers("palette"),
        numbers("position streams"),
    ];
    let rows = outcome.meshes.iter().map(|mesh| {
        let binding = match &mesh.binding {
            BindingOutcome::Skinned => "weights".to_owned(),
            BindingOutcome::Rigid(_) => "one node a vertex".to_owned(),
            BindingOutcome::Unmoved => "nothing".to_owned(),
        };
        vec![
            mesh.name.clone(),
            mesh.vertex_count.to_string(),
            mesh.triangles.len().to_string(),
            binding,
            mesh.palette.len().to_string(),
            mesh.streams.count.to_string(),
        ]
    });
    Table::new("Meshes", &columns, rows)
}

fn dummies(outcome: &Outcome) -> Table {
    let columns = [numbers("reference"), words("follows node"), numbers("x"), numbers("y"), numbers("z")];
    let rows = outcome.dummies.iter().map(|dummy| {
        let [x, y, z] = dummy.position;
        let follows = dummy.follows.map_or_else(String::new, |node| node.to_string());
        vec![dummy.reference_id.to_string(), follows, short(x), short(y), short(z)]
    });
    Table::new("Dummy points", &columns, rows)
}

fn short(value: f32) -> String {
    format!("{value:.4}")
}
