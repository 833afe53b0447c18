//! The code that may run: ranges of memory, decoded once. They stand for the instruction cache: what
//! a store does to them is seen when `icbi` says so, or when HID0 empties the cache.

use std::cell::Cell;

use super::instruction::Instruction;
use crate::gekko::address::{LINE_SIZE, line_start};

/// One range of code.
#[derive(Debug, Clone)]
struct Section {
    start: u32,
    instructions: Vec<Cell<Instruction>>,
}

impl Section {
    #[inline]
    fn index(&self, address: u32) -> Option<usize> {
        let index = (address.wrapping_sub(self.start) / 4) as usize;
        (index < self.instructions.len()).then_some(index)
    }
}

/// The known text of a program.
#[derive(Debug, Clone, Default)]
pub struct Program {
    sections: Vec<Section>,
}

impl Program {
    /// A program without code.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the code of `bytes`, which lie at `address`: every whole word at a multiple of 4. A later
    /// range hides an earlier one where they overlap.
    pub fn add(&mut self, address: u32, bytes: &[u8]) {
        let ragged = (address.wrapping_neg() & 3) as usize;
        let words = bytes.get(ragged..).unwrap_or_default().chunks_exact(4);
        let instructions = words.map(|word| Cell::new(decode(word))).collect();
        self.sections.insert(0, Section { start: address.wrapping_add(ragged as u32), instructions });
    }

    /// The instructions from `address` to the end of its range, if it is known text.
    #[inline]
    pub(super) fn from(&self, address: u32) -> Option<&[Cell<Instruction>]> {
        self.sections
            .iter()
            .find_map(|section| section.index(address).map(|index| &section.instructions[index..]))
    }

    /// The word at an address of known text.
    pub fn word(&self, address: u32) -> Option<u32> {
        self.from(address)?.first().map(|cell| cell.get().code)
    }

    /// Where every line of known text begins.
    pub(super) fn lines(&self) -> impl Iterator<Item = u32> + use<> {
        let range = |section: &Section| (section.start, section.instructions.len() as u32);
        let ranges: Vec<_> = self.sections.iter().map(range).collect();
        ranges.into_iter().flat_map(|(start, words)| {
            let lines = words.div_ceil(8) + 1;
            (0..lines).map(move |line| line_start(start).wrapping_add(line * LINE_SIZE))
        })
    }

    /// Decodes a word again after `icbi`.
    pub(super) fn replace(&self, address: u32, word: u32) {
        for section in &self.sections {
            if let Some(index) = section.index(address) {
                section.instructions[index].set(Instruction::decode(word));
            }
        }
    }
}

fn decode(word: &[u8]) -> Instruction {
    Instruction::decode(word.iter().fold(0, |value, &byte| (value << 8) | u32::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_text_is_found() {
        let mut program = Program::new();
        program.add(0x8000_1000, &[0x38, 0x60, 0, 1, 0x4e, 0x80, 0, 0x20, 0xff]);
        assert_eq!(program.word(0x8000_1004), Some(0x4e80_0020));
        assert_eq!(program.word(0x8000_1008), None);
        assert_eq!(program.word(0x8000_0ffc), None);
        program.replace(0x8000_1004, 0);
        assert_eq!(program.word(0x8000_1004), Some(0));
    }

    #[test]
    fn code_at_an_odd_address_begins_at_the_next_word() {
        let mut program = Program::new();
        program.add(0x8000_2001, &[0xff, 0xff, 0xff, 0x4e, 0x80, 0, 0x20, 0xff]);
        assert_eq!(program.word(0x8000_2000), None);
        assert_eq!(program.word(0x8000_2004), Some(0x4e80_0020));
        assert_eq!(program.word(0x8000_2008), None);
    }
}
