//! What a run gives: plain data that serializes to the schema `skinsim.flver/1`.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use crate::finding::Finding;
use crate::flver::format::BoundingBox;
use crate::flver::format::vertices::{Lanes, ShortWeights};

use super::binding::RigidCounts;
use super::dummies::PlacedDummy;
use super::hierarchy::ScaleRule;
use super::options::{DummyFollow, RigidPalette, RigidRule, StreamOrder};

/// A model after one frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Outcome {
    /// `skinsim.flver/1`.
    pub schema: String,
    /// As named on the command line.
    pub model: String,
    /// File version, "0x2001a".
    pub version: String,
    /// How every open question was answered in this run.
    pub choices: Choices,
    /// Nodes in file order.
    pub nodes: Vec<NodeOutcome>,
    /// Meshes in file order.
    pub meshes: Vec<MeshOutcome>,
    /// Dummy points in file order, in model space.
    pub dummies: Vec<PlacedDummy>,
    /// The box of all vertices.
    pub bounds: Bounds,
    /// What the frame shows to be wrong.
    pub findings: Vec<Finding>,
}

/// How every open question was answered in a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Choices {
    /// How a node's scale reaches its descendants.
    pub scale: ScaleRule,
    /// What names the bone of a static vertex.
    pub rigid: RigidRule,
    /// Whether a normal's W goes through the palette.
    pub rigid_palette: RigidPalette,
    /// Which of two position streams is the current one.
    pub stream_order: StreamOrder,
    /// Which node a dummy point follows.
    pub dummy_follow: DummyFollow,
    /// How weights of type 0x16 are read.
    pub short_weights: ShortWeights,
    /// Weights of type 0x16 occur, so that the choice matters.
    pub short_weights_used: bool,
    /// A pose was given.
    pub posed: bool,
    /// A pose of the frame before was given.
    pub previous_posed: bool,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeOutcome {
    /// Name.
    pub name: String,
    /// Parent, -1 for a root.
    pub parent: i16,
    /// World transform: four rows of four, row-vector form (translation in the last row).
    pub world: [[f32; 4]; 4],
}

/// What moved a mesh's vertices.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum BindingOutcome {
    /// Four weighted skin matrices a vertex, vertices in model bind space.
    Skinned,
    /// One world matrix a vertex, vertices in the bone's space; how many vertices by which rule.
    Rigid(RigidCounts),
    /// Nothing: a dynamic mesh without bone indices, or one that could not be decoded.
    #[default]
    Unmoved,
}

/// Which stored position stream played which part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct StreamsOutcome {
    /// Number of position streams in the file.
    pub count: usize,
    /// The stream bound as POSITION0: the current frame's.
    pub current: usize,
    /// The stream bound as POSITION1: the frame before's.
    pub previous: usize,
    /// The two hold the same positions, bit for bit, as shipped files do.
    pub identical: bool,
}

/// A mesh. Arrays hold one entry a vertex, or none where the mesh lacks the attribute.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct MeshOutcome {
    /// Number and material.
    pub name: String,
    /// Why the vertices or triangles could not be decoded, where they could not: then every array is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Members of the layouts that no source explains and that were left alone: "bone weights 0 of type 0x18".
    pub undecoded: Vec<String>,
    /// Material number.
    pub material: i32,
    /// Vertices are in model bind space and weighted (else static).
    pub dynamic: bool,
    /// The node a static mesh follows where its vertices name none.
    pub node_index: i32,
    /// Local-to-node mapping; empty where indices name nodes directly.
    pub palette: Vec<i32>,
    /// What moved the vertices.
    pub binding: BindingOutcome,
    /// Number of vertices.
    pub vertex_count: usize,
    /// Which position stream is which.
    pub streams: StreamsOutcome,
    /// Posed positions, model space.
    pub positions: Vec<[f32; 3]>,
    /// Posed normals, model space, as long as stored.
    pub normals: Vec<[f32; 3]>,
    /// Posed positions of the frame before: with a second stream, or a previous pose.
    pub previous_positions: Vec<[f32; 3]>,
    /// Position less previous position, where there is one.
    pub motion_vectors: Vec<[f32; 3]>,
    /// Weights as stored.
    pub weights: Vec<[f32; 4]>,
    /// Weights divided by max(sum, 0.001), as blended.
    pub normalized_weights: Vec<[f32; 4]>,
    /// Bone indices as nodes: through the palette; -1 where palette or node table has no such entry.
    pub bone_indices: Vec<[i32; 4]>,
    /// Bone indices as stored.
    pub stored_bone_indices: Vec<[u16; 4]>,
    /// The normals' integer W, which names a static vertex' bone.
    pub normal_w: Vec<i32>,
    /// The node each static vertex follows; -1 for none.
    pub rigid_nodes: Vec<i32>,
    /// Positions as stored in the current stream.
    pub stored_positions: Vec<[f32; 3]>,
    /// Normals as stored in the current stream.
    pub stored_normals: Vec<[f32; 3]>,
    /// Texture-coordinate inputs in stream order.
    pub uvs: Vec<Attribute>,
    /// Tangents.
    pub tangents: Vec<Attribute>,
    /// Bitangents.
    pub bitangents: Vec<Attribute>,
    /// Colours; index 0 is COLOR0, index 1 COLOR1.
    pub colours: Vec<Attribute>,
    /// Triangles of the main face set.
    pub triangles: Vec<[u32; 3]>,
}

/// A decoded member of a vertex, stored space.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Attribute {
    /// Semantic index.
    pub index: u32,
    /// Packing, "0x13".
    #[serde(rename = "type")]
    pub member_type: String,
    /// One to four lanes a vertex.
    pub values: LaneValues,
}

/// Values of which only the first lanes count.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneValues(Lanes);

impl From<Lanes> for Attribute {
    fn from(lanes: Lanes) -> Self {
        let member_type = format!("{:#04x}", lanes.member_type.0);
        Self { index: lanes.index, member_type, values: LaneValues(lanes) }
    }
}

impl Serialize for LaneValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut values = serializer.serialize_seq(Some(self.0.values.len()))?;
        for value in &self.0.values {
            values.serialize_element(&value[..usize::from(self.0.lanes).min(4)])?;
        }
        values.end()
    }
}

impl JsonSchema for LaneValues {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LaneValues".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Vec<f32>>::json_schema(generator)
    }
}

/// The header's box and the box of the posed vertices.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Bounds {
    /// As the header stores it.
    pub stored: BoundingBox,
    /// Of every posed vertex; null without vertices.
    pub posed: Option<BoundingBox>,
    /// Largest difference of a corner relative to the longest stored side; null without vertices, or where a mesh
    /// could not be decoded.
    pub relative_difference: Option<f64>,
}
