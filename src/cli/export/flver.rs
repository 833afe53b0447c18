//! `export` of a FLVER.

use super::{Frames, POINTS};
use crate::cli::CliError;
use crate::cli::input::Input;
use crate::cli::posed::PosedOptions;
use crate::cli::run::PoseChoice;
use crate::flver::format::Flver;
use crate::flver::runtime;
use crate::rigged::Rigged;

pub(super) fn frames(input: &Input, options: &PosedOptions) -> Result<Frames, CliError> {
    let refused = |error| CliError::file(&input.path, error);
    let flver = Flver::parse(&input.bytes).map_err(refused)?;
    let chosen = options.flver.options(&options.pose, &flver)?;
    let mesh = runtime::mesh(&input.name(), &flver, &chosen).map_err(refused)?;
    let notes = if mesh.triangles().next().is_none() { vec![POINTS.to_owned()] } else { Vec::new() };
    Ok(Frames { meshes: vec![mesh], pose: options.pose_name(), none_ran: false, faults: 0, notes })
}

pub(super) fn rigged(input: &Input, options: &PosedOptions) -> Result<Rigged, CliError> {
    let refused = |error| CliError::file(&input.path, error);
    let flver = Flver::parse(&input.bytes).map_err(refused)?;
    let chosen = options.flver.options(&PoseChoice::Rest, &flver)?;
    runtime::rigged::rigged(&input.name(), &flver, &chosen).map_err(refused)
}
