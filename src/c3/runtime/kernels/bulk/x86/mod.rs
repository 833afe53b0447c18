//! The bulk kernels on eight vertices at a time, with AVX2 and FMA, doubles with AVX-512 where there is one.
//!
//! Everything here is inlined into the three `call`s that `vectorize` runs: only there does the
//! compiler know that the processor has the instructions. (A closure would not be inlined, nor are the
//! standard library's array functions.)

#![allow(clippy::inline_always, reason = "without it the intrinsics are calls: a hundred times slower")]

use std::arch::x86_64::{__m128i, __m256, __m256i};

use pulp::NullaryFnOnce;
use pulp::x86::V3;

use super::plan::{Plan, Row};
use super::{Addends, Arithmetic, VERTEX_BYTES, portable};
use crate::c3::runtime::kernels::Columns;
use crate::gekko::paired_single::Rounding;

mod lanes;
mod units;

use lanes::{BLOCK, LANES, load, store};
use units::Unit;

/// See [`super::one_bone`].
pub(super) fn one_bone(unit: impl Unit, vertices: &mut [u8], plan: &Plan) {
    unit.vectorize(OneBone { unit, vertices, plan });
}

struct OneBone<'a, U> {
    unit: U,
    vertices: &'a mut [u8],
    plan: &'a Plan,
}

impl<U: Unit> NullaryFnOnce for OneBone<'_, U> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (blocks, rest) = self.vertices.as_chunks_mut::<BLOCK>();
        for block in blocks {
            one_bone_block(self.unit, block, self.plan);
        }
        if !rest.is_empty() {
            let mut block = padded(rest);
            one_bone_block(self.unit, &mut block, self.plan);
            rest.copy_from_slice(&block[..rest.len()]);
        }
    }
}

#[inline(always)]
fn one_bone_block<U: Unit>(unit: U, block: &mut [u8; BLOCK], plan: &Plan) {
    let simd = unit.v3();
    let input = Input::new(unit, load(simd, block), !plan.single);
    store(simd, block, transform(unit, plan, &input));
}

/// See [`super::two_bone`].
pub(super) fn two_bone(unit: impl Unit, vertices: &mut [u8], weights: &[u8], plans: [&Plan; 2]) {
    unit.vectorize(TwoBone { unit, vertices, weights, plans });
}

struct TwoBone<'a, U> {
    unit: U,
    vertices: &'a mut [u8],
    weights: &'a [u8],
    plans: [&'a Plan; 2],
}

impl<U: Unit> NullaryFnOnce for TwoBone<'_, U> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (blocks, rest) = self.vertices.as_chunks_mut::<BLOCK>();
        let (pairs, rest_pairs) = self.weights.as_chunks::<{ 2 * LANES }>();
        for (block, pairs) in blocks.iter_mut().zip(pairs) {
            two_bone_block(self.unit, block, pairs, self.plans);
        }
        if !rest.is_empty() {
            let mut block = padded(rest);
            two_bone_block(self.unit, &mut block, &padded(rest_pairs), self.plans);
            rest.copy_from_slice(&block[..rest.len()]);
        }
    }
}

#[inline(always)]
fn two_bone_block<U: Unit>(unit: U, block: &mut [u8; BLOCK], weights: &[u8; 2 * LANES], plans: [&Plan; 2]) {
    let simd = unit.v3();
    let [w0, w1] = weight_pairs(simd, weights);
    let input = Input::new(unit, load(simd, block), !(plans[0].single && plans[1].single));
    let share = scaled(simd, transform(unit, plans[0], &input), simd.avx._mm256_cvtepi32_ps(w0));
    let sum = blend(unit, transform(unit, plans[1], &input), w1, share, plans[0].rounding);
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
    unit: impl Unit,
    destination: &mut [u8],
    addends: Addends,
    (columns, plan): (&Columns, &Plan),
    arithmetic: Arithmetic,
) {
    unit.vectorize(Accumulate { unit, destination, addends, columns, plan, arithmetic: &arithmetic });
}

struct Accumulate<'a, U> {
    unit: U,
    destination: &'a mut [u8],
    addends: Addends<'a>,
    columns: &'a Columns,
    plan: &'a Plan,
    arithmetic: &'a Arithmetic,
}

