//! What building gave.

mod text;

use schemars::JsonSchema;
use serde::Serialize;

use crate::c3::build::Summary;
use crate::c3::build::anm::UNITS_PER_SECOND;
use crate::c3::build::weights_only::Patched;

/// The version of this output.
pub const SCHEMA: &str = "skinsim.build/1";

/// An animation of the bank.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AnimationReport {
    /// Name of its sequence.
    pub name: String,
    /// Length in the bank's time unit.
    pub length: f32,
}

/// What was laid out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LayoutReport {
    /// Fraction bits of positions and normals.
    pub shift: u8,
    /// Names of the bones, by number.
    pub bones: Vec<String>,
    /// Vertices that triangles use.
    pub vertices: usize,
    /// Slots of the position buffer.
    pub slots: usize,
    /// Triangles.
    pub triangles: usize,
    /// SK1 entries.
    pub sk1: usize,
    /// SK2 entries.
    pub sk2: usize,
    /// `SKAcc` entries.
    pub skacc: usize,
    /// Vertices added to entries that had fewer than three.
    pub padded: usize,
    /// Names of the morph targets, which became facial poses.
    pub morph_targets: Vec<String>,
}

/// What `--weights-only` changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WeightsReport {
    /// Bytes that changed.
    pub bytes: usize,
    /// Slots that they belong to.
    pub slots: usize,
}

/// What building gave.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BuildReport {
    /// Version of this output, `skinsim.build/1`.
    pub schema: &'static str,
    /// The glTF.
    pub source: String,
    /// The block that was written.
    pub output: String,
    /// Its size in bytes.
    pub size: usize,
    /// The animation bank that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank: Option<String>,
    /// Units of the bank's times in a second.
    pub units_per_second: f64,
    /// The bank's sequences.
    pub animations: Vec<AnimationReport>,
    /// The layout, unless only weights were patched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<LayoutReport>,
    /// The patched weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightsReport>,
    /// What the source says about its copyright.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copyright: Option<String>,
    /// What was merged, made or left out.
    pub notes: Vec<String>,
}

impl BuildReport {
    /// A whole build.
    pub fn built(
        source: String,
        output: String,
        size: usize,
        bank: Option<String>,
        summary: Summary,
    ) -> Self {
        let animation = |(name, length)| AnimationReport { name, length };
        let [sk1, sk2, skacc] = summary.entries;
        Self {
            schema: SCHEMA,
            source,
            output,
            size,
            bank,
            units_per_second: UNITS_PER_SECOND,
            animations: summary.animations.into_iter().map(animation).collect(),
            layout: Some(LayoutReport {
                shift: summary.shift,
                bones: summary.bones,
                vertices: summary.vertices,
                slots: summary.slots,
                triangles: summary.triangles,
                sk1,
                sk2,
                skacc,
                padded: summary.padded,
                morph_targets: summary.morph_targets,
            }),
            weights: None,
            copyright: summary.copyright,
            notes: summary.notes,
        }
    }

    /// Patched weights.
    pub fn patched(source: String, output: String, copyright: Option<String>, patched: Patched) -> Self {
        Self {
            schema: SCHEMA,
            source,
            output,
            size: patched.block.len(),
            bank: None,
            units_per_second: UNITS_PER_SECOND,
            animations: Vec::new(),
            layout: None,
            weights: Some(WeightsReport { bytes: patched.changed, slots: patched.slots }),
            copyright,
            notes: patched.notes,
        }
    }

    /// The report for people.
    pub fn text(&self) -> String {
        text::render(self)
    }
}
