//! What a matrix allows the vector kernels: which of its multiply-adds a fused single-precision
//! operation computes with Dolphin's two roundings, and which need doubles.
//!
//! Everything is scaled to units of the stored integers. Loads multiply by a power of two and stores
//! by its inverse; with both folded into the matrix, a component is the integer that lies in memory.
//! Powers of two commute with every rounding as long as nothing is flushed or overflows, and
//! [`Plan::new`] refuses matrices where something could be.
//!
//! Dolphin rounds `a * c + b` to double, then to single. That equals one rounding wherever the exact
//! sum is a double: all its terms are multiples of some 2^l, and it is at most 2^(l + 53) in magnitude.
//! Both ends follow from the matrix alone, since a component has 16 bits and every intermediate result
//! is a single, which has no bits below its last place.
//!
//! Elsewhere the two differ only next to a tie: let r be the one rounding of the exact sum and e = sum - r.
//! If the double is half-way between two singles and goes to the other one, |e| is within 2^-29 of half a
//! unit of r, so that e rounded to single is that half, and r + e is the tie itself, which rounds to the
//! other single as well. Where e can be had with one rounding, `r + e != r` thus finds every vertex that needs
//! doubles, and hardly another one. See [`Step`].

use super::Arithmetic;
use crate::c3::runtime::kernels::Columns;
use crate::gekko::paired_single::Rounding;

mod sum;

use sum::{DOUBLE_BITS, LARGEST_COMPONENT, Reach, SLACK, Sum, Term, WEIGHT_BITS, exponent};

/// How a kernel's lanes hold its input: what else is folded into the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// Components in the upper half of 32 bits.
    OneBone,
    /// The same, and weights as integers of 8 fraction bits.
    Weighted,
}

impl Input {
    /// Factor of the columns and of the translation.
    const fn factors(self) -> (f32, f32) {
        const UPPER_HALF: f32 = 1.0 / 65536.0;
        const WEIGHT: f32 = 1.0 / 256.0;
        match self {
            Self::OneBone => (UPPER_HALF, 1.0),
            Self::Weighted => (UPPER_HALF * WEIGHT, WEIGHT),
        }
    }
}

/// How a multiply-add `sum + cell * component` gets Dolphin's two roundings. p is the exact product, s the
/// sum before, r their sum rounded to single.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Step {
    /// One rounding is right for every vertex.
    #[default]
    Fused,
    /// One rounding and a look at e = p + (s - r). The difference is exact wherever |p| <= |s| / 2 (both of
    /// its terms are within a factor of two); elsewhere the exact sum is a double, since it is smaller than the
    /// step's [`Row::doubtful`], and so are the errors of smaller sums not looked at.
    SumLeads,
    /// One rounding and a look at e = (p - r) + s. The cell alone is more than twice any s, so that r is no
    /// smaller than s and p - r fits a single.
    ProductLeads,
    /// In doubles.
    Doubles,
}

/// One row of a matrix: a sum of three products, with or without a translation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Row {
    /// Cells of columns 0 to 2, scaled.
    pub cells: [f32; 3],
    /// The same as doubles.
    pub wide_cells: [f64; 3],
    /// Translation, scaled.
    pub translation: f32,
    /// How to do each multiply-add of a position.
    pub position: [Step; 3],
    /// The same of a normal, whose first operation is a product and always right.
    pub normal: [Step; 3],
    /// The least magnitude of a sum that may be no double, squared, by multiply-add: of a position and of a normal.
    pub doubtful: [[f32; 2]; 3],
    /// What is known of a position and of a normal after it.
    pub results: [Reach; 2],
}

/// A matrix prepared for the vector kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    /// Rows x, y, z.
    pub rows: [Row; 3],
    /// The hardest of its steps.
    pub hardest: Step,
    /// How fused operations round.
    pub rounding: Rounding,
}

/// No sum may exceed this: two of them still convert to 32-bit integers.
const LARGEST: f64 = (1u32 << 30) as f64;

