//! `info` on a FLVER.

use crate::cli::input::Input;
use crate::cli::{CliError, CliResult, Done, print_json};
use crate::flver::Flver;
use crate::report::flver::info::{FlverInfo, text};

pub(super) fn run(input: &Input, json: bool) -> CliResult {
    let flver = Flver::parse(&input.bytes).map_err(|error| CliError::file(&input.path, error))?;
    let info = FlverInfo::new(input.name(), &flver);
    if json {
        print_json(&info);
    } else {
        crate::cli::emit(&text(&info));
    }
    Ok(Done::Clean)
}
