//! Times of things that take turns: the machine's mood changes from second to second, so every round
//! runs each of them once, and the best round of each counts. Ratios are taken within one run.

use std::time::{Duration, Instant};

/// Something to time: how often it ran in a call is its own business.
pub struct Task<'a> {
    /// Name, for the table.
    pub name: String,
    /// Vertices (or other units) of one call.
    pub units: f64,
    run: Box<dyn FnMut() + 'a>,
    best: Duration,
}

impl<'a> Task<'a> {
    /// A task whose call handles `units` vertices.
    pub fn new(name: impl Into<String>, units: usize, run: impl FnMut() + 'a) -> Self {
        Self { name: name.into(), units: units as f64, run: Box::new(run), best: Duration::MAX }
    }

    /// Seconds a call took at best.
    pub fn seconds(&self) -> f64 {
        self.best.as_secs_f64()
    }

    /// Million units a second.
    pub fn rate(&self) -> f64 {
        self.units / self.seconds() / 1e6
    }
}

/// Runs the tasks in turns for about `time`, at least five rounds.
pub fn in_turns(tasks: &mut [Task], time: Duration) {
    let end = Instant::now() + time;
    let mut rounds = 0;
    while rounds < 5 || Instant::now() < end {
        for task in tasks.iter_mut() {
            let start = Instant::now();
            (task.run)();
            task.best = task.best.min(start.elapsed());
        }
        rounds += 1;
    }
}
