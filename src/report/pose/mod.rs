//! Poses as data: the `skinsim.pose/1` object and its text.

mod text;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::c3::runtime::animate::{Play, TickError};
use crate::c3::runtime::pose::{Actor, Matrix, Order, Pose};
use crate::finding::Finding;

/// A single float: the shortest decimal that gives it back, or, where there is none (NaN, infinity),
/// the eight hex digits of its bits, as matrices files have them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f32(self.0)
        } else {
            serializer.serialize_str(&format!("{:08x}", self.0.to_bits()))
        }
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A single float: the shortest decimal that gives it back, or the eight hex digits of its bits where it is not finite",
            "type": ["number", "string"]
        })
    }
}

/// A matrix: three rows of four, acting on column vectors.
pub type Rows = [[Number; 4]; 3];

/// The `skinsim.pose/1` object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PoseReport {
    /// `skinsim.pose/1`.
    pub schema: &'static str,
    /// As named on the command line.
    pub model: String,
    /// `preorder` or `table`: the order of every list of bones here.
    pub order: &'static str,
    /// Per bone, its id.
    pub bone_ids: Vec<u16>,
    /// Per bone, the number of its record in the file.
    pub file_index: Vec<usize>,
    /// Per bone, its parent's place in this order.
    pub parents: Vec<Option<usize>>,
    /// What is played; null at rest.
    pub animation: Option<AnimationReport>,
    /// Per bone, what undoes the pose it was bound in; empty without a skin.
    pub orientation_inverse: Vec<Rows>,
    /// Bones whose inverse hangs on memory the library never wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<usize>,
    /// After binding and before the first tick; null at rest.
    pub bound: Option<FrameReport>,
    /// The frames in order.
    pub frames: Vec<FrameReport>,
    /// The tick that failed, after the frames that did not; null when none did.
    pub error: Option<PoseError>,
    /// What the rules find in skeleton and animation.
    pub findings: Vec<Finding>,
}

/// What is played.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AnimationReport {
    /// The file.
    pub file: String,
    /// The sequence's number.
    pub sequence: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Every bone's clock at the first tick.
    pub start: Number,
    /// What each tick adds to the clocks.
    pub speed: Number,
}

/// One frame.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FrameReport {
    /// Number of the tick before which the clocks stood at `clocks`; null before the first.
    pub tick: Option<u64>,
    /// Per bone, the clock at which its track was sampled; null without a track.
    pub clocks: Vec<Option<Number>>,
    /// Per bone, from its space to the world.
    pub forward: Vec<Rows>,
    /// Per bone, from bind pose to the world; empty without a skin.
    pub skin: Vec<Rows>,
}

/// A tick that failed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PoseError {
    /// Number of the tick.
    pub tick: u64,
    /// The bone's place in the order.
    pub bone: usize,
    /// Its id.
    pub bone_id: u16,
    /// The track's number in the bank.
    pub track: usize,
    /// The bone's clock.
    pub clock: Number,
    /// The same in words.
    pub message: String,
}

fn rows(matrices: &[Matrix]) -> Vec<Rows> {
    matrices.iter().map(|matrix| matrix.0.map(|row| row.map(Number))).collect()
}

/// Every bone's clock.
pub fn clocks(actor: &Actor) -> Vec<Option<f32>> {
    actor.pipes.iter().map(|pipe| pipe.map(|pipe| pipe.clock)).collect()
}

/// The name of an order in JSON and on the command line.
pub fn order_name(order: Order) -> &'static str {
    match order {
        Order::PreOrder => "preorder",
        Order::Table => "table",
    }
}

impl AnimationReport {
    /// What is played from a file.
    pub fn new(file: String, name: Option<String>, play: Play) -> Self {
        let (start, speed) = (Number(play.start), Number(play.speed));
        Self { file, sequence: play.sequence, name, start, speed }
    }
}

impl FrameReport {
    /// A frame with the clocks before its tick.
    pub fn new(tick: Option<u64>, clocks: Vec<Option<f32>>, pose: &Pose) -> Self {
        Self {
            tick,
            clocks: clocks.into_iter().map(|clock| clock.map(Number)).collect(),
            forward: rows(&pose.forward),
            skin: rows(&pose.skin),
        }
    }
}

impl PoseError {
    /// The error of a tick.
    pub fn new(tick: u64, error: &TickError) -> Self {
        Self {
            tick,
            bone: error.bone,
            bone_id: error.bone_id,
            track: error.track,
            clock: Number(error.clock),
            message: format!("tick {tick}: {error}"),
        }
    }
}

impl PoseReport {
    /// A report without frames yet.
    pub fn new(model: String, actor: &Actor, order: Order) -> Self {
        let skeleton = &actor.skeleton;
        Self {
            schema: "skinsim.pose/1",
            model,
            order: order_name(order),
            bone_ids: skeleton.bones.iter().map(|bone| bone.id).collect(),
            file_index: skeleton.bones.iter().map(|bone| bone.record).collect(),
            parents: skeleton.bones.iter().map(|bone| bone.parent).collect(),
            animation: None,
            orientation_inverse: if skeleton.has_skin {
                rows(&skeleton.orientation_inverse)
            } else {
                Vec::new()
            },
            undefined: skeleton.undefined.clone(),
            bound: None,
            frames: Vec::new(),
            error: None,
            findings: Vec::new(),
        }
    }
}
