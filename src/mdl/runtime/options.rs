//! What a frame is asked for, and which of the disputed readings it follows.

use super::deform::Ramp;
use super::delay::{Delay, DelayedLids};
use super::delta::DeltaForm;
use super::machine::{CountCheck, Sdk};
use super::vector::Matrix;

/// Options of a frame; the default is what the engine of today is known to do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// Value of each controller in its own range; `None`: nothing set, every controller at its minimum.
    pub controllers: Option<Vec<f32>>,
    /// Whose stack machine runs the rules.
    pub sdk: Sdk,
    /// How that machine checks the counts of COMBO and DOMINATE.
    pub count_check: CountCheck,
    /// Which deltas move the vertices.
    pub delta: DeltaForm,
    /// How weights of flexes with the usual targets ramp.
    pub ramp: Ramp,
    /// Whether to leave out what exceeds 10,000 flexed vertices a mesh, as the engine does.
    pub engine_limit: bool,
    /// Body number: picks one model of each body part.
    pub body: u32,
    /// Level of detail that is loaded as the finest.
    pub lod: usize,
    /// What the eyes look at, in the model's space; `None`: straight ahead, each along its forward.
    pub view_target: Option<[f32; 3]>,
    /// The frame before, for vertices that follow with a delay; `None`: the first frame.
    pub delay: Option<Delay>,
    /// What delayed vertices of a lid follow.
    pub delayed_lids: DelayedLids,
    /// One skin matrix a bone (rest to posed, model's space); `None`: the rest pose.
    pub skin: Option<Vec<Matrix>>,
    /// The bytes of the `.vtx`, from which [`crate::mdl::mesh`] takes triangles.
    pub vtx: Option<Vec<u8>>,
}
