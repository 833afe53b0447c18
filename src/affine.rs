//! Affine transforms in double precision, for building; the frame itself never uses them.

/// Three rows of four acting on column vectors; the row not stored is (0 0 0 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine(pub [[f64; 4]; 3]);

/// Scale first, then rotation (quaternion x y z w), then translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trs {
    /// Translation.
    pub translation: [f64; 3],
    /// Unit quaternion, x y z w.
    pub rotation: [f64; 4],
    /// Scale along the axes before rotation.
    pub scale: [f64; 3],
}

impl Trs {
    /// Changes nothing.
    pub const IDENTITY: Self =
        Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// The matrix.
    pub fn affine(&self) -> Affine {
        let [x, y, z, w] = normalized(self.rotation);
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Affine(std::array::from_fn(|row| {
            let [a, b, c]: [f64; 3] =
                std::array::from_fn(|column| rotation[row][column] * self.scale[column]);
            [a, b, c, self.translation[row]]
        }))
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        let numbers = self.translation.iter().chain(&self.rotation).chain(&self.scale);
        numbers.copied().all(f64::is_finite)
    }
}

/// The quaternion at length 1; the identity for one of no length.
pub fn normalized(quaternion: [f64; 4]) -> [f64; 4] {
    let length = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() {
        quaternion.map(|part| part / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// The rotation of `a` after that of `b`.
pub fn quaternion_product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

impl Affine {
    /// Changes nothing.
    pub const IDENTITY: Self = Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    /// From four columns of four, as glTF stores matrices; the last row is taken to be (0 0 0 1).
    pub fn from_columns(columns: &[f64; 16]) -> Self {
        Self(std::array::from_fn(|row| std::array::from_fn(|column| columns[4 * column + row])))
    }

    /// `self` after `first`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        let (a, b) = (&self.0, &first.0);
        Self(std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                let product: f64 = (0..3).map(|k| a[row][k] * b[k][column]).sum();
                if column == 3 { product + a[row][3] } else { product }
            })
        }))
    }

    /// A point moved.
    pub fn point(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.0.map(|row| row[0] * x + row[1] * y + row[2] * z + row[3])
    }

    /// A direction turned and stretched, not moved.
    pub fn direction(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.0.map(|row| row[0] * x + row[1] * y + row[2] * z)
    }

    /// The cofactors of the linear part: what turns surface normals, up to their length.
    fn cofactors(&self) -> [[f64; 3]; 3] {
        let m = &self.0;
        std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                let [r1, r2] = [(row + 1) % 3, (row + 2) % 3];
                let [c1, c2] = [(column + 1) % 3, (column + 2) % 3];
                m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
            })
        })
    }

    /// Determinant of the linear part.
    pub fn determinant(&self) -> f64 {
        let cofactors = self.cofactors();
        (0..3).map(|column| self.0[0][column] * cofactors[0][column]).sum()
    }

    /// A surface normal turned, of length 1; 0 where there is none.
    pub fn normal(&self, normal: [f64; 3]) -> [f64; 3] {
        let sign = if self.determinant() < 0.0 { -1.0 } else { 1.0 };
        let turned =
            self.cofactors().map(|row| sign * (row[0] * normal[0] + row[1] * normal[1] + row[2] * normal[2]));
        unit(turned)
    }

    /// The inverse, unless the matrix flattens space.
    pub fn inverse(&self) -> Option<Self> {
        let determinant = self.determinant();
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let cofactors = self.cofactors();
        let linear: [[f64; 3]; 3] =
            std::array::from_fn(|row| std::array::from_fn(|column| cofactors[column][row] / determinant));
        let translation = self.0.map(|row| row[3]);
        let inverse = Self(
            linear
                .map(|[a, b, c]| [a, b, c, -(a * translation[0] + b * translation[1] + c * translation[2])]),
        );
        inverse.is_finite().then_some(inverse)
    }

    /// Whether every cell is finite.
    pub fn is_finite(&self) -> bool {
        self.0.iter().flatten().copied().all(f64::is_finite)
    }

    /// The largest difference of a cell.
    pub fn difference(&self, other: &Self) -> f64 {
        let cells = self.0.iter().flatten().zip(other.0.iter().flatten());
        cells.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// Scale, rotation and translation, when they make the whole matrix: a sheared one has none.
    pub fn trs(&self) -> Option<Trs> {
        let column = |column: usize| self.0.map(|row| row[column]);
        let mut scale: [f64; 3] = std::array::from_fn(|axis| length(column(axis)));
        if scale.contains(&0.0) {
            return None;
        }
        if self.determinant() < 0.0 {
            scale[0] = -scale[0];
        }
        let rotation: [[f64; 3]; 3] =
            std::array::from_fn(|row| std::array::from_fn(|axis| self.0[row][axis] / scale[axis]));
        let translation = self.0.map(|row| row[3]);
        let trs = Trs { translation, rotation: quaternion(&rotation), scale };
        let largest = self.0.iter().flatten().fold(1.0, |largest: f64, cell| largest.max(cell.abs()));
        (trs.is_finite() && trs.affine().difference(self) <= 1e-6 * largest).then_some(trs)
    }

    /// The components that come nearest: what a sheared or flattened matrix keeps of them. Exact where
    /// [`Affine::trs`] gives something.
    pub fn nearest_trs(&self) -> Trs {
        if let Some(trs) = self.trs() {
            return trs;
        }
        let column = |column: usize| self.0.map(|row| row[column]);
        let scale: [f64; 3] = std::array::from_fn(|axis| length(column(axis)));
        let along = |from: [f64; 3], axis: [f64; 3]| -> [f64; 3] {
            let part: f64 = from.iter().zip(axis).map(|(a, b)| a * b).sum();
            std::array::from_fn(|lane| from[lane] - part * axis[lane])
        };
        let x = unit(column(0));
        let y = unit(along(column(1), x));
        let z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
        let whole = length(z) > 0.5 && [x, y, z].iter().flatten().all(|part| part.is_finite());
        let rotation = if whole {
            quaternion(&std::array::from_fn(|row| [x[row], y[row], z[row]]))
        } else {
            Trs::IDENTITY.rotation
        };
        let trs = Trs { translation: column(3), rotation, scale };
        if trs.is_finite() { trs } else { Trs::IDENTITY }
    }
}

