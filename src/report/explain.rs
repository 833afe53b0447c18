//! Explained messages as data and as text.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::c3::explain::access::{Access, Routine};
use crate::c3::explain::candidates::{Candidate, Fit};
use crate::c3::explain::place::Place;
use crate::c3::explain::verdict::Verdict;
use crate::c3::explain::{Explanation, Followed};
use crate::finding::{self, Finding};
use crate::gekko::message::MessageKind;
use crate::printable::printable;

/// The `skinsim.explain/1` object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainReport {
    /// `skinsim.explain/1`.
    pub schema: &'static str,
    /// The model, when one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Every different message of the log.
    pub messages: Vec<MessageReport>,
    /// Messages that are left out, because there are too many different ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde asks for
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Messages that the same loop went on with, word by word.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FollowedReport {
    /// How many.
    pub count: usize,
    /// Address of the last one.
    pub last: String,
}

/// A message, explained.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MessageReport {
    /// The words of the message.
    pub text: String,
    /// How often the log has it.
    pub times: usize,
    /// What the same loop went on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<FollowedReport>,
    /// `read`, `write` or `dma`.
    pub access: &'static str,
    /// Address, "0x%08x".
    pub address: String,
    /// Instruction, "0x%08x".
    pub pc: Option<String>,
    /// Whether the address translated.
    pub translated: bool,
    /// Builds of Dolphin that word it so.
    pub dolphin: &'static str,
    /// Function that was executing.
    pub function: Option<String>,
    /// Bytes from its first instruction, "+0x%x".
    pub offset: Option<String>,
    /// The table that knows the function: a game or `map`.
    pub source: Option<&'static str>,
    /// Whether the table does not know the function's size: the instruction may lie behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub size_unknown: bool,
    /// Whether a map was given that holds no function there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_in_map: bool,
    /// What a built-in table calls a function that the map only numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The caller, where the message names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// What the function does, when it is skinning code.
    pub routine: Option<&'static str>,
    /// What the instruction accesses.
    pub instruction: Option<&'static str>,
    /// What it means and what causes it.
    pub meaning: Vec<String>,
    /// What the model says; nothing without one.
    #[serde(flatten)]
    pub verdict: Option<VerdictReport>,
    /// Commands that go on from here, as they can be typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// What else can be tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'static str>,
}

/// Commands that go on with a model; those that cannot be typed are left out.
#[derive(Debug, Clone, Default)]
pub struct FollowUps {
    /// Everything that is wrong with it.
    pub check: Option<String>,
    /// What can be mended.
    pub repair: Option<String>,
    /// What a frame does.
    pub run: Option<String>,
}

/// What a model says to a message.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerdictReport {
    /// What is wrong with the model and does this, as `check` finds it.
    pub causes: Vec<CauseReport>,
    /// Entries that come into question, the one that did it first.
    pub candidates: Vec<CandidateReport>,
    /// Entries that are left out, because there are too many.
    #[serde(skip_serializing_if = "is_zero")]
    pub candidates_left_out: usize,
    /// What running the model gave.
    pub run: String,
}

/// A finding that a message is the effect of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CauseReport {
    /// Code of the finding.
    pub code: &'static str,
    /// Whether it is known to do this; else it makes a fault whose message nobody knows.
    pub certain: bool,
    /// Where.
    pub place: finding::Place,
    /// What is wrong.
    pub text: String,
    /// How to mend it.
    pub help: String,
}

/// An entry that can have caused a message.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CandidateReport {
    /// `SK1[3]`.
    pub entry: String,
    /// Whether address, instruction, buffer and vertex offset agree.
    pub fits: bool,
    /// Why.
    pub reason: String,
    /// Whether a run of the model gives this very fault at this entry, and at none before it.
    pub reproduced: bool,
}

