//! What one dry run says about one finding's evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Cache;
use super::reached::unshown;
use super::selection::{select, slots, within, wrong_words};
use crate::c3::format::gpl::ReadWhen;
use crate::c3::format::skn::EntryId;
use crate::c3::rules::effects::{DryRun, Overwritten, Target, WrongSlot};
use crate::c3::rules::found::{Evidence, Found, Reach};
use crate::c3::rules::mechanism::explains;
use crate::finding::Effect;

/// What the processor does not notice of a structure that a transfer wrote over.
const HIDDEN: &str = " (in memory: the data cache holds the old bytes as long as it keeps the line)";

/// What one target showed.
pub(super) struct Run<'r> {
    /// The run.
    pub(super) run: &'r DryRun,
    /// Slots for which the data cache is to blame.
    pub(super) cache: Cache,
}

impl Run<'_> {
    /// Slots that are wrong and that no finding covers go to those findings of the entry that stored them by whose
    /// mechanism a kernel may have worked on anything.
    pub(super) fn share_out(&self, found: &mut [Found]) {
        let takes = |evidence: &Evidence| {
            (evidence.decisive || evidence.always.is_some())
                && (evidence.spoils_input() || evidence.displaces_output())
        };
        let takers: BTreeSet<EntryId> = found
            .iter()
            .filter(|one| takes(&one.evidence))
            .flat_map(|one| one.evidence.entries.iter().copied())
            .collect();
        let mut by_entry: BTreeMap<EntryId, Vec<Range<u32>>> = BTreeMap::new();
        for wrong in self.open(found) {
            if let Some(by) = wrong.by.into_iter().find(|by| takers.contains(by)) {
                by_entry.entry(by).or_default().push(wrong.slot..wrong.slot + 1);
            }
        }
        for Found { evidence, .. } in found.iter_mut() {
            if takes(evidence) {
                let theirs = evidence.entries.iter().filter_map(|entry| by_entry.get(entry)).flatten();
                evidence.slots.extend(theirs.cloned());
            }
        }
        self.share_out_read(found);
    }

    /// Reading a structure that was written over brings its lines into the data cache, vertices beside it and all: those
    /// are not what a transfer brings in the next frame.
    fn share_out_read(&self, found: &mut [Found]) {
        if self.run.target == Target::Dolphin {
            return;
        }
        let open = self.open(found);
        let open: Vec<u32> =
            open.iter().map(|wrong| wrong.slot).chain(self.run.stale.iter().copied()).collect();
        for Found { evidence, .. } in found.iter_mut().filter(|one| !one.evidence.writers.is_empty()) {
            let overwritten = self.spoiled(evidence).map(|over| over.slots.clone()).collect::<Vec<_>>();
            let beside = |slot: &u32| overwritten.iter().any(|slots| slots.contains(slot));
            evidence.slots.extend(open.iter().filter(|slot| beside(slot)).map(|&slot| slot..slot + 1));
        }
    }

    /// The wrong slots that no finding covers.
    pub(super) fn open(&self, found: &[Found]) -> Vec<WrongSlot> {
        let mut open = vec![true; self.run.wrong.len()];
        for one in found {
            for range in self.covered(&one.evidence) {
                open[range].fill(false);
            }
        }
        self.run.wrong.iter().zip(open).filter(|(_, open)| *open).map(|(wrong, _)| wrong.clone()).collect()
    }

    /// The wrong slots that a finding answers for, as ranges of the list of wrong slots.
    fn covered(&self, evidence: &Evidence) -> Vec<Range<usize>> {
        let wrong = &self.run.wrong;
        match evidence.reach {
            Reach::Everything => std::iter::once(0..wrong.len()).collect(),
            Reach::Conflicts => Vec::new(),
            Reach::DataCache | Reach::Named => self.blamed_wrong(evidence),
        }
    }

    fn blamed_wrong(&self, evidence: &Evidence) -> Vec<Range<usize>> {
        let wrong = &self.run.wrong;
        let kept = |at: &usize| evidence.answers_for(&wrong[*at]);
        let blamed = blamed(evidence, wrong, |wrong| wrong.slot, &self.cache.wrong);
        if !evidence.stored_alone {
            return blamed;
        }
        blamed.into_iter().flatten().filter(kept).map(|at| at..at + 1).collect()
    }

    /// The stale slots that a finding answers for, as ranges of the list of them.
    pub(super) fn blamed_stale(&self, evidence: &Evidence) -> Vec<Range<usize>> {
        blamed(evidence, &self.run.stale, |slot| *slot, &self.cache.stale)
    }

    /// Structures that are read in every frame, that were overwritten, and that a finding answers for.
    fn spoiled<'s>(&'s self, evidence: &'s Evidence) -> impl Iterator<Item = &'s Overwritten> {
        self.run
            .overwritten
            .iter()
            .filter(|over| over.read_when == ReadWhen::EveryFrame)
            .filter(|over| evidence.structures.contains(&over.structure))
            .filter(|over| evidence.is_about(over.by))
    }

    /// What the run says about a finding. One that ended early, or does not do what the finding is about,
    /// proves nothing harmless.
    pub(super) fn verdict(&self, evidence: &Evidence) -> Effect {
        if evidence.reach == Reach::DataCache
            && self.run.target == Target::Dolphin
            && evidence.parts.is_empty()
        {
            return Effect::None; // There is no data cache.
        }
        match self.effect(evidence) {
            Effect::None => {
                let always = evidence.always_on(self.run.target).filter(|_| !self.stores_nothing(evidence));
                always.or_else(|| unshown(self.run, evidence)).unwrap_or(Effect::None)
            }
            effect => effect,
        }
    }

    /// Whether a finding is about what entries store that fault before they do.
    fn stores_nothing(&self, evidence: &Evidence) -> bool {
        let faults = |entry: &EntryId| self.run.mended.iter().any(|mended| mended.entry == *entry);
        matches!(evidence.always, Some((Effect::Overwrites(_), _)))
            && !evidence.entries.is_empty()
            && evidence.entries.iter().all(faults)
    }

    fn effect(&self, evidence: &Evidence) -> Effect {
        if let Some(fault) = self.run.faults.iter().find(|fault| explains(evidence, fault)) {
            return Effect::Faults(fault.message.clone());
        }
        let overwritten: BTreeMap<&str, bool> =
            self.spoiled(evidence).map(|over| (over.structure.as_str(), over.hidden)).collect();
        if !overwritten.is_empty() {
            let met = self.run.damage.iter().find(|damage| {
                overwritten.contains_key(damage.structure.as_str())
                    && damage.by.is_none_or(|by| evidence.is_about(by))
            });
            let name = |(name, hidden): (&str, bool)| format!("{name}{}", if hidden { HIDDEN } else { "" });
            let names = overwritten.into_iter().map(name).collect::<Vec<_>>().join(", ");
            return Effect::Overwrites(
                met.map_or(names.clone(), |damage| format!("{names}: {}", damage.text)),
            );
        }
        if evidence.reach == Reach::Conflicts {
            return self.conflict(evidence);
        }
        let wrong = wrong_words(&select(&self.run.wrong, self.covered(evidence)));
        let stale = select(&self.run.stale, self.blamed_stale(evidence));
        let late = stale.first().map(|first| format!("{}, the first {first}", slots(stale.len())));
        match (wrong, late) {
            // What the cache kept of the last frame is added to instead of what a transfer brought.
            (Some(wrong), late) if evidence.reach == Reach::DataCache => {
                let late =
                    late.map_or_else(String::new, |late| format!("; not written back in time: {late}"));
                Effect::Stale(format!("{wrong}{late}"))
            }
            (Some(wrong), _) => Effect::WrongOutput(wrong),
            (None, Some(late)) => Effect::Stale(late),
            (None, None) => Effect::None,
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
}

/// Items of an ascending list by slot that a finding covers: the ones that the data cache is to blame for
/// go to findings about it alone.
fn blamed<T>(
    evidence: &Evidence,
    list: &[T],
    slot: impl Fn(&T) -> u32,
    cached: &BTreeSet<u32>,
) -> Vec<Range<usize>> {
    let cache = evidence.reach == Reach::DataCache;
    let ranges = within(list, &slot, &evidence.slots);
    if cached.is_empty() {
        return if cache { Vec::new() } else { ranges };
    }
    let items = ranges.into_iter().flatten();
    items.filter(|&at| cached.contains(&slot(&list[at])) == cache).map(|at| at..at + 1).collect()
}