/// The quaternion of a rotation matrix, by its largest component.
fn quaternion(m: &[[f64; 3]; 3]) -> [f64; 4] {
    let trace = m[0][0] + m[1][1] + m[2][2];
    let quaternion = if trace > 0.0 {
        [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + trace]
    } else {
        let i = (0..3).fold(0, |best, axis| if m[axis][axis] > m[best][best] { axis } else { best });
        let [j, k] = [(i + 1) % 3, (i + 2) % 3];
        let mut parts = [0.0; 4];
        parts[i] = 1.0 + m[i][i] - m[j][j] - m[k][k];
        parts[j] = m[j][i] + m[i][j];
        parts[k] = m[k][i] + m[i][k];
        parts[3] = m[k][j] - m[j][k];
        parts
    };
    normalized(quaternion)
}

/// Length of a vector.
pub fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// The vector at length 1; 0 for one of no length.
pub fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = length(vector);
    if length > 0.0 && length.is_finite() { vector.map(|part| part / length) } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trs() -> impl Strategy<Value = Trs> {
        let part = -2.0..2.0f64;
        let scale = prop_oneof![0.2..3.0f64, -3.0..-0.2f64];
        (
            proptest::array::uniform3(part.clone()),
            proptest::array::uniform4(part),
            proptest::array::uniform3(scale),
        )
            .prop_filter("a rotation", |(_, rotation, _)| rotation.iter().map(|p| p * p).sum::<f64>() > 0.1)
            .prop_map(|(translation, rotation, scale)| Trs { translation, rotation, scale })
    }

    proptest! {
        #[test]
        fn what_is_put_together_comes_apart_again(trs in trs()) {
            let matrix = trs.affine();
            let apart = matrix.trs().unwrap();
            prop_assert!(apart.affine().difference(&matrix) < 1e-9);
            let identity = matrix.inverse().unwrap().after(&matrix);
            prop_assert!(identity.difference(&Affine::IDENTITY) < 1e-9);
        }

        #[test]
        fn products_of_quaternions_are_products_of_matrices(a in trs(), b in trs()) {
            let (a, b) = (normalized(a.rotation), normalized(b.rotation));
            let matrix = |rotation| Trs { rotation, ..Trs::IDENTITY }.affine();
            let both = matrix(quaternion_product(a, b));
            prop_assert!(both.difference(&matrix(a).after(&matrix(b))) < 1e-12);
        }
    }

    #[test]
    fn a_sheared_matrix_does_not_come_apart() {
        let mut shear = Affine::IDENTITY;
        shear.0[0][1] = 0.5;
        assert!(shear.trs().is_none());
    }

    #[test]
    fn normals_stay_perpendicular_under_uneven_scale() {
        let scale = Trs { scale: [4.0, 1.0, 1.0], ..Trs::IDENTITY }.affine();
        let normal = scale.normal(unit([1.0, 1.0, 0.0]));
        let tangent = scale.direction([1.0, -1.0, 0.0]);
        let dot: f64 = (0..3).map(|axis| normal[axis] * tangent[axis]).sum();
        assert!(dot.abs() < 1e-12);
        assert!((length(normal) - 1.0).abs() < 1e-12);
    }
}
