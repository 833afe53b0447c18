//! The golden text of a posed FLVER.

use super::format::Flver;
use super::runtime::outcome::{BindingOutcome, MeshOutcome, Outcome};
use super::runtime::{self, Options};
use crate::bytes::ReadResult;
use crate::snapshot::{Group, Snapshot, VertexRow};

/// The golden text of a model in a pose; `pose` is what the pose goes by.
///
/// # Errors
/// When the bytes are not a FLVER, or the pose does not fit its nodes.
pub fn snapshot(bytes: &[u8], pose: &str, options: &Options) -> ReadResult<Snapshot> {
    let flver = Flver::parse(bytes)?;
    let outcome = runtime::run("", &flver, options)?;
    let mut out = Snapshot::default();
    out.line("kind", "flver");
    out.count_files([bytes]);
    out.line("version", &outcome.version);
    out.line("pose", pose);
    out.line("choices", choices(&outcome));
    out.line("nodes", nodes(&outcome));
    out.line("dummies", dummies(&outcome));
    for mesh in &outcome.meshes {
        let first = out.vertices.len() as u32;
        let rows = VertexRow::all(first, &mesh.positions, &mesh.normals);
        out.groups.push(Group::new(&mesh.name, detail(mesh), &rows));
        out.vertices.extend(rows);
    }
    out.count_vertices();
    out.count_findings(&super::rules::check(&flver));
    Ok(out)
}

fn detail(mesh: &MeshOutcome) -> String {
    let binding = match mesh.binding {
        BindingOutcome::Skinned => "skinned",
        BindingOutcome::Rigid(_) => "rigid",
        BindingOutcome::Unmoved => "unmoved",
    };
    format!("{binding}, {} triangles, {} position streams", mesh.triangles.len(), mesh.streams.count)
}

/// The answers to open questions, as `run` prints them.
fn choices(outcome: &Outcome) -> String {
    let value = serde_json::to_value(&outcome.choices).unwrap_or_default();
    let pairs = value.as_object().into_iter().flatten();
    let pairs = pairs.map(|(key, value)| format!("{key} {}", value.as_str().unwrap_or(&value.to_string())));
    pairs.collect::<Vec<_>>().join(", ")
}

fn nodes(outcome: &Outcome) -> String {
    let mut hasher = blake3::Hasher::new();
    for value in outcome.nodes.iter().flat_map(|node| node.world.as_flattened()) {
        hasher.update(&(value + 0.0).to_bits().to_le_bytes());
    }
    format!("{}, blake3 {}", outcome.nodes.len(), hasher.finalize().to_hex())
}

fn dummies(outcome: &Outcome) -> String {
    let mut hasher = blake3::Hasher::new();
    for dummy in &outcome.dummies {
        for value in dummy.position.iter().chain(&dummy.forward).chain(&dummy.upward) {
            hasher.update(&(value + 0.0).to_bits().to_le_bytes());
        }
    }
    format!("{}, blake3 {}", outcome.dummies.len(), hasher.finalize().to_hex())
}
