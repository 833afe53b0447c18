//! `export` of a Character Pipeline model.

use super::Frames;
use crate::c3::format::anm::Anm;
use crate::c3::mesh::Topology;
use crate::c3::outcome::Outcome;
use crate::cli::CliError;
use crate::cli::input::Input;
use crate::cli::model::ModelBytes;
use crate::cli::posed::PosedOptions;
use crate::rigged::Rigged;

/// Bytes that the frames of one export may take in memory.
const MOST_BYTES: u64 = 1 << 30;

/// Frames of a sequence that are sampled unless --frames says how many: ten minutes.
const MOST_FRAMES: u32 = 36_000;

pub(super) fn frames(input: Input, options: &PosedOptions, last: bool) -> Result<Frames, CliError> {
    let bytes = ModelBytes::load(input, &options.c3.loose)?;
    let model = bytes.parse()?;
    let refused = |error| CliError::file(bytes.path(), error);
    let topology = Topology::of(&model);
    let plan = options.c3.plan(&model).map_err(refused)?;
    let poses = options.c3.poses(&bytes, &model, options.matrices.as_deref())?;
    let (mut meshes, mut size) = (Vec::new(), 0);
    let outcome = Outcome::run_observed(&model, plan, options.c3.run_options(), poses, |outcome| {
        if size <= MOST_BYTES && !last {
            let mesh = topology.mesh(outcome);
            size += mesh.positions.len() as u64 * 24 + mesh.triangles().count() as u64 * 36;
            meshes.push(mesh);
        }
    })
    .map_err(refused)?;
    if size > MOST_BYTES {
        let text = format!("want frames that take less than 1 GiB, have more after {}", meshes.len());
        return Err(CliError::file(bytes.path(), text));
    }
    if let Some(error) = &outcome.pose_error {
        let (pose, frame) = (&outcome.pose_name, outcome.simulation.frames());
        return Err(CliError(format!("{pose}: frame {frame}: {error}")));
    }
    let none_ran = outcome.simulation.frames() == 0;
    if last || meshes.is_empty() {
        meshes = vec![topology.mesh(&outcome)];
    }
    Ok(Frames {
        meshes,
        pose: outcome.pose_name.clone(),
        none_ran,
        faults: outcome.all_journals().map(|journal| journal.fault_count).sum(),
        notes: Vec::new(),
    })
}

pub(super) fn rigged(input: Input, options: &PosedOptions) -> Result<Rigged, CliError> {
    let bytes = ModelBytes::load(input, &options.c3.loose)?;
    let model = bytes.parse()?;
    let rig = options.c3.animation.rig();
    let mut out =
        crate::c3::rigged::rigged(&model, &rig).map_err(|error| CliError::file(bytes.path(), error))?;
    let Some(animation) = options.c3.animation.animation(bytes.bank())? else { return Ok(out) };
    let refused = |error: &dyn std::fmt::Display| CliError::file(&animation.input.path, error);
    let actor = rig.actor(&model).map_err(|error| CliError::file(bytes.skeleton_path(), error))?;
    let actor =
        actor.ok_or_else(|| CliError::file(bytes.path(), "--anim: want a skeleton (ACT), have none"))?;
    let anm = Anm::parse(&animation.input.bytes).map_err(|error| refused(&error))?;
    let frames = match options.c3.animation.frames {
        1 => whole(anm.sequence_length(animation.sequence), animation.play.speed),
        frames => frames,
    };
    let player = animation.player(actor)?;
    let name = animation.name();
    let animation = crate::c3::rigged::animation(name, player, frames).map_err(|error| refused(&error))?;
    out.animations.push(animation);
    Ok(out)
}

/// How many frames go once through a sequence of this length, its end included.
fn whole(time: f32, speed: f32) -> u32 {
    let frames = (time / speed).abs();
    // A rate such as 1/60 has no exact float: what is a frame but for that counts as one.
    if frames.is_finite() { ((frames + 1e-3) as u32).saturating_add(1).min(MOST_FRAMES) } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_sampled_once_through() {
        assert_eq!(whole(69.0, 1.0), 70);
        assert_eq!(whole(1.0, 1.0 / 60.0), 61);
        assert_eq!((whole(1.0, 0.0), whole(f32::NAN, 1.0), whole(1e30, 1.0)), (1, 1, MOST_FRAMES));
    }
}
