//! Where the library's functions lie in the games that are known, so that a fault can name its PC.

use crate::gekko::fault::Site;

/// A function of the game: its name here, and its address where known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// Name used in faults ("one-bone").
    pub name: &'static str,
    /// Address of the first instruction.
    pub base: Option<u32>,
}

impl Function {
    /// The instruction `offset` bytes into the function.
    #[inline]
    pub const fn at(self, offset: u32) -> Site {
        let pc = match self.base {
            Some(base) => Some(base.wrapping_add(offset)),
            None => None,
        };
        Site { function: self.name, offset, pc }
    }
}

/// The functions a skinned frame runs through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameCode {
    /// Game identifier.
    pub game: &'static str,
    /// One-bone kernel.
    pub one_bone: Function,
    /// Two-bone kernel.
    pub two_bone: Function,
    /// Accumulate kernel.
    pub accumulate: Function,
    /// The function that clears lines with `dcbz`.
    pub clear: Function,
    /// The function that flushes lines by vertex index.
    pub flush: Function,
    /// The function that draws a display object.
    pub draw: Function,
    /// Block load: one DMA transfer.
    pub load_blocks: Function,
    /// Block store: one DMA transfer.
    pub store_blocks: Function,
    /// Which bits of a memory address the block routines keep.
    pub dma_memory_mask: u32,
}

const fn function(name: &'static str, base: u32) -> Function {
    Function { name, base: Some(base) }
}

/// A function whose instruction offsets nobody has listed: faults in it have no PC.
pub(super) const fn unlisted(name: &'static str) -> Function {
    Function { name, base: None }
}

/// Mario Super Sluggers (Wii). [seed 003; size matches in a public symbol list]
/// The Wii library keeps one more address bit for MEM2. [machine.md A3: H for the SDK; open for the game]
pub const SLUGGERS: GameCode = GameCode {
    game: "RMBE01",
    one_bone: function("one-bone", 0x8052_3e0c),
    two_bone: function("two-bone", 0x8052_3f18),
    accumulate: function("accumulate", 0x8052_4138),
    clear: function("clear", 0x8052_3df0),
    flush: function("flush", 0x8052_3670),
    draw: function("draw", 0x8052_e99c),
    load_blocks: function("load-blocks", 0x8059_7b04),
    store_blocks: function("store-blocks", 0x8059_7b28),
    dma_memory_mask: 0x1fff_ffff,
};

/// Mario Superstar Baseball (GameCube). [symbols]
pub const SUPERSTAR: GameCode = GameCode {
    game: "GYQE01",
    one_bone: function("one-bone", 0x800b_fe90),
    two_bone: function("two-bone", 0x800c_00a8),
    accumulate: function("accumulate", 0x800c_0630),
    clear: function("clear", 0x800b_f1e8),
    // Of the two functions of this name, the one of 0x28 bytes, as Sluggers has. [symbols]
    flush: function("flush", 0x800b_f1c0),
    // Another build of the function: the offset of the read is not known there.
    draw: unlisted("draw"),
    load_blocks: function("load-blocks", 0x8006_ead0),
    store_blocks: function("store-blocks", 0x8006_eaf4),
    dma_memory_mask: 0x0fff_ffff,
};

/// Offset of the instruction that starts a transfer in the block routines: the last but one of nine.
/// [derived from their size, 0x24]
pub(super) const BLOCK_TRIGGER: u32 = 0x1c;

/// Offset of the `dcbz` in the clear function: the fourth of seven instructions. [derived from its size, 0x1C]
pub(super) const CLEAR_DCBZ: u32 = 0x0c;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_pc_is_the_one_bone_kernels_next_vertex_load() {
        assert_eq!(SLUGGERS.one_bone.at(0xb8).pc, Some(0x8052_3ec4));
        assert_eq!(SLUGGERS.two_bone.at(0x19c).pc, Some(0x8052_40b4));
    }
}
