//! One mesh in one pose.

use crate::bytes::ReadResult;
use crate::flver::format::vertices::MeshVertices;
use crate::flver::format::{BoundingBox, Flver, MeshRecord};

use super::binding::{Binding, zero_slot};
use super::options::{Options, StreamOrder};
use super::skeleton::Skeleton;
use super::skin::{self, Moved, Stored};

/// Vertices of a mesh in model space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Posed {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Normals, as long as they are stored; empty where the mesh has none.
    pub normals: Vec<[f32; 3]>,
}

impl Binding {
    /// Whether every weighted vertex is moved by identities alone: nothing left its bind pose.
    fn is_at_rest(&self, skeleton: &Skeleton) -> bool {
        let Self::Skinned { slots, weights } = self else { return false };
        let zero = zero_slot(skeleton.world.len());
        let reads_zeros = |(slots, weights): (&[u32; 4], &[f32; 4])| {
            slots.iter().zip(weights).any(|(slot, weight)| *slot == zero && *weight != 0.0)
        };
        skeleton.at_rest && !slots.iter().zip(weights).any(reads_zeros)
    }

    /// Places positions.
    pub fn positions(&self, skeleton: &Skeleton, stored: &[[f32; 3]]) -> Vec<[f32; 3]> {
        match self {
            Self::Unmoved => stored.to_vec(),
            Self::Skinned { weights, .. } if self.is_at_rest(skeleton) => {
                stored.iter().zip(weights).map(|(position, weights)| unweighted(*position, weights)).collect()
            }
            Self::Skinned { slots, weights } => {
                let mut out = vec![[0.0; 3]; stored.len()];
                skin::weighted_positions(&skeleton.skin, slots, weights, stored, &mut out);
                out
            }
            Self::Rigid { slots, .. } => {
                let mut out = vec![[0.0; 3]; stored.len()];
                skin::rigid_positions(&skeleton.rigid, slots, stored, &mut out);
                out
            }
        }
    }

    /// Places positions and turns normals; each normal keeps its stored length.
    pub fn vertices(&self, skeleton: &Skeleton, stored: Stored) -> Posed {
        let mut posed = Posed { positions: vec![[0.0; 3]; stored.positions.len()], normals: Vec::new() };
        posed.normals.resize(stored.normals.len(), [0.0; 3]);
        let out = Moved { positions: &mut posed.positions, normals: &mut posed.normals };
        match self {
            Self::Skinned { slots, weights } if !self.is_at_rest(skeleton) => {
                skin::weighted_vertices(&skeleton.skin, slots, weights, stored, out);
            }
            Self::Rigid { slots, .. } => skin::rigid_vertices(&skeleton.rigid, slots, stored, out),
            Self::Unmoved | Self::Skinned { .. } => {
                posed.positions = self.positions(skeleton, stored.positions);
                posed.normals.copy_from_slice(stored.normals);
                if let Self::Skinned { weights, .. } = self {
                    posed
                        .normals
                        .iter_mut()
                        .zip(weights)
                        .for_each(|(normal, weights)| unturned(normal, weights));
                }
            }
        }
        posed
    }
}

/// What a blend of identities does: weights that sum to less than a thousandth draw a vertex to the origin.
fn unweighted(position: [f32; 3], weights: &[f32; 4]) -> [f32; 3] {
    let sum: f32 = weights.iter().sum();
    if sum >= skin::SMALLEST_WEIGHT_SUM {
        return position;
    }
    position.map(|lane| lane * (sum / skin::SMALLEST_WEIGHT_SUM))
}

/// What a blend of identities does to a normal, whose length is kept: nothing, but where it has no weight at all.
fn unturned(normal: &mut [f32; 3], weights: &[f32; 4]) {
    let sum: f32 = weights.iter().sum();
    if sum == 0.0 {
        *normal = [0.0; 3];
    } else if sum < 0.0 {
        *normal = normal.map(|lane| -lane);
    }
}

/// Which stored stream plays which part in a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streams {
    /// Number of the stream bound as POSITION0.
    pub current: usize,
    /// Number of the stream bound as POSITION1; the current one where the mesh has no other.
    pub previous: usize,
}

impl Streams {
    /// Decides for a mesh.
    pub fn of(vertices: &MeshVertices, order: StreamOrder) -> Self {
        match (vertices.positions.len(), order) {
            (0 | 1, _) => Self { current: 0, previous: 0 },
            (_, StreamOrder::CurrentFirst) => Self { current: 0, previous: 1 },
            (_, StreamOrder::PreviousFirst) => Self { current: 1, previous: 0 },
        }
    }
}

/// Places one mesh's current stream.
pub fn pose_mesh(
    vertices: &MeshVertices,
    binding: &Binding,
    skeleton: &Skeleton,
    order: StreamOrder,
) -> Posed {
    let current = Streams::of(vertices, order).current;
    let Some(positions) = vertices.positions.get(current) else { return Posed::default() };
    // A second stream brings its own normals; with one normal for both, that one.
    match vertices.normals.get(current).or(vertices.normals.first()) {
        Some(normals) => binding.vertices(skeleton, Stored { positions, normals: &normals.directions }),
        None => Posed { positions: binding.positions(skeleton, positions), normals: Vec::new() },
    }
}

/// Decodes and places one mesh.
///
/// # Errors
/// When its vertices cannot be decoded.
pub fn decode_and_pose(
    flver: &Flver,
    mesh: &MeshRecord,
    skeleton: &Skeleton,
    options: &Options,
    posing_only: bool,
) -> ReadResult<(MeshVertices, Binding, Posed)> {
    let vertices = MeshVertices::decode(flver, mesh, options.decode(posing_only))?;
    let binding = Binding::new(mesh, &vertices, flver.nodes.len(), options);
    let posed = pose_mesh(&vertices, &binding, skeleton, options.streams);
    Ok((vertices, binding, posed))
}

/// The box of the posed vertices of those meshes that `which` picks; `None` without any.
///
/// # Errors
/// When a mesh cannot be decoded or the nodes cannot be composed.
pub fn posed_bounds(
    flver: &Flver,
    options: &Options,
    which: impl Fn(&MeshRecord) -> bool,
) -> ReadResult<Option<BoundingBox>> {
    let skeleton = Skeleton::current(flver, options)?;
    let mut bounds = None;
    for mesh in flver.meshes.iter().filter(|mesh| which(mesh)) {
        let (_, _, posed) = decode_and_pose(flver, mesh, &skeleton, options, true)?;
        bounds = joined(bounds, BoundingBox::of(&posed.positions));
    }
    Ok(bounds)
}

/// The box of two boxes.
pub fn joined(a: Option<BoundingBox>, b: Option<BoundingBox>) -> Option<BoundingBox> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.include(&b.min);
            a.include(&b.max);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}
