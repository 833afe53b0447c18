//! Affine maps in row-vector form: `point * matrix`, translation in the last row.

/// An affine map in double precision: three rows of a linear map and one of translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Rows: the images of the x, y and z axes, and the translation.
    pub rows: [[f64; 3]; 4],
}

impl Transform {
    /// The map that moves nothing.
    pub const IDENTITY: Self = Self { rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]] };

    /// `Scale * RotationX * RotationZ * RotationY * Translation` [seed 000]; angles in radians.
    pub fn from_parts(translation: [f32; 3], rotation: [f32; 3], scale: [f32; 3]) -> Self {
        let [x, y, z] = rotation.map(f64::from);
        // The platform's sine may differ in its last bit from machine to machine; this one does not.
        let (sin_x, cos_x) = libm::sincos(x);
        let (sin_y, cos_y) = libm::sincos(y);
        let (sin_z, cos_z) = libm::sincos(z);
        let about_x = Self::linear([[1.0, 0.0, 0.0], [0.0, cos_x, sin_x], [0.0, -sin_x, cos_x]]);
        let about_z = Self::linear([[cos_z, sin_z, 0.0], [-sin_z, cos_z, 0.0], [0.0, 0.0, 1.0]]);
        let about_y = Self::linear([[cos_y, 0.0, -sin_y], [0.0, 1.0, 0.0], [sin_y, 0.0, cos_y]]);
        let [scale_x, scale_y, scale_z] = scale.map(f64::from);
        let scale = Self::linear([[scale_x, 0.0, 0.0], [0.0, scale_y, 0.0], [0.0, 0.0, scale_z]]);
        let mut local = scale.then(&about_x).then(&about_z).then(&about_y);
        local.rows[3] = translation.map(f64::from);
        local
    }

    /// A linear map without translation.
    pub fn linear([x, y, z]: [[f64; 3]; 3]) -> Self {
        Self { rows: [x, y, z, [0.0; 3]] }
    }

    /// This map, then `next`: the row-vector product `self * next`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let [x, y, z, origin] = self.rows;
        Self { rows: [next.direction(x), next.direction(y), next.direction(z), next.point(origin)] }
    }

    /// The image of a direction: the linear part alone.
    pub fn direction(&self, vector: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|lane| {
            vector[0] * self.rows[0][lane] + vector[1] * self.rows[1][lane] + vector[2] * self.rows[2][lane]
        })
    }

    /// The image of a point.
    pub fn point(&self, point: [f64; 3]) -> [f64; 3] {
        let turned = self.direction(point);
        std::array::from_fn(|lane| turned[lane] + self.rows[3][lane])
    }

    /// The determinant of the linear part.
    pub fn determinant(&self) -> f64 {
        let [x, y, z, _] = self.rows;
        dot(x, cross(y, z))
    }

    /// The inverse; `None` where an axis is flattened, or a cell is not finite.
    pub fn inverse(&self) -> Option<Self> {
        let [x, y, z, origin] = self.rows;
        let determinant = self.determinant();
        // A scale of 0.00937 [seed 000] gives 1e-6: small is fine, only zero has no inverse.
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let columns = [cross(y, z), cross(z, x), cross(x, y)].map(|axis| axis.map(|cell| cell / determinant));
        let mut inverse = Self::linear(std::array::from_fn(|row| columns.map(|column| column[row])));
        inverse.rows[3] = inverse.direction(origin.map(|cell| -cell));
        Some(inverse).filter(Self::is_finite)
    }

    /// Whether every cell is finite.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|cell| cell.is_finite())
    }

    /// The lengths of the three axes: the scale, where the map is a scale and then a rotation.
    pub fn scale(&self) -> [f64; 3] {
        std::array::from_fn(|axis| dot(self.rows[axis], self.rows[axis]).sqrt())
    }

    /// The same map in single precision, as vertices are moved by it.
    pub fn to_matrix(&self) -> Matrix {
        Matrix { rows: self.rows.map(|[x, y, z]| [x as f32, y as f32, z as f32, 0.0]) }
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// An affine map in single precision, rows padded to four lanes so that a row is one vector register.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(16))]
pub struct Matrix {
    /// Rows: the images of the x, y and z axes, and the translation; the fourth lane is zero.
    pub rows: [[f32; 4]; 4],
}

impl Matrix {
    /// The map that moves nothing.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0; 4]] };
    /// What a shader reads past the end of its buffer of matrices.
    pub const ZERO: Self = Self { rows: [[0.0; 4]; 4] };

    /// As four rows of four, the last column 0, 0, 0, 1.
    pub fn to_rows(&self) -> [[f32; 4]; 4] {
        let mut rows = self.rows;
        rows[3][3] = 1.0;
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rotations_are_applied_in_the_order_x_z_y() {
        let quarter = std::f32::consts::FRAC_PI_2;
        let turned = |rotation, point| {
            Transform::from_parts([0.0; 3], rotation, [1.0; 3]).point(point).map(|cell| cell.round() as i32)
        };
        assert_eq!(turned([quarter, 0.0, 0.0], [0.0, 1.0, 0.0]), [0, 0, 1]);
        assert_eq!(turned([0.0, quarter, 0.0], [0.0, 0.0, 1.0]), [1, 0, 0]);
        assert_eq!(turned([0.0, 0.0, quarter], [1.0, 0.0, 0.0]), [0, 1, 0]);
        // y goes to z about x, stays about z, goes to x about y.
        assert_eq!(turned([quarter, quarter, quarter], [0.0, 1.0, 0.0]), [1, 0, 0]);
        // x stays about x, goes to y about z, stays about y.
        assert_eq!(turned([quarter, quarter, quarter], [1.0, 0.0, 0.0]), [0, 1, 0]);
    }

    #[test]
    fn a_flattened_axis_has_no_inverse() {
        assert_eq!(Transform::from_parts([1.0; 3], [0.5; 3], [1.0, 0.0, 1.0]).inverse(), None);
        assert_eq!(Transform::from_parts([f32::NAN; 3], [0.5; 3], [1.0; 3]).inverse(), None);
    }

    fn parts() -> impl Strategy<Value = ([f32; 3], [f32; 3], [f32; 3])> {
        (
            prop::array::uniform3(-100.0f32..100.0),
            prop::array::uniform3(-3.0f32..3.0),
            prop::array::uniform3(0.01f32..4.0),
        )
    }

    proptest! {
        #[test]
        fn a_map_then_its_inverse_moves_nothing((translation, rotation, scale) in parts()) {
            let map = Transform::from_parts(translation, rotation, scale);
            let back = map.then(&map.inverse().unwrap());
            for (cell, identity) in back.rows.iter().flatten().zip(Transform::IDENTITY.rows.iter().flatten()) {
                prop_assert!((cell - identity).abs() < 1e-6, "{back:?}");
            }
        }

        #[test]
        fn the_axes_are_as_long_as_the_scale((translation, rotation, scale) in parts()) {
            let lengths = Transform::from_parts(translation, rotation, scale).scale();
            for (length, scale) in lengths.iter().zip(scale) {
                prop_assert!((length - f64::from(scale)).abs() < 1e-6);
            }
        }
    }
}
