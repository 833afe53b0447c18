//! A finding with the evidence that can decide what it does.

use std::ops::Range;

use super::arrays::VariableKind;
use super::effects::{Part, Target, WrongSlot};
use super::mechanism::{self, Cause};
use crate::c3::format::skn::EntryId;
use crate::c3::runtime::journal::Writer;
use crate::finding::{Code, Effect, Finding, Place, Severity};

/// How a finding comes to answer for what a frame did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// By the entries, slots and structures that it names.
    #[default]
    Named,
    /// By these, as far as only the data cache makes the difference.
    DataCache,
    /// By slots of which two entries disagree.
    Conflicts,
    /// By whatever happens: nothing lies where the frame expects it.
    Everything,
}

/// Which observations of a frame a finding answers for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Independent of each other.
pub struct Evidence {
    /// How.
    pub reach: Reach,
    /// Parts of the frame whose faults it explains.
    pub parts: Vec<Part>,
    /// Entries whose faults and overwritten structures it explains.
    pub entries: Vec<EntryId>,
    /// Whose writes it is about: it explains what becomes of what they write over.
    pub writers: Vec<Writer>,
    /// The array that it is about, where a fault at another one is not its doing.
    pub array: Option<VariableKind>,
    /// What faults of these entries it can be the cause of.
    pub causes: &'static [Cause],
    /// Slots whose wrong or stale output it explains.
    pub slots: Vec<Range<u32>>,
    /// Whether it explains them only where its own entries stored last.
    pub stored_alone: bool,
    /// Names of structures whose damage it explains.
    pub structures: Vec<String>,
    /// Whether a frame that shows nothing proves it harmless.
    pub decisive: bool,
    /// Whether it stays below an error whatever a frame shows: what the frame assumes is open.
    pub open: bool,
    /// Why no frame can show what it does, in a sentence: then a frame without an effect says nothing.
    pub unseen: Option<&'static str>,
    /// What it does whatever frame runs, where the bytes alone say so: on Dolphin and on a console.
    pub always: Option<(Effect, Effect)>,
}

impl Evidence {
    /// Whether a slot is among those answered for.
    pub fn covers(&self, slot: u32) -> bool {
        self.slots.iter().any(|range| range.contains(&slot))
    }

    /// Whether it is about what somebody writes; findings about nobody's writes are about everybody's.
    pub fn is_about(&self, writer: Writer) -> bool {
        self.writers.is_empty() || self.writers.contains(&writer)
    }

    /// Whether it answers for a wrong slot among its own.
    pub fn answers_for(&self, wrong: &WrongSlot) -> bool {
        !self.stored_alone || wrong.by.first().is_none_or(|by| self.entries.contains(by))
    }

    /// Whether what it writes over may be the skinning data.
    pub fn writes_skinning_data(&self) -> bool {
        !self.writers.is_empty() && self.structures.iter().any(|name| name.starts_with("SKN "))
    }

    /// Whether wrong vertices of its entries may be its doing wherever they lie: what the kernels work on is not
    /// what the file says.
    pub fn spoils_input(&self) -> bool {
        let takes = self.causes.contains(&Cause::Data);
        // What is written elsewhere spoils no entry, unless it is the skinning data.
        takes && (self.structures.is_empty() || self.structures.iter().any(|name| name.starts_with("SKN ")))
    }

    /// Whether vertices may be missing because its entries put them elsewhere.
    pub fn displaces_output(&self) -> bool {
        self.causes == [Cause::Destination]
    }

    /// What it does on a target whatever frame runs.
    pub fn always_on(&self, target: Target) -> Option<Effect> {
        let (dolphin, console) = self.always.as_ref()?;
        Some(match target {
            Target::Dolphin => dolphin.clone(),
            Target::Console => console.clone(),
        })
    }
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The finding, at the severity that the bytes alone give.
    pub finding: Finding,
    /// What a frame can add.
    pub evidence: Evidence,
}