impl MessageReport {
    /// An explained message, with what the model says to it, and what goes on with the model.
    pub fn new(explanation: &Explanation, verdict: Option<&Verdict>, follow_ups: &FollowUps) -> Self {
        let message = &explanation.message;
        let place = explanation.place.as_ref();
        Self {
            text: message.text.clone(),
            times: explanation.times,
            followed: explanation
                .followed
                .map(|Followed { count, last }| FollowedReport { count, last: format!("{last:#010x}") }),
            access: match message.kind {
                MessageKind::Read => "read",
                MessageKind::Write => "write",
                MessageKind::Transfer => "dma",
            },
            address: format!("{:#010x}", message.address),
            pc: message.pc.map(|pc| format!("{pc:#010x}")),
            translated: message.translated,
            dolphin: message.era,
            function: place.map(|place| place.function.clone()),
            offset: place.map(|place| format!("+{:#x}", place.offset)),
            source: place.map(|place| place.source.name()),
            size_unknown: place.is_some_and(|place| place.size == 0),
            not_in_map: explanation.not_in_map,
            alias: place
                .and_then(|place| place.alias.as_ref())
                .map(|(name, source)| format!("{name} of {}", source.name())),
            caller: explanation.caller.as_ref().map(caller),
            routine: explanation.routine.map(Routine::words),
            instruction: explanation.access.map(Access::words),
            meaning: explanation.meaning.clone(),
            verdict: verdict.map(VerdictReport::new),
            next: verdict.map(|verdict| next(explanation, verdict, follow_ups)).unwrap_or_default(),
            hint: hint(explanation, verdict),
        }
    }

    fn text(&self, out: &mut String) {
        let times = if self.times > 1 { format!("   ({} times)", self.times) } else { String::new() };
        let _ = writeln!(out, "{}{times}", printable(&self.text));
        let mut lines = |name: &str, texts: &[String]| {
            for (index, text) in texts.iter().enumerate() {
                let name = if index == 0 { name } else { "" };
                let _ = writeln!(out, "  {name:<10} {}", printable(text));
            }
        };
        if let Some(FollowedReport { count, last }) = &self.followed {
            lines("went on", &[format!("{count} more of the same loop, up to {last}")]);
        }
        lines(
            "worded by",
            &[match self.dolphin {
                "any" => "every build of Dolphin".to_owned(),
                builds => format!("Dolphin {builds}"),
            }],
        );
        let routine = self.routine.map(str::to_owned);
        lines("executing", &[Some(self.executing()), routine].into_iter().flatten().collect::<Vec<_>>());
        if let Some(caller) = &self.caller {
            lines("called by", std::slice::from_ref(caller));
        }
        if let Some(instruction) = self.instruction {
            lines("access", &[instruction.to_owned()]);
        }
        lines("meaning", &self.meaning);
        if let Some(verdict) = &self.verdict {
            lines("cause", &verdict.causes.iter().flat_map(CauseReport::lines).collect::<Vec<_>>());
            lines("entries", &verdict.entries(self.function.is_some() && self.routine.is_none()));
            lines("run", std::slice::from_ref(&verdict.run));
        }
        lines("next", &self.next);
        lines("hint", self.hint.map(str::to_owned).as_slice());
    }

    /// The function, and which table it comes from.
    fn executing(&self) -> String {
        let (Some(function), Some(offset), Some(source)) = (&self.function, &self.offset, self.source) else {
            return match &self.pc {
                None => "unknown: the message names no PC; give it with --pc ADDR".to_owned(),
                Some(pc) if self.not_in_map => {
                    format!("unknown: neither the map nor a built-in table has a function at {pc}")
                }
                Some(_) => "unknown: no table holds the PC; give the game's map with --map FILE".to_owned(),
            };
        };
        let mut told = source.to_owned();
        if self.not_in_map {
            told = format!("the built-in table of {source}; the map has no function there");
        }
        if let Some(alias) = &self.alias {
            told = format!("{told}; {alias}");
        }
        let maybe = if self.size_unknown { ", or a function behind it" } else { "" };
        format!("{function} {offset}{maybe} ({told})")
    }
}

/// Where a message says that its function was called from.
fn caller(place: &Place) -> String {
    format!("{} +{:#x} ({})", place.function, place.offset, place.source.name())
}

/// Commands that go on from here.
fn next(explanation: &Explanation, verdict: &Verdict, commands: &FollowUps) -> Vec<String> {
    let in_skin = |finding: &Finding| finding.place.section.as_deref() == Some("SKN");
    let repair = commands.repair.as_ref().filter(|_| verdict.causes.iter().any(in_skin));
    let run = commands.run.as_ref().filter(|_| is_open(explanation, verdict));
    commands.check.iter().chain(repair).chain(run).cloned().collect()
}

