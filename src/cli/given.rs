//! Which options were given, and whether a model takes them: an option that would change nothing is refused,
//! not ignored.
//!
//! The headings under which `--help` lists options say whose they are; so do they here. Of many models it is
//! enough when one takes an option.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::CliError;
use super::input::{Input, ModelKind};

/// The options on the command line.
#[derive(Debug, Default)]
pub struct Given {
    options: Vec<Typed>,
}

/// An option on the command line.
#[derive(Debug)]
struct Typed {
    id: String,
    /// As it is typed: `--target`.
    name: String,
    /// Its values as they were typed; none of a switch.
    values: Vec<OsString>,
    takers: Takers,
}

/// Models that an option means something for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takers {
    Any,
    C3,
    Loose,
    Flver,
    Mdl,
    C3OrMdl,
    FlverOrMdl,
}

impl Takers {
    /// By the heading in `--help`, and finer for what only blocks or loose files have.
    fn of(heading: &str, id: &str, is_default: bool) -> Self {
        match (heading, id) {
            (_, "pose" | "frames") if is_default => Self::Any,
            (_, "pose") => Self::FlverOrMdl,
            (_, "matrices") => Self::C3OrMdl,
            (_, "gpl" | "skn" | "act" | "gpl_address" | "skn_address") => Self::Loose,
            (heading, _) if heading.contains("Wii)") || heading == "GameCube / Wii" => Self::C3,
            ("FLVER", _) => Self::Flver,
            ("MDL", _) => Self::Mdl,
            _ => Self::Any,
        }
    }

    fn takes(self, kind: ModelKind) -> bool {
        let loose = matches!(kind, ModelKind::Gpl | ModelKind::Skn);
        let c3 = loose || kind == ModelKind::Block;
        match self {
            Self::Any => true,
            Self::C3 => c3,
            Self::Loose => loose,
            Self::Flver => kind == ModelKind::Flver,
            Self::Mdl => kind == ModelKind::Mdl,
            Self::C3OrMdl => c3 || kind == ModelKind::Mdl,
            Self::FlverOrMdl => matches!(kind, ModelKind::Flver | ModelKind::Mdl),
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Any => "a model",
            Self::C3 => "a GameCube or Wii model",
            Self::Loose => "loose files of a GameCube or Wii model",
            Self::Flver => "a FLVER",
            Self::Mdl => "an MDL",
            Self::C3OrMdl => "a GameCube or Wii model or an MDL",
            Self::FlverOrMdl => "a FLVER or an MDL",
        }
    }
}

/// An option and its value as words; one that begins with a hyphen would be taken for an option by itself.
fn with_value(name: &OsString, value: &OsString) -> Vec<OsString> {
    if !value.as_encoded_bytes().starts_with(b"-") {
        return vec![name.clone(), value.clone()];
    }
    let mut joined = name.clone();
    joined.push("=");
    joined.push(value);
    vec![joined]
}

impl Given {
    /// The options of the (sub)command that was called.
    pub fn of(mut command: &clap::Command, mut matches: &ArgMatches) -> Self {
        while let Some((name, inner)) = matches.subcommand() {
            let Some(sub) = command.find_subcommand(name) else { break };
            (command, matches) = (sub, inner);
        }
        let typed = command.get_arguments().filter(|arg| {
            let given = matches.ids().any(|id| id == arg.get_id());
            given && matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
        });
        let option = |arg: &clap::Arg| {
            let (id, long) = (arg.get_id().as_str(), arg.get_long()?);
            // What every model does anyway may be said of each.
            let default = if id == "pose" { "rest" } else { "1" };
            let is_default = matches.get_raw(id).is_some_and(|mut raw| raw.all(|raw| raw == default));
            let takers = Takers::of(arg.get_help_heading().unwrap_or_default(), id, is_default);
            let values = if arg.get_action().takes_values() { matches.get_raw(id) } else { None };
            let values = values.into_iter().flatten().map(OsStr::to_owned).collect();
            Some(Typed { id: id.to_owned(), name: format!("--{long}"), values, takers })
        };
        Self { options: typed.filter_map(option).collect() }
    }

    /// What was given that a command takes too and that says which model is meant, where it lies, and on which
    /// machine it runs; not the target, of which one command has more than another.
    pub fn shared_with(&self, command: &clap::Command) -> Vec<OsString> {
        let takes = |option: &&Typed| command.get_arguments().any(|arg| arg.get_id().as_str() == option.id);
        let of_model = |option: &&Typed| option.takers != Takers::Any && option.id != "target";
        let shared = self.options.iter().filter(takes).filter(of_model);
        let words = |option: &Typed| -> Vec<OsString> {
            let name = OsString::from(&option.name);
            match &option.values[..] {
                [] => vec![name],
                values => values.iter().flat_map(|value| with_value(&name, value)).collect(),
            }
        };
        shared.flat_map(words).collect()
    }

    /// Refuses options that none of the models takes. Files that are no models have errors of their own.
    ///
    /// # Errors
    /// When there is one.
    pub fn fit(&self, models: &[(&Path, ModelKind)]) -> Result<(), CliError> {
        let known = || models.iter().filter(|(_, kind)| *kind != ModelKind::Unknown);
        let Some((first, kind)) = known().next() else { return Ok(()) };
        let misfit = |option: &&Typed| !known().any(|(_, kind)| option.takers.takes(*kind));
        let Some(Typed { name, takers, .. }) = self.options.iter().find(misfit) else { return Ok(()) };
        let want = takers.words();
        let text = match known().count() {
            1 => return Err(CliError::file(first, format!("{name}: want {want}, have {}", kind.words()))),
            count => format!("{name}: want {want}, have none among {count} models"),
        };
        Err(CliError(text))
    }

