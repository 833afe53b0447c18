//! What a matrix allows the vector kernels: which of its multiply-adds a fused single-precision
//! operation computes with Dolphin's two roundings, and which need doubles.
//!
//! Everything is scaled to units of the stored integers. Loads multiply by a power of two and stores
//! by its inverse; with both folded into the matrix, a component is the integer that lies in memory.
//! Powers of two commute with every rounding as long as nothing is flushed or overflows, and
//! [`Plan::make`] refuses matrices where something could be.
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
//! doubles, and hardly another one. See [`Step`]. For a long run it pays to find out beforehand whether a cell can
//! do that at all: see [`ties`].

use super::Arithmetic;
use crate::c3::runtime::kernels::Columns;
use crate::gekko::paired_single::Rounding;

mod lead;
mod sum;
mod ties;

use lead::Lead;
use sum::{
    DOUBLE_BITS, FRACTION_BITS, LARGEST_COMPONENT, LOWEST_BIT, Reach, SLACK, Sum, Term, WEIGHT_BITS, exponent,
};

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

/// How much planning pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// An entry of a model: dozens of vertices.
    ShortRun,
    /// What costs as much as looking at some hundred vertices is worth it.
    LongRun,
}

impl Effort {
    /// For so many bytes of vertices.
    pub(super) const fn of(vertices: &[u8]) -> Self {
        const LONG: usize = 512 * super::VERTEX_BYTES;
        if vertices.len() < LONG { Self::ShortRun } else { Self::LongRun }
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
    /// Translation, scaled.
    pub translation: f32,
    /// The hardest of its steps.
    pub hardest: Step,
    /// How to do each multiply-add of a position.
    pub position: [Step; 3],
    /// The same of a normal, whose first operation is a product and always right.
    pub normal: [Step; 3],
    /// The least magnitude of a sum that may be no double, squared, by multiply-add: of a position and of a normal.
    pub doubtful: [[f32; 2]; 3],
    /// What is known of a position and of a normal after it.
    pub results: [Reach; 2],
    /// Which component decides, if one does.
    pub lead: Option<Lead>,
}

/// A matrix prepared for the vector kernels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Plan {
    /// Rows x, y, z.
    pub rows: [Row; 3],
    /// The hardest of its steps.
    pub hardest: Step,
    /// How fused operations round.
    pub rounding: Rounding,
}

/// No sum may exceed this: two of them still convert to 32-bit integers.
const LARGEST: f32 = (1u32 << 30) as f32;

impl Row {
    /// `None` where only the paired-single unit's own operations are safe.
    #[inline]
    fn plan(&mut self, cells: [f32; 3], translation: f32, rounding: Rounding, effort: Effort) -> Option<()> {
        let [a, b, c] = cells;
        let products = (a.abs() + b.abs() + c.abs()) * LARGEST_COMPONENT;
        let most = (translation.abs() + products) * (1.0 + SLACK);
        if most > LARGEST || most.is_nan() {
            return None;
        }
        // Most rows are plain: every partial sum is a double.
        let lowest_bit = lowest_bit_at_least([a, b, c, translation]);
        let enough = exponent(most).saturating_sub(DOUBLE_BITS).max(LOWEST_BIT - 1);
        self.results = [Reach { lowest_bit, most }; 2];
        if lowest_bit <= enough {
            let (cells, translation) =
                ([Term::new(a)?, Term::new(b)?, Term::new(c)?], Term::new(translation)?);
            // One rounding is what the fused single-precision operation does.
            if rounding == Rounding::Dolphin {
                self.plan_steps(cells, translation, effort);
            }
        }
        Some(())
    }

    /// Step by step.
    fn plan_steps(&mut self, cells: [Term; 3], translation: Term, effort: Effort) {
        let (mut position, mut normal) = (Sum::of(translation), Sum::of_product(cells[0]));
        let mut hardest = position.add_product(cells[0], effort);
        self.position[0] = hardest;
        self.doubtful[0] = [position.doubtful, 0.0];
        for index in [1, 2] {
            let step = position.add_product(cells[index], effort);
            let normal_step = normal.add_product(cells[index], effort);
            (self.position[index], self.normal[index]) = (step, normal_step);
            self.doubtful[index] = [position.doubtful, normal.doubtful];
            hardest = hardest.max(step).max(normal_step);
        }
        self.hardest = hardest;
        self.results = [position.reach(), normal.reach()];
        self.lead = Lead::of(cells.map(|cell| cell.magnitude), translation.magnitude);
    }

    /// Folds powers of two into the row.
    fn scale(&mut self, cells: [f32; 3], translation: f32, (cell_factor, translation_factor): (f32, f32)) {
        self.cells = cells.map(|cell| cell * cell_factor);
        self.translation = translation * translation_factor;
        if self.hardest != Step::Fused {
            self.doubtful = self.doubtful.map(|pair| pair.map(|least| (least * translation_factor).powi(2)));
        }
    }
}

/// All of these are multiples of 2 to this power, or of a higher one: 0 of any.
fn lowest_bit_at_least(terms: [f32; 4]) -> i32 {
    // Zero becomes the largest of all; a power of two counts as if it were the next smaller number.
    let least = terms.map(|term| (term.to_bits() << 1).wrapping_sub(1)).into_iter().fold(u32::MAX, u32::min);
    (least >> 24) as i32 - 127 - FRACTION_BITS
}

