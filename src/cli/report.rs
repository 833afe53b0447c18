//! `skinsim report`: one self-contained HTML page about a model, or about two side by side.

use std::path::PathBuf;

use clap::Args;

use super::companions::Companions;
use super::frames::FrameOptions;
use super::given::Given;
use super::input::Input;
use super::model::ModelBytes;
use super::posed::Wing;
use super::run::PoseChoice;
use super::run::flver::FlverOptions;
use super::run::mdl::MdlOptions;
use super::{CliError, CliResult, Done, emit, output};
use crate::c3::dry_run::poses;
use crate::c3::model::Model;
use crate::c3::poses::{FramePose, Poses};
use crate::finding::Severity;
use crate::flver::format::Flver;
use crate::mdl::format::Mdl;
use crate::printable;
use crate::report::page::{Page, PageModel, c3, flver, mdl};

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim report patched.block -o patched.html
  skinsim report original.block patched.block -o both.html
  skinsim report face.mdl --set smile=1 -o face.html
  skinsim report c0000.flver --pose crouch.json -o crouch.html
  skinsim report patched.block --anim walk.anm:0 --fps 60 --frames 120 -o walking.html

The page needs no network and works from a file: verdicts, the line map, the mesh in three dimensions, findings
with their remedies, tables; of a MDL a slider for every controller. Without a pose the frames after the rest pose show every bone moved a little, the pose
in which `skinsim check` looks for wrong vertices.

Exit status: 0 written, no error among the findings; 1 written, at least one; 2 a model could not be read, or
the page not written, or a tick of the animation failed (the page shows the frames before it).")]
pub struct ReportArgs {
    /// The model: a block, .gpl, .skn, .flver or .mdl (`-` for standard input)
    model: PathBuf,
    /// A second model, shown beside it
    other: Option<PathBuf>,
    /// The page to write (`-` for standard output)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The pose of a FLVER beside its rest pose: a file of node transforms
    #[arg(long, value_name = "rest|FILE.json", default_value = "rest")]
    pose: PoseChoice,
    /// Skin matrices, one a bone: JSON with a key `skin_matrices` (default: every bone moved a little)
    #[arg(long, value_name = "FILE")]
    matrices: Option<PathBuf>,
    #[command(flatten)]
    frames: FrameOptions,
    #[command(flatten)]
    flver: FlverOptions,
    #[command(flatten)]
    mdl: MdlOptions,
}

/// Runs the command.
///
/// # Errors
/// When a model cannot be read or placed, or the page cannot be written.
pub fn run(args: &ReportArgs, given: &Given) -> CliResult {
    let paths = std::iter::once(&args.model).chain(&args.other);
    paths.clone().try_for_each(|path| output::not_input(&args.output, path))?;
    let inputs = paths.map(|path| Input::read(path)).collect::<Result<Vec<_>, _>>()?;
    let wings = inputs.iter().map(Wing::of).collect::<Result<Vec<_>, _>>()?;
    let kinds: Vec<_> = inputs.iter().map(|input| (input.path.as_path(), input.kind())).collect();
    given.fit(&kinds)?;
    let models = inputs.into_iter().zip(wings).map(|(input, wing)| model(args, input, wing));
    let models = models.collect::<Result<Vec<PageModel>, _>>()?;
    let page = Page::new(models);
    let html = page.html();
    output::write(&args.output, html.as_bytes())?;
    if args.output.as_os_str() != "-" {
        emit(&format!("wrote {}, {} bytes\n", printable::path(&args.output), html.len()));
    }
    if let Some(error) = page.models.iter().find_map(|model| model.pose_error.clone()) {
        return Err(CliError(error));
    }
    let mut findings = page.models.iter().flat_map(|model| &model.findings);
    let broken = findings.any(|finding| finding.severity == Severity::Error);
    Ok(if broken { Done::Findings } else { Done::Clean })
}

fn model(args: &ReportArgs, input: Input, wing: Wing) -> Result<PageModel, CliError> {
    match wing {
        Wing::C3 => c3_model(args, input),
        Wing::Flver => flver_model(args, &input),
        Wing::Mdl => mdl_model(args, &input),
    }
}

fn flver_model(args: &ReportArgs, input: &Input) -> Result<PageModel, CliError> {
    let refused = |error| CliError::file(&input.path, error);
    let flver = Flver::parse(&input.bytes).map_err(refused)?;
    let options = args.flver.options(&args.pose, &flver)?;
    let pose = match &args.pose {
        PoseChoice::Rest => "rest".into(),
        PoseChoice::File(file) => file.file_stem().unwrap_or_default().to_string_lossy(),
    };
    flver::page(input.name(), &flver, &options, &pose).map_err(refused)
}

fn mdl_model(args: &ReportArgs, input: &Input) -> Result<PageModel, CliError> {
    let refused = |error| CliError::file(&input.path, error);
    let parsed = Mdl::read(&input.bytes).map_err(refused)?;
    let companions = Companions::of(&input.path, args.mdl.vvd.as_deref())?;
    let mut options = args.mdl.options(&parsed, &args.pose, args.matrices.as_deref())?;
    options.vtx = companions.vtx.as_ref().map(|input| input.bytes.clone());
    mdl::showable(&options).map_err(refused)?;
    mdl::page(input.name(), &input.bytes, companions.vvd_bytes(), &options).map_err(refused)
}

fn c3_model(args: &ReportArgs, input: Input) -> Result<PageModel, CliError> {
    let (name, path) = (input.name(), input.path.clone());
    let bytes = ModelBytes::load(input, &args.frames.loose)?;
    let model = bytes.parse()?;
    let rest = args.frames.rest_pose(&bytes, &model)?;
    let source = c3::Source {
        files: bytes.files(&path),
        name,
        plan: args.frames.plan(&model),
        options: args.frames.run_options(),
        address: args.frames.placing.placement(&model).model,
        posed: posed(args, &bytes, &model, &rest)?,
        rest,
        model: &model,
    };
    c3::page(source).map_err(|error| CliError::file(bytes.path(), error))
}

/// The pose that was chosen; without one every bone moves a little.
fn posed(
    args: &ReportArgs,
    bytes: &ModelBytes,
    model: &Model,
    rest: &FramePose,
) -> Result<Poses<'static>, CliError> {
    let matrices = args.matrices.as_deref();
    if matrices.is_some() || args.frames.animation.anim.is_some() {
        return args.frames.poses(bytes, model, matrices);
    }
    let pose = FramePose { skin: poses::varied(model, &rest.skin), rigid: rest.rigid.clone() };
    let face = args.frames.face.face(bytes, model)?;
    Ok(Poses { face, ..Poses::still("every bone moved", pose, args.frames.animation.frames) })
}
