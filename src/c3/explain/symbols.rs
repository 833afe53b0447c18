//! Functions by address: the built-in tables of two games, and map files.

use std::collections::BTreeMap;

/// A function of a game or a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Address of the first instruction.
    pub address: u32,
    /// Bytes, where known.
    pub size: Option<u32>,
    /// Name.
    pub name: String,
}

/// Functions in order of their addresses.
#[derive(Debug, Clone, Default)]
pub struct SymbolTable {
    by_address: BTreeMap<u32, Symbol>,
}

/// Bytes within which a function of unknown size is believed to hold an instruction.
const REACH: u32 = 0x4000;

impl SymbolTable {
    /// Adds a function; the later of two at one address wins.
    pub fn add(&mut self, symbol: Symbol) {
        self.by_address.insert(symbol.address, symbol);
    }

    /// The function that holds an instruction, and the offset in it.
    pub fn find(&self, pc: u32) -> Option<(&Symbol, u32)> {
        let (&address, symbol) = self.by_address.range(..=pc).next_back()?;
        let offset = pc - address;
        (offset < symbol.size.unwrap_or(REACH)).then_some((symbol, offset))
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        self.by_address.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    /// Reads a map: Dolphin's (`address size address number name`) or CodeWarrior's (`offset size address
    /// [file offset] alignment name object`). Lines of neither form are passed over.
    pub fn parse(map: &str) -> Self {
        let mut table = Self::default();
        for symbol in map.lines().filter_map(map_line) {
            table.add(symbol);
        }
        table
    }
}

fn map_line(line: &str) -> Option<Symbol> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let hex = |index: usize| words.get(index).and_then(|word| u32::from_str_radix(word, 16).ok());
    let (first, size, address) = (hex(0)?, hex(1)?, hex(2)?);
    let code = |address: u32| (0x8000_0000..0x9800_0000).contains(&address);
    // What follows is an alignment or a number, with or without a file offset before it.
    let mut name = 3;
    while words.get(name).is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_hexdigit()) && name < 5) {
        name += 1;
    }
    let words = words.get(name..).filter(|words| !words.is_empty())?;
    // Dolphin's names may hold spaces; CodeWarrior's end where the object's name begins.
    let dolphin = first == address;
    let name = if dolphin { words.join(" ") } else { words[0].to_owned() };
    (code(address) && size > 0 && !name.starts_with('.')).then_some(Symbol {
        address,
        size: Some(size),
        name,
    })
}

/// A game whose functions are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Game {
    /// Mario Super Sluggers (Wii).
    Sluggers,
    /// Mario Superstar Baseball (GameCube).
    Superstar,
}

impl Game {
    /// Every game.
    pub const ALL: [Self; 2] = [Self::Sluggers, Self::Superstar];

    /// The game's identifier.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Sluggers => "RMBE01",
            Self::Superstar => "GYQE01",
        }
    }

    /// Its functions. \[sizes: public symbol lists; names of Sluggers by exact size match\]
    pub fn symbols(self) -> SymbolTable {
        let list = match self {
            Self::Sluggers => SLUGGERS,
            Self::Superstar => SUPERSTAR,
        };
        let mut table = SymbolTable::default();
        for &(address, size, name) in list {
            let size = (size != 0).then_some(size);
            table.add(Symbol { address, size, name: name.to_owned() });
        }
        table
    }
}

const SLUGGERS: &[(u32, u32, &str)] = &[
    (0x8052_3310, 0x13C, "SKNLoad"),
    (0x8052_3670, 0x28, "SKNFlushByIndex"),
    (0x8052_369C, 0x6AC, "SKNIt"),
    (0x8052_3D48, 0xA8, "SKNInit"),
    (0x8052_3DF0, 0x1C, "SKNBzero32B"),
    (0x8052_3E0C, 0x10C, "SKN1Vecs16Norms16"),
    (0x8052_3F18, 0x220, "SKN2Vecs16Norms16NoTouch"),
    (0x8052_4138, 0x140, "SKNAccVecs16Norms16Iu16"),
    (0x8052_B7B8, 0x100, "texture state handler"),
    (0x8052_C0EC, 0x100, "vertex descriptor state handler"),
    (0x8052_D148, 0x100, "pixel state handler"),
    (0x8052_E99C, 0x5D0, "DORender"),
    (0x8059_5350, 8, "PPCMfhid2"),
    (0x8059_7844, 0x2C, "DCInvalidateRange"),
    (0x8059_7870, 0x30, "DCFlushRange"),
    (0x8059_78A0, 0x30, "DCStoreRange"),
    (0x8059_78FC, 0x2C, "DCStoreRangeNoSync"),
    (0x8059_7928, 0x2C, "DCZeroRange"),
    (0x8059_79D8, 0xCC, "__LCEnable"),
    (0x8059_7AA4, 0x38, "LCEnable"),
    (0x8059_7ADC, 0x28, "LCDisable"),
    (0x8059_7B04, 0x24, "LCLoadBlocks"),
    (0x8059_7B28, 0x24, "LCStoreBlocks"),
    (0x8059_7B4C, 0xA0, "LCLoadData"),
    (0x8059_7BEC, 0xA0, "LCStoreData"),
    (0x8059_7C8C, 0x14, "LCQueueWait"),
    (0x8059_7CA0, 0x160, "DMAErrorHandler"),
];

