//! Joining what the rules found with what the frames did.
//!
//! Two passes: first every finding takes what its own evidence names (entries, slots, structures, parts of
//! the frame); then slots that are wrong and that nobody took go to the findings of the entry that stored
//! them. What is left becomes a finding of its own, so that nothing a frame did is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::codes;
use super::effects::{DryRun, FaultSeen, Part, Target, WrongSlot};
use super::found::{Evidence, Found, Reach};
use crate::c3::format::gpl::ReadWhen;
use crate::c3::format::skn::EntryId;
use crate::finding::{Effect, Finding, Place, Severity};

/// Sets effects and final severities: a finding whose frames fault or spoil output is an error, and one
/// that the frames show to be harmless is none. What no finding answers for becomes a finding of its own.
///
/// `runs` may hold a run of Dolphin that `targets` does not name: it tells what the console's data cache is to
/// blame for.
pub fn join(mut found: Vec<Found>, runs: &[DryRun], targets: &[Target]) -> Vec<Finding> {
    let asked = runs.iter().filter(|run| targets.contains(&run.target));
    let runs: Vec<Run> = asked.map(|run| Run { run, cache: cache_slots(&found, run, runs) }).collect();
    for run in &runs {
        run.share_out(&mut found);
    }
    let mut findings: Vec<Finding> = found.iter().map(|one| joined(one, &runs, targets)).collect();
    for run in &runs {
        run.report_rest(&found, &mut findings);
    }
    findings
}

/// Slots that are stale or wrong on a console alone, and that a finding about the data cache covers: no
/// other finding answers for them.
fn cache_slots(found: &[Found], run: &DryRun, runs: &[DryRun]) -> BTreeSet<u32> {
    if run.target == Target::Dolphin {
        return BTreeSet::new();
    }
    let dolphin = runs.iter().filter(|run| run.target == Target::Dolphin);
    let spoiled: BTreeSet<u32> = dolphin.flat_map(|run| run.wrong.iter().map(|wrong| wrong.slot)).collect();
    let wrong = run.wrong.iter().map(|wrong| wrong.slot).filter(|slot| !spoiled.contains(slot));
    let slots: BTreeSet<u32> = wrong.chain(run.stale.iter().copied()).collect();
    let cache = found.iter().filter(|one| one.evidence.reach == Reach::DataCache);
    let ranges = cache.flat_map(|one| &one.evidence.slots).filter(|range| range.start < range.end);
    ranges.flat_map(|range| slots.range(range.clone()).copied()).collect()
}

fn joined(found: &Found, runs: &[Run], targets: &[Target]) -> Finding {
    let Found { finding, evidence } = found;
    let mut finding = finding.clone();
    let effects: Vec<Option<Effect>> = runs.iter().map(|run| run.known_effect(evidence)).collect();
    for (run, effect) in runs.iter().zip(&effects) {
        slot(&mut finding, run.run.target).clone_from(effect);
    }
    // A model that cannot be run still does what the bytes alone say.
    for &target in targets.iter().filter(|target| runs.iter().all(|run| run.run.target != **target)) {
        *slot(&mut finding, target) = evidence.always_on(target);
    }
    finding.severity = severity(&finding, evidence, &effects);
    finding
}

fn slot(finding: &mut Finding, target: Target) -> &mut Option<Effect> {
    match target {
        Target::Dolphin => &mut finding.dolphin,
        Target::Console => &mut finding.console,
    }
}

/// Harmful effects make an error. That a finding is harmless must be shown by every run there was.
fn severity(finding: &Finding, evidence: &Evidence, effects: &[Option<Effect>]) -> Severity {
    let harmful = [&finding.dolphin, &finding.console].into_iter().flatten().any(|effect| !effect.is_none());
    let harmless = !effects.is_empty() && effects.iter().all(|effect| *effect == Some(Effect::None));
    match harmful {
        true if evidence.open => finding.severity,
        true => Severity::Error,
        false if harmless && evidence.decisive => finding.severity.min(Severity::Warning),
        false => finding.severity,
    }
}

/// What one target showed.
struct Run<'r> {
    run: &'r DryRun,
    /// Slots for which the data cache is to blame.
    cache: BTreeSet<u32>,
}

