//! FromSoftware FLVER models: what Sekiro, Elden Ring and their predecessors do to a model before they draw it.
//!
//! [`format`] reads the file, [`runtime`] composes the nodes and places and skins the vertices, [`rules`] says
//! what every shipped file obeys. The facts are those of two surveys of whole installs (`[seed 000]`,
//! `[seed 001]` in the docs) and of community readers (`[sourced]`).

pub mod difference;
pub mod format;
pub mod rules;
pub mod runtime;
pub mod snapshot;

use crate::bytes::ReadResult;
use crate::finding::Finding;
use crate::mesh::Mesh;

pub use format::Flver;
pub use runtime::Options;

/// Checks a FLVER file against every rule of this wing.
///
/// # Errors
/// When the bytes are not a FLVER that this version reads, or are cut short.
pub fn check(bytes: &[u8]) -> ReadResult<Vec<Finding>> {
    Ok(rules::check(&Flver::parse(bytes)?))
}

/// The deformed mesh of a FLVER file, in model space; one part a FLVER mesh.
///
/// # Errors
/// As [`check`], and when a mesh or the hierarchy cannot be read.
pub fn mesh(bytes: &[u8], options: &Options) -> ReadResult<Mesh> {
    runtime::mesh("FLVER", &Flver::parse(bytes)?, options)
}
