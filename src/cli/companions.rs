//! The files that belong to an MDL and lie beside it under the same name.

use std::path::Path;

use super::CliError;
use super::input::Input;
use crate::bytes::ReadError;
use crate::finding::SectionFiles;

/// The vertices (`.vvd`) and triangles (`.vtx`) of an MDL.
#[derive(Debug, Default)]
pub struct Companions {
    /// Vertices.
    pub vvd: Option<Input>,
    /// Triangles.
    pub vtx: Option<Input>,
}

/// Endings under which compilers leave the triangles; all hold the same.
const VTX_ENDINGS: [&str; 4] = ["dx90.vtx", "dx80.vtx", "sw.vtx", "vtx"];

impl Companions {
    /// Reads what lies beside `model`; `vvd` names another vertex file.
    ///
    /// # Errors
    /// When a file that was named or is there cannot be read.
    pub fn of(model: &Path, vvd: Option<&Path>) -> Result<Self, CliError> {
        let vvd = match vvd {
            Some(path) => Some(Input::read(path)?),
            None => beside(model, &["vvd"])?,
        };
        Ok(Self { vvd, vtx: beside(model, &VTX_ENDINGS)? })
    }

    /// The error with the file whose offset it tells: the vertices' own, or the model's.
    pub fn refused(&self, model: &Path, error: ReadError) -> CliError {
        match &self.vvd {
            Some(vvd) if error.what.starts_with("VVD") => CliError::file(&vvd.path, error),
            _ => CliError::file(model, error),
        }
    }

    /// The tables that lie in these files.
    pub fn files(&self) -> SectionFiles {
        let files = [("VVD", &self.vvd), ("VTX", &self.vtx)];
        files.into_iter().filter_map(|(table, input)| Some((table, input.as_ref()?.name()))).collect()
    }

    /// The vertex file's bytes.
    pub fn vvd_bytes(&self) -> Option<&[u8]> {
        self.vvd.as_ref().map(|input| &*input.bytes)
    }
}

fn beside(model: &Path, endings: &[&str]) -> Result<Option<Input>, CliError> {
    let candidates = endings.iter().map(|ending| model.with_extension(ending));
    match candidates.into_iter().find(|path| path.is_file()) {
        Some(path) => Input::read(&path).map(Some),
        None => Ok(None),
    }
}
