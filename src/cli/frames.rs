//! Options of the frames that a Character Pipeline model goes through, and running them: what every
//! command shares that executes such a model.

use std::path::Path;

use clap::Args;

use super::animation::AnimationOptions;
use super::engine::ProgramFile;
use super::face::FaceArgs;
use super::machine::{DmaName, MachineOptions, OnFaultName, PlacingOptions, TargetName};
use super::model::{LooseOptions, ModelBytes};
use super::{CliError, matrices};
use crate::bytes::ReadError;
use crate::c3::model::Model;
use crate::c3::outcome::Outcome;
use crate::c3::poses::{FramePose, Poses};
use crate::c3::runtime::load::{LoadError, LoadPlan};
use crate::c3::runtime::program::ProgramError;
use crate::c3::runtime::simulation::RunOptions;
use crate::gekko::transfer_queue::DmaTiming;

/// Which frames run, and on what.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "GameCube / Wii")]
pub struct FrameOptions {
    /// Identity matrices instead of the skeleton's: every vertex stays at its source position
    #[arg(long, conflicts_with = "anim")]
    pub(super) no_skeleton: bool,
    /// Who executes
    #[arg(long, value_enum, default_value_t = TargetName::Dolphin)]
    pub(super) target: TargetName,
    /// When the console's locked-cache DMA happens (its speed is not known)
    #[arg(long, value_enum, default_value_t = DmaName::Instant)]
    pub(super) dma: DmaName,
    /// What happens after a fault
    #[arg(long, value_enum, default_value_t = OnFaultName::Stop)]
    pub(super) on_fault: OnFaultName,
    #[command(flatten)]
    pub(super) animation: AnimationOptions,
    #[command(flatten)]
    pub(super) face: FaceArgs,
    #[command(flatten)]
    pub(super) loose: LooseOptions,
    #[command(flatten)]
    pub(super) placing: PlacingOptions,
    #[command(flatten)]
    pub(super) machine: MachineOptions,
}

impl FrameOptions {
    /// The options of the machine on the chosen target.
    pub fn run_options(&self) -> RunOptions {
        let dma = match self.dma {
            DmaName::Instant => DmaTiming::Instant,
            DmaName::Deferred => DmaTiming::Deferred,
        };
        RunOptions { dma, ..self.machine.run_options(self.target, self.on_fault) }
    }

    /// Dolphin's transfers are always instant.
    ///
    /// # Errors
    /// When others are asked for there.
    pub fn check_dma(&self) -> Result<(), CliError> {
        if self.dma == DmaName::Deferred && matches!(self.target, TargetName::Dolphin) {
            return Err(CliError("--dma deferred: want --target console, have --target dolphin".to_owned()));
        }
        Ok(())
    }

    /// Where the model goes.
    ///
    /// # Errors
    /// When the model has no GPL or no SKN.
    pub fn plan<'a>(&self, model: &Model<'a>) -> Result<LoadPlan<'a>, LoadError> {
        LoadPlan::placed(model, self.placing.placement(model))
    }

    /// A pose for every frame, with the facial poses.
    ///
    /// # Errors
    /// When a file cannot be read or posed, or the options contradict each other.
    pub fn poses(
        &self,
        bytes: &ModelBytes,
        model: &Model,
        matrices_file: Option<&Path>,
    ) -> Result<Poses<'static>, CliError> {
        self.check_dma()?;
        let face = self.face.face(bytes, model)?;
        Ok(Poses { face, ..self.bone_poses(bytes, model, matrices_file)? })
    }

    /// The matrices of a file, identities, a sequence, or the rest pose.
    fn bone_poses(
        &self,
        bytes: &ModelBytes,
        model: &Model,
        matrices_file: Option<&Path>,
    ) -> Result<Poses<'static>, CliError> {
        let frames = self.animation.frames;
        if let Some(file) = matrices_file {
            if self.no_skeleton || self.animation.anim.is_some() {
                return Err(CliError(
                    "--matrices is the pose; want no --anim and no --no-skeleton beside it".to_owned(),
                ));
            }
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            return Ok(Poses::matrices(name, matrices::read(file)?, frames));
        }
        if self.no_skeleton {
            return Ok(Poses::identity(model, frames));
        }
        let refused = |error| refused_skeleton(bytes, error);
        let rig = self.animation.rig();
        let Some(animation) = self.animation.animation(bytes.bank())? else {
            return Poses::rest(model, &rig, frames).map_err(refused);
        };
        let actor = rig
            .actor(model)
            .map_err(refused)?
            .ok_or_else(|| CliError::file(bytes.path(), "--anim: want a skeleton (ACT), have none"))?;
        Ok(Poses::played(animation.name(), animation.player(actor)?, frames))
    }

    /// The rest pose, or identity matrices where the skeleton is not wanted.
    ///
    /// # Errors
    /// When the skeleton cannot be loaded.
    pub fn rest_pose(&self, bytes: &ModelBytes, model: &Model) -> Result<FramePose, CliError> {
        let mut poses = if self.no_skeleton {
            Poses::identity(model, 1)
        } else {
            let rest = Poses::rest(model, &self.animation.rig(), 1);
            rest.map_err(|error| refused_skeleton(bytes, error))?
        };
        // No tick is played at rest, so none can fail.
        Ok(poses.frames.next().and_then(Result::ok).unwrap_or_default())
    }

    /// Runs the frames.
    ///
    /// # Errors
    /// When the model cannot be placed or the pose cannot be read.
    pub fn run<'m, 'a>(
        &self,
        bytes: &ModelBytes,
        model: &'m Model<'a>,
        matrices_file: Option<&Path>,
    ) -> Result<Outcome<'m, 'a>, CliError> {
        self.run_observed(bytes, model, matrices_file, |_| ())
    }

    /// The same, with a look at the outcome after every frame.
    ///
    /// # Errors
    /// As [`FrameOptions::run`].
    pub fn run_observed<'m, 'a>(
        &self,
        bytes: &ModelBytes,
        model: &'m Model<'a>,
        matrices_file: Option<&Path>,
        after_frame: impl FnMut(&Outcome<'m, 'a>),
    ) -> Result<Outcome<'m, 'a>, CliError> {
        let refused = |error| CliError::file(bytes.path(), error);
        let plan = self.plan(model).map_err(refused)?;
        let poses = self.poses(bytes, model, matrices_file)?;
        Outcome::run_observed(model, plan, self.run_options(), poses, after_frame).map_err(refused)
    }

    /// Runs the frames by a program's code.
    ///
    /// # Errors
    /// As [`FrameOptions::run`], and when the program cannot be set up.
    pub fn run_program<'m, 'a>(
        &self,
        bytes: &ModelBytes,
        model: &'m Model<'a>,
        matrices_file: Option<&Path>,
        program: &ProgramFile,
        after_frame: impl FnMut(&Outcome<'m, 'a>),
    ) -> Result<Outcome<'m, 'a>, CliError> {
        let plan = self.plan(model).map_err(|error| CliError::file(bytes.path(), error))?;
        let poses = self.poses(bytes, model, matrices_file)?;
        let parts = (&program.executable, &program.options);
        let run = Outcome::run_program_observed(model, plan, self.run_options(), parts, poses, after_frame);
        run.map_err(|error| match error {
            ProgramError::Model(error) => CliError::file(bytes.path(), error),
            error => CliError(format!("{}: {error}", program.name())),
        })
    }
}

fn refused_skeleton(bytes: &ModelBytes, error: ReadError) -> CliError {
    let file = CliError::file(bytes.skeleton_path(), error);
    CliError(format!("{file}; --no-skeleton does without"))
}
