//! How fast skinning is, beside a plain copy of the same bytes in the same run.
//!
//! `cargo bench --bench skinning`; docs/performance.md says what the columns mean. Counts of
//! instructions: benches/instructions.sh, which runs `skinning count NAME`.

use std::hint::black_box;
use std::time::Duration;

use rayon::prelude::*;
use skinsim::c3::check::{Comparison, check};
use skinsim::c3::model::Model;
use skinsim::c3::rules::effects::Target;
use skinsim::c3::runtime::kernels::Columns;
use skinsim::c3::runtime::kernels::bulk::{self, Addends, Arithmetic, Level};
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::map;
use skinsim::gekko::paired_single::Rounding;

mod measure;
mod models;
mod synthetic;

use measure::{Task, in_turns};
use models::{KernelsAlone, POSES, columns, pose, simulation};

const FOX: &[u8] = include_bytes!("../../examples/fox.block");
const ARITHMETIC: Arithmetic = Arithmetic { load: 1.0 / 256.0, store: 256.0, rounding: Rounding::Dolphin };

/// Dolphin's JIT on the same library code, million vertices a second: measured once on such a machine,
/// not in this run.
const JIT: [f64; 2] = [47.0, 20.0];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, name, ..] = arguments.as_slice()
        && command == "count"
    {
        return count(name);
    }
    println!("kernels: {}\n", Level::best().name());
    for vertices in [1_000, 32_000, 1_000_000, 4_000_000] {
        kernels(vertices);
    }
    for vertices in [32_000, 4_000_000] {
        recorded_poses(vertices);
    }
    growth();
    frames();
    rest();
}

/// A matrix of the fox's walk that every kernel gets: the neck, turned a little about every axis.
fn some_columns(pose_name: &str, bone: usize) -> Columns {
    columns(&pose(pose_name)[bone])
}

/// Vertices of a model's size of numbers.
fn vertices(count: usize) -> Vec<u8> {
    (0..count as u32 * 6)
        .flat_map(|index| ((index.wrapping_mul(2_654_435_761) >> 20) as i16 - 2048).to_be_bytes())
        .collect()
}

fn weights(count: usize) -> Vec<u8> {
    (0..count).map(|index| (index * 37) as u8).collect()
}

/// Ascending, a new start every 60,000.
fn indices(count: usize) -> Vec<u8> {
    (0..count).flat_map(|index| ((index % 60_000) as u16).to_be_bytes()).collect()
}

/// How often to run a small task in one measured call, and the units of all together.
fn repeated(units: usize) -> usize {
    (100_000 / units).max(1)
}

fn kernels(count: usize) {
    let source = vertices(count);
    let (mut copy, mut sums) = (source.clone(), vec![0; 60_000 * 12]);
    let (weights, indices) = (weights(2 * count), indices(count));
    let bones = [11, 12].map(|bone| some_columns("walk-0.35", bone));
    let times = repeated(count);
    let level = Level::best();
    let mut tasks = vec![
        Task::new("memcpy", count * times, || {
            (0..times).for_each(|_| copy.copy_from_slice(black_box(&source)));
        }),
        Task::in_place("one-bone", count * times, &source, |run| {
            (0..times).for_each(|_| bulk::one_bone(level, black_box(run), &bones[0], ARITHMETIC));
        }),
        Task::in_place("two-bone", count * times, &source, |run| {
            let both = [&bones[0], &bones[1]];
            (0..times).for_each(|_| bulk::two_bone(level, black_box(run), &weights, both, ARITHMETIC));
        }),
        Task::new("accumulate", count * times, || {
            let addends = Addends { vertices: &source, indices: &indices, weights: &weights[..count] };
            (0..times)
                .for_each(|_| bulk::accumulate(level, black_box(&mut sums), addends, &bones[0], ARITHMETIC));
        }),
    ];
    in_turns(&mut tasks, Duration::from_millis(1500));
    println!("{:<24}{:>10}{:>10}{:>12}", format!("{count} vertices"), "M/s", "x memcpy", "x JIT");
    for (number, task) in tasks.iter().enumerate() {
        let of_copy = task.rate() / tasks[0].rate();
        let of_jit = number.checked_sub(1).and_then(|kernel| JIT.get(kernel));
        let of_jit = of_jit.map_or_else(String::new, |jit| format!("{:.1}", task.rate() / jit));
        println!("{:<24}{:>10.0}{of_copy:>10.2}{of_jit:>12}", task.name, task.rate());
    }
    println!();
}

