//! The three kernels on runs of many lengths, beside a copy of the same bytes.

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use skinsim::c3::runtime::kernels::Columns;
use skinsim::c3::runtime::kernels::bulk::{self, Addends, Level};

use super::ARITHMETIC;
use super::measure::{Task, in_turns, time};
use super::models::{POSES, columns, pose};

/// Dolphin's JIT on the same library code, million vertices a second: measured once on such a machine,
/// not in this run.
const JIT: [f64; 2] = [47.0, 20.0];

/// A matrix of a recorded pose.
pub fn some_columns(pose_name: &str, bone: usize) -> Columns {
    columns(&pose(pose_name)[bone])
}

/// Vertices of a model's size of numbers.
pub fn vertices(count: usize) -> Vec<u8> {
    (0..count as u32 * 6)
        .flat_map(|index| ((index.wrapping_mul(2_654_435_761) >> 20) as i16 - 2048).to_be_bytes())
        .collect()
}

/// Weights of every size.
pub fn weights(count: usize) -> Vec<u8> {
    (0..count).map(|index| (index * 37) as u8).collect()
}

/// Ascending, a new start every 60,000.
pub fn indices(count: usize) -> Vec<u8> {
    (0..count).flat_map(|index| ((index % 60_000) as u16).to_be_bytes()).collect()
}

/// How often to run a small task in one measured call, and the units of all together.
fn repeated(units: usize) -> usize {
    (100_000 / units).max(1)
}

/// With matrices of the fox's walk: the neck and the head, turned a little about every axis.
pub fn ordinary(criterion: &mut Criterion, count: usize) {
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
    if !in_turns(criterion, &format!("{count} vertices"), &mut tasks) {
        return;
    }
    let title = format!("{count} vertices");
    println!("\n{title:<24}{:>10}{:>10}{:>12}   {}", "M/s", "x memcpy", "x JIT", level.name());
    for (number, task) in tasks.iter().enumerate() {
        let of_jit = number.checked_sub(1).and_then(|kernel| JIT.get(kernel));
        let of_jit = of_jit.map_or_else(String::new, |jit| format!("{:.1}", task.rate() / jit));
        println!("{:<24}{:>10.0}{:>10.2}{of_jit:>12}", task.name, task.rate(), task.of_reference());
    }
    println!();
}

/// Real matrices have cells of noise: six bones of each recorded pose, one after the other, beside a copy of the
/// same bytes.
pub fn recorded_poses(criterion: &mut Criterion, count: usize) {
    let mut lines = Vec::new();
    for name in POSES {
        lines.extend(recorded_pose(criterion, name, count, Level::best()));
    }
    pose_table(&lines, count);
}

/// What processors with fewer instructions make of two poses.
pub fn levels(criterion: &mut Criterion) {
    const COUNT: usize = 32_000;
    let mut lines = Vec::new();
    for level in Level::available() {
        for name in ["rest", "walk-0.35"] {
            lines.extend(recorded_pose(criterion, name, COUNT, level));
        }
    }
    pose_table(&lines, COUNT);
}

fn pose_table(lines: &[String], count: usize) {
    if !lines.is_empty() {
        let kernels = format!("{:>16}{:>16}{:>16}", "one-bone", "two-bone", "accumulate");
        println!("\n{:<24}{kernels}   {count} vertices", "fox, M/s and x memcpy");
        println!("{}\n", lines.join("\n"));
    }
}

/// Its line.
fn recorded_pose(criterion: &mut Criterion, name: &str, count: usize, level: Level) -> Option<String> {
    const BONES: [usize; 6] = [2, 3, 6, 11, 15, 19];
    let (source, weights, indices) = (vertices(count), weights(2 * count), indices(count));
    let matrices: Vec<Columns> = pose(name).iter().map(columns).collect();
    let (mut copy, mut run, mut other_run) = (source.clone(), source.clone(), source.clone());
    let mut sums = vec![0; 60_000 * 12];
    let (units, name) = (count * BONES.len(), format!("{name}, {}", level.name()));
    let each = |task: &mut dyn FnMut(usize) -> Duration| BONES.iter().map(|&bone| task(bone)).sum();
    let mut tasks = [
        Task::timed("memcpy", units, || each(&mut |_| time(|| copy.copy_from_slice(black_box(&source))))),
        Task::timed("one-bone", units, || {
            each(&mut |bone| {
                run.copy_from_slice(&source);
                time(|| bulk::one_bone(level, black_box(&mut run), &matrices[bone], ARITHMETIC))
            })
        }),
        Task::timed("two-bone", units, || {
            each(&mut |bone| {
                other_run.copy_from_slice(&source);
                let both = [&matrices[bone], &matrices[bone + 1]];
                time(|| bulk::two_bone(level, black_box(&mut other_run), &weights, both, ARITHMETIC))
            })
        }),
        Task::timed("accumulate", units, || {
            each(&mut |bone| {
                let addends = Addends { vertices: &source, indices: &indices, weights: &weights[..count] };
                let sums = black_box(&mut sums);
                time(|| bulk::accumulate(level, sums, addends, &matrices[bone], ARITHMETIC))
            })
        }),
    ];
    let group = format!("fox {name}, {count} vertices");
    let [_, one, two, accumulate] = in_turns(criterion, &group, &mut tasks).then_some(&tasks)?;
    let cells =
        [one, two, accumulate].map(|task| format!("{:>9.0} {:>6.2}", task.rate(), task.of_reference()));
    Some(format!("{name:<24}{}", cells.concat()))
}

/// Ten times the vertices should take ten times as long.
pub fn growth(criterion: &mut Criterion) {
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
    if !in_turns(criterion, "growth", &mut tasks) {
        return;
    }
    println!("\ngrowth of one-bone       as long as 1000 vertices take");
    for (task, times) in tasks.iter().zip([1.0, 10.0, 100.0, 1000.0]) {
        println!("{:>9}{:>24.2} times for {times} times as many", task.name, times / task.of_reference());
    }
    println!();
}
