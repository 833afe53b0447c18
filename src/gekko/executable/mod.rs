//! Executables: what a program puts into memory, which of it is code, and what its symbols say.
//! DOL (the console's own format) and ELF; told apart by content.

use crate::bytes::{ReadError, ReadResult};

mod dol;
mod elf;
mod symbols;

pub use symbols::{Symbol, SymbolTable};

/// Bytes that a program puts at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Address of the first byte.
    pub address: u32,
    /// The bytes; memory after them is zero up to `size`.
    pub bytes: Vec<u8>,
    /// Bytes of memory it takes.
    pub size: u32,
    /// Whether it is code.
    pub executable: bool,
}

/// The refusal of a file of another kind, which names its first bytes.
fn neither(bytes: &[u8]) -> ReadError {
    let first: Vec<String> = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let have = if first.is_empty() { "an empty file".to_owned() } else { first.join(" ") };
    ReadError::new("program", 0, "a DOL or an ELF; it is neither a DOL nor an ELF", have)
}

/// A program in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Executable {
    /// What goes where, in file order.
    pub sections: Vec<Section>,
    /// Address of the first instruction.
    pub entry: u32,
    /// Named addresses (ELF only).
    pub symbols: Vec<Symbol>,
    /// Small data areas, told from the names of sections (ELF only).
    pub small_data: Vec<SmallData>,
}

/// A small data area: the register that points into it, and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallData {
    /// 2 or 13.
    pub register: usize,
    /// 32 KiB behind the area's start, as linkers define it.
    pub address: u32,
}

impl Executable {
    /// Reads a DOL or an ELF for a 32-bit big-endian PowerPC.
    ///
    /// # Errors
    /// When the file is neither, or is damaged.
    pub fn read(bytes: &[u8]) -> ReadResult<Self> {
        let executable = if bytes.starts_with(b"\x7fELF") {
            elf::read(bytes)?
        } else if dol::is_likely(bytes) {
            dol::read(bytes)?
        } else {
            return Err(neither(bytes));
        };
        if executable.sections.iter().any(|section| section.executable) {
            return Ok(executable);
        }
        Err(ReadError::new("executable", 0, "at least one code section", "none"))
    }

    /// The memory that it takes: first byte and one past the last of every section.
    pub fn ranges(&self) -> Vec<(u32, u32)> {
        let range = |section: &Section| (section.address, section.address.saturating_add(section.size));
        self.sections.iter().map(range).collect()
    }

    /// Address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }
}
