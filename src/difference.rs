//! Two models side by side: what changed in their structure, in what comes out of them, in what the rules
//! find, and in their bytes. Every wing gives the same data, so that they are told in one way.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::mesh::distance;

/// How a part of a model changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Only the second model has it.
    Added,
    /// Only the first has it.
    Removed,
    /// It writes other vertices, or lies elsewhere.
    Moved,
    /// One became several.
    Split,
    /// Several became one.
    Merged,
    /// It writes the same vertices by other bones.
    Retargeted,
    /// Something else of it differs.
    Changed,
}

/// A part of a model that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// How.
    pub kind: ChangeKind,
    /// What, in the first model; empty where it has none.
    pub before: String,
    /// What, in the second model; empty where it has none.
    pub after: String,
    /// The figures.
    pub what: String,
}

impl Change {
    /// A change.
    pub fn new(
        kind: ChangeKind,
        before: impl Into<String>,
        after: impl Into<String>,
        what: impl Into<String>,
    ) -> Self {
        Self { kind, before: before.into(), after: after.into(), what: what.into() }
    }

    /// A value that differs, or nothing.
    #[expect(clippy::needless_pass_by_value, reason = "callers make the values for the comparison")]
    pub fn value<T: PartialEq + std::fmt::Display>(name: &str, before: T, after: T) -> Option<Self> {
        let what = format!("{before} \u{2192} {after}");
        (before != after).then(|| Self::new(ChangeKind::Changed, name, name, what))
    }
}

/// A vertex that other weights move.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WeightChange {
    /// The part of the model.
    pub part: String,
    /// Vertex of the part.
    pub vertex: u32,
    /// Bones and weights in the first model.
    pub before: Vec<(u32, f32)>,
    /// Bones and weights in the second.
    pub after: Vec<(u32, f32)>,
    /// The largest difference of a bone's weight.
    pub difference: f32,
}

/// Bytes that differ, by what they belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ByteChange {
    /// The structure, in the second model.
    pub owner: String,
    /// How many of its bytes differ.
    pub bytes: u64,
    /// Offset of the first in the second model's file.
    pub offset: u64,
}

/// The vertices of a part of a model, after its frames.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// Name, by which the two models' parts are put side by side.
    pub name: String,
    /// Positions.
    pub positions: Vec<[f32; 3]>,
}

/// A model, boiled down for the comparison.
#[derive(Debug, Clone, Default)]
pub struct Side {
    /// The parts of what comes out.
    pub parts: Vec<Part>,
    /// What the rules find.
    pub findings: Vec<Finding>,
}

/// What differs between two models.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// Structure: entries, sections, nodes, flexes.
    pub structure: Vec<Change>,
    /// Vertices that other weights move, the largest difference first.
    pub weights: Vec<WeightChange>,
    /// What comes out.
    pub output: OutputDifference,
    /// Findings that only the first model has.
    pub only_before: Vec<FindingName>,
    /// Findings that only the second model has.
    pub only_after: Vec<FindingName>,
    /// Bytes by owner, in the order of the file.
    pub bytes: Vec<ByteChange>,
}

/// What differs in what comes out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct OutputDifference {
    /// Vertices that both models have.
    pub compared: usize,
    /// Parts with another number of vertices, or in one model only.
    pub parts: Vec<Change>,
    /// Vertices that lie elsewhere, the farthest first.
    pub moved: Vec<MovedVertex>,
}

/// A vertex that lies elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MovedVertex {
    /// The part.
    pub part: String,
    /// Vertex of the part.
    pub vertex: u32,
    /// Position in the first model; null for what is no number.
    #[schemars(with = "[Option<f32>; 3]")]
    pub before: [f32; 3],
    /// Position in the second.
    #[schemars(with = "[Option<f32>; 3]")]
    pub after: [f32; 3],
    /// How far it is from one to the other; null, and before all others, where that is no number.
    #[schemars(with = "Option<f32>")]
    pub distance: f32,
}

/// A finding that one model has and the other has not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct FindingName {
    /// Severity.
    pub severity: Severity,
    /// Code.
    pub code: String,
    /// Entry or section.
    pub place: String,
    /// What is wrong.
    pub text: String,
}

