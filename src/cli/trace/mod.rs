//! `skinsim trace`: what was executed, step by step.

use std::path::PathBuf;

use clap::Args;

use super::input::{Input, ModelKind};
use super::{CliError, CliResult};

mod mdl;

/// Arguments of `trace`. Options of one format are grouped under its heading.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim trace face.mdl --set smile=1
  skinsim trace face.mdl --flexdesc blink --json -o blink.json

Exit status: 0 done; 2 the model could not be read or the trace not written.")]
pub struct TraceArgs {
    /// The model (`-` for standard input)
    model: PathBuf,
    /// Write the trace to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mdl: mdl::MdlTraceOptions,
}

/// Runs the command.
///
/// # Errors
/// When the model cannot be read, is not one that can be traced, or the trace cannot be written.
pub fn run(args: &TraceArgs) -> CliResult {
    let input = Input::read(&args.model)?;
    let sink = Sink { output: args.output.as_deref(), json: args.json };
    match input.kind() {
        ModelKind::Mdl => mdl::run(&input, &args.mdl, &sink),
        ModelKind::Flver => {
            Err(CliError::file(&input.path, "want a model with a machine to trace, have a FLVER"))
        }
        ModelKind::Block | ModelKind::Gpl | ModelKind::Skn => {
            Err(CliError::file(&input.path, "want a .mdl, have a GameCube or Wii model"))
        }
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
            Some(path) => std::fs::write(path, rendered).map_err(|error| CliError::file(path, error))?,
            None => crate::cli::emit(&rendered),
        }
        Ok(())
    }
}
