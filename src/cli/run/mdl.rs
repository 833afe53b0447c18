//! `run` on a MDL.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::companions::Companions;
use crate::cli::controllers::{ControllerOptions, Numbers, Setting};
use crate::cli::follow_up::command;
use crate::cli::given::Given;
use crate::cli::input::Input;
use crate::cli::run::PoseChoice;
use crate::cli::{CliError, CliResult, Done, matrices, print_json};
use crate::mdl::format::Mdl;
use crate::mdl::format::vtx::Vtx;
use crate::mdl::format::vvd::Vvd;
use crate::mdl::runtime::deform::Ramp;
use crate::mdl::runtime::delay::{Delay, DelayedLids};
use crate::mdl::runtime::delta::DeltaForm;
use crate::mdl::runtime::face::Face;
use crate::mdl::runtime::frame;
use crate::mdl::runtime::options::Options;
use crate::mdl::runtime::pose;
use crate::mdl::runtime::vector::Matrix;
use crate::pose_file::PoseFile;
use crate::report::mdl::flex::{Beside, FlexRun, text};

/// Options that only concern MDL models.
#[derive(Debug, Args)]
#[command(next_help_heading = "MDL")]
pub struct MdlOptions {
    #[command(flatten)]
    controllers: ControllerOptions,
    /// What the eyes look at, in the model's space (default: straight ahead, each eye by itself)
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    view_target: Option<Numbers>,
    /// Deltas as the engine draws them (fixed) or as the file stores them (half)
    #[arg(long, value_enum, default_value_t = DeltaName::Fixed)]
    delta: DeltaName,
    /// Whether flexes with targets that begin 0, 1 ramp like all others or pass their weight through
    #[arg(long, value_enum, default_value_t = RampName::Always)]
    ramp: RampName,
    /// The vertices (default: the .vvd beside the model)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) vvd: Option<PathBuf>,
    /// Leave out flexed vertices beyond 10,000 a mesh, as the engine does
    #[arg(long)]
    engine_limit: bool,
    /// Body number: picks one model of each body part
    #[arg(long, value_name = "N", default_value_t = 0)]
    body: u32,
    /// Level of detail that is loaded as the finest
    #[arg(long, value_name = "N", default_value_t = 0)]
    lod: usize,
    /// A controller's value in the frame before (repeatable; others as in this frame): vertices with
    /// a speed under 255 follow with a delay
    #[arg(long, value_name = "NAME=V")]
    before: Vec<Setting>,
    /// Seconds since the frame before
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0 / 60.0, requires = "before")]
    elapsed: f32,
    /// What delayed vertices of an eyelid follow: the weight of the lid's rule, or the lid's height
    #[arg(long, value_enum, default_value_t = LidsName::Rule, requires = "before")]
    delayed_lids: LidsName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DeltaName {
    Fixed,
    Half,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RampName {
    Always,
    Shortcut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LidsName {
    Rule,
    Current,
}

impl MdlOptions {
    /// The runtime's options for a model.
    pub(in crate::cli) fn options(
        &self,
        mdl: &Mdl,
        pose: &PoseChoice,
        matrices: Option<&Path>,
    ) -> Result<Options, CliError> {
        self.controllers.refuse_idle(!self.before.is_empty())?;
        let values = self.controllers.values(mdl)?;
        Ok(Options {
            sdk: self.controllers.sdk(),
            count_check: self.controllers.count_check(),
            delta: match self.delta {
                DeltaName::Fixed => DeltaForm::Fixed,
                DeltaName::Half => DeltaForm::Half,
            },
            ramp: match self.ramp {
                RampName::Always => Ramp::Always,
                RampName::Shortcut => Ramp::Shortcut,
            },
            engine_limit: self.engine_limit,
            body: self.body,
            lod: self.lod,
            view_target: self.view_target()?,
            delay: self.delay(mdl, &values)?,
            delayed_lids: match self.delayed_lids {
                LidsName::Rule => DelayedLids::Rule,
                LidsName::Current => DelayedLids::Current,
            },
            skin: skin(mdl, pose, matrices)?,
            vtx: None,
            controllers: Some(values),
        })
    }

    fn view_target(&self) -> Result<Option<[f32; 3]>, CliError> {
        let Some(Numbers(numbers)) = &self.view_target else { return Ok(None) };
        match numbers[..] {
            [x, y, z] => Ok(Some([x, y, z])),
            _ => Err(CliError(format!("--view-target: want X,Y,Z, have {} numbers", numbers.len()))),
        }
    }

    fn delay(&self, mdl: &Mdl, values: &[f32]) -> Result<Option<Delay>, CliError> {
        if self.before.is_empty() {
            return Ok(None);
        }
        let mut before = values.to_vec();
        self.controllers.apply(mdl, &self.before, &mut before)?;
        Ok(Some(Delay { before, seconds: self.elapsed }))
    }
}

/// One skin matrix a bone, from a pose file or a file of matrices; `None` at rest.
fn skin(mdl: &Mdl, choice: &PoseChoice, matrices: Option<&Path>) -> Result<Option<Vec<Matrix>>, CliError> {
    match (choice, matrices) {
        (PoseChoice::Rest, matrices) => matrices.map(|path| given(path, mdl)).transpose(),
        (PoseChoice::File(path), None) => {
            let text = std::fs::read(path).map_err(|error| CliError::file(path, error))?;
            let moved = PoseFile::from_json(&text).and_then(|file| pose::skin(mdl, &file));
            moved.map(Some).map_err(|error| CliError::file(path, error))
        }
        (PoseChoice::File(path), Some(_)) => Err(CliError::file(
            path,
            "want one of --pose and --matrices, which both move the bones; have both",
        )),
    }
}

fn given(path: &Path, mdl: &Mdl) -> Result<Vec<Matrix>, CliError> {
    let matrices = matrices::read(path)?;
    if matrices.len() == mdl.bones.len() {
        Ok(matrices)
    } else {
        let (want, have) = (mdl.bones.len(), matrices.len());
        Err(CliError::file(path, format!("want {want} matrices, one a bone of the model, have {have}")))
    }
}

pub(super) fn run(
    input: &Input,
    options: &MdlOptions,
    pose: &PoseChoice,
    matrices: Option<&Path>,
    (json, given): (bool, &Given),
) -> CliResult {
    let mdl = Mdl::read(&input.bytes).map_err(|error| CliError::file(&input.path, error))?;
    let companions = Companions::of(&input.path, options.vvd.as_deref())?;
    let vvd = match &companions.vvd {
        Some(vvd) => Some(Vvd::read(&vvd.bytes).map_err(|error| CliError::file(&vvd.path, error))?),
        None => None,
    };
    let options = options.options(&mdl, pose, matrices)?;
    let face = Face::new(&mdl, vvd.as_ref(), &options).map_err(|error| CliError::file(&input.path, error))?;
    let vtx = companions.vtx.as_ref().map(|input| Vtx::read(&input.bytes, &mdl));
    let beside = Beside { vvd: vvd.as_ref(), vtx: vtx.as_ref() };
    let run = FlexRun::new(input.name(), &face, beside, &options, frame::run(&face, &options));
    if json {
        print_json(&run);
    } else {
        let check = command(given, "check", &input.path, &[]).unwrap_or_else(|| "skinsim check".to_owned());
        crate::cli::emit(&text(&run, &check));
    }
    Ok(if run.not_finite > 0 { Done::Findings } else { Done::Clean })
}
