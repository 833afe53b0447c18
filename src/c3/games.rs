//! The functions of two games by address, as far as anyone has listed them.

use crate::gekko::executable::{Symbol, SymbolTable};

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
            table.add(Symbol { name: name.to_owned(), address, size });
        }
        table
    }
}

const SLUGGERS: &[(u32, u32, &str)] = &[
    // One instruction of a function whose start nobody has listed. [formats.md 4: inside actor/geo load]
    (0x804F_F694, 4, "loading of actors (start unknown)"),
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
    (0x800B_F1A4, 0x1C, "SKNFlushByIndex (other)"),
    (0x800B_F1C0, 0x28, "SKNFlushByIndex"),
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
            let all: Vec<_> = table.iter().collect();
            for pair in all.windows(2) {
                let end = pair[0].address + pair[0].size.max(4);
                assert!(end <= pair[1].address, "{} and {}", pair[0].name, pair[1].name);
            }
        }
    }
}
