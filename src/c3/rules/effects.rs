//! What the frame did, and joining it with what the rules found.

use std::collections::BTreeSet;

use super::codes;
use super::found::{Evidence, Found};
use crate::c3::format::gpl::ReadWhen;
use crate::c3::format::skn::EntryId;
use crate::finding::{Effect, Finding, Place, Severity};

/// A machine that frames were run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// The emulator: 256 KB of locked cache, no data cache, transfers at once.
    Dolphin,
    /// The console: 16 KB of locked cache, a data cache, a transfer queue.
    Console,
}

/// What the frames of a dry run did on one target. Filled by the runtime.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRun {
    /// The machine.
    pub target: Target,
    /// Faults in order; the frame goes on after each as far as the machine does.
    pub faults: Vec<FaultSeen>,
    /// Drawn slots whose output differs from ideal skinning of the same data. Where a model draws
    /// nothing, every slot that a list writes counts as drawn.
    pub wrong: Vec<WrongSlot>,
    /// Structures whose bytes changed.
    pub overwritten: Vec<Overwritten>,
    /// Drawn slots that the graphics processor reads otherwise than the processor wrote them.
    pub stale: Vec<u32>,
    /// Slots whose output reached the end of the s16 range.
    pub saturated: Vec<u32>,
    /// Bones whose matrix holds a cell that is no finite number.
    pub bad_matrices: Vec<u16>,
    /// What the graphics processor meets where structures were overwritten.
    pub damage: Vec<DamageSeen>,
    /// Whether a fault ended the last frame before its end: what did not run shows nothing.
    pub ended: bool,
    /// The entry at which it ended.
    pub ended_at: Option<EntryId>,
}

impl DryRun {
    /// A run that showed nothing.
    pub fn clean(target: Target) -> Self {
        Self {
            target,
            faults: Vec::new(),
            wrong: Vec::new(),
            overwritten: Vec::new(),
            stale: Vec::new(),
            saturated: Vec::new(),
            bad_matrices: Vec::new(),
            damage: Vec::new(),
            ended: false,
            ended_at: None,
        }
    }

    /// Structures that are read in every frame, that were overwritten, and that a finding answers for.
    fn spoiled<'r>(&'r self, evidence: &'r Evidence) -> impl Iterator<Item = &'r str> {
        self.overwritten
            .iter()
            .filter(|over| over.read_when == ReadWhen::EveryFrame)
            .filter(|over| evidence.structures.contains(&over.structure))
            .map(|over| over.structure.as_str())
    }
}

/// A fault of a dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultSeen {
    /// The entry that was being worked on.
    pub entry: Option<EntryId>,
    /// Whether it is the display code that met a damaged structure.
    pub damage: bool,
    /// The message, with the place in the code.
    pub message: String,
    /// The function that faulted, by the runtime's name.
    pub function: &'static str,
    /// Offset of the instruction in it.
    pub offset: u32,
    /// The address accessed.
    pub address: u32,
}

impl FaultSeen {
    /// Whether a finding with this evidence explains it.
    fn explained_by(&self, evidence: &Evidence, run: &DryRun) -> bool {
        let by_entry = self.entry.is_some_and(|entry| evidence.entries.contains(&entry));
        if self.damage {
            // Who wrote a structure is not always known.
            run.spoiled(evidence).next().is_some() && (by_entry || self.entry.is_none())
        } else {
            by_entry
        }
    }
}

/// Damage that the graphics processor meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamageSeen {
    /// Who wrote there.
    pub by: Option<EntryId>,
    /// What is wrong, and where.
    pub text: String,
}

/// A slot whose output is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongSlot {
    /// The slot.
    pub slot: u32,
    /// Largest difference of a component, in units of the s16.
    pub difference: u32,
}

/// A structure that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overwritten {
    /// Its name.
    pub structure: String,
    /// Who wrote it, where that is known.
    pub by: Option<EntryId>,
    /// When the game reads it.
    pub read_when: ReadWhen,
}

/// Sets effects and final severities: a finding whose frames fault or spoil output is an error, and one
/// that the frames show to be harmless is none. What no finding answers for becomes a finding of its own.
pub fn join(found: Vec<Found>, runs: &[DryRun]) -> Vec<Finding> {
    let mut rest = runs.iter().map(Rest::new).collect::<Vec<_>>();
    let mut findings: Vec<Finding> = Vec::new();
    for Found { mut finding, evidence } in found {
        let effects: Vec<Option<Effect>> =
            runs.iter().zip(&mut rest).map(|(run, rest)| known_effect(&evidence, run, rest)).collect();
        finding.severity = severity(&finding, &evidence, &effects);
        for (run, effect) in runs.iter().zip(effects) {
            *slot(&mut finding, run.target) = effect;
        }
        findings.push(finding);
    }
    for (run, rest) in runs.iter().zip(rest) {
        rest.report(run, &mut findings);
    }
    findings
}

fn slot(finding: &mut Finding, target: Target) -> &mut Option<Effect> {
    match target {
        Target::Dolphin => &mut finding.dolphin,
        Target::Console => &mut finding.console,
    }
}