impl Row {
    /// `None` if a sum may be too large.
    #[inline]
    fn plan(
        &mut self,
        cells: [Term; 3],
        translation: Term,
        rounding: Rounding,
        (cell_factor, translation_factor): (f32, f32),
    ) -> Option<()> {
        let [a, b, c] = cells;
        let products = (a.magnitude + b.magnitude + c.magnitude) * LARGEST_COMPONENT;
        let most = (translation.magnitude + products) * (1.0 + SLACK);
        if most > LARGEST {
            return None;
        }
        self.cells = [a.value * cell_factor, b.value * cell_factor, c.value * cell_factor];
        self.translation = translation.value * translation_factor;
        let lowest_bit = translation.lowest_bit.min(a.lowest_bit).min(b.lowest_bit).min(c.lowest_bit);
        // One rounding is what the fused single-precision operation does.
        if rounding == Rounding::Exact || exponent(most) < lowest_bit.saturating_add(DOUBLE_BITS) {
            self.results = [Reach { lowest_bit, most }; 2];
        } else {
            self.plan_steps(cells, translation, translation_factor);
        }
        Some(())
    }

    /// Step by step, where not every partial sum is plainly a double.
    fn plan_steps(&mut self, cells: [Term; 3], translation: Term, translation_factor: f32) {
        let (mut position, mut normal) = (Sum::of(translation), Sum::of(Term::default()));
        for (index, &cell) in cells.iter().enumerate() {
            self.position[index] = position.add_product(cell);
            self.normal[index] = normal.add_product(cell);
            let doubtful = [position.doubtful, normal.doubtful];
            self.doubtful[index] = doubtful.map(|least| (least * translation_factor).powi(2));
        }
        self.results = [position.reach(), normal.reach()];
        self.wide_cells = self.cells.map(f64::from);
    }
}

impl Plan {
    /// `None` where only the paired-single unit's own operations are safe: NaN, infinities, denormals,
    /// very large or very small cells.
    pub(super) fn new(columns: &Columns, arithmetic: Arithmetic, input: Input) -> Option<Self> {
        if arithmetic.load * arithmetic.store != 1.0 {
            return None;
        }
        let mut rows = [Row::default(); 3];
        let mut hardest = Step::Fused;
        for (index, row) in rows.iter_mut().enumerate() {
            let mut cells = [Term::default(); 3];
            for (cell, column) in cells.iter_mut().zip(&columns.column) {
                *cell = Term::new(column[index])?;
            }
            let translation = Term::new(columns.translation[index] * arithmetic.store)?;
            row.plan(cells, translation, arithmetic.rounding, input.factors())?;
            hardest =
                row.position.iter().chain(&row.normal).fold(hardest, |hardest, &step| hardest.max(step));
        }
        Some(Self { rows, hardest, rounding: arithmetic.rounding })
    }

    /// Whether one rounding of `component * weight + addend` is right for every vertex, by component: positions,
    /// then normals.
    pub(super) fn blends_fused(&self, addends: Addend) -> [bool; 6] {
        std::array::from_fn(|component| {
            let (kind, row) = (component / 3, component % 3);
            let addend = match addends {
                Addend::Weighted(plan) => plan.rows[row].results[kind],
                Addend::Stored => Reach { lowest_bit: WEIGHT_BITS, most: LARGEST_COMPONENT },
            };
            self.rounding == Rounding::Exact || self.rows[row].results[kind].blends_fused(addend)
        })
    }
}

