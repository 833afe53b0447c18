//! The locked cache and its DMA registers. What the program asks is OR-ed into two registers; what
//! the transfer does is decoded from them. The two differ as soon as an address is not line-aligned
//! or a count exceeds the seven bits of the length field. [listing; machine.md A3: H]

use super::address::LINE_SIZE;

/// Lines one transfer moves at the most; a length field of 0 means this.
pub const MAX_LINES: u32 = 128;

/// Direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Memory to locked cache.
    Load,
    /// Locked cache to memory.
    Store,
}

/// The two DMA registers, DMAU (SPR 922) and DMAL (SPR 923).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DmaRegisters {
    /// Memory address, bits 0xFFFFFFE0; upper five bits of the length below.
    pub upper: u32,
    /// Locked-cache address, bits 0xFFFFFFE0; load 0x10, lower length 0x0C, trigger 0x02, flush 0x01.
    pub lower: u32,
}

/// DMAL: memory to locked cache.
pub const DMAL_LOAD: u32 = 0x10;
/// DMAL: start the transfer.
pub const DMAL_TRIGGER: u32 = 0x02;

/// What the hardware makes of the registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// Direction.
    pub direction: Direction,
    /// Memory address, line-aligned.
    pub memory: u32,
    /// Locked-cache address, line-aligned.
    pub cache: u32,
    /// Lines moved, 1..=128.
    pub lines: u32,
}

impl DmaRegisters {
    /// What the library's block routines write for `lines` lines: the parts OR-ed together, nothing
    /// masked but the memory address's top bits. [listing]
    pub fn as_written(direction: Direction, memory: u32, cache: u32, lines: u32, memory_mask: u32) -> Self {
        let load = match direction {
            Direction::Load => DMAL_LOAD,
            Direction::Store => 0,
        };
        Self {
            upper: (memory & memory_mask) | ((lines >> 2) & 0x1f),
            lower: cache | ((lines & 3) << 2) | load | DMAL_TRIGGER,
        }
    }

    /// Decodes the fields.
    pub fn transfer(self) -> Transfer {
        let field = ((self.upper & 0x1f) << 2) | ((self.lower >> 2) & 3);
        Transfer {
            direction: if self.lower & DMAL_LOAD == 0 { Direction::Store } else { Direction::Load },
            memory: self.upper & !0x1f,
            cache: self.lower & !0x1f,
            lines: if field == 0 { MAX_LINES } else { field },
        }
    }
}

impl Transfer {
    /// Bytes moved.
    pub fn bytes(&self) -> u32 {
        self.lines * LINE_SIZE
    }
}

/// The memory behind 0xE0000000.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedCache {
    bytes: Vec<u8>,
}

impl LockedCache {
    /// `size` bytes of zeros.
    pub fn new(size: usize) -> Self {
        Self { bytes: vec![0; size] }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no bytes; never the case in a machine.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, to write to.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The bytes of a range, if it lies inside.
    #[inline]
    pub fn get(&self, offset: usize, size: usize) -> Option<&[u8]> {
        self.bytes.get(offset..offset.checked_add(size)?)
    }

    /// The bytes of a range to write to, if it lies inside.
    #[inline]
    pub fn get_mut(&mut self, offset: usize, size: usize) -> Option<&mut [u8]> {
        self.bytes.get_mut(offset..offset.checked_add(size)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(memory: u32, lines: u32) -> Transfer {
        DmaRegisters::as_written(Direction::Load, memory, 0xe000_0000, lines, 0x1fff_ffff).transfer()
    }

    #[test]
    fn a_length_of_zero_moves_128_lines_and_129_moves_one() {
        assert_eq!(asked(0x8040_0000, 5).lines, 5);
        assert_eq!(asked(0x8040_0000, 0).lines, 128);
        assert_eq!(asked(0x8040_0000, 128).lines, 128);
        assert_eq!(asked(0x8040_0000, 129).lines, 1);
        assert_eq!(asked(0x8040_0000, 200).lines, 72);
    }

    #[test]
    fn an_unaligned_memory_address_leaks_into_the_length() {
        let transfer = asked(0x8040_0004, 1);
        assert_eq!(transfer.memory, 0x0040_0000);
        assert_eq!(transfer.lines, 4 << 2 | 1);
    }
}
