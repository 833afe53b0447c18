//! `skinsim completions` and `skinsim man`: what a package puts beside the program.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{CliError, CliResult, Done, emit, output};

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim completions bash > ~/.local/share/bash-completion/completions/skinsim
  skinsim completions zsh > ~/.zfunc/_skinsim
  skinsim completions fish > ~/.config/fish/completions/skinsim.fish
  skinsim completions powershell >> $PROFILE

Exit status: 0 printed; 2 there is no such shell.")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  skinsim man | man -l -
  skinsim man snapshot take | man -l -
  skinsim man --dir ~/.local/share/man/man1

Exit status: 0 printed or written; 2 there is no such command, or a file could not be written.")]
pub struct ManArgs {
    /// The command whose page is wanted [default: the program's own]
    #[arg(conflicts_with = "dir")]
    command: Vec<String>,
    /// Write the pages of all commands to a folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the completions.
pub fn completions(args: &CompletionsArgs, mut program: Command) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "skinsim", &mut script);
    emit(&String::from_utf8_lossy(&script));
    Done::Clean
}

/// Prints a page, or writes all of them.
///
/// # Errors
/// When there is no such command, or a file cannot be written.
pub fn man(args: &ManArgs, mut program: Command) -> CliResult {
    // Names such as `skinsim-snapshot-take` are given when the program is built.
    program.build();
    let Some(folder) = &args.dir else {
        let mut command = &program;
        for name in &args.command {
            let found = command.find_subcommand(name);
            command = found.ok_or_else(|| {
                CliError(format!("man: want a command of `{}`, have {name:?}", command.get_name()))
            })?;
        }
        emit(&String::from_utf8_lossy(&page(command)?));
        return Ok(Done::Clean);
    };
    let mut pages = vec![&program];
    while let Some(command) = pages.pop() {
        let name = command.get_display_name().unwrap_or(command.get_name());
        output::write(&folder.join(format!("{name}.1")), &page(command)?)?;
        pages.extend(command.get_subcommands().filter(|command| command.get_name() != "help"));
    }
    Ok(Done::Clean)
}

fn page(command: &Command) -> Result<Vec<u8>, CliError> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut text = Vec::new();
    let written = Man::new(command.clone()).title(name).render(&mut text);
    written.map_err(|error| CliError(format!("man: {error}")))?;
    Ok(text)
}
