//! The matrices of a frame: from a skeleton and its controls to what skinning multiplies by.
//!
//! An [`Actor`] is loaded once, bound to a sequence or not, and then each frame is a tick followed by a
//! build. Faults of the library are modelled, because models were made on it:
//!
//! - the inverse of a bone that does not inherit turns quaternions the wrong way and takes the x angle for
//!   the z angle ([`control::build_inverse`]);
//! - children of such a bone are bound to a matrix left over from an earlier sibling, or to memory never
//!   written ([`Skeleton::undefined`]);
//! - a matrix track shrinks its own file and stands still (see [`super::animate`]).

use crate::c3::format::act::Control;

pub mod control;
pub mod matrix;
pub mod skeleton;

pub use matrix::Matrix;
pub use skeleton::{Bone, Skeleton};

use super::animate::Pipe;

/// Order of the bone array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The order of the walk: a bone, its children, its next sibling. \[listing\]
    #[default]
    PreOrder,
    /// The order of the records in the file, which Sluggers files are believed to use. \[open\]
    Table,
}

/// Which version of the library builds matrices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Library {
    /// April 2001: knows five type bits.
    #[default]
    April2001,
    /// The later one of Mario Superstar Baseball: type bit 0x20 turns the axes of the scale.
    /// \[MSSB decompilation\]
    Superstar,
}

/// What a skeleton is loaded with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Order of the bone array.
    pub order: Order,
    /// Whether there is a skin; `None` asks the file's skin object.
    pub skin: Option<bool>,
    /// Which library.
    pub library: Library,
}

/// The matrices of one frame, in the order of the bone array.
#[derive(Debug, Clone, PartialEq)]
pub struct Pose {
    /// From each bone's space to the world.
    pub forward: Vec<Matrix>,
    /// From bind pose to the world; empty without a skin.
    pub skin: Vec<Matrix>,
}

/// A loaded skeleton with its state between frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Actor {
    /// What was computed at load.
    pub skeleton: Skeleton,
    /// The actor's own transform: reaches roots and bones that do not inherit.
    pub world: Control,
    /// Per bone, the transform that its track wrote; type 0 while there is none.
    pub animated: Vec<Control>,
    /// Per bone, its track and clock.
    pub pipes: Vec<Option<Pipe>>,
}

impl Actor {
    /// An actor at rest.
    pub fn new(skeleton: Skeleton) -> Self {
        let bones = skeleton.bones.len();
        Self {
            skeleton,
            world: Control::IDENTITY,
            animated: vec![Control::IDENTITY; bones],
            pipes: vec![None; bones],
        }
    }

    /// Builds the matrices of the frame from the controls as they are. \[listing\]
    pub fn build(&self) -> Pose {
        let skeleton = &self.skeleton;
        let world = control::build(&self.world, skeleton.library);
        let mut forward = vec![Matrix::IDENTITY; skeleton.bones.len()];
        for &place in &skeleton.walk {
            let bone = &skeleton.bones[place];
            let local = self.local(place);
            let above = match bone.parent {
                Some(parent) if bone.inherits => forward[parent],
                _ => world,
            };
            forward[place] = above.concat(&local);
        }
        let skin = if skeleton.has_skin {
            forward.iter().zip(&skeleton.orientation_inverse).map(|(a, b)| a.concat(b)).collect()
        } else {
            Vec::new()
        };
        Pose { forward, skin }
    }

    fn local(&self, place: usize) -> Matrix {
        let (own, animated) = (&self.skeleton.bones[place].control, &self.animated[place]);
        let build = |control| control::build(control, self.skeleton.library);
        match &self.pipes[place] {
            _ if animated.bits == 0 => build(own),
            Some(pipe) if !pipe.replace => build(own).concat(&build(animated)),
            _ => build(animated),
        }
    }
}

#[cfg(test)]
mod tests;
