//! What remedies look at: a model's findings, and who draws and writes which slot.

use super::plan::{MOST_SLOTS, Plan, PlannedDirect, Reason, records};
use crate::c3::build::skn::Record;
use crate::c3::coverage::Coverage;
use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::c3::model::Model;
use crate::c3::rules::found::Found;
use crate::finding::{Code, Finding, Place, Severity};

/// One thing that was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// The code whose remedy it is.
    pub code: &'static Code,
    /// Where.
    pub place: Place,
    /// What was changed, with the figures.
    pub text: String,
}

/// Something that was not changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The code.
    pub code: &'static Code,
    /// Where.
    pub place: Place,
    /// How bad what stays is, as `check` finds it.
    pub severity: Severity,
    /// Why not.
    pub reason: Reason,
}

/// A model with its findings.
pub struct Case<'c, 'a> {
    /// The model.
    pub model: &'c Model<'a>,
    /// Its findings.
    pub found: &'c [Found],
    /// Who draws and adds to which slot.
    pub coverage: Coverage,
    /// Whether primitives draw anything.
    pub draws: bool,
}

impl<'c, 'a> Case<'c, 'a> {
    /// A model with its findings.
    pub fn new(model: &'c Model<'a>, found: &'c [Found]) -> Self {
        let coverage = Coverage::of(model);
        let draws = coverage.used.any();
        Self { model, found, coverage, draws }
    }

    /// The findings of some codes.
    pub fn of<'s>(&'s self, codes: &'s [&'static Code]) -> impl Iterator<Item = &'c Finding> + 's {
        self.found.iter().map(|found| &found.finding).filter(move |finding| codes.contains(&finding.code))
    }

    /// The first finding of some codes about an entry.
    pub fn about(&self, codes: &[&'static Code], id: EntryId) -> Option<&'c Finding> {
        self.of(codes).find(|finding| entry_of(finding) == Some(id))
    }

    /// Whether primitives draw a slot.
    pub fn drawn(&self, slot: u64) -> bool {
        self.coverage.used.get(slot as usize).is_some_and(|bit| *bit)
    }

    /// Whether an `SKAcc` entry adds to a slot.
    pub fn added(&self, slot: u64) -> bool {
        self.coverage.skacc.get(slot as usize).is_some_and(|bit| *bit)
    }

    /// What the mirror holds for some slots.
    pub fn mirrored(&self, first: u64, count: u64) -> Option<Vec<Record>> {
        let skn = self.model.skn.as_ref()?;
        let bytes = skn.view().take(skn.mirror_start() + first * STRIDE, count * STRIDE, "mirror").ok()?;
        Some(records(bytes))
    }

    /// Whether the mirror holds for some slots what the position array stores, and that is something.
    pub fn mirror_is_copy(&self, plan: &Plan, first: u64, count: u64) -> Option<Vec<Record>> {
        let stored = plan.positions.get(first as usize..(first + count) as usize)?;
        self.mirrored(first, count)
            .filter(|mirrored| mirrored == stored && mirrored.iter().any(|r| *r != [0; 6]))
    }
}

/// The entry that a finding names.
pub fn entry_of(finding: &Finding) -> Option<EntryId> {
    let (list, rest) = finding.place.entry.as_deref()?.split_once('[')?;
    let index = rest.strip_suffix(']')?.parse().ok()?;
    let list = [List::Sk1, List::Sk2, List::SkAcc].into_iter().find(|known| known.name() == list)?;
    Some(EntryId { list, index })
}

/// Which direct entries write each slot that can be numbered.
pub struct Writers {
    counts: Vec<u32>,
    last: Vec<Option<EntryId>>,
}

impl Writers {
    /// Counts them.
    pub fn of(plan: &Plan) -> Self {
        let slots = MOST_SLOTS as usize + 1;
        let mut writers = Self { counts: vec![0; slots], last: vec![None; slots] };
        for planned in &plan.direct {
            for slot in planned.slots().take_while(|slot| *slot <= MOST_SLOTS) {
                writers.counts[slot as usize] += 1;
                let last = &mut writers.last[slot as usize];
                *last = (*last).max(Some(planned.id));
            }
        }
        writers
    }

    /// Whether any entry other than this one writes a slot.
    pub fn other(&self, planned: &PlannedDirect, slot: u64) -> bool {
        let own = u32::from(planned.slots().contains(&slot));
        self.counts.get(slot as usize).is_some_and(|&count| count > own)
    }

    /// Whether any entry writes a slot.
    pub fn any(&self, slot: u64) -> bool {
        self.counts.get(slot as usize).is_some_and(|&count| count > 0)
    }

    /// Whether an entry that runs later writes a slot again.
    pub fn again(&self, id: EntryId, slot: u64) -> bool {
        self.last.get(slot as usize).is_some_and(|last| *last > Some(id))
    }
}

/// Refusals by code and entry, told once.
#[derive(Debug, Default)]
pub struct Refusals(Vec<Refusal>);

impl Refusals {
    /// Says why a finding stays.
    pub fn add(&mut self, finding: &Finding, reason: impl Into<Reason>) {
        let refusal = Refusal {
            code: finding.code,
            place: finding.place.clone(),
            severity: finding.severity,
            reason: reason.into(),
        };
        self.0.retain(|known| (known.code, &known.place) != (refusal.code, &refusal.place));
        self.0.push(refusal);
    }

    /// Why a finding was refused, if that was said.
    pub fn reason(&self, finding: &Finding) -> Option<&str> {
        // Where a model lies in memory, a remedy does not know.
        let nowhere = |place: &Place| Place { address: None, ..place.clone() };
        let place = nowhere(&finding.place);
        let same = |known: &&Refusal| known.code == finding.code && nowhere(&known.place) == place;
        self.0.iter().find(same).map(|known| known.reason.as_str())
    }
}

/// A fix for a finding.
pub fn fix(finding: &Finding, text: impl Into<String>) -> Fix {
    Fix { code: finding.code, place: finding.place.clone(), text: text.into() }
}
