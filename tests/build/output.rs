//! A block's skinned output, corner by corner, and its distance from the reference.

use skinsim::c3::build::gltf::import;
use skinsim::c3::build::{BuildOptions, Built, build, error::Notes};
use skinsim::c3::format::act::Act;
use skinsim::c3::format::gpl::{Attribute, CommandKind};
use skinsim::c3::model::Model;
use skinsim::c3::runtime::load::{DEFAULT_ADDRESS, LoadPlan, SkinMatrix};
use skinsim::c3::runtime::pose::{LoadOptions, Matrix, Skeleton};
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};

use crate::reference::{Corner, M, Reference, apply, mul};

pub fn build_bytes(bytes: &[u8], options: &BuildOptions) -> Result<Built, String> {
    let mut notes = Notes::default();
    let mut none = |name: &str| Err(format!("no file {name}"));
    let character = import(bytes, "body", &mut none, &mut notes).map_err(|error| error.to_string())?;
    build(&character, options, notes).map_err(|error| error.to_string())
}

pub fn sample(name: &str) -> Vec<u8> {
    let folder = if name == "Fox.glb" { "examples" } else { "tests/cases/gltf" };
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name);
    std::fs::read(path).unwrap()
}

/// The slots of every drawn corner, turned back to counter-clockwise triangles.
pub fn corner_slots(model: &Model) -> Vec<u16> {
    let gpl = model.gpl.as_ref().unwrap();
    let (_, layout, _) = gpl.skinned().unwrap();
    let mut slots = Vec::new();
    for list in layout.display_lists(gpl.header.version) {
        for command in gpl.commands(layout, &list) {
            let CommandKind::Draw(primitive) = command.unwrap().kind else { continue };
            let vertices: Vec<u16> =
                primitive.vertices().map(|vertex| vertex.index(Attribute::Position).unwrap()).collect();
            for [a, b, c] in primitive.triangles() {
                slots.extend([a, c, b].map(|n| vertices[n as usize]));
            }
        }
    }
    slots
}

/// Runs a frame and gives every slot's record.
pub fn run(block: &[u8], matrices: &[SkinMatrix]) -> Vec<[i16; 6]> {
    let model = Model::from_block(block).unwrap();
    let plan = LoadPlan::block(&model, model.block.as_ref().unwrap(), DEFAULT_ADDRESS).unwrap();
    let mut simulation = Simulation::load(&plan, matrices.len(), &RunOptions::default()).unwrap();
    for _ in 0..2 {
        let journal = simulation.frame(matrices);
        assert!(journal.faults.is_empty(), "{:?}", journal.faults);
    }
    records(simulation.position_bytes().unwrap())
}

pub fn records(bytes: &[u8]) -> Vec<[i16; 6]> {
    let record = |bytes: &[u8]| std::array::from_fn(|n| i16::from_be_bytes([bytes[2 * n], bytes[2 * n + 1]]));
    bytes.chunks_exact(12).map(record).collect()
}

/// The node of each bone, from the names that building gives.
pub fn bone_nodes(built: &Built) -> Vec<usize> {
    let node = |name: &String| name.split(' ').nth(1).unwrap().parse().unwrap();
    built.summary.bones.iter().map(node).collect()
}

/// The skin matrices that put the bones where the nodes stand: through the block's own skeleton.
pub fn matrices(built: &Built, globals: &[M]) -> Vec<SkinMatrix> {
    let model = Model::from_block(&built.block).unwrap();
    let act = Act::parse_view(model.act.unwrap()).unwrap();
    let skeleton = Skeleton::load(&act, &LoadOptions::default()).unwrap();
    let forward = bone_nodes(built).into_iter().map(|node| globals[node]);
    forward
        .zip(&skeleton.orientation_inverse)
        .map(|(forward, inverse)| {
            let inverse: M = inverse.0.map(|row| row.map(f64::from));
            mul(&forward, &inverse).map(|row| row.map(|cell| cell as f32))
        })
        .collect()
}

#[derive(Debug)]
pub struct Error {
    /// Largest error of a coordinate, in steps of the positions.
    pub worst: f64,
    /// Root of the mean square of all coordinates' errors, in steps.
    pub rms: f64,
    /// The largest part that any coordinate's error took of its bound.
    pub of_bound: f64,
}

/// Compares a posed block with the reference. The bound of a coordinate, in the model's units, is the sum
/// of: half a step of each source coordinate through the blended matrices; one step for each store, which
/// truncates (one direct, one a further bone); a 256th of the distance between each bone's placement and
/// the result for each weight; and single-precision arithmetic. `slack` is added for animation banks.
pub fn compare(
    built: &Built,
    reference: &Reference,
    globals: &[M],
    matrices: &[SkinMatrix],
    slack: f64,
) -> Error {
    let model = Model::from_block(&built.block).unwrap();
    let slots = corner_slots(&model);
    assert_eq!(slots.len(), reference.corners.len());
    let output = run(&built.block, matrices);
    let step = 1.0 / f64::from(1u32 << built.summary.shift);
    let mut error = Error { worst: 0.0, rms: 0.0, of_bound: 0.0 };
    for (corner, slot) in reference.corners.iter().zip(slots) {
        let want = Reference::skin(corner, globals);
        let bound = bound(corner, globals, want, step);
        for axis in 0..3 {
            let have = f64::from(output[usize::from(slot)][axis]) * step;
            let apart = (have - want[axis]).abs();
            error.worst = error.worst.max(apart / step);
            error.rms += (apart / step).powi(2);
            error.of_bound = error.of_bound.max(apart / (bound[axis] + slack));
        }
    }
    error.rms = (error.rms / (3 * reference.corners.len()) as f64).sqrt();
    error
}

fn bound(corner: &Corner, globals: &[M], want: [f64; 3], step: f64) -> [f64; 3] {
    let stores = corner.influences.len().max(2) as f64 - 1.0;
    std::array::from_fn(|axis| {
        let mut bound = stores * step;
        for (node, inverse, weight) in &corner.influences {
            let matrix = mul(&globals[*node], inverse);
            let reach: f64 = matrix[axis][..3].iter().map(|cell| cell.abs()).sum();
            bound += weight * reach * 0.5 * step;
            let placed = apply(&matrix, corner.position)[axis];
            if corner.influences.len() > 1 {
                bound += (placed - want[axis]).abs() / 256.0;
            }
            let size: f64 = (0..3).map(|n| (matrix[axis][n] * corner.position[n]).abs()).sum();
            bound += weight * (size + matrix[axis][3].abs() + 1.0) * 2.0f64.powi(-20);
        }
        bound
    })
}

pub fn to_rows(matrices: &[Matrix]) -> Vec<SkinMatrix> {
    matrices.iter().map(|matrix| matrix.0).collect()
}
