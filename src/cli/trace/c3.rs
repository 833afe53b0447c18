//! `trace` on a Character Pipeline model: every access, and with a processor every instruction.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::c3::format::skn::{EntryId, Skn};
use crate::c3::runtime::program::ProgramError;
use crate::c3::trace::record::{End, Event, Subject, record};
use crate::c3::trace::{Engine, EntryName, MAGIC};
use crate::cli::engine::EngineOptions;
use crate::cli::frames::FrameOptions;
use crate::cli::input::Input;
use crate::cli::model::ModelBytes;
use crate::cli::output::{Growing, not_input};
use crate::cli::{CliError, CliResult, Done};
use crate::report::run::target_name;

/// Options that only concern GameCube and Wii models.
#[derive(Debug, Args)]
#[command(next_help_heading = "GameCube / Wii")]
pub struct C3TraceOptions {
    /// Only what belongs to one entry
    #[arg(long, value_name = "LIST:NUMBER")]
    entry: Option<EntryName>,
    /// Skin matrices, one a bone: JSON with a key `skin_matrices` (default: the rest pose)
    #[arg(long, value_name = "FILE")]
    matrices: Option<PathBuf>,
    #[command(flatten)]
    frames: FrameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

pub(super) fn run(input: Input, options: &C3TraceOptions, output: Option<&Path>) -> CliResult {
    let name = input.name();
    let bytes = ModelBytes::load(input, &options.frames.loose)?;
    let model = bytes.parse()?;
    let refused = |error: &dyn std::fmt::Display| CliError::file(bytes.path(), error);
    let run_options = options.frames.run_options();
    let program = options.engine.program(&run_options)?;
    if let Some(entry) = options.entry {
        exists(entry.0, model.skn.as_ref()).map_err(|have| refused(&have))?;
    }
    let plan = options.frames.plan(&model).map_err(|error| refused(&error))?;
    let poses = options.frames.poses(&bytes, &model, options.matrices.as_deref())?;
    let subject = Subject {
        plan: &plan,
        options: run_options,
        program: program.as_ref().map(|program| (&program.executable, &program.options)),
        entry: options.entry.map(|name| name.0),
    };
    let engine = if program.is_some() { Engine::Cpu } else { Engine::Model };
    let mut header = vec![
        MAGIC.to_owned(),
        format!("# engine {}", engine.name()),
        format!("# model {name}"),
        format!("# target {}", target_name(run_options.target)),
    ];
    header.extend(program.as_ref().map(|program| format!("# program {}", program.name())));
    header.extend(options.entry.map(|entry| format!("# entry {entry}")));
    if let Some(output) = output {
        not_input(output, bytes.path())?;
    }
    let mut out = Output::open(output)?;
    out.write(&(header.join("\n") + "\n"));
    let pose_name = poses.name.clone();
    let end = record(&subject, poses, |event| match event {
        Event::Frame(number) => out.write(&format!("frame {number}\n")),
        Event::Line(line) => out.write(&format!("{line}\n")),
    });
    let end = end.map_err(|error| match (error, &program) {
        (ProgramError::Model(error), _) => refused(&error),
        (error, Some(program)) => CliError(format!("{}: {error}", program.name())),
        (error, None) => refused(&error),
    })?;
    out.close()?;
    finish(&end, &pose_name)
}

/// Whether the header counts so many entries; what it counts where it does not.
fn exists(entry: EntryId, skn: Option<&Skn>) -> Result<(), String> {
    let header = skn.map(|skn| skn.header);
    let counts = header.map(|header| [header.sk1_count, header.sk2_count, header.skacc_count]);
    let count = counts.map_or(0, |counts| counts[entry.list as usize]);
    if entry.index < u32::from(count) {
        return Ok(());
    }
    Err(format!("--entry {entry}: want one that exists, have {count} entries in {}", entry.list.name()))
}

fn finish(end: &End, pose_name: &str) -> CliResult {
    if let Some(error) = &end.pose_error {
        return Err(CliError(format!("{pose_name}: frame {}: {error}", end.frames)));
    }
    if let Some(stop) = &end.stop {
        tracing::warn!("the program stopped: {stop}");
    }
    Ok(if end.faults == 0 && end.stop.is_none() { Done::Clean } else { Done::Findings })
}

/// Where the lines go. What cannot be written is told at the end, once.
struct Output {
    to: Sink,
    error: Option<io::Error>,
}

enum Sink {
    File(Growing),
    Standard(BufWriter<io::StdoutLock<'static>>),
}

impl Output {
    fn open(path: Option<&Path>) -> Result<Self, CliError> {
        let to = match path.filter(|path| path.as_os_str() != "-") {
            Some(path) => Sink::File(Growing::create(path)?),
            None => Sink::Standard(BufWriter::new(io::stdout().lock())),
        };
        Ok(Self { to, error: None })
    }

    fn write(&mut self, text: &str) {
        if self.error.is_none() {
            let written = match &mut self.to {
                Sink::File(file) => file.write_all(text.as_bytes()),
                Sink::Standard(out) => out.write_all(text.as_bytes()),
            };
            self.error = written.err();
        }
    }

    fn close(self) -> Result<(), CliError> {
        match (self.to, self.error) {
            (Sink::File(file), Some(error)) => Err(CliError::file(file.path(), error)),
            (Sink::File(file), None) => file.finish(),
            // A reader of standard output that went away is no error.
            (Sink::Standard(mut out), _) => {
                let _ = out.flush();
                Ok(())
            }
        }
    }
}
