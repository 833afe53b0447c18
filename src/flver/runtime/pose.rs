//! Pose files on the nodes of a FLVER.

pub use crate::pose_file::PoseError;

use crate::flver::format::Node;
use crate::pose_file::{PoseFile, Space};

use super::hierarchy::Override;
use super::transform::Transform;

/// Transforms for some nodes, by name or number; the others keep their own. See [`PoseFile`] for the form.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose(PoseFile);

impl Pose {
    /// Reads a pose file. Keys it does not know are ignored.
    ///
    /// # Errors
    /// When the text is not such a file, or a matrix is not affine.
    pub fn from_json(text: &[u8]) -> Result<Self, PoseError> {
        PoseFile::from_json(text).map(Self)
    }

    /// One entry a node.
    ///
    /// # Errors
    /// When a key names no node, or more than one.
    pub fn overrides(&self, nodes: &[Node]) -> Result<Vec<Option<Override>>, PoseError> {
        let names: Vec<&str> = nodes.iter().map(|node| &*node.name).collect();
        let placements = self.0.placements("node", &names)?.into_iter();
        let overrides = placements.map(|placement| {
            placement.map(|placement| {
                let transform = Transform { rows: placement.rows };
                match placement.space {
                    Space::Local => Override::Local(transform),
                    Space::World => Override::World(transform),
                }
            })
        });
        Ok(overrides.collect())
    }
}
