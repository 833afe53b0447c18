//! Whole frames: their kernels alone, with all bookkeeping, watched, and on the console.

use std::hint::black_box;

use criterion::Criterion;
use skinsim::c3::runtime::kernels::bulk::Level;
use skinsim::c3::runtime::load::SkinMatrix;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::map;

use super::measure::{Task, in_turns};
use super::models::{KernelsAlone, POSES, pose, simulation};
use super::{FOX, synthetic};

/// The fox in each recorded pose, and a large character.
pub fn frames(criterion: &mut Criterion) {
    let mut lines = Vec::new();
    for name in POSES {
        lines.extend(frame(criterion, &format!("fox, {name}"), FOX, &pose(name)));
    }
    lines.extend(frame(criterion, "2,800 vertices, 60 bones", &synthetic::block(0), &synthetic::pose()));
    if !lines.is_empty() {
        println!("\n{:<38}{:>10}{:>10}{:>12}", "a frame", "us", "M/s", "x kernels");
        println!("{}\n", lines.join("\n"));
    }
}

/// The frame as `run` and `check` execute it, its kernels alone, the same watched, and on the console.
fn frame(criterion: &mut Criterion, name: &str, bytes: &[u8], matrices: &[SkinMatrix]) -> Vec<String> {
    let console = RunOptions { target: map::Target::Console, ..RunOptions::default() };
    let mut kernels = KernelsAlone::of(bytes, matrices);
    let mut plain = simulation(bytes, matrices.len(), &RunOptions::default());
    let mut watched = plain.clone();
    let mut on_console = simulation(bytes, matrices.len(), &console);
    let (count, level) = (kernels.vertices(), Level::best());
    let mut seen = 0u64;
    let mut tasks = vec![
        Task::new("kernels", count, || kernels.run(level)),
        Task::new("  with all bookkeeping", count, || {
            black_box(plain.frame(matrices));
        }),
        Task::new("  access by access, watched", count, || {
            black_box(watched.frame_watched(matrices, |record| seen += u64::from(record.size)));
        }),
        Task::new("  on the console", count, || {
            black_box(on_console.frame(matrices));
        }),
    ];
    if !in_turns(criterion, name, &mut tasks) {
        return Vec::new();
    }
    tasks[0].name = format!("{name}: kernels");
    let line = |task: &Task| {
        let (us, of_kernels) = (task.seconds() * 1e6, 1.0 / task.of_reference());
        format!("{:<38}{us:>10.1}{:>10.1}{of_kernels:>12.2}", task.name, task.rate())
    };
    tasks.iter().map(line).collect()
}
