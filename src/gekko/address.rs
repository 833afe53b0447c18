//! Addresses of the machine and its cache lines.

use std::fmt;

/// Size of a cache line in bytes. [machine.md: H]
pub const LINE_SIZE: u32 = 32;

/// Size of a virtual-memory page in bytes; Dolphin splits an access that crosses one.
pub const PAGE_SIZE: u32 = 0x1000;

/// An effective address: what a program computes, before translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EffectiveAddress(pub u32);

/// A physical address: what the bus sees, after translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PhysicalAddress(pub u32);

impl EffectiveAddress {
    /// The address `bytes` further on; it wraps as a 32-bit register does.
    #[must_use]
    pub fn offset(self, bytes: u32) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
}

impl fmt::Display for EffectiveAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

impl fmt::Display for PhysicalAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

/// The start of the cache line that holds `address`.
#[must_use]
pub const fn line_start(address: u32) -> u32 {
    address & !(LINE_SIZE - 1)
}

/// `value` rounded up to a whole number of cache lines (wrapping as 32-bit code does).
#[must_use]
pub const fn align_to_line(value: u32) -> u32 {
    value.wrapping_add(LINE_SIZE - 1) & !(LINE_SIZE - 1)
}

/// Whether an access of `size` bytes at `address` crosses a page.
#[must_use]
pub const fn crosses_page(address: u32, size: u32) -> bool {
    (address & (PAGE_SIZE - 1)) + size > PAGE_SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_pages() {
        assert_eq!(line_start(0x8000_003f), 0x8000_0020);
        assert_eq!(align_to_line(1), 32);
        assert_eq!(align_to_line(32), 32);
        assert!(crosses_page(0xe003_fffe, 4));
        assert!(!crosses_page(0xe003_fffc, 4));
    }
}
