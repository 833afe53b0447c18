//! `skinsim check`: every rule and a dry run, as findings.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::batch::BatchOptions;
use super::companions::Companions;
use super::given::Given;
use super::input::{Input, ModelKind};
use super::machine::{MachineOptions, OnFaultName, PlacingOptions, TargetName};
use super::memory_dump::refuse_dump;
use super::model::{LooseOptions, ModelBytes};
use super::{CliError, CliResult, Done, collect, print_json};
use crate::c3::check::{Comparison, check_on};
use crate::c3::model::Model;
use crate::c3::rules::effects::Target;
use crate::c3::runtime::load::{LoadPlan, Placement};
use crate::c3::runtime::simulation::RunOptions;
use crate::finding::{Code, Finding, ModelReport, Severity, Unread, Verdict, all_codes, name_files};
use crate::gekko::machine::Machine;
use crate::report::json::CheckReport;
use crate::report::{github, sarif, text};

/// Bytes of a cache line: the loader places models on whole ones.
const LINE: u32 = 32;

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim check patched.block
  skinsim check extracted/ --format github --allow weight-sum
  skinsim check patched.block --donor original.block --target dolphin
  skinsim check hero.gpl --format sarif > hero.sarif

Exit status: 0 no error among the findings; 1 at least one; 2 a model could not be read: there is none of that
name, it is no model, or it ends inside its header. The others are checked all the same. A block that is cut off
behind its header can be read: what is missing are findings, and so the status is 1.")]
pub struct CheckArgs {
    /// Models to check; folders are walked
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// The model that the checked ones were made from: bones and length are compared
    #[arg(long, value_name = "MODEL", help_heading = "GameCube / Wii")]
    donor: Option<PathBuf>,
    /// The high-detail model that the checked ones stand in for
    #[arg(long, value_name = "MODEL", help_heading = "GameCube / Wii")]
    lod_of: Option<PathBuf>,
    /// Where the dry run takes place
    #[arg(long, value_enum, default_value_t = TargetChoice::Both, help_heading = "GameCube / Wii")]
    target: TargetChoice,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Leave findings of this code out (repeatable; not one that is denied)
    #[arg(long, value_name = "CODE", value_parser = parse_code)]
    allow: Vec<&'static Code>,
    /// Make findings of this code errors (repeatable)
    #[arg(long, value_name = "CODE", value_parser = parse_code)]
    deny: Vec<&'static Code>,
    /// Findings of one code that are shown; more are counted in one line (0: all)
    #[arg(long, value_name = "N", default_value_t = 8)]
    max: usize,
    /// Refused, with the reason
    #[arg(long, hide = true, value_parser = refuse_dump)]
    ram: Option<String>,
    #[command(flatten)]
    batch: BatchOptions,
    #[command(flatten)]
    loose: LooseOptions,
    #[command(flatten)]
    placing: PlacingOptions,
    #[command(flatten)]
    machine: MachineOptions,
    /// The vertices of an MDL [default: the .vvd beside the model]
    #[arg(long, value_name = "FILE", help_heading = "MDL")]
    vvd: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TargetChoice {
    Both,
    Dolphin,
    Console,
}

impl TargetChoice {
    const fn targets(self) -> &'static [Target] {
        match self {
            Self::Both => &[Target::Dolphin, Target::Console],
            Self::Dolphin => &[Target::Dolphin],
            Self::Console => &[Target::Console],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code-scanning services
    Sarif,
    /// Annotations of GitHub workflows
    Github,
}

fn parse_code(name: &str) -> Result<&'static Code, String> {
    all_codes().find(|code| code.name == name).ok_or_else(|| match similar(name) {
        Some(code) => format!("there is no such code; did you mean {}?", code.name),
        None => "there is no such code; docs/findings.md lists them".to_owned(),
    })
}

/// The code that shares most of its words with a mistyped one.
fn similar(name: &str) -> Option<&'static Code> {
    let shared =
        |code: &Code| name.split('-').filter(|word| code.name.split('-').any(|other| other == *word)).count();
    all_codes().max_by_key(|code| shared(code)).filter(|code| shared(code) > 0)
}

/// Runs the command.
///
/// # Errors
/// When a model cannot be read or is not one; the others are reported all the same.
pub fn run(args: &CheckArgs, given: &Given) -> CliResult {
    if let Some(code) = args.allow.iter().find(|code| args.deny.contains(code)) {
        let name = code.name;
        return Err(CliError(format!("--allow {name} and --deny {name}: want one of the two, have both")));
    }
    let paths = collect::models(&args.models)?;
    given.fit_files(paths.iter().map(PathBuf::as_path))?;
    let checker = Checker::new(args)?;
    let batch = args.batch.each(&paths, |path| checker.check(path))?;
    let unread = batch.failed(|path, error| Unread::new(path.display().to_string(), &error.0));
    let (reports, failures) = batch.split();
    let reports: Vec<ModelReport> = reports.into_iter().map(|(_, report)| report).collect();
    print(args.format, &reports, &unread);
    failures.into_result()?;
    let broken = reports.iter().any(|report| report.verdict == Verdict::Broken);
    Ok(if broken { Done::Findings } else { Done::Clean })
}

