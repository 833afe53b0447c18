//! `skinsim snapshot`: golden texts of what comes out of models, and whether it still does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::batch::BatchOptions;
use super::given::Given;
use super::input::Input;
use super::memory_dump::refuse_dump;
use super::model::ModelBytes;
use super::posed::{PosedOptions, Wing};
use super::{CliError, CliResult, Done, collect, emit, naming, output, print_json};
use crate::report::snapshot::{SnapshotReport, SnapshotResult, Status};
use crate::snapshot::Snapshot;

/// Arguments of `snapshot`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim snapshot take models/ --dir golden
  skinsim snapshot verify models/ --dir golden

`skinsim help snapshot take` and `skinsim help snapshot verify` say more.

Exit status: 0 written, or the same as before; 1 one differs, is missing or stale; 2 a model or a snapshot could not
be read, or a file not be written.")]
pub struct SnapshotArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write a snapshot of every model
    #[command(after_help = "Examples:
  skinsim snapshot take patched.block --dir golden
  skinsim snapshot take models/ --dir golden --full
  skinsim snapshot take hero.block --dir golden/walk --anim walk.anm --frames 30

A snapshot is a text: what identifies the frame, then of every entry or mesh the stored range, a digest, its
first and last vertex and bounds, then the findings by code; with --full also every vertex. It does not depend
on the machine that wrote it. Its name is the model's path below --root with .snap more; one folder holds
snapshots of one pose.

Exit status: 0 written; 2 a model could not be read, placed or posed, or a file could not be written.")]
    Take(Box<SnapshotOptions>),
    /// Compare every model with its snapshot
    #[command(after_help = "Examples:
  skinsim snapshot verify patched.block --dir golden
  skinsim snapshot verify models/ --dir golden --json
  skinsim snapshot verify models/ --dir golden --bless

Of folders, snapshots below --dir whose models are gone are told as stale. --bless writes what differs or is
missing and removes what is stale.

Exit status: 0 every snapshot is the same, or was blessed; 1 one differs, is missing, unreadable or stale;
2 a model could not be read, placed or posed, a file is no snapshot at all, or could not be written.")]
    Verify(Box<VerifyArgs>),
}

/// Options of both.
#[derive(Debug, Args)]
struct SnapshotOptions {
    /// Models: blocks, .gpl, .flver or .mdl; of folders every model below them
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// The folder of the snapshots
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Where the paths of models begin that snapshots are named after [default: the current folder]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// List every vertex (verify: in snapshots that are new; others keep their form)
    #[arg(long)]
    full: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Refused, with the reason
    #[arg(long, hide = true, value_parser = refuse_dump)]
    ram: Option<String>,
    #[command(flatten)]
    batch: BatchOptions,
    #[command(flatten)]
    posed: PosedOptions,
}

#[derive(Debug, Args)]
struct VerifyArgs {
    /// Write what differs or is missing, remove what is stale
    #[arg(long)]
    bless: bool,
    #[command(flatten)]
    options: SnapshotOptions,
}

/// Runs the command.
///
/// # Errors
/// When a model cannot be read, placed or posed, or a file cannot be written; the others are done all the
/// same.
pub fn run(args: &SnapshotArgs, given: &Given) -> CliResult {
    match &args.action {
        Action::Take(options) => take(options, given),
        Action::Verify(args) => verify(&args.options, args.bless, given),
    }
}

fn take(options: &SnapshotOptions, given: &Given) -> CliResult {
    let models = options.models(given)?;
    let work = |model: &Path| {
        let file = options.file(model)?;
        let now = options.snapshot(model)?;
        let text = if options.full { now.full().to_string() } else { now.to_string() };
        let before = std::fs::read(&file).ok();
        let status = match &before {
            None => Status::New,
            Some(before) if *before == text.as_bytes() => Status::Same,
            Some(_) => Status::Updated,
        };
        if status != Status::Same {
            output::write(&file, text.as_bytes())?;
        }
        Ok(result(Some(model), &file, status))
    };
    let (results, failures) = options.batch.each(&models, work)?.split();
    options.show(&SnapshotReport::new(results.into_iter().map(|(_, result)| result).collect()));
    failures.into_result()?;
    Ok(Done::Clean)
}

fn verify(options: &SnapshotOptions, bless: bool, given: &Given) -> CliResult {
    let models = options.models(given)?;
    let batch = options.batch.each(&models, |model| options.verify(model, bless))?;
    let complete = batch.done.len() == batch.total;
    let (results, failures) = batch.split();
    let mut results: Vec<SnapshotResult> = results.into_iter().map(|(_, result)| result).collect();
    if complete {
        results.extend(options.stale(&models, bless)?);
    }
    let report = SnapshotReport::new(results);
    options.show(&report);
    failures.into_result()?;
    Ok(if report.has_mismatch() { Done::Findings } else { Done::Clean })
}

