//! Eight vertices, big-endian and interleaved in memory, as one vector a component, and back.
//!
//! Each half of a 256-bit register handles four vertices: 48 bytes, twelve pairs of components. The
//! pairs (x,y), (z,nx), (ny,nz) of four vertices lie at different places of the three 16-byte pieces,
//! so that blending the pieces brings them together and one byte shuffle puts them in order.

use std::arch::x86_64::{__m128i, __m256, __m256i};

use pulp::x86::V3;

/// Vertices of a block.
pub(super) const LANES: usize = 8;
/// Bytes of a block.
pub(super) const BLOCK: usize = LANES * super::VERTEX_BYTES;

/// Where the four vertices' pairs lie after blending, by pair: vertex at place 0, 1, 2, 3.
const PLACES: [[u8; 4]; 3] = [[0, 3, 2, 1], [1, 0, 3, 2], [2, 1, 0, 3]];

/// A byte that shuffles to zero.
const ZERO: u8 = 0x80;

/// Component `half` (0 or 1) of pair `pair`, to the upper half of each lane, in order of the vertices.
const fn spread(pair: usize, half: u8) -> [u8; 32] {
    let mut bytes = [ZERO; 32];
    let mut place = 0;
    while place < 4 {
        let vertex = PLACES[pair][place] as usize;
        let from = 4 * place as u8 + 2 * half;
        bytes[4 * vertex + 2] = from + 1;
        bytes[4 * vertex + 3] = from;
        bytes[16 + 4 * vertex + 2] = from + 1;
        bytes[16 + 4 * vertex + 3] = from;
        place += 1;
    }
    bytes
}

/// Four first and four second components to big-endian pairs at their places.
const fn gather(pair: usize) -> [u8; 32] {
    let mut bytes = [ZERO; 32];
    let mut place = 0;
    while place < 4 {
        let vertex = PLACES[pair][place];
        let mut byte = 0;
        while byte < 4 {
            // Second byte first: from little-endian to big-endian.
            let from = 8 * (byte as u8 / 2) + 2 * vertex + 1 - (byte as u8 % 2);
            bytes[4 * place + byte] = from;
            bytes[16 + 4 * place + byte] = from;
            byte += 1;
        }
        place += 1;
    }
    bytes
}

const SPREAD: [[[u8; 32]; 2]; 3] =
    [[spread(0, 0), spread(0, 1)], [spread(1, 0), spread(1, 1)], [spread(2, 0), spread(2, 1)]];
const GATHER: [[u8; 32]; 3] = [gather(0), gather(1), gather(2)];

/// Brings the pairs of a kind together, or spreads them out again: each of the three results takes
/// its four places from `a`, `b` and `c`.
#[inline(always)]
fn blend_pairs(simd: V3, [a, b, c]: [__m256i; 3]) -> [__m256i; 3] {
    let blend = simd.avx2;
    [
        blend._mm256_blend_epi32::<0b0010_0010>(blend._mm256_blend_epi32::<0b0100_0100>(a, b), c),
        blend._mm256_blend_epi32::<0b0100_0100>(blend._mm256_blend_epi32::<0b1001_1001>(a, b), c),
        blend._mm256_blend_epi32::<0b1001_1001>(blend._mm256_blend_epi32::<0b0010_0010>(a, b), c),
    ]
}

/// 16 bytes of the first four vertices and of the last four.
#[inline(always)]
fn halves(simd: V3, block: &[u8; BLOCK], offset: usize) -> __m256i {
    simd.avx._mm256_set_m128i(piece(block, BLOCK / 2 + offset), piece(block, offset))
}

#[inline(always)]
fn piece(block: &[u8; BLOCK], start: usize) -> __m128i {
    let mut bytes = [0u8; 16];
    bytes.copy_from_slice(&block[start..start + 16]);
    pulp::cast(bytes)
}

/// One component of a pair, in order.
#[inline(always)]
fn component(simd: V3, pair: __m256i, order: [u8; 32]) -> __m256i {
    simd.avx2._mm256_shuffle_epi8(pair, pulp::cast(order))
}

