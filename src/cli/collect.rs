//! The models behind the arguments: files as they are, folders walked.

use std::path::{Path, PathBuf};

use crate::cli::CliError;
use crate::cli::input::{Input, ModelKind};

/// Files as given; of folders every model below them, in order of their paths.
/// # Errors
/// When a folder cannot be read, or holds no model.
pub fn models(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut models = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            let before = models.len();
            walk(argument, &mut models)?;
            if models.len() == before {
                return Err(CliError::file(argument, "want a folder with models in it, have none"));
            }
        } else {
            models.push(argument.clone());
        }
    }
    Ok(models)
}

fn walk(folder: &Path, models: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let error = |error| CliError::file(folder, error);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        entries.push(entry.map_err(error)?);
    }
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let kind = entry.file_type().map_err(error)?;
        // Links to folders are not followed: they may lead back here.
        if kind.is_dir() {
            walk(&entry.path(), models)?;
        } else if entry.path().is_file() && is_model(&entry.path())? {
            models.push(entry.path());
        }
    }
    Ok(())
}

/// Every file below a folder, in order of their paths.
///
/// # Errors
/// When a folder cannot be read.
pub fn files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let error = |error| CliError::file(folder, error);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        entries.push(entry.map_err(error)?);
    }
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        match entry.file_type().map_err(error)? {
            kind if kind.is_dir() => self::files(&entry.path(), files)?,
            _ => files.push(entry.path()),
        }
    }
    Ok(())
}

/// Whether a file of a folder is a model of its own. A loose SKN belongs to its GPL.
fn is_model(path: &Path) -> Result<bool, CliError> {
    Ok(match Input::read_start(path)?.kind() {
        ModelKind::Block | ModelKind::Gpl | ModelKind::Flver | ModelKind::Mdl => true,
        ModelKind::Skn | ModelKind::Unknown => false,
    })
}
