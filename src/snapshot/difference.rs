//! What moved between a snapshot and a newer one.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Group, Snapshot, SnapshotError, Vector, VertexRow};
use crate::mesh::distance;
use crate::printable::escaped_again;

/// What differs. Vertices are those that both sides know: all of them between full snapshots, else the
/// first and the last of every group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Differences {
    /// Header lines with another value: key, before, now.
    pub header: Vec<(String, String, String)>,
    /// Groups that differ.
    pub groups: Vec<Change>,
    /// Vertices that moved, the farthest first.
    pub moved: Vec<Moved>,
    /// Whether every vertex was compared.
    pub complete: bool,
    /// Findings whose number changed: name, before, now.
    pub findings: Vec<(String, usize, usize)>,
    /// The first line that is another where nothing of the above differs: order, or how a value is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<LineChange>,
}

/// A line of the text that is another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineChange {
    /// Its number, from 1.
    pub line: usize,
    /// As the snapshot has it; empty behind its end.
    pub before: String,
    /// As it is now; empty behind the end.
    pub now: String,
}

/// A group that differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// How, in words.
    pub what: String,
    /// How far its vertices moved, as far as the snapshots tell.
    pub distance: Option<f32>,
}

/// A vertex that moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Moved {
    /// Where it was.
    pub from: VertexRow,
    /// Where it is.
    pub to: VertexRow,
    /// How far; null, and before all others, where that is no number.
    #[schemars(with = "Option<f32>")]
    pub distance: f32,
}

impl Snapshot {
    /// What is different in `now`. Nothing is, exactly where the texts are equal.
    pub fn difference(&self, now: &Self) -> Differences {
        self.difference_of(&self.to_string(), now)
    }

    /// What is different from a snapshot's text, which is read first. Ends of lines are as good as others.
    ///
    /// # Errors
    /// When the text is no snapshot, or a line of it cannot be read.
    pub fn compared_with(&self, text: &str) -> Result<Differences, SnapshotError> {
        let before: Self = text.parse()?;
        Ok(before.difference_of(text, self))
    }

    fn difference_of(&self, text: &str, now: &Self) -> Differences {
        let mut out = Differences {
            header: header(self, now),
            groups: groups(&self.groups, &now.groups),
            moved: moved(&known(self), &known(now)),
            complete: self.full,
            findings: findings(self, now),
            line: None,
        };
        if out.is_empty() {
            // A text tells every vertex or none, whatever form the newer snapshot has.
            let now = if self.full { now.clone().full() } else { Self { full: false, ..now.clone() } };
            out.line = first_other_line(text, &now.to_string());
        }
        out
    }
}

impl Differences {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.header.is_empty()
            && self.groups.is_empty()
            && self.moved.is_empty()
            && self.findings.is_empty()
            && self.line.is_none()
    }

    /// Whether only the bytes of the model differ: what comes out is the same.
    pub fn is_input_alone(&self) -> bool {
        self.header.iter().all(|(key, ..)| key == "model")
            && self.line.is_none()
            && self.groups.is_empty()
            && self.moved.is_empty()
            && self.findings.is_empty()
    }
}

fn first_other_line(before: &str, now: &str) -> Option<LineChange> {
    let (mut old, mut new) = (before.lines(), now.lines());
    (1..)
        .map_while(|line| match (old.next(), new.next()) {
            (None, None) => None,
            pair => Some((line, pair)),
        })
        .find(|(_, (old, new))| old != new)
        .map(|(line, (old, new))| {
            let text = |line: Option<&str>| escaped_again(line.unwrap_or_default()).into_owned();
            LineChange { line, before: text(old), now: text(new) }
        })
}

/// The vertices that a snapshot's text tells. A snapshot that was just taken knows more than its text.
fn known(snapshot: &Snapshot) -> BTreeMap<u32, VertexRow> {
    let ends = snapshot.groups.iter().flat_map(|group| [group.first, group.last]).flatten();
    snapshot.vertices.iter().copied().chain(ends).map(|row| (row.vertex, row)).collect()
}

fn moved(before: &BTreeMap<u32, VertexRow>, now: &BTreeMap<u32, VertexRow>) -> Vec<Moved> {
    let both = before.iter().filter_map(|(vertex, from)| Some((*from, *now.get(vertex)?)));
    let mut moved: Vec<Moved> = both
        .filter(|(from, to)| differ(from, to))
        .map(|(from, to)| Moved { from, to, distance: distance(from.position, to.position) })
        .collect();
    moved.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(a.from.vertex.cmp(&b.from.vertex)));
    moved
}

/// Whether two vertices differ in their text: a NaN is like another, and zero has no sign.
fn differ(a: &VertexRow, b: &VertexRow) -> bool {
    let values = |row: &VertexRow| {
        let [x, y, z] = row.position;
        let [nx, ny, nz] = row.normal;
        [x, y, z, nx, ny, nz]
    };
    values(a).iter().zip(values(b)).any(|(a, b)| *a != b && !(a.is_nan() && b.is_nan()))
}

fn header(before: &Snapshot, now: &Snapshot) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for (key, value) in &before.header {
        let new = now.value(key).unwrap_or("nothing");
        if new != value {
            out.push((key.clone(), value.clone(), new.to_owned()));
        }
    }
    let added = now.header.iter().filter(|(key, _)| before.value(key).is_none());
    out.extend(added.map(|(key, value)| (key.clone(), "nothing".to_owned(), value.clone())));
    out
}

