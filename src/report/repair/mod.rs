//! What repair changed and what it refused.

mod text;

use schemars::JsonSchema;
use serde::Serialize;

use crate::c3::repair::Repaired;
use crate::finding::{Place, Severity, Verdict};

/// The version of this output.
pub const SCHEMA: &str = "skinsim.repair/1";

/// One thing that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FixReport {
    /// The code whose remedy it is.
    pub code: &'static str,
    /// Where, in the file as it was at that moment.
    pub place: Place,
    /// What was changed.
    pub text: String,
}

/// One finding that stays.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RefusalReport {
    /// Its code.
    pub code: &'static str,
    /// How bad it is, as `check` finds it in the repaired file.
    pub severity: Severity,
    /// Where, in the repaired file.
    pub place: Place,
    /// Why it stays.
    pub reason: String,
}

/// A run of slots that moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MoveReport {
    /// First slot before.
    pub from: u16,
    /// First slot after.
    pub to: u16,
    /// Number of slots.
    pub count: u16,
}

/// What repair did.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RepairReport {
    /// Version of this output, `skinsim.repair/1`.
    pub schema: &'static str,
    /// The model.
    pub model: String,
    /// The files that were written.
    pub outputs: Vec<String>,
    /// What was changed, in order.
    pub fixes: Vec<FixReport>,
    /// Warnings and errors that stay.
    pub refused: Vec<RefusalReport>,
    /// Slots that moved.
    pub moved: Vec<MoveReport>,
    /// What `check` says of the model.
    pub before: Verdict,
    /// What it says of what was written.
    pub after: Verdict,
}

impl RepairReport {
    /// The report of a repair.
    pub fn new(model: String, outputs: Vec<String>, repaired: &Repaired) -> Self {
        let fixes = repaired.fixes.iter().map(|fix| FixReport {
            code: fix.code.name,
            place: fix.place.clone(),
            text: fix.text.clone(),
        });
        let refused = repaired.refused.iter().map(|refusal| RefusalReport {
            code: refusal.code.name,
            severity: refusal.severity,
            place: refusal.place.clone(),
            reason: refusal.reason.clone(),
        });
        let mut moved: Vec<MoveReport> = Vec::new();
        for (&from, &to) in &repaired.moves {
            match moved.last_mut() {
                Some(run) if from - run.from == run.count && to.wrapping_sub(run.to) == run.count => {
                    run.count += 1;
                }
                _ => moved.push(MoveReport { from, to, count: 1 }),
            }
        }
        Self {
            schema: SCHEMA,
            model,
            outputs,
            fixes: fixes.collect(),
            refused: refused.collect(),
            moved,
            before: repaired.before,
            after: repaired.after,
        }
    }

    /// Whether an error stays.
    pub fn has_errors(&self) -> bool {
        self.after == Verdict::Broken
    }

    /// The report for people.
    pub fn text(&self) -> String {
        text::render(self)
    }
}