impl<U: Unit> NullaryFnOnce for Accumulate<'_, U> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Addends { vertices, indices, weights } = self.addends;
        let (blocks, rest) = vertices.as_chunks::<BLOCK>();
        let (places, rest_places) = indices.as_chunks::<{ 2 * LANES }>();
        let (shares, rest_shares) = weights.as_chunks::<LANES>();
        for ((block, places), shares) in blocks.iter().zip(places).zip(shares) {
            let slots = Slots::of(places);
            if let Some(sums) = slots.neighbours(self.destination) {
                accumulate_block(self.unit, sums, block, padded(shares), self.plan);
            } else if slots.ascend(LANES) {
                let mut sums = slots.read(self.destination, LANES);
                accumulate_block(self.unit, &mut sums, block, padded(shares), self.plan);
                slots.write(self.destination, &sums, LANES);
            } else {
                // A vertex may be added to twice in this block, one after the other.
                let few = Addends { vertices: block, indices: places, weights: shares };
                portable::accumulate(self.destination, few, self.columns, *self.arithmetic);
            }
        }
        if !rest.is_empty() {
            self.fewer_than_eight(Addends { vertices: rest, indices: rest_places, weights: rest_shares });
        }
    }
}

impl<U: Unit> Accumulate<'_, U> {
    #[inline(always)]
    fn fewer_than_eight(self, addends: Addends) {
        let Addends { vertices, indices, weights } = addends;
        let count = weights.len();
        let slots = Slots::of(&padded(indices));
        if !slots.ascend(count) {
            return portable::accumulate(self.destination, addends, self.columns, *self.arithmetic);
        }
        let mut sums = slots.read(self.destination, count);
        accumulate_block(self.unit, &mut sums, &padded(vertices), padded(weights), self.plan);
        slots.write(self.destination, &sums, count);
    }
}

#[inline(always)]
fn accumulate_block<U: Unit>(
    unit: U,
    block: &mut [u8; BLOCK],
    vertices: &[u8; BLOCK],
    weights: [u8; 2 * LANES],
    plan: &Plan,
) {
    let simd = unit.v3();
    let input = Input::new(unit, load(simd, vertices), !plan.single);
    let weights = simd.avx2._mm256_cvtepu8_epi32(pulp::cast(weights));
    let [x, y, z, nx, ny, nz] = load(simd, block);
    let before = [low(simd, x), low(simd, y), low(simd, z), low(simd, nx), low(simd, ny), low(simd, nz)];
    let transformed = transform(unit, plan, &input);
    store(simd, block, blend(unit, transformed, weights, before, plan.rounding));
}

/// Integers in the upper half of their lanes as singles.
#[inline(always)]
fn low(simd: V3, lanes: __m256i) -> __m256 {
    simd.avx._mm256_cvtepi32_ps(simd.avx2._mm256_srai_epi32::<16>(lanes))
}

/// Where the vertices of a block lie in the destination.
struct Slots([usize; LANES]);

impl Slots {
    /// Those of big-endian indices.
    #[inline(always)]
    fn of(indices: &[u8; 2 * LANES]) -> Self {
        let mut starts = [0; LANES];
        for (start, index) in starts.iter_mut().zip(indices.as_chunks::<2>().0) {
            *start = usize::from(u16::from_be_bytes(*index)) * VERTEX_BYTES;
        }
        Self(starts)
    }

    /// Whether the first of them are in order, no two at the same place.
    #[inline(always)]
    fn ascend(&self, count: usize) -> bool {
        self.0[..count].windows(2).all(|pair| pair[0] < pair[1])
    }

