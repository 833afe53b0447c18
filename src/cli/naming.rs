//! Names of files that belong to models: one a model, also where models of different folders have the same
//! name.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::CliError;

/// The file in `folder` that belongs to a model: the model's path below `root` (the current folder unless
/// named), with an ending more. A model outside of it keeps its whole path.
///
/// # Errors
/// When the model has no path: standard input.
pub fn beside(folder: &Path, root: Option<&Path>, model: &Path, ending: &str) -> Result<PathBuf, CliError> {
    let mut name = below(root, model)?.into_os_string();
    name.push(".");
    name.push(ending);
    Ok(folder.join(name))
}

/// Refuses models that would go to one file, one over the other.
///
/// # Errors
/// When there are two, or a model has no path.
pub fn apart(models: &[PathBuf], file: impl Fn(&Path) -> Result<PathBuf, CliError>) -> Result<(), CliError> {
    let mut taken: HashMap<PathBuf, &Path> = HashMap::new();
    for model in models {
        let file = file(model)?;
        if let Some(other) = taken.insert(file.clone(), model) {
            let (other, model) = (other.display(), model.display());
            let text = format!("want a model for the file, have two: {other} and {model}");
            return Err(CliError::file(&file, text));
        }
    }
    Ok(())
}

/// The folder in `folder` that the files of a folder's models lie in.
///
/// # Errors
/// When a path cannot be made absolute.
pub fn folder(folder: &Path, root: Option<&Path>, models: &Path) -> Result<PathBuf, CliError> {
    Ok(folder.join(below(root, models)?))
}

/// A path below the root, without anything that leads out of it.
///
/// # Errors
/// When a path cannot be made absolute, or is standard input.
pub fn below(root: Option<&Path>, model: &Path) -> Result<PathBuf, CliError> {
    if model.as_os_str() == "-" {
        return Err(CliError("-: want a file, which the output is named after".to_owned()));
    }
    let absolute = |path: &Path| {
        std::path::absolute(path).map(|path| folded(&path)).map_err(|error| CliError::file(path, error))
    };
    let whole = absolute(model)?;
    let root = absolute(root.unwrap_or(Path::new(".")))?;
    let inner = whole.strip_prefix(&root).unwrap_or(&whole);
    Ok(inner.components().filter(|part| matches!(part, Component::Normal(_))).collect())
}

/// The path with every `..` taken back, as its text says it.
fn folded(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(root: Option<&str>, model: &str) -> String {
        let path = beside(Path::new("out"), root.map(Path::new), Path::new(model), "snap").unwrap();
        path.display().to_string().replace('\\', "/")
    }

    #[test]
    fn models_of_the_same_name_in_different_folders_have_different_files() {
        assert_eq!(name(None, "a/hero.block"), "out/a/hero.block.snap");
        assert_eq!(name(None, "./b/../b/hero.block"), "out/b/hero.block.snap");
        assert_eq!(name(Some("/models"), "/models/a/hero.block"), "out/a/hero.block.snap");
        assert_eq!(name(Some("/models"), "/other/hero.block"), "out/other/hero.block.snap");
        assert_eq!(name(Some("/"), "/../../hero.gpl"), "out/hero.gpl.snap");
    }

    #[test]
    fn two_models_for_one_file_are_told() {
        let apart = |models: &[&str]| {
            let models: Vec<PathBuf> = models.iter().map(PathBuf::from).collect();
            super::apart(&models, |model| beside(Path::new("out"), None, model, "glb"))
        };
        assert!(apart(&["a/x.block", "b/x.block", "x.block", "x.gpl"]).is_ok());
        let error = apart(&["a/x.block", "b.block", "a/../a/x.block"]).unwrap_err().0.replace('\\', "/");
        assert_eq!(
            error,
            "out/a/x.block.glb: want a model for the file, have two: a/x.block and a/../a/x.block"
        );
    }

    #[test]
    fn standard_input_has_no_name() {
        assert!(beside(Path::new("out"), None, Path::new("-"), "snap").is_err());
    }
}
