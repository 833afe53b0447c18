//! Main memory as host memory: mapped lazily by the operating system, with a record of the pages
//! that were ever written, so that a copy or a comparison costs what was used, not what is there.

use std::ops::Range;

const PAGE: usize = 0x1000;

/// One bank of zero-initialised memory.
#[derive(Debug)]
pub struct Ram {
    bytes: Vec<u8>,
    /// One flag a page; a byte is cheaper to set than a bit, and this is set at every store.
    written: Vec<bool>,
}

impl Ram {
    /// `size` bytes of zeros. The allocator hands out untouched pages: nothing is cleared here.
    pub fn new(size: usize) -> Self {
        Self { bytes: vec![0; size], written: vec![false; size.div_ceil(PAGE)] }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the bank has no bytes (MEM2 of a GameCube).
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes of a range, if it lies inside the bank.
    #[inline]
    pub fn get(&self, offset: usize, size: usize) -> Option<&[u8]> {
        self.bytes.get(offset..offset.checked_add(size)?)
    }

    /// The bytes of a range to write to, if it lies inside the bank. Its pages count as written.
    #[inline]
    pub fn get_mut(&mut self, offset: usize, size: usize) -> Option<&mut [u8]> {
        let end = offset.checked_add(size)?;
        let slice = self.bytes.get_mut(offset..end)?;
        if size > 0 {
            let (first, last) = (offset / PAGE, (end - 1) / PAGE);
            self.written[first] = true;
            if first != last {
                self.written[first + 1..=last].fill(true);
            }
        }
        Some(slice)
    }

    /// The ranges of pages that were ever written, in ascending order.
    pub fn written_pages(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let pages = self.written.iter().enumerate().filter(|(_, written)| **written);
        pages.map(|(page, _)| page * PAGE..((page + 1) * PAGE).min(self.bytes.len()))
    }
}

impl Clone for Ram {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.len());
        for range in self.written_pages() {
            copy.bytes[range.clone()].copy_from_slice(&self.bytes[range]);
        }
        copy.written.clone_from(&self.written);
        copy
    }
}

impl PartialEq for Ram {
    fn eq(&self, other: &Self) -> bool {
        // Pages that neither side wrote are zero on both.
        self.len() == other.len()
            && self
                .written_pages()
                .chain(other.written_pages())
                .all(|range| self.bytes[range.clone()] == other.bytes[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_holds_what_was_written_and_equals_its_source() {
        let mut ram = Ram::new(0x10_0000);
        ram.get_mut(0xfff, 2).unwrap().copy_from_slice(&[1, 2]);
        let copy = ram.clone();
        assert_eq!(copy.get(0xfff, 2).unwrap(), [1, 2]);
        assert_eq!(copy, ram);
        ram.get_mut(0x8000, 1).unwrap()[0] = 9;
        assert_ne!(copy, ram);
    }

    #[test]
    fn a_range_outside_the_bank_is_none() {
        let mut ram = Ram::new(16);
        assert!(ram.get(12, 8).is_none());
        assert!(ram.get_mut(usize::MAX, 2).is_none());
    }
}