/// What a weighted vertex is added to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Addend<'a> {
    /// A vertex through this matrix, weighted as well.
    Weighted(&'a Plan),
    /// Stored integers.
    Stored,
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOLPHIN: Arithmetic = Arithmetic { load: 1.0 / 256.0, store: 256.0, rounding: Rounding::Dolphin };

    fn diagonal(cell: f32, translation: f32) -> Columns {
        let column = |index: usize| std::array::from_fn(|row| if row == index { cell } else { 0.0 });
        Columns { column: std::array::from_fn(column), translation: [translation; 3] }
    }

    fn plan(columns: &Columns) -> Option<Plan> {
        Plan::new(columns, DOLPHIN, Input::OneBone)
    }

    #[test]
    fn an_ordinary_matrix_needs_no_doubles() {
        assert_eq!(plan(&diagonal(0.7, 12.3)).unwrap().hardest, Step::Fused);
    }

    #[test]
    fn a_cell_of_noise_needs_doubles_in_its_own_operation_only() {
        let mut columns = diagonal(0.7, 12.3);
        columns.column[1][0] = 1.0e-9;
        let row = plan(&columns).unwrap().rows[0];
        assert_eq!(row.position, [Step::Fused, Step::SumLeads, Step::Fused]);
        assert_eq!(row.normal, [Step::Fused, Step::SumLeads, Step::Fused]);
        assert_eq!(plan(&columns).unwrap().hardest, Step::SumLeads);
        let exact = Arithmetic { rounding: Rounding::Exact, ..DOLPHIN };
        assert_eq!(Plan::new(&columns, exact, Input::OneBone).unwrap().hardest, Step::Fused);
    }

    #[test]
    fn a_cell_of_one_beside_noise_leads_its_sum() {
        let mut columns = diagonal(1.0, 1.0e-7);
        columns.column[0][1] = 1.1e-8;
        columns.column[2][1] = 1.0e-13;
        let row = plan(&columns).unwrap().rows[1];
        assert_eq!(row.position, [Step::Fused, Step::ProductLeads, Step::SumLeads]);
        assert_eq!(row.normal, [Step::Fused, Step::ProductLeads, Step::SumLeads]);
    }

    #[test]
    fn neither_leads_where_a_coarse_sum_meets_a_fine_cell_of_its_size() {
        let mut columns = diagonal(0.0, -(2.0f32.powi(-60)));
        columns.column[0][0] = 0.5;
        columns.translation[0] = 100.0 + 1.0 / 65536.0;
        columns.column[1][0] = 2.0f32.powi(-40);
        columns.column[2][0] = 0.7;
        assert_eq!(plan(&columns).unwrap().rows[0].position, [Step::Fused, Step::SumLeads, Step::Fused]);
        columns.translation[0] = 0.0;
        columns.column[0][0] = 2.0f32.powi(-60);
        columns.column[1][0] = 2.0f32.powi(-7);
        let plan = plan(&columns).unwrap();
        assert_eq!(plan.rows[0].position, [Step::Fused, Step::ProductLeads, Step::Doubles]);
        assert_eq!(plan.hardest, Step::Doubles);
    }

    #[test]
    fn ordinary_weighted_sums_need_no_doubles_and_those_of_noise_do() {
        let weighted = |columns: &Columns| Plan::new(columns, DOLPHIN, Input::Weighted).unwrap();
        let plain = weighted(&diagonal(0.5, 12.0));
        assert_eq!(plain.blends_fused(Addend::Weighted(&plain)), [true; 6]);
        assert_eq!(plain.blends_fused(Addend::Stored), [true; 6]);
        let noise = weighted(&diagonal(0.5, 1.0e-9));
        assert_eq!(plain.blends_fused(Addend::Weighted(&noise)), [false, false, false, true, true, true]);
        assert_eq!(noise.blends_fused(Addend::Stored), [false, false, false, true, true, true]);
    }

    #[test]
    fn what_could_be_flushed_or_overflow_has_no_plan() {
        for cell in [f32::NAN, f32::INFINITY, 1.0e-38, 1.0e-30, 1.0e6, f32::MIN_POSITIVE / 4.0] {
            assert!(plan(&diagonal(cell, 0.0)).is_none(), "{cell}");
            assert!(plan(&diagonal(-1.0, cell * 1.0e3)).is_none(), "{cell}");
        }
        assert!(
            Plan::new(&diagonal(1.0, 0.0), Arithmetic { store: 1.0, ..DOLPHIN }, Input::OneBone).is_none()
        );
    }
}