const SUPERSTAR: &[(u32, u32, &str)] = &[
    (0x8006_E8C4, 0x30, "DCStoreRange"),
    (0x8006_EA70, 0x38, "LCEnable"),
    (0x8006_EAD0, 0x24, "LCLoadBlocks"),
    (0x8006_EAF4, 0x24, "LCStoreBlocks"),
    (0x8006_EB18, 0xAC, "LCLoadData"),
    (0x8006_EBC4, 0xAC, "LCStoreData"),
    (0x8006_EC70, 0x14, "LCQueueWait"),
    (0x8007_6A1C, 0x50, "PSMTXReorder"),
    (0x800B_37A4, 0, "BuildBoneSkinOrientationMatrix"),
    (0x800B_4084, 0, "InitBone"),
    (0x800B_4910, 0, "LoadActorLayout"),
    (0x800B_7718, 0, "ANIMTick"),
    (0x800B_87F4, 0, "CTRLBuildInverseMatrix"),
    (0x800B_9508, 0, "CTRLBuildMatrix"),
    (0x800B_C0C4, 0, "DOVARender"),
    (0x800B_CB44, 0, "LoadGeoPalette"),
    (0x800B_D208, 0x38, "GQRSetup7"),
    (0x800B_D240, 0x38, "GQRSetup6"),
    (0x800B_D278, 0x38, "GQRSetup5"),
    (0x800B_F074, 0x130, "SKNLoadFile"),
    (0x800B_F1A4, 0x1C, "SKNFlushByIndex1"),
    (0x800B_F1C0, 0x28, "SKNFlushByIndex2"),
    (0x800B_F1E8, 0x1C, "SKNBzero32B"),
    (0x800B_F204, 0xA4, "SKNInit"),
    (0x800B_F2A8, 0x5F4, "SKNIt (twin)"),
    (0x800B_F89C, 0x5F4, "SKNIt"),
    (0x800B_FE90, 0x10C, "SKN1Vecs16Norms16"),
    (0x800B_FF9C, 0x10C, "SKN1Vecs16Norms16 (twin)"),
    (0x800C_00A8, 0x220, "SKN2Vecs16Norms16NoTouch"),
    (0x800C_02C8, 0x220, "SKN2Vecs16Norms16NoTouch (twin)"),
    (0x800C_04E8, 0x148, "SKNAccVecs16Norms16 (twin)"),
    (0x800C_0630, 0x140, "SKNAccVecs16Norms16Iu16"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_crash_lies_in_the_one_bone_kernel() {
        let table = Game::Sluggers.symbols();
        let (symbol, offset) = table.find(0x8052_3EC4).unwrap();
        assert_eq!((symbol.name.as_str(), offset), ("SKN1Vecs16Norms16", 0xB8));
        let (symbol, offset) = table.find(0x8052_EC90).unwrap();
        assert_eq!((symbol.name.as_str(), offset), ("DORender", 0x2F4));
        assert!(table.find(0x8000_0000).is_none());
    }

    #[test]
    fn functions_of_the_tables_do_not_overlap() {
        for game in Game::ALL {
            let table = game.symbols();
            let all: Vec<_> = table.by_address.values().collect();
            for pair in all.windows(2) {
                let end = pair[0].address + pair[0].size.unwrap_or(4);
                assert!(end <= pair[1].address, "{} and {}", pair[0].name, pair[1].name);
            }
        }
    }

    #[test]
    fn maps_of_both_kinds_are_read() {
        let dolphin = ".text section layout\n80523e0c 0000010c 80523e0c 0 SKN1 Vecs\n";
        let (symbol, offset) =
            SymbolTable::parse(dolphin).find(0x8052_3EC4).map(|(s, o)| (s.clone(), o)).unwrap();
        assert_eq!((symbol.name.as_str(), offset), ("SKN1 Vecs", 0xB8));
        let codewarrior = "  Starting        Virtual\n  address  Size   address\n\
            00000000 0000dc 80003100 00000100  4 __start \tos.a __start.c\n\
            000000dc 000010 800031dc  4 memcpy \tlib.a mem.c\n\
            UNUSED   000040 ........ unused lib.a\n\
            00000000 000200 80003000  1 .init \tx.o\n";
        let table = SymbolTable::parse(codewarrior);
        assert_eq!(table.len(), 2);
        assert_eq!(table.find(0x8000_31E0).unwrap().0.name, "memcpy");
        assert_eq!(table.find(0x8000_3104).unwrap().0.name, "__start");
    }
}