impl Difference {
    /// What comes out, and what is found; the rest is the wings'.
    pub fn of(before: &Side, after: &Side) -> Self {
        Self {
            output: output(&before.parts, &after.parts),
            only_before: only(&before.findings, &after.findings),
            only_after: only(&after.findings, &before.findings),
            ..Self::default()
        }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self
            == Self {
                output: OutputDifference { compared: self.output.compared, ..OutputDifference::default() },
                ..Self::default()
            }
    }
}

fn output(before: &[Part], after: &[Part]) -> OutputDifference {
    let mut out = OutputDifference::default();
    let mut rest: Vec<Option<&Part>> = after.iter().map(Some).collect();
    for old in before {
        let same = rest.iter_mut().find(|part| part.is_some_and(|part| part.name == old.name));
        let Some(new) = same.and_then(Option::take) else {
            let what = format!("{} vertices", old.positions.len());
            out.parts.push(Change::new(ChangeKind::Removed, &old.name, "", what));
            continue;
        };
        let (had, has) = (old.positions.len(), new.positions.len());
        if had != has {
            let what = format!("{had} \u{2192} {has} vertices");
            out.parts.push(Change::new(ChangeKind::Changed, &old.name, &new.name, what));
        }
        out.compared += had.min(has);
        for ((vertex, &before), &after) in (0..).zip(&old.positions).zip(&new.positions) {
            let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
            if !before.iter().zip(&after).all(same) {
                let distance = distance(before, after);
                out.moved.push(MovedVertex { part: old.name.clone(), vertex, before, after, distance });
            }
        }
    }
    for new in rest.into_iter().flatten() {
        let what = format!("{} vertices", new.positions.len());
        out.parts.push(Change::new(ChangeKind::Added, "", &new.name, what));
    }
    out.moved.sort_by(|a, b| b.distance.total_cmp(&a.distance));
    out
}

/// Findings of one model that the other has not, by code and place. The figures of their texts may differ.
fn only(mine: &[Finding], others: &[Finding]) -> Vec<FindingName> {
    let place = |finding: &Finding| {
        let place = &finding.place;
        place.entry.clone().or_else(|| place.section.clone()).unwrap_or_default()
    };
    let key = |finding: &Finding| (finding.code.name, place(finding));
    let mut theirs: BTreeMap<_, usize> = BTreeMap::new();
    for finding in others {
        *theirs.entry(key(finding)).or_default() += 1;
    }
    let mut out = Vec::new();
    for finding in mine {
        match theirs.get_mut(&key(finding)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => out.push(FindingName {
                severity: finding.severity,
                code: finding.code.name.to_owned(),
                place: place(finding),
                text: finding.text.clone(),
            }),
        }
    }
    out.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.cmp(b)));
    out
}

/// The vertices whose bones and weights differ, the largest difference first.
pub fn weight_changes(
    part: &str,
    before: &BTreeMap<u32, Vec<(u32, f32)>>,
    after: &BTreeMap<u32, Vec<(u32, f32)>>,
) -> Vec<WeightChange> {
    let none = Vec::new();
    let mut out = Vec::new();
    let vertices: std::collections::BTreeSet<u32> = before.keys().chain(after.keys()).copied().collect();
    for vertex in vertices {
        let (old, new) = (before.get(&vertex).unwrap_or(&none), after.get(&vertex).unwrap_or(&none));
        let weight = |row: &[(u32, f32)], bone: u32| -> f32 {
            row.iter().filter(|(of, _)| *of == bone).map(|(_, weight)| weight).sum()
        };
        let bones = old.iter().chain(new).map(|(bone, _)| *bone);
        let difference = bones.map(|bone| (weight(old, bone) - weight(new, bone)).abs()).fold(0.0, f32::max);
        if difference > 0.0 {
            let (before, after) = (old.clone(), new.clone());
            out.push(WeightChange { part: part.to_owned(), vertex, before, after, difference });
        }
    }
    out.sort_by(|a, b| b.difference.total_cmp(&a.difference).then(a.vertex.cmp(&b.vertex)));
    out
}

/// Structures of a section with the bytes they own, by start. Bytes that several own go to the one that
/// starts last.
#[derive(Debug, Clone, Default)]
pub struct Ownership {
    owners: Vec<(std::ops::Range<u64>, String)>,
}

