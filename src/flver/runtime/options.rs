//! What a run can be asked for; every open question is a switch here.

use schemars::JsonSchema;
use serde::Serialize;

use crate::flver::format::vertices::{DecodeOptions, ShortWeights};

use super::hierarchy::ScaleRule;
use super::pose::Pose;

/// What names the bone of a static vertex.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RigidRule {
    /// Bone index 0 where a layout has bone indices without weights; else the normal's W; else the mesh's
    /// `NodeIndex`; else as stored [seed 000].
    #[default]
    Auto,
    /// The mesh's `NodeIndex` alone.
    NodeIndex,
    /// No bone: vertices as stored.
    Stored,
}

/// Whether a normal's W goes through a palette that is not empty [open].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RigidPalette {
    /// W names a node [seed 000, seed 001].
    #[default]
    Raw,
    /// W names an entry of the palette where it lies inside it [sourced].
    Palette,
}

/// Which of two position streams of a mesh the vertex program gets as POSITION0, the current frame's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StreamOrder {
    /// The first: what the programs mean, and how Elden Ring bound all of 190 observed cloth draws.
    #[default]
    CurrentFirst,
    /// The second: how Sekiro bound 282 of 315 observed draws, the newer positions at POSITION1 [seed 000].
    PreviousFirst,
}

/// Which node a posed dummy point follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DummyFollow {
    /// The attach bone where it is set, from the place that the parent's bind pose gives; else the parent.
    #[default]
    Attach,
    /// Always the parent.
    Parent,
}

/// Options of a run; the default is the bind pose by the seeds' rules.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// This frame's pose.
    pub pose: Option<Pose>,
    /// The frame before's pose; the same as this one's where it is not given.
    pub previous_pose: Option<Pose>,
    /// How scale reaches descendants.
    pub scale: ScaleRule,
    /// What names the bone of a static vertex.
    pub rigid: RigidRule,
    /// Whether a normal's W goes through the palette.
    pub rigid_palette: RigidPalette,
    /// Which position stream is the current one.
    pub streams: StreamOrder,
    /// Which node a dummy point follows.
    pub dummies: DummyFollow,
    /// How weights of type 0x16 are read.
    pub short_weights: ShortWeights,
}

impl Options {
    /// What the vertices are decoded with.
    pub fn decode(&self, posing_only: bool) -> DecodeOptions {
        DecodeOptions { posing_only, short_weights: self.short_weights }
    }
}
