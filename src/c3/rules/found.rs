//! A finding with the evidence that can decide what it does.

use std::ops::Range;

use crate::c3::format::skn::EntryId;
use crate::finding::{Code, Effect, Finding, Place, Severity};

/// Which observations of a frame a finding answers for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Entries whose faults and overwritten structures it explains.
    pub entries: Vec<EntryId>,
    /// Slots whose wrong or stale output it explains.
    pub slots: Vec<Range<u32>>,
    /// Names of structures whose damage it explains.
    pub structures: Vec<String>,
    /// Whether a frame that shows nothing proves it harmless.
    pub decisive: bool,
    /// Whether it stays below an error whatever a frame shows: what the frame assumes is open.
    pub open: bool,
    /// What it does whatever frame runs, where the bytes alone say so.
    pub always: Option<Effect>,
}

impl Evidence {
    /// Whether a slot is among those answered for.
    pub fn covers(&self, slot: u32) -> bool {
        self.slots.iter().any(|range| range.contains(&slot))
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
        Self { finding: Finding::new(code, place, text, help), evidence: Evidence::default() }
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

    /// The same, with the output of slots decided by the frame.
    #[must_use]
    pub fn slots(mut self, slots: Range<u64>) -> Self {
        let bound = |slot: u64| u32::try_from(slot).unwrap_or(u32::MAX);
        self.evidence.slots.push(bound(slots.start)..bound(slots.end));
        self.evidence.decisive = true;
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
    pub fn always(mut self, effect: Effect) -> Self {
        self.evidence.always = Some(effect);
        self
    }

    /// The same, but never an error: what the frame assumes about it is open.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.evidence.open = true;
        self
    }

    /// The same, but a frame that shows nothing does not prove it harmless.
    #[must_use]
    pub fn not_decisive(mut self) -> Self {
        self.evidence.decisive = false;
        self
    }
}