/// Real matrices have cells of noise: six bones of each recorded pose, the mean of their times, beside a
/// copy of the same bytes.
fn recorded_poses(count: usize) {
    const BONES: [usize; 6] = [2, 3, 6, 11, 15, 19];
    let (source, weights, indices) = (vertices(count), weights(2 * count), indices(count));
    println!(
        "{:<24}{:>16}{:>16}{:>16}   {count} vertices",
        "fox, M/s and x memcpy", "one-bone", "two-bone", "accumulate"
    );
    for name in POSES {
        let matrices: Vec<Columns> = pose(name).iter().map(columns).collect();
        let mut copy = source.clone();
        let mut sums = vec![0; 60_000 * 12];
        let mut seconds = [0.0; 4];
        for bone in BONES {
            let both = [&matrices[bone], &matrices[bone + 1]];
            let addends = Addends { vertices: &source, indices: &indices, weights: &weights[..count] };
            let mut tasks = vec![
                Task::new("memcpy", count, || copy.copy_from_slice(black_box(&source))),
                Task::in_place("one", count, &source, |run| {
                    bulk::one_bone(Level::best(), run, both[0], ARITHMETIC);
                }),
                Task::in_place("two", count, &source, |run| {
                    bulk::two_bone(Level::best(), run, &weights, both, ARITHMETIC);
                }),
                Task::new("accumulate", count, || {
                    bulk::accumulate(Level::best(), &mut sums, addends, both[0], ARITHMETIC);
                }),
            ];
            in_turns(&mut tasks, Duration::from_millis(100));
            for (sum, task) in seconds.iter_mut().zip(&tasks) {
                *sum += task.seconds() / BONES.len() as f64;
            }
        }
        let rates = seconds.map(|seconds| count as f64 / seconds / 1e6);
        let cells: Vec<String> =
            rates[1..].iter().map(|rate| format!("{rate:>9.0} {:>6.2}", rate / rates[0])).collect();
        println!("{name:<24}{}", cells.concat());
    }
    println!();
}

/// Ten times the vertices should take ten times as long.
fn growth() {
    let bone = some_columns("walk-0.35", 11);
    let counts = [1_000usize, 10_000, 100_000, 1_000_000];
    let mut runs: Vec<Vec<u8>> = counts.iter().map(|&count| vertices(count)).collect();
    let mut tasks: Vec<Task> = runs
        .iter_mut()
        .zip(counts)
        .map(|(run, count)| {
            let times = repeated(count);
            Task::new(format!("{count}"), count * times, move || {
                (0..times).for_each(|_| bulk::one_bone(Level::best(), black_box(run), &bone, ARITHMETIC));
            })
        })
        .collect();
    in_turns(&mut tasks, Duration::from_secs(1));
    println!("growth of one-bone       ten times the vertices take");
    for pair in tasks.windows(2) {
        println!(
            "{:>9} to {:<9} {:>10.2} times as long",
            pair[0].name,
            pair[1].name,
            10.0 * pair[0].rate() / pair[1].rate()
        );
    }
    println!();
}

fn frames() {
    println!("{:<34}{:>10}{:>10}{:>12}", "a frame", "us", "M/s", "x kernels");
    for name in POSES {
        frame(&format!("fox, {name}"), FOX, &pose(name));
    }
    frame("2,800 vertices, 60 bones", &synthetic::block(0), &synthetic::pose());
}

