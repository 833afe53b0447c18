//! How fast skinning is, beside a plain copy of the same bytes in the same run.
//!
//! `cargo bench --bench skinning`; docs/performance.md says what the columns mean. Counts of
//! instructions: benches/instructions.sh, which runs `skinning count NAME`.

use skinsim::c3::runtime::kernels::bulk::Arithmetic;
use skinsim::gekko::paired_single::Rounding;

mod count;
mod files;
mod frames;
mod interpreter;
mod kernels;
mod measure;
mod models;
mod program;
mod synthetic;

const FOX: &[u8] = include_bytes!("../../examples/fox.block");
const ARITHMETIC: Arithmetic = Arithmetic { load: 1.0 / 256.0, store: 256.0, rounding: Rounding::Dolphin };

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, name, times @ ..] = arguments.as_slice()
        && command == "count"
    {
        let times = times.first().and_then(|times| times.parse().ok()).unwrap_or(1);
        return count::count(name, times);
    }
    let mut criterion = measure::criterion();
    for vertices in [1_000, 32_000, 1_000_000, 4_000_000] {
        kernels::ordinary(&mut criterion, vertices);
    }
    for vertices in [32_000, 4_000_000] {
        kernels::recorded_poses(&mut criterion, vertices);
    }
    kernels::levels(&mut criterion);
    kernels::growth(&mut criterion);
    frames::frames(&mut criterion);
    interpreter::one_bone(&mut criterion);
    files::files(&mut criterion);
    program::program(&mut criterion);
    criterion.final_summary();
}
