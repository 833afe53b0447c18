//! `skinsim run`: executes what the game does to a model and says what happened.

use std::path::PathBuf;

use clap::Args;

use super::CliResult;
use super::given::Given;
use super::input::{Input, ModelKind};

mod c3;
pub(super) mod flver;
pub(super) mod mdl;

/// Arguments of `run`. Options of one format are grouped under its heading.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim run patched.block
  skinsim run patched.block --frames 3 --target console --json
  skinsim run patched.block --anim walk.anm:0@0.35 --fps 60 --frames 30
  skinsim run patched.block --engine cpu --dol main.dol --map game.map
  skinsim run c0000.flver --pose crouch.json --previous-pose rest --json
  skinsim run face.mdl --set smile=1 --pose nod.json --json
  skinsim run hero.gpl --console gamecube --matrices pose.json --dump 0x80400000:0x1000:after.bin
  skinsim run --ram 0x80000000:mem1.raw --ram 0x90000000:mem2.raw --actor-at 0x80c01234

Exit status: 0 done, no fault; 1 a fault or an error-level finding; 2 the model could not be read, placed or
posed (the frames before a tick that failed are still told).")]
pub struct RunArgs {
    /// The model: a block, .gpl, .flver or .mdl (`-` for standard input)
    #[arg(required_unless_present = "ram", conflicts_with = "ram")]
    model: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// The pose: `rest` (the skeleton's; see also --anim), or (FLVER, MDL) a file of other transforms of nodes or bones; a file of that name is `./rest`
    #[arg(long, value_name = "rest|FILE.json", default_value = "rest")]
    pose: PoseChoice,
    /// Skin matrices, one a bone: JSON with a key `skin_matrices` [default: the rest pose]
    #[arg(long, value_name = "FILE")]
    matrices: Option<PathBuf>,
    #[command(flatten)]
    c3: c3::C3Options,
    #[command(flatten)]
    flver: flver::FlverOptions,
    #[command(flatten)]
    mdl: mdl::MdlOptions,
}

/// What `--pose` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum PoseChoice {
    /// The model's own rest (bind) pose.
    Rest,
    /// A pose file.
    File(PathBuf),
}

impl std::str::FromStr for PoseChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "rest" { Self::Rest } else { Self::File(PathBuf::from(text)) })
    }
}

/// Runs the command.
///
/// # Errors
/// When the model cannot be read or is not one.
pub fn run(args: &RunArgs, given: &Given) -> CliResult {
    let Some(model) = &args.model else {
        given.refuse_all_but(
            RAM_TAKES,
            "a memory dump has the model in its place and posed; want it without --ram",
        )?;
        return c3::run_dump(&args.c3, args.json);
    };
    let input = Input::read(model)?;
    given.fit(&[(model, input.kind())])?;
    let matrices = args.matrices.as_deref();
    match input.kind() {
        ModelKind::Flver => flver::run(&input, &args.pose, &args.flver, args.json),
        ModelKind::Mdl => mdl::run(&input, &args.mdl, &args.pose, matrices, (args.json, given)),
        ModelKind::Block | ModelKind::Gpl | ModelKind::Skn => {
            c3::run(input, &args.c3, matrices, (args.json, given))
        }
        ModelKind::Unknown => Err(input.not_a_model()),
    }
}

/// Options that mean something for a memory dump.
const RAM_TAKES: &[&str] = &[
    "ram",
    "skn_at",
    "bones_at",
    "positions_at",
    "actor_at",
    "dump",
    "frames",
    "target",
    "on_fault",
    "dma",
    "console",
    "dolphin",
    "lc_bat",
    "memory_bats",
    "rounding",
    "nan_store",
    "clear",
    "game",
    "budget",
];