impl Run<'_> {
    /// Slots that are wrong and that no finding covers go to the findings of the entry that stored them.
    fn share_out(&self, found: &mut [Found]) {
        let takes = |evidence: &Evidence| evidence.decisive || evidence.always.is_some();
        let takers: BTreeSet<EntryId> = found
            .iter()
            .filter(|one| takes(&one.evidence))
            .flat_map(|one| one.evidence.entries.iter().copied())
            .collect();
        let mut by_entry: BTreeMap<EntryId, Vec<Range<u32>>> = BTreeMap::new();
        for wrong in self.open(found) {
            if let Some(by) = wrong.by.into_iter().flatten().find(|by| takers.contains(by)) {
                by_entry.entry(by).or_default().push(wrong.slot..wrong.slot + 1);
            }
        }
        for Found { evidence, .. } in found.iter_mut() {
            if takes(evidence) {
                let theirs = evidence.entries.iter().filter_map(|entry| by_entry.get(entry)).flatten();
                evidence.slots.extend(theirs.cloned());
            }
        }
    }

    /// The wrong slots that no finding covers.
    fn open(&self, found: &[Found]) -> Vec<WrongSlot> {
        let mut open = vec![true; self.run.wrong.len()];
        for one in found {
            for range in self.covered(&one.evidence) {
                open[range].fill(false);
            }
        }
        self.run.wrong.iter().zip(open).filter(|(_, open)| *open).map(|(wrong, _)| *wrong).collect()
    }

    /// The wrong slots that a finding answers for, as ranges of the list of wrong slots.
    fn covered(&self, evidence: &Evidence) -> Vec<Range<usize>> {
        let wrong = &self.run.wrong;
        match evidence.reach {
            Reach::Everything => std::iter::once(0..wrong.len()).collect(),
            Reach::Conflicts => Vec::new(),
            Reach::DataCache | Reach::Named | Reach::Loops => {
                self.blamed(evidence, wrong, |wrong| wrong.slot)
            }
        }
    }

    /// Items of an ascending list by slot that a finding covers: the ones that the data cache is to blame for
    /// go to findings about it alone.
    fn blamed<T>(&self, evidence: &Evidence, list: &[T], slot: impl Fn(&T) -> u32) -> Vec<Range<usize>> {
        let cache = evidence.reach == Reach::DataCache;
        let ranges = within(list, &slot, &evidence.slots);
        if self.cache.is_empty() {
            return if cache { Vec::new() } else { ranges };
        }
        let items = ranges.into_iter().flatten();
        items.filter(|&at| self.cache.contains(&slot(&list[at])) == cache).map(|at| at..at + 1).collect()
    }

    fn explains(&self, evidence: &Evidence, fault: &FaultSeen) -> bool {
        if evidence.reach == Reach::Everything || evidence.parts.contains(&fault.part) {
            return true;
        }
        let by_entry = fault.entry.is_some_and(|entry| evidence.entries.contains(&entry));
        match fault.part {
            // Who wrote a structure is not always known.
            Part::Draw => self.spoiled(evidence).next().is_some() && (by_entry || fault.entry.is_none()),
            // A wrapped counter is the count's doing, whatever else is wrong with the entry.
            _ => by_entry && (!fault.wrapped || evidence.reach == Reach::Loops),
        }
    }

    /// Structures that are read in every frame, that were overwritten, and that a finding answers for.
    fn spoiled<'s>(&'s self, evidence: &'s Evidence) -> impl Iterator<Item = &'s str> {
        self.run
            .overwritten
            .iter()
            .filter(|over| over.read_when == ReadWhen::EveryFrame)
            .filter(|over| evidence.structures.contains(&over.structure))
            .filter(|over| {
                over.by.is_none_or(|by| evidence.entries.is_empty() || evidence.entries.contains(&by))
            })
            .map(|over| over.structure.as_str())
    }

    /// A run that ended early, or does not do what the finding is about, proves nothing harmless.
    fn known_effect(&self, evidence: &Evidence) -> Option<Effect> {
        match self.effect(evidence) {
            Effect::None if evidence.always.is_some() => evidence.always_on(self.run.target),
            Effect::None if self.run.ended || evidence.unseen => None,
            effect => Some(effect),
        }
    }

    fn effect(&self, evidence: &Evidence) -> Effect {
        if let Some(fault) = self.run.faults.iter().find(|fault| self.explains(evidence, fault)) {
            return Effect::Faults(fault.message.clone());
        }
        let overwritten: BTreeSet<&str> = self.spoiled(evidence).collect();
        if !overwritten.is_empty() {
            let met = self.run.damage.iter().find(|damage| {
                overwritten.contains(damage.structure.as_str())
                    && damage.by.is_none_or(|by| evidence.entries.contains(&by))
            });
            let names = overwritten.into_iter().collect::<Vec<_>>().join(", ");
            return Effect::Overwrites(
                met.map_or(names.clone(), |damage| format!("{names}: {}", damage.text)),
            );
        }
        if evidence.reach == Reach::Conflicts {
            return self.conflict(evidence);
        }
        if let Some(text) = wrong_words(&select(&self.run.wrong, self.covered(evidence))) {
            return Effect::WrongOutput(text);
        }
        let stale = select(&self.run.stale, self.blamed(evidence, &self.run.stale, |slot| *slot));
        match stale.first() {
            Some(first) => Effect::Stale(format!("{}, the first {first}", slots(stale.len()))),
            None => Effect::None,
        }
    }

    /// Slots whose first vertex is lost to another.
    fn conflict(&self, evidence: &Evidence) -> Effect {
        let conflicts = &self.run.conflicts;
        let lost = select(conflicts, within(conflicts, |wrong| wrong.slot, &evidence.slots));
        match wrong_words(&lost) {
            Some(words) => Effect::WrongOutput(format!("the earlier entry's vertices are lost: {words}")),
            None => Effect::None,
        }
    }

    /// What no finding answers for, and what a run shows by itself.
    fn report_rest(&self, found: &[Found], findings: &mut Vec<Finding>) {
        let target = self.run.target;
        let open = |fault: &&FaultSeen| !found.iter().any(|one| self.explains(&one.evidence, fault));
        if let Some(fault) = self.run.faults.iter().find(open) {
            let mut place = Place::section("SKN");
            place.entry = fault.entry.map(|entry| entry.to_string());
            let text = "the frame faults, and no rule says why";
            let help = "look at what the entry reads and writes: `skinsim trace`";
            let finding = Finding::new(&codes::FRAME_FAULT, place, text, help);
            push(findings, finding, target, Effect::Faults(fault.message.clone()));
        }
        // What did not run, or ran with a count that was mended, is the fault's doing.
        let complete = self.run.faults.iter().all(|fault| fault.part == Part::Draw);
        if let Some(words) = wrong_words(&self.open(found).iter().collect::<Vec<_>>()).filter(|_| complete) {
            let text = "the output differs from ideal skinning, and no rule says why";
            let help = "`skinsim trace` shows who wrote the slot";
            let finding = Finding::new(&codes::OUTPUT_DIFFERS, Place::section("SKN"), text, help);
            push(findings, finding, target, Effect::WrongOutput(words));
        }
        let stale: BTreeSet<usize> = found
            .iter()
            .flat_map(|one| self.blamed(&one.evidence, &self.run.stale, |slot| *slot))
            .flatten()
            .collect();
        if let Some(first) = (0..self.run.stale.len()).find(|at| !stale.contains(at)) {
            let text = "memory holds other vertices than the data cache, and no rule says why";
            let help = "`skinsim trace` shows who wrote the slot";
            let finding = Finding::new(&codes::OUTPUT_DIFFERS, Place::section("SKN"), text, help);
            let words =
                format!("{}, the first {}", slots(self.run.stale.len() - stale.len()), self.run.stale[first]);
            push(findings, finding, target, Effect::Stale(words));
        }
        self.report_values(findings);
    }

    /// Values that no frame can carry.
    fn report_values(&self, findings: &mut Vec<Finding>) {
        let target = self.run.target;
        let seen = [(&self.run.saturated, ""), (&self.run.saturated_moved, " when the bones move a little")];
        for (saturated, when) in seen {
            let Some(first) = saturated.first() else { continue };
            let reach = if saturated.len() == 1 { "reaches" } else { "reach" };
            let count = slots(saturated.len());
            let text = format!("{count} {reach} the end of the s16 range{when}, the first {first}");
            let help = "lower the shift, or keep the vertices closer to the origin";
            let place = Place::section("SKN").vertex(*first);
            push(findings, Finding::new(&codes::SATURATED, place, text, help), target, Effect::None);
        }
        for bad in &self.run.bad_matrices {
            let text = format!("the matrix of bone {} holds a cell that is no finite number", bad.bone);
            let help = "check the bone's control and its animation keys";
            let place = Place::section("ACT").entry(format!("bone {}", bad.bone));
            let (severity, effect) = match bad.slots {
                0 => (Severity::Warning, Effect::None),
                count => {
                    (Severity::Error, Effect::WrongOutput(format!("{} that the bone moves", slots(count))))
                }
            };
            // A rule that says why the matrix is none says it better.
            let known = |other: &&mut Finding| {
                *other.code == codes::NAN_MATRIX
                    && (&other.place.section, &other.place.entry) == (&place.section, &place.entry)
            };
            if let Some(other) = findings.iter_mut().find(known) {
                other.severity = severity;
                *slot(other, target) = Some(effect);
            } else {
                let finding = Finding::new(&codes::NAN_MATRIX, place, text, help).with_severity(severity);
                push(findings, finding, target, effect);
            }
        }
    }
}

/// The items of an ascending list that lie in any of these ranges of slots, as ranges of the list.
fn within<T>(list: &[T], slot: impl Fn(&T) -> u32, ranges: &[Range<u32>]) -> Vec<Range<usize>> {
    let first = |from: u32| list.partition_point(|item| slot(item) < from);
    let found = ranges.iter().map(|range| first(range.start)..first(range.end));
    found.filter(|range| range.start < range.end).collect()
}

/// The items of a list in these ranges of it, each once.
fn select<T>(list: &[T], mut ranges: Vec<Range<usize>>) -> Vec<&T> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut next = 0;
    let mut items = Vec::new();
    for range in ranges {
        let start = range.start.max(next);
        items.extend(list.get(start..range.end.max(start)).into_iter().flatten());
        next = next.max(range.end);
    }
    items
}

fn slots(count: usize) -> String {
    format!("{count} slot{}", if count == 1 { "" } else { "s" })
}

/// `12 slots, the worst is 34 by 512 units`; nothing when none is wrong.
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
