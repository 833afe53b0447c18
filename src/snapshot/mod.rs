//! The golden text of a deformed mesh: what a tool keeps beside its models, to see when output moves.
//!
//! A [`Snapshot`] is a value whose `Display` is the text, so that one line is a golden test:
//!
//! ```
//! # use skinsim::c3::{model::Model, outcome::Outcome};
//! # let bytes = std::fs::read("examples/fox.block")?;
//! let model = Model::from_block(&bytes)?;
//! let outcome = Outcome::at_rest(&model)?;
//! // insta::assert_snapshot!(outcome.snapshot());
//! let golden = outcome.snapshot().to_string();
//! assert!(golden.starts_with("skinsim snapshot 1\nkind       character-pipeline\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The text depends on the model, the pose and what was chosen, and on nothing of the machine that wrote
//! it: numbers are the shortest decimals that give their floats back, digests are BLAKE3.

mod difference;
mod parse;

use std::fmt;

pub use difference::{Change, Differences, LineChange, Moved};
pub use parse::SnapshotError;

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::printable::field;

/// First line of every snapshot.
const TITLE: &str = "skinsim snapshot 1";

/// A deformed mesh, boiled down.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// What identifies the frame: key and value, in order. Values are one line.
    pub header: Vec<(String, String)>,
    /// What wrote which vertices: entries of a skin, meshes.
    pub groups: Vec<Group>,
    /// Findings by severity and code: how many.
    pub findings: Vec<(String, usize)>,
    /// Every vertex; part of the text only in a full snapshot.
    pub vertices: Vec<VertexRow>,
    /// Whether the text lists every vertex.
    pub full: bool,
}

/// Vertices that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// `SK1[3]`, `mesh 0 'skin'`.
    pub name: String,
    /// What moves it and where it went, one line.
    pub detail: String,
    /// Number of vertices.
    pub count: usize,
    /// BLAKE3 of its vertices, the first 16 digits.
    pub digest: String,
    /// The first vertex.
    pub first: Option<VertexRow>,
    /// The last.
    pub last: Option<VertexRow>,
    /// Lowest and highest coordinates.
    pub bounds: Option<[[f32; 3]; 2]>,
}

/// A vertex.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct VertexRow {
    /// Its number in the mesh.
    pub vertex: u32,
    /// Position; in JSON null for what is no number.
    #[schemars(with = "[Option<f32>; 3]")]
    pub position: [f32; 3],
    /// Normal.
    #[schemars(with = "[Option<f32>; 3]")]
    pub normal: [f32; 3],
}

impl Snapshot {
    /// The same with every vertex in its text.
    #[must_use]
    pub fn full(mut self) -> Self {
        self.full = true;
        self
    }

    /// Adds a line to the header.
    pub fn line(&mut self, key: &str, value: impl fmt::Display) {
        self.header.push((key.to_owned(), field(&value.to_string()).into_owned()));
    }

    /// The value of a header line.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.header.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Adds what the rules found.
    pub fn count_findings(&mut self, findings: &[Finding]) {
        let mut counts = std::collections::BTreeMap::new();
        for finding in findings {
            let key = (std::cmp::Reverse(finding.severity), finding.code.name);
            *counts.entry(key).or_insert(0) += finding.count as usize;
        }
        let named = |severity: Severity, code: &str| match severity {
            Severity::Error => format!("error {code}"),
            Severity::Warning => format!("warning {code}"),
            Severity::Note => format!("note {code}"),
        };
        self.findings =
            counts.into_iter().map(|((severity, code), count)| (named(severity.0, code), count)).collect();
    }

