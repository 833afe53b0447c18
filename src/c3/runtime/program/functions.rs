//! The library's functions by name: where a program has them, and whose code an address is.

use std::collections::HashMap;

use super::extent::Bounds;
use crate::c3::games::Game;
use crate::c3::runtime::code::GameCode;
use crate::gekko::cpu::Program;
use crate::gekko::executable::{Executable, Symbol, SymbolTable};
use crate::gekko::fault::Site;

/// A function of the library: its name in symbol maps, the name used in faults, its size in bytes as it is
/// listed. [symbols; formats.md 4]
struct Known {
    symbol: &'static str,
    name: &'static str,
    size: u32,
}

const fn known(symbol: &'static str, name: &'static str, size: u32) -> Known {
    Known { symbol, name, size }
}

/// The function that runs a frame.
pub const FRAME: &str = "SKNIt";
/// The function that is called once before.
pub const INIT: &str = "SKNInit";

const KNOWN: [Known; 15] = [
    known(FRAME, "frame", 0x6ac),
    known(INIT, "init", 0xa8),
    known("SKN1Vecs16Norms16", "one-bone", 0x10c),
    known("SKN2Vecs16Norms16NoTouch", "two-bone", 0x220),
    known("SKN2Vecs16Norms16", "two-bone", 0x220),
    known("SKNAccVecs16Norms16Iu16", "accumulate", 0x140),
    known("SKNAccVecs16Norms16", "accumulate", 0x140),
    known("SKNBzero32B", "clear", 0x1c),
    known("SKNFlushByIndex", "flush", 0x28),
    known("LCLoadBlocks", "load-blocks", 0x24),
    known("LCStoreBlocks", "store-blocks", 0x24),
    known("LCLoadData", "load-data", 0xa0),
    known("LCStoreData", "store-data", 0xa0),
    known("LCQueueWait", "queue-wait", 0x14),
    known("DCStoreRange", "store-range", 0x5c),
];

/// Where a kernel as it is listed first reads its matrix and its first vertex, by quantized loads. [listing]
const FIRST_READS: [(&str, [u32; 2]); 3] =
    [("one-bone", [0x20, 0x34]), ("two-bone", [0x44, 0x5c]), ("accumulate", [0x50, 0x64])];

/// r13 and r2 of a game, where known. [formats.md 4]
const SMALL_DATA: [(Game, (u32, u32)); 1] = [(Game::Sluggers, (0x8079_61c0, 0x8079_edc0))];

/// A function in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placed {
    name: &'static str,
    start: u32,
    size: u32,
    /// Whether it has the size of the library's function, so that its instructions are where they are
    /// listed.
    as_listed: bool,
}

/// Where the functions of a program lie.
#[derive(Debug, Clone, Default)]
pub struct Functions {
    symbols: Vec<Symbol>,
    names: SymbolTable,
    placed: Vec<Placed>,
    small_data: Option<(u32, u32)>,
}

impl Functions {
    /// From the symbols given and the file's own; a program that names no functions is taken for the game
    /// `code`, unless an `SKNIt` is given. `program` is the code as it lies in memory: where nobody tells
    /// the size of a function, it says how far it reaches.
    pub fn new(given: &[Symbol], executable: &Executable, code: &GameCode, program: &Program) -> Self {
        let mut symbols: Vec<Symbol> = given.iter().chain(&executable.symbols).cloned().collect();
        let game = Game::ALL.into_iter().find(|game| game.id() == code.game);
        let listed: Vec<Symbol> =
            game.iter().flat_map(|game| game.symbols().iter().cloned().collect::<Vec<_>>()).collect();
        let mut small_data = None;
        if executable.symbols.is_empty() && !symbols.iter().any(|symbol| symbol.name == FRAME) {
            symbols.extend(listed.iter().cloned());
            small_data = SMALL_DATA.into_iter().find(|(of, _)| Some(*of) == game).map(|(_, both)| both);
        }
        measure(&mut symbols, &listed, executable, program);
        let mut placed: Vec<Placed> = Vec::new();
        for known in &KNOWN {
            let found = symbols.iter().find(|symbol| symbol.name == known.symbol);
            if let Some(symbol) = found.filter(|_| placed.iter().all(|other| other.name != known.name)) {
                let (start, size) = (symbol.address, symbol.size);
                let as_listed = size == known.size && reads_as_listed(known.name, start, program);
                placed.push(Placed { name: known.name, start, size, as_listed });
            }
        }
        // The first symbol of a name is the one that counts, so it is the last to be added.
        let names = symbols.iter().rev().cloned().collect();
        Self { symbols, names, placed, small_data }
    }

    /// Address of a function by its symbol.
    pub fn address(&self, symbol: &str) -> Option<u32> {
        self.symbols.iter().find(|entry| entry.name == symbol).map(|entry| entry.address)
    }

    /// First address of a function by the name used in faults.
    pub fn start(&self, name: &str) -> Option<u32> {
        self.placed.iter().find(|function| function.name == name).map(|function| function.start)
    }

    /// The same, if it is the library's function as it is listed.
    pub fn start_as_listed(&self, name: &str) -> Option<u32> {
        let listed = |function: &&Placed| function.name == name && function.as_listed;
        self.placed.iter().find(listed).map(|function| function.start)
    }

    /// Where an instruction lies, by the program's symbols: `SKNIt+0x10`.
    pub fn describe(&self, pc: u32) -> Option<String> {
        let (symbol, offset) = self.names.find(pc)?;
        Some(format!("{}+{offset:#x}", symbol.name))
    }

