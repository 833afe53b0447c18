//! What no finding answers for, and what a run shows by itself: findings of their own.

use std::collections::BTreeSet;

use super::run::Run;
use super::selection::{slots, wrong_words};
use super::slot;
use crate::c3::rules::codes;
use crate::c3::rules::effects::{BadMatrix, FaultSeen, Part, Target};
use crate::c3::rules::found::Found;
use crate::c3::rules::mechanism::explains;
use crate::finding::{Effect, Finding, Place, Severity};

/// How to find out who wrote a slot.
const TRACE_HELP: &str = "`skinsim trace` shows who wrote the slot";

impl Run<'_> {
    /// Adds what no rule found.
    pub(super) fn report_rest(&self, found: &[Found], findings: &mut Vec<Finding>) {
        self.report_fault(found, findings);
        self.report_wrong(found, findings);
        self.report_stale(found, findings);
        self.report_saturated(findings);
        for bad in &self.run.bad_matrices {
            self.report_matrix(bad, findings);
        }
    }

    /// The first fault that no finding explains.
    fn report_fault(&self, found: &[Found], findings: &mut Vec<Finding>) {
        let open = |fault: &&FaultSeen| !found.iter().any(|one| explains(&one.evidence, fault));
        let Some(fault) = self.run.faults.iter().find(open) else { return };
        let mut place = Place::section("SKN");
        place.entry = fault.entry.map(|entry| entry.to_string());
        let text = "the frame faults, and no rule says why";
        let help = "look at what the entry reads and writes: `skinsim trace`";
        let finding = Finding::new(&codes::FRAME_FAULT, place, text, help);
        push(findings, finding, self.run.target, Effect::Faults(fault.message.clone()));
    }

    /// Wrong slots that no finding covers. What did not run, or ran with a count that was mended, is the
    /// fault's doing.
    fn report_wrong(&self, found: &[Found], findings: &mut Vec<Finding>) {
        let complete = self.run.faults.iter().all(|fault| fault.part == Part::Draw);
        let open = self.open(found);
        let Some(words) = wrong_words(&open.iter().collect::<Vec<_>>()).filter(|_| complete) else { return };
        let text = "the output differs from ideal skinning, and no rule says why";
        let finding = Finding::new(&codes::OUTPUT_DIFFERS, Place::section("SKN"), text, TRACE_HELP);
        push(findings, finding, self.run.target, Effect::WrongOutput(words));
    }

    /// Stale slots that no finding covers.
    fn report_stale(&self, found: &[Found], findings: &mut Vec<Finding>) {
        let all = &self.run.stale;
        let blamed = found.iter().flat_map(|one| self.blamed_stale(&one.evidence));
        let stale: BTreeSet<usize> = blamed.flatten().collect();
        let Some(first) = (0..all.len()).find(|at| !stale.contains(at)) else { return };
        let text = "memory holds other vertices than the data cache, and no rule says why";
        let finding = Finding::new(&codes::OUTPUT_DIFFERS, Place::section("SKN"), text, TRACE_HELP);
        let words = format!("{}, the first {}", slots(all.len() - stale.len()), all[first]);
        push(findings, finding, self.run.target, Effect::Stale(words));
    }

    /// Values that the s16 clamps.
    fn report_saturated(&self, findings: &mut Vec<Finding>) {
        let seen = [(&self.run.saturated, ""), (&self.run.saturated_moved, " when the bones move a little")];
        for (saturated, when) in seen {
            let Some(first) = saturated.first() else { continue };
            let reach = if saturated.len() == 1 { "reaches" } else { "reach" };
            let count = slots(saturated.len());
            let text = format!("{count} {reach} the end of the s16 range{when}, the first {first}");
            let help = "lower the shift, or keep the vertices closer to the origin";
            let finding = Finding::new(&codes::SATURATED, Place::section("SKN").vertex(*first), text, help);
            push(findings, finding, self.run.target, Effect::None);
        }
    }

    /// A matrix that no frame can use. A rule that says why it is none says it better.
    fn report_matrix(&self, bad: &BadMatrix, findings: &mut Vec<Finding>) {
        let text = format!("the matrix of bone {} holds a cell that is no finite number", bad.bone);
        let help = "check the bone's control and its animation keys";
        let place = Place::section("ACT").entry(format!("bone {}", bad.bone));
        let (severity, effect) = match bad.slots {
            0 => (Severity::Warning, Effect::None),
            count => (Severity::Error, Effect::WrongOutput(format!("{} that the bone moves", slots(count)))),
        };
        let known = |other: &&mut Finding| {
            *other.code == codes::NAN_MATRIX
                && (&other.place.section, &other.place.entry) == (&place.section, &place.entry)
        };
        if let Some(other) = findings.iter_mut().find(known) {
            other.severity = severity;
            *slot(other, self.run.target) = Some(effect);
        } else {
            let finding = Finding::new(&codes::NAN_MATRIX, place, text, help).with_severity(severity);
            push(findings, finding, self.run.target, effect);
        }
    }
}

/// Adds a finding of one target, or gives the same finding of the other target its second effect.
fn push(findings: &mut Vec<Finding>, mut finding: Finding, target: Target, effect: Effect) {
    let same = |other: &&mut Finding| {
        other.code == finding.code && other.place == finding.place && other.text == finding.text
    };
    if let Some(other) = findings.iter_mut().find(same) {
        *slot(other, target) = Some(effect);
    } else {
        *slot(&mut finding, target) = Some(effect);
        findings.push(finding);
    }
}
