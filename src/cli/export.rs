//! `skinsim export`: the skinned mesh as a file that other programs open.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::batch::BatchOptions;
use super::given::Given;
use super::input::Input;
use super::posed::{PosedOptions, Wing};
use super::{CliError, CliResult, Done, collect, emit, naming, output, print_json};
use crate::export::{gltf, obj};
use crate::mesh::Mesh;
use crate::report::export::{ExportReport, ExportedFile};
use crate::report::words::counted;
use crate::rigged::Rigged;

mod c3;
mod flver;
mod mdl;

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim export patched.block -o patched.glb
  skinsim export patched.block --anim walk.anm --frames 60 -o walk.glb
  skinsim export patched.block --rigged --anim walk.anm -o patched.glb
  skinsim export face.mdl --set smile=1 -o smile.obj
  skinsim export models/ --dir meshes/ --format obj

Vertex n of the mesh is vertex n of the file: of a block's skinned submesh that is slot n of its position array,
as findings count them. A .glb of several frames holds the first and a morph target for every other, with an
animation through them; an .obj holds the last. Materials carry their names; textures are not exported, and of
facial poses (--face) what they do to the frame, not the shapes.

Exit status: 0 written; 1 written, and the frames had a fault or numbers that are not finite; 2 a model could not be read, placed, posed or
written.")]
pub struct ExportArgs {
    /// Models: a block, .gpl, .flver or .mdl; of folders, which need --dir, every model below them
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// The file to write (`-` for standard output)
    #[arg(short, long, value_name = "FILE", required_unless_present = "dir", conflicts_with = "dir")]
    output: Option<PathBuf>,
    /// The folder to write to: a file a model, named after its path below --root
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Where the paths of models begin that files in --dir are named after [default: the current folder]
    #[arg(long, value_name = "DIR", requires = "dir")]
    root: Option<PathBuf>,
    /// What to write [default: by the ending of --output, glb in --dir]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The model before any frame, with skeleton, weights and shapes, and the sequence that --anim names:
    /// all of it, or --frames of it
    #[arg(long)]
    rigged: bool,
    /// Only the last frame
    #[arg(long, conflicts_with = "rigged")]
    last: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    batch: BatchOptions,
    #[command(flatten)]
    posed: PosedOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// glTF 2.0 binary
    Glb,
    /// Wavefront OBJ
    Obj,
}

/// The frames of a model.
struct Frames {
    meshes: Vec<Mesh>,
    pose: String,
    /// The mesh is the model as it is loaded.
    none_ran: bool,
    faults: u64,
    notes: Vec<String>,
}

impl Frames {
    /// Positions and normals that are not finite, which no format can hold: they become zeros, and count as faults.
    fn tell_what_is_not_finite(&mut self) {
        let Some(mesh) = self.meshes.last() else { return };
        let finite =
            |lanes: Option<&[f32; 3]>| lanes.is_none_or(|lanes| lanes.iter().all(|lane| lane.is_finite()));
        let strange = |at: &usize| !(finite(mesh.positions.get(*at)) && finite(mesh.normals.get(*at)));
        let mut found = (0..mesh.positions.len()).filter(strange);
        let Some(first) = found.next() else { return };
        let count = found.count() + 1;
        let names =
            |part: &&crate::mesh::MeshPart| part.triangles.iter().flatten().any(|&at| at as usize == first);
        let part = mesh.parts.iter().find(names).map_or(mesh.name.as_str(), |part| part.name.as_str());
        self.notes.push(format!(
            "vertex {first} ({part}) is not finite, {count} in all: zeros stand in their place, which are not the model's"
        ));
        self.faults += count as u64;
    }
}

/// Options of what a mesh does not show.
const NOT_IN_A_MESH: &[&str] = &["previous_pose", "dummy_follow"];

/// Options that mean something for a model before any frame.
const RIGGED_TAKES: &[&str] = &[
    "gpl",
    "skn",
    "act",
    "anm",
    "frames",
    "anim",
    "time",
    "speed",
    "fps",
    "bone_order",
    "ease",
    "world_control",
    "library",
    "no_inherit_scale",
    "rigid",
    "rigid_palette",
    "stream_order",
    "short_weights",
    "delta",
    "vvd",
    "body",
    "lod",
];

/// Runs the command.
///
/// # Errors
/// When a model cannot be read, placed or posed, or a file cannot be written; the others are written all
/// the same.
pub fn run(args: &ExportArgs, given: &Given) -> CliResult {
    let models = match &args.output {
        Some(_) => args.models.clone(),
        None => collect::models(&args.models)?,
    };
    if let (Some(output), true) = (&args.output, models.len() > 1) {
        let text = format!("want one model for one file, have {}; --dir DIR takes many", models.len());
        return Err(CliError::file(output, text));
    }
    let format = args.format()?;
    args.refuse_what_means_nothing(given)?;
    given.fit_files(models.iter().map(PathBuf::as_path))?;
    if args.dir.is_some() {
        naming::apart(&models, |path| args.file(path, format))?;
    }
    let (files, failures) = args.batch.each(&models, |path| args.export(path, format, given))?.split();
    let report = ExportReport::new(files.into_iter().map(|(_, file)| file).collect());
    if args.output.as_deref() != Some(Path::new("-")) {
        if args.json { print_json(&report) } else { emit(&report.text()) }
    }
    failures.into_result()?;
    let faults = report.files.iter().any(|file| file.faults > 0);
    Ok(if faults { Done::Findings } else { Done::Clean })
}