    /// The vertices themselves, if they follow one another.
    #[inline(always)]
    fn neighbours<'a>(&self, destination: &'a mut [u8]) -> Option<&'a mut [u8; BLOCK]> {
        let first = self.0[0];
        let follow = self.0.windows(2).all(|pair| pair[0] + VERTEX_BYTES == pair[1]);
        if follow { destination.get_mut(first..first + BLOCK)?.try_into().ok() } else { None }
    }

    #[inline(always)]
    fn read(&self, destination: &[u8], count: usize) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        for (vertex, &start) in block.as_chunks_mut::<VERTEX_BYTES>().0.iter_mut().zip(&self.0[..count]) {
            vertex.copy_from_slice(&destination[start..start + VERTEX_BYTES]);
        }
        block
    }

    #[inline(always)]
    fn write(&self, destination: &mut [u8], block: &[u8; BLOCK], count: usize) {
        for (vertex, &start) in block.as_chunks::<VERTEX_BYTES>().0.iter().zip(&self.0[..count]) {
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

/// The six components of eight vertices, as singles, and as doubles where a plan needs those.
struct Input<U: Unit> {
    lanes: [__m256; 6],
    wide: [U::Wide; 6],
}

impl<U: Unit> Input<U> {
    #[inline(always)]
    fn new(unit: U, [x, y, z, nx, ny, nz]: [__m256i; 6], wide: bool) -> Self {
        let single = unit.v3().avx;
        let lanes = [
            single._mm256_cvtepi32_ps(x),
            single._mm256_cvtepi32_ps(y),
            single._mm256_cvtepi32_ps(z),
            single._mm256_cvtepi32_ps(nx),
            single._mm256_cvtepi32_ps(ny),
            single._mm256_cvtepi32_ps(nz),
        ];
        let mut input = Self { lanes, wide: [unit.splat(0.0); 6] };
        if wide {
            for (wide, lanes) in input.wide.iter_mut().zip(lanes) {
                *wide = unit.widen(lanes);
            }
        }
        input
    }
}

/// Positions and normals of eight vertices through a matrix.
#[inline(always)]
fn transform<U: Unit>(unit: U, plan: &Plan, input: &Input<U>) -> [__m256; 6] {
    let [x, nx] = transform_row(unit, &plan.rows[0], input);
    let [y, ny] = transform_row(unit, &plan.rows[1], input);
    let [z, nz] = transform_row(unit, &plan.rows[2], input);
    [x, y, z, nx, ny, nz]
}

/// One component of the position and of the normal, in the library's order of operations. [listing]
#[inline(always)]
fn transform_row<U: Unit>(unit: U, row: &Row, input: &Input<U>) -> [__m256; 2] {
    let simd = unit.v3();
    let mut position = simd.avx._mm256_set1_ps(row.translation);
    let mut normal = simd.avx._mm256_mul_ps(simd.avx._mm256_set1_ps(row.cells[0]), input.lanes[3]);
    for cell in 0..3 {
        position = add_product(unit, (row, cell), row.position[cell], (input, cell), position);
    }
    for cell in 1..3 {
        normal = add_product(unit, (row, cell), row.normal[cell], (input, 3 + cell), normal);
    }
    [position, normal]
}

/// A cell times a component added to a sum: fused in single precision where that is right.
#[inline(always)]
fn add_product<U: Unit>(
    unit: U,
    (row, cell): (&Row, usize),
    right: bool,
    (input, component): (&Input<U>, usize),
    sum: __m256,
) -> __m256 {
    let simd = unit.v3();
    if right {
        simd.fma._mm256_fmadd_ps(simd.avx._mm256_set1_ps(row.cells[cell]), input.lanes[component], sum)
    } else {
        let cell = unit.splat(row.wide_cells[cell]);
        unit.multiply_add_twice_rounded(cell, input.wide[component], unit.widen(sum))
    }
}

/// `vertex * weight + addend` for six components. Nothing is known of the sizes here.
#[inline(always)]
fn blend(
    unit: impl Unit,
    mut vertex: [__m256; 6],
    weights: __m256i,
    addend: [__m256; 6],
    rounding: Rounding,
) -> [__m256; 6] {
    let simd = unit.v3();
    let single = simd.avx._mm256_cvtepi32_ps(weights);
    let wide = unit.widen(single);
    for index in 0..6 {
        vertex[index] = if rounding == Rounding::Exact {
            simd.fma._mm256_fmadd_ps(vertex[index], single, addend[index])
        } else {
            let (vertex, addend) = (unit.widen(vertex[index]), unit.widen(addend[index]));
            unit.multiply_add_twice_rounded(vertex, wide, addend)
        };
    }
    vertex
}
