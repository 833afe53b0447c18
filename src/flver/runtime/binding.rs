//! Which matrices move which vertex of a mesh.

use schemars::JsonSchema;
use serde::Serialize;

use crate::flver::format::vertices::MeshVertices;
use crate::flver::format::{MeshRecord, at};

use super::options::{Options, RigidPalette, RigidRule};

/// How many vertices of a static mesh are placed by which rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RigidCounts {
    /// By bone index 0, through the palette: layouts with bone indices and no weights.
    pub by_bone_index: usize,
    /// By the normal's W as a node's number.
    pub by_normal_w: usize,
    /// By the normal's W through the palette.
    pub by_normal_w_through_palette: usize,
    /// By the mesh's `NodeIndex`.
    pub by_node_index: usize,
    /// As stored: no usable bone.
    pub as_stored: usize,
}

/// What moves the vertices of a mesh. Slots index the matrices of a [`super::Skeleton`].
#[derive(Debug, Clone, PartialEq)]
pub enum Binding {
    /// One world matrix a vertex; vertices are in the bone's space.
    Rigid {
        /// A slot a vertex.
        slots: Vec<u32>,
        /// By which rule.
        counts: RigidCounts,
    },
    /// Four weighted skin matrices a vertex; vertices are in model bind space.
    Skinned {
        /// Four slots a vertex.
        slots: Vec<[u32; 4]>,
        /// Weights as stored.
        weights: Vec<[f32; 4]>,
    },
    /// Model bind space without bone indices: nothing moves them.
    Unmoved,
}

/// Slot of [`super::transform::Matrix::ZERO`]: what an index outside palette or nodes reads. Direct3D gives
/// zeros past the end of a buffer; the games' buffers may hold other models' matrices there [open].
pub fn zero_slot(nodes: usize) -> u32 {
    nodes as u32
}

/// Slot of the identity.
pub fn identity_slot(nodes: usize) -> u32 {
    nodes as u32 + 1
}

/// The node a stored bone index means: through the palette, or directly where that is empty.
pub fn joint(palette: &[i32], index: u16, nodes: usize) -> Option<usize> {
    let node = if palette.is_empty() { i32::from(index) } else { *at(palette, i32::from(index))? };
    usize::try_from(node).ok().filter(|node| *node < nodes)
}

impl Binding {
    /// Decides by the dynamic byte and the members a mesh has; never by a name, a path or a game.
    pub fn new(mesh: &MeshRecord, vertices: &MeshVertices, nodes: usize, options: &Options) -> Self {
        if !mesh.is_dynamic() {
            let indexed = follows_bone_index(vertices);
            return rigid(mesh, vertices, nodes, indexed, options);
        }
        let Some(indices) = &vertices.bone_indices else {
            return Self::Unmoved;
        };
        let slot =
            |index: u16| joint(&mesh.palette, index, nodes).map_or(zero_slot(nodes), |node| node as u32);
        let slots = indices.iter().map(|indices| indices.map(slot)).collect();
        let whole = || vec![[1.0, 0.0, 0.0, 0.0]; indices.len()];
        Self::Skinned { slots, weights: vertices.weights.clone().unwrap_or_else(whole) }
    }
}

/// Whether the static vertices of a mesh follow bone index 0: a layout with indices and no weights [sourced, of old
/// games]. Seed 000 names the normal's W alone for Sekiro and Elden Ring; what a layout with both means there is
/// not said [open].
pub fn follows_bone_index(vertices: &MeshVertices) -> bool {
    vertices.bone_indices.is_some() && vertices.weights.is_none()
}

fn rigid(
    mesh: &MeshRecord,
    vertices: &MeshVertices,
    nodes: usize,
    indexed: bool,
    options: &Options,
) -> Binding {
    let mut counts = RigidCounts::default();
    let indices = vertices.bone_indices.as_ref().filter(|_| indexed);
    let slots = (0..vertices.count).map(|vertex| {
        let index = indices.and_then(|indices| indices.get(vertex)).map(|indices| indices[0]);
        rigid_slot(mesh, vertices, (vertex, index), nodes, options, &mut counts)
    });
    Binding::Rigid { slots: slots.collect(), counts }
}

