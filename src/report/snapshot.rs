//! What `snapshot` did with each model, as data and as text.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use schemars::JsonSchema;
use serde::Serialize;

use crate::printable::printable;
use crate::snapshot::Differences;

/// The `skinsim.snapshot/1` object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SnapshotReport {
    /// `skinsim.snapshot/1`.
    pub schema: &'static str,
    /// One entry a snapshot, in the order of the models.
    pub snapshots: Vec<SnapshotResult>,
}

/// What came of one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SnapshotResult {
    /// The model; null for a snapshot without one.
    pub model: Option<String>,
    /// The snapshot's file.
    pub snapshot: String,
    /// What came of it.
    pub status: Status,
    /// Why a snapshot cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differences: Option<Differences>,
}

/// What came of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The text is the same.
    Same,
    /// The text is another.
    Differs,
    /// The model has no snapshot.
    Missing,
    /// The snapshot is none that can be read.
    Unreadable,
    /// The snapshot has no model.
    Stale,
    /// Written where there was none.
    New,
    /// Written over another.
    Updated,
    /// Removed, because it had no model.
    Removed,
}

impl Status {
    /// Every status, in the order in which they are counted.
    const ALL: [Self; 8] = [
        Self::Same,
        Self::Differs,
        Self::Missing,
        Self::Unreadable,
        Self::Stale,
        Self::New,
        Self::Updated,
        Self::Removed,
    ];

    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Differs => "differs",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::Stale => "stale",
            Self::New => "new",
            Self::Updated => "updated",
            Self::Removed => "removed",
        }
    }

    /// Whether it is a mismatch.
    pub const fn is_mismatch(self) -> bool {
        matches!(self, Self::Differs | Self::Missing | Self::Unreadable | Self::Stale)
    }

    fn style(self) -> Style {
        let colour = match self {
            Self::Same => AnsiColor::Green,
            Self::New | Self::Updated | Self::Removed => AnsiColor::Cyan,
            Self::Differs | Self::Missing | Self::Unreadable | Self::Stale => AnsiColor::Red,
        };
        colour.on_default().bold()
    }
}

impl SnapshotReport {
    /// Wraps results.
    pub fn new(snapshots: Vec<SnapshotResult>) -> Self {
        Self { schema: "skinsim.snapshot/1", snapshots }
    }

    /// Whether a snapshot and its model do not agree.
    pub fn has_mismatch(&self) -> bool {
        self.snapshots.iter().any(|result| result.status.is_mismatch())
    }

    /// For people: a line a snapshot, below it what differs, and the counts.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for result in &self.snapshots {
            let style = result.status.style();
            let _ = write!(out, "{style}{:<10}{style:#} ", result.status.word());
            match &result.model {
                Some(model) => {
                    let _ = writeln!(out, "{}   {}", printable(model), printable(&result.snapshot));
                }
                None => {
                    let _ = writeln!(out, "{}", printable(&result.snapshot));
                }
            }
            if let Some(problem) = &result.problem {
                let _ = writeln!(out, "  {}", printable(problem));
            }
            if let Some(differences) = &result.differences {
                let _ = write!(out, "{differences}");
            }
        }
        let count = |status| self.snapshots.iter().filter(|result| result.status == status).count();
        let counts: Vec<String> = Status::ALL
            .into_iter()
            .map(|status| (status, count(status)))
            .filter(|(_, count)| *count > 0)
            .map(|(status, count)| format!("{count} {}", status.word()))
            .collect();
        if counts.is_empty() {
            out.push_str("no snapshots\n");
        } else {
            let _ = writeln!(out, "{}", counts.join(", "));
        }
        out
    }
}