/// Harmful effects make an error. That a finding is harmless must be shown by every run there was.
fn severity(finding: &Finding, evidence: &Evidence, effects: &[Option<Effect>]) -> Severity {
    let harmful = effects.iter().flatten().any(|effect| !effect.is_none());
    let harmless = !effects.is_empty() && effects.iter().all(|effect| *effect == Some(Effect::None));
    match harmful {
        true if evidence.open => finding.severity,
        true => Severity::Error,
        false if harmless && evidence.decisive => finding.severity.min(Severity::Warning),
        false => finding.severity,
    }
}

/// A run that ended early proves nothing harmless.
fn known_effect(evidence: &Evidence, run: &DryRun, rest: &mut Rest) -> Option<Effect> {
    match effect(evidence, run, rest) {
        Effect::None if evidence.always.is_some() => evidence.always.clone(),
        Effect::None if run.ended => None,
        effect => Some(effect),
    }
}

fn effect(evidence: &Evidence, run: &DryRun, rest: &mut Rest) -> Effect {
    rest.explain(evidence, run);
    if let Some(fault) = run.faults.iter().find(|fault| fault.explained_by(evidence, run)) {
        return Effect::Faults(fault.message.clone());
    }
    let overwritten: BTreeSet<&str> = run.spoiled(evidence).collect();
    if !overwritten.is_empty() {
        let names = overwritten.into_iter().collect::<Vec<_>>().join(", ");
        let met = run.damage.iter().find(|damage| damage.by.is_none_or(|by| evidence.entries.contains(&by)));
        return Effect::Overwrites(met.map_or(names.clone(), |damage| format!("{names}: {}", damage.text)));
    }
    let wrong: Vec<&WrongSlot> = run.wrong.iter().filter(|wrong| evidence.covers(wrong.slot)).collect();
    if let Some(text) = wrong_words(&wrong) {
        return Effect::WrongOutput(text);
    }
    let stale: Vec<u32> = run.stale.iter().copied().filter(|&slot| evidence.covers(slot)).collect();
    match stale.first() {
        Some(first) => Effect::Stale(format!("{}, the first {first}", slots(stale.len()))),
        None => Effect::None,
    }
}

fn slots(count: usize) -> String {
    format!("{count} slot{}", if count == 1 { "" } else { "s" })
}

/// `12 slots, worst slot 34 by 512 units`; nothing when none is drawn or none is wrong.
fn wrong_words(wrong: &[&WrongSlot]) -> Option<String> {
    let worst = wrong.iter().max_by_key(|wrong| (wrong.difference, std::cmp::Reverse(wrong.slot)))?;
    Some(format!(
        "{}, the worst is {} by {} unit{}",
        slots(wrong.len()),
        worst.slot,
        worst.difference,
        if worst.difference == 1 { "" } else { "s" }
    ))
}

/// What of a run no finding has answered for yet.
struct Rest {
    faults: Vec<bool>,
    wrong: Vec<bool>,
}

impl Rest {
    fn new(run: &DryRun) -> Self {
        Self { faults: vec![true; run.faults.len()], wrong: vec![true; run.wrong.len()] }
    }

    fn explain(&mut self, evidence: &Evidence, run: &DryRun) {
        for (open, fault) in self.faults.iter_mut().zip(&run.faults) {
            *open &= !fault.explained_by(evidence, run);
        }
        for (open, wrong) in self.wrong.iter_mut().zip(&run.wrong) {
            *open &= !evidence.covers(wrong.slot);
        }
    }

    fn report(self, run: &DryRun, findings: &mut Vec<Finding>) {
        let faults = run.faults.iter().zip(self.faults).filter(|(_, open)| *open).map(|(fault, _)| fault);
        if let Some(fault) = faults.clone().next() {
            let mut place = Place::section("SKN");
            place.entry = fault.entry.map(|entry| entry.to_string());
            let text = format!("the frame faults: {}", fault.message);
            let help = "look at what the entry reads and writes: `skinsim trace`";
            let finding = Finding::new(&codes::FRAME_FAULT, place, text, help);
            push(findings, finding, run.target, Effect::Faults(fault.message.clone()));
        }
        let wrong: Vec<_> =
            run.wrong.iter().zip(self.wrong).filter(|(_, open)| *open).map(|(wrong, _)| wrong).collect();
        if let Some(words) = wrong_words(&wrong) {
            let text = format!("the output differs from ideal skinning: {words}");
            let help = "`skinsim trace` shows who wrote the slot";
            let finding = Finding::new(&codes::OUTPUT_DIFFERS, Place::section("SKN"), text, help);
            push(findings, finding, run.target, Effect::WrongOutput(words));
        }
        if let Some(first) = run.saturated.first() {
            let text =
                format!("{} reach the end of the s16 range, the first {first}", slots(run.saturated.len()));
            let help = "lower the shift, or keep the vertices closer to the origin";
            let place = Place::section("SKN").vertex(*first);
            push(findings, Finding::new(&codes::SATURATED, place, text, help), run.target, Effect::None);
        }
        for bone in &run.bad_matrices {
            let text = format!("the matrix of bone {bone} holds a cell that is no finite number");
            let help = "check the bone's control and its animation keys";
            let place = Place::section("ACT").entry(format!("bone {bone}"));
            push(findings, Finding::new(&codes::NAN_MATRIX, place, text, help), run.target, Effect::None);
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