fn print(format: Format, reports: &[ModelReport], unread: &[Unread]) {
    match format {
        Format::Text => {
            for report in reports {
                crate::cli::emit(&text::report(report));
            }
        }
        Format::Json => print_json(&CheckReport::new(reports, unread)),
        Format::Sarif => print_json(&sarif::report(reports, unread)),
        Format::Github => crate::cli::emit_exactly(&github::report(reports, unread)),
    }
}

/// What every model is checked with.
struct Checker<'a> {
    args: &'a CheckArgs,
    donor: Option<ModelBytes>,
    lod_of: Option<ModelBytes>,
}

impl<'a> Checker<'a> {
    fn new(args: &'a CheckArgs) -> Result<Self, CliError> {
        let load = |path: &Option<PathBuf>| {
            path.as_ref()
                .map(|path| ModelBytes::load(Input::read(path)?, &LooseOptions::default()))
                .transpose()
        };
        Ok(Self { args, donor: load(&args.donor)?, lod_of: load(&args.lod_of)? })
    }

    fn check(&self, path: &Path) -> Result<ModelReport, CliError> {
        let input = Input::read(path)?;
        let name = input.name();
        let findings = self.findings(input)?;
        let findings = findings.into_iter().filter(|finding| !self.args.allow.contains(&finding.code));
        let deny = |finding: Finding| {
            if self.args.deny.contains(&finding.code) {
                finding.with_severity(Severity::Error)
            } else {
                finding
            }
        };
        Ok(ModelReport::new(name, findings.map(deny).collect()).folded(self.args.max))
    }

    /// Dispatches by content; each wing gives its findings.
    fn findings(&self, input: Input) -> Result<Vec<Finding>, CliError> {
        let error = |error| CliError::file(&input.path, error);
        match input.kind() {
            ModelKind::Flver => crate::flver::check(&input.bytes).map_err(error),
            ModelKind::Mdl => {
                let companions = Companions::of(&input.path, self.args.vvd.as_deref())?;
                let vtx = companions.vtx.as_ref().map(|input| &*input.bytes);
                let mut findings = crate::mdl::check(&input.bytes, companions.vvd_bytes(), vtx)
                    .map_err(|error| companions.refused(&input.path, error))?;
                name_files(&mut findings, &companions.files());
                Ok(findings)
            }
            ModelKind::Block | ModelKind::Gpl | ModelKind::Skn => self.c3_findings(input),
            ModelKind::Unknown => Err(input.not_a_model()),
        }
    }

    fn c3_findings(&self, input: Input) -> Result<Vec<Finding>, CliError> {
        let path = input.path.clone();
        let bytes = ModelBytes::load(input, &self.args.loose)?;
        let model = bytes.parse()?;
        let donor = self.donor.as_ref().map(ModelBytes::parse).transpose()?;
        let lod_of = self.lod_of.as_ref().map(ModelBytes::parse).transpose()?;
        let comparison = Comparison { donor: donor.as_ref(), lod_of: lod_of.as_ref() };
        let placement = self.args.placing.placement(&model);
        let switches = self.args.machine.run_options(TargetName::Dolphin, OnFaultName::Stop);
        let targets = self.args.target.targets();
        placed(&model, placement, &switches).map_err(|error| CliError::file(bytes.path(), error))?;
        let mut findings = check_on(&model, &comparison, placement, targets, &switches);
        name_files(&mut findings, &bytes.files(&path));
        Ok(findings)
    }
}

/// Whether the dry run can take place: without it harm would be passed over in silence. A model whose GPL or
/// SKN is missing has nothing to skin, and the rules say so.
fn placed(model: &Model, placement: Placement, switches: &RunOptions) -> Result<(), String> {
    let Ok(plan) = LoadPlan::placed(model, placement) else { return Ok(()) };
    let loose = placement.skn.filter(|_| model.block.is_none());
    let mut addresses = std::iter::once(placement.model).chain(loose);
    if let Some(address) = addresses.find(|address| !address.is_multiple_of(LINE)) {
        return Err(format!(
            "cannot be checked at {address:#010x}: want a multiple of {LINE} as the address, as the game's allocator gives"
        ));
    }
    plan.place(&mut Machine::new(switches.machine_config())).map_err(|error| error.to_string())
}
