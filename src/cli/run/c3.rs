//! `run` on a Character Pipeline model.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::c3::check::{Comparison, check};
use crate::c3::rules::effects::Target;
use crate::c3::runtime::simulation::Simulation;
use crate::cli::engine::EngineOptions;
use crate::cli::frames::FrameOptions;
use crate::cli::input::Input;
use crate::cli::machine::parse_address;
use crate::cli::model::ModelBytes;
use crate::cli::{CliError, CliResult, Done, print_json};
use crate::finding::Severity;
use crate::gekko::map::Target as MachineTarget;
use crate::report::run::{RunReport, RunSource};

/// Options that only concern GameCube and Wii models.
#[derive(Debug, Args)]
#[command(next_help_heading = "GameCube / Wii")]
pub struct C3Options {
    /// Write memory to a file after the last frame (repeatable)
    #[arg(long, value_name = "START:LENGTH:FILE", value_parser = parse_dump)]
    dump: Vec<Dump>,
    #[command(flatten)]
    frames: FrameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

impl C3Options {
    /// Whether the pose of a skeleton was chosen.
    pub(super) fn poses_skeleton(&self) -> bool {
        self.frames.no_skeleton || self.frames.animation.anim.is_some()
    }
}

/// A range of memory to write to a file.
#[derive(Debug, Clone)]
struct Dump {
    start: u32,
    length: u32,
    file: PathBuf,
}

fn parse_dump(text: &str) -> Result<Dump, String> {
    let mut parts = text.splitn(3, ':');
    let mut next = || parts.next().filter(|part| !part.is_empty());
    match (next(), next(), next()) {
        (Some(start), Some(length), Some(file)) => {
            Ok(Dump { start: parse_address(start)?, length: parse_address(length)?, file: file.into() })
        }
        _ => Err(format!("want START:LENGTH:FILE, have {text:?}")),
    }
}

pub(super) fn run(input: Input, options: &C3Options, pose: Option<&Path>, json: bool) -> CliResult {
    let name = input.name();
    let bytes = ModelBytes::load(input, &options.frames.loose)?;
    let model = bytes.parse()?;
    let program = options.engine.program(&options.frames.run_options().game_code())?;
    let outcome = match &program {
        None => options.frames.run(&bytes, &model, pose)?,
        Some(program) => options.frames.run_program(&bytes, &model, pose, program)?,
    };
    for dump in &options.dump {
        write_dump(&outcome.simulation, dump)?;
    }
    let placing = &options.frames.placing;
    let loose = placing.gpl_address.filter(|_| model.block.is_none());
    let address = loose.unwrap_or(placing.address);
    let target = match outcome.simulation.machine.config().map.target {
        MachineTarget::Dolphin => Target::Dolphin,
        MachineTarget::Console => Target::Console,
    };
    let findings = check(&model, &Comparison::default(), address, &[target]);
    let program = program.map(|program| program.name());
    let done = show(&RunReport::new(RunSource { name, outcome: &outcome, findings, program }), json);
    match &outcome.pose_error {
        Some(error) => {
            Err(CliError(format!("{}: frame {}: {error}", outcome.pose_name, outcome.simulation.frames())))
        }
        None => Ok(done),
    }
}

fn show(report: &RunReport, json: bool) -> Done {
    if json {
        print_json(report);
    } else {
        crate::cli::emit(&report.text());
    }
    let error = report.findings.iter().any(|finding| finding.severity == Severity::Error);
    if report.faults.is_empty() && !report.stopped() && !error { Done::Clean } else { Done::Findings }
}

fn write_dump(simulation: &Simulation, dump: &Dump) -> Result<(), CliError> {
    let bytes = simulation.machine.memory(dump.start, dump.length).ok_or_else(|| {
        CliError(format!(
            "--dump: want {:#x} bytes of memory at {:#010x}, have none there",
            dump.length, dump.start
        ))
    })?;
    std::fs::write(&dump.file, bytes).map_err(|error| CliError::file(&dump.file, error))
}
