//! Options of every command: how much is logged, and in which colours.

use clap::{ArgAction, Args, ValueEnum};
use tracing_subscriber::EnvFilter;

/// Options that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global")]
pub struct GlobalOptions {
    /// Log to standard error (-v: info, -vv: debug; `RUST_LOG` overrides)
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Log errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Colours in the output (`NO_COLOR` is honoured)
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    color: Colour,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

impl GlobalOptions {
    /// Sets up logging and colours for the process.
    pub(super) fn apply(&self) {
        match self.color {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        let level = match (self.quiet, self.verbose) {
            (true, _) => "error",
            (false, 0) => "warn",
            (false, 1) => "info",
            (false, _) => "debug",
        };
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
        let logging = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        // Messages have colours where the output would have them.
        let choice = anstream::AutoStream::choice(&std::io::stderr());
        let logging = logging.with_ansi(choice != anstream::ColorChoice::Never);
        // A second call in one process (tests) leaves the first in force.
        let _ = logging.without_time().try_init();
    }
}
