//! The bulk kernels on eight vertices at a time, with AVX2 and FMA, doubles with AVX-512 where there is one.
//!
//! Everything here is inlined into the three `call`s that `vectorize` runs: only there does the
//! compiler know that the processor has the instructions. (A closure would not be inlined, nor are the
//! standard library's array functions.)

#![allow(clippy::inline_always, reason = "without it the intrinsics are calls: a hundred times slower")]

use pulp::NullaryFnOnce;

use super::plan::{Addend, Plan, Step};
use super::{Addends, Arithmetic, VERTEX_BYTES, portable};
use crate::c3::runtime::kernels::Columns;

mod blend;
mod lanes;
mod slots;
mod transform;
mod units;

use blend::{Blend, fused_sum, scaled};
use lanes::{BLOCK, LANES, load, low, padded, store, weight_pairs};
use slots::Slots;
use transform::{CHECKED, FUSED, MIXED, transform};
use units::Unit;

/// See [`super::one_bone`].
pub(super) fn one_bone(unit: impl Unit, vertices: &mut [u8], plan: &Plan) {
    match plan.hardest {
        Step::Fused => unit.vectorize(OneBone::<_, FUSED> { unit, vertices, plan }),
        Step::SumLeads | Step::ProductLeads => unit.vectorize(OneBone::<_, CHECKED> { unit, vertices, plan }),
        Step::Doubles => unit.vectorize(OneBone::<_, MIXED> { unit, vertices, plan }),
    }
}

struct OneBone<'a, U, const WAY: u8> {
    unit: U,
    vertices: &'a mut [u8],
    plan: &'a Plan,
}

impl<U: Unit, const WAY: u8> NullaryFnOnce for OneBone<'_, U, WAY> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (blocks, rest) = self.vertices.as_chunks_mut::<BLOCK>();
        for block in blocks {
            one_bone_block::<_, WAY>(self.unit, block, self.plan);
        }
        if !rest.is_empty() {
            let mut block = padded(rest);
            one_bone_block::<_, WAY>(self.unit, &mut block, self.plan);
            rest.copy_from_slice(&block[..rest.len()]);
        }
    }
}

#[inline(always)]
fn one_bone_block<U: Unit, const WAY: u8>(unit: U, block: &mut [u8; BLOCK], plan: &Plan) {
    let simd = unit.v3();
    let [transformed] = transform::<_, WAY, 1>(unit, [plan], load(simd, block));
    store(simd, block, transformed);
}

/// See [`super::two_bone`].
pub(super) fn two_bone(unit: impl Unit, vertices: &mut [u8], weights: &[u8], plans: [&Plan; 2]) {
    match plans[0].hardest.max(plans[1].hardest) {
        Step::Fused => unit.vectorize(TwoBone::<_, FUSED> { unit, vertices, weights, plans }),
        Step::SumLeads | Step::ProductLeads => {
            unit.vectorize(TwoBone::<_, CHECKED> { unit, vertices, weights, plans });
        }
        Step::Doubles => unit.vectorize(TwoBone::<_, MIXED> { unit, vertices, weights, plans }),
    }
}

struct TwoBone<'a, U, const WAY: u8> {
    unit: U,
    vertices: &'a mut [u8],
    weights: &'a [u8],
    plans: [&'a Plan; 2],
}

impl<U: Unit, const WAY: u8> NullaryFnOnce for TwoBone<'_, U, WAY> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (blocks, rest) = self.vertices.as_chunks_mut::<BLOCK>();
        let (pairs, rest_pairs) = self.weights.as_chunks::<{ 2 * LANES }>();
        let blend = Blend::new(self.plans[1], Addend::Weighted(self.plans[0]));
        for (block, pairs) in blocks.iter_mut().zip(pairs) {
            two_bone_block::<_, WAY>(self.unit, block, pairs, self.plans, blend);
        }
        if !rest.is_empty() {
            let mut block = padded(rest);
            two_bone_block::<_, WAY>(self.unit, &mut block, &padded(rest_pairs), self.plans, blend);
            rest.copy_from_slice(&block[..rest.len()]);
        }
    }
}

