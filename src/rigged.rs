//! A mesh with what moves it: bones, weights, shapes and animations, whatever format it came from.

use crate::affine::{Affine, Trs};
use crate::mesh::Mesh;

/// A model as it was made, before any frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rigged {
    /// The mesh in the pose in which it is bound.
    pub mesh: Mesh,
    /// Bones. Parents make no circles.
    pub bones: Vec<Bone>,
    /// The bones of each vertex and their weights, which sum to 1; none for a vertex that stays where it is.
    pub influences: Vec<Vec<(u16, f32)>>,
    /// Shapes that the mesh can be moved towards.
    pub shapes: Vec<Shape>,
    /// Animations of the bones.
    pub animations: Vec<Animation>,
    /// Vertices whose weights do not sum to 1 in the file: the game moves them by the sum it finds, other
    /// programs by weights that were made to fit.
    pub unnormalized: usize,
}

/// A bone where it is bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// Name for people.
    pub name: String,
    /// The parent's number.
    pub parent: Option<u16>,
    /// From its own space to the parent's.
    pub local: Affine,
    /// From the mesh's space to its own.
    pub inverse_bind: Affine,
}

/// A shape: what is added to the vertices at full weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shape {
    /// Name for people.
    pub name: String,
    /// Vertex, what its position gains, what its normal gains; ascending by vertex.
    pub deltas: Vec<(u32, [f32; 3], [f32; 3])>,
}

/// An animation: where every bone is, frame after frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// Name for people.
    pub name: String,
    /// Seconds from a frame to the next.
    pub frame_seconds: f32,
    /// By frame and bone, the transform to the parent's space.
    pub frames: Vec<Vec<Trs>>,
}

/// Weights that sum to 1, the largest first, without those that are nothing; none where they sum to
/// nothing. Repeats of a bone become one.
pub fn normalized_influences(weights: impl IntoIterator<Item = (u16, f32)>) -> Vec<(u16, f32)> {
    let mut sums: Vec<(u16, f32)> = Vec::new();
    for (bone, weight) in weights.into_iter().filter(|(_, weight)| weight.is_finite() && *weight > 0.0) {
        match sums.iter_mut().find(|(of, _)| *of == bone) {
            Some((_, sum)) => *sum += weight,
            None => sums.push((bone, weight)),
        }
    }
    let total: f32 = sums.iter().map(|(_, weight)| weight).sum();
    for (_, weight) in &mut sums {
        *weight /= total;
    }
    sums.retain(|(_, weight)| weight.is_finite() && *weight > 0.0);
    sums.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    sums
}

/// The transform of each bone to its parent's space, from where the bones are in the model's space. A
/// parent that flattens space has no inverse; its children are placed as if it were not there.
pub fn locals(globals: &[Affine], parents: impl IntoIterator<Item = Option<u16>>) -> Vec<Affine> {
    let above = |parent: Option<u16>| parent.and_then(|parent| globals.get(usize::from(parent))?.inverse());
    let pairs = globals.iter().zip(parents);
    pairs.map(|(own, parent)| above(parent).map_or(*own, |inverse| inverse.after(own))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_joined_by_bone_and_sum_to_one() {
        let weights = [(3, 0.25), (7, 0.5), (3, 0.25), (1, 0.0), (2, f32::NAN), (4, -1.0)];
        assert_eq!(normalized_influences(weights), [(3, 0.5), (7, 0.5)]);
        assert_eq!(normalized_influences([(0, 0.0)]), []);
    }

    #[test]
    fn a_childs_transform_counts_from_its_parent() {
        let at = |x: f64| Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY }.affine();
        let mut flat = at(5.0);
        flat.0[1][1] = 0.0;
        let locals = locals(&[at(1.0), at(3.0), flat, at(9.0)], [None, Some(0), None, Some(2)]);
        assert_eq!(locals, [at(1.0), at(2.0), flat, at(9.0)]);
    }
}
