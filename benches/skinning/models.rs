//! Models in a machine, and their kernels alone on the same runs of vertices.

use std::path::Path;

use serde_json::Value;
use skinsim::c3::format::skn::Skn;
use skinsim::c3::model::Model;
use skinsim::c3::runtime::kernels::Columns;
use skinsim::c3::runtime::kernels::bulk::{self, Addends, Arithmetic, Level};
use skinsim::c3::runtime::load::{LoadPlan, SkinMatrix};
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};
use skinsim::gekko::paired_single::Rounding;
use skinsim::gekko::quantize::Gqr;

/// Where the recorded frames lie.
const ADDRESS: u32 = 0x80a0_0000;

/// The recorded poses of the fox.
pub const POSES: [&str; 4] = ["rest", "survey-1.70", "run-0.20", "walk-0.35"];

/// The skin matrices of a recorded pose.
pub fn pose(name: &str) -> Vec<SkinMatrix> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/fox/{name}.json"));
    let json: Value =
        serde_json::from_slice(&std::fs::read(path).expect("the pose is there")).expect("the pose is JSON");
    let matrices = json["skin_matrices"].as_array().expect("matrices");
    matrices
        .iter()
        .map(|matrix| std::array::from_fn(|row| std::array::from_fn(|column| cell(&matrix[row][column]))))
        .collect()
}

/// A cell is written as the bits of a single.
fn cell(json: &Value) -> f32 {
    f32::from_bits(u32::from_str_radix(json.as_str().unwrap_or_default(), 16).expect("eight digits"))
}

/// A skin matrix as the kernels hold it.
pub fn columns(matrix: &SkinMatrix) -> Columns {
    let column = |number: usize| std::array::from_fn(|row| matrix[row][number]);
    Columns { column: [column(0), column(1), column(2)], translation: column(3) }
}

/// A model's bytes in a machine.
pub fn simulation(bytes: &[u8], bones: usize, options: &RunOptions) -> Simulation {
    let model = Model::from_block(bytes).expect("a block");
    let block = model.block.as_ref().expect("a block");
    let plan = LoadPlan::block(&model, block, ADDRESS).expect("it has a place");
    Simulation::load(&plan, bones, options).expect("memory holds it")
}

/// One kernel call of a frame.
enum Call {
    One { vertices: Vec<u8>, bone: usize },
    Two { vertices: Vec<u8>, weights: Vec<u8>, bones: [usize; 2] },
    Accumulate { vertices: Vec<u8>, indices: Vec<u8>, weights: Vec<u8>, bone: usize },
}

/// The kernel calls of a frame, nothing around them.
pub struct KernelsAlone {
    calls: Vec<Call>,
    columns: Vec<Columns>,
    destination: Vec<u8>,
    arithmetic: Arithmetic,
}

impl KernelsAlone {
    /// The calls that a frame of this block makes.
    pub fn of(bytes: &[u8], matrices: &[SkinMatrix]) -> Self {
        let model = Model::from_block(bytes).expect("a block");
        let skn: &Skn = model.skn.as_ref().expect("an SKN section");
        let held = |offset: u32, size: usize| skn.held(offset, size as u64).to_vec();
        let mut calls = Vec::new();
        for entry in &skn.sk1 {
            let first = entry.source + u32::from(entry.vertex_offset);
            calls.push(Call::One {
                vertices: held(first, 12 * usize::from(entry.count)),
                bone: usize::from(entry.bone),
            });
        }
        for entry in &skn.sk2 {
            let first = entry.source + u32::from(entry.vertex_offset);
            let count = usize::from(entry.count);
            calls.push(Call::Two {
                vertices: held(first, 12 * count),
                weights: held(entry.weights, 2 * count),
                bones: entry.bones.map(usize::from),
            });
        }
        for entry in &skn.skacc {
            let count = usize::from(entry.count);
            calls.push(Call::Accumulate {
                vertices: held(entry.source, 12 * count),
                indices: held(entry.indices, 2 * count),
                weights: held(entry.weights, count),
                bone: usize::from(entry.bone),
            });
        }
        let gqr = Gqr::both(7, u32::from(skn.header.shift));
        Self {
            calls,
            columns: matrices.iter().map(columns).collect(),
            destination: vec![0; 0x1_0000 * 12],
            arithmetic: Arithmetic {
                load: gqr.load_factor(),
                store: gqr.store_factor(),
                rounding: Rounding::Dolphin,
            },
        }
    }

    /// Vertices of all calls.
    pub fn vertices(&self) -> usize {
        let count = |call: &Call| match call {
            Call::One { vertices, .. } | Call::Two { vertices, .. } | Call::Accumulate { vertices, .. } => {
                vertices.len() / 12
            }
        };
        self.calls.iter().map(count).sum()
    }

    /// Runs them all.
    pub fn run(&mut self, level: Level) {
        for call in &mut self.calls {
            match call {
                Call::One { vertices, bone } => {
                    bulk::one_bone(level, vertices, &self.columns[*bone], self.arithmetic);
                }
                Call::Two { vertices, weights, bones } => {
                    let columns = bones.map(|bone| &self.columns[bone]);
                    bulk::two_bone(level, vertices, weights, columns, self.arithmetic);
                }
                Call::Accumulate { vertices, indices, weights, bone } => {
                    let addends = Addends { vertices, indices, weights };
                    bulk::accumulate(
                        level,
                        &mut self.destination,
                        addends,
                        &self.columns[*bone],
                        self.arithmetic,
                    );
                }
            }
        }
    }
}
