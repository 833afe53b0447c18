//! Where the poses of a run come from: the skeleton at rest, a sequence played on it, ready matrices, or
//! nothing at all.
//!
//! [`Poses`] is what a run takes: one [`FramePose`] a frame, in the order of the bone array. [`Rig`] says how
//! a model's skeleton is loaded, for every command the same.

use super::format::act::{Act, Control};
use super::model::Model;
use super::runtime::animate::{Player, TickError};
use super::runtime::face::Face;
use super::runtime::load::{IDENTITY, SkinMatrix};
use super::runtime::pose::{Actor, Library, LoadOptions, Matrix, Order, Pose, Skeleton};
use crate::bytes::ReadResult;

/// Bones of a model without a skeleton: as many as the mirror table of a skeleton can hold at most.
/// [seed 003]
const MOST_BONES: u16 = 255;

/// The matrices of one frame, in the order of the bone array.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FramePose {
    /// From bind pose to the posed model: what skinning multiplies by.
    pub skin: Vec<SkinMatrix>,
    /// Rigid submeshes, each with what carries it from its own space to the posed model: the forward
    /// matrix of the bone that owns it. Others stay where they are stored.
    pub rigid: Vec<(u32, SkinMatrix)>,
}

/// Why there is no pose for a frame: a tick of the animation that failed.
pub type PoseError = Box<TickError>;

/// A pose for every frame, and its name.
pub struct Poses<'p> {
    /// Name for people: `rest`, a file's name, a sequence and its time.
    pub name: String,
    /// Number of bones.
    pub bones: usize,
    /// Facial poses, the same in every frame.
    pub face: Face,
    /// One pose a frame; the run ends with it, or with the first that fails.
    pub frames: Box<dyn Iterator<Item = Result<FramePose, PoseError>> + 'p>,
}

impl Poses<'_> {
    /// The same pose in every one of `count` frames.
    pub fn still(name: impl Into<String>, pose: FramePose, count: u32) -> Self {
        let bones = pose.skin.len();
        let frames = std::iter::repeat_n(pose, count as usize).map(Ok);
        Self { name: name.into(), bones, face: Face::default(), frames: Box::new(frames) }
    }

    /// Ready skin matrices, one a bone, in every frame.
    pub fn matrices(name: impl Into<String>, skin: Vec<SkinMatrix>, count: u32) -> Self {
        Self::still(name, FramePose { skin, rigid: Vec::new() }, count)
    }

    /// Identity matrices, whatever the skeleton says: every vertex stays at its source position.
    pub fn identity(model: &Model, count: u32) -> Self {
        Self::matrices("identity", vec![IDENTITY; bones_named(model)], count)
    }

    /// The rest pose of the model's skeleton; identity matrices where it has none.
    ///
    /// # Errors
    /// When the game's library would refuse the skeleton, or links and controls lie outside of it.
    pub fn rest(model: &Model, rig: &Rig, count: u32) -> ReadResult<Self> {
        Ok(match rig.actor(model)? {
            Some(actor) => Self::still("rest", FramePose::of(&actor.skeleton, &actor.build()), count),
            None => Self::matrices("rest", vec![IDENTITY; bones_named(model)], count),
        })
    }

    /// An actor as it is played: a tick and a build for every one of `count` frames.
    pub fn played(name: impl Into<String>, mut player: Player, count: u32) -> Self {
        let bones = player.actor.skeleton.bones.len();
        let frame = move |_| player.frame().map(|pose| FramePose::of(&player.actor.skeleton, &pose));
        Self { name: name.into(), bones, face: Face::default(), frames: Box::new((0..count).map(frame)) }
    }
}

impl FramePose {
    /// The matrices that a skeleton's bones give to skin and rigid submeshes.
    pub fn of(skeleton: &Skeleton, pose: &Pose) -> Self {
        let owned = skeleton.bones.iter().zip(&pose.forward);
        Self {
            skin: pose.skin.iter().map(|matrix| matrix.0).collect(),
            rigid: owned
                .filter_map(|(bone, &Matrix(forward))| Some((bone.display_object?.into(), forward)))
                .collect(),
        }
    }
}

/// How a model's skeleton is loaded. The default is what the game does, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rig {
    /// Order of the bone array; `None`: the records' order in a block, pre-order for a loose skeleton.
    /// \[open\]
    pub order: Option<Order>,
    /// Which library builds the matrices.
    pub library: Library,
    /// The actor's own transform.
    pub world: Control,
}

impl Default for Rig {
    fn default() -> Self {
        Self { order: None, library: Library::default(), world: Control::IDENTITY }
    }
}

impl Rig {
    /// The order of the bone array of a skeleton in a block, or of a loose one.
    pub fn order(&self, in_block: bool) -> Order {
        self.order.unwrap_or(if in_block { Order::Table } else { Order::PreOrder })
    }

    /// Loads a skeleton. `in_block`: whether it is a section of a block. `has_skn`: whether there is a
    /// skin, so that skin matrices are needed whatever the skeleton's own header says.
    ///
    /// # Errors
    /// When the library would refuse it, or links and controls lie outside of it.
    pub fn load(&self, act: &Act, in_block: bool, has_skn: bool) -> ReadResult<Actor> {
        let options =
            LoadOptions { order: self.order(in_block), skin: has_skn.then_some(true), library: self.library };
        let mut actor = Actor::new(Skeleton::load(act, &options)?);
        actor.world = self.world;
        Ok(actor)
    }

    /// Loads the model's skeleton, if it has one.
    ///
    /// # Errors
    /// As [`Rig::load`], and when the skeleton's header is not whole.
    pub fn actor(&self, model: &Model) -> ReadResult<Option<Actor>> {
        let Some(view) = model.act else { return Ok(None) };
        self.load(&Act::parse_view(view)?, model.block.is_some(), model.skn.is_some()).map(Some)
    }
}

/// One more than the highest bone that an entry names, within what a skeleton can hold.
pub fn bones_named(model: &Model) -> usize {
    let highest = model.skn.as_ref().and_then(|skn| {
        let one = skn.sk1.iter().map(|entry| entry.bone);
        let two = skn.sk2.iter().flat_map(|entry| entry.bones);
        let accumulated = skn.skacc.iter().map(|entry| entry.bone);
        one.chain(two).chain(accumulated).max()
    });
    highest.map_or(0, |bone| usize::from(bone.min(MOST_BONES - 1)) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::testing::fox;

    #[test]
    fn the_rest_pose_comes_from_the_skeleton_and_leaves_bound_vertices_where_they_are() {
        let bytes = fox();
        let model = Model::from_block(&bytes).unwrap();
        let poses = Poses::rest(&model, &Rig::default(), 2).unwrap();
        assert_eq!((poses.bones, poses.frames.count()), (24, 2));
        let mut poses = Poses::rest(&model, &Rig::default(), 1).unwrap();
        let pose = poses.frames.next().unwrap().unwrap();
        let near = |a: &f32, b: &f32| (a - b).abs() < 1e-4;
        let still = |matrix: &SkinMatrix| {
            matrix.as_flattened().iter().zip(IDENTITY.as_flattened()).all(|(a, b)| near(a, b))
        };
        assert!(pose.skin.iter().all(still));
    }

    #[test]
    fn without_a_skeleton_the_rest_pose_is_the_identity() {
        let bytes = fox();
        let model = Model { act: None, ..Model::from_block(&bytes).unwrap() };
        let mut poses = Poses::rest(&model, &Rig::default(), 1).unwrap();
        assert_eq!(poses.frames.next().unwrap().unwrap().skin, vec![IDENTITY; 24]);
    }
}