    /// Adds the digest of the files that the model was read from.
    pub fn count_files<'a>(&mut self, files: impl IntoIterator<Item = &'a [u8]>) {
        let mut hasher = blake3::Hasher::new();
        files.into_iter().for_each(|file| {
            hasher.update(file);
        });
        self.line("model", format_args!("blake3 {}", hasher.finalize().to_hex()));
    }

    /// Adds the number, the digest and the bounds of the vertices to the header.
    pub fn count_vertices(&mut self) {
        self.line("vertices", self.vertices.len());
        let digest = digest(&self.vertices);
        self.line("positions", format_args!("blake3 {digest}"));
        match bounds(&self.vertices) {
            Some(bounds) => self.line("bounds", format_args!("{}", Box3(bounds))),
            None => self.line("bounds", "none"),
        }
    }
}

impl VertexRow {
    /// The rows of positions and normals (zeros where there are none), numbered from `first`.
    pub fn all(first: u32, positions: &[[f32; 3]], normals: &[[f32; 3]]) -> Vec<Self> {
        let normals = normals.iter().copied().chain(std::iter::repeat([0.0; 3]));
        let rows = (first..).zip(positions).zip(normals);
        rows.map(|((vertex, &position), normal)| Self { vertex, position, normal }).collect()
    }
}

impl Group {
    /// A group of vertices.
    pub fn new(name: impl Into<String>, detail: impl fmt::Display, vertices: &[VertexRow]) -> Self {
        Self {
            name: field(&name.into()).into_owned(),
            detail: field(&detail.to_string()).replace("; ", ", "),
            count: vertices.len(),
            digest: digest(vertices)[..16].to_owned(),
            first: vertices.first().copied(),
            last: vertices.last().copied(),
            bounds: bounds(vertices),
        }
    }
}

/// BLAKE3 of positions and normals, little-endian floats. A zero has one sign and a NaN one pattern.
fn digest(vertices: &[VertexRow]) -> String {
    let mut hasher = blake3::Hasher::new();
    for row in vertices {
        for value in row.position.iter().chain(&row.normal) {
            let value = if value.is_nan() { f32::NAN } else { value + 0.0 };
            hasher.update(&value.to_bits().to_le_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}

fn bounds(vertices: &[VertexRow]) -> Option<[[f32; 3]; 2]> {
    let mut rows = vertices.iter().map(|row| row.position);
    let first = rows.next()?;
    Some(rows.fold([first; 2], |[low, high], position| {
        let pick = |pick: fn(f32, f32) -> f32, edge: [f32; 3]| {
            std::array::from_fn(|axis| pick(edge[axis], position[axis]))
        };
        [pick(f32::min, low), pick(f32::max, high)]
    }))
}

/// Three numbers.
struct Vector([f32; 3]);

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0.map(|value| value + 0.0);
        write!(f, "{x} {y} {z}")
    }
}

struct Box3([[f32; 3]; 2]);

impl fmt::Display for Box3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} .. {}", Vector(self.0[0]), Vector(self.0[1]))
    }
}

impl fmt::Display for VertexRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} | {}", self.vertex, Vector(self.position), Vector(self.normal))
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{TITLE}")?;
        for (key, value) in &self.header {
            writeln!(f, "{key:<10} {value}")?;
        }
        if !self.groups.is_empty() {
            writeln!(f, "\n[groups]")?;
        }
        for group in &self.groups {
            writeln!(f, "{}; {}; {} vertices; {}", group.name, group.detail, group.count, group.digest)?;
            if let Some(first) = group.first {
                writeln!(f, "  first  {first}")?;
            }
            if let Some(last) = group.last.filter(|_| group.count > 1) {
                writeln!(f, "  last   {last}")?;
            }
            if let Some(bounds) = group.bounds.filter(|_| group.count > 1) {
                writeln!(f, "  bounds {}", Box3(bounds))?;
            }
        }
        if !self.findings.is_empty() {
            writeln!(f, "\n[findings]")?;
        }
        for (finding, count) in &self.findings {
            writeln!(f, "{finding} {count}")?;
        }
        if self.full {
            writeln!(f, "\n[vertices]")?;
            for row in &self.vertices {
                writeln!(f, "{row}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
