//! `export` of a MDL.

use super::Frames;
use crate::cli::CliError;
use crate::cli::companions::Companions;
use crate::cli::input::Input;
use crate::cli::posed::PosedOptions;
use crate::mdl::Options;
use crate::rigged::Rigged;

pub(super) fn frames(input: &Input, options: &PosedOptions) -> Result<Frames, CliError> {
    let (companions, chosen) = options.mdl(input)?;
    let mesh = crate::mdl::mesh(&input.bytes, companions.vvd_bytes(), &chosen);
    let mesh = mesh.map_err(|error| CliError::file(&input.path, error))?;
    Ok(Frames {
        meshes: vec![mesh],
        pose: options.pose_name(),
        none_ran: false,
        faults: 0,
        notes: notes(&companions, &chosen),
    })
}

pub(super) fn rigged(input: &Input, options: &PosedOptions) -> Result<Rigged, CliError> {
    let (companions, chosen) = options.mdl(input)?;
    let model = crate::mdl::rigged(&input.bytes, companions.vvd_bytes(), &chosen);
    model.map_err(|error| CliError::file(&input.path, error))
}

fn notes(companions: &Companions, options: &Options) -> Vec<String> {
    match &companions.vtx {
        None => {
            vec!["no triangles: want the .vtx beside the model, have none; the file holds points".to_owned()]
        }
        Some(_) if options.lod > 0 => {
            vec![
                "no triangles: a .vtx is read at the finest level of detail; the file holds points"
                    .to_owned(),
            ]
        }
        Some(_) => Vec::new(),
    }
}
