//! `skinsim explain`: what a Dolphin message means, and which entry of a model caused it.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::Args;

use super::engine::symbol_map;
use super::follow_up::command;
use super::given::Given;
use super::input::{Input, ModelKind};
use super::machine::{MachineOptions, OnFaultName, PlacingOptions, TargetName, parse_address};
use super::model::{LooseOptions, ModelBytes};
use super::{CliError, CliResult, Done, emit, print_json};
use crate::c3::explain::place::Tables;
use crate::c3::explain::suspect::{Setting, Suspect};
use crate::c3::explain::{Explained, explain};
use crate::c3::model::Model;
use crate::finding::name_files;
use crate::gekko::message;
use crate::report::explain::{ExplainReport, FollowUps, MessageReport};

/// Arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim explain 'Invalid read from 0xe0040000, PC = 0x80523ec4' patched.block
      what was executing, what that means, and which entry of the model did it
  skinsim explain dolphin.log patched.block
      every different message of a log, the first fault first
  skinsim explain dolphin.log --map game.map
      functions by a map of the game, before the built-in tables
  skinsim explain 'Invalid read from 0xe0040000' --pc 0x80523ec4
      a message without its PC
  pbpaste | skinsim explain - patched.block

Afterwards: `skinsim check MODEL` for everything that is wrong with it, `skinsim repair` to mend it.

Exit status: 0 the messages are explained, whatever they mean; 2 the log holds no such message, or a
file could not be read.")]
pub struct ExplainArgs {
    /// The message itself, or a log that holds it [default: standard input, as is `-`]
    #[arg(value_name = "LOG")]
    log: Option<String>,
    /// The model that was running
    #[arg(value_name = "MODEL")]
    model: Option<PathBuf>,
    /// A map of the game: Dolphin's or CodeWarrior's
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// The instruction, for messages that do not name it
    #[arg(long, value_name = "ADDR", value_parser = parse_address)]
    pc: Option<u32>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    loose: LooseOptions,
    #[command(flatten)]
    placing: PlacingOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

/// A message, for people who gave none.
const EXAMPLE: &str = "Invalid read from 0xe0040000, PC = 0x80523ec4";

/// Runs the command.
///
/// # Errors
/// When there is no message to explain, or a file cannot be read.
pub fn run(args: &ExplainArgs, given: &Given) -> CliResult {
    let (log, model_path) = arguments(args)?;
    let tables = tables(args)?;
    let Explained { explanations, left_out } = explain(&log.text, &tables, args.pc);
    if explanations.is_empty() {
        let want = format!("want a line such as \"{EXAMPLE}\", have none");
        return Err(CliError::file(&log.name, want));
    }
    let bytes = match &model_path {
        Some(path) => {
            let input = Input::read(path)?;
            given.fit(&[(path, input.kind())])?;
            Some(ModelBytes::load(input, &args.loose)?)
        }
        None => None,
    };
    let model = bytes.as_ref().map(ModelBytes::parse).transpose()?;
    let mut suspect = model.as_ref().map(|model| Suspect::new(model, setting(args, model), &tables));
    let files = bytes.as_ref().zip(model_path.as_deref()).map(|(bytes, path)| bytes.files(path));
    let next = model_path.as_deref().map(|path| follow_ups(given, path)).unwrap_or_default();
    let messages = explanations.iter().map(|explanation| {
        let verdict = suspect.as_mut().map(|suspect| {
            let mut verdict = suspect.verdict(explanation);
            name_files(&mut verdict.causes, &files.clone().unwrap_or_default());
            verdict
        });
        MessageReport::new(explanation, verdict.as_ref(), &next)
    });
    let name = model_path.as_ref().map(|path| path.display().to_string());
    let report = ExplainReport::new(name, messages.collect(), left_out);
    if args.json {
        print_json(&report);
    } else {
        emit(&report.text());
    }
    Ok(Done::Clean)
}

/// Where the model lies and what runs it.
fn setting(args: &ExplainArgs, model: &Model) -> Setting {
    Setting {
        placement: args.placing.placement(model),
        switches: args.machine.run_options(TargetName::Dolphin, OnFaultName::Stop),
        console_asked_for: args.machine.names_console(),
    }
}

/// Commands that go on with a model.
fn follow_ups(given: &Given, model: &Path) -> FollowUps {
    let loose = Input::read_start(model).is_ok_and(|input| input.kind() != ModelKind::Block);
    let mended = if loose { "mended.gpl" } else { "mended.block" };
    FollowUps {
        check: command(given, "check", model, &[]),
        repair: command(given, "repair", model, &["-o", mended]),
        run: command(given, "run", model, &[]),
    }
}

/// A log and what it is called in messages.
struct Log {
    name: PathBuf,
    text: String,
}

/// Sorts out what was given: one argument may be a message, a log, or a model (then the log comes from
/// standard input).
fn arguments(args: &ExplainArgs) -> Result<(Log, Option<PathBuf>), CliError> {
    match (args.log.as_deref(), &args.model) {
        (Some(first), None) if is_model(Path::new(first)) => Ok((standard_input()?, Some(first.into()))),
        // The other way round.
        (Some(first), Some(second)) if is_model(Path::new(first)) && !is_model(second) => {
            Ok((log_file(second.clone())?, Some(first.into())))
        }
        (None | Some("-"), model) => Ok((standard_input()?, model.clone())),
        (Some(text), model) if message::message(text).is_some() || text.contains('\n') => {
            Ok((Log { name: "LOG".into(), text: text.to_owned() }, model.clone()))
        }
        (Some(path), model) => Ok((log_file(PathBuf::from(path))?, model.clone())),
    }
}

fn log_file(path: PathBuf) -> Result<Log, CliError> {
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Log { text: decoded(&bytes), name: path }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(CliError(format!(
            "{}: want a message of Dolphin's such as \"{EXAMPLE}\", or a file that holds one; have neither",
            path.display()
        ))),
        Err(error) => Err(CliError::file(&path, error)),
    }
}

fn is_model(path: &Path) -> bool {
    let start = path.is_file().then(|| Input::read_start(path).ok()).flatten();
    start.is_some_and(|input| matches!(input.kind(), ModelKind::Block | ModelKind::Gpl | ModelKind::Skn))
}

fn standard_input() -> Result<Log, CliError> {
    let mut stdin = std::io::stdin().lock();
    if stdin.is_terminal() {
        anstream::eprintln!(
            "Paste Dolphin's message, then end the input (Ctrl-D, on Windows Ctrl-Z and Enter)."
        );
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes).map_err(|error| CliError::file(Path::new("-"), error))?;
    Ok(Log { name: "-".into(), text: decoded(&bytes) })
}

/// A log as text: UTF-16 where its byte order mark says so, as Windows' shell writes it, or every other byte
/// of its start is zero; else UTF-8, with what is not replaced.
fn decoded(bytes: &[u8]) -> String {
    let zeros = |from: usize| {
        let every_other = || bytes.iter().skip(from).step_by(2).take(16);
        every_other().count() >= 8 && every_other().all(|&byte| byte == 0)
    };
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ if zeros(1) => u16::from_le_bytes,
        _ if zeros(0) => u16::from_be_bytes,
        _ => return String::from_utf8_lossy(bytes).into_owned(),
    };
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// The map, if one is given, before the built-in tables.
fn tables(args: &ExplainArgs) -> Result<Tables, CliError> {
    let map = args.map.as_deref().map(symbol_map).transpose()?;
    Ok(Tables::new(map, args.machine.named_game()))
}
