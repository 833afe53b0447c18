//! `skinsim pose`: the bone matrices of each frame.

use std::path::{Path, PathBuf};

use clap::Args;

use super::animation::{Animation, AnimationOptions};
use super::input::{Input, ModelKind};
use super::model::{LooseOptions, ModelBytes};
use super::{CliError, CliResult, Done, print_json};
use crate::bytes::{Endian, View};
use crate::c3::check::{check_pose, sampled};
use crate::c3::format::act;
use crate::c3::format::anm::Anm;
use crate::c3::model::Model;
use crate::c3::runtime::animate::Player;
use crate::finding::{SectionFiles, Severity, name_files};
use crate::report::pose::{AnimationReport, FrameReport, PoseError, PoseReport, clocks};

/// Arguments of `pose`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim pose hero.act
  skinsim pose hero.act --anim walk.anm:0@0.35 --fps 60 --frames 30 --json
  skinsim pose patched.block --anim walk.anm:run@0x3eb33333 --speed 0x3c888889
  skinsim pose hero.gpl --anim :1 --bone-order table

A frame is a tick (every track is sampled, then its clock advances) and a build, as in the game.

Exit status: 0 done; 1 an error-level finding; 2 a file could not be read, or a tick failed (the frames
before it are still printed).")]
pub struct PoseArgs {
    /// The model: a block, .act, or .gpl with its .act beside it (`-` for standard input)
    model: PathBuf,
    #[command(flatten)]
    animation: AnimationOptions,
    /// First frame to print; those before it are computed all the same
    #[arg(long, value_name = "TICK", default_value_t = 0)]
    from: u32,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    loose: LooseOptions,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or posed, or a tick fails.
pub fn run(args: &PoseArgs) -> CliResult {
    let input = Input::read(&args.model)?;
    if input.is_bank() {
        let text = "want a model or a skeleton, have an animation bank: --anim plays it on one";
        return Err(CliError::file(&input.path, text));
    }
    if is_skeleton(&input) {
        let own = args.loose.anm.as_deref().map(Input::read).transpose()?;
        let model = Model { act: Some(View::new(&input.bytes, Endian::Big)), ..Model::default() };
        return pose(args, &Source { model, path: &input.path }, own.as_ref());
    }
    let bytes = ModelBytes::load(input, &args.loose)?;
    let model = bytes.parse()?;
    pose(args, &Source { model, path: bytes.skeleton_path() }, bytes.bank())
}

/// A loose skeleton, by its version word or its ending.
fn is_skeleton(input: &Input) -> bool {
    let ending = input.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("act"));
    input.bytes.starts_with(&act::VERSION.to_be_bytes()) || (ending && input.kind() != ModelKind::Flver)
}

/// What is posed.
struct Source<'a> {
    model: Model<'a>,
    /// The file that holds the skeleton.
    path: &'a Path,
}

fn pose(args: &PoseArgs, source: &Source, own: Option<&Input>) -> CliResult {
    let rig = args.animation.rig();
    let refused = |error| CliError::file(source.path, error);
    let actor = rig.actor(&source.model).map_err(refused)?;
    let actor = actor.ok_or_else(|| CliError::file(&args.model, "want a skeleton (ACT), have none"))?;
    let animation = args.animation.animation(own)?;
    let order = rig.order(source.model.block.is_some());
    let mut report = PoseReport::new(args.model.display().to_string(), &actor, order);
    let bank = animation.as_ref().map(|animation| animation.input.bytes.as_slice());
    report.findings = check_pose(&source.model.clone().with_bank(bank));
    let banks = animation.as_ref().map(|animation| animation.input.name()).or(own.map(Input::name));
    let skeleton =
        Some(source.path).filter(|path| *path != args.model).map(|path| path.display().to_string());
    let files = [("ACT", skeleton), ("ANM", banks)];
    let files: SectionFiles =
        files.into_iter().filter_map(|(section, file)| Some((section, file?))).collect();
    name_files(&mut report.findings, &files);
    let mut player = match &animation {
        Some(animation) => {
            report.animation = Some(described(animation)?);
            let player = animation.player(actor)?;
            report.bound = Some(FrameReport::new(None, clocks(&player.actor), &player.actor.build()));
            player
        }
        None => Player::rest(actor),
    };
    play(args, &mut player, &mut report);
    if report.error.is_none() {
        sampled(&mut report.findings, &["ACT", "ANM"]);
    }
    if args.json {
        print_json(&report);
    } else {
        crate::cli::emit(&report.text());
    }
    match (&report.error, &animation) {
        (Some(error), Some(animation)) => Err(CliError::file(&animation.input.path, &error.message)),
        _ if report.findings.iter().any(|finding| finding.severity == Severity::Error) => Ok(Done::Findings),
        _ => Ok(Done::Clean),
    }
}

fn described(animation: &Animation) -> Result<AnimationReport, CliError> {
    let file = &animation.input.path;
    let anm = Anm::parse(&animation.input.bytes).map_err(|error| CliError::file(file, error))?;
    let name = anm.sequences.get(animation.sequence).and_then(|sequence| anm.name(sequence));
    let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
    Ok(AnimationReport::new(animation.input.name(), name, animation.play))
}

fn play(args: &PoseArgs, player: &mut Player, report: &mut PoseReport) {
    for tick in 0..args.animation.frames {
        let before = clocks(&player.actor);
        match player.frame() {
            Ok(pose) if tick >= args.from => {
                report.frames.push(FrameReport::new(Some(tick.into()), before, &pose));
            }
            Ok(_) => {}
            Err(error) => {
                report.error = Some(PoseError::new(tick.into(), &error));
                return;
            }
        }
    }
}
