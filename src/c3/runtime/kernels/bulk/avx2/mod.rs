//! The bulk kernels on eight vertices at a time, with AVX2 and FMA.
//!
//! Everything here is inlined into the three `call`s that `vectorize` runs: only there does the
//! compiler know that the processor has the instructions. (A closure would not be inlined, nor are the
//! standard library's array functions.)

#![allow(clippy::inline_always, reason = "without it the intrinsics are calls: a hundred times slower")]

use std::arch::x86_64::{__m128i, __m256, __m256d, __m256i};

use pulp::NullaryFnOnce;
use pulp::x86::V3;

use super::plan::{Plan, Row};
use super::{Addends, Arithmetic, VERTEX_BYTES, portable};
use crate::c3::runtime::kernels::Columns;
use crate::gekko::paired_single::Rounding;

mod lanes;

use lanes::{BLOCK, LANES, load, store};

/// See [`super::one_bone`].
pub(super) fn one_bone(simd: V3, vertices: &mut [u8], plan: &Plan) {
    simd.vectorize(OneBone { simd, vertices, plan });
}

struct OneBone<'a> {
    simd: V3,
    vertices: &'a mut [u8],
    plan: &'a Plan,
}

impl NullaryFnOnce for OneBone<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (blocks, rest) = self.vertices.as_chunks_mut::<BLOCK>();
        for block in blocks {
            one_bone_block(self.simd, block, self.plan);
        }
        if !rest.is_empty() {
            let mut block = padded(rest);
            one_bone_block(self.simd, &mut block, self.plan);
            rest.copy_from_slice(&block[..rest.len()]);
        }
    }
}

#[inline(always)]
fn one_bone_block(simd: V3, block: &mut [u8; BLOCK], plan: &Plan) {
    let input = Input::new(simd, load(simd, block), !plan.single);
    store(simd, block, transform(simd, plan, &input));
}

/// See [`super::two_bone`].
pub(super) fn two_bone(simd: V3, vertices: &mut [u8], weights: &[u8], plans: [&Plan; 2]) {
    simd.vectorize(TwoBone { simd, vertices, weights, plans });
}

struct TwoBone<'a> {
    simd: V3,
    vertices: &'a mut [u8],
    weights: &'a [u8],
    plans: [&'a Plan; 2],
}

impl NullaryFnOnce for TwoBone<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (blocks, rest) = self.vertices.as_chunks_mut::<BLOCK>();
        let (pairs, rest_pairs) = self.weights.as_chunks::<{ 2 * LANES }>();
        for (block, pairs) in blocks.iter_mut().zip(pairs) {
            two_bone_block(self.simd, block, pairs, self.plans);
        }
        if !rest.is_empty() {
            let mut block = padded(rest);
            two_bone_block(self.simd, &mut block, &padded(rest_pairs), self.plans);
            rest.copy_from_slice(&block[..rest.len()]);
        }
    }
}

#[inline(always)]
fn two_bone_block(simd: V3, block: &mut [u8; BLOCK], weights: &[u8; 2 * LANES], plans: [&Plan; 2]) {
    let [w0, w1] = weight_pairs(simd, weights);
    let input = Input::new(simd, load(simd, block), !(plans[0].single && plans[1].single));
    let share = scaled(simd, transform(simd, plans[0], &input), simd.avx._mm256_cvtepi32_ps(w0));
    let sum = blend(simd, transform(simd, plans[1], &input), w1, share, plans[0].rounding);
    store(simd, block, sum);
}

#[inline(always)]
fn scaled(simd: V3, [x, y, z, nx, ny, nz]: [__m256; 6], by: __m256) -> [__m256; 6] {
    [
        simd.avx._mm256_mul_ps(x, by),
        simd.avx._mm256_mul_ps(y, by),
        simd.avx._mm256_mul_ps(z, by),
        simd.avx._mm256_mul_ps(nx, by),
        simd.avx._mm256_mul_ps(ny, by),
        simd.avx._mm256_mul_ps(nz, by),
    ]
}

/// See [`super::accumulate`].
pub(super) fn accumulate(
    simd: V3,
    destination: &mut [u8],
    addends: Addends,
    (columns, plan): (&Columns, &Plan),
    arithmetic: Arithmetic,
) {
    simd.vectorize(Accumulate { simd, destination, addends, columns, plan, arithmetic: &arithmetic });
}

