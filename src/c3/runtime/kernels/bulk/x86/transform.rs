//! Vertices through matrices, each operation as its [`Step`] says.

use std::arch::x86_64::{__m256, __m256i, _CMP_NEQ_OQ};

use pulp::NullaryFnOnce;

use super::super::plan::{Plan, Row, Step};
use super::units::Unit;

/// Every step is fused.
pub(super) const FUSED: u8 = 0;
/// Steps are fused, some of them with a look at the error.
pub(super) const CHECKED: u8 = 1;
/// Some steps are done in doubles.
pub(super) const MIXED: u8 = 2;
/// Every step that is not plainly fused is done in doubles.
const SURE: u8 = 3;

/// Positions and normals of eight vertices through each of the matrices. If a vertex is in doubt, all of it is
/// done again in doubles.
#[inline(always)]
pub(super) fn transform<U: Unit, const WAY: u8, const N: usize>(
    unit: U,
    plans: [&Plan; N],
    integers: [__m256i; 6],
) -> [[__m256; 6]; N] {
    let simd = unit.v3();
    let mut pass = Pass::<U, WAY>::new(unit, integers);
    let results = pass.matrices(plans);
    if WAY != FUSED && simd.avx._mm256_testz_ps(pass.doubt, pass.doubt) == 0 {
        return unit.vectorize(InDoubles { unit, plans, integers });
    }
    results
}

/// The same where a vertex is in doubt: it is a call of its own, since it hardly ever happens.
struct InDoubles<'a, U, const N: usize> {
    unit: U,
    plans: [&'a Plan; N],
    integers: [__m256i; 6],
}

impl<U: Unit, const N: usize> NullaryFnOnce for InDoubles<'_, U, N> {
    type Output = [[__m256; 6]; N];

    #[inline(always)]
    fn call(self) -> Self::Output {
        Pass::<U, SURE>::new(self.unit, self.integers).matrices(self.plans)
    }
}

/// Eight vertices on their way.
struct Pass<U: Unit, const WAY: u8> {
    unit: U,
    /// The six components as singles.
    lanes: [__m256; 6],
    /// And as doubles, where those are needed.
    wide: [U::Wide; 6],
    /// Sign bit set: the lane's vertex may need doubles.
    doubt: __m256,
}

impl<U: Unit, const WAY: u8> Pass<U, WAY> {
    #[inline(always)]
    fn new(unit: U, [x, y, z, nx, ny, nz]: [__m256i; 6]) -> Self {
        let single = unit.v3().avx;
        let lanes = [
            single._mm256_cvtepi32_ps(x),
            single._mm256_cvtepi32_ps(y),
            single._mm256_cvtepi32_ps(z),
            single._mm256_cvtepi32_ps(nx),
            single._mm256_cvtepi32_ps(ny),
            single._mm256_cvtepi32_ps(nz),
        ];
        let doubt = single._mm256_setzero_ps();
        let mut pass = Self { unit, lanes, wide: [unit.splat(0.0); 6], doubt };
        if WAY == MIXED || WAY == SURE {
            for (wide, lanes) in pass.wide.iter_mut().zip(lanes) {
                *wide = unit.widen(lanes);
            }
        }
        pass
    }

    #[inline(always)]
    fn matrices<const N: usize>(&mut self, plans: [&Plan; N]) -> [[__m256; 6]; N] {
        const { assert!(N == 1 || N == 2) };
        // No loop: every matrix has branches of its own, which go the same way all along a run.
        let mut results = [self.lanes; N];
        results[0] = self.matrix(plans[0]);
        if N == 2 {
            results[1] = self.matrix(plans[1]);
        }
        results
    }

    /// Position and normal through a matrix.
    #[inline(always)]
    fn matrix(&mut self, plan: &Plan) -> [__m256; 6] {
        let [x, nx] = self.row(&plan.rows[0]);
        let [y, ny] = self.row(&plan.rows[1]);
        let [z, nz] = self.row(&plan.rows[2]);
        [x, y, z, nx, ny, nz]
    }

    /// One component of the position and of the normal, in the library's order of operations. [listing]
    #[inline(always)]
    fn row(&mut self, row: &Row) -> [__m256; 2] {
        let simd = self.unit.v3();
        let mut position = simd.avx._mm256_set1_ps(row.translation);
        let mut normal = simd.avx._mm256_mul_ps(simd.avx._mm256_set1_ps(row.cells[0]), self.lanes[3]);
        // One branch for most rows, instead of one a step.
        if WAY == FUSED || row.hardest == Step::Fused {
            for cell in 0..3 {
                position = self.fused(row.cells[cell], cell, position);
            }
            for cell in 1..3 {
                normal = self.fused(row.cells[cell], 3 + cell, normal);
            }
            return [position, normal];
        }
        for cell in 0..3 {
            position = self.step((row, cell), row.position[cell], 0, position);
        }
        for cell in 1..3 {
            normal = self.step((row, cell), row.normal[cell], 1, normal);
        }
        [position, normal]
    }

    /// A cell times a component, added to a sum, in one operation.
    #[inline(always)]
    fn fused(&self, cell: f32, component: usize, sum: __m256) -> __m256 {
        let simd = self.unit.v3();
        simd.fma._mm256_fmadd_ps(simd.avx._mm256_set1_ps(cell), self.lanes[component], sum)
    }

    /// A cell times a component of the position (kind 0) or normal (kind 1), added to a sum.
    #[inline(always)]
    fn step(&mut self, (row, cell): (&Row, usize), step: Step, kind: usize, sum: __m256) -> __m256 {
        let simd = self.unit.v3();
        let component = 3 * kind + cell;
        let in_doubles = match WAY {
            MIXED => step == Step::Doubles,
            SURE => step != Step::Fused,
            _ => false,
        };
        if in_doubles {
            let cell = self.unit.splat(f64::from(row.cells[cell]));
            return self.unit.multiply_add_twice_rounded(cell, self.wide[component], self.unit.widen(sum));
        }
        let (factor, component) = (simd.avx._mm256_set1_ps(row.cells[cell]), self.lanes[component]);
        let rounded = simd.fma._mm256_fmadd_ps(factor, component, sum);
        if WAY == SURE {
            return rounded;
        }
        match step {
            Step::Fused | Step::Doubles => {}
            Step::SumLeads => {
                let error = simd.fma._mm256_fmadd_ps(factor, component, simd.avx._mm256_sub_ps(sum, rounded));
                // The sign bit of r^2 - (least doubtful)^2 tells sums that are doubles anyway.
                let least = simd.avx._mm256_set1_ps(row.doubtful[cell][kind]);
                let is_double = simd.fma._mm256_fmsub_ps(rounded, rounded, least);
                let differs = simd.avx._mm256_andnot_ps(is_double, self.differs(rounded, error));
                self.doubt = simd.avx._mm256_or_ps(self.doubt, differs);
            }
            Step::ProductLeads => {
                let rest = simd.fma._mm256_fmsub_ps(factor, component, rounded);
                let differs = self.differs(rounded, simd.avx._mm256_add_ps(rest, sum));
                self.doubt = simd.avx._mm256_or_ps(self.doubt, differs);
            }
        }
        rounded
    }

    /// Where a sum with its error added is another one.
    #[inline(always)]
    fn differs(&self, rounded: __m256, error: __m256) -> __m256 {
        let single = self.unit.v3().avx;
        single._mm256_cmp_ps::<_CMP_NEQ_OQ>(single._mm256_add_ps(rounded, error), rounded)
    }
}