/// The frame as `run` and `check` execute it, its kernels alone, the same watched, and on the console.
fn frame(name: &str, bytes: &[u8], matrices: &[skinsim::c3::runtime::load::SkinMatrix]) {
    let console = RunOptions { target: map::Target::Console, ..RunOptions::default() };
    let mut kernels = KernelsAlone::of(bytes, matrices);
    let mut plain = simulation(bytes, matrices.len(), &RunOptions::default());
    let mut watched = plain.clone();
    let mut on_console = simulation(bytes, matrices.len(), &console);
    let (count, level) = (kernels.vertices(), Level::best());
    let mut seen = 0u64;
    let mut tasks = vec![
        Task::new(format!("{name}: kernels"), count, || kernels.run(level)),
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
    in_turns(&mut tasks, Duration::from_millis(800));
    for task in &tasks {
        let of_kernels = task.seconds() / tasks[0].seconds();
        println!("{:<34}{:>10.1}{:>10.1}{of_kernels:>12.2}", task.name, task.seconds() * 1e6, task.rate());
    }
}

fn rest() {
    const MODELS: u32 = 361;
    let large = synthetic::block(0);
    let models: Vec<Vec<u8>> = (0..MODELS).map(synthetic::block).collect();
    let targets = [Target::Dolphin, Target::Console];
    let check_one = |bytes: &Vec<u8>| {
        Model::from_block(bytes)
            .map(|model| check(&model, &Comparison::default(), 0x80a0_0000, &targets).len())
            .unwrap_or_default()
    };
    let mut tasks = vec![
        Task::new("parse the fox", 1, || {
            black_box(Model::from_block(FOX).is_ok());
        }),
        Task::new("parse 2,800 vertices", 1, || {
            black_box(Model::from_block(&large).is_ok());
        }),
        Task::new("check 2,800 vertices, both targets", 1, || {
            black_box(check_one(&large));
        }),
    ];
    in_turns(&mut tasks, Duration::from_secs(1));
    println!("\n{:<40}{:>12}", "", "ms");
    for task in &tasks {
        println!("{:<40}{:>12.3}", task.name, task.seconds() * 1e3);
    }
    let mut all = vec![Task::new(format!("check {MODELS} such models, all cores"), 1, || {
        black_box(models.par_iter().map(check_one).sum::<usize>());
    })];
    in_turns(&mut all, Duration::ZERO);
    println!("{:<40}{:>12.0}   ({} bytes each)", all[0].name, all[0].seconds() * 1e3, large.len());
}

/// One call of one thing, for an instruction counter: the difference between once and eleven times is
/// ten calls, without what comes before.
fn count(name: &str) {
    let times: usize = std::env::args().nth(3).and_then(|times| times.parse().ok()).unwrap_or(1);
    let (mut run, level) = (vertices(1000), Level::best());
    let (weights, indices) = (weights(2000), indices(1000));
    let bones = [11, 12].map(|bone| some_columns("walk-0.35", bone));
    let source = run.clone();
    let mut sums = vec![0; 12_000];
    let matrices = pose("walk-0.35");
    let mut fox = simulation(FOX, matrices.len(), &RunOptions::default());
    for _ in 0..times {
        match name {
            "one-bone" => bulk::one_bone(level, &mut run, &bones[0], ARITHMETIC),
            "two-bone" => bulk::two_bone(level, &mut run, &weights, [&bones[0], &bones[1]], ARITHMETIC),
            "accumulate" => {
                let addends = Addends { vertices: &source, indices: &indices, weights: &weights[..1000] };
                bulk::accumulate(level, &mut sums, addends, &bones[0], ARITHMETIC);
            }
            "frame" => drop(black_box(fox.frame(&matrices))),
            other => panic!("nothing is called {other}"),
        }
    }
}
