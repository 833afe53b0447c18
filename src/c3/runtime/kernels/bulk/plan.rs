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

use super::Arithmetic;
use crate::c3::runtime::kernels::Columns;
use crate::gekko::paired_single::Rounding;

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

/// One row of a matrix: a sum of three products, with or without a translation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Row {
    /// Cells of columns 0 to 2, scaled.
    pub cells: [f32; 3],
    /// The same as doubles.
    pub wide_cells: [f64; 3],
    /// Translation, scaled.
    pub translation: f32,
    /// Whether each multiply-add of a position is right in single precision.
    pub position: [bool; 3],
    /// The same of a normal, whose first operation is a product and always right.
    pub normal: [bool; 3],
}

/// A matrix prepared for the vector kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    /// Rows x, y, z.
    pub rows: [Row; 3],
    /// Whether every operation is right in single precision.
    pub single: bool,
    /// How fused operations round.
    pub rounding: Rounding,
}

/// No term may have bits below this: with the scales of a GQR (2^±32) and of weights (2^-8) every
/// result is then zero or a normal single, so that nothing is flushed.
const LOWEST_BIT: i32 = -86;

/// No sum may exceed this: two of them still convert to 32-bit integers.
const LARGEST: f64 = (1u32 << 30) as f64;

/// Magnitude of a component at the most.
const LARGEST_COMPONENT: f64 = 32768.0;

/// More than what the rounding of one operation adds to a bound, relative to it.
const SLACK: f64 = 1.0 / 1048576.0;

impl Plan {
    /// `None` where only the paired-single unit's own operations are safe: NaN, infinities, denormals,
    /// very large or very small cells.
    pub(super) fn new(columns: &Columns, arithmetic: Arithmetic, input: Input) -> Option<Self> {
        if arithmetic.load * arithmetic.store != 1.0 {
            return None;
        }
        let (cell_factor, translation_factor) = input.factors();
        let mut rows = [Row::default(); 3];
        for (index, row) in rows.iter_mut().enumerate() {
            let cells = columns.column.map(|column| column[index]);
            let translation = columns.translation[index] * arithmetic.store;
            let terms = [cells[0], cells[1], cells[2], translation];
            if terms.into_iter().any(|term| lowest_bit(term).is_none_or(|bit| bit < LOWEST_BIT)) {
                return None;
            }
            let (mut position, mut normal) = (Sum::of(translation), Sum::of(0.0));
            for (index, &cell) in cells.iter().enumerate() {
                row.position[index] = position.add_product(cell);
                row.normal[index] = normal.add_product(cell);
            }
            if position.most > LARGEST {
                return None;
            }
            row.cells = cells.map(|cell| cell * cell_factor);
            row.wide_cells = row.cells.map(f64::from);
            row.translation = translation * translation_factor;
        }
        if arithmetic.rounding == Rounding::Exact {
            // One rounding is what the fused single-precision operation does.
            for row in &mut rows {
                (row.position, row.normal) = ([true; 3], [true; 3]);
            }
        }
        let single = rows.iter().all(|row| row.position == [true; 3] && row.normal == [true; 3]);
        Some(Self { rows, single, rounding: arithmetic.rounding })
    }
}

/// What is known of a partial sum, whatever the vertex.
struct Sum {
    /// It is a multiple of 2 to this power.
    lowest_bit: i32,
    /// Its least magnitude.
    least: f64,
    /// Its greatest magnitude.
    most: f64,
}

impl Sum {
    /// A sum that starts with `term`, which must be finite.
    fn of(term: f32) -> Self {
        let magnitude = f64::from(term.abs());
        Self { lowest_bit: lowest_bit(term).unwrap_or(i32::MIN), least: magnitude, most: magnitude }
    }

    /// Adds `cell` times any component and rounds to single. Says whether the exact sum is a double.
    #[inline]
    fn add_product(&mut self, cell: f32) -> bool {
        if cell == 0.0 {
            return true;
        }
        let product = f64::from(cell.abs()) * LARGEST_COMPONENT;
        let lowest = self.lowest_bit.min(lowest_bit(cell).unwrap_or(i32::MIN));
        self.most = (self.most + product) * (1.0 + SLACK);
        self.least = ((self.least - product) * (1.0 - SLACK)).max(0.0);
        let exact = exponent(self.most) + 1 - lowest <= 53;
        self.lowest_bit = lowest.max(exponent(self.least) - 23);
        exact
    }
}

/// The power of two of a single's lowest bit that is set; very large for zero, `None` for what is not
/// finite or is denormal.
fn lowest_bit(value: f32) -> Option<i32> {
    let bits = value.to_bits();
    let field = ((bits >> 23) & 0xff) as i32;
    match field {
        0 if bits << 1 == 0 => Some(i32::MAX),
        0 | 0xff => None,
        _ => Some(field - 150 + ((bits & 0x7f_ffff) | 0x80_0000).trailing_zeros() as i32),
    }
}

/// The power of two at or below a magnitude; very small for zero.
fn exponent(magnitude: f64) -> i32 {
    (magnitude.to_bits() >> 52) as i32 - 1023
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
    fn bits_and_exponents_are_those_of_the_number() {
        assert_eq!(lowest_bit(1.5), Some(-1));
        assert_eq!(lowest_bit(f32::MIN_POSITIVE), Some(-126));
        assert_eq!(lowest_bit(-0.0), Some(i32::MAX));
        assert_eq!(lowest_bit(f32::MIN_POSITIVE / 2.0), None);
        assert_eq!(lowest_bit(f32::NAN), None);
        assert_eq!((exponent(1.0), exponent(1.99), exponent(0.25)), (0, 0, -2));
        assert_eq!(exponent(0.0), -1023);
    }

    #[test]
    fn an_ordinary_matrix_needs_no_doubles() {
        assert!(plan(&diagonal(0.7, 12.3)).unwrap().single);
    }

    #[test]
    fn a_cell_of_noise_needs_doubles_in_its_own_operation_only() {
        let mut columns = diagonal(0.7, 12.3);
        columns.column[1][0] = 1.0e-9;
        let row = plan(&columns).unwrap().rows[0];
        assert_eq!(row.position, [true, false, true]);
        assert_eq!(row.normal, [true, false, true]);
        assert!(!plan(&columns).unwrap().single);
        let exact = Arithmetic { rounding: Rounding::Exact, ..DOLPHIN };
        assert!(Plan::new(&columns, exact, Input::OneBone).unwrap().single);
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
