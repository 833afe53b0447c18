//! Files that a command writes: whole, or not at all.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::CliError;

/// Writes a file beside its place under another name and moves it there, so that neither an error nor an
/// interruption leaves half of it. Folders above are made. `-` is standard output.
///
/// # Errors
/// When the file cannot be written; the message names it.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    use std::io::Write;
    let error = |error| CliError::file(path, error);
    if path.as_os_str() == "-" {
        let mut out = std::io::stdout().lock();
        // A reader that went away is no error, as for text.
        let _ = out.write_all(bytes).and_then(|()| out.flush());
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(error)?;
    }
    // A device or a pipe takes the bytes itself and stays what it is; a link stays a link.
    let existing = fs::canonicalize(path).ok();
    if existing.as_ref().is_some_and(|target| !target.is_file() && !target.is_dir()) {
        return fs::write(path, bytes).map_err(error);
    }
    let path = existing.as_deref().filter(|target| target.is_file()).unwrap_or(path);
    let Some(name) = path.file_name() else {
        return Err(CliError::file(path, "want the name of a file, have that of a folder"));
    };
    let mut part = OsString::from(".");
    part.push(name);
    part.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(part);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written.map_err(|failure| {
        let _ = fs::remove_file(&part);
        error(failure)
    })
}

/// Refuses an output that is one of the inputs, which it would replace.
///
/// # Errors
/// When the two are the same file.
pub fn not_input(output: &Path, input: &Path) -> Result<(), CliError> {
    let same = fs::canonicalize(output).ok().zip(fs::canonicalize(input).ok());
    if same.is_some_and(|(output, input)| output == input) {
        return Err(CliError::file(output, "want an output beside the model, have the model itself"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/deep/file.txt");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_pipe_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, b"before").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"after").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"after");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

        // A socket is no regular file, and one that nobody reads refuses to be opened.
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(write(&socket, b"x").is_err());
        assert!(!fs::symlink_metadata(&socket).unwrap().is_file());
    }

    #[test]
    fn where_a_folder_is_no_file_can_go_and_no_part_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        assert!(write(&path, b"x").unwrap_err().0.contains("taken"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
