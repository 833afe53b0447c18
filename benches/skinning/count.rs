//! One call of one thing, for an instruction counter.

use std::hint::black_box;

use skinsim::c3::runtime::kernels::bulk::{self, Addends, Level};
use skinsim::c3::runtime::simulation::RunOptions;

use super::kernels::{indices, some_columns, vertices, weights};
use super::models::{pose, simulation};
use super::{ARITHMETIC, FOX, synthetic};

/// Calls what has this name so many times: the difference between once and eleven times is ten calls, without what
/// comes before.
pub fn count(name: &str, times: usize) {
    let (mut run, level) = (vertices(1000), Level::best());
    let (weights, indices) = (weights(2000), indices(1000));
    let (name, pose_name) = name.split_once('@').unwrap_or((name, "walk-0.35"));
    let bones = [11, 12].map(|bone| some_columns(pose_name, bone));
    let source = run.clone();
    let mut sums = vec![0; 12_000];
    let matrices = pose(pose_name);
    let mut fox = simulation(FOX, matrices.len(), &RunOptions::default());
    let large_pose = synthetic::pose();
    let mut large = simulation(&synthetic::block(0), large_pose.len(), &RunOptions::default());
    for _ in 0..times {
        match name {
            "one-bone" => bulk::one_bone(level, &mut run, &bones[0], ARITHMETIC),
            "two-bone" => bulk::two_bone(level, &mut run, &weights, [&bones[0], &bones[1]], ARITHMETIC),
            "accumulate" => {
                let addends = Addends { vertices: &source, indices: &indices, weights: &weights[..1000] };
                bulk::accumulate(level, &mut sums, addends, &bones[0], ARITHMETIC);
            }
            "frame" => drop(black_box(fox.frame(&matrices))),
            "large-frame" => drop(black_box(large.frame(&large_pose))),
            other => panic!("nothing is called {other}"),
        }
    }
}
