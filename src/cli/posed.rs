//! Options that pose and run a model of any kind, for the commands that look at what comes out.

use std::path::PathBuf;

use clap::Args;

use super::CliError;
use super::companions::Companions;
use super::frames::FrameOptions;
use super::input::{Input, ModelKind};
use super::model::ModelBytes;
use super::run::PoseChoice;
use super::run::flver::FlverOptions;
use super::run::mdl::MdlOptions;
use crate::c3::model::Model;
use crate::c3::outcome::Outcome;
use crate::flver::format::Flver;
use crate::mdl::format::Mdl;

/// The pose, and everything a runtime lets one choose.
#[derive(Debug, Args)]
pub struct PosedOptions {
    /// The pose: `rest`, or (FLVER, MDL) a file of transforms of nodes or bones; a file of that name is `./rest`
    #[arg(long, value_name = "rest|FILE.json", default_value = "rest")]
    pub(super) pose: PoseChoice,
    /// Skin matrices, one a bone: JSON with a key `skin_matrices` [default: the rest pose]
    #[arg(long, value_name = "FILE")]
    pub(super) matrices: Option<PathBuf>,
    #[command(flatten)]
    pub(super) c3: FrameOptions,
    #[command(flatten)]
    pub(super) flver: FlverOptions,
    #[command(flatten)]
    pub(super) mdl: MdlOptions,
}

/// Which wing a model belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wing {
    /// Character Pipeline: GameCube and Wii.
    C3,
    /// FromSoftware FLVER.
    Flver,
    /// Source MDL.
    Mdl,
}

impl Wing {
    /// The wing of a model.
    ///
    /// # Errors
    /// When the input is no model.
    pub fn of(input: &Input) -> Result<Self, CliError> {
        match input.kind() {
            ModelKind::Block | ModelKind::Gpl | ModelKind::Skn => Ok(Self::C3),
            ModelKind::Flver => Ok(Self::Flver),
            ModelKind::Mdl => Ok(Self::Mdl),
            ModelKind::Unknown => Err(input.not_a_model()),
        }
    }
}

impl PosedOptions {
    /// A Character Pipeline model after its frames.
    ///
    /// # Errors
    /// When it cannot be placed or posed.
    pub fn outcome<'m, 'a>(
        &self,
        bytes: &ModelBytes,
        model: &'m Model<'a>,
    ) -> Result<Outcome<'m, 'a>, CliError> {
        let outcome = self.c3.run(bytes, model, self.matrices.as_deref())?;
        match &outcome.pose_error {
            Some(error) => {
                let (pose, frame) = (&outcome.pose_name, outcome.simulation.frames());
                Err(CliError(format!("{pose}: frame {frame}: {error}")))
            }
            None => Ok(outcome),
        }
    }

    /// The runtime's options for a FLVER.
    ///
    /// # Errors
    /// When the model or its pose cannot be read.
    pub fn flver(&self, input: &Input) -> Result<crate::flver::Options, CliError> {
        let flver = Flver::parse(&input.bytes).map_err(|error| CliError::file(&input.path, error))?;
        self.flver.options(&self.pose, &flver)
    }

    /// The files beside a MDL and the runtime's options for it, with the bytes of its .vtx.
    ///
    /// # Errors
    /// When a file cannot be read, or a value does not fit the model.
    pub fn mdl(&self, input: &Input) -> Result<(Companions, crate::mdl::Options), CliError> {
        let mdl = Mdl::read(&input.bytes).map_err(|error| CliError::file(&input.path, error))?;
        let companions = Companions::of(&input.path, self.mdl.vvd.as_deref())?;
        let mut options = self.mdl.options(&mdl, &self.pose, self.matrices.as_deref())?;
        options.vtx = companions.vtx.as_ref().map(|input| input.bytes.clone());
        Ok((companions, options))
    }

    /// What the pose goes by: `rest`, the name of a file, a sequence and its time.
    pub fn pose_name(&self) -> String {
        let stem =
            |path: &std::path::Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match (&self.pose, &self.matrices) {
            (PoseChoice::File(file), _) | (PoseChoice::Rest, Some(file)) => stem(file),
            _ if self.c3.no_skeleton => "identity".to_owned(),
            _ => self.c3.animation.anim.as_ref().map_or_else(|| "rest".to_owned(), ToString::to_string),
        }
    }
}
