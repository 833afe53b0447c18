//! One line of a trace.

use std::fmt;

use crate::c3::format::skn::EntryId;
use crate::gekko::bus::AccessKind;
use crate::gekko::cpu::Instruction;
use crate::gekko::fault::{Fault, FaultKind};
use crate::gekko::locked_cache::Direction;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// An instruction: its word.
    Instruction(u32),
    /// An access: kind, address, bytes, value (transfers: the memory address).
    Access(AccessKind, u32, u32, u64),
    /// An access to the program's stack.
    Stack(AccessKind, u32, u32, u64),
    /// A fault.
    Fault(Fault),
}

/// One line: what, where in the code, for which entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What happened.
    pub effect: Effect,
    /// Function and offset, or the function alone where its instructions are not listed.
    pub place: String,
    /// Address of the instruction, where it is known.
    pub pc: Option<u32>,
    /// The entry that is worked on.
    pub entry: Option<EntryId>,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.kind(), self.place)?;
        match self.pc {
            Some(pc) => write!(f, "{pc:08x} ")?,
            None => f.write_str("- ")?,
        }
        match self.entry {
            Some(entry) => write!(f, "{entry} ")?,
            None => f.write_str("- ")?,
        }
        match self.effect {
            Effect::Instruction(word) => write!(f, "{word:08x} {}", Instruction::text(word)),
            Effect::Access(kind, address, size, value) | Effect::Stack(kind, address, size, value) => {
                write!(f, "{address:08x} {size} ")?;
                match kind {
                    AccessKind::Load | AccessKind::Store => {
                        write!(f, "{value:0width$x}", width = 2 * size as usize)
                    }
                    AccessKind::Transfer(_) => write!(f, "{value:08x}"),
                    AccessKind::ZeroLine | AccessKind::StoreLine | AccessKind::FlushLine => f.write_str("-"),
                }
            }
            Effect::Fault(fault) => {
                let kind = match fault.kind {
                    FaultKind::Read => "read",
                    FaultKind::Write => "write",
                    FaultKind::Dma => "dma",
                    FaultKind::MachineCheck(_) => "machine-check",
                    FaultKind::Program => "program",
                    FaultKind::Budget => "budget",
                };
                write!(f, "{:08x} {} {kind}", fault.address, fault.size)
            }
        }
    }
}

impl Line {
    /// The first word of the line.
    fn kind(&self) -> &'static str {
        match self.effect {
            Effect::Instruction(_) => "ins",
            Effect::Stack(AccessKind::Store, ..) => "stack-store",
            Effect::Stack(..) => "stack-load",
            Effect::Access(AccessKind::Load, ..) => "load",
            Effect::Access(AccessKind::Store, ..) => "store",
            Effect::Access(AccessKind::ZeroLine, ..) => "zero-line",
            Effect::Access(AccessKind::StoreLine, ..) => "store-line",
            Effect::Access(AccessKind::FlushLine, ..) => "flush-line",
            Effect::Access(AccessKind::Transfer(Direction::Load), ..) => "dma-load",
            Effect::Access(AccessKind::Transfer(Direction::Store), ..) => "dma-store",
            Effect::Fault(_) => "fault",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::format::skn::List;

    #[test]
    fn a_line_tells_what_where_and_for_which_entry() {
        let line = |effect| Line {
            effect,
            place: "one-bone+0x34".to_owned(),
            pc: Some(0x8052_3e40),
            entry: Some(EntryId { list: List::Sk1, index: 2 }),
        };
        let load = line(Effect::Access(AccessKind::Load, 0xe000_0000, 4, 0x1_0002));
        assert_eq!(load.to_string(), "load one-bone+0x34 80523e40 SK1[2] e0000000 4 00010002");
        let instruction = line(Effect::Instruction(0xe104_7000));
        assert_eq!(
            instruction.to_string(),
            "ins one-bone+0x34 80523e40 SK1[2] e1047000 psq_l f8, 0x0(r4), 0, qr7"
        );
        let bare = Line {
            effect: Effect::Access(AccessKind::ZeroLine, 0x8000_0020, 32, 0),
            place: "clear".into(),
            pc: None,
            entry: None,
        };
        assert_eq!(bare.to_string(), "zero-line clear - - 80000020 32 -");
    }
}
