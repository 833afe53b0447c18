//! One sentence a target: what happens to the model there.

use serde::Serialize;

use crate::c3::format::gpl::ReadWhen;
use crate::c3::rules::effects::{DryRun, Target};
use crate::finding::{Finding, Severity};
use crate::report::words::plural;

/// What happens on one machine, or in one game.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct TargetVerdict {
    /// `Dolphin`, `Console`, `Game`.
    pub target: &'static str,
    /// How bad it is.
    pub outcome: OutcomeKind,
    /// One sentence.
    pub text: String,
}

/// How a model fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeKind {
    /// Nothing wrong was seen.
    Good,
    /// It runs, and what is drawn is doubtful or wrong.
    Wrong,
    /// It crashes or hangs.
    Crashes,
    /// Nothing could be run.
    Unknown,
}

/// The sentence of a dry run. `doubtful`: whether all wrong slots are so only if something holds that is open.
pub fn of_run(target: Target, run: Option<&DryRun>, doubtful: bool) -> TargetVerdict {
    let target = match target {
        Target::Dolphin => "Dolphin",
        Target::Console => "Console",
    };
    let (outcome, text) = match run {
        Some(run) => sentence(run, doubtful),
        None => (OutcomeKind::Unknown, "Nothing was run: the model has nothing to skin.".to_owned()),
    };
    TargetVerdict { target, outcome, text }
}

fn sentence(run: &DryRun, doubtful: bool) -> (OutcomeKind, String) {
    if let Some(fault) = run.faults.first() {
        let entry = fault.entry.map_or_else(String::new, |entry| format!(" at {entry}"));
        let others = match run.faults.len() - 1 {
            0 => String::new(),
            more => format!(" ({} more behind it)", plural(more, "fault")),
        };
        return (OutcomeKind::Crashes, format!("Faults{entry}{others}: {}.", one_line(&fault.message)));
    }
    if let Some(over) = run.overwritten.iter().find(|over| over.read_when == ReadWhen::EveryFrame) {
        let by = over.by;
        let text = format!("Runs, but {by} overwrites {}, which every frame reads.", over.structure);
        return (OutcomeKind::Wrong, text);
    }
    if let Some(worst) = run.wrong.iter().max_by_key(|wrong| wrong.difference) {
        let (count, units) = (vertices(run.wrong.len()), plural(worst.difference as usize, "unit"));
        let open = if doubtful { "; what the run assumes there is open" } else { "" };
        let text = format!("Runs, but {count} wrong, the worst is slot {} by {units}{open}.", worst.slot);
        return (OutcomeKind::Wrong, text);
    }
    if !run.stale.is_empty() {
        let count = vertices(run.stale.len());
        let text = format!("Runs, but {count} late: the cache still holds what should be drawn.");
        return (OutcomeKind::Wrong, text);
    }
    let text = "Runs without a fault, and every drawn vertex comes out as ideal skinning has it.";
    (OutcomeKind::Good, text.to_owned())
}

/// `3 drawn vertices come out`.
fn vertices(count: usize) -> String {
    if count == 1 {
        "1 drawn vertex comes out".to_owned()
    } else {
        format!("{count} drawn vertices come out")
    }
}

/// A fault's words with the place in brackets and no run of spaces.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentence of a model that is judged by its findings alone.
pub fn of_findings(target: &'static str, findings: &[Finding]) -> TargetVerdict {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let worst = findings.iter().find(|finding| finding.severity == Severity::Error);
    let (outcome, text) = match (worst, warnings) {
        (Some(worst), _) => {
            let more = if errors > 1 {
                format!(" (and {} more)", plural(errors - 1, "error"))
            } else {
                String::new()
            };
            (
                OutcomeKind::Wrong,
                format!("Breaks a rule of the format: {}{more}.", worst.text.trim_end_matches('.')),
            )
        }
        (None, 1..) => {
            let text = format!("Should work; {} of what shipped files never do.", plural(warnings, "case"));
            (OutcomeKind::Wrong, text)
        }
        (None, 0) => (OutcomeKind::Good, "Obeys every rule that shipped files obey.".to_owned()),
    };
    TargetVerdict { target, outcome, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::rules::effects::{Overwritten, WrongSlot};
    use crate::c3::runtime::journal::Writer;

    fn said(run: &DryRun) -> (OutcomeKind, String) {
        let verdict = of_run(Target::Console, Some(run), false);
        assert_eq!(verdict.target, "Console");
        (verdict.outcome, verdict.text)
    }

    #[test]
    fn the_worst_thing_a_run_shows_is_its_verdict() {
        let mut run = DryRun::clean(Target::Console);
        assert_eq!(said(&run).0, OutcomeKind::Good);
        run.stale = vec![3];
        assert!(said(&run).1.contains("1 drawn vertex comes out late"));
        let wrong = |slot, difference| WrongSlot { slot, difference, by: Vec::new() };
        run.wrong = vec![wrong(4, 9), wrong(5, 90)];
        assert_eq!(
            said(&run).1,
            "Runs, but 2 drawn vertices come out wrong, the worst is slot 5 by 90 units."
        );
        let structure = "submesh 0 colour array".to_owned();
        assert!(of_run(Target::Console, Some(&run), true).text.ends_with("assumes there is open."));
        run.overwritten = vec![Overwritten {
            structure,
            by: Writer::Clear,
            within: 0..1,
            slots: 0..0,
            hidden: false,
            read_when: ReadWhen::EveryFrame,
        }];
        assert!(said(&run).1.starts_with("Runs, but the clear overwrites submesh 0 colour array"));
    }

    #[test]
    fn without_a_run_nothing_is_claimed() {
        assert_eq!(of_run(Target::Dolphin, None, false).outcome, OutcomeKind::Unknown);
    }
}
