//! `trace diff`: the first difference of two traces.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::c3::trace::diff::{Trace, first_difference};
use crate::cli::{CliError, CliResult, Done, emit};

/// Arguments of `trace diff`.
#[derive(Debug, Args)]
#[command(
    after_help = "Of two traces of one engine every line is compared; of a model's and a processor's what both
list: accesses of the kernels, transfers, the clear, faults.

Examples:
  skinsim trace fox.block -o model.trace
  skinsim trace fox.block --engine cpu -o cpu.trace
  skinsim trace diff model.trace cpu.trace

Exit status: 0 no difference; 1 a difference, told with what stands around it; 2 a file is no trace."
)]
pub struct DiffArgs {
    /// A trace
    first: PathBuf,
    /// Another
    second: PathBuf,
}

pub(super) fn run(args: &DiffArgs) -> CliResult {
    let (first, second) = (read(&args.first)?, read(&args.second)?);
    let trace = |text, path: &Path| Trace::read(text).map_err(|error| CliError::file(path, error));
    let difference = first_difference(&trace(&first, &args.first)?, &trace(&second, &args.second)?);
    if let Some(difference) = difference {
        emit(&difference.to_string());
        return Ok(Done::Findings);
    }
    emit("no difference\n");
    Ok(Done::Clean)
}

fn read(path: &Path) -> Result<String, CliError> {
    let bytes = std::fs::read(path).map_err(|error| CliError::file(path, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
