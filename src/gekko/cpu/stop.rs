//! Why execution ended, and the way there.

use std::fmt;

use super::instruction::Instruction;
use super::program::Program;

/// Instructions shown before the point where execution ended.
pub const HISTORY: usize = 16;

/// Why execution ended before the called function returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// The machine stopped at a fault.
    Fault,
    /// A word that is no instruction of this processor.
    UnknownInstruction(u32),
    /// The program counter left the known text.
    OutsideText,
    /// A trap instruction whose condition held.
    Trap,
    /// A quantized load or store while HID2.LSQE is clear.
    PairedSinglesOff,
    /// A HID0 that switches the console's data cache off or locks it.
    CacheMode(u32),
    /// More instructions than allowed.
    Budget,
    /// A branch to itself that is always taken: a loop without end.
    Endless,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault => f.write_str("a fault of the machine"),
            Self::UnknownInstruction(word) => write!(f, "unknown instruction {word:08x}"),
            Self::OutsideText => f.write_str("the program counter left the known text"),
            Self::Trap => f.write_str("a trap"),
            Self::PairedSinglesOff => f.write_str("a quantized access while HID2.LSQE is clear"),
            Self::CacheMode(value) => {
                write!(
                    f,
                    "a data cache that is off or locked (HID0 {value:08x}), which the console target has not"
                )
            }
            Self::Budget => f.write_str("the instruction budget is used up"),
            Self::Endless => f.write_str("a branch to itself, which never ends"),
        }
    }
}

/// Where and why execution ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// Address of the instruction that did not complete.
    pub pc: u32,
    /// Addresses of the last instructions up to it, oldest first.
    pub history: Vec<u32>,
}

impl Stop {
    /// The last instructions as text, one a line.
    pub fn listing(&self, program: &Program) -> String {
        let line = |&pc: &u32| match program.word(pc) {
            Some(word) => format!("{pc:08x}: {word:08x}  {}\n", Instruction::text(word)),
            None => format!("{pc:08x}: (not known text)\n"),
        };
        self.history.iter().map(line).collect()
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:#010x}", self.reason, self.pc)
    }
}

impl std::error::Error for Stop {}

/// The last straight runs, each from its first instruction to the branch that ended it. Enough to
/// name the last instructions without a record of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail {
    runs: [(u32, u32); HISTORY],
    count: usize,
}

impl Trail {
    #[inline]
    pub fn push(&mut self, start: u32, end: u32) {
        self.runs[self.count % HISTORY] = (start, end);
        self.count += 1;
    }

    /// The last instructions: those of the finished runs, then from `start` to `pc`, oldest first.
    pub fn last(&self, start: u32, pc: u32) -> Vec<u32> {
        let finished = (0..self.count.min(HISTORY)).map(|back| self.runs[(self.count - 1 - back) % HISTORY]);
        let newest_first = std::iter::once((start, pc)).chain(finished).flat_map(|(start, end)| {
            (0..=end.wrapping_sub(start) / 4).map(move |back| end.wrapping_sub(4 * back))
        });
        let mut history: Vec<u32> = newest_first.take(HISTORY).collect();
        history.reverse();
        history
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_told_across_branches() {
        let mut trail = Trail::default();
        trail.push(0x100, 0x108);
        trail.push(0x200, 0x200);
        assert_eq!(trail.last(0x300, 0x304), [0x100, 0x104, 0x108, 0x200, 0x300, 0x304]);
        for _ in 0..100 {
            trail.push(0x100, 0x13c);
        }
        assert_eq!(trail.last(0x300, 0x300).len(), HISTORY);
    }
}
