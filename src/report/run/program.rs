//! The program whose code ran: what was called, and where and why it ended early.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::hex;
use crate::c3::outcome::ProgramRun;
use crate::gekko::cpu::{Instruction, Stop};
use crate::printable::printable;

/// A program and its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProgramReport {
    /// The file, or `our own kernels`.
    pub name: String,
    /// The function called each frame.
    pub called: String,
    /// Instructions executed, those of `SKNInit` and of every frame.
    pub instructions: u64,
    /// r3 after the last call.
    pub returned: String,
    /// Why it ended before it returned; null when it did return.
    pub stop: Option<StopReport>,
}

/// Where and why a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StopReport {
    /// What happened.
    pub reason: String,
    /// Address of the instruction that did not complete.
    pub pc: String,
    /// Its function and offset, where a symbol is known.
    pub at: Option<String>,
    /// The last instructions up to it, oldest first.
    pub last: Vec<InstructionReport>,
}

/// One executed instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InstructionReport {
    /// Its address.
    pub pc: String,
    /// Its word; null outside of known text.
    pub word: Option<String>,
    /// As an assembler writes it; null outside of known text.
    pub text: Option<String>,
    /// Its function and offset, where a symbol is known.
    pub at: Option<String>,
}

impl ProgramReport {
    /// Draws up the report.
    pub fn new(name: String, run: &ProgramRun) -> Self {
        Self {
            name,
            called: run.called.clone(),
            instructions: run.game.cpu.executed,
            returned: hex(run.game.cpu.gpr[3]),
            stop: run.stop.as_ref().map(|stop| StopReport::new(stop, run)),
        }
    }

    /// The program as text, a line and, where it ended early, the way there.
    pub(super) fn text(&self) -> String {
        let mut out = format!(
            "program    {}, {} called, {} instructions, r3 = {}\n",
            printable(&self.name),
            printable(&self.called),
            self.instructions,
            self.returned
        );
        let Some(stop) = &self.stop else { return out };
        let _ = write!(out, "stopped    {} at {}", stop.reason, stop.pc);
        if let Some(at) = &stop.at {
            let _ = write!(out, " ({})", printable(at));
        }
        out.push_str("; the last instructions:\n");
        for instruction in &stop.last {
            let word = instruction.word.as_deref().unwrap_or("--------");
            let text = instruction.text.as_deref().unwrap_or("(not known text)");
            let at = instruction.at.as_deref().unwrap_or_default();
            let line = format!("  {}  {word}  {text:<30}  {at}", instruction.pc);
            let _ = writeln!(out, "{}", printable(line.trim_end()));
        }
        out
    }
}

impl StopReport {
    fn new(stop: &Stop, run: &ProgramRun) -> Self {
        let place = |pc| run.game.functions().describe(pc);
        let last = stop.history.iter().map(|&pc| {
            let word = run.game.program().word(pc);
            InstructionReport {
                pc: hex(pc),
                word: word.map(|word| format!("{word:08x}")),
                text: word.map(Instruction::text),
                at: place(pc),
            }
        });
        Self { reason: stop.reason.to_string(), pc: hex(stop.pc), at: place(stop.pc), last: last.collect() }
    }
}
