//! From a control to its matrix, and to what the library takes for its inverse.

use super::Library;
use super::matrix::Matrix;
use crate::c3::format::act::Control;
use crate::c3::format::act::control::{EULER, MATRIX, QUATERNION, SCALE, TRANSLATION};

/// An axis of rotation.
#[derive(Clone, Copy)]
enum Axis {
    X,
    Y,
    Z,
}

/// The matrix of a control: translation · rotation · scale, or the stored matrix. \[listing\]
pub fn build(control: &Control, library: Library) -> Matrix {
    if control.has(MATRIX) {
        return Matrix(control.matrix());
    }
    let mut matrix = if control.has(QUATERNION) {
        from_quaternion(control.quaternion())
    } else if control.has(EULER) {
        from_euler(control.euler())
    } else {
        Matrix::IDENTITY
    };
    if control.has(SCALE) {
        matrix = scaled(&matrix, control, library);
    }
    if control.has(TRANSLATION) {
        for (row, value) in matrix.0.iter_mut().zip(control.translation()) {
            row[3] = value;
        }
    }
    matrix
}

/// The scale acts first. The later library turns its axes by a second quaternion. \[MSSB decompilation\]
fn scaled(rotation: &Matrix, control: &Control, library: Library) -> Matrix {
    let scale = control.scale();
    let columns = |matrix: &Matrix| {
        let mut scaled = *matrix;
        for row in &mut scaled.0 {
            for (value, factor) in row.iter_mut().zip(scale) {
                *value *= factor;
            }
        }
        scaled
    };
    match (library, control.scale_axes()) {
        (Library::Superstar, Some([x, y, z, w])) => {
            let axes = from_quaternion([x, y, z, w]);
            let back = from_quaternion([-x, -y, -z, w]);
            columns(&rotation.concat(&axes)).concat(&back)
        }
        _ => columns(rotation),
    }
}

/// What the library uses as the inverse of a control, faults included: the quaternion is negated in all
/// four components and so turns the same way as before, and the z step of Euler angles turns by the x
/// angle. Only bones that do not inherit meet it. \[listing\]
pub fn build_inverse(control: &Control) -> Matrix {
    if control.has(MATRIX) {
        return Matrix(control.matrix()).inverse().unwrap_or(Matrix::IDENTITY);
    }
    let mut inverse = if control.has(QUATERNION) {
        from_quaternion(control.quaternion().map(|component| -component))
    } else if control.has(EULER) {
        faulty_euler_inverse(control.euler())
    } else {
        Matrix::IDENTITY
    };
    if control.has(TRANSLATION) {
        let mut back = Matrix::IDENTITY;
        for (row, value) in back.0.iter_mut().zip(control.translation()) {
            row[3] = -value;
        }
        inverse = inverse.concat(&back);
    }
    if control.has(SCALE) {
        for (row, factor) in inverse.0.iter_mut().zip(control.scale()) {
            let factor = 1.0 / factor;
            for value in row {
                *value *= factor;
            }
        }
    }
    inverse
}

/// Whether [`build_inverse`] is the inverse of [`build`] in exact arithmetic.
pub fn inverse_is_right(control: &Control) -> bool {
    if control.has(MATRIX) {
        return Matrix(control.matrix()).inverse().is_some();
    }
    let scale_inverts = !control.has(SCALE) || control.scale().iter().all(|&factor| factor != 0.0);
    let rotation_inverts = if control.has(QUATERNION) {
        // A rotation is its own inverse when it is none or half a turn.
        let [x, y, z, w] = control.quaternion();
        w == 0.0 || [x, y, z] == [0.0; 3]
    } else if control.has(EULER) {
        let [x, _, z] = control.euler();
        z == 0.0 || z == x
    } else {
        true
    };
    scale_inverts && rotation_inverts
}

/// The rotation of a quaternion x y z w of any length but 0, sums fused as the recorded build fuses them.
pub fn from_quaternion([x, y, z, w]: [f32; 4]) -> Matrix {
    let length = w.mul_add(w, z.mul_add(z, x.mul_add(x, y * y)));
    let scale = 2.0 / length;
    let (sx, sy, sz) = (x * scale, y * scale, z * scale);
    let (xy, xz, yz, yy, zz) = (x * sy, x * sz, y * sz, y * sy, z * sz);
    Matrix([
        [1.0 - (yy + zz), (-w).mul_add(sz, xy), w.mul_add(sy, xz), 0.0],
        [w.mul_add(sz, xy), 1.0 - x.mul_add(sx, zz), (-w).mul_add(sx, yz), 0.0],
        [(-w).mul_add(sy, xz), w.mul_add(sx, yz), 1.0 - x.mul_add(sx, yy), 0.0],
    ])
}

/// Rz · Ry · Rx of angles in degrees; a zero angle skips its step.
fn from_euler([x, y, z]: [f32; 3]) -> Matrix {
    let mut matrix = Matrix::IDENTITY;
    for (axis, angle) in [(Axis::X, x), (Axis::Y, y), (Axis::Z, z)] {
        if angle != 0.0 {
            matrix = rotation(axis, angle).concat(&matrix);
        }
    }
    matrix
}

fn faulty_euler_inverse([x, y, z]: [f32; 3]) -> Matrix {
    let mut matrix = Matrix::IDENTITY;
    // The z step asks whether z is 0 and then turns by x.
    for (axis, asked, angle) in [(Axis::Z, z, x), (Axis::Y, y, y), (Axis::X, x, x)] {
        if asked != 0.0 {
            matrix = rotation(axis, -angle).concat(&matrix);
        }
    }
    matrix
}

/// A counter-clockwise turn by degrees about an axis.
fn rotation(axis: Axis, degrees: f32) -> Matrix {
    /// π / 180 as a single.
    const RADIANS: f32 = 0.017_453_292;
    let radians = f64::from(degrees * RADIANS);
    let (sine, cosine) = (libm::sin(radians) as f32, libm::cos(radians) as f32);
    let mut matrix = Matrix::IDENTITY;
    let (a, b) = match axis {
        Axis::X => (1, 2),
        Axis::Y => (2, 0),
        Axis::Z => (0, 1),
    };
    matrix.0[a][a] = cosine;
    matrix.0[a][b] = -sine;
    matrix.0[b][a] = sine;
    matrix.0[b][b] = cosine;
    matrix
}
