//! 3×4 matrices that act on column vectors; the row not stored is (0 0 0 1).
//!
//! Single floats in the order of the library's C routines, sums of products fused as the recorded build
//! fuses them. \[listing\]

/// Three rows of four: a rotation part and a translation column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matrix(pub [[f32; 4]; 3]);

impl Matrix {
    /// Changes nothing.
    pub const IDENTITY: Self = Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    /// `self` after `first`: rotation parts multiplied, the translation carried through.
    ///
    /// The recorded build fuses the first two products of each sum, and the third only where the
    /// translation is added behind it.
    #[must_use]
    pub fn concat(&self, first: &Self) -> Self {
        let (a, b) = (&self.0, &first.0);
        Self(std::array::from_fn(|row| {
            let a = a[row];
            std::array::from_fn(|column| {
                let two = a[0].mul_add(b[0][column], a[1] * b[1][column]);
                if column == 3 { a[2].mul_add(b[2][3], two) + a[3] } else { two + a[2] * b[2][column] }
            })
        }))
    }

    /// The general inverse, adjugate over determinant; none when the determinant is exactly 0.
    pub fn inverse(&self) -> Option<Self> {
        let m = &self.0;
        let determinant = self.determinant();
        if determinant == 0.0 {
            return None;
        }
        let scale = 1.0 / determinant;
        let minor = |a: f32, b: f32, c: f32, d: f32| a.mul_add(b, -(c * d));
        let mut rows = [
            [
                minor(m[1][1], m[2][2], m[2][1], m[1][2]) * scale,
                -minor(m[0][1], m[2][2], m[2][1], m[0][2]) * scale,
                minor(m[0][1], m[1][2], m[1][1], m[0][2]) * scale,
                0.0,
            ],
            [
                -minor(m[1][0], m[2][2], m[2][0], m[1][2]) * scale,
                minor(m[0][0], m[2][2], m[2][0], m[0][2]) * scale,
                -minor(m[0][0], m[1][2], m[1][0], m[0][2]) * scale,
                0.0,
            ],
            [
                minor(m[1][0], m[2][1], m[2][0], m[1][1]) * scale,
                -minor(m[0][0], m[2][1], m[2][0], m[0][1]) * scale,
                minor(m[0][0], m[1][1], m[1][0], m[0][1]) * scale,
                0.0,
            ],
        ];
        for row in &mut rows {
            row[3] = -dot(row, [m[0][3], m[1][3], m[2][3]]);
        }
        Some(Self(rows))
    }

    fn determinant(&self) -> f32 {
        let m = &self.0;
        let positive = (m[0][0] * m[1][1]).mul_add(m[2][2], m[0][1] * m[1][2] * m[2][0]);
        let positive = (m[0][2] * m[1][0]).mul_add(m[2][1], positive);
        let rest = (-(m[2][0] * m[1][1])).mul_add(m[0][2], positive);
        let rest = (-(m[1][0] * m[0][1])).mul_add(m[2][2], rest);
        (-(m[0][0] * m[2][1])).mul_add(m[1][2], rest)
    }

    /// The largest absolute value of an entry: the measure that tolerances refer to.
    pub fn largest(&self) -> f32 {
        self.0.iter().flatten().fold(0.0, |largest: f32, value| largest.max(value.abs()))
    }
}

/// The first three entries of a row times a column.
fn dot(row: &[f32; 4], column: [f32; 3]) -> f32 {
    row[2].mul_add(column[2], row[0].mul_add(column[0], row[1] * column[1]))
}
