//! The library's functions by name: where a program has them, and whose code an address is.

use crate::c3::runtime::code::GameCode;
use crate::gekko::executable::{Executable, Symbol};
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

const KNOWN: [Known; 14] = [
    known(FRAME, "frame", 0x6ac),
    known(INIT, "init", 0xa8),
    known("SKN1Vecs16Norms16", "one-bone", 0x10c),
    known("SKN2Vecs16Norms16NoTouch", "two-bone", 0x220),
    known("SKN2Vecs16Norms16", "two-bone", 0x220),
    known("SKNAccVecs16Norms16Iu16", "accumulate", 0x140),
    known("SKNBzero32B", "clear", 0x1c),
    known("SKNFlushByIndex", "flush", 0x28),
    known("LCLoadBlocks", "load-blocks", 0x24),
    known("LCStoreBlocks", "store-blocks", 0x24),
    known("LCLoadData", "load-data", 0xa0),
    known("LCStoreData", "store-data", 0xa0),
    known("LCQueueWait", "queue-wait", 0x14),
    known("DCStoreRange", "store-range", 0x5c),
];

/// Addresses that a game has beyond those that faults name. [formats.md 4]
struct GameAddresses {
    game: &'static str,
    frame: u32,
    init: u32,
    small_data: Option<(u32, u32)>,
}

const GAMES: [GameAddresses; 2] = [
    GameAddresses {
        game: "RMBE01",
        frame: 0x8052_369c,
        init: 0x8052_3d48,
        small_data: Some((0x8079_61c0, 0x8079_edc0)),
    },
    GameAddresses { game: "GYQE01", frame: 0x800b_f89c, init: 0x800b_f204, small_data: None },
];

/// A function in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placed {
    name: &'static str,
    start: u32,
    size: u32,
}

/// Where the functions of a program lie.
#[derive(Debug, Clone, Default)]
pub struct Functions {
    symbols: Vec<Symbol>,
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
            symbols.extend(game_symbols(code));
            small_data = addresses(code).and_then(|game| game.small_data);
        }
        let mut placed: Vec<Placed> = Vec::new();
        for known in &KNOWN {
            let found = symbols.iter().find(|symbol| symbol.name == known.symbol);
            if let Some(symbol) = found.filter(|_| placed.iter().all(|other| other.name != known.name)) {
                let size = if symbol.size == 0 { known.size } else { symbol.size };
                placed.push(Placed { name: known.name, start: symbol.address, size });
            }
        }
        Self { symbols, placed, small_data }
    }

    /// Address of a function by its symbol.
    pub fn address(&self, symbol: &str) -> Option<u32> {
        self.symbols.iter().find(|entry| entry.name == symbol).map(|entry| entry.address)
    }

    /// First address of a function by the name used in faults.
    pub fn start(&self, name: &str) -> Option<u32> {
        self.placed.iter().find(|function| function.name == name).map(|function| function.start)
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

fn addresses(code: &GameCode) -> Option<&'static GameAddresses> {
    GAMES.iter().find(|game| game.game == code.game)
}

fn game_symbols(code: &GameCode) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = KNOWN
        .iter()
        .filter_map(|known| {
            let functions = [
                code.one_bone,
                code.two_bone,
                code.accumulate,
                code.clear,
                code.flush,
                code.load_blocks,
                code.store_blocks,
            ];
            let base = functions.into_iter().find(|function| function.name == known.name)?.base?;
            Some(Symbol { name: known.symbol.to_owned(), address: base, size: known.size })
        })
        .collect();
    if let Some(game) = addresses(code) {
        for (name, address) in [(FRAME, game.frame), (INIT, game.init)] {
            symbols.push(Symbol { name: name.to_owned(), address, size: 0 });
        }
    }
    symbols
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
