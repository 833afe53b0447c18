//! The golden text of a face.

use super::format::Mdl;
use super::format::vvd::Vvd;
use super::runtime::controllers::minimums;
use super::runtime::face::Face;
use super::runtime::frame::{self, Frame};
use super::runtime::options::Options;
use crate::bytes::ReadResult;
use crate::snapshot::{Group, Snapshot, VertexRow};

/// The golden text of a face; `pose` is what the bones' pose goes by.
///
/// # Errors
/// When a file cannot be read or no VVD is given.
pub fn snapshot(bytes: &[u8], vvd: Option<&[u8]>, pose: &str, options: &Options) -> ReadResult<Snapshot> {
    let mdl = Mdl::read(bytes)?;
    let vertices = vvd.ok_or_else(super::no_vertices)?;
    let vvd = Vvd::read(vertices)?;
    let face = Face::new(&mdl, Some(&vvd), options)?;
    let frame = frame::run(&face, options);
    let mut out = Snapshot::default();
    out.line("kind", "mdl");
    out.count_files([bytes, vertices]);
    out.line("pose", pose);
    out.line("choices", choices(options));
    out.line("set", set(&mdl, &frame));
    out.line("weights", weights(&frame));
    out.vertices = VertexRow::all(0, &frame.vertices.positions, &frame.vertices.normals);
    out.count_vertices();
    for mesh in face.meshes() {
        let range = mesh.first..mesh.first + mesh.count;
        let flexed = frame.vertices.flexed[range.clone()].iter().filter(|flexed| **flexed).count();
        out.groups.push(Group::new(&mesh.name, format!("{flexed} flexed"), &out.vertices[range]));
    }
    out.count_findings(&super::rules::check(&mdl, Some(&vvd))?);
    Ok(out)
}

fn choices(options: &Options) -> String {
    let limit = if options.engine_limit { ", engine limit" } else { "" };
    format!(
        "sdk {:?}, count check {:?}, delta {:?}, ramp {:?}, body {}, lod {}{limit}",
        options.sdk, options.count_check, options.delta, options.ramp, options.body, options.lod
    )
    .to_lowercase()
}

/// The controllers that are not at their minimum.
fn set(mdl: &Mdl, frame: &Frame) -> String {
    let values = mdl.controllers.iter().zip(&frame.controllers).zip(minimums(mdl));
    let moved = values.filter(|((_, value), minimum)| *value != minimum);
    let named: Vec<String> =
        moved.map(|((controller, value), _)| format!("{}={value}", controller.name)).collect();
    if named.is_empty() { "nothing".to_owned() } else { named.join(" ") }
}

fn weights(frame: &Frame) -> String {
    let mut hasher = blake3::Hasher::new();
    for value in &frame.weights {
        hasher.update(&(value + 0.0).to_bits().to_le_bytes());
    }
    format!("{}, blake3 {}", frame.weights.len(), hasher.finalize().to_hex())
}
