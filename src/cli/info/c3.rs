//! `info` on a Character Pipeline model.

use crate::cli::input::Input;
use crate::cli::model::{LooseOptions, ModelBytes};
use crate::cli::{CliResult, Done};
use crate::report::info::c3::C3Info;

pub(super) fn run(input: Input, options: &LooseOptions, json: bool) -> CliResult {
    let name = input.name();
    let bytes = ModelBytes::load(input, options)?;
    let info = C3Info::new(name, &bytes.parse()?);
    if json {
        crate::cli::print_json(&info);
    } else {
        crate::cli::emit(&info.text());
    }
    Ok(Done::Clean)
}
