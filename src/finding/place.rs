//! Where in a model a finding lies.

use schemars::JsonSchema;
use serde::Serialize;

use super::Finding;

/// Where in a model a finding lies. Fields that do not apply are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Place {
    /// Section or table ("SKN", "nodes").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Entry inside it (`SK1[3]`, "node 7 'Head'").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Field of the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Vertex (slot) number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertex: Option<u32>,
    /// The file that the offset is in, where it is not the one that the model goes by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// File offset in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Address in the simulated machine, "0x%08x".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

impl Place {
    /// A place in a section.
    pub fn section(name: impl Into<String>) -> Self {
        Self { section: Some(name.into()), ..Self::default() }
    }

    /// The same place, narrowed to an entry.
    #[must_use]
    pub fn entry(mut self, entry: impl Into<String>) -> Self {
        self.entry = Some(entry.into());
        self
    }

    /// The same place, narrowed to a field.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same place, narrowed to a vertex.
    #[must_use]
    pub fn vertex(mut self, vertex: u32) -> Self {
        self.vertex = Some(vertex);
        self
    }

    /// The same place with its file offset.
    #[must_use]
    pub fn offset(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The same place with its address in the simulated machine.
    #[must_use]
    pub fn address(mut self, address: u32) -> Self {
        self.address = Some(format!("{address:#010x}"));
        self
    }
}

/// Sections that do not lie in the file that a model goes by, and the names of those they lie in.
pub type SectionFiles = Vec<(&'static str, String)>;

/// Names the file of every finding whose section lies in another one than the model goes by.
pub fn name_files(findings: &mut [Finding], files: &SectionFiles) {
    for Finding { place, .. } in findings {
        let file = files.iter().find(|(section, _)| place.section.as_deref() == Some(section));
        place.file = file.map(|(_, name)| name.clone());
    }
}
