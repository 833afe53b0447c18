//! Files that a command writes: whole, or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::CliError;
use super::interrupt::Part;

/// Writes a file beside its place under another name and moves it there, so that neither an error nor an
/// interruption leaves half of it. Folders above are made. `-` is standard output.
///
/// # Errors
/// When the file cannot be written; the message names it.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
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
    let part = part_of(path)?;
    let written = fs::write(&part.path, bytes).and_then(|()| fs::rename(&part.path, path));
    written.map_err(error)
}

/// The name under which a file is written before it is whole: hidden, beside it.
fn part_of(path: &Path) -> Result<Part, CliError> {
    let Some(name) = path.file_name() else {
        return Err(CliError::file(path, "want the name of a file, have that of a folder"));
    };
    Ok(Part::new(path, name))
}

/// A file that is written piece by piece, under another name until [`Growing::finish`]. Dropped before, or
/// interrupted, it leaves nothing.
#[derive(Debug)]
pub struct Growing {
    file: BufWriter<fs::File>,
    path: PathBuf,
    /// `None` for a device or a pipe, which takes the bytes itself.
    part: Option<Part>,
}

impl Growing {
    /// Begins a file. Folders above are made.
    ///
    /// # Errors
    /// When it cannot be written; the message names it.
    pub fn create(path: &Path) -> Result<Self, CliError> {
        let error = |error| CliError::file(path, error);
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(error)?;
        }
        let existing = fs::canonicalize(path).ok();
        if existing.as_ref().is_some_and(|target| !target.is_file() && !target.is_dir()) {
            let file = fs::OpenOptions::new().write(true).open(path).map_err(error)?;
            return Ok(Self { file: BufWriter::new(file), path: path.to_owned(), part: None });
        }
        if existing.as_ref().is_some_and(|target| target.is_dir()) {
            return Err(CliError::file(path, "want the name of a file, have that of a folder"));
        }
        let path = existing.unwrap_or_else(|| path.to_owned());
        let part = part_of(&path)?;
        let file = fs::File::create(&part.path).map_err(error)?;
        Ok(Self { file: BufWriter::new(file), path, part: Some(part) })
    }

    /// The name that the file is to have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When it cannot be written; the message names it.
    pub fn finish(mut self) -> Result<(), CliError> {
        let flushed = self.file.flush();
        let named = flushed
            .and_then(|()| self.part.as_ref().map_or(Ok(()), |part| fs::rename(&part.path, &self.path)));
        named.map_err(|error| CliError::file(&self.path, error))?;
        self.part = None;
        Ok(())
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
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

    #[test]
    fn a_growing_file_has_its_name_only_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/file.txt");
        let mut file = Growing::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
        let mut file = Growing::create(&path).unwrap();
        file.write_all(b"whole").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert!(Growing::create(folder.path()).is_err());
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