#[inline(always)]
fn two_bone_block<U: Unit, const WAY: u8>(
    unit: U,
    block: &mut [u8; BLOCK],
    weights: &[u8; 2 * LANES],
    plans: [&Plan; 2],
    blend: Blend,
) {
    let simd = unit.v3();
    let [w0, w1] = weight_pairs(simd, weights);
    let [first, second] = transform::<_, WAY, 2>(unit, plans, load(simd, block));
    let share = scaled(simd, first, simd.avx._mm256_cvtepi32_ps(w0));
    if blend.all_fused {
        return store(simd, block, fused_sum(simd, second, w1, share));
    }
    store(simd, block, blend.sum(unit, second, w1, share));
}

/// See [`super::accumulate`].
pub(super) fn accumulate(
    unit: impl Unit,
    destination: &mut [u8],
    addends: Addends,
    (columns, plan): (&Columns, &Plan),
    arithmetic: Arithmetic,
) {
    let arithmetic = &arithmetic;
    match plan.hardest {
        Step::Fused => {
            unit.vectorize(Accumulate::<_, FUSED> { unit, destination, addends, columns, plan, arithmetic });
        }
        Step::SumLeads | Step::ProductLeads => {
            unit.vectorize(Accumulate::<_, CHECKED> {
                unit,
                destination,
                addends,
                columns,
                plan,
                arithmetic,
            });
        }
        Step::Doubles => {
            unit.vectorize(Accumulate::<_, MIXED> { unit, destination, addends, columns, plan, arithmetic });
        }
    }
}

struct Accumulate<'a, U, const WAY: u8> {
    unit: U,
    destination: &'a mut [u8],
    addends: Addends<'a>,
    columns: &'a Columns,
    plan: &'a Plan,
    arithmetic: &'a Arithmetic,
}

impl<U: Unit, const WAY: u8> NullaryFnOnce for Accumulate<'_, U, WAY> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Addends { vertices, indices, weights } = self.addends;
        let (blocks, rest) = vertices.as_chunks::<BLOCK>();
        let (places, rest_places) = indices.as_chunks::<{ 2 * LANES }>();
        let (shares, rest_shares) = weights.as_chunks::<LANES>();
        let blend = Blend::new(self.plan, Addend::Stored);
        for ((block, places), shares) in blocks.iter().zip(places).zip(shares) {
            let slots = Slots::of(places);
            if let Some(sums) = slots.neighbours(self.destination) {
                accumulate_block::<_, WAY>(self.unit, sums, block, padded(shares), self.plan, blend);
            } else if slots.ascend(LANES) {
                let mut sums = slots.read(self.destination, LANES);
                accumulate_block::<_, WAY>(self.unit, &mut sums, block, padded(shares), self.plan, blend);
                slots.write(self.destination, &sums, LANES);
            } else {
                // A vertex may be added to twice in this block, one after the other.
                let few = Addends { vertices: block, indices: places, weights: shares };
                portable::accumulate(self.destination, few, self.columns, *self.arithmetic);
            }
        }
        if !rest.is_empty() {
            self.fewer_than_eight(
                Addends { vertices: rest, indices: rest_places, weights: rest_shares },
                blend,
            );
        }
    }
}

impl<U: Unit, const WAY: u8> Accumulate<'_, U, WAY> {
    #[inline(always)]
    fn fewer_than_eight(self, addends: Addends, blend: Blend) {
        let Addends { vertices, indices, weights } = addends;
        let count = weights.len();
        let slots = Slots::of(&padded(indices));
        if !slots.ascend(count) {
            return portable::accumulate(self.destination, addends, self.columns, *self.arithmetic);
        }
        let mut sums = slots.read(self.destination, count);
        accumulate_block::<_, WAY>(
            self.unit,
            &mut sums,
            &padded(vertices),
            padded(weights),
            self.plan,
            blend,
        );
        slots.write(self.destination, &sums, count);
    }
}

#[inline(always)]
fn accumulate_block<U: Unit, const WAY: u8>(
    unit: U,
    block: &mut [u8; BLOCK],
    vertices: &[u8; BLOCK],
    weights: [u8; 2 * LANES],
    plan: &Plan,
    blend: Blend,
) {
    let simd = unit.v3();
    let weights = simd.avx2._mm256_cvtepu8_epi32(pulp::cast(weights));
    let [x, y, z, nx, ny, nz] = load(simd, block);
    let before = [low(simd, x), low(simd, y), low(simd, z), low(simd, nx), low(simd, ny), low(simd, nz)];
    let [transformed] = transform::<_, WAY, 1>(unit, [plan], load(simd, vertices));
    store(simd, block, blend.sum(unit, transformed, weights, before));
}