/// The six components of eight vertices as integers, each in the upper half of its lane.
#[inline(always)]
pub(super) fn load(simd: V3, block: &[u8; BLOCK]) -> [__m256i; 6] {
    let pieces = [halves(simd, block, 0), halves(simd, block, 16), halves(simd, block, 32)];
    let [xy, zn, nn] = blend_pairs(simd, pieces);
    [
        component(simd, xy, SPREAD[0][0]),
        component(simd, xy, SPREAD[0][1]),
        component(simd, zn, SPREAD[1][0]),
        component(simd, zn, SPREAD[1][1]),
        component(simd, nn, SPREAD[2][0]),
        component(simd, nn, SPREAD[2][1]),
    ]
}

/// Two components as big-endian pairs, truncated and saturated.
#[inline(always)]
fn pair(simd: V3, first: __m256, second: __m256, order: [u8; 32]) -> __m256i {
    let (first, second) = (simd.avx._mm256_cvttps_epi32(first), simd.avx._mm256_cvttps_epi32(second));
    simd.avx2._mm256_shuffle_epi8(simd.avx2._mm256_packs_epi32(first, second), pulp::cast(order))
}

/// Truncates, saturates and stores the six components of eight vertices. Every lane must be smaller
/// than 2^31 in magnitude.
#[inline(always)]
pub(super) fn store(simd: V3, block: &mut [u8; BLOCK], [x, y, z, nx, ny, nz]: [__m256; 6]) {
    let pairs = [pair(simd, x, y, GATHER[0]), pair(simd, z, nx, GATHER[1]), pair(simd, ny, nz, GATHER[2])];
    let [a, b, c] = blend_pieces(simd, pairs);
    put(block, 0, a);
    put(block, 16, b);
    put(block, 32, c);
}

#[inline(always)]
fn put(block: &mut [u8; BLOCK], start: usize, halves: __m256i) {
    let bytes: [u8; 32] = pulp::cast(halves);
    block[start..start + 16].copy_from_slice(&bytes[..16]);
    block[BLOCK / 2 + start..BLOCK / 2 + start + 16].copy_from_slice(&bytes[16..]);
}

/// The inverse of [`blend_pairs`].
#[inline(always)]
fn blend_pieces(simd: V3, [xy, zn, nn]: [__m256i; 3]) -> [__m256i; 3] {
    let blend = simd.avx2;
    [
        blend._mm256_blend_epi32::<0b0100_0100>(blend._mm256_blend_epi32::<0b0010_0010>(xy, zn), nn),
        blend._mm256_blend_epi32::<0b0010_0010>(blend._mm256_blend_epi32::<0b1001_1001>(xy, zn), nn),
        blend._mm256_blend_epi32::<0b1001_1001>(blend._mm256_blend_epi32::<0b0100_0100>(xy, zn), nn),
    ]
}

/// Integers in the upper half of their lanes as singles.
#[inline(always)]
pub(super) fn low(simd: V3, lanes: __m256i) -> __m256 {
    simd.avx._mm256_cvtepi32_ps(simd.avx2._mm256_srai_epi32::<16>(lanes))
}

/// The bytes and zeros after them.
#[inline(always)]
pub(super) fn padded<const N: usize>(bytes: &[u8]) -> [u8; N] {
    if let Ok(whole) = bytes.try_into() {
        return whole;
    }
    let mut padded = [0; N];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

/// Eight pairs of weight bytes as integers.
#[inline(always)]
pub(super) fn weight_pairs(simd: V3, bytes: &[u8; 2 * LANES]) -> [__m256i; 2] {
    let pairs = simd.avx2._mm256_cvtepu16_epi32(pulp::cast::<_, __m128i>(*bytes));
    let first = simd.avx2._mm256_and_si256(pairs, simd.avx._mm256_set1_epi32(0xff));
    [first, simd.avx2._mm256_srli_epi32::<8>(pairs)]
}
