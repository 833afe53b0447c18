//! `info` on a FLVER.

use crate::cli::input::Input;
use crate::cli::{CliError, CliResult};

pub(super) fn run(input: &Input, _json: bool) -> CliResult {
    Err(CliError::file(&input.path, "FLVER models are not supported yet"))
}
