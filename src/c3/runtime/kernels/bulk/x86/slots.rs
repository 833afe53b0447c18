//! Where the accumulate kernel's vertices lie in its destination.

use super::VERTEX_BYTES;
use super::lanes::{BLOCK, LANES};

/// Where the vertices of a block lie in the destination.
pub(super) struct Slots([usize; LANES]);

impl Slots {
    /// Those of big-endian indices.
    #[inline(always)]
    pub(super) fn of(indices: &[u8; 2 * LANES]) -> Self {
        let mut starts = [0; LANES];
        for (start, index) in starts.iter_mut().zip(indices.as_chunks::<2>().0) {
            *start = usize::from(u16::from_be_bytes(*index)) * VERTEX_BYTES;
        }
        Self(starts)
    }

    /// Whether the first of them are in order, no two at the same place.
    #[inline(always)]
    pub(super) fn ascend(&self, count: usize) -> bool {
        self.0[..count].windows(2).all(|pair| pair[0] < pair[1])
    }

    /// The vertices themselves, if they follow one another.
    #[inline(always)]
    pub(super) fn neighbours<'a>(&self, destination: &'a mut [u8]) -> Option<&'a mut [u8; BLOCK]> {
        let first = self.0[0];
        let follow = self.0.windows(2).all(|pair| pair[0] + VERTEX_BYTES == pair[1]);
        if follow { destination.get_mut(first..first + BLOCK)?.try_into().ok() } else { None }
    }

    #[inline(always)]
    pub(super) fn read(&self, destination: &[u8], count: usize) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        for (vertex, &start) in block.as_chunks_mut::<VERTEX_BYTES>().0.iter_mut().zip(&self.0[..count]) {
            vertex.copy_from_slice(&destination[start..start + VERTEX_BYTES]);
        }
        block
    }

    #[inline(always)]
    pub(super) fn write(&self, destination: &mut [u8], block: &[u8; BLOCK], count: usize) {
        for (vertex, &start) in block.as_chunks::<VERTEX_BYTES>().0.iter().zip(&self.0[..count]) {
            destination[start..start + VERTEX_BYTES].copy_from_slice(vertex);
        }
    }
}
