//! The library's functions by name: where a program has them, and whose code an address is.

use crate::c3::games::Game;
use crate::c3::runtime::code::GameCode;
use crate::gekko::executable::{Executable, Symbol, SymbolTable};
use crate::gekko::fault::Site;

/// A function of the library: its name in symbol maps, the name used in faults, its size in bytes
/// where the program does not tell. [symbols; formats.md 4]
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
    /// From the symbols given and the file's own; a program without an `SKNIt` among them is taken
    /// for the game `code`.
    pub fn new(given: &[Symbol], executable: &Executable, code: &GameCode) -> Self {
        let mut symbols: Vec<Symbol> = given.iter().chain(&executable.symbols).cloned().collect();
        let mut small_data = None;
        if !symbols.iter().any(|symbol| symbol.name == FRAME) {
            let game = Game::ALL.into_iter().find(|game| game.id() == code.game);
            symbols.extend(game.iter().flat_map(|game| game.symbols().iter().cloned().collect::<Vec<_>>()));
            small_data = SMALL_DATA.into_iter().find(|(of, _)| Some(*of) == game).map(|(_, both)| both);
        }
        let mut placed: Vec<Placed> = Vec::new();
        for known in &KNOWN {
            let found = symbols.iter().find(|symbol| symbol.name == known.symbol);
            if let Some(symbol) = found.filter(|_| placed.iter().all(|other| other.name != known.name)) {
                let size = if symbol.size == 0 { known.size } else { symbol.size };
                let as_listed = size == known.size;
                placed.push(Placed { name: known.name, start: symbol.address, size, as_listed });
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
            .filter(|function| pc.wrapping_sub(function.start) < function.size)
            .max_by_key(|function| function.start);
        match holding {
            Some(function) => Site { function: function.name, offset: pc - function.start, pc: Some(pc) },
            None => Site { function: "", offset: 0, pc: Some(pc) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::runtime::code::SLUGGERS;

    #[test]
    fn a_program_without_symbols_is_the_game() {
        let functions = Functions::new(&[], &Executable::default(), &SLUGGERS);
        assert_eq!(functions.address(FRAME), Some(0x8052_369c));
        let site = functions.locate(0x8052_3ec4);
        assert_eq!((site.function, site.offset), ("one-bone", 0xb8));
        assert_eq!(functions.locate(0x8000_0000).function, "");
    }

    #[test]
    fn given_symbols_come_first() {
        let given = [Symbol { name: FRAME.to_owned(), address: 0x8000_4000, size: 0x100 }];
        let functions = Functions::new(&given, &Executable::default(), &SLUGGERS);
        assert_eq!(functions.locate(0x8000_4010).to_string(), "frame+0x10");
        assert_eq!(functions.address(INIT), None);
    }
}
