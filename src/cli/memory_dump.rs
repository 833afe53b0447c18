//! Options of a memory dump: the next frame of a paused game.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use super::CliError;
use super::machine::parse_address;
use crate::c3::runtime::resident::{Resident, follow_actor};
use crate::gekko::machine::Machine;

/// A dump and where things lie in it.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Memory dump (GameCube / Wii)")]
pub struct RamOptions {
    /// A dump of memory instead of a model (repeatable): 0x80000000:mem1.raw, 0x90000000:mem2.raw. The next
    /// frame runs with the bones and matrices that are there
    #[arg(long, value_name = "BASE:FILE", value_parser = parse_dump)]
    #[arg(conflicts_with_all = ["anim", "no_skeleton", "face", "matrices", "engine", "dol"])]
    pub ram: Vec<RamFile>,
    /// Where the dump has the SKN header, relocated
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address, requires = "ram")]
    pub skn_at: Option<u32>,
    /// Where the dump has the array of pointers to bone records
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address, requires = "ram")]
    pub bones_at: Option<u32>,
    /// Where the dump has the skinned position array, and its vertices
    #[arg(long, value_name = "ADDRESS:COUNT", value_parser = parse_positions, requires = "ram")]
    pub positions_at: Option<(u32, u16)>,
    /// Where the dump has the actor record, which leads to bones and SKN
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address, requires = "ram")]
    pub actor_at: Option<u32>,
}

/// A file of memory and its address.
#[derive(Debug, Clone)]
pub struct RamFile {
    base: u32,
    file: PathBuf,
}

fn parse_dump(text: &str) -> Result<RamFile, String> {
    match text.split_once(':') {
        Some((base, file)) if !file.is_empty() => {
            Ok(RamFile { base: parse_address(base)?, file: file.into() })
        }
        _ => Err(format!("want BASE:FILE such as 0x80000000:mem1.raw, have {text:?}")),
    }
}

fn parse_positions(text: &str) -> Result<(u32, u16), String> {
    let wrong = || format!("want ADDRESS:COUNT such as 0x80a000c0:1518, have {text:?}");
    let (address, count) = text.split_once(':').ok_or_else(wrong)?;
    Ok((parse_address(address)?, count.parse().map_err(|_| wrong())?))
}

/// Why a command takes no memory dump, as the parser of its hidden `--ram`.
///
/// # Errors
/// Always.
pub fn refuse_dump(_: &str) -> Result<String, String> {
    let text = "want files of models, whose geometry and rules are looked at; a memory dump holds a relocated skin \
                alone: `skinsim run --ram` runs its next frames";
    Err(text.to_owned())
}

/// Bytes that are read at a time.
const PIECE: usize = 0x1_0000;
/// Bytes that are left out together when they are all zero, as fresh memory is.
const PAGE: usize = 0x1000;

impl RamOptions {
    /// Whether a dump takes the model's place.
    pub fn is_given(&self) -> bool {
        !self.ram.is_empty()
    }

    /// Refuses options that say where things lie in a dump when there is none: the parser lets them pass
    /// beside a model, which excludes a dump.
    ///
    /// # Errors
    /// When there is such an option.
    pub fn refuse_without_dump(&self) -> Result<(), CliError> {
        let given = [
            ("--skn-at", self.skn_at.is_some()),
            ("--bones-at", self.bones_at.is_some()),
            ("--positions-at", self.positions_at.is_some()),
            ("--actor-at", self.actor_at.is_some()),
        ];
        match given.iter().find(|(_, given)| *given && !self.is_given()) {
            Some((option, _)) => Err(CliError(format!(
                "{option} says where a memory dump has something: want --ram BASE:FILE, have a model"
            ))),
            None => Ok(()),
        }
    }

    /// The files' names for people.
    pub fn name(&self) -> String {
        let names: Vec<String> = self.ram.iter().map(|ram| ram.file.display().to_string()).collect();
        names.join(", ")
    }

    /// Reads the files into memory, and says where things lie.
    ///
    /// # Errors
    /// When a file cannot be read or does not lie in memory, or an address leads nowhere.
    pub fn load(&self, machine: &mut Machine) -> Result<Resident, CliError> {
        for ram in &self.ram {
            ram.load(machine)?;
        }
        let error = |error: &dyn std::fmt::Display| CliError(format!("{}: {error}", self.name()));
        let actor = self.actor_at.map(|actor| follow_actor(machine, actor)).transpose();
        let actor = match (self.skn_at, self.bones_at) {
            // What is named needs no record to lead there.
            (Some(_), Some(_)) => None,
            _ => actor.map_err(|e| error(&e))?,
        };
        let want = |option: &str| CliError(format!("--ram: want {option} ADDRESS, or --actor-at ADDRESS"));
        let resident = Resident {
            skn: self.skn_at.or(actor.map(|(_, skn)| skn)).ok_or_else(|| want("--skn-at"))?,
            bones: self.bones_at.or(actor.map(|(bones, _)| bones)).ok_or_else(|| want("--bones-at"))?,
            positions: self.positions_at,
        };
        resident.require(machine).map_err(|e| error(&e))?;
        Ok(resident)
    }
}

impl RamFile {
    /// Copies what is not zero, page by page: untouched memory costs nothing.
    fn load(&self, machine: &mut Machine) -> Result<(), CliError> {
        let error = |error: &dyn std::fmt::Display| CliError::file(&self.file, error);
        let mut file = File::open(&self.file).map_err(|e| error(&e))?;
        let mut piece = vec![0; PIECE];
        let mut at: u64 = 0;
        loop {
            let held = fill(&mut file, &mut piece).map_err(|e| error(&e))?;
            for (index, page) in piece[..held].chunks(PAGE).enumerate() {
                let offset = at + (index * PAGE) as u64;
                let address = u64::from(self.base) + offset;
                if page.iter().any(|&byte| byte != 0) && !place(machine, address, page) {
                    let base = self.base;
                    return Err(error(&format!(
                        "offset {offset:#x}: want memory at {address:#010x} ({base:#010x} and the offset), have \
                         none there on this console"
                    )));
                }
            }
            at += held as u64;
            if held < PIECE {
                break;
            }
        }
        if at == 0 {
            return Err(error(&"want a dump of memory, have an empty file"));
        }
        Ok(())
    }
}

fn place(machine: &mut Machine, address: u64, page: &[u8]) -> bool {
    let memory =
        u32::try_from(address).ok().and_then(|address| machine.memory_mut(address, page.len() as u32));
    memory.map(|memory| memory.copy_from_slice(page)).is_some()
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut held = 0;
    while held < buffer.len() {
        match file.read(&mut buffer[held..])? {
            0 => break,
            more => held += more,
        }
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_an_address_and_a_file() {
        let ram = parse_dump("0x90000000:C:\\mem2.raw").unwrap();
        assert_eq!((ram.base, ram.file), (0x9000_0000, PathBuf::from("C:\\mem2.raw")));
        for wrong in ["mem1.raw", "0x80000000:", "x:mem1.raw", ""] {
            assert!(parse_dump(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_positions("0x80a000c0:12"), Ok((0x80a0_00c0, 12)));
        for wrong in ["0x80a000c0", "0x80a000c0:x", "0x80a000c0:65536"] {
            assert!(parse_positions(wrong).is_err(), "{wrong}");
        }
    }
}