impl ExportArgs {
    fn format(&self) -> Result<Format, CliError> {
        let Some(output) = &self.output else { return Ok(self.format.unwrap_or(Format::Glb)) };
        let ending = output.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        let format = match (self.format, ending.as_deref().and_then(std::ffi::OsStr::to_str)) {
            (Some(format), _) => format,
            (None, Some("glb")) => Format::Glb,
            (None, Some("obj")) => Format::Obj,
            (None, Some("gltf")) => {
                return Err(CliError::file(output, "want .glb, which is one file, or .obj; have .gltf"));
            }
            (None, _) => {
                return Err(CliError::file(output, "want a name ending in .glb or .obj, or --format"));
            }
        };
        if format == Format::Obj && self.rigged {
            return Err(CliError::file(output, "--rigged: an .obj has no skeleton; want .glb"));
        }
        Ok(format)
    }

    /// The options that no export takes, or none before any frame.
    fn refuse_what_means_nothing(&self, given: &Given) -> Result<(), CliError> {
        given.refuse(NOT_IN_A_MESH, "a mesh does not hold what it chooses")?;
        if !self.rigged {
            return Ok(());
        }
        given.refuse_all_but(RIGGED_TAKES, "with --rigged no frame runs; want it without --rigged")?;
        if self.posed.c3.animation.anim.is_none() {
            given.refuse(&["frames"], "with --rigged it counts frames of --anim, have no --anim")?;
        }
        Ok(())
    }

    /// The file that a model goes to.
    fn file(&self, path: &Path, format: Format) -> Result<PathBuf, CliError> {
        match &self.dir {
            Some(folder) => {
                let ending = if format == Format::Glb { "glb" } else { "obj" };
                naming::beside(folder, self.root.as_deref(), path, ending)
            }
            None => Ok(self.output.clone().unwrap_or_else(|| "-".into())),
        }
    }

    fn export(&self, path: &Path, format: Format, given: &Given) -> Result<ExportedFile, CliError> {
        let input = Input::read(path)?;
        let wing = Wing::of(&input)?;
        if path.as_os_str() == "-" {
            given.fit(&[(path, input.kind())])?;
        }
        let output = self.file(path, format)?;
        output::not_input(&output, path)?;
        let refused = |error| CliError::file(path, error);
        let (bytes, mut file) = if self.rigged {
            if format == Format::Obj {
                return Err(CliError::file(&output, "--rigged: an .obj has no skeleton; want --format glb"));
            }
            let model = self.rigged(wing, input)?;
            (gltf::rigged(&model).map_err(refused)?, rigged_file(&model))
        } else {
            let mut frames = self.frames(wing, input, format)?;
            if wing != Wing::C3 {
                frames.tell_what_is_not_finite();
            }
            let bytes = match (format, frames.meshes.last()) {
                (Format::Obj, Some(mesh)) => obj::write(mesh).into_bytes(),
                _ => gltf::frames(&frames.meshes).map_err(refused)?,
            };
            (bytes, frames_file(frames))
        };
        output::write(&output, &bytes)?;
        (file.model, file.output) = (path.display().to_string(), output.display().to_string());
        Ok(file)
    }

    fn frames(&self, wing: Wing, input: Input, format: Format) -> Result<Frames, CliError> {
        match wing {
            Wing::C3 => c3::frames(input, &self.posed, self.last || format == Format::Obj),
            Wing::Flver => flver::frames(&input, &self.posed),
            Wing::Mdl => mdl::frames(&input, &self.posed),
        }
    }

    fn rigged(&self, wing: Wing, input: Input) -> Result<Rigged, CliError> {
        match wing {
            Wing::C3 => c3::rigged(input, &self.posed),
            Wing::Flver => flver::rigged(&input, &self.posed),
            Wing::Mdl => mdl::rigged(&input, &self.posed),
        }
    }
}

fn frames_file(frames: Frames) -> ExportedFile {
    let first = frames.meshes.first();
    ExportedFile {
        vertices: first.map_or(0, |mesh| mesh.positions.len()),
        triangles: first.map_or(0, |mesh| mesh.triangles().count()),
        frames: if frames.none_ran { 0 } else { frames.meshes.len() },
        pose: frames.pose,
        faults: frames.faults,
        notes: frames.notes,
        ..ExportedFile::default()
    }
}

fn rigged_file(model: &Rigged) -> ExportedFile {
    let mut notes = Vec::new();
    if model.unnormalized > 0 {
        let of = counted(model.unnormalized, "vertex", "vertices");
        notes.push(format!("weights of {of} do not sum to 1 in the model; in the file they do"));
    }
    let sheared = model.bones.iter().filter(|bone| bone.local.trs().is_none()).count();
    if sheared > 0 {
        notes.push(format!(
            "the rest pose of {} shears or flattens, which no glTF node does: in the file they come near it",
            counted(sheared, "bone", "bones")
        ));
    }
    if model.mesh.triangles().next().is_none() {
        notes.push(POINTS.to_owned());
    }
    ExportedFile {
        vertices: model.mesh.positions.len(),
        triangles: model.mesh.triangles().count(),
        frames: 1,
        pose: "bind".to_owned(),
        bones: Some(model.bones.len()),
        shapes: Some(model.shapes.len()),
        animations: model.animations.iter().map(|animation| animation.frames.len()).collect(),
        notes,
        ..ExportedFile::default()
    }
}

/// What is said of a mesh without triangles.
const POINTS: &str = "no triangles: the file holds points";
