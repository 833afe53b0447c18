//! `skinsim diff`: two models side by side.

use std::path::{Path, PathBuf};

use clap::Args;

use super::batch::BatchOptions;
use super::given::Given;
use super::input::Input;
use super::memory_dump::refuse_dump;
use super::model::ModelBytes;
use super::posed::{PosedOptions, Wing};
use super::{CliError, CliResult, Done, collect, emit, naming, print_json};
use crate::c3::check::{Comparison, check_on};
use crate::difference::{Difference, Side};
use crate::flver::format::Flver;
use crate::mdl::format::Mdl;
use crate::mdl::format::vvd::Vvd;
use crate::mdl::runtime::face::Face;
use crate::report::diff::{DiffPair, DiffReport};
use crate::{c3, flver, mdl};

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim diff vanilla.block patched.block
  skinsim diff vanilla.block patched.block --anim walk.anm --frames 30
  skinsim diff before/ after/ --max 3
  skinsim diff old.flver new.flver --json

Entries are put side by side by list, bones and slots, so that one with another number alone did not change; a
section that moved as a whole has no bytes that differ. Of two folders, models of the same path below them are
compared.

Exit status: 0 the models are the same; 1 they differ; 2 a model could not be read, placed or posed.")]
pub struct DiffArgs {
    /// The first model, or a folder of models
    first: PathBuf,
    /// The second model, or a folder of models
    second: PathBuf,
    /// Vertices and weights that are shown of a model (0: all)
    #[arg(long, value_name = "N", default_value_t = 10)]
    max: usize,
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

/// Runs the command.
///
/// # Errors
/// When a model cannot be read, placed or posed, or the two are of different kinds.
pub fn run(args: &DiffArgs, given: &Given) -> CliResult {
    let (pairs, failures) = if args.first.is_dir() || args.second.is_dir() {
        if !args.first.is_dir() || !args.second.is_dir() {
            return Err(CliError::file(&args.second, "want two models or two folders, have one of each"));
        }
        folders(args, given)?
    } else {
        (vec![args.one_pair(given)?], None)
    };
    let report = DiffReport::new(pairs);
    if args.json {
        print_json(&report);
    } else {
        emit(&report.text());
    }
    if let Some(failures) = failures {
        failures.into_result()?;
    }
    Ok(if report.pairs.iter().any(DiffPair::differs) { Done::Findings } else { Done::Clean })
}

type Pairs = (Vec<DiffPair>, Option<super::batch::Failures>);

fn folders(args: &DiffArgs, given: &Given) -> Result<Pairs, CliError> {
    let below = |folder: &PathBuf| -> Result<Vec<PathBuf>, CliError> {
        collect::models(std::slice::from_ref(folder))?
            .iter()
            .map(|model| naming::below(Some(folder), model))
            .collect()
    };
    let (old, new) = (below(&args.first)?, below(&args.second)?);
    let files =
        |folder: &Path, names: &[PathBuf]| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>();
    let files = [files(&args.first, &old), files(&args.second, &new)].concat();
    given.fit_files(files.iter().map(PathBuf::as_path))?;
    let mut all: Vec<PathBuf> = old.iter().chain(&new).cloned().collect();
    all.sort_unstable();
    all.dedup();
    let work = |name: &Path| {
        let (before, after) = (args.first.join(name), args.second.join(name));
        let only = |names| Ok(DiffPair::new(names, String::new(), Difference::default(), 0));
        match (before.exists(), after.exists()) {
            (true, false) => only([Some(before.display().to_string()), None]),
            (false, true) => only([None, Some(after.display().to_string())]),
            _ => args.pair(Input::read(&before)?, Input::read(&after)?),
        }
    };
    let (pairs, failures) = args.batch.each(&all, work)?.split();
    Ok((pairs.into_iter().map(|(_, pair)| pair).collect(), Some(failures)))
}

impl DiffArgs {
    /// The two models that were named.
    fn one_pair(&self, given: &Given) -> Result<DiffPair, CliError> {
        let (old, new) = (Input::read(&self.first)?, Input::read(&self.second)?);
        given.fit(&[(&self.first, old.kind()), (&self.second, new.kind())])?;
        self.pair(old, new)
    }