fn rigid_slot(
    mesh: &MeshRecord,
    vertices: &MeshVertices,
    (vertex, bone_index): (usize, Option<u16>),
    nodes: usize,
    options: &Options,
    counts: &mut RigidCounts,
) -> u32 {
    let in_range = |index: i32| usize::try_from(index).ok().filter(|index| *index < nodes);
    if options.rigid == RigidRule::Auto {
        if let Some(index) = bone_index {
            if let Some(node) = joint(&mesh.palette, index, nodes) {
                counts.by_bone_index += 1;
                return node as u32;
            }
        } else if let Some(w) = normal_w(vertices, vertex) {
            let mapped = at(&mesh.palette, w).filter(|_| options.rigid_palette == RigidPalette::Palette);
            if let Some(node) = in_range(*mapped.unwrap_or(&w)) {
                match mapped {
                    Some(_) => counts.by_normal_w_through_palette += 1,
                    None => counts.by_normal_w += 1,
                }
                return node as u32;
            }
        }
    }
    if let Some(node) = in_range(mesh.node_index).filter(|_| options.rigid != RigidRule::Stored) {
        counts.by_node_index += 1;
        return node as u32;
    }
    counts.as_stored += 1;
    identity_slot(nodes)
}

/// The integer W of a vertex: the first normal member that has one.
pub fn normal_w(vertices: &MeshVertices, vertex: usize) -> Option<i32> {
    vertices.normals.iter().find_map(|normals| normals.w.as_ref()?.get(vertex).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flver::format::vertices::Normals;

    fn mesh(palette: &[i32], node_index: i32) -> MeshRecord {
        MeshRecord {
            offset: 0,
            dynamic: 0,
            material: 0,
            node_index,
            palette: palette.to_vec(),
            face_sets: vec![],
            buffers: vec![],
            bounds: None,
            reserved_zero: true,
        }
    }

    fn with_w(w: &[i32]) -> MeshVertices {
        let directions = vec![[0.0, 1.0, 0.0]; w.len()];
        let normals = vec![Normals { index: 0, directions, w: Some(w.to_vec()) }];
        MeshVertices { count: w.len(), normals, ..MeshVertices::default() }
    }

    fn slots(mesh: &MeshRecord, vertices: &MeshVertices, options: &Options) -> (Vec<u32>, RigidCounts) {
        match Binding::new(mesh, vertices, 4, options) {
            Binding::Rigid { slots, counts } => (slots, counts),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_static_vertex_follows_its_normal_w_else_the_node_index_else_nothing() {
        let options = Options::default();
        let (got, counts) = slots(&mesh(&[], 2), &with_w(&[3, 9, -1]), &options);
        assert_eq!(got, [3, 2, 2]);
        assert_eq!((counts.by_normal_w, counts.by_node_index), (1, 2));
        let (got, counts) = slots(&mesh(&[], -1), &with_w(&[3, 9]), &options);
        assert_eq!((got, counts.as_stored), (vec![3, identity_slot(4)], 1));
        let without_w = MeshVertices { count: 1, ..MeshVertices::default() };
        assert_eq!(slots(&mesh(&[], 1), &without_w, &options).0, [1]);
    }

    #[test]
    fn whether_w_goes_through_the_palette_is_a_switch() {
        let palette = Options { rigid_palette: RigidPalette::Palette, ..Options::default() };
        assert_eq!(slots(&mesh(&[3, 2], 0), &with_w(&[1, 3]), &Options::default()).0, [1, 3]);
        let (got, counts) = slots(&mesh(&[3, 2], 0), &with_w(&[1, 3]), &palette);
        assert_eq!((got, counts.by_normal_w_through_palette), (vec![2, 3], 1));
    }

    #[test]
    fn bone_indices_without_weights_name_the_rigid_bone_through_the_palette() {
        let mut vertices = with_w(&[0, 0]);
        vertices.bone_indices = Some(vec![[1, 0, 0, 0], [0, 1, 1, 1]]);
        let (got, counts) = slots(&mesh(&[3, 2], 0), &vertices, &Options::default());
        assert_eq!((got, counts.by_bone_index), (vec![2, 3], 2));
        assert_eq!(slots(&mesh(&[], 0), &vertices, &Options::default()).0, [1, 0]);
    }

    #[test]
    fn an_index_outside_palette_or_nodes_reads_zeros() {
        let mut vertices = with_w(&[0]);
        vertices.bone_indices = Some(vec![[0, 1, 2, 3]]);
        vertices.weights = Some(vec![[0.25; 4]]);
        let mesh = MeshRecord { dynamic: 1, ..mesh(&[2, 9, -1], 0) };
        let expected = Binding::Skinned { slots: vec![[2, 4, 4, 4]], weights: vec![[0.25; 4]] };
        assert_eq!(Binding::new(&mesh, &vertices, 4, &Options::default()), expected);
    }
}
