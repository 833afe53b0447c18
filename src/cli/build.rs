//! `skinsim build`: a model block from a glTF.

use std::path::{Path, PathBuf};

use clap::Args;

use super::input::{Input, ModelKind};
use super::{CliError, CliResult, Done, print_json};
use crate::c3::build::error::Notes;
use crate::c3::build::weights::Allowed;
use crate::c3::build::{BuildOptions, build, donor, gltf, weights_only};
use crate::c3::model::Model;
use crate::report::build::BuildReport;

/// Arguments of `build`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim build hero.glb -o hero.block
  skinsim build hero.glb -o hero.block --donor mario.block --shift 8
  skinsim build repainted.glb -o hero.block --weights-only --donor hero.block

The animations of the glTF go to a bank beside the block (hero.anm), its times in frames of 1/60 second.

Exit status: 0 built; 2 it could not be built.")]
pub struct BuildArgs {
    /// The character: a .glb, or a .gltf with its files beside it (`-` for standard input)
    source: PathBuf,
    /// The block to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The block that the new one stands in for: skin only bones that its skin uses, keep its textures
    #[arg(long, value_name = "MODEL")]
    donor: Option<PathBuf>,
    /// Fraction bits of positions and normals [default: the most that fit]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=14))]
    shift: Option<u8>,
    /// Only patch the weight bytes of the donor: same vertices, same bones, other values
    #[arg(long, requires = "donor", conflicts_with_all = ["shift", "bank", "no_bank"])]
    weights_only: bool,
    /// The animation bank to write [default: the block's name with .anm, if there are animations]
    #[arg(long, value_name = "FILE")]
    bank: Option<PathBuf>,
    /// Write no animation bank
    #[arg(long, conflicts_with = "bank")]
    no_bank: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written, or the model cannot be built.
pub fn run(args: &BuildArgs) -> CliResult {
    let input = Input::read(&args.source)?;
    let donor = args.donor.as_deref().map(Input::read).transpose()?;
    let donor = match &donor {
        Some(donor) if donor.kind() != ModelKind::Block => {
            return Err(CliError::file(&donor.path, "want a model block as donor"));
        }
        Some(donor) => {
            let model =
                Model::from_block(&donor.bytes).map_err(|error| CliError::file(&donor.path, error))?;
            Some((donor, model))
        }
        None => None,
    };
    let mut notes = Notes::default();
    let folder = args.source.parent().unwrap_or(Path::new(""));
    let mut read = |uri: &str| read_beside(folder, uri);
    let name = args.output.file_stem().map_or_else(|| "body".into(), std::ffi::OsStr::to_string_lossy);
    let character = gltf::import(&input.bytes, &name, &mut read, &mut notes)
        .map_err(|error| CliError::file(&input.path, error))?;
    let allowed = match &donor {
        Some((donor, model)) => donor::allowed(model).map_err(|error| CliError::file(&donor.path, error))?,
        None => Allowed::All,
    };
    let output = args.output.display().to_string();
    if let (true, Some((donor, model))) = (args.weights_only, &donor) {
        let patched = weights_only::patch(&donor.bytes, model, &character, &allowed, notes)
            .map_err(|error| CliError::file(&input.path, error))?;
        write(&args.output, &patched.block)?;
        return Ok(show(
            &BuildReport::patched(input.name(), output, character.copyright, patched),
            args.json,
        ));
    }
    let textures = donor.as_ref().and_then(|(_, model)| donor::textures(model));
    let options = BuildOptions { shift: args.shift, allowed, textures };
    let built = build(&character, &options, notes).map_err(|error| CliError::file(&input.path, error))?;
    write(&args.output, &built.block)?;
    let bank = match (&built.animations, args.no_bank) {
        (Some(bank), false) => {
            let path = args.bank.clone().unwrap_or_else(|| args.output.with_extension("anm"));
            write(&path, bank)?;
            Some(path.display().to_string())
        }
        _ => None,
    };
    Ok(show(&BuildReport::built(input.name(), output, built.block.len(), bank, built.summary), args.json))
}

fn show(report: &BuildReport, json: bool) -> Done {
    if json {
        print_json(report);
    } else {
        crate::cli::emit(&report.text());
    }
    Done::Clean
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    std::fs::write(path, bytes).map_err(|error| CliError::file(path, error))
}

/// A file that the glTF names, beside it.
fn read_beside(folder: &Path, uri: &str) -> Result<Vec<u8>, String> {
    let name = percent_decoded(uri);
    if name.contains("://") || Path::new(&name).is_absolute() {
        return Err("only files beside the glTF are read".to_owned());
    }
    std::fs::read(folder.join(&name)).map_err(|error| error.to_string())
}

fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = uri.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            decoded.push(byte);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn names_are_decoded_where_they_are_encoded() {
        assert_eq!(percent_decoded("a%20b%2.bin%"), "a b%2.bin%");
        assert_eq!(percent_decoded("%C3%A9"), "é");
    }
}
