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

/// Vertices a block: their normals' lengths stay in the first-level cache.
const BLOCK: usize = 64;

/// Lengths of a block's normals, squared, before and after they were turned.
struct Lengths {
    before: [f32; BLOCK],
    after: [f32; BLOCK],
}

impl Lengths {
    const NEW: Self = Self { before: [0.0; BLOCK], after: [0.0; BLOCK] };

    /// Turns a normal by the linear part.
    #[inline]
    fn turn(&mut self, index: usize, rows: &[Row; 4], normal: &[f32; 3]) -> [f32; 3] {
        let [x, y, z, _] = direction(rows, normal);
        self.before[index] = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
        self.after[index] = x * x + y * y + z * z;
        [x, y, z]
    }

    /// Gives the turned normals of a block their stored lengths back.
    ///
    /// The programs have only the affine rows to turn a normal by, and make its length their own per pixel. A loop
    /// of its own, so that roots and divisions are done several at a time.
    #[inline]
    fn restore(&self, normals: &mut [[f32; 3]]) {
        let mut factors = [0.0f32; BLOCK];
        for ((factor, before), after) in factors.iter_mut().zip(&self.before).zip(&self.after) {
            let root = (before / after).sqrt();
            *factor = if *after > 0.0 { root } else { 0.0 };
        }
        for (normal, factor) in normals.iter_mut().zip(&factors) {
            *normal = normal.map(|lane| lane * factor);
        }
    }
}

/// Vertices as stored: one position and one normal each.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    /// Positions.
    pub positions: &'a [[f32; 3]],
    /// Normals.
    pub normals: &'a [[f32; 3]],
}

/// Where the same vertices go, in model space.
#[derive(Debug)]
pub struct Moved<'a> {
    /// Positions.
    pub positions: &'a mut [[f32; 3]],
    /// Normals.
    pub normals: &'a mut [[f32; 3]],
}

impl<'a> Stored<'a> {
    fn blocks(self) -> impl Iterator<Item = (&'a [[f32; 3]], &'a [[f32; 3]])> {
        self.positions.chunks(BLOCK).zip(self.normals.chunks(BLOCK))
    }
}

impl Moved<'_> {
    fn blocks(&mut self) -> impl Iterator<Item = (&mut [[f32; 3]], &mut [[f32; 3]])> {
        self.positions.chunks_mut(BLOCK).zip(self.normals.chunks_mut(BLOCK))
    }
}

/// Positions by one matrix a vertex. Every slot must name a matrix.
pub fn rigid_positions(matrices: &[Matrix], slots: &[u32], positions: &[[f32; 3]], out: &mut [[f32; 3]]) {
    for ((out, position), slot) in out.iter_mut().zip(positions).zip(slots) {
        *out = point(&matrices[*slot as usize].rows, position);
    }
}

/// Positions and normals by one matrix a vertex; each normal keeps its stored length.
pub fn rigid_vertices(matrices: &[Matrix], slots: &[u32], stored: Stored, mut out: Moved) {
    for ((slots, stored), out) in slots.chunks(BLOCK).zip(stored.blocks()).zip(out.blocks()) {
        let mut lengths = Lengths::NEW;
        let inputs = slots.iter().zip(stored.0).zip(stored.1);
        let outputs = out.0.iter_mut().zip(out.1.iter_mut());
        for (index, (((slot, position), normal), (out, out_normal))) in inputs.zip(outputs).enumerate() {
            let rows = &matrices[*slot as usize].rows;
            *out = point(rows, position);
            *out_normal = lengths.turn(index, rows, normal);
        }
        lengths.restore(out.1);
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

/// Positions and normals by four weighted matrices a vertex, blended once; each normal keeps its stored length.
pub fn weighted_vertices(
    matrices: &[Matrix],
    slots: &[[u32; 4]],
    weights: &[[f32; 4]],
    stored: Stored,
    mut out: Moved,
) {
    let bones = slots.chunks(BLOCK).zip(weights.chunks(BLOCK));
    for (((slots, weights), stored), out) in bones.zip(stored.blocks()).zip(out.blocks()) {
        let mut lengths = Lengths::NEW;
        let inputs = slots.iter().zip(weights).zip(stored.0.iter().zip(stored.1));
        let outputs = out.0.iter_mut().zip(out.1.iter_mut());
        for (index, (((slots, weights), (position, normal)), (out, out_normal))) in
            inputs.zip(outputs).enumerate()
        {
            let rows = blend(matrices, slots, weights);
            *out = point(&rows, position);
            *out_normal = lengths.turn(index, &rows, normal);
        }
        lengths.restore(out.1);
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
        let normals = [[0.0, 0.5, 0.0], [0.1, 0.7, 0.3], [0.0; 3]];
        let stored = Stored { positions: &[[1.0; 3]; 3], normals: &normals };
        let (mut positions, mut turned) = ([[0.0; 3]; 3], [[9.0; 3]; 3]);
        let out = Moved { positions: &mut positions, normals: &mut turned };
        rigid_vertices(&matrices(), &[0, 2, 0], stored, out);
        let length = turned[0].iter().map(|lane| lane * lane).sum::<f32>().sqrt();
        assert!((length - 0.5).abs() < 1e-6, "{length}");
        assert_eq!(turned[1..], [[0.1, 0.7, 0.3], [0.0; 3]]);
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

        #[test]
        fn normals_take_nothing_from_the_positions_and_blocks_have_no_seam(count in 0usize..200) {
            let positions: Vec<[f32; 3]> = (0..count).map(|vertex| [vertex as f32, 1.0, -1.0]).collect();
            let normals = vec![[0.6, 0.0, 0.8]; count];
            let slots: Vec<[u32; 4]> = (0..count as u32).map(|vertex| [vertex % 3, 1, 0, 2]).collect();
            let weights = vec![[0.5, 0.25, 0.25, 0.0]; count];
            let mut alone = vec![[0.0; 3]; count];
            weighted_positions(&matrices(), &slots, &weights, &positions, &mut alone);
            let (mut moved, mut turned) = (vec![[0.0; 3]; count], vec![[0.0; 3]; count]);
            let stored = Stored { positions: &positions, normals: &normals };
            let out = Moved { positions: &mut moved, normals: &mut turned };
            weighted_vertices(&matrices(), &slots, &weights, stored, out);
            prop_assert_eq!(moved, alone);
            for (vertex, normal) in turned.iter().enumerate() {
                prop_assert_eq!(normal, &turned[vertex % 3]);
                let length = normal.iter().map(|lane| lane * lane).sum::<f32>().sqrt();
                prop_assert!((length - 1.0).abs() < 1e-6);
            }
        }
    }
}
