//! `run` on a MDL.

use clap::Args;

use crate::cli::input::Input;
use crate::cli::{CliError, CliResult};

/// Options that only concern MDL models.
#[derive(Debug, Args)]
#[command(next_help_heading = "MDL")]
pub struct MdlOptions {}

pub(super) fn run(input: &Input, _options: &MdlOptions, _json: bool) -> CliResult {
    Err(CliError::file(&input.path, "MDL models are not supported yet"))
}
