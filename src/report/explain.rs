//! Explained messages as data and as text.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::c3::explain::access::Access;
use crate::c3::explain::candidates::{Candidate, Verdict};
use crate::c3::explain::{Explanation, Followed};
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
    /// What the function does, when it is skinning code.
    pub routine: Option<&'static str>,
    /// What the instruction accesses.
    pub instruction: Option<&'static str>,
    /// What it means and what causes it.
    pub meaning: Vec<String>,
    /// Entries of the model that can have caused it; none without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<CandidateReport>>,
    /// What running the model gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
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
    /// Whether a run of the model gives this very fault at this entry.
    pub reproduced: bool,
}

impl MessageReport {
    /// An explained message, with what the model says to it.
    pub fn new(explanation: &Explanation, verdict: Option<Verdict>) -> Self {
        let message = &explanation.message;
        let place = explanation.place.as_ref();
        let (candidates, run) =
            verdict.map(|verdict| (verdict.candidates.iter().map(candidate).collect(), verdict.run)).unzip();
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
            source: place.map(|place| place.source),
            routine: explanation.routine.map(|routine| routine.words().0),
            instruction: explanation.access.map(Access::words),
            meaning: explanation.meaning.clone(),
            candidates,
            run,
        }
    }

    fn text(&self, out: &mut String) {
        let times = if self.times > 1 { format!("   ({} times)", self.times) } else { String::new() };
        let _ = writeln!(out, "{}{times}", printable(&self.text));
        let mut line = |name: &str, text: &str| {
            let _ = writeln!(out, "  {name:<10} {}", printable(text));
        };
        if let Some(FollowedReport { count, last }) = &self.followed {
            line("went on", &format!("{count} more of the same loop, up to {last}"));
        }
        line("worded by", &format!("Dolphin {}", self.dolphin));
        match (&self.function, &self.offset, self.source) {
            (Some(function), Some(offset), Some(source)) => {
                line("executing", &format!("{function} {offset} ({source})"));
            }
            _ => line("executing", "unknown: no table holds the PC; give the game's map with --map FILE"),
        }
        if let Some(routine) = self.routine {
            line("", routine);
        }
        if let Some(instruction) = self.instruction {
            line("access", instruction);
        }
        for (index, meaning) in self.meaning.iter().enumerate() {
            line(if index == 0 { "meaning" } else { "" }, meaning);
        }
        for (index, candidate) in self.candidates.iter().flatten().enumerate() {
            line(if index == 0 { "entries" } else { "" }, &candidate.text());
        }
        if self.candidates.as_ref().is_some_and(Vec::is_empty) {
            line("entries", "none of the model fits");
        }
        if let Some(run) = &self.run {
            line("run", run);
        }
    }
}

impl CandidateReport {
    fn text(&self) -> String {
        let verdict = match (self.reproduced, self.fits) {
            (true, _) => "this one",
            (false, true) => "fits",
            (false, false) => "does not fit",
        };
        format!("{:<9} {verdict}: {}", self.entry, self.reason)
    }
}

fn candidate(candidate: &Candidate) -> CandidateReport {
    CandidateReport {
        entry: candidate.entry.to_string(),
        fits: candidate.fits,
        reason: candidate.reason.clone(),
        reproduced: candidate.reproduced,
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
