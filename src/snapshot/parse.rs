//! A snapshot's text read back.

use std::str::FromStr;

use super::{Group, Snapshot, TITLE, VertexRow};

/// A line that is not what a snapshot has there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: want {want}, have {have:?}")]
pub struct SnapshotError {
    /// Line, from 1.
    pub line: usize,
    /// What is expected.
    pub want: &'static str,
    /// What is there.
    pub have: String,
}

impl SnapshotError {
    /// Whether the text is not even the beginning of a snapshot, or of another version.
    pub fn is_of_another_file(&self) -> bool {
        self.want == TITLE
    }
}

/// The parts of a snapshot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    Groups,
    Findings,
    Vertices,
}

impl FromStr for Snapshot {
    type Err = SnapshotError;

    fn from_str(text: &str) -> Result<Self, SnapshotError> {
        let mut lines = text.lines().zip(1..);
        let error = |line, want, have: &str| {
            let have = have.chars().take(80).collect();
            SnapshotError { line, want, have }
        };
        match lines.next() {
            Some((TITLE, _)) => {}
            other => return Err(error(1, TITLE, other.map_or("", |(line, _)| line))),
        }
        let (mut out, mut part) = (Self::default(), Part::Header);
        for (line, number) in lines {
            match (part, line) {
                (_, "") => {}
                (_, "[groups]") => part = Part::Groups,
                (_, "[findings]") => part = Part::Findings,
                (_, "[vertices]") => (part, out.full) = (Part::Vertices, true),
                (Part::Header, _) => {
                    let pair =
                        line.split_once(' ').ok_or_else(|| error(number, "a key and a value", line))?;
                    out.header.push((pair.0.to_owned(), pair.1.trim_start().to_owned()));
                }
                (Part::Groups, _) => {
                    group_line(line, &mut out.groups)
                        .ok_or_else(|| error(number, "a line of a group", line))?;
                }
                (Part::Findings, _) => {
                    let pair =
                        line.rsplit_once(' ').and_then(|(name, count)| Some((name, count.parse().ok()?)));
                    let (name, count) = pair.ok_or_else(|| error(number, "a finding and its count", line))?;
                    out.findings.push((name.to_owned(), count));
                }
                (Part::Vertices, _) => {
                    out.vertices.push(row(line).ok_or_else(|| error(number, "a vertex", line))?);
                }
            }
        }
        Ok(out)
    }
}

fn group_line(line: &str, groups: &mut Vec<Group>) -> Option<()> {
    let Some(fact) = line.strip_prefix("  ") else {
        // A name may hold the separator, what follows it does not.
        let mut parts = line.rsplitn(4, "; ");
        let digest = parts.next()?.to_owned();
        let count = parts.next()?.strip_suffix(" vertices")?.parse().ok()?;
        let detail = parts.next()?.to_owned();
        let name = parts.next()?.to_owned();
        groups.push(Group { name, detail, count, digest, ..Group::default() });
        return Some(());
    };
    let group = groups.last_mut()?;
    let (key, value) = fact.split_once(' ')?;
    match key {
        "first" => {
            group.first = Some(row(value.trim_start())?);
            group.bounds = group.first.map(|row| [row.position; 2]);
            group.last = group.first;
        }
        "last" => group.last = Some(row(value.trim_start())?),
        "bounds" => {
            let (low, high) = value.trim_start().split_once(" .. ")?;
            group.bounds = Some([vector(low)?, vector(high)?]);
        }
        _ => return None,
    }
    Some(())
}

fn row(text: &str) -> Option<VertexRow> {
    let (vertex, rest) = text.split_once(": ")?;
    let (position, normal) = rest.split_once(" | ")?;
    Some(VertexRow { vertex: vertex.parse().ok()?, position: vector(position)?, normal: vector(normal)? })
}

fn vector(text: &str) -> Option<[f32; 3]> {
    let mut parts = text.split(' ').map(|part| part.parse().ok());
    let vector = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(vector)
}
