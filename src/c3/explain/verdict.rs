//! What a model says to a message.

use super::Explanation;
use super::access::Access;
use super::candidates::{Candidate, Fit, candidates};
use super::cause::causes;
use super::hit::{Agreement, Hit, Policy, moved_to, same_kind};
use super::structures::null_in_the_file;
use super::suspect::Shown;
use crate::c3::rules::effects::{FaultSeen, Part};
use crate::finding::Finding;

/// What a model says to a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Entries that come into question, the one that did it first.
    pub candidates: Vec<Candidate>,
    /// Entries that are not among them: there were too many.
    pub left_out: usize,
    /// What is wrong with the model and does this.
    pub causes: Vec<Finding>,
    /// Whether the causes are sure to do it: the run, or what is known of the fault, says so.
    pub certain: bool,
    /// What running the model gave, a sentence each.
    pub run: Vec<String>,
}

/// Entries that are listed.
const LISTED: usize = 32;

impl Verdict {
    pub(super) fn new(shown: &Shown, explanation: &Explanation) -> Self {
        let mut candidates = candidates(&shown.subject, explanation, shown.run.as_ref());
        let hit = hit(shown, explanation, &candidates);
        if let Some(hit) = &hit {
            mark(&mut candidates, shown, hit, explanation);
        }
        candidates.sort_by_key(|candidate| (candidate.fit, candidate.entry));
        let left_out = candidates.len().saturating_sub(LISTED);
        candidates.truncate(LISTED);
        let run = run_words(shown, hit.as_ref(), explanation);
        let (causes, certain) = causes(shown, hit.as_ref(), explanation);
        Self { candidates, left_out, causes, certain, run }
    }
}

/// The fault that a message tells, of frames that end at faults or of frames that go on.
fn hit<'s>(shown: &'s Shown, explanation: &Explanation, candidates: &[Candidate]) -> Option<Hit<'s>> {
    let order: [(Policy, &[Agreement]); 6] = [
        (Policy::Mend, &[Agreement::Whole]),
        (Policy::GoOn, &[Agreement::Whole]),
        (Policy::Mend, &[Agreement::Address, Agreement::Pointer, Agreement::Loop]),
        // Every loop that runs off is cut off here: arithmetic tells what it comes to.
        (Policy::GoOn, &[Agreement::Address, Agreement::Pointer]),
        (Policy::Mend, &[Agreement::Moved]),
        (Policy::GoOn, &[Agreement::Moved]),
    ];
    order.into_iter().find_map(|(policy, wanted)| Hit::find(shown, policy, wanted, explanation, candidates))
}

/// Marks the entry whose fault comes first among those that agree, adding entries where arithmetic had none.
fn mark(candidates: &mut Vec<Candidate>, shown: &Shown, hit: &Hit, explanation: &Explanation) {
    for (index, fault, entry) in hit.agreeing(shown, explanation, candidates) {
        let is_first = index == hit.index && hit.agreement == Agreement::Whole;
        let fit = if is_first { Fit::ThisOne } else { Fit::Fits };
        if let Some(candidate) = candidates.iter_mut().find(|candidate| candidate.entry == entry) {
            candidate.fit = candidate.fit.min(fit);
        } else {
            candidates.push(Candidate { entry, fit, reason: reason(shown, fault) });
        }
    }
}

fn reason(shown: &Shown, fault: &FaultSeen) -> String {
    match fault.part {
        Part::Draw => "it wrote the pointer that the display code follows".to_owned(),
        _ => format!("the run faults there: {}", shown.words(fault)),
    }
}

fn run_words(shown: &Shown, hit: Option<&Hit>, explanation: &Explanation) -> Vec<String> {
    let Some(run) = &shown.run else {
        return vec!["The model cannot be run: it has nothing to skin.".to_owned()];
    };
    let mut words = vec![match (hit, run.faults.first()) {
        (None, None) => "Running the model gives no fault.".to_owned(),
        (None, Some(other)) => format!("Running the model gives another fault: {}", at(shown, other)),
        (Some(hit), first) => {
            let (same, told) = (same_words(shown, hit, explanation), shown.words(hit.fault()));
            match (hit.policy, first) {
                (Policy::Mend, Some(first)) if hit.index > 0 => format!(
                    "Running the model gives another fault first: {}. Once that is mended it gives {same}: {told}",
                    at(shown, first)
                ),
                (Policy::GoOn, Some(first)) => format!(
                    "Running the model gives another fault first: {}. Going on after it, as Dolphin does where its \
                     message is ignored, gives {same}: {told}",
                    at(shown, first)
                ),
                _ => format!("Running the model gives {same}: {told}"),
            }
        }
    }];
    let written = hit.is_some_and(|hit| hit.fault().entry.is_some());
    if explanation.access == Some(Access::StateList) && explanation.message.address == 0 && !written {
        words.extend(shown.subject.gpl().and_then(null_in_the_file));
    }
    words
}

fn same_words(shown: &Shown, hit: &Hit, explanation: &Explanation) -> String {
    let (fault, message) = (hit.fault(), &explanation.message);
    let is_same = fault.address == message.address && same_kind(fault.kind, message.kind);
    let words = match hit.agreement {
        Agreement::Moved => {
            let place = moved_to(shown, fault, message).unwrap_or_default();
            return format!(
                "the same access elsewhere, which with the model at {place:#010x} (--address) is the message's address"
            );
        }
        Agreement::Pointer => {
            "the same read of another address (what was written over the pointer are vertices, which the pose decides)"
        }
        Agreement::Loop => "a loop that does not end and can come to this address",
        Agreement::Whole if !is_same => "the loop's first fault",
        Agreement::Whole => "the same fault",
        Agreement::Address => "a fault at this address, by an instruction that is not known to be this one",
    };
    words.to_owned()
}

/// A fault with its entry.
fn at(shown: &Shown, fault: &FaultSeen) -> String {
    match fault.entry {
        Some(entry) => format!("{} at {entry}", shown.words(fault)),
        None => shown.words(fault),
    }
}
