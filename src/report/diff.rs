//! What differs between two models, as data and as text.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use schemars::JsonSchema;
use serde::Serialize;

use super::words;
use crate::difference::{Change, ChangeKind, Difference, FindingName, WeightChange};
use crate::printable::printable;

/// The `skinsim.diff/1` object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiffReport {
    /// `skinsim.diff/1`.
    pub schema: &'static str,
    /// Pairs of models, in the order of the first ones.
    pub pairs: Vec<DiffPair>,
}

/// Two models and what differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DiffPair {
    /// The first model, as named on the command line; null where the folder has none of that name.
    pub before: Option<String>,
    /// The second model.
    pub after: Option<String>,
    /// The pose of both.
    pub pose: String,
    /// What differs; vertices and weights beyond --max are left out.
    #[serde(flatten)]
    pub difference: Difference,
    /// Vertices that lie elsewhere, all of them.
    pub moved_count: usize,
    /// Vertices that other weights move, all of them.
    pub weight_count: usize,
}

impl DiffPair {
    /// Keeps the first `most` vertices and weights (0: all).
    pub fn new(names: [Option<String>; 2], pose: String, mut difference: Difference, most: usize) -> Self {
        let (moved_count, weight_count) = (difference.output.moved.len(), difference.weights.len());
        if most > 0 {
            difference.output.moved.truncate(most);
            difference.weights.truncate(most);
        }
        let [before, after] = names;
        Self { before, after, pose, difference, moved_count, weight_count }
    }

    /// Whether the models differ.
    pub fn differs(&self) -> bool {
        self.before.is_none() || self.after.is_none() || !self.difference.is_empty()
    }
}

impl DiffReport {
    /// Wraps pairs.
    pub fn new(pairs: Vec<DiffPair>) -> Self {
        Self { schema: "skinsim.diff/1", pairs }
    }

    /// For people.
    pub fn text(&self) -> String {
        self.pairs.iter().map(pair).collect()
    }
}

fn heading(out: &mut String, title: &str) {
    let style = Style::new().bold();
    let _ = writeln!(out, "\n{style}{title}{style:#}");
}

fn pair(pair: &DiffPair) -> String {
    let mut out = String::new();
    let (before, after) = match (&pair.before, &pair.after) {
        (Some(before), Some(after)) => (printable(before), printable(after)),
        (Some(only), None) => return format!("only in the first   {}\n", printable(only)),
        (None, Some(only)) => return format!("only in the second  {}\n", printable(only)),
        (None, None) => return out,
    };
    let style = if pair.differs() { AnsiColor::Yellow } else { AnsiColor::Green }.on_default().bold();
    let verdict = if pair.differs() { "differs" } else { "same" };
    let _ = writeln!(
        out,
        "{style}{verdict}{style:#}   {before} \u{2192} {after}   pose {}",
        printable(&pair.pose)
    );
    let difference = &pair.difference;
    if !difference.structure.is_empty() {
        heading(&mut out, "structure");
        difference.structure.iter().for_each(|item| change(&mut out, item));
    }
    if pair.weight_count > 0 {
        heading(&mut out, &format!("weights: {} moved by others", vertices(pair.weight_count)));
        difference.weights.iter().for_each(|item| weight(&mut out, item));
        more(&mut out, pair.weight_count, difference.weights.len());
    }
    let output = &difference.output;
    if pair.moved_count > 0 || !output.parts.is_empty() {
        heading(&mut out, &format!("output: {} of {} vertices moved", pair.moved_count, output.compared));
        output.parts.iter().for_each(|item| change(&mut out, item));
        for moved in &output.moved {
            let vector = |[x, y, z]: [f32; 3]| format!("{x} {y} {z}");
            let (from, to) = (vector(moved.before), vector(moved.after));
            let (part, vertex, distance) = (printable(&moved.part), moved.vertex, moved.distance);
            let _ = writeln!(out, "  {part}, vertex {vertex}: {from} \u{2192} {to}, by {distance}");
        }
        more(&mut out, pair.moved_count, output.moved.len());
    }
    findings(&mut out, "only the first model has", &difference.only_before);
    findings(&mut out, "only the second model has", &difference.only_after);
    if !difference.bytes.is_empty() {
        let bytes: u64 = difference.bytes.iter().map(|change| change.bytes).sum();
        heading(&mut out, &format!("bytes: {bytes} differ"));
        for change in &difference.bytes {
            let _ = writeln!(
                out,
                "  {:>8}  {}, from {:#x}",
                change.bytes,
                printable(&change.owner),
                change.offset
            );
        }
    }
    out
}

fn change(out: &mut String, change: &Change) {
    let word = match change.kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Moved => "moved",
        ChangeKind::Split => "split",
        ChangeKind::Merged => "merged",
        ChangeKind::Retargeted => "retargeted",
        ChangeKind::Changed => "changed",
    };
    let name = match (change.before.as_str(), change.after.as_str()) {
        ("", name) | (name, "") => name.to_owned(),
        (before, after) if before == after => before.to_owned(),
        (before, after) => format!("{before} \u{2192} {after}"),
    };
    let _ = writeln!(out, "  {word:<10} {}: {}", printable(&name), printable(&change.what));
}

fn weight(out: &mut String, change: &WeightChange) {
    let row = |row: &[(u32, f32)]| {
        let parts: Vec<String> = row.iter().map(|(bone, weight)| format!("{bone}\u{d7}{weight}")).collect();
        if parts.is_empty() { "none".to_owned() } else { parts.join(" + ") }
    };
    let (before, after) = (row(&change.before), row(&change.after));
    let _ =
        writeln!(out, "  {}, vertex {}: {before} \u{2192} {after}", printable(&change.part), change.vertex);
}

fn findings(out: &mut String, title: &str, findings: &[FindingName]) {
    if findings.is_empty() {
        return;
    }
    heading(out, title);
    for finding in findings {
        let place =
            if finding.place.is_empty() { String::new() } else { format!(" {}", printable(&finding.place)) };
        let severity = words::severity(finding.severity);
        let _ = writeln!(out, "  {severity}[{}]{place}: {}", finding.code, printable(&finding.text));
    }
}

fn more(out: &mut String, all: usize, shown: usize) {
    if all > shown {
        let _ = writeln!(out, "  and {} more; --max 0 shows all", all - shown);
    }
}

fn vertices(count: usize) -> String {
    format!("{count} {}", if count == 1 { "vertex" } else { "vertices" })
}