struct Accumulate<'a> {
    simd: V3,
    destination: &'a mut [u8],
    addends: Addends<'a>,
    columns: &'a Columns,
    plan: &'a Plan,
    arithmetic: &'a Arithmetic,
}

impl NullaryFnOnce for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Addends { vertices, indices, weights } = self.addends;
        let blocks = vertices.chunks(BLOCK).zip(indices.chunks(2 * LANES)).zip(weights.chunks(LANES));
        for ((vertices, indices), weights) in blocks {
            let Some(slots) = Slots::of(indices) else {
                // A vertex may be added to twice in this block, one after the other.
                let few = Addends { vertices, indices, weights };
                portable::accumulate(self.destination, few, self.columns, *self.arithmetic);
                continue;
            };
            let mut block = slots.read(self.destination);
            accumulate_block(self.simd, &mut block, &padded(vertices), padded(weights), self.plan);
            slots.write(self.destination, &block);
        }
    }
}

#[inline(always)]
fn accumulate_block(
    simd: V3,
    block: &mut [u8; BLOCK],
    vertices: &[u8; BLOCK],
    weights: [u8; 2 * LANES],
    plan: &Plan,
) {
    let input = Input::new(simd, load(simd, vertices), !plan.single);
    let weights = simd.avx2._mm256_cvtepu8_epi32(pulp::cast(weights));
    let [x, y, z, nx, ny, nz] = load(simd, block);
    let before = [low(simd, x), low(simd, y), low(simd, z), low(simd, nx), low(simd, ny), low(simd, nz)];
    let transformed = transform(simd, plan, &input);
    store(simd, block, blend(simd, transformed, weights, before, plan.rounding));
}

/// Integers in the upper half of their lanes as singles.
#[inline(always)]
fn low(simd: V3, lanes: __m256i) -> __m256 {
    simd.avx._mm256_cvtepi32_ps(simd.avx2._mm256_srai_epi32::<16>(lanes))
}

/// Where the vertices of a block lie in the destination: no two at the same place.
struct Slots {
    starts: [usize; LANES],
    count: usize,
}

impl Slots {
    /// `None` if the indices (at most eight, big-endian) do not ascend.
    #[inline(always)]
    fn of(indices: &[u8]) -> Option<Self> {
        let mut slots = Self { starts: [0; LANES], count: indices.len() / 2 };
        for (start, index) in slots.starts.iter_mut().zip(indices.chunks_exact(2)) {
            *start = usize::from(u16::from_be_bytes([index[0], index[1]])) * VERTEX_BYTES;
        }
        let used = &slots.starts[..slots.count];
        used.windows(2).all(|pair| pair[0] < pair[1]).then_some(slots)
    }

    #[inline(always)]
    fn read(&self, destination: &[u8]) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        for (vertex, &start) in block.chunks_exact_mut(VERTEX_BYTES).zip(&self.starts[..self.count]) {
            vertex.copy_from_slice(&destination[start..start + VERTEX_BYTES]);
        }
        block
    }

    #[inline(always)]
    fn write(&self, destination: &mut [u8], block: &[u8; BLOCK]) {
        for (vertex, &start) in block.chunks_exact(VERTEX_BYTES).zip(&self.starts[..self.count]) {
            destination[start..start + VERTEX_BYTES].copy_from_slice(vertex);
        }
    }
}

