//! Options that name the files of a Character Pipeline model, and reading them.

use std::path::{Path, PathBuf};

use clap::Args;

use super::CliError;
use super::input::{Input, ModelKind};
use crate::c3::model::{LooseFiles, Model};
use crate::finding::SectionFiles;

/// Files beside a loose GPL or SKN. Those with the model's name are found by themselves.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Loose files (GameCube / Wii)")]
pub struct LooseOptions {
    /// The GPL that a loose .skn belongs to
    #[arg(long, value_name = "FILE")]
    pub gpl: Option<PathBuf>,
    /// The SKN of a loose .gpl [default: the model's name with .skn, if it exists]
    #[arg(long, value_name = "FILE")]
    pub skn: Option<PathBuf>,
    /// The skeleton [default: the model's name with .act, if it exists]
    #[arg(long, value_name = "FILE")]
    pub act: Option<PathBuf>,
    /// The animation bank [default: the model's name with .anm, if it exists]
    #[arg(long, value_name = "FILE")]
    pub anm: Option<PathBuf>,
}

/// The bytes of a model's files; [`ModelBytes::parse`] gives the model.
#[derive(Debug)]
pub enum ModelBytes {
    /// A model block.
    Block {
        /// The block.
        block: Input,
        /// Animation bank, where one is named: no block holds one.
        anm: Option<Input>,
    },
    /// Loose files.
    Loose {
        /// Geometry palette.
        gpl: Input,
        /// Skinning data.
        skn: Option<Input>,
        /// Skeleton.
        act: Option<Input>,
        /// Animation bank.
        anm: Option<Input>,
    },
}

impl ModelBytes {
    /// Takes a model that was read, and reads the files that belong to it.
    ///
    /// # Errors
    /// When the input is not such a model, or one of its files cannot be read.
    pub fn load(input: Input, options: &LooseOptions) -> Result<Self, CliError> {
        let path = input.path.clone();
        let (gpl, skn) = match input.kind() {
            ModelKind::Block => {
                let anm = options.anm.as_deref().map(Input::read).transpose()?;
                return Ok(Self::Block { block: input, anm });
            }
            ModelKind::Gpl => (input, beside(&path, options.skn.as_deref(), "skn")?),
            ModelKind::Skn => match &options.gpl {
                Some(gpl) => (Input::read(gpl)?, Some(input)),
                None => return Err(CliError::file(&path, "a loose .skn needs its GPL: --gpl FILE")),
            },
            kind @ (ModelKind::Flver | ModelKind::Mdl) => {
                let want = "want a GameCube or Wii model (a block, .gpl or .skn)";
                let have = format!("have {}, for which this has no meaning", kind.words());
                return Err(CliError::file(&path, format!("{want}, {have}")));
            }
            ModelKind::Unknown => return Err(input.not_a_model()),
        };
        let act = beside(&path, options.act.as_deref(), "act")?;
        let anm = beside(&path, options.anm.as_deref(), "anm")?;
        Ok(Self::Loose { gpl, skn, act, anm })
    }

    /// The file that the model goes by.
    pub fn path(&self) -> &Path {
        match self {
            Self::Block { block: input, .. } | Self::Loose { gpl: input, .. } => &input.path,
        }
    }

    /// The sections that lie in another file than this one.
    pub fn files(&self, model: &Path) -> SectionFiles {
        let files = match self {
            Self::Block { anm, .. } => vec![("ANM", anm.as_ref())],
            Self::Loose { gpl, skn, act, anm } => {
                vec![("GPL", Some(gpl)), ("SKN", skn.as_ref()), ("ACT", act.as_ref()), ("ANM", anm.as_ref())]
            }
        };
        let other = |(section, input): (_, Option<&Input>)| {
            input.filter(|input| input.path != model).map(|input| (section, input.name()))
        };
        files.into_iter().filter_map(other).collect()
    }

    /// The file that holds the skeleton, if there is one.
    pub fn skeleton_path(&self) -> &Path {
        match self {
            Self::Loose { act: Some(act), .. } => &act.path,
            _ => self.path(),
        }
    }

    /// The model's own animation bank.
    pub fn bank(&self) -> Option<&Input> {
        match self {
            Self::Loose { anm, .. } | Self::Block { anm, .. } => anm.as_ref(),
        }
    }

    /// The same with another bank, where there is one: the one that is played, which is read once.
    #[must_use]
    pub fn with_bank(mut self, played: Option<Input>) -> Self {
        let (Self::Loose { anm, .. } | Self::Block { anm, .. }) = &mut self;
        *anm = played.or(anm.take());
        self
    }

    /// The file that the bank goes by; the model's without one.
    pub fn bank_path(&self) -> &Path {
        self.bank().map_or(self.path(), |bank| &bank.path)
    }

    /// The parsed model.
    ///
    /// # Errors
    /// When a file ends inside its header.
    pub fn parse(&self) -> Result<Model<'_>, CliError> {
        match self {
            Self::Block { block, anm } => {
                let model = Model::from_block(&block.bytes);
                let model = model.map_err(|error| CliError::file(&block.path, error))?;
                Ok(model.with_bank(anm.as_ref().map(|input| input.bytes.as_slice())))
            }
            Self::Loose { gpl, skn, act, anm } => {
                let files = LooseFiles {
                    gpl: &gpl.bytes,
                    skn: skn.as_ref().map(|input| input.bytes.as_slice()),
                    act: act.as_ref().map(|input| input.bytes.as_slice()),
                    anm: anm.as_ref().map(|input| input.bytes.as_slice()),
                };
                Model::from_loose(files).map_err(|error| {
                    let file = skn.as_ref().filter(|_| error.what.starts_with("SKN")).unwrap_or(gpl);
                    CliError::file(&file.path, error)
                })
            }
        }
    }
}

/// The named file, or the one with the model's name and this ending where there is one.
fn beside(model: &Path, named: Option<&Path>, ending: &str) -> Result<Option<Input>, CliError> {
    let guess = model.with_extension(ending);
    match named {
        Some(path) => Input::read(path).map(Some),
        None if model.as_os_str() != "-" && guess.is_file() => Input::read(&guess).map(Some),
        None => Ok(None),
    }
}
