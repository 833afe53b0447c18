//! Weighted vertices and their sums.
//!
//! A component a of 24 bits times a weight of 8 is added to a single b. The exact sum is a double, and one rounding
//! right, unless their exponents are far apart. If a is the much smaller one it may be too small to matter; of a
//! product that is much larger than b, b decides ties.

use std::arch::x86_64::{__m256, __m256i};

use pulp::NullaryFnOnce;
use pulp::x86::V3;

use super::super::plan::{Addend, Plan};
use super::units::Unit;

/// One more in the exponent of a single. Differences of bits are those of exponents to within one of these.
const EXPONENT: i32 = 1 << 23;
/// a * w is less than an eighth of the last place of b if the exponent of a is lower by this: w is less than 2^8.
const NEGLIGIBLE: i32 = -36 * EXPONENT;
/// From here on all bits of both lie within a double.
const LOWEST: i32 = -27 * EXPONENT;
/// Up to here they do.
const HIGHEST: i32 = 19 * EXPONENT;

/// How the sums of a run are rounded: known once for all of its vertices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blend {
    /// Whether one rounding is right for every vertex, by component.
    fused: [bool; 6],
    /// Whether it is for all of them.
    pub(super) all_fused: bool,
}

impl Blend {
    /// For vertices through a matrix, weighted and added to something.
    #[inline(always)]
    pub(super) fn new(plan: &Plan, addend: Addend) -> Self {
        let fused = plan.blends_fused(addend);
        Self { fused, all_fused: fused == [true; 6] }
    }

    /// `vertex * weight + addend` for six components. If one of them is in doubt, all are computed in doubles.
    #[inline(always)]
    pub(super) fn sum<U: Unit>(
        self,
        unit: U,
        vertex: [__m256; 6],
        weights: __m256i,
        addend: [__m256; 6],
    ) -> [__m256; 6] {
        let simd = unit.v3();
        let weights = simd.avx._mm256_cvtepi32_ps(weights);
        let mut sum = addend;
        let mut distances = Distances::none(simd);
        for index in 0..6 {
            sum[index] = simd.fma._mm256_fmadd_ps(vertex[index], weights, addend[index]);
            if !self.fused[index] {
                distances.add(simd, vertex[index], addend[index]);
            }
        }
        if distances.are_doubtful(simd) {
            return unit.vectorize(InDoubles { unit, vertex, weights, addend });
        }
        sum
    }
}

/// The sums in doubles: a call of its own, since it is rare.
struct InDoubles<U> {
    unit: U,
    vertex: [__m256; 6],
    weights: __m256,
    addend: [__m256; 6],
}

impl<U: Unit> NullaryFnOnce for InDoubles<U> {
    type Output = [__m256; 6];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { unit, mut vertex, weights, addend } = self;
        let weights = unit.widen(weights);
        for index in 0..6 {
            let (component, addend) = (unit.widen(vertex[index]), unit.widen(addend[index]));
            vertex[index] = unit.multiply_add_twice_rounded(component, weights, addend);
        }
        vertex
    }
}

/// How far apart the exponents of components and addends are.
struct Distances {
    /// The least above [`NEGLIGIBLE`], counted from there, unsigned.
    least: __m256i,
    /// The greatest.
    greatest: __m256i,
}

impl Distances {
    #[inline(always)]
    fn none(simd: V3) -> Self {
        Self { least: simd.avx._mm256_set1_epi32(-1), greatest: simd.avx._mm256_set1_epi32(i32::MIN) }
    }

    #[inline(always)]
    fn add(&mut self, simd: V3, component: __m256, addend: __m256) {
        let magnitude = simd.avx._mm256_set1_epi32(i32::MAX);
        let component = simd.avx2._mm256_and_si256(simd.avx._mm256_castps_si256(component), magnitude);
        let addend = simd.avx2._mm256_and_si256(simd.avx._mm256_castps_si256(addend), magnitude);
        // Added to zero a product is exact.
        let is_zero = simd.avx2._mm256_cmpeq_epi32(addend, simd.avx._mm256_setzero_si256());
        let distance = simd.avx2._mm256_andnot_si256(is_zero, simd.avx2._mm256_sub_epi32(component, addend));
        let above = simd.avx2._mm256_sub_epi32(distance, simd.avx._mm256_set1_epi32(NEGLIGIBLE));
        self.least = simd.avx2._mm256_min_epu32(self.least, above);
        self.greatest = simd.avx2._mm256_max_epi32(self.greatest, distance);
    }

    #[inline(always)]
    fn are_doubtful(&self, simd: V3) -> bool {
        let exact = simd.avx._mm256_set1_epi32(LOWEST - NEGLIGIBLE);
        let low_is_exact =
            simd.avx2._mm256_cmpeq_epi32(simd.avx2._mm256_max_epu32(self.least, exact), self.least);
        let high = simd.avx2._mm256_cmpgt_epi32(self.greatest, simd.avx._mm256_set1_epi32(HIGHEST));
        simd.avx._mm256_testc_si256(low_is_exact, simd.avx._mm256_set1_epi32(-1)) == 0
            || simd.avx._mm256_testz_si256(high, high) == 0
    }
}

/// `vertex * weight + addend` for six components, by one rounding.
#[inline(always)]
pub(super) fn fused_sum(simd: V3, vertex: [__m256; 6], weights: __m256i, addend: [__m256; 6]) -> [__m256; 6] {
    let weights = simd.avx._mm256_cvtepi32_ps(weights);
    let mut sum = addend;
    for index in 0..6 {
        sum[index] = simd.fma._mm256_fmadd_ps(vertex[index], weights, addend[index]);
    }
    sum
}

/// Six components times a weight.
#[inline(always)]
pub(super) fn scaled(simd: V3, [x, y, z, nx, ny, nz]: [__m256; 6], by: __m256) -> [__m256; 6] {
    [
        simd.avx._mm256_mul_ps(x, by),
        simd.avx._mm256_mul_ps(y, by),
        simd.avx._mm256_mul_ps(z, by),
        simd.avx._mm256_mul_ps(nx, by),
        simd.avx._mm256_mul_ps(ny, by),
        simd.avx._mm256_mul_ps(nz, by),
    ]
}
