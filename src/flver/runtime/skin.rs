//! The inner loops: plain arrays in, plain arrays out, no allocation.
//!
//! A matrix row is four lanes, so that each step of a loop is one operation of a vector register.

use super::transform::Matrix;

type Row = [f32; 4];

/// Weights are divided by their sum, but by no less than this [seed 001].
pub const SMALLEST_WEIGHT_SUM: f32 = 0.001;

#[inline]
fn scale(row: &Row, factor: f32) -> Row {
    [row[0] * factor, row[1] * factor, row[2] * factor, row[3] * factor]
}

#[inline]
fn add_scaled(sum: &Row, row: &Row, factor: f32) -> Row {
    let scaled = scale(row, factor);
    [sum[0] + scaled[0], sum[1] + scaled[1], sum[2] + scaled[2], sum[3] + scaled[3]]
}

#[inline]
fn direction(rows: &[Row; 4], [x, y, z]: &[f32; 3]) -> Row {
    add_scaled(&add_scaled(&scale(&rows[0], *x), &rows[1], *y), &rows[2], *z)
}

#[inline]
fn point(rows: &[Row; 4], position: &[f32; 3]) -> [f32; 3] {
    let [x, y, z, _] = add_scaled(&direction(rows, position), &rows[3], 1.0);
    [x, y, z]
}

/// The blend of four matrices, weights divided by `max(sum, 0.001)` as the vertex programs do [seed 001].
#[inline]
fn blend(matrices: &[Matrix], slots: &[u32; 4], weights: &[f32; 4]) -> [Row; 4] {
    let sum = weights[0] + weights[1] + weights[2] + weights[3];
    // `max` would turn a NaN sum into 0.001; so does the program's.
    let factor = 1.0 / sum.max(SMALLEST_WEIGHT_SUM);
    let weights = scale(weights, factor);
    let bones = slots.map(|slot| &matrices[slot as usize].rows);
    let mut rows = [[0.0; 4]; 4];
    for (index, row) in rows.iter_mut().enumerate() {
        let first = scale(&bones[0][index], weights[0]);
        let second = add_scaled(&first, &bones[1][index], weights[1]);
        let third = add_scaled(&second, &bones[2][index], weights[2]);
        *row = add_scaled(&third, &bones[3][index], weights[3]);
    }
    rows
}

/// Turns a normal by the linear part and keeps its stored length.
///
/// The programs have only the affine rows to turn it by, and a length of their own is made later, per pixel.
#[inline]
fn turned(rows: &[Row; 4], normal: &[f32; 3]) -> [f32; 3] {
    let [x, y, z, _] = direction(rows, normal);
    let before = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    let after = x * x + y * y + z * z;
    let factor = if after > 0.0 { (before / after).sqrt() } else { 0.0 };
    [x * factor, y * factor, z * factor]
}

/// Positions by one matrix a vertex. Every slot must name a matrix.
pub fn rigid_positions(matrices: &[Matrix], slots: &[u32], positions: &[[f32; 3]], out: &mut [[f32; 3]]) {
    for ((out, position), slot) in out.iter_mut().zip(positions).zip(slots) {
        *out = point(&matrices[*slot as usize].rows, position);
    }
}

/// Normals by one matrix a vertex.
pub fn rigid_normals(matrices: &[Matrix], slots: &[u32], normals: &[[f32; 3]], out: &mut [[f32; 3]]) {
    for ((out, normal), slot) in out.iter_mut().zip(normals).zip(slots) {
        *out = turned(&matrices[*slot as usize].rows, normal);
    }
}

/// Positions by four weighted matrices a vertex.
pub fn weighted_positions(
    matrices: &[Matrix],
    slots: &[[u32; 4]],
    weights: &[[f32; 4]],
    positions: &[[f32; 3]],
    out: &mut [[f32; 3]],
) {
    for (((out, position), slots), weights) in out.iter_mut().zip(positions).zip(slots).zip(weights) {
        *out = point(&blend(matrices, slots, weights), position);
    }
}

/// Normals by four weighted matrices a vertex.
pub fn weighted_normals(
    matrices: &[Matrix],
    slots: &[[u32; 4]],
    weights: &[[f32; 4]],
    normals: &[[f32; 3]],
    out: &mut [[f32; 3]],
) {
    for (((out, normal), slots), weights) in out.iter_mut().zip(normals).zip(slots).zip(weights) {
        *out = turned(&blend(matrices, slots, weights), normal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flver::runtime::transform::Transform;
    use proptest::prelude::*;

    fn matrices() -> Vec<Matrix> {
        let parts =
            [([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], [1.0, 2.0, 1.0]), ([-4.0, 0.0, 1.0], [1.0; 3], [0.5; 3])];
        let mut matrices: Vec<_> = parts
            .iter()
            .map(|(translation, rotation, scale)| {
                Transform::from_parts(*translation, *rotation, *scale).to_matrix()
            })
            .collect();
        matrices.push(Matrix::IDENTITY);
        matrices
    }

    fn weighted(weights: [f32; 4], position: [f32; 3]) -> [f32; 3] {
        let mut out = [[0.0; 3]];
        weighted_positions(&matrices(), &[[2, 2, 0, 1]], &[weights], &[position], &mut out);
        out[0]
    }

    #[test]
    fn weights_are_divided_by_their_sum_but_not_by_less_than_a_thousandth() {
        assert_eq!(weighted([0.25, 0.25, 0.0, 0.0], [1.0, -2.0, 4.0]), [1.0, -2.0, 4.0]);
        assert_eq!(weighted([0.0; 4], [1.0, -2.0, 4.0]), [0.0; 3], "unweighted vertices fall to the origin");
        let [x, ..] = weighted([0.0005, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert!((x - 0.5).abs() < 1e-6, "{x}");
    }

    #[test]
    fn a_turned_normal_keeps_its_length() {
        let mut out = [[0.0; 3]; 2];
        rigid_normals(&matrices(), &[0, 2], &[[0.0, 0.5, 0.0], [0.1, 0.7, 0.3]], &mut out);
        let length = out[0].iter().map(|lane| lane * lane).sum::<f32>().sqrt();
        assert!((length - 0.5).abs() < 1e-6, "{length}");
        assert_eq!(out[1], [0.1, 0.7, 0.3]);
    }

    proptest! {
        #[test]
        fn one_whole_weight_is_the_rigid_case(position in prop::array::uniform3(-100.0f32..100.0)) {
            let mut rigid = [[0.0; 3]];
            rigid_positions(&matrices(), &[0], &[position], &mut rigid);
            prop_assert_eq!(weighted([0.0, 0.0, 1.0, 0.0], position), rigid[0]);
        }

        #[test]
        fn the_blend_agrees_with_double_precision(
            position in prop::array::uniform3(-10.0f32..10.0),
            weights in prop::array::uniform4(0.01f32..1.0),
        ) {
            let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
            let matrices = matrices();
            let got = weighted(weights, position);
            for lane in 0..3 {
                let want: f64 = [2, 2, 0, 1].iter().zip(weights).map(|(slot, weight)| {
                    let rows = matrices[*slot as usize].rows.map(|row| f64::from(row[lane]));
                    let moved = f64::from(position[0]) * rows[0]
                        + f64::from(position[1]) * rows[1]
                        + f64::from(position[2]) * rows[2]
                        + rows[3];
                    f64::from(weight) / sum * moved
                }).sum();
                prop_assert!((f64::from(got[lane]) - want).abs() < 1e-4, "{} {}", got[lane], want);
            }
        }
    }
}
