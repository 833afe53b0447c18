//! Times of things that take turns: the machine's mood changes from second to second, so every round
//! runs each of them once, and the best round of each counts. Ratios are taken within one run.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Something to time: how often it ran in a call is its own business.
pub struct Task<'a> {
    /// Name, for the table.
    pub name: String,
    /// Vertices (or other units) of one call.
    pub units: f64,
    run: Box<dyn FnMut() -> Duration + 'a>,
    best: Duration,
}

impl<'a> Task<'a> {
    /// A task whose call handles `units` vertices.
    pub fn new(name: impl Into<String>, units: usize, mut run: impl FnMut() + 'a) -> Self {
        Self::timed(name, units, move || time(&mut run))
    }

    /// A task that changes vertices in place: they are `source` again before each call, untimed. (At rest each call
    /// truncates what is a little less than an integer: after thousands of calls all would be zeros.)
    pub fn in_place(
        name: impl Into<String>,
        units: usize,
        source: &'a [u8],
        mut run: impl FnMut(&mut [u8]) + 'a,
    ) -> Self {
        let mut vertices = source.to_vec();
        Self::timed(name, units, move || {
            vertices.copy_from_slice(source);
            time(|| run(black_box(&mut vertices)))
        })
    }

    fn timed(name: impl Into<String>, units: usize, run: impl FnMut() -> Duration + 'a) -> Self {
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
            task.best = task.best.min((task.run)());
        }
        rounds += 1;
    }
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}
