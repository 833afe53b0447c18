//! `run` on a Character Pipeline model.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::c3::model::Model;
use crate::c3::runtime::journal::Journal;
use crate::c3::runtime::load::{IDENTITY, LoadPlan, SkinMatrix};
use crate::c3::runtime::simulation::Simulation;
use crate::cli::input::Input;
use crate::cli::machine::{MachineOptions, OnFaultName, PlacingOptions, TargetName, parse_address};
use crate::cli::model::{LooseOptions, ModelBytes};
use crate::cli::{CliError, CliResult, Done, matrices, print_json};
use crate::report::run::{RunReport, RunSource};

/// Options that only concern GameCube and Wii models.
#[derive(Debug, Args)]
#[command(next_help_heading = "GameCube / Wii")]
pub struct C3Options {
    /// Frames to execute
    #[arg(long, default_value_t = 1)]
    frames: u32,
    /// Who executes
    #[arg(long, value_enum, default_value_t = TargetName::Dolphin)]
    target: TargetName,
    /// What happens after a fault
    #[arg(long, value_enum, default_value_t = OnFaultName::Stop)]
    on_fault: OnFaultName,
    /// Write memory to a file after the last frame (repeatable)
    #[arg(long, value_name = "START:LENGTH:FILE", value_parser = parse_dump)]
    dump: Vec<Dump>,
    #[command(flatten)]
    loose: LooseOptions,
    #[command(flatten)]
    placing: PlacingOptions,
    #[command(flatten)]
    machine: MachineOptions,
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
    let (name, path) = (input.name(), input.path.clone());
    let bytes = ModelBytes::load(input, &options.loose)?;
    let model = bytes.parse()?;
    let run_options = options.machine.run_options(options.target, options.on_fault);
    let plan = plan(&model, &options.placing).map_err(|error| CliError::file(&path, error))?;
    let matrices = match pose {
        Some(file) => matrices::read(file)?,
        None => identity(&model),
    };
    let mut simulation = Simulation::load(&plan, matrices.len(), &run_options)
        .map_err(|error| CliError::file(&path, error))?;
    let mut journals = Vec::new();
    let mut ended = simulation.ended(&simulation.load);
    for _ in 0..options.frames {
        if ended {
            break;
        }
        let journal = simulation.frame(&matrices);
        ended = simulation.ended(&journal);
        // Of the frames before the last only faults are reported.
        journals.retain(|earlier: &Journal| !earlier.faults.is_empty());
        journals.push(journal);
    }
    for dump in &options.dump {
        write_dump(&simulation, dump)?;
    }
    let source = RunSource {
        name,
        model: &model,
        plan: &plan,
        options: &run_options,
        simulation: &simulation,
        journals: &journals,
        findings: Vec::new(),
    };
    Ok(show(&RunReport::new(source), json))
}

fn show(report: &RunReport, json: bool) -> Done {
    if json {
        print_json(report);
    } else {
        anstream::print!("{}", report.text());
    }
    if report.faults.is_empty() { Done::Clean } else { Done::Findings }
}

/// Where the model goes.
fn plan<'a>(
    model: &Model<'a>,
    placing: &PlacingOptions,
) -> Result<LoadPlan<'a>, crate::c3::runtime::load::LoadError> {
    match &model.block {
        Some(block) => LoadPlan::block(model, block, placing.address),
        None => LoadPlan::loose(model, placing.gpl_address.unwrap_or(placing.address), placing.skn_address),
    }
}

/// Bones of a model without a skeleton: as many as the mirror table of a skeleton can hold at most.
/// [seed 003]
const MOST_BONES: u16 = 255;

/// One identity a bone that any entry names.
fn identity(model: &Model) -> Vec<SkinMatrix> {
    let highest = model.skn.as_ref().and_then(|skn| {
        let one = skn.sk1.iter().map(|entry| entry.bone);
        let two = skn.sk2.iter().flat_map(|entry| entry.bones);
        let accumulated = skn.skacc.iter().map(|entry| entry.bone);
        one.chain(two).chain(accumulated).max()
    });
    vec![IDENTITY; highest.map_or(0, |bone| usize::from(bone.min(MOST_BONES - 1)) + 1)]
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