/// The bytes and zeros after them.
#[inline(always)]
fn padded<const N: usize>(bytes: &[u8]) -> [u8; N] {
    if let Ok(whole) = bytes.try_into() {
        return whole;
    }
    let mut padded = [0; N];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

/// Eight pairs of weight bytes as integers.
#[inline(always)]
fn weight_pairs(simd: V3, bytes: &[u8; 2 * LANES]) -> [__m256i; 2] {
    let pairs = simd.avx2._mm256_cvtepu16_epi32(pulp::cast::<_, __m128i>(*bytes));
    let first = simd.avx2._mm256_and_si256(pairs, simd.avx._mm256_set1_epi32(0xff));
    [first, simd.avx2._mm256_srli_epi32::<8>(pairs)]
}

/// Eight doubles: the lower four lanes and the upper four.
type Wide = [__m256d; 2];

#[inline(always)]
fn widen(simd: V3, lanes: __m256) -> Wide {
    [
        simd.avx._mm256_cvtps_pd(simd.avx._mm256_castps256_ps128(lanes)),
        simd.avx._mm256_cvtps_pd(simd.avx._mm256_extractf128_ps::<1>(lanes)),
    ]
}

/// `a * c + b` as Dolphin rounds it: to double, then to single. The product is exact in a double:
/// fused or not, the first is one rounding.
#[inline(always)]
fn multiply_add_twice_rounded(simd: V3, a: Wide, c: Wide, b: Wide) -> __m256 {
    let lower = simd.avx._mm256_cvtpd_ps(simd.fma._mm256_fmadd_pd(a[0], c[0], b[0]));
    let upper = simd.avx._mm256_cvtpd_ps(simd.fma._mm256_fmadd_pd(a[1], c[1], b[1]));
    simd.avx._mm256_set_m128(upper, lower)
}

/// The six components of eight vertices, as singles, and as doubles where a plan needs those.
struct Input {
    lanes: [__m256; 6],
    wide: [Wide; 6],
}

impl Input {
    #[inline(always)]
    fn new(simd: V3, [x, y, z, nx, ny, nz]: [__m256i; 6], wide: bool) -> Self {
        let single = simd.avx;
        let lanes = [
            single._mm256_cvtepi32_ps(x),
            single._mm256_cvtepi32_ps(y),
            single._mm256_cvtepi32_ps(z),
            single._mm256_cvtepi32_ps(nx),
            single._mm256_cvtepi32_ps(ny),
            single._mm256_cvtepi32_ps(nz),
        ];
        let mut input = Self { lanes, wide: [[simd.avx._mm256_setzero_pd(); 2]; 6] };
        if wide {
            for (wide, lanes) in input.wide.iter_mut().zip(lanes) {
                *wide = widen(simd, lanes);
            }
        }
        input
    }
}

/// Positions and normals of eight vertices through a matrix.
#[inline(always)]
fn transform(simd: V3, plan: &Plan, input: &Input) -> [__m256; 6] {
    let [x, nx] = transform_row(simd, &plan.rows[0], input);
    let [y, ny] = transform_row(simd, &plan.rows[1], input);
    let [z, nz] = transform_row(simd, &plan.rows[2], input);
    [x, y, z, nx, ny, nz]
}

/// One component of the position and of the normal, in the library's order of operations. [listing]
#[inline(always)]
fn transform_row(simd: V3, row: &Row, input: &Input) -> [__m256; 2] {
    let mut position = simd.avx._mm256_set1_ps(row.translation);
    let mut normal = simd.avx._mm256_mul_ps(simd.avx._mm256_set1_ps(row.cells[0]), input.lanes[3]);
    for cell in 0..3 {
        position = add_product(simd, (row, cell), row.position[cell], (input, cell), position);
    }
    for cell in 1..3 {
        normal = add_product(simd, (row, cell), row.normal[cell], (input, 3 + cell), normal);
    }
    [position, normal]
}

/// A cell times a component added to a sum: fused in single precision where that is right.
#[inline(always)]
fn add_product(
    simd: V3,
    (row, cell): (&Row, usize),
    right: bool,
    (input, component): (&Input, usize),
    sum: __m256,
) -> __m256 {
    if right {
        simd.fma._mm256_fmadd_ps(simd.avx._mm256_set1_ps(row.cells[cell]), input.lanes[component], sum)
    } else {
        let cell = simd.avx._mm256_set1_pd(row.wide_cells[cell]);
        multiply_add_twice_rounded(simd, [cell; 2], input.wide[component], widen(simd, sum))
    }
}

/// `vertex * weight + addend` for six components. Nothing is known of the sizes here.
#[inline(always)]
fn blend(
    simd: V3,
    mut vertex: [__m256; 6],
    weights: __m256i,
    addend: [__m256; 6],
    rounding: Rounding,
) -> [__m256; 6] {
    let single = simd.avx._mm256_cvtepi32_ps(weights);
    let wide = widen(simd, single);
    for index in 0..6 {
        vertex[index] = if rounding == Rounding::Exact {
            simd.fma._mm256_fmadd_ps(vertex[index], single, addend[index])
        } else {
            let (vertex, addend) = (widen(simd, vertex[index]), widen(simd, addend[index]));
            multiply_add_twice_rounded(simd, vertex, wide, addend)
        };
    }
    vertex
}
