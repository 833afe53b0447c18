//! `skinsim trace`: what was executed, step by step.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::given::Given;
use super::input::{Input, ModelKind};
use super::{CliError, CliResult};

mod c3;
mod diff;
mod mdl;

/// Arguments of `trace`. Options of one format are grouped under its heading.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  skinsim trace fox.block --entry sk1:3
  skinsim trace fox.block --engine cpu -o cpu.trace
  skinsim trace diff model.trace cpu.trace
  skinsim trace face.mdl --set smile=1
  skinsim trace face.mdl --flexdesc blink --json -o blink.json

Exit status: 0 done; 1 a fault, or a difference; 2 the model could not be read or the trace not written.")]
pub struct TraceArgs {
    #[command(subcommand)]
    command: Option<TraceCommand>,
    /// The model (`-` for standard input; a file named `diff` is `./diff`)
    #[arg(required = true)]
    model: Option<PathBuf>,
    /// Write the trace to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write one JSON object instead of text (.mdl; the trace of a frame is lines of text)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    c3: c3::C3TraceOptions,
    #[command(flatten)]
    mdl: mdl::MdlTraceOptions,
}

#[derive(Debug, Subcommand)]
enum TraceCommand {
    /// The first difference of two traces
    Diff(diff::DiffArgs),
}

/// Runs the command.
///
/// # Errors
/// When the model cannot be read, is not one that can be traced, or the trace cannot be written.
pub fn run(args: &TraceArgs, given: &Given) -> CliResult {
    if let Some(TraceCommand::Diff(args)) = &args.command {
        return diff::run(args);
    }
    let model = args.model.as_deref().ok_or_else(|| CliError("want a model to trace".to_owned()))?;
    let input = Input::read(model)?;
    given.fit(&[(model, input.kind())])?;
    let sink = Sink { output: args.output.as_deref(), json: args.json };
    match input.kind() {
        ModelKind::Mdl => mdl::run(&input, &args.mdl, &sink),
        ModelKind::Flver => {
            Err(CliError::file(&input.path, "want a model with a machine to trace, have a FLVER"))
        }
        ModelKind::Block | ModelKind::Gpl | ModelKind::Skn if args.json => {
            Err(CliError::file(&input.path, "--json: want a .mdl; the trace of a frame is lines of text"))
        }
        ModelKind::Block | ModelKind::Gpl | ModelKind::Skn => c3::run(input, &args.c3, sink.output),
        ModelKind::Unknown => Err(input.not_a_model()),
    }
}

/// Where a trace goes, and in which form.
struct Sink<'a> {
    output: Option<&'a std::path::Path>,
    json: bool,
}

impl Sink<'_> {
    /// Writes a trace as JSON or as the text that `text` makes of it.
    fn write<T: serde::Serialize>(&self, trace: &T, text: impl Fn(&T) -> String) -> Result<(), CliError> {
        let rendered = if self.json {
            serde_json::to_string_pretty(trace).map_err(|error| CliError(error.to_string()))? + "\n"
        } else {
            text(trace)
        };
        match self.output {
            Some(path) => crate::cli::output::write(path, rendered.as_bytes())?,
            None => crate::cli::emit(&rendered),
        }
        Ok(())
    }
}
