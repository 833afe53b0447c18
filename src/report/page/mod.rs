//! The report page: one HTML file that needs nothing else, made from plain data.
//!
//! [`Page`] is what the page shows, as data; [`html`] puts it beside the page's own style and scripts
//! (`assets/`). Every format fills the same [`PageModel`]: what a format does not have stays empty, and
//! the page leaves that panel out.

pub mod c3;
pub mod finding;
pub mod flver;
pub mod geometry;
pub mod html;
pub mod mdl;
pub mod pack;
pub mod table;
pub mod verdict;

use serde::Serialize;

use c3::lines::LineMap;
use finding::PageFinding;
use geometry::Geometry;
use mdl::face::PageFace;
use table::Table;
use verdict::TargetVerdict;

/// Everything a page shows: one model, or several side by side.
#[derive(Debug, Serialize)]
pub struct Page {
    /// `skinsim.report/1`.
    pub schema: &'static str,
    /// The program and its version.
    pub generator: String,
    /// The models, in the order in which they are shown.
    pub models: Vec<PageModel>,
}

/// One model of a page.
#[derive(Debug, Serialize)]
pub struct PageModel {
    /// As named on the command line.
    pub name: String,
    /// What kind of model it is: `model block`, `FLVER`, …
    pub kind: &'static str,
    /// One sentence for each machine or game.
    pub verdicts: Vec<TargetVerdict>,
    /// What else a reader should know: label and value.
    pub facts: Vec<(String, String)>,
    /// The lines of memory that skinning writes.
    pub lines: Option<LineMap>,
    /// The mesh in every frame shown.
    pub geometry: Option<Geometry>,
    /// What the rules and the frames found.
    pub findings: Vec<PageFinding>,
    /// Lists, bones, nodes and the like.
    pub tables: Vec<Table>,
    /// What moves a face (MDL).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub face: Option<PageFace>,
    /// Why the frames end before the animation does.
    #[serde(skip)]
    pub pose_error: Option<String>,
}

impl Page {
    /// A page of these models.
    pub fn new(models: Vec<PageModel>) -> Self {
        let generator = concat!("skinsim ", env!("CARGO_PKG_VERSION")).to_owned();
        Self { schema: "skinsim.report/1", generator, models }
    }

    /// The page as one HTML document.
    pub fn html(&self) -> String {
        html::document(self)
    }
}
