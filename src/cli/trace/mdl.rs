//! `trace` on a MDL: the stack machine of its flex rules.

use clap::Args;

use super::Sink;
use crate::cli::controllers::ControllerOptions;
use crate::cli::input::Input;
use crate::cli::{CliError, CliResult, Done};
use crate::mdl::format::Mdl;
use crate::report::mdl::trace::{MdlTrace, text};

/// Options that only concern MDL models.
#[derive(Debug, Args)]
#[command(next_help_heading = "MDL")]
pub struct MdlTraceOptions {
    #[command(flatten)]
    controllers: ControllerOptions,
    /// Only this rule, by its place in the file (repeatable)
    #[arg(long, value_name = "N")]
    rule: Vec<usize>,
    /// Only rules that set this flexdesc (repeatable)
    #[arg(long, value_name = "NAME")]
    flexdesc: Vec<String>,
}

impl MdlTraceOptions {
    /// Whether a rule is asked for; all are when none is named.
    fn wants(&self, mdl: &Mdl, rule: usize) -> bool {
        let desc = usize::try_from(mdl.rules[rule].flexdesc).ok().and_then(|at| mdl.flexdescs.get(at));
        let named = |name: &String| desc.is_some_and(|desc| desc.name.eq_ignore_ascii_case(name));
        self.rule.is_empty() && self.flexdesc.is_empty()
            || self.rule.contains(&rule)
            || self.flexdesc.iter().any(named)
    }

    /// Says so when something named is not in the model.
    fn check(&self, mdl: &Mdl) -> Result<(), CliError> {
        let count = mdl.rules.len();
        if let Some(rule) = self.rule.iter().find(|&&rule| rule >= count) {
            return Err(CliError(format!("--rule: want a rule below {count}, have {rule}")));
        }
        let known = |name: &String| mdl.flexdescs.iter().any(|desc| desc.name.eq_ignore_ascii_case(name));
        match self.flexdesc.iter().find(|name| !known(name)) {
            Some(name) => Err(CliError(format!("--flexdesc: the model has no flexdesc named '{name}'"))),
            None => Ok(()),
        }
    }
}

pub(super) fn run(input: &Input, options: &MdlTraceOptions, sink: &Sink) -> CliResult {
    let mdl = Mdl::read(&input.bytes).map_err(|error| CliError::file(&input.path, error))?;
    options.check(&mdl)?;
    options.controllers.refuse_idle(false)?;
    let values = options.controllers.values(&mdl)?;
    let machine = (options.controllers.sdk(), options.controllers.count_check());
    let trace = MdlTrace::new(input.name(), &mdl, &values, machine, |rule| options.wants(&mdl, rule));
    sink.write(&trace, text)?;
    Ok(Done::Clean)
}
