//! `skinsim info`: what is in a model.

use std::path::PathBuf;

use clap::Args;

use super::CliResult;
use super::given::Given;
use super::input::{Input, ModelKind};
use super::model::LooseOptions;

mod c3;
mod flver;
mod mdl;

/// Arguments of `info`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim info fox.block
  skinsim info hero.gpl              (with hero.skn beside it)
  skinsim info hero.skn --gpl body.gpl --json

Exit status: 0 done; 2 the model could not be read.")]
pub struct InfoArgs {
    /// The model: a block, .gpl, .flver or .mdl (`-` for standard input)
    model: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    loose: LooseOptions,
}

/// Runs the command.
///
/// # Errors
/// When the model cannot be read or is not one.
pub fn run(args: &InfoArgs, given: &Given) -> CliResult {
    let input = Input::read(&args.model)?;
    given.fit(&[(&args.model, input.kind())])?;
    match input.kind() {
        ModelKind::Flver => flver::run(&input, args.json),
        ModelKind::Mdl => mdl::run(&input, args.json),
        ModelKind::Block | ModelKind::Gpl | ModelKind::Skn => c3::run(input, &args.loose, args.json),
        ModelKind::Unknown => Err(input.not_a_model()),
    }
}
