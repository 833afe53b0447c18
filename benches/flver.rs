//! How fast FLVER vertices are posed and files are checked: `cargo bench --bench flver`.
//!
//! Prints rates and asserts nothing; a machine's speed is no property of the program.

#[path = "../tests/flver/builder.rs"]
mod builder;

use std::hint::black_box;
use std::time::Instant;

use builder::{Model, skinned_vertex};
use skinsim::flver::runtime::skin::{self, Moved, Stored};
use skinsim::flver::runtime::transform::{Matrix, Transform};

const VERTICES: usize = 1 << 18;
const BONES: u32 = 200;

/// Best of a few rounds, so that a neighbour's work does not count.
fn rate(name: &str, items: f64, unit: &str, mut work: impl FnMut()) {
    let best = (0..12)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<28} {:>8.1} {unit}/s", items / best);
}

fn matrices() -> Vec<Matrix> {
    let turned = |bone| Transform::from_parts([bone as f32, 0.5, -1.0], [0.01 * bone as f32; 3], [1.1; 3]);
    (0..BONES).map(|bone| turned(bone).to_matrix()).collect()
}

fn kernels() {
    let matrices = matrices();
    let positions: Vec<[f32; 3]> = (0..VERTICES).map(|vertex| [vertex as f32, 1.0, 2.0]).collect();
    let slots: Vec<[u32; 4]> = (0..VERTICES as u32)
        .map(|vertex| [vertex, vertex / 7, vertex / 31, vertex / 5].map(|bone| bone % BONES))
        .collect();
    let rigid: Vec<u32> = slots.iter().map(|slots| slots[0]).collect();
    let weights = vec![[0.5, 0.25, 0.15, 0.1]; VERTICES];
    let mut out = vec![[0.0; 3]; VERTICES];
    let millions = VERTICES as f64 / 1e6;
    rate("weighted positions", millions, "M vertices", || {
        skin::weighted_positions(&matrices, &slots, &weights, black_box(&positions), &mut out);
        black_box(&out);
    });
    let mut normals = vec![[0.0; 3]; VERTICES];
    let stored = Stored { positions: &positions, normals: &positions };
    rate("weighted, with normals", millions, "M vertices", || {
        let moved = Moved { positions: &mut out, normals: &mut normals };
        skin::weighted_vertices(&matrices, &slots, &weights, black_box(stored), moved);
        black_box((&out, &normals));
    });
    rate("rigid positions", millions, "M vertices", || {
        skin::rigid_positions(&matrices, &rigid, black_box(&positions), &mut out);
        black_box(&out);
    });
    rate("rigid, with normals", millions, "M vertices", || {
        let moved = Moved { positions: &mut out, normals: &mut normals };
        skin::rigid_vertices(&matrices, &rigid, black_box(stored), moved);
        black_box((&out, &normals));
    });
}

fn whole_file() {
    let mut model = Model::sound();
    let vertex = skinned_vertex([0.25, 0.5, 0.75], [1, 2, 0, 0], [128, 100, 27, 0]);
    model.buffers[0].bytes = vertex.repeat(100_000_000 / vertex.len());
    let bytes = model.write();
    rate("check", bytes.len() as f64 / 1e6, "MB", || {
        black_box(skinsim::flver::check(black_box(&bytes)).unwrap());
    });
}

fn main() {
    kernels();
    whole_file();
}
