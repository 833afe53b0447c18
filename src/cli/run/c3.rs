//! `run` on a Character Pipeline model.

use std::path::Path;

use clap::Args;

use self::dump::{Dump, Dumps, parse_dump};
use crate::c3::check::{Comparison, check_on, sampled};
use crate::c3::format::skn::Skn;
use crate::c3::model::Model;
use crate::c3::outcome::Outcome;
use crate::c3::rules::effects::Target;
use crate::cli::engine::EngineOptions;
use crate::cli::follow_up::command;
use crate::cli::frames::FrameOptions;
use crate::cli::given::Given;
use crate::cli::input::Input;
use crate::cli::memory_dump::RamOptions;
use crate::cli::model::ModelBytes;
use crate::cli::{CliError, CliResult, Done, print_json};
use crate::finding::{Severity, name_files};
use crate::gekko::machine::Machine;
use crate::gekko::map::Target as MachineTarget;
use crate::report::run::{RunReport, RunSource};

mod dump;

/// Options that only concern GameCube and Wii models.
#[derive(Debug, Args)]
#[command(next_help_heading = "GameCube / Wii")]
pub struct C3Options {
    /// Write memory to a file after the last frame, or after frame FRAME, from 0 (repeatable)
    #[arg(long, value_name = "START:LENGTH:FILE[@FRAME]", value_parser = parse_dump)]
    dump: Vec<Dump>,
    #[command(flatten)]
    frames: FrameOptions,
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    ram: RamOptions,
}

pub(super) fn run(
    input: Input,
    options: &C3Options,
    pose: Option<&Path>,
    (json, given): (bool, &Given),
) -> CliResult {
    options.ram.refuse_without_dump()?;
    let (name, path) = (input.name(), input.path.clone());
    let played = options.frames.animation.named_bank()?;
    let bytes = ModelBytes::load(input, &options.frames.loose)?.with_bank(played);
    let model = bytes.parse()?;
    let program = options.engine.program(&options.frames.run_options())?;
    let frames = &options.frames;
    let mut dumps = Dumps::new(&options.dump, frames.animation.frames)?;
    let after_frame = |outcome: &Outcome| dumps.after_frame(outcome);
    let outcome = match &program {
        None => frames.run_observed(&bytes, &model, pose, after_frame)?,
        Some(program) => frames.run_program(&bytes, &model, pose, program, after_frame)?,
    };
    let placement = options.frames.placing.placement(&model);
    let target = match outcome.simulation.machine.config().map.target {
        MachineTarget::Dolphin => Target::Dolphin,
        MachineTarget::Console => Target::Console,
    };
    let mut findings =
        check_on(&model, &Comparison::default(), placement, &[target], &options.frames.run_options());
    name_files(&mut findings, &bytes.files(&path));
    if frames.animation.anim.is_some() && outcome.pose_error.is_none() {
        sampled(&mut findings, &["ANM"]);
    }
    let program = program.map(|program| program.name());
    let more = ["--target", if target == Target::Console { "console" } else { "dolphin" }];
    let check = command(given, "check", &path, &more);
    let report = RunReport::new(RunSource { name, outcome: &outcome, findings, program });
    let done = show(&report, check.as_deref(), json);
    dumps.finish(&outcome)?;
    match &outcome.pose_error {
        Some(error) => {
            let text = format!("frame {}: {error}", outcome.simulation.frames());
            Err(CliError::file(bytes.bank_path(), text))
        }
        None => Ok(done),
    }
}

/// The next frames of a paused game.
pub(super) fn run_dump(options: &C3Options, json: bool) -> CliResult {
    let frames = &options.frames;
    frames.check_dma()?;
    let run_options = frames.run_options();
    let mut dumps = Dumps::new(&options.dump, frames.animation.frames)?;
    let mut machine = Machine::new(run_options.machine_config());
    let resident = options.ram.load(&mut machine)?;
    let skn = resident.skn_file(&machine);
    let model = Model { skn: Skn::parse(&skn).ok(), ..Model::default() };
    let after_frame = |outcome: &Outcome| dumps.after_frame(outcome);
    let count = frames.animation.frames;
    let outcome = Outcome::resume(&model, &resident, run_options, machine, count, after_frame);
    let source =
        RunSource { name: options.ram.name(), outcome: &outcome, findings: Vec::new(), program: None };
    let done = show(&RunReport::new(source), None, json);
    dumps.finish(&outcome)?;
    Ok(done)
}

fn show(report: &RunReport, check: Option<&str>, json: bool) -> Done {
    if json {
        print_json(report);
    } else {
        crate::cli::emit(&report.text(check.unwrap_or("skinsim check")));
    }
    let error = report.findings.iter().any(|finding| finding.severity == Severity::Error);
    if report.faults.is_empty() && !report.stopped() && !error { Done::Clean } else { Done::Findings }
}
