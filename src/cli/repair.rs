//! `skinsim repair`: mends what can be mended.

use std::path::{Path, PathBuf};

use clap::Args;

use super::input::Input;
use super::model::{LooseOptions, ModelBytes};
use super::{CliError, CliResult, Done, emit, print_json};
use crate::c3::repair::repair;
use crate::c3::repair::write::Files;
use crate::c3::runtime::load::{DEFAULT_ADDRESS, LoadPlan};
use crate::report::repair::RepairReport;

/// Arguments of `repair`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim repair patched.block -o fixed.block
  skinsim repair hero.gpl -o fixed.gpl          (hero.skn is read, fixed.skn is written too)
  skinsim repair patched.block -o fixed.block --json

Each fix is the remedy of one finding code of `skinsim check`, told with what it changed. What cannot be mended
without changing how untouched vertices look is refused with the reason.

What stays is told as `skinsim check` finds it in the file that was written.

Exit status: 0 mended, or nothing to mend; 1 an error stays; 2 the model could not be read or written.")]
pub struct RepairArgs {
    /// The model: a block, or a .gpl or .skn (`-` for standard input)
    model: PathBuf,
    /// The file to write; of a loose pair the .gpl, beside which the .skn goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    loose: LooseOptions,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written, or is not a model with skinning data.
pub fn run(args: &RepairArgs) -> CliResult {
    let input = Input::read(&args.model)?;
    let (name, path) = (input.name(), input.path.clone());
    let bytes = ModelBytes::load(input, &args.loose)?;
    let model = bytes.parse()?;
    let files = Files::of(&model).filter(|_| model.skn.is_some());
    let files = files.ok_or_else(|| {
        // A section that lies past the end of a block that is cut off is told with its offset.
        let outside = LoadPlan::at(&model, DEFAULT_ADDRESS).err();
        let why = outside.map_or_else(String::new, |error| format!(": {error}"));
        CliError::file(&path, format!("want a model with an SKN, have none{why}"))
    })?;
    let repaired = repair(files).map_err(|error| CliError::file(&path, error))?;
    let outputs = match &repaired.files {
        Files::Block(block) => vec![write(&args.output, block)?],
        Files::Loose { gpl, skn, .. } => {
            vec![
                write(&args.output.with_extension("gpl"), gpl)?,
                write(&args.output.with_extension("skn"), skn)?,
            ]
        }
    };
    let report = RepairReport::new(name, outputs, &repaired);
    if args.json {
        print_json(&report);
    } else {
        emit(&report.text());
    }
    Ok(if report.has_errors() { Done::Findings } else { Done::Clean })
}

fn write(path: &Path, bytes: &[u8]) -> Result<String, CliError> {
    std::fs::write(path, bytes).map_err(|error| CliError::file(path, error))?;
    Ok(path.display().to_string())
}
