//! The matrices of one frame: what static vertices are multiplied by, and what weighted ones are.

use crate::bytes::{ReadError, ReadResult};
use crate::flver::format::Flver;

use super::hierarchy::{Hierarchy, ScaleRule};
use super::options::Options;
use super::pose::Pose;
use super::transform::{Matrix, Transform};

/// The nodes in one pose.
#[derive(Debug, Clone)]
pub struct Skeleton {
    /// World transforms in the bind pose.
    pub bind: Vec<Transform>,
    /// World transforms in this pose.
    pub world: Vec<Transform>,
    /// World matrices, then [`Matrix::ZERO`], then [`Matrix::IDENTITY`].
    pub rigid: Vec<Matrix>,
    /// Bind space to posed model space, then [`Matrix::ZERO`], then [`Matrix::IDENTITY`].
    pub skin: Vec<Matrix>,
    /// No node moved from its bind pose.
    pub at_rest: bool,
}

impl Skeleton {
    /// Composes the nodes.
    ///
    /// # Errors
    /// When the parents form a circle or name no node, or the pose does not fit the nodes.
    pub fn new(flver: &Flver, pose: Option<&Pose>, scale: ScaleRule) -> ReadResult<Self> {
        let nodes = &flver.nodes;
        let hierarchy = Hierarchy::new(nodes)?;
        let overrides = pose.map(|pose| pose.overrides(nodes)).transpose().map_err(|error| {
            ReadError::new("pose", 0, "transforms of the model's nodes", error.to_string())
        })?;
        let bind = hierarchy.world(nodes, &[], scale);
        let world = match &overrides {
            Some(overrides) => hierarchy.world(nodes, overrides, scale),
            None => bind.clone(),
        };
        let mut rigid: Vec<_> = world.iter().map(Transform::to_matrix).collect();
        let mut skin: Vec<_> =
            bind.iter().zip(&world).map(|(bind, world)| skin_matrix(bind, world)).collect();
        let at_rest = skin.iter().all(|matrix| *matrix == Matrix::IDENTITY);
        for matrices in [&mut rigid, &mut skin] {
            matrices.extend([Matrix::ZERO, Matrix::IDENTITY]);
        }
        Ok(Self { bind, world, rigid, skin, at_rest })
    }

    /// Nodes that move nothing, for a hierarchy that cannot be composed.
    pub fn unposed(nodes: usize) -> Self {
        let mut matrices = vec![Matrix::IDENTITY; nodes];
        matrices.extend([Matrix::ZERO, Matrix::IDENTITY]);
        let world = vec![Transform::IDENTITY; nodes];
        Self { bind: world.clone(), world, rigid: matrices.clone(), skin: matrices, at_rest: true }
    }

    /// The pose of this frame.
    ///
    /// # Errors
    /// As [`Skeleton::new`].
    pub fn current(flver: &Flver, options: &Options) -> ReadResult<Self> {
        Self::new(flver, options.pose.as_ref(), options.scale)
    }

    /// The pose of the frame before: the same as this frame's where none is given.
    ///
    /// # Errors
    /// As [`Skeleton::new`].
    pub fn previous(flver: &Flver, options: &Options) -> ReadResult<Self> {
        Self::new(flver, options.previous_pose.as_ref().or(options.pose.as_ref()), options.scale)
    }
}

/// From bind space to the posed node's space. A node that did not move is the identity to the bit; one whose
/// bind pose flattens an axis has no inverse and leaves its vertices as stored [open].
fn skin_matrix(bind: &Transform, world: &Transform) -> Matrix {
    if bind == world {
        return Matrix::IDENTITY;
    }
    bind.inverse().map_or(Matrix::IDENTITY, |inverse| inverse.then(world).to_matrix())
}
