//! Options of the frames that a Character Pipeline model goes through, and running them: what every
//! command shares that executes such a model.

use std::path::Path;

use clap::Args;

use super::machine::{MachineOptions, OnFaultName, PlacingOptions, TargetName};
use super::model::LooseOptions;
use super::{CliError, matrices};
use crate::c3::model::Model;
use crate::c3::outcome::{FramePose, Outcome, Poses};
use crate::c3::runtime::load::{LoadError, LoadPlan};
use crate::c3::runtime::simulation::RunOptions;

/// Which frames run, and on what.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "GameCube / Wii")]
pub struct FrameOptions {
    /// Frames to execute
    #[arg(long, default_value_t = 1)]
    pub(super) frames: u32,
    /// Who executes
    #[arg(long, value_enum, default_value_t = TargetName::Dolphin)]
    pub(super) target: TargetName,
    /// What happens after a fault
    #[arg(long, value_enum, default_value_t = OnFaultName::Stop)]
    pub(super) on_fault: OnFaultName,
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
        self.machine.run_options(self.target, self.on_fault)
    }

    /// Where the model goes.
    ///
    /// # Errors
    /// When the model has no GPL or no SKN.
    pub fn plan<'a>(&self, model: &Model<'a>) -> Result<LoadPlan<'a>, LoadError> {
        let placing = &self.placing;
        match &model.block {
            Some(block) => LoadPlan::block(model, block, placing.address),
            None => {
                LoadPlan::loose(model, placing.gpl_address.unwrap_or(placing.address), placing.skn_address)
            }
        }
    }

    /// A pose for every frame: the matrices of a file, or the rest pose.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn poses(&self, model: &Model, matrices_file: Option<&Path>) -> Result<Poses<'static>, CliError> {
        let Some(file) = matrices_file else { return Ok(Poses::identity(model, self.frames)) };
        let pose = FramePose { skin: matrices::read(file)?, rigid: Vec::new() };
        let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Ok(Poses::still(name, pose, self.frames))
    }

    /// Runs the frames.
    ///
    /// # Errors
    /// When the model cannot be placed or the pose cannot be read.
    pub fn run<'m, 'a>(
        &self,
        path: &Path,
        model: &'m Model<'a>,
        matrices_file: Option<&Path>,
    ) -> Result<Outcome<'m, 'a>, CliError> {
        let plan = self.plan(model).map_err(|error| CliError::file(path, error))?;
        let poses = self.poses(model, matrices_file)?;
        Outcome::run(model, plan, self.run_options(), poses).map_err(|error| CliError::file(path, error))
    }
}
