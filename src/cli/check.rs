//! `skinsim check`: every rule and a dry run, as findings.

use std::path::PathBuf;

use clap::Args;

use super::companions::Companions;
use super::input::{Input, ModelKind};
use super::{CliError, CliResult, Done};
use crate::finding::{Finding, ModelReport, Verdict};
use crate::report::text;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Models to check
    #[arg(required = true)]
    models: Vec<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When a model cannot be read or is not one.
pub fn run(args: &CheckArgs) -> CliResult {
    let mut done = Done::Clean;
    for path in &args.models {
        let input = Input::read(path)?;
        let report = ModelReport::new(input.name(), findings(&input)?);
        if report.verdict == Verdict::Broken {
            done = Done::Findings;
        }
        anstream::print!("{}", text::report(&report));
    }
    Ok(done)
}

/// Dispatches by content; each wing gives its findings.
fn findings(input: &Input) -> Result<Vec<Finding>, CliError> {
    match input.kind() {
        ModelKind::Flver => {
            crate::flver::check(&input.bytes).map_err(|error| CliError::file(&input.path, error))
        }
        ModelKind::Mdl => {
            let companions = Companions::of(&input.path, None)?;
            crate::mdl::check(&input.bytes, companions.vvd_bytes())
                .map_err(|error| CliError::file(&input.path, error))
        }
        ModelKind::Block | ModelKind::Gpl | ModelKind::Skn | ModelKind::Unknown => Err(CliError::file(
            &input.path,
            "want a model block, .gpl, .flver or .mdl, have something else at offset 0x0",
        )),
    }
}