impl Found {
    /// A finding that the bytes alone decide.
    pub fn new(code: &'static Code, place: Place, text: impl Into<String>, help: impl Into<String>) -> Self {
        let evidence = Evidence { causes: mechanism::of(code), ..Evidence::default() };
        Self { finding: Finding::new(code, place, text, help), evidence }
    }

    /// The same at another place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.finding.place = place;
        self
    }

    /// The same at another severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.finding.severity = severity;
        self
    }

    /// The same, with faults and overwritten structures of an entry decided by the frame.
    #[must_use]
    pub fn entry(mut self, entry: EntryId) -> Self {
        self.evidence.entries.push(entry);
        self.evidence.decisive = true;
        self
    }

    /// The same, about what is written, and over what.
    #[must_use]
    pub fn writer(mut self, writer: Writer) -> Self {
        self.evidence.writers.push(writer);
        self.evidence.decisive = true;
        self
    }

    /// The same, about one array of its entry alone.
    #[must_use]
    pub fn array(mut self, array: VariableKind) -> Self {
        self.evidence.array = Some(array);
        self
    }

    /// The same, with the output of slots decided by the frame.
    #[must_use]
    pub fn slots(mut self, slots: Range<u64>) -> Self {
        let bound = |slot: u64| u32::try_from(slot).unwrap_or(u32::MAX);
        self.evidence.slots.push(bound(slots.start)..bound(slots.end));
        self.evidence.decisive = true;
        self
    }

    /// The same, answering only for those of its slots that its entries stored last.
    #[must_use]
    pub fn stored_alone(mut self) -> Self {
        self.evidence.stored_alone = true;
        self
    }

    /// The same, with damage to a structure decided by the frame.
    #[must_use]
    pub fn structure(mut self, name: String) -> Self {
        self.evidence.structures.push(name);
        self.evidence.decisive = true;
        self
    }

    /// The same, but a frame that shows nothing proves it harmless.
    #[must_use]
    pub fn decisive(mut self) -> Self {
        self.evidence.decisive = true;
        self
    }

    /// The same, with the effect that it has in every frame.
    #[must_use]
    pub fn always(self, effect: Effect) -> Self {
        self.always_on(effect.clone(), effect)
    }

    /// The same, with the effects that it has in every frame on Dolphin and on a console.
    #[must_use]
    pub fn always_on(mut self, dolphin: Effect, console: Effect) -> Self {
        self.evidence.always = Some((dolphin, console));
        self
    }

    /// The same, of something that by its mechanism does nothing, whatever becomes of the frame.
    #[must_use]
    pub fn harmless(self) -> Self {
        self.always(Effect::None)
    }

    /// The same, with output that is wrong in every frame.
    #[must_use]
    pub fn spoils(self, what: impl Into<String>) -> Self {
        self.always(Effect::WrongOutput(what.into()))
    }

    /// The same, with output that is wrong where the game does what no frame of a check does, as `why` says.
    #[must_use]
    pub fn spoils_unseen(self, what: impl std::fmt::Display, why: &str) -> Self {
        self.spoils(format!("{what} ({why})"))
    }

    /// The same, with faults of a part of the frame decided by the frame.
    #[must_use]
    pub fn part(mut self, part: Part) -> Self {
        self.evidence.parts.push(part);
        self
    }

    /// The same, answering for the frame in another way.
    #[must_use]
    pub fn reach(mut self, reach: Reach) -> Self {
        self.evidence.reach = reach;
        self
    }

    /// The same, but never an error: what the frame assumes about it is open.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.evidence.open = true;
        self
    }

    /// The same, of something that frames do not do (animations, facial poses, what lies in other models), as
    /// the sentence says.
    #[must_use]
    pub fn unseen(mut self, why: &'static str) -> Self {
        self.evidence.unseen = Some(why);
        self
    }

    /// The same, but a frame that shows nothing does not prove it harmless.
    #[must_use]
    pub fn not_decisive(mut self) -> Self {
        self.evidence.decisive = false;
        self
    }
}
