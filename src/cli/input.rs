//! Model files named on the command line: reading them and telling their kind by content.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::CliError;
use crate::c3::format::{act, anm};

/// A file as read, with the name it goes by in messages.
#[derive(Debug, Clone)]
pub struct Input {
    /// As given on the command line (`-` for standard input).
    pub path: PathBuf,
    /// The whole content.
    pub bytes: Vec<u8>,
}

/// What a file is, by its content; loose GPL and SKN files are told apart by their ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// A Sluggers model block.
    Block,
    /// A loose GPL file (its SKN, ACT, ANM lie beside it).
    Gpl,
    /// A loose SKN file.
    Skn,
    /// A FromSoftware FLVER.
    Flver,
    /// A Source-engine MDL.
    Mdl,
    /// None of these.
    Unknown,
}

impl ModelKind {
    /// What it is, for messages.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Block => "a model block",
            Self::Gpl => "a loose .gpl",
            Self::Skn => "a loose .skn",
            Self::Flver => "a FLVER",
            Self::Mdl => "an MDL",
            Self::Unknown => "no model",
        }
    }
}

impl Input {
    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| CliError::file(path, error))?;
            bytes
        } else {
            std::fs::read(path).map_err(|error| CliError::file(path, error))?
        };
        Ok(Self { path: path.to_owned(), bytes })
    }

    /// Reads as much of a file as its kind can be told by.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_start(path: &Path) -> Result<Self, CliError> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|error| CliError::file(path, error))?;
        file.take(0x40).read_to_end(&mut bytes).map_err(|error| CliError::file(path, error))?;
        Ok(Self { path: path.to_owned(), bytes })
    }

    /// Tells the kind by content.
    pub fn kind(&self) -> ModelKind {
        let starts = |magic: &[u8]| self.bytes.starts_with(magic);
        let ending = self.path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match ending.as_deref().and_then(std::ffi::OsStr::to_str) {
            _ if starts(b"FLVER") || starts(b"DCX\0") => ModelKind::Flver,
            _ if starts(b"IDST") => ModelKind::Mdl,
            // A GPL begins with its version, which is not 0.
            Some("gpl") if !self.begins_as_block() => ModelKind::Gpl,
            Some("skn") => ModelKind::Skn,
            Some("flver" | "flv" | "dcx") => ModelKind::Flver,
            Some("mdl") => ModelKind::Mdl,
            _ if starts(&[0; 4]) && self.bytes.len() >= 0x20 => ModelKind::Block,
            Some("block") => ModelKind::Block,
            _ => ModelKind::Unknown,
        }
    }

    /// Whether the first bytes are a block's header: a word of 0, and a pointer behind the header.
    fn begins_as_block(&self) -> bool {
        let pointer = self.bytes.get(4..8).and_then(|word| word.try_into().ok()).map(u32::from_be_bytes);
        self.bytes.starts_with(&[0; 4]) && pointer.is_some_and(|gpl| gpl >= 0x20) && self.bytes.len() >= 0x20
    }

    /// Whether this is an animation bank: skeletons have the same version word. Behind it a bank points to its
    /// sequence table and a skeleton has its id and number of bones, the same word for 24 bones; where a bank
    /// counts its tracks, the skeleton's pointer to its root is too small to count any.
    pub fn is_bank(&self) -> bool {
        let word = |at: usize| {
            self.bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_be_bytes)
        };
        let table = word(4) == Some(anm::HEADER_SIZE as u32);
        word(0) == Some(anm::VERSION) && table && word(0xC).is_some_and(|counts| counts >> 16 != 0)
    }

    /// The error for a file whose kind no command knows.
    pub fn not_a_model(&self) -> CliError {
        let have = match self.bytes.get(..4) {
            Some(_) if self.is_bank() => "an animation bank (`--anim` or `--anm` takes it)".to_owned(),
            Some(first) if first == act::VERSION.to_be_bytes() => {
                "a loose skeleton (`skinsim pose` or `--act` takes it)".to_owned()
            }
            Some(first) => format!("bytes {first:02x?}"),
            None => format!("a file of {} bytes", self.bytes.len()),
        };
        CliError::file(
            &self.path,
            format!("want a model block, .gpl, .skn, .flver or .mdl, have {have} at offset 0x0"),
        )
    }

    /// The name for messages and JSON.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }
}
