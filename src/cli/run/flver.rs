//! `run` on a FLVER.

use std::io::Write;
use std::path::Path;

use clap::{Args, ValueEnum};

use crate::cli::input::Input;
use crate::cli::{CliError, CliResult, Done};
use crate::finding::{ModelReport, Severity};
use crate::flver::format::Flver;
use crate::flver::format::vertices::ShortWeights;
use crate::flver::rules;
use crate::flver::runtime::hierarchy::ScaleRule;
use crate::flver::runtime::options::{DummyFollow, RigidPalette, RigidRule, StreamOrder};
use crate::flver::runtime::pose::Pose;
use crate::flver::runtime::{self, Options};
use crate::report::flver::frame;
use crate::report::text;

use super::PoseChoice;

/// Options that only concern FLVER models.
#[derive(Debug, Args)]
#[command(next_help_heading = "FLVER")]
pub struct FlverOptions {
    /// Pose of the frame before, for previous positions and motion vectors [default: the frame's own pose]
    #[arg(long, value_name = "rest|FILE.json")]
    previous_pose: Option<PoseChoice>,
    /// Compose nodes by the community importer's rule: a scale stays with the node that has it
    #[arg(long)]
    no_inherit_scale: bool,
    /// What names the bone of a static vertex
    #[arg(long, value_enum, default_value_t)]
    rigid: RigidArgument,
    /// Whether a static vertex' normal W goes through a palette (open)
    #[arg(long, value_enum, default_value_t)]
    rigid_palette: RigidPaletteArgument,
    /// Which of a mesh's two position streams is bound as the current frame's
    #[arg(long, value_enum, default_value_t)]
    stream_order: StreamOrderArgument,
    /// Which node a posed dummy point follows
    #[arg(long, value_enum, default_value_t)]
    dummy_follow: DummyFollowArgument,
    /// How weights of type 0x16 are read (open)
    #[arg(long, value_enum, default_value_t)]
    short_weights: ShortWeightsArgument,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum RigidArgument {
    /// Bone index 0 without weights, else the normal's W, else `NodeIndex`, else as stored
    #[default]
    Auto,
    /// The mesh's `NodeIndex` alone
    NodeIndex,
    /// No bone: vertices as stored
    Stored,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum RigidPaletteArgument {
    /// W is a node's number
    #[default]
    Raw,
    /// W is an entry of the palette, where it lies inside
    Palette,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum StreamOrderArgument {
    /// The first stream is the current one (the programs' intent; every observed Elden Ring cloth draw)
    #[default]
    CurrentFirst,
    /// The second is (282 of 315 observed Sekiro draws bind the newer positions last)
    PreviousFirst,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum DummyFollowArgument {
    /// The attach bone where it is set, else the parent
    #[default]
    Attach,
    /// Always the parent
    Parent,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ShortWeightsArgument {
    /// Signed, divided by 32767
    #[default]
    Signed,
    /// Sign bit flipped, divided by 65535
    Flipped,
}

impl FlverOptions {
    /// The runtime's options for a model.
    pub(in crate::cli) fn options(&self, pose: &PoseChoice, flver: &Flver) -> Result<Options, CliError> {
        Ok(Options {
            pose: read_pose(pose, flver)?,
            previous_pose: match &self.previous_pose {
                Some(PoseChoice::Rest) => Some(Pose::default()),
                Some(choice @ PoseChoice::File(_)) => read_pose(choice, flver)?,
                None => None,
            },
            scale: if self.no_inherit_scale { ScaleRule::OwnOnly } else { ScaleRule::Inherited },
            rigid: match self.rigid {
                RigidArgument::Auto => RigidRule::Auto,
                RigidArgument::NodeIndex => RigidRule::NodeIndex,
                RigidArgument::Stored => RigidRule::Stored,
            },
            rigid_palette: match self.rigid_palette {
                RigidPaletteArgument::Raw => RigidPalette::Raw,
                RigidPaletteArgument::Palette => RigidPalette::Palette,
            },
            streams: match self.stream_order {
                StreamOrderArgument::CurrentFirst => StreamOrder::CurrentFirst,
                StreamOrderArgument::PreviousFirst => StreamOrder::PreviousFirst,
            },
            dummies: match self.dummy_follow {
                DummyFollowArgument::Attach => DummyFollow::Attach,
                DummyFollowArgument::Parent => DummyFollow::Parent,
            },
            short_weights: match self.short_weights {
                ShortWeightsArgument::Signed => ShortWeights::Signed,
                ShortWeightsArgument::Flipped => ShortWeights::Flipped,
            },
        })
    }
}

/// Reads a pose and tries it on the nodes, so that an error names the pose file.
fn read_pose(choice: &PoseChoice, flver: &Flver) -> Result<Option<Pose>, CliError> {
    let PoseChoice::File(path) = choice else { return Ok(None) };
    let text = std::fs::read(path).map_err(|error| CliError::file(path, error))?;
    let pose = Pose::from_json(&text).map_err(|error| CliError::file(path, error))?;
    pose.overrides(&flver.nodes).map_err(|error| CliError::file(path, error))?;
    Ok(Some(pose))
}

pub(super) fn run(input: &Input, pose: &PoseChoice, options: &FlverOptions, json: bool) -> CliResult {
    let unread = |error| CliError::file(&input.path, error);
    let flver = Flver::parse(&input.bytes).map_err(unread)?;
    let options = options.options(pose, &flver)?;
    let mut outcome = runtime::run(&input.name(), &flver, &options).map_err(unread)?;
    outcome.findings = rules::with_those_of_the_file(&flver, &outcome);
    let broken = outcome.findings.iter().any(|finding| finding.severity == Severity::Error);
    if json {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        serde_json::to_writer(&mut out, &outcome).map_err(unwritten)?;
        writeln!(out).and_then(|()| out.flush()).map_err(unwritten)?;
    } else {
        crate::cli::emit(&frame::outcome(&outcome));
        crate::cli::emit(&text::report(&ModelReport::new(outcome.model, outcome.findings)));
    }
    Ok(if broken { Done::Findings } else { Done::Clean })
}

fn unwritten(error: impl std::fmt::Display) -> CliError {
    CliError::file(Path::new("standard output"), error)
}
