//! Who computes the frames: the direct model, or a processor that runs a program's code. Options and
//! files; the work is `c3::runtime::program`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::CliError;
use super::machine::parse_address;
use crate::c3::runtime::frame::ClearForm;
use crate::c3::runtime::program::{ProgramOptions, own};
use crate::c3::runtime::simulation::RunOptions;
use crate::gekko::executable::{Executable, Symbol, SymbolTable};

/// Options of the engine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Engine (GameCube / Wii)")]
pub struct EngineOptions {
    /// Who computes [default: model; cpu where a program is named]
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    /// The program whose code runs: a DOL, or an ELF for 32-bit PowerPC [default: our own kernels]
    #[arg(long, value_name = "FILE")]
    dol: Option<PathBuf>,
    /// Address of a function, before any map or table (repeatable)
    #[arg(long, value_name = "NAME=ADDR", value_parser = parse_symbol)]
    symbol: Vec<Symbol>,
    /// Addresses of functions: a map of Dolphin's or CodeWarrior's
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// The function called each frame, with r3 = bone pointers and r4 = SKN header [default: `SKNIt`]
    #[arg(long, value_name = "NAME|0xADDR")]
    call: Option<String>,
    /// A general purpose register before each call, r13 and r2 the small data (repeatable)
    #[arg(long, value_name = "rN=VALUE", value_parser = parse_register)]
    reg: Vec<(usize, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// Our model of the library: fast, and knows what each step means
    Model,
    /// A processor that executes PowerPC code instruction by instruction
    Cpu,
}

/// A program to run, read and ready.
#[derive(Debug, Clone)]
pub struct ProgramFile {
    /// As named on the command line; `None` for our own kernels.
    pub path: Option<PathBuf>,
    /// What it holds.
    pub executable: Executable,
    /// How to run it.
    pub options: ProgramOptions,
}

impl ProgramFile {
    /// Its name in messages and reports.
    pub fn name(&self) -> String {
        self.path.as_ref().map_or_else(|| "our own kernels".to_owned(), |path| path.display().to_string())
    }
}

impl EngineOptions {
    /// The program to run, or `None` for the direct model.
    ///
    /// # Errors
    /// When options contradict each other, or a file cannot be read.
    pub fn program(&self, run: &RunOptions) -> Result<Option<ProgramFile>, CliError> {
        let concerned = self.program_option();
        match (self.engine, concerned) {
            (Some(EngineName::Model), Some(option)) => {
                return Err(CliError(format!("{option}: want --engine cpu, have --engine model")));
            }
            (Some(EngineName::Model) | None, None) => return Ok(None),
            _ => {}
        }
        if run.clear == ClearForm::Bytes {
            return Err(CliError(
                "--clear bytes: want --engine model, have a processor, whose code clears as it is written"
                    .to_owned(),
            ));
        }
        let executable = match &self.dol {
            Some(path) => {
                let bytes = std::fs::read(path).map_err(|error| CliError::file(path, error))?;
                Executable::read(&bytes).map_err(|error| CliError::file(path, error))?
            }
            None => own::kernels(&run.game_code()).map_err(|error| CliError(error.to_string()))?,
        };
        let mut symbols = self.symbol.clone();
        if let Some(path) = &self.map {
            symbols.extend(symbol_map(path)?.iter().cloned());
        }
        let options = ProgramOptions { symbols, registers: self.reg.clone(), call: self.call.clone() };
        Ok(Some(ProgramFile { path: self.dol.clone(), executable, options }))
    }

    /// The first option that only a program can mean.
    fn program_option(&self) -> Option<&'static str> {
        [
            ("--dol", self.dol.is_some()),
            ("--symbol", !self.symbol.is_empty()),
            ("--map", self.map.is_some()),
            ("--call", self.call.is_some()),
            ("--reg", !self.reg.is_empty()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
        .or((self.engine == Some(EngineName::Cpu)).then_some("--engine"))
    }
}

/// Reads a map file.
///
/// # Errors
/// When it cannot be read or names nothing.
pub fn symbol_map(path: &Path) -> Result<SymbolTable, CliError> {
    let bytes = std::fs::read(path).map_err(|error| CliError::file(path, error))?;
    let table = SymbolTable::parse(&String::from_utf8_lossy(&bytes));
    if table.is_empty() {
        let want = "want lines such as \"80523e0c 0000010c 80523e0c 0 name\", have none";
        return Err(CliError::file(path, want));
    }
    Ok(table)
}

fn parse_symbol(text: &str) -> Result<Symbol, String> {
    let (name, address) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| format!("want NAME=ADDR such as SKNIt=0x8052369c, have {text:?}"))?;
    let value = parse_address(address)?;
    let digits = address.len() == 8 && address.starts_with(['8', '9']);
    if digits {
        return Err(format!("want hexadecimal with 0x, such as {name}=0x{address}, have {address:?}"));
    }
    if !value.is_multiple_of(4) {
        return Err(format!("want the address of an instruction, a multiple of 4, have {address:?}"));
    }
    Ok(Symbol { name: name.to_owned(), address: value, size: 0 })
}

fn parse_register(text: &str) -> Result<(usize, u32), String> {
    let number =
        |name: &str| name.trim().strip_prefix(['r', 'R'])?.parse().ok().filter(|&number| number < 32);
    let (register, value) = text
        .split_once('=')
        .and_then(|(name, value)| Some((number(name)?, value)))
        .ok_or_else(|| format!("want rN=VALUE with N below 32, such as r13=0x807961c0, have {text:?}"))?;
    Ok((register, parse_address(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_symbols_are_read_by_name() {
        assert_eq!(parse_register("r13=0x807961c0"), Ok((13, 0x8079_61c0)));
        assert!(parse_register("r32=0").is_err());
        assert!(parse_register("f1=0").is_err());
        assert!(parse_register("r1").is_err());
        assert_eq!(parse_symbol("SKNIt=0x80003100").unwrap().address, 0x8000_3100);
        assert!(parse_symbol("=0").is_err());
        assert!(parse_symbol("SKNIt").is_err());
        assert!(parse_symbol("SKNIt=0x80003101").unwrap_err().contains("multiple of 4"));
        assert!(parse_symbol("SKNIt=80003100").unwrap_err().contains("SKNIt=0x80003100"));
    }
}