fn groups(before: &[Group], now: &[Group]) -> Vec<Change> {
    let (before_names, now_names) = (numbered(before), numbered(now));
    let old: BTreeMap<&(&str, usize), &Group> = before_names.iter().zip(before).collect();
    let new: BTreeMap<&(&str, usize), &Group> = now_names.iter().zip(now).collect();
    let change = |name: &str, what: String, distance| Change { name: name.to_owned(), what, distance };
    let mut out = Vec::new();
    for (name, group) in before_names.iter().zip(before) {
        match new.get(name) {
            None => out.push(change(&group.name, "gone".to_owned(), None)),
            Some(now) => out.extend(changed(group, now)),
        }
    }
    let added = now_names.iter().zip(now).filter(|(name, _)| !old.contains_key(name));
    out.extend(added.map(|(_, group)| change(&group.name, format!("new, {} vertices", group.count), None)));
    out
}

/// Names, and which of that name it is: nothing keeps a model from having two meshes of one name.
fn numbered(groups: &[Group]) -> Vec<(&str, usize)> {
    let mut counts = BTreeMap::new();
    let mut next = |name| {
        let count: &mut usize = counts.entry(name).or_default();
        *count += 1;
        *count
    };
    groups.iter().map(|group| (group.name.as_str(), next(group.name.as_str()))).collect()
}

fn changed(before: &Group, now: &Group) -> Option<Change> {
    let mut what = Vec::new();
    if before.detail != now.detail {
        what.push(format!("{} \u{2192} {}", before.detail, now.detail));
    }
    if before.count != now.count {
        what.push(format!("{} \u{2192} {} vertices", before.count, now.count));
    }
    let mut distance = None;
    if before.digest != now.digest {
        what.push("other vertices".to_owned());
        let corners = before.bounds.into_iter().flatten().zip(now.bounds.into_iter().flatten());
        let ends = [before.first.zip(now.first), before.last.zip(now.last)].into_iter().flatten();
        let ends = ends.filter(|(a, b)| a.vertex == b.vertex).map(|(a, b)| (a.position, b.position));
        // A corner of the bounds that moved along an axis shows that some vertex moved that far.
        let along =
            |(a, b): ([f32; 3], [f32; 3])| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let known = corners.map(along).chain(ends.map(|(a, b)| crate::mesh::distance(a, b)));
        distance = Some(known.fold(0.0, f32::max));
    }
    (!what.is_empty()).then(|| Change { name: before.name.clone(), what: what.join(", "), distance })
}

fn findings(before: &Snapshot, now: &Snapshot) -> Vec<(String, usize, usize)> {
    let (old, new): (BTreeMap<_, _>, BTreeMap<_, _>) =
        (before.findings.iter().cloned().collect(), now.findings.iter().cloned().collect());
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let counts = |name: &String| (old.get(name).copied().unwrap_or(0), new.get(name).copied().unwrap_or(0));
    let changed = names.into_iter().map(|name| (name, counts(name))).filter(|(_, (old, new))| old != new);
    changed.map(|(name, (old, new))| (name.clone(), old, new)).collect()
}

/// Lines of one kind that are shown; the others are counted.
const SHOWN: usize = 8;

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_input_alone() && !self.header.is_empty() {
            writeln!(f, "  only the bytes of the model differ; what comes out is the same")?;
        }
        for (key, before, now) in &self.header {
            let (key, before, now) = (escaped_again(key), escaped_again(before), escaped_again(now));
            writeln!(f, "  {key:<10} {before} \u{2192} {now}")?;
        }
        for change in self.groups.iter().take(SHOWN) {
            write!(f, "  {}: {}", escaped_again(&change.name), escaped_again(&change.what))?;
            match change.distance {
                Some(distance) if distance > 0.0 && !self.complete => {
                    writeln!(f, ", at least {distance} far")?;
                }
                _ => writeln!(f)?,
            }
        }
        more(f, self.groups.len(), "entries or meshes")?;
        if let Some(worst) = self.moved.first() {
            let whole = if self.complete { "" } else { " of those the snapshot tells" };
            writeln!(f, "  {} vertices moved{whole}, the farthest by {}:", self.moved.len(), worst.distance)?;
        }
        for moved in self.moved.iter().take(SHOWN) {
            let (from, to) = (Vector(moved.from.position), Vector(moved.to.position));
            match moved.distance {
                0.0 => writeln!(f, "    vertex {}: its normal turned", moved.from.vertex)?,
                distance => {
                    writeln!(f, "    vertex {}: {from} \u{2192} {to}, by {distance}", moved.from.vertex)?;
                }
            }
        }
        more(f, self.moved.len(), "vertices")?;
        for (name, before, now) in &self.findings {
            match (before, now) {
                (0, now) => writeln!(f, "  new finding: {name} ({now})")?,
                (before, 0) => writeln!(f, "  no longer found: {name} ({before})")?,
                (before, now) => writeln!(f, "  {name}: {before} \u{2192} {now}")?,
            }
        }
        if let Some(LineChange { line, before, now }) = &self.line {
            let end = |text: &str| if text.is_empty() { "nothing".to_owned() } else { format!("`{text}`") };
            writeln!(f, "  line {line} is another: {} \u{2192} {}", end(before), end(now))?;
        }
        if !self.complete && !self.groups.is_empty() {
            writeln!(f, "  a snapshot taken with --full tells every vertex")?;
        }
        Ok(())
    }
}

fn more(f: &mut fmt::Formatter<'_>, count: usize, what: &str) -> fmt::Result {
    match count.saturating_sub(SHOWN) {
        0 => Ok(()),
        rest => writeln!(f, "    and {rest} more {what}"),
    }
}