    fn pair(&self, old: Input, new: Input) -> Result<DiffPair, CliError> {
        let names = [Some(old.name()), Some(new.name())];
        let wing = Wing::of(&old)?;
        if Wing::of(&new)? != wing {
            let (want, have) = (old.kind().words(), new.kind().words());
            let text = format!("want a model of the same kind as the first, {want}, have {have}");
            return Err(CliError::file(&new.path, text));
        }
        let difference = match wing {
            Wing::C3 => self.c3(old, new)?,
            Wing::Flver => self.flver(&old, &new)?,
            Wing::Mdl => self.mdl(&old, &new)?,
        };
        Ok(DiffPair::new(names, self.posed.pose_name(), difference, self.max))
    }

    fn c3(&self, old: Input, new: Input) -> Result<Difference, CliError> {
        let files =
            [ModelBytes::load(old, &self.posed.c3.loose)?, ModelBytes::load(new, &self.posed.c3.loose)?];
        let [before, after] = [files[0].parse()?, files[1].parse()?];
        let side = |bytes: &ModelBytes, model: &c3::model::Model| -> Result<Side, CliError> {
            // A model without a skin has nothing to run; what is in it is compared all the same.
            let parts = if model.gpl.is_some() && model.skn.is_some() {
                c3::difference::parts(&self.posed.outcome(bytes, model)?)
            } else {
                Vec::new()
            };
            let target = c3::snapshot::target_of(self.posed.c3.run_options().target);
            let placement = self.posed.c3.placing.placement(model);
            let switches = self.posed.c3.run_options();
            let findings = check_on(model, &Comparison::default(), placement, &[target], &switches);
            Ok(Side { parts, findings })
        };
        let difference = Difference::of(&side(&files[0], &before)?, &side(&files[1], &after)?);
        Ok(Difference {
            structure: c3::difference::structure(&before, &after),
            weights: c3::difference::weights(&before, &after),
            bytes: c3::difference::bytes(&before, &after),
            ..difference
        })
    }

    fn flver(&self, old: &Input, new: &Input) -> Result<Difference, CliError> {
        let run = |input: &Input| {
            let refused = |error| CliError::file(&input.path, error);
            let flver = Flver::parse(&input.bytes).map_err(refused)?;
            flver::runtime::run("", &flver, &self.posed.flver(input)?).map_err(refused)
        };
        let (before, after) = (run(old)?, run(new)?);
        let files = (parse_flver(old)?, parse_flver(new)?);
        let side = |outcome, flver| Side {
            parts: flver::difference::parts(outcome),
            findings: flver::rules::check(flver),
        };
        let difference = Difference::of(&side(&before, &files.0), &side(&after, &files.1));
        Ok(Difference {
            structure: flver::difference::structure(&before, &after),
            weights: flver::difference::weights(&before, &after),
            bytes: flver::difference::bytes((&old.bytes, &files.0), (&new.bytes, &files.1)),
            ..difference
        })
    }

    fn mdl(&self, old: &Input, new: &Input) -> Result<Difference, CliError> {
        let read = |input: &Input| -> Result<(Mdl, Side, Vec<u8>), CliError> {
            let refused = |error| CliError::file(&input.path, error);
            let mdl = Mdl::read(&input.bytes).map_err(refused)?;
            let (companions, options) = self.posed.mdl(input)?;
            let vertices = companions.vvd_bytes().unwrap_or_default().to_vec();
            let vvd = companions.vvd_bytes().map(Vvd::read).transpose().map_err(refused)?;
            let face = Face::new(&mdl, vvd.as_ref(), &options).map_err(refused)?;
            let frame = mdl::runtime::frame::run(&face, &options);
            let parts = mdl::difference::parts(&face, &frame);
            drop(face);
            let findings = mdl::rules::check(&mdl, vvd.as_ref()).map_err(refused)?;
            Ok((mdl, Side { parts, findings }, vertices))
        };
        let ((before, before_side, before_vvd), (after, after_side, after_vvd)) = (read(old)?, read(new)?);
        Ok(Difference {
            structure: mdl::difference::structure(&before, &after),
            bytes: mdl::difference::bytes([&old.bytes, &before_vvd], [&new.bytes, &after_vvd]),
            ..Difference::of(&before_side, &after_side)
        })
    }
}

fn parse_flver(input: &Input) -> Result<Flver<'_>, CliError> {
    Flver::parse(&input.bytes).map_err(|error| CliError::file(&input.path, error))
}