impl Plan {
    /// Plans for a matrix, in place of a blank plan: it is too large to be moved about for every entry. `None` where
    /// only the paired-single unit's own operations are safe: NaN, infinities, denormals, very large or very
    /// small cells.
    pub(super) fn make(
        &mut self,
        columns: &Columns,
        arithmetic: Arithmetic,
        input: Input,
        effort: Effort,
    ) -> Option<&Self> {
        if arithmetic.load * arithmetic.store != 1.0 {
            return None;
        }
        self.rounding = arithmetic.rounding;
        let [c0, c1, c2] = &columns.column;
        for (index, row) in self.rows.iter_mut().enumerate() {
            let cells = [c0[index], c1[index], c2[index]];
            let translation = columns.translation[index] * arithmetic.store;
            if translation == 0.0 && columns.translation[index] != 0.0 {
                return None;
            }
            row.plan(cells, translation, self.rounding, effort)?;
            row.scale(cells, translation, input.factors());
            self.hardest = self.hardest.max(row.hardest);
        }
        Some(self)
    }

    /// Whether one rounding of `component * weight + addend` is right for every vertex, by component: positions,
    /// then normals.
    pub(super) fn blends_fused(&self, addends: Addend) -> [bool; 6] {
        std::array::from_fn(|component| {
            let (kind, number) = (component / 3, component % 3);
            let row = &self.rows[number];
            self.rounding == Rounding::Exact
                || match addends {
                    Addend::Weighted(plan) => {
                        let other = &plan.rows[number];
                        row.results[kind].blends_fused(other.results[kind])
                            || Lead::blends_fused(row.lead, other.lead)
                    }
                    Addend::Stored => row.results[kind].blends_fused(STORED),
                }
        })
    }
}

/// Stored integers.
const STORED: Reach = Reach { lowest_bit: WEIGHT_BITS, most: LARGEST_COMPONENT };

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

    fn made(columns: &Columns, arithmetic: Arithmetic, input: Input, effort: Effort) -> Option<Plan> {
        Plan::default().make(columns, arithmetic, input, effort).copied()
    }

    fn plan(columns: &Columns) -> Option<Plan> {
        made(columns, DOLPHIN, Input::OneBone, Effort::ShortRun)
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
        assert_eq!(made(&columns, exact, Input::OneBone, Effort::ShortRun).unwrap().hardest, Step::Fused);
    }

    #[test]
    fn a_cell_of_nearly_one_beside_noise_leads_its_sum_and_one_of_one_is_always_right() {
        let mut columns = diagonal(1.000_000_1, 1.0e-7);
        columns.column[0][1] = 1.1e-8;
        columns.column[2][1] = 1.0e-13;
        let row = plan(&columns).unwrap().rows[1];
        assert_eq!(row.position, [Step::Fused, Step::ProductLeads, Step::SumLeads]);
        assert_eq!(row.normal, [Step::Fused, Step::ProductLeads, Step::SumLeads]);
        columns.column[1][1] = 1.0;
        assert_eq!(plan(&columns).unwrap().rows[1].position, [Step::Fused, Step::Fused, Step::SumLeads]);
    }

    #[test]
    fn a_long_run_finds_out_whether_noise_is_ever_near_a_tie() {
        let mut columns = diagonal(1.0, 1.0e-7);
        columns.column[0][1] = 1.1e-8;
        columns.column[2][1] = 1.0e-13;
        let long = |columns: &Columns| made(columns, DOLPHIN, Input::OneBone, Effort::LongRun).unwrap();
        assert_eq!(long(&columns).rows[1].hardest, Step::Fused);
        columns.column[2][1] = 32769.0 * 2.0f32.powi(-60);
        assert_eq!(long(&columns).rows[1].position, [Step::Fused, Step::Fused, Step::SumLeads]);
    }

    #[test]
    fn neither_leads_where_a_coarse_sum_meets_a_fine_cell_of_its_size() {
        let fine = |power: i32| 1.000_000_1 * 2.0f32.powi(power);
        let mut columns = diagonal(0.0, -(2.0f32.powi(-60)));
        columns.column[0][0] = 0.5;
        columns.translation[0] = 100.0 + 1.0 / 65536.0;
        columns.column[1][0] = fine(-40);
        columns.column[2][0] = 0.7;
        assert_eq!(plan(&columns).unwrap().rows[0].position, [Step::Fused, Step::SumLeads, Step::Fused]);
        columns.translation[0] = 0.0;
        columns.column[0][0] = fine(-60);
        columns.column[1][0] = fine(-7);
        let plan = plan(&columns).unwrap();
        assert_eq!(plan.rows[0].position, [Step::Fused, Step::ProductLeads, Step::Doubles]);
        assert_eq!(plan.hardest, Step::Doubles);
    }

    #[test]
    fn ordinary_weighted_sums_need_no_doubles_and_those_of_noise_do() {
        let weighted = |columns: &Columns| made(columns, DOLPHIN, Input::Weighted, Effort::ShortRun).unwrap();
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
        let odd_scales = Arithmetic { store: 1.0, ..DOLPHIN };
        assert!(made(&diagonal(1.0, 0.0), odd_scales, Input::OneBone, Effort::ShortRun).is_none());
    }
}
