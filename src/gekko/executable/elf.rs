//! ELF for 32-bit big-endian PowerPC: segments and symbols, by the `object` crate.

use object::read::elf::{ElfFile32, FileHeader as _, ProgramHeader as _};
use object::{BigEndian, Object as _, ObjectSymbol as _, elf};

use super::{Executable, Section, Symbol};
use crate::bytes::{ReadError, ReadResult};

/// No segment is larger than the memory there is, nor are all together.
const LARGEST_SEGMENT: u32 = 0x0800_0000;

/// Segments looked at; a linker makes a handful.
const MOST_SEGMENTS: usize = 64;

pub(super) fn read(bytes: &[u8]) -> ReadResult<Executable> {
    let want = "an executable ELF for 32-bit big-endian PowerPC";
    let file = ElfFile32::<BigEndian>::parse(bytes)
        .map_err(|error| ReadError::new("ELF header", 0, want, error.to_string()))?;
    let header = file.elf_header();
    let (machine, kind) = (header.e_machine(BigEndian), header.e_type(BigEndian));
    if machine != elf::EM_PPC || kind != elf::ET_EXEC {
        let have = format!("machine {machine:?}, type {kind:?}");
        return Err(ReadError::new("ELF header", 0x10, want, have));
    }
    let mut executable = Executable { entry: header.e_entry(BigEndian), ..Executable::default() };
    for (number, segment) in file.elf_program_headers().iter().enumerate().take(MOST_SEGMENTS) {
        if segment.p_type(BigEndian) == elf::PT_LOAD {
            executable.sections.push(load(segment, number, bytes)?);
        }
    }
    let total: u64 = executable.sections.iter().map(|section| section.bytes.len() as u64).sum();
    if total > bytes.len() as u64 {
        let have = format!("{total} bytes in segments of a file of {}", bytes.len());
        return Err(ReadError::new("ELF segments", 0, "segments that do not overlap", have));
    }
    let memory: u64 = executable.sections.iter().map(|section| u64::from(section.size)).sum();
    if memory > u64::from(LARGEST_SEGMENT) {
        let want = format!("at most {LARGEST_SEGMENT:#x} bytes of memory");
        return Err(ReadError::new("ELF segments", 0, want, format!("{memory:#x}")));
    }
    executable.symbols = symbols(&file);
    Ok(executable)
}

fn load(segment: &elf::ProgramHeader32<BigEndian>, number: usize, bytes: &[u8]) -> ReadResult<Section> {
    let name = format!("ELF segment {number}");
    let offset = u64::from(segment.p_offset(BigEndian));
    let data = segment.data(BigEndian, bytes).map_err(|()| {
        ReadError::new(name.clone(), offset, "bytes inside the file", format!("{} bytes in it", bytes.len()))
    })?;
    let (address, size) = (segment.p_vaddr(BigEndian), segment.p_memsz(BigEndian));
    if size > LARGEST_SEGMENT || address.checked_add(size).is_none() || data.len() > size as usize {
        let have = format!("{} bytes for {size:#x} at {address:#010x}", data.len());
        return Err(ReadError::new(name, offset, "a segment that fits into memory", have));
    }
    let flags = segment.p_flags(BigEndian);
    Ok(Section { address, bytes: data.to_vec(), size, executable: flags.contains(elf::PF_X) })
}

fn symbols(file: &ElfFile32<BigEndian>) -> Vec<Symbol> {
    file.symbols()
        .filter(|symbol| symbol.is_definition() || symbol.section() == object::SymbolSection::Absolute)
        .filter_map(|symbol| {
            let name = symbol.name().ok().filter(|name| !name.is_empty())?;
            Some(Symbol {
                name: name.to_owned(),
                address: symbol.address() as u32,
                size: symbol.size() as u32,
            })
        })
        .collect()
}
