//! `info` on a MDL.

use crate::cli::companions::Companions;
use crate::cli::input::Input;
use crate::cli::{CliError, CliResult, Done, print_json};
use crate::mdl::format::Mdl;
use crate::mdl::format::vvd::Vvd;
use crate::report::mdl::info::{MdlInfo, text};

pub(super) fn run(input: &Input, json: bool) -> CliResult {
    let mdl = Mdl::read(&input.bytes).map_err(|error| CliError::file(&input.path, error))?;
    let companions = Companions::of(&input.path, None)?;
    let vvd = match &companions.vvd {
        Some(vvd) => Some(Vvd::read(&vvd.bytes).map_err(|error| CliError::file(&vvd.path, error))?),
        None => None,
    };
    let info = MdlInfo::new(input.name(), &mdl, vvd.as_ref());
    if json {
        print_json(&info);
    } else {
        crate::cli::emit(&text(&info));
    }
    Ok(Done::Clean)
}
