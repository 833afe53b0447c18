//! A character before it is laid out: what a file format gives, in the model's own space and units.

use std::fmt;

use crate::affine::{Affine, Trs};

/// Where a vertex comes from, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The mesh and primitive, as the file names them.
    pub part: std::sync::Arc<str>,
    /// Number of the vertex there.
    pub vertex: u32,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, vertex {}", self.part, self.vertex)
    }
}

/// A vertex at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Vertex {
    /// Position in the bones' space.
    pub position: [f64; 3],
    /// Normal of length 1, or 0.
    pub normal: [f64; 3],
    /// Colour, RGBA.
    pub colour: [u8; 4],
    /// Texture coordinates, when the part has some.
    pub texture: Option<[f64; 2]>,
    /// Bones (by number) and their weights, as the file gives them.
    pub influences: Vec<(u16, f64)>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Triangles that are drawn together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// Name of the material.
    pub material: String,
    /// Vertex numbers, counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
}

/// A bone at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// Name in the file.
    pub name: String,
    /// Parent, which comes before.
    pub parent: Option<u16>,
    /// Transform from its own space to the parent's.
    pub local: Rest,
}

/// How a vertex moves from the neutral shape to a target.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Delta {
    /// Vertex number.
    pub vertex: u32,
    /// What is added to the position.
    pub position: [f64; 3],
    /// What is added to the normal.
    pub normal: [f64; 3],
}

/// The morph targets of one mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Morph {
    /// Name of the mesh.
    pub name: String,
    /// Each target's name and what it moves, ascending by vertex.
    pub targets: Vec<(String, Vec<Delta>)>,
}

/// How values go from key to key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// Stays until the next key.
    Step,
    /// Straight, or along the sphere for rotations.
    Linear,
}

/// Keys of one component.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel<const N: usize> {
    /// How values go from key to key.
    pub curve: Curve,
    /// Times in seconds, strictly ascending, with their values.
    pub keys: Vec<(f64, [f64; N])>,
}

/// How one bone moves: components without keys stay at `rest`.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Bone number.
    pub bone: u16,
    /// What is not animated.
    pub rest: Rest,
    /// Translation.
    pub translation: Option<Channel<3>>,
    /// Rotation, quaternion x y z w.
    pub rotation: Option<Channel<4>>,
    /// Scale.
    pub scale: Option<Channel<3>>,
}

/// A transform, as components where it has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rest {
    /// Components.
    Components(Trs),
    /// A matrix that has none; such a bone has no channels.
    Matrix(Affine),
}

impl Rest {
    /// The matrix.
    pub fn affine(&self) -> Affine {
        match self {
            Self::Components(trs) => trs.affine(),
            Self::Matrix(matrix) => *matrix,
        }
    }
}

impl From<Affine> for Rest {
    fn from(matrix: Affine) -> Self {
        matrix.trs().map_or(Self::Matrix(matrix), Self::Components)
    }
}

/// An animation.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// Name in the file.
    pub name: String,
    /// Seconds from the first moment to the last.
    pub duration: f64,
    /// Bones that it moves.
    pub tracks: Vec<Track>,
}

/// A character.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Character {
    /// Name, for the skinned submesh.
    pub name: String,
    /// Bones, each parent before its children, children in file order (pre-order).
    pub bones: Vec<Bone>,
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Triangles by material.
    pub parts: Vec<Part>,
    /// Morph targets.
    pub morphs: Vec<Morph>,
    /// Animations.
    pub animations: Vec<Animation>,
    /// What the file says about its copyright.
    pub copyright: Option<String>,
}
