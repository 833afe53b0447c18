//! The `skinsim` command: hands over to [`skinsim::cli`].

fn main() -> std::process::ExitCode {
    skinsim::cli::main()
}
