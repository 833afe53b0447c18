//! Bone weights, after the flexes: a vertex is moved by its face first and by its bones then.
//! `[spec: SDK vertex shader]`

use super::deform::Vertices;
use super::vector::{IDENTITY, Matrix, add, concat, inverse_rigid, normalize, rotate, scale, transform};
use crate::mdl::format::Mdl;
use crate::mdl::format::vvd::Vertex;

/// A bone's matrix from its own space into the model's: its rest pose, moved by its skin matrix. A
/// bone that does not exist stays where the model is.
pub(super) fn bone_to_world(mdl: &Mdl, bone: i32, skin: Option<&[Matrix]>) -> Matrix {
    let Some(at) = usize::try_from(bone).ok().filter(|&at| at < mdl.bones.len()) else { return IDENTITY };
    let rest = inverse_rigid(&mdl.bones[at].pose_to_bone);
    match skin.and_then(|skin| skin.get(at)) {
        Some(matrix) => concat(matrix, &rest),
        None => rest,
    }
}

/// Moves all vertices by their bones. Influences of bones without a matrix are left out.
pub(super) fn apply(stored: &[Vertex], matrices: &[Matrix], vertices: &mut Vertices) {
    for (at, vertex) in stored.iter().enumerate() {
        let matrix = blend(vertex, matrices);
        vertices.positions[at] = transform(&matrix, vertices.positions[at]);
        vertices.normals[at] = normalize(rotate(&matrix, vertices.normals[at]));
        if let Some([x, y, z, _]) = vertices.tangents.get_mut(at) {
            [*x, *y, *z] = normalize(rotate(&matrix, [*x, *y, *z]));
        }
    }
}

/// The weighted sum of a vertex's matrices, as the vertex shader forms it.
fn blend(vertex: &Vertex, matrices: &[Matrix]) -> Matrix {
    let mut rows = [[0.0; 3]; 3];
    let mut translation = [0.0; 3];
    let influences = std::iter::zip(vertex.bones, vertex.weights).take(usize::from(vertex.bone_count));
    for (bone, weight) in influences {
        let Some(matrix) = usize::try_from(bone).ok().and_then(|at| matrices.get(at)) else { continue };
        for (row, matrix) in std::iter::zip(&mut rows, matrix) {
            *row = add(*row, scale([matrix[0], matrix[1], matrix[2]], weight));
        }
        translation = add(translation, scale(matrix.map(|row| row[3]), weight));
    }
    [0, 1, 2].map(|row| [rows[row][0], rows[row][1], rows[row][2], translation[row]])
}
