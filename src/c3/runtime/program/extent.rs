//! How far a function reaches whose size nobody tells: never past the next symbol or the end of its
//! section, and no further than its own branches lead.

use crate::gekko::cpu::Program;
use crate::gekko::executable::{Executable, Symbol};

/// Instructions of one function looked at.
const LONGEST: u32 = 0x1_0000;

/// Opcodes, the upper six bits of a word.
const CONDITIONAL_BRANCH: u32 = 16;
const BRANCH: u32 = 18;
/// `blr`, `bctr` without condition; `rfi`.
const RETURN: u32 = 0x4e80_0020;
const JUMP_TO_COUNTER: u32 = 0x4e80_0420;
const RETURN_FROM_INTERRUPT: u32 = 0x4c00_0064;

/// Where the symbols of a program and the ends of its text lie, in order.
pub(super) struct Bounds {
    starts: Vec<u32>,
    ends: Vec<(u32, u64)>,
}

impl Bounds {
    pub fn new(symbols: &[Symbol], executable: &Executable) -> Self {
        let text = executable.sections.iter().filter(|section| section.executable);
        let ends: Vec<_> = text
            .map(|section| (section.address, u64::from(section.address) + section.bytes.len() as u64))
            .collect();
        let mut starts: Vec<u32> = symbols.iter().map(|symbol| symbol.address).collect();
        starts.extend(
            symbols
                .iter()
                .filter(|symbol| symbol.size > 0)
                .map(|symbol| symbol.address.saturating_add(symbol.size)),
        );
        starts.sort_unstable();
        starts.dedup();
        Self { starts, ends }
    }

    /// The most bytes that a function at `start` may have; none where there is no text.
    fn room(&self, start: u32) -> u32 {
        let section = self.ends.iter().filter(|&&(first, end)| first <= start && u64::from(start) < end);
        let end = section.map(|&(_, end)| end).max().unwrap_or(u64::from(start));
        let next = self.starts[self.starts.partition_point(|&other| other <= start)..].first();
        (next.map_or(end, |&next| end.min(u64::from(next))) - u64::from(start)) as u32
    }

    /// The size of a function of which only the address is known.
    pub fn size(&self, start: u32, program: &Program) -> u32 {
        extent(start, self.room(start).min(4 * LONGEST), program)
    }
}

/// Goes through the code from `start` on, up to the first instruction that ends the function and that no
/// branch before leads past.
fn extent(start: u32, room: u32, program: &Program) -> u32 {
    // The offset up to which the branches seen so far lead, and whether the stack frame stands.
    let (mut reached, mut framed) = (0, false);
    for offset in (0..room).step_by(4) {
        let Some(word) = program.word(start.wrapping_add(offset)) else { return offset };
        framed = stack_frame(word).unwrap_or(framed);
        let target = branch_target(word).map(|distance| offset.wrapping_add(distance));
        let leads = target.filter(|&target| target < room && target > offset);
        // A jump to another function stands behind the frame's end; one inside a loop does not.
        let stays = word >> 26 == CONDITIONAL_BRANCH || framed || reached > offset;
        reached = reached.max(leads.filter(|_| stays).unwrap_or(0));
        let ends = match word {
            RETURN | RETURN_FROM_INTERRUPT => true,
            JUMP_TO_COUNTER => !framed,
            _ => word >> 26 == BRANCH && word & 1 == 0,
        };
        if ends && reached <= offset {
            return offset + 4;
        }
    }
    room
}

/// Whether an instruction makes a stack frame, or takes it down; neither for any other.
fn stack_frame(word: u32) -> Option<bool> {
    /// The fields that name r1 as the register that is written, or as base and source.
    const R1_WRITTEN: u32 = 1 << 21;
    const FIELD: u32 = 0x03e0_0000;
    match word >> 26 {
        // stwu r1, -x(r1)
        37 if word & 0x03ff_0000 == 0x0021_0000 => Some(true),
        // addi r1, lwz r1
        14 | 32 if word & FIELD == R1_WRITTEN => Some(false),
        // mr r1
        31 if word & 0x7fe == 0x378 && word & 0x001f_0000 == 0x0001_0000 => Some(false),
        _ => None,
    }
}

/// How far a branch that does not link leads.
fn branch_target(word: u32) -> Option<u32> {
    let relative = word.trailing_zeros() >= 2;
    match word >> 26 {
        CONDITIONAL_BRANCH if relative => Some((word & 0xfffc) as i16 as i32 as u32),
        BRANCH if relative => Some((((word & 0x03ff_fffc) << 6) as i32 >> 6) as u32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gekko::executable::Section;

    const START: u32 = 0x8000_4000;
    const NOP: u32 = 0x6000_0000;

    fn size(words: &[u32], symbols: &[u32]) -> u32 {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let mut program = Program::new();
        program.add(START, &bytes);
        let section = Section { address: START, size: bytes.len() as u32, bytes, executable: true };
        let executable = Executable { sections: vec![section], ..Executable::default() };
        let symbols: Vec<_> = symbols
            .iter()
            .map(|offset| Symbol { name: String::new(), address: START + offset, size: 0 })
            .collect();
        Bounds::new(&symbols, &executable).size(START, &program)
    }

    #[test]
    fn a_function_ends_behind_the_return_that_nothing_leads_past() {
        // beq 8; blr; nop; blr; then another function.
        let words = [0x4182_0008, RETURN, NOP, RETURN, NOP, RETURN];
        assert_eq!(size(&words, &[0]), 16);
        assert_eq!(size(&words[..3], &[]), 12);
    }

    #[test]
    fn the_next_symbol_and_the_end_of_the_text_are_bounds() {
        assert_eq!(size(&[NOP, NOP, NOP, NOP], &[0, 8]), 8);
        assert_eq!(size(&[NOP, NOP, NOP, NOP], &[0]), 16);
    }

    #[test]
    fn a_loop_belongs_to_its_function_and_a_jump_behind_the_frame_does_not() {
        // stwu; b 8; (body) nop; bne -4; addi r1; blr
        let inside = [0x9421_fff0, 0x4800_0008, NOP, 0x4082_fffc, 0x3821_0010, RETURN, NOP, RETURN];
        assert_eq!(size(&inside, &[]), 24);
        // stwu; addi r1; b 8; nop; blr: the jump leads to another function.
        let behind = [0x9421_fff0, 0x3821_0010, 0x4800_0008, NOP, RETURN];
        assert_eq!(size(&behind, &[]), 12);
    }
}
