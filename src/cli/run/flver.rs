//! `run` on a FLVER.

use clap::Args;

use crate::cli::input::Input;
use crate::cli::{CliError, CliResult};

/// Options that only concern FLVER models.
#[derive(Debug, Args)]
#[command(next_help_heading = "FLVER")]
pub struct FlverOptions {}

pub(super) fn run(input: &Input, _options: &FlverOptions, _json: bool) -> CliResult {
    Err(CliError::file(&input.path, "FLVER models are not supported yet"))
}
