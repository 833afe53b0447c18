//! The little vector arithmetic that eyes and skinning need, in the engine's 32-bit floats.

/// Three rows of four: rotation and, in the last column, translation.
pub type Matrix = [[f32; 4]; 3];

/// Leaves everything where it is.
pub const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

pub(super) fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: [f32; 3], factor: f32) -> [f32; 3] {
    a.map(|value| value * factor)
}

pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Unit length; a zero vector stays as it is.
pub(super) fn normalize(a: [f32; 3]) -> [f32; 3] {
    let length = dot(a, a).sqrt();
    if length > 0.0 { a.map(|value| value / length) } else { a }
}

pub(super) fn rotate(matrix: &Matrix, a: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row[0] * a[0] + row[1] * a[1] + row[2] * a[2])
}

/// Rotates by the transpose, which is the inverse of a rotation.
pub(super) fn rotate_back(matrix: &Matrix, a: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|column| matrix[0][column] * a[0] + matrix[1][column] * a[1] + matrix[2][column] * a[2])
}

pub(super) fn transform(matrix: &Matrix, a: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row[0] * a[0] + row[1] * a[1] + row[2] * a[2] + row[3])
}

/// The inverse of a rotation and a translation.
pub(super) fn inverse_rigid(matrix: &Matrix) -> Matrix {
    let translation = rotate_back(matrix, matrix.map(|row| row[3]));
    [0, 1, 2].map(|row| [matrix[0][row], matrix[1][row], matrix[2][row], -translation[row]])
}

/// First `b`, then `a`.
pub(super) fn concat(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| {
        let cell = |column: usize| row[0] * b[0][column] + row[1] * b[1][column] + row[2] * b[2][column];
        [cell(0), cell(1), cell(2), cell(3) + row[3]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rigid_inverse_undoes_its_matrix() {
        let matrix = [[0.0, -1.0, 0.0, 2.0], [1.0, 0.0, 0.0, -3.0], [0.0, 0.0, 1.0, 5.0]];
        assert_eq!(concat(&matrix, &inverse_rigid(&matrix)), IDENTITY);
        let point = [1.0, 2.0, 3.0];
        assert_eq!(transform(&inverse_rigid(&matrix), transform(&matrix, point)), point);
    }
}