fn result(model: Option<&Path>, file: &Path, status: Status) -> SnapshotResult {
    SnapshotResult {
        model: model.map(|model| model.display().to_string()),
        snapshot: file.display().to_string(),
        status,
        problem: None,
        differences: None,
    }
}

impl SnapshotOptions {
    /// The models, once every option fits one of them and each has a file of its own.
    fn models(&self, given: &Given) -> Result<Vec<PathBuf>, CliError> {
        let models = collect::models(&self.models)?;
        given.fit_files(models.iter().map(PathBuf::as_path))?;
        naming::apart(&models, |model| self.file(model))?;
        Ok(models)
    }

    fn file(&self, model: &Path) -> Result<PathBuf, CliError> {
        naming::beside(&self.dir, self.root.as_deref(), model, "snap")
    }

    fn show(&self, report: &SnapshotReport) {
        if self.json { print_json(report) } else { emit(&report.text()) }
    }

    /// The snapshot of a model as it is now.
    fn snapshot(&self, model: &Path) -> Result<Snapshot, CliError> {
        let input = Input::read(model)?;
        match Wing::of(&input)? {
            Wing::C3 => {
                let bytes = ModelBytes::load(input, &self.posed.c3.loose)?;
                let model = bytes.parse()?;
                Ok(self.posed.outcome(&bytes, &model)?.snapshot())
            }
            Wing::Flver => {
                let options = self.posed.flver(&input)?;
                let snapshot =
                    crate::flver::snapshot::snapshot(&input.bytes, &self.posed.pose_name(), &options);
                snapshot.map_err(|error| CliError::file(&input.path, error))
            }
            Wing::Mdl => {
                let (companions, options) = self.posed.mdl(&input)?;
                let (vvd, pose) = (companions.vvd_bytes(), self.posed.pose_name());
                let snapshot = crate::mdl::snapshot::snapshot(&input.bytes, vvd, &pose, &options);
                snapshot.map_err(|error| CliError::file(&input.path, error))
            }
        }
    }

    fn verify(&self, model: &Path, bless: bool) -> Result<SnapshotResult, CliError> {
        let file = self.file(model)?;
        let now = self.snapshot(model)?;
        let before = match std::fs::read(&file) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(CliError::file(&file, error)),
        };
        let mut out = result(Some(model), &file, Status::Same);
        // An old snapshot keeps its form, so that a listing appears only where it was asked for.
        let mut full = self.full;
        match before.as_deref().map(|before| now.compared_with(before)) {
            None => {
                out.status = Status::Missing;
                out.problem =
                    Some("want a snapshot, have none: `skinsim snapshot take`, or --bless".to_owned());
            }
            Some(Err(error)) if error.is_of_another_file() => return Err(CliError::file(&file, error)),
            Some(Err(error)) => {
                out.status = Status::Unreadable;
                out.problem = Some(error.to_string());
            }
            Some(Ok(differences)) => {
                full = differences.complete;
                if !differences.is_empty() {
                    out.status = Status::Differs;
                    out.differences = Some(differences);
                }
            }
        }
        if bless && out.status.is_mismatch() {
            let text = if full { now.full().to_string() } else { now.to_string() };
            output::write(&file, text.as_bytes())?;
            out.status = if before.is_none() { Status::New } else { Status::Updated };
            out.problem = None;
        }
        Ok(out)
    }

    /// Snapshots below the folders that were given whose models are gone.
    fn stale(&self, models: &[PathBuf], bless: bool) -> Result<Vec<SnapshotResult>, CliError> {
        let known = models.iter().map(|model| self.file(model)).collect::<Result<Vec<_>, _>>()?;
        let mut found = Vec::new();
        for folder in self.models.iter().filter(|path| path.is_dir()) {
            let folder = naming::folder(&self.dir, self.root.as_deref(), folder)?;
            if folder.is_dir() {
                collect::files(&folder, &mut found)?;
            }
        }
        found.retain(|file| file.extension() == Some(OsStr::new("snap")) && !known.contains(file));
        found.dedup();
        let mut results = Vec::new();
        for file in found {
            if bless {
                std::fs::remove_file(&file).map_err(|error| CliError::file(&file, error))?;
            }
            results.push(result(None, &file, if bless { Status::Removed } else { Status::Stale }));
        }
        Ok(results)
    }
}
