//! The command line: one file a subcommand, no logic beyond arguments and output.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use self::given::Given;
use crate::printable::printable;

pub mod animation;
pub mod batch;
mod build;
mod check;
mod collect;
pub mod companions;
pub mod controllers;
mod diff;
pub mod engine;
mod explain;
mod export;
pub mod face;
mod follow_up;
pub mod frames;
mod given;
mod global;
mod info;
pub mod input;
mod interrupt;
pub mod machine;
mod manual;
mod matrices;
pub mod memory_dump;
pub mod model;
mod naming;
pub mod output;
mod pose;
pub mod posed;
mod repair;
mod report;
mod run;
mod snapshot;
mod trace;

/// What a command gives back when it could do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// Nothing at error level: exit code 0.
    Clean,
    /// An error-level finding, a fault or a mismatch: exit code 1.
    Findings,
}

/// The program could not do what it was asked: one line, exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{}", printable(.0))]
pub struct CliError(pub String);

impl CliError {
    /// An error about a file: its name comes first.
    pub fn file(path: &std::path::Path, error: impl std::fmt::Display) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

/// Result of a command.
pub type CliResult = Result<Done, CliError>;

/// Writes text to standard output. A reader that went away (`| head`) is no error.
pub(crate) fn emit(text: &str) {
    use std::io::Write;
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints text for other programs: nothing is taken out of it, whatever names hold.
pub(crate) fn emit_exactly(text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints one JSON object to standard output.
pub(crate) fn print_json(value: &impl serde::Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => emit(&(text + "\n")),
        // Only a map with keys that are not strings fails, and no output has one.
        Err(error) => anstream::eprintln!("skinsim: {error}"),
    }
}

#[derive(Debug, Parser)]
#[command(name = "skinsim", version, about, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 done, nothing at error level; 1 done, an error-level finding, fault or mismatch;
2 it could not be done, and one line on standard error says why."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: global::GlobalOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What is in a model
    Info(info::InfoArgs),
    /// Execute what the game does to a model and say what happened
    Run(Box<run::RunArgs>),
    /// Make a model block of a glTF character
    Build(build::BuildArgs),
    /// Mend what is wrong with a model's skinning data and say what was changed
    Repair(repair::RepairArgs),
    /// The bone matrices of each frame: at rest, or along an animation
    Pose(Box<pose::PoseArgs>),
    /// One HTML page about a model: verdicts, line map, mesh, findings
    Report(Box<report::ReportArgs>),
    /// Check models against every rule, with a dry run
    Check(check::CheckArgs),
    /// What a message of Dolphin means, and which entry of a model caused it
    Explain(Box<explain::ExplainArgs>),
    /// The skinned mesh after the frames, or the model with its skeleton, as glTF or OBJ
    Export(Box<export::ExportArgs>),
    /// Golden texts of what comes out of models, and whether it still does
    Snapshot(snapshot::SnapshotArgs),
    /// Two models side by side: structure, weights, output, findings, bytes
    Diff(Box<diff::DiffArgs>),
    /// Completions for a shell
    Completions(manual::CompletionsArgs),
    /// Manual pages
    Man(manual::ManArgs),
    /// What was executed, step by step
    Trace(Box<trace::TraceArgs>),
}

/// Parses the arguments, runs the command, gives its exit code (0 clean, 1 findings, 2 could not).
pub fn main() -> ExitCode {
    let mut command = Cli::command();
    command.build();
    let matches = command.clone().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit());
    cli.global.apply();
    match run(cli.command, &Given::of(&command, &matches)) {
        Ok(Done::Clean) => ExitCode::SUCCESS,
        Ok(Done::Findings) => ExitCode::from(1),
        Err(error) => {
            anstream::eprintln!("skinsim: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command, given: &Given) -> CliResult {
    match command {
        Command::Info(args) => info::run(&args, given),
        Command::Run(args) => run::run(&args, given),
        Command::Build(args) => build::run(&args),
        Command::Repair(args) => repair::run(&args),
        Command::Pose(args) => pose::run(&args),
        Command::Report(args) => report::run(&args, given),
        Command::Check(args) => check::run(&args, given),
        Command::Explain(args) => explain::run(&args, given),
        Command::Export(args) => export::run(&args, given),
        Command::Snapshot(args) => snapshot::run(&args, given),
        Command::Diff(args) => diff::run(&args, given),
        Command::Completions(args) => Ok(manual::completions(&args, Cli::command())),
        Command::Man(args) => manual::man(&args, Cli::command()),
        Command::Trace(args) => trace::run(&args, given),
    }
}