    /// The same for files that are yet to be read. Standard input is left to [`Given::fit`].
    ///
    /// # Errors
    /// When there is an option that none of them takes.
    pub fn fit_files<'a>(&self, files: impl IntoIterator<Item = &'a Path>) -> Result<(), CliError> {
        let kind = |path: &Path| Input::read_start(path).map_or(ModelKind::Unknown, |input| input.kind());
        let files = files.into_iter().filter(|path| path.as_os_str() != "-");
        let models: Vec<(&Path, ModelKind)> = files.map(|path| (path, kind(path))).collect();
        self.fit(&models)
    }

    /// Refuses options that mean nothing beside another one, which `why` names.
    ///
    /// # Errors
    /// When one of them was given.
    pub fn refuse(&self, ids: &[&str], why: &str) -> Result<(), CliError> {
        match self.options.iter().find(|option| ids.contains(&option.id.as_str())) {
            Some(option) => Err(CliError(format!("{}: {why}", option.name))),
            None => Ok(()),
        }
    }

    /// Refuses every option of a format but those named, for what takes only these; `why` says what.
    ///
    /// # Errors
    /// When one was given.
    pub fn refuse_all_but(&self, ids: &[&str], why: &str) -> Result<(), CliError> {
        let of_model = |option: &&Typed| option.takers != Takers::Any && !ids.contains(&option.id.as_str());
        match self.options.iter().find(of_model) {
            Some(option) => Err(CliError(format!("{}: {why}", option.name))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, FromArgMatches};

    use super::*;

    fn given(arguments: &[&str]) -> Given {
        let mut command = crate::cli::Cli::command();
        command.build();
        let matches = command.clone().try_get_matches_from([&["skinsim"], arguments].concat()).unwrap();
        crate::cli::Cli::from_arg_matches(&matches).unwrap();
        Given::of(&command, &matches)
    }

    fn refusal(arguments: &[&str], kinds: &[ModelKind]) -> Option<String> {
        let models: Vec<_> = kinds.iter().map(|&kind| (Path::new("m"), kind)).collect();
        given(arguments).fit(&models).err().map(|error| error.0)
    }

    #[test]
    fn an_option_belongs_to_the_formats_of_its_heading() {
        use ModelKind::{Block, Flver, Gpl, Mdl, Unknown};
        let foreign = [
            ("--target=console", &[Block, Gpl][..]),
            ("--on-fault=continue", &[Block, Gpl]),
            ("--frames=2", &[Block, Gpl]),
            ("--anim=x.anm", &[Block, Gpl]),
            ("--face=1=1", &[Block, Gpl]),
            ("--console=wii", &[Block, Gpl]),
            ("--address=0", &[Block, Gpl]),
            ("--bone-order=table", &[Block, Gpl]),
            ("--anm=x", &[Block, Gpl]),
            ("--act=x", &[Gpl]),
            ("--skn-address=0", &[Gpl]),
            ("--matrices=x", &[Block, Gpl, Mdl]),
            ("--pose=x", &[Flver, Mdl]),
            ("--rigid=stored", &[Flver]),
            ("--no-inherit-scale", &[Flver]),
            ("--set=a=1", &[Mdl]),
            ("--normalized", &[Mdl]),
            ("--lod=1", &[Mdl]),
            ("--pose=rest", &[Block, Gpl, Flver, Mdl]),
            ("--frames=1", &[Block, Gpl, Flver, Mdl]),
            ("--json", &[Block, Gpl, Flver, Mdl]),
        ];
        for (option, takers) in foreign {
            for kind in [Block, Gpl, Flver, Mdl] {
                let refused = refusal(&["run", "m", option], &[kind]);
                assert_eq!(refused.is_none(), takers.contains(&kind), "{option} {kind:?}: {refused:?}");
            }
            assert!(refusal(&["run", "m", option], &[Unknown]).is_none(), "{option}");
        }
    }

    #[test]
    fn of_many_models_one_is_enough() {
        use ModelKind::{Flver, Mdl, Unknown};
        let arguments = ["snapshot", "take", "m", "--dir=d", "--set=a=1"];
        assert_eq!(refusal(&arguments, &[Flver, Mdl]), None);
        assert_eq!(
            refusal(&arguments, &[Flver, Unknown, Flver]).as_deref(),
            Some("--set: want an MDL, have none among 2 models")
        );
        assert_eq!(refusal(&arguments, &[Flver]).as_deref(), Some("m: --set: want an MDL, have a FLVER"));
    }

    #[test]
    fn every_option_of_a_format_is_under_a_heading_that_is_known() {
        let mut command = crate::cli::Cli::command();
        command.build();
        let known = ["Many models", "Global", "Options", ""];
        for sub in ["run", "check", "export", "diff", "report"] {
            for arg in command.find_subcommand(sub).unwrap().get_arguments() {
                let heading = arg.get_help_heading().unwrap_or_default();
                let takers = Takers::of(heading, arg.get_id().as_str(), false);
                assert!(takers != Takers::Any || known.contains(&heading), "{sub}: {arg} under {heading}");
            }
        }
    }
}
