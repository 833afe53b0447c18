//! `skinsim info`: what is in a model.

use std::path::PathBuf;

use clap::Args;

use super::input::{Input, ModelKind};
use super::{CliError, CliResult};

mod flver;
mod mdl;

/// Arguments of `info`.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// The model: a block, .gpl, .flver or .mdl (`-` for standard input)
    model: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the model cannot be read or is not one.
pub fn run(args: &InfoArgs) -> CliResult {
    let input = Input::read(&args.model)?;
    match input.kind() {
        ModelKind::Flver => flver::run(&input, args.json),
        ModelKind::Mdl => mdl::run(&input, args.json),
        ModelKind::Block | ModelKind::Gpl | ModelKind::Skn | ModelKind::Unknown => Err(CliError::file(
            &args.model,
            "want a model block, .gpl, .flver or .mdl, have something else at offset 0x0",
        )),
    }
}