/// Whether the model does not tell what did it, though it is skinning code that was executing.
fn is_open(explanation: &Explanation, verdict: &Verdict) -> bool {
    let found = !verdict.causes.is_empty() || verdict.candidates.iter().any(|one| one.fit == Fit::ThisOne);
    explanation.routine.is_some() && !found
}

fn hint(explanation: &Explanation, verdict: Option<&Verdict>) -> Option<&'static str> {
    match verdict {
        None if explanation.routine.is_some() || explanation.place.is_none() => Some(
            "give the model that was on the screen, behind the log: then its entries are told that can have done it",
        ),
        Some(verdict) if is_open(explanation, verdict) => Some(
            "if the fault needs a pose, `run` plays the sequence that was on the screen (--anim); if it needs the model's \
             place in memory, --address says where",
        ),
        _ => None,
    }
}

impl VerdictReport {
    fn new(verdict: &Verdict) -> Self {
        Self {
            causes: verdict.causes.iter().map(|one| CauseReport::new(one, verdict.certain)).collect(),
            candidates: verdict.candidates.iter().map(candidate).collect(),
            candidates_left_out: verdict.left_out,
            run: verdict.run.join(". "),
        }
    }

    /// A line an entry; `elsewhere` says that what was executing is none of the skinning code.
    fn entries(&self, elsewhere: bool) -> Vec<String> {
        if self.candidates.is_empty() {
            return vec![match (self.causes.is_empty(), elsewhere) {
                (false, _) => "none: it is no entry's doing".to_owned(),
                (true, true) => {
                    "none: entries are the skinning code's, and this function is none of it".to_owned()
                }
                (true, false) => "none of the model fits".to_owned(),
            }];
        }
        let known = self.candidates.iter().any(|one| one.reproduced);
        let more = self.candidates_left_out;
        let rest = (more > 0).then(|| format!("and {more} more"));
        self.candidates.iter().map(|one| one.text(known)).chain(rest).collect()
    }
}

impl CauseReport {
    fn new(finding: &Finding, certain: bool) -> Self {
        Self {
            code: finding.code.name,
            certain,
            place: finding.place.clone(),
            text: finding.text.clone(),
            help: finding.help.clone(),
        }
    }

    fn lines(&self) -> [String; 2] {
        let place = &self.place;
        let mut at = place.entry.clone().or_else(|| place.section.clone()).unwrap_or_default();
        if let Some(offset) = place.offset {
            let _ = write!(at, " at {offset:#x}");
        }
        if let Some(file) = &place.file {
            let _ = write!(at, " of {file}");
        }
        let maybe = if self.certain { "" } else { "perhaps " };
        [format!("{maybe}{} {at}: {}", self.code, self.text), format!("  {}", self.help)]
    }
}

impl CandidateReport {
    /// A line; `known` says that one of the entries is known to have done it.
    fn text(&self, known: bool) -> String {
        let verdict = match (self.reproduced, self.fits) {
            (true, _) => "this one",
            (false, true) if known => "fits too",
            (false, true) => "fits",
            (false, false) => "does not fit",
        };
        format!("{:<9} {verdict}: {}", self.entry, self.reason)
    }
}

fn candidate(candidate: &Candidate) -> CandidateReport {
    CandidateReport {
        entry: candidate.entry.to_string(),
        fits: candidate.fit != Fit::No,
        reason: candidate.reason.clone(),
        reproduced: candidate.fit == Fit::ThisOne,
    }
}

impl ExplainReport {
    /// Messages with or without a model.
    pub fn new(model: Option<String>, messages: Vec<MessageReport>, left_out: usize) -> Self {
        Self { schema: "skinsim.explain/1", model, messages, left_out }
    }

    /// A paragraph a message.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (index, message) in self.messages.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            message.text(&mut out);
        }
        if self.left_out > 0 {
            let _ = writeln!(out, "\n{} other messages are left out", self.left_out);
        }
        out
    }
}
