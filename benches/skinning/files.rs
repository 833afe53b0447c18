//! Reading and checking of model files.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::Criterion;
use rayon::prelude::*;
use skinsim::c3::check::{Comparison, check};
use skinsim::c3::model::Model;
use skinsim::c3::rules::effects::Target;

use super::measure::{Task, in_turns, time};
use super::{FOX, synthetic};

const MODELS: u32 = 361;

/// Parses and checks one model, and as many as a game has.
pub fn files(criterion: &mut Criterion) {
    let large = synthetic::block(0);
    let models = LazyCell::new(|| (0..MODELS).map(synthetic::block).collect::<Vec<Vec<u8>>>());
    let parse = |bytes: &[u8]| {
        black_box(Model::from_block(bytes).is_ok());
    };
    let mut tasks = [
        Task::new("parse the fox", 1, || parse(FOX)),
        Task::new("parse 2,800 vertices", 1, || parse(&large)),
        Task::new("check 2,800 vertices, both targets", 1, || {
            black_box(check_one(&large));
        }),
        Task::timed(format!("check {MODELS} such models, all cores"), 1, || {
            let models: &Vec<Vec<u8>> = &models;
            time(|| {
                black_box(models.par_iter().map(|bytes| check_one(bytes)).sum::<usize>());
            })
        }),
    ];
    // One after the other: nothing is compared.
    let mut measured = true;
    for task in &mut tasks {
        measured &= in_turns(criterion, "files", std::slice::from_mut(task));
    }
    if measured {
        println!("\n{:<40}{:>12}   ({} bytes each)", "", "ms", large.len());
        for task in &tasks {
            println!("{:<40}{:>12.3}", task.name, task.seconds() * 1e3);
        }
        println!();
    }
}

fn check_one(bytes: &[u8]) -> usize {
    let targets = [Target::Dolphin, Target::Console];
    Model::from_block(bytes)
        .map(|model| check(&model, &Comparison::default(), 0x80a0_0000, &targets).len())
        .unwrap_or_default()
}