    /// r13 and r2 of the game, where known.
    pub fn small_data(&self) -> Option<(u32, u32)> {
        self.small_data
    }

    /// The function and offset of an instruction; a bare address outside the library.
    pub fn locate(&self, pc: u32) -> Site {
        let holding = self
            .placed
            .iter()
            .filter(|function| pc.checked_sub(function.start).is_some_and(|offset| offset < function.size))
            .max_by_key(|function| function.start);
        match holding {
            Some(function) => Site { function: function.name, offset: pc - function.start, pc: Some(pc) },
            None => Site { function: "", offset: 0, pc: Some(pc) },
        }
    }
}

/// Gives every symbol of unknown size one: that of another symbol at its address, or of the game's function
/// of that name and address, else as far as its code reaches.
fn measure(symbols: &mut [Symbol], listed: &[Symbol], executable: &Executable, program: &Program) {
    let bounds = Bounds::new(symbols, executable);
    let is_in = |symbol: &Symbol| {
        symbols.iter().any(|other| other.address == symbol.address && other.name == symbol.name)
    };
    let told = listed.iter().filter(|symbol| is_in(symbol)).chain(symbols.iter());
    let sizes: HashMap<u32, u32> =
        told.filter(|symbol| symbol.size > 0).map(|symbol| (symbol.address, symbol.size)).collect();
    for symbol in symbols.iter_mut().filter(|symbol| symbol.size == 0) {
        let told = sizes.get(&symbol.address).copied();
        symbol.size = told.unwrap_or_else(|| bounds.size(symbol.address, program));
    }
}

/// Whether a kernel's first reads are where they are listed.
fn reads_as_listed(name: &str, start: u32, program: &Program) -> bool {
    /// `psq_l` and `psq_lu`.
    const QUANTIZED_LOADS: [u32; 2] = [56, 57];
    let loads = |offset: &u32| {
        let word = program.word(start.wrapping_add(*offset));
        word.is_some_and(|word| QUANTIZED_LOADS.contains(&(word >> 26)))
    };
    FIRST_READS
        .iter()
        .find(|(kernel, _)| *kernel == name)
        .is_none_or(|(_, offsets)| offsets.iter().all(loads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::runtime::code::SLUGGERS;
    use crate::gekko::executable::Section;

    #[test]
    fn a_program_without_symbols_is_the_game() {
        let functions = Functions::new(&[], &Executable::default(), &SLUGGERS, &Program::new());
        assert_eq!(functions.address(FRAME), Some(0x8052_369c));
        let site = functions.locate(0x8052_3ec4);
        assert_eq!((site.function, site.offset), ("one-bone", 0xb8));
        assert_eq!(functions.locate(0x8000_0000).function, "");
    }

    #[test]
    fn given_symbols_come_first() {
        let given = [Symbol { name: FRAME.to_owned(), address: 0x8000_4000, size: 0x100 }];
        let functions = Functions::new(&given, &Executable::default(), &SLUGGERS, &Program::new());
        assert_eq!(functions.locate(0x8000_4010).to_string(), "frame+0x10");
        assert_eq!(functions.address(INIT), None);
    }

    #[test]
    fn a_function_of_unknown_size_claims_no_code_behind_it() {
        const START: u32 = 0x8000_4000;
        let words = [0x6000_0000u32, 0x4e80_0020, 0x6000_0000, 0x7fe0_0008];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let mut program = Program::new();
        program.add(START, &bytes);
        let section = Section { address: START, size: 16, bytes, executable: true };
        let symbol = |name: &str, address, size| Symbol { name: name.to_owned(), address, size };
        let executable = Executable {
            sections: vec![section],
            symbols: vec![symbol("trap", START + 12, 4), symbol("entry", START, 0)],
            ..Executable::default()
        };
        let given = [symbol(FRAME, START, 0)];
        let functions = Functions::new(&given, &executable, &SLUGGERS, &program);
        assert_eq!(functions.locate(START + 4).to_string(), "frame+0x4");
        assert_eq!(functions.locate(START + 8).to_string(), "0x80004008");
        assert_eq!(functions.locate(START + 12).to_string(), "0x8000400c");
        assert_eq!(functions.describe(START + 4).as_deref(), Some("SKNIt+0x4"));
        assert_eq!(functions.describe(START + 8), None);
        assert_eq!(functions.describe(START + 12).as_deref(), Some("trap+0x0"));
        assert_eq!(functions.describe(START + 16), None);
    }

    #[test]
    fn a_kernel_of_the_listed_size_is_as_listed_only_if_it_reads_there() {
        let symbol = Symbol { name: "SKN1Vecs16Norms16".to_owned(), address: 0x8000_4000, size: 0x10c };
        let functions = |word: u32| {
            let mut program = Program::new();
            program.add(0x8000_4000, &word.to_be_bytes().repeat(0x43));
            Functions::new(std::slice::from_ref(&symbol), &Executable::default(), &SLUGGERS, &program)
        };
        assert_eq!(functions(0xe000_0000).start_as_listed("one-bone"), Some(0x8000_4000));
        assert_eq!(functions(0x6000_0000).start_as_listed("one-bone"), None);
        assert_eq!(functions(0x6000_0000).locate(0x8000_4010).to_string(), "one-bone+0x10");
    }
}
