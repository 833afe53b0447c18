//! Times of things that take turns, by criterion. The machine's mood changes from second to second, so whatever is
//! compared runs in alternation: each call of a task comes right after one of its reference. Criterion decides how many
//! there are, and tells their spread and what changed since the last run; the tables tell the best call of each.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Bencher, Criterion, SamplingMode, Throughput};

/// Something to time: how often it runs in a call is its own business.
pub struct Task<'a> {
    /// Name, for the table.
    pub name: String,
    /// Vertices (or other units) of one call.
    units: usize,
    run: Box<dyn FnMut() -> Duration + 'a>,
    best: Duration,
    /// Rate of the reference beside it; none of the reference itself.
    beside: Option<f64>,
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

    /// A task that times itself.
    pub fn timed(name: impl Into<String>, units: usize, run: impl FnMut() -> Duration + 'a) -> Self {
        Self { name: name.into(), units, run: Box::new(run), best: Duration::MAX, beside: None }
    }

    /// Seconds a call took at best.
    pub fn seconds(&self) -> f64 {
        self.best.as_secs_f64()
    }

    /// Million units a second.
    pub fn rate(&self) -> f64 {
        self.units as f64 / self.seconds() / 1e6
    }

    /// The rate as a multiple of that of the reference beside it.
    pub fn of_reference(&self) -> f64 {
        self.beside.map_or(1.0, |rate| self.rate() / rate)
    }

    /// Calls it so many times, each after the reference if there is one.
    fn call(&mut self, times: u64, mut reference: Option<&mut Task>) -> Duration {
        let mut sum = Duration::ZERO;
        for _ in 0..times {
            if let Some(reference) = reference.as_deref_mut() {
                reference.call(1, None);
                self.beside = Some(reference.rate());
            }
            let took = (self.run)();
            self.best = self.best.min(took);
            sum += took;
        }
        sum
    }
}

/// How much is measured: the tables need many calls rather than many samples.
pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
        .configure_from_args()
}

/// Measures tasks in a group; the first is the reference of the others. Tells whether all of them ran: a filter on the
/// command line can ask for some only.
pub fn in_turns(criterion: &mut Criterion, group: &str, tasks: &mut [Task]) -> bool {
    let mut group = criterion.benchmark_group(group);
    group.sampling_mode(SamplingMode::Flat);
    let mut bench = |task: &mut Task, mut reference: Option<&mut Task>| {
        // Millions of vertices take some ten milliseconds a call.
        group.measurement_time(Duration::from_millis(600).max(Duration::from_nanos(100) * task.units as u32));
        group.throughput(Throughput::Elements(task.units as u64));
        let name = task.name.trim().to_owned();
        group.bench_function(name, |bencher: &mut Bencher| {
            bencher.iter_custom(|times| task.call(times, reference.as_deref_mut()));
        });
    };
    if let Some((reference, others)) = tasks.split_first_mut() {
        bench(reference, None);
        for task in others {
            // What it was at best beside another task does not count.
            reference.best = Duration::MAX;
            bench(task, Some(reference));
        }
    }
    drop(group);
    tasks.iter().all(|task| task.best != Duration::MAX)
}

/// How long a thing takes.
pub fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}
