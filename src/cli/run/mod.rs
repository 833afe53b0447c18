//! `skinsim run`: executes what the game does to a model and says what happened.

use std::path::PathBuf;

use clap::Args;

use super::input::{Input, ModelKind};
use super::{CliError, CliResult};

mod flver;
mod mdl;

/// Arguments of `run`. Options of one format are grouped under its heading.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The model: a block, .gpl, .flver or .mdl (`-` for standard input)
    model: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flver: flver::FlverOptions,
    #[command(flatten)]
    mdl: mdl::MdlOptions,
}

/// Runs the command.
///
/// # Errors
/// When the model cannot be read or is not one.
pub fn run(args: &RunArgs) -> CliResult {
    let input = Input::read(&args.model)?;
    match input.kind() {
        ModelKind::Flver => flver::run(&input, &args.flver, args.json),
        ModelKind::Mdl => mdl::run(&input, &args.mdl, args.json),
        ModelKind::Block | ModelKind::Gpl | ModelKind::Skn | ModelKind::Unknown => Err(CliError::file(
            &args.model,
            "want a model block, .gpl, .flver or .mdl, have something else at offset 0x0",
        )),
    }
}