impl Ownership {
    /// Puts structures in order.
    pub fn new(mut owners: Vec<(std::ops::Range<u64>, String)>) -> Self {
        owners.retain(|(range, _)| !range.is_empty());
        owners.sort_by_key(|(range, _)| (range.start, range.end));
        Self { owners }
    }

    fn owner(&self, offset: u64) -> Option<&str> {
        /// How many structures that start before an offset are looked at.
        const NEAREST: usize = 64;
        let before = self.owners.partition_point(|(range, _)| range.start <= offset);
        let near = self.owners[..before].iter().rev().take(NEAREST);
        near.into_iter().find(|(range, _)| range.end > offset).map(|(_, name)| name.as_str())
    }
}

/// Bytes of a section that differ, by owner. `base` is the section's offset in the second file; `gap`
/// names what nothing owns.
pub fn byte_changes(
    before: &[u8],
    after: &[u8],
    owners: &Ownership,
    base: u64,
    gap: &str,
) -> Vec<ByteChange> {
    let mut found: BTreeMap<&str, ByteChange> = BTreeMap::new();
    let mut add = |owner, offset: u64| {
        let new = || ByteChange { owner: String::from(owner), bytes: 0, offset: base + offset };
        found.entry(owner).or_insert_with(new).bytes += 1;
    };
    for ((offset, old), new) in (0..).zip(before).zip(after) {
        if old != new {
            add(owners.owner(offset).unwrap_or(gap), offset);
        }
    }
    let mut out: Vec<ByteChange> = found.into_values().collect();
    out.sort_by_key(|change| change.offset);
    let (had, has) = (before.len() as u64, after.len() as u64);
    if had != has {
        let owner = format!("{gap}: {had:#x} \u{2192} {has:#x} bytes");
        out.push(ByteChange { owner, bytes: had.abs_diff(has), offset: base + had.min(has) });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(xs: &[f32]) -> Side {
        let positions = xs.iter().map(|&x| [x, 0.0, 0.0]).collect();
        Side { parts: vec![Part { name: "skin".to_owned(), positions }], findings: Vec::new() }
    }

    #[test]
    fn the_farthest_vertex_comes_first_and_missing_ones_are_counted() {
        let difference = Difference::of(&side(&[0.0, 1.0, f32::NAN]), &side(&[0.5, 4.0, f32::NAN, 9.0]));
        let moved: Vec<_> =
            difference.output.moved.iter().map(|moved| (moved.vertex, moved.distance)).collect();
        assert_eq!(moved, [(1, 3.0), (0, 0.5)]);
        assert_eq!(difference.output.compared, 3);
        assert_eq!(difference.output.parts[0].what, "3 \u{2192} 4 vertices");
        assert!(Difference::of(&side(&[1.0]), &side(&[1.0])).is_empty());
        let infinite = f32::INFINITY;
        let difference = Difference::of(&side(&[0.0, infinite, 1.0]), &side(&[9.0, f32::NAN, 1.0]));
        assert_eq!(difference.output.moved[0].vertex, 1, "what is no number is the worst");
    }

    #[test]
    fn bytes_go_to_the_structure_that_starts_last() {
        let owners = Ownership::new(vec![
            (0..8, "all".to_owned()),
            (2..4, "part".to_owned()),
            (6..6, "none".to_owned()),
        ]);
        let changes = byte_changes(&[0; 10], &[1; 12], &owners, 0x100, "GPL gap");
        let told: Vec<_> =
            changes.iter().map(|change| (&*change.owner, change.bytes, change.offset)).collect();
        assert_eq!(told[..3], [("all", 6, 0x100), ("part", 2, 0x102), ("GPL gap", 2, 0x108)]);
        assert_eq!(told[3], ("GPL gap: 0xa \u{2192} 0xc bytes", 2, 0x10a));
    }

    #[test]
    fn weights_are_compared_bone_by_bone() {
        let row = |weights: &[(u32, f32)]| BTreeMap::from([(7, weights.to_vec())]);
        let changes =
            weight_changes("skin", &row(&[(0, 0.5), (1, 0.5)]), &row(&[(1, 0.5), (0, 0.25), (2, 0.25)]));
        assert_eq!((changes.len(), changes[0].difference), (1, 0.25));
        assert!(weight_changes("skin", &row(&[(0, 0.5), (1, 0.5)]), &row(&[(1, 0.5), (0, 0.5)])).is_empty());
    }
}
