//! What `export` wrote, as data and as text.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::words::{counted, plural};
use crate::printable::printable;

/// The `skinsim.export/1` object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportReport {
    /// `skinsim.export/1`.
    pub schema: &'static str,
    /// The files that were written, in the order of the models.
    pub files: Vec<ExportedFile>,
}

/// A file and what is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportedFile {
    /// The model, as named on the command line.
    pub model: String,
    /// The file that was written.
    pub output: String,
    /// Vertices of the mesh. Those with several texture coordinates are repeated in a .glb.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
    /// Frames in the file; 0 for a model as it is loaded.
    pub frames: usize,
    /// The pose, or `bind` with --rigged.
    pub pose: String,
    /// Bones (--rigged).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bones: Option<usize>,
    /// Shapes (--rigged).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<usize>,
    /// Frames of each animation (--rigged).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub animations: Vec<usize>,
    /// Faults of the frames; the mesh is what memory holds after the last.
    pub faults: u64,
    /// What is not in the file as the game has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ExportReport {
    /// Wraps the files.
    pub fn new(files: Vec<ExportedFile>) -> Self {
        Self { schema: "skinsim.export/1", files }
    }

    /// For people: a line a file, and what there is to know about it.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for file in &self.files {
            let _ = write!(
                out,
                "{}   {}, {}, pose {}",
                printable(&file.output),
                counted(file.vertices, "vertex", "vertices"),
                plural(file.triangles, "triangle"),
                printable(&file.pose)
            );
            match file.bones {
                Some(bones) => {
                    let _ = write!(out, ", {}", plural(bones, "bone"));
                }
                None => {
                    let _ = write!(out, ", {}", plural(file.frames, "frame"));
                }
            }
            if let Some(shapes) = file.shapes.filter(|shapes| *shapes > 0) {
                let _ = write!(out, ", {}", plural(shapes, "shape"));
            }
            for frames in &file.animations {
                let _ = write!(out, ", an animation of {}", plural(*frames, "frame"));
            }
            out.push('\n');
            for note in &file.notes {
                let _ = writeln!(out, "  {}", printable(note));
            }
            if file.faults > 0 {
                let count = plural(usize::try_from(file.faults).unwrap_or(usize::MAX), "fault");
                let _ =
                    writeln!(out, "  {count}: the mesh is what memory holds afterwards; `skinsim run` tells");
            }
        }
        out
    }
}
