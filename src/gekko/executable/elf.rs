//! ELF for 32-bit big-endian PowerPC: what is loaded, symbols and small data areas, by the `object` crate.

use object::read::elf::{ElfFile32, FileHeader as _, ProgramHeader as _};
use object::{BigEndian, Object as _, ObjectSection as _, ObjectSymbol as _, SectionFlags, elf};

use super::{Executable, Section, SmallData, Symbol};
use crate::bytes::{ReadError, ReadResult};

/// Nothing that is loaded is larger than the memory there is, nor is all together.
const LARGEST: u32 = 0x0800_0000;

/// Segments or sections looked at; a linker makes a handful.
const MOST_PARTS: usize = 256;

/// How far the pointer to a small data area points behind its start. [PowerPC ABI]
const SMALL_DATA_OFFSET: u32 = 0x8000;

type File<'data> = ElfFile32<'data, BigEndian>;

pub(super) fn read(bytes: &[u8]) -> ReadResult<Executable> {
    let want = "an executable ELF for 32-bit big-endian PowerPC";
    let file =
        File::parse(bytes).map_err(|error| ReadError::new("ELF header", 0, want, error.to_string()))?;
    let header = file.elf_header();
    let (machine, kind) = (header.e_machine(BigEndian), header.e_type(BigEndian));
    if machine != elf::EM_PPC || kind != elf::ET_EXEC {
        return Err(ReadError::new("ELF header", 0x10, want, described(machine.0, kind.0)));
    }
    let sections = match segments(&file, bytes)? {
        segments if segments.is_empty() => sections(&file)?,
        segments => segments,
    };
    let total: u64 = sections.iter().map(|section| section.bytes.len() as u64).sum();
    if total > bytes.len() as u64 {
        let have = format!("{total} bytes in a file of {}", bytes.len());
        return Err(ReadError::new("ELF segments", 0, "segments that do not overlap", have));
    }
    let memory: u64 = sections.iter().map(|section| u64::from(section.size)).sum();
    if memory > u64::from(LARGEST) {
        let want = format!("at most {LARGEST:#x} bytes of memory");
        return Err(ReadError::new("ELF segments", 0, want, format!("{memory:#x}")));
    }
    Ok(Executable {
        sections,
        entry: header.e_entry(BigEndian),
        symbols: symbols(&file),
        small_data: small_data(&file),
    })
}

/// What an ELF is that is not wanted.
fn described(machine: u16, kind: u16) -> String {
    match kind {
        1 => "an object file, which is not linked yet".to_owned(),
        3 => "a position-independent file: link it with -static -no-pie".to_owned(),
        _ => format!("machine {machine}, type {kind}"),
    }
}

/// What the program headers load. Where none of it is marked as code, what holds code sections is, or the
/// entry point, or else all.
fn segments(file: &File, bytes: &[u8]) -> ReadResult<Vec<Section>> {
    let mut segments = Vec::new();
    for (number, segment) in file.elf_program_headers().iter().enumerate().take(MOST_PARTS) {
        let loaded = segment.p_type(BigEndian) == elf::PT_LOAD && segment.p_memsz(BigEndian) > 0;
        if loaded && !is_notes(segment, file) {
            segments.push(load(segment, number, bytes)?);
        }
    }
    if segments.iter().all(|segment| !segment.executable) {
        let code: Vec<u32> = code_sections(file).map(|(address, _)| address).collect();
        let entry = file.entry() as u32;
        let holds = |segment: &Section, address: u32| address.wrapping_sub(segment.address) < segment.size;
        let known = |segment: &Section| {
            code.iter().any(|&address| holds(segment, address)) || (code.is_empty() && holds(segment, entry))
        };
        let any = segments.iter().any(known);
        for segment in &mut segments {
            segment.executable = !any || known(segment);
        }
    }
    Ok(segments)
}

/// Whether a segment holds nothing but the file's own headers and notes. With `-Ttext` alone a linker puts
/// such a one where it would have begun the text, which is no memory of a console.
fn is_notes(segment: &elf::ProgramHeader32<BigEndian>, file: &File) -> bool {
    const HEADER: u32 = 0x34;
    if segment.p_flags(BigEndian).contains(elf::PF_X)
        || segment.p_memsz(BigEndian) > segment.p_filesz(BigEndian)
    {
        return false;
    }
    let range = |start: u32, size: u32| (u64::from(start), u64::from(start) + u64::from(size));
    let header = file.elf_header();
    let table = u32::from(header.e_phnum(BigEndian)) * u32::from(header.e_phentsize(BigEndian));
    let mut known = vec![range(0, HEADER), range(header.e_phoff(BigEndian), table)];
    let notes = file.elf_program_headers().iter().filter(|other| other.p_type(BigEndian) == elf::PT_NOTE);
    known.extend(notes.map(|note| range(note.p_offset(BigEndian), note.p_filesz(BigEndian))));
    known.sort_unstable();
    let (start, end) = range(segment.p_offset(BigEndian), segment.p_filesz(BigEndian));
    // What is aligned may leave a gap.
    let reached =
        known.into_iter().fold(start, |at, (first, last)| if first <= at + 3 { at.max(last) } else { at });
    reached >= end
}

fn load(segment: &elf::ProgramHeader32<BigEndian>, number: usize, bytes: &[u8]) -> ReadResult<Section> {
    let name = format!("ELF segment {number}");
    let offset = u64::from(segment.p_offset(BigEndian));
    let data = segment.data(BigEndian, bytes).map_err(|()| {
        ReadError::new(name.clone(), offset, "bytes inside the file", format!("{} bytes in it", bytes.len()))
    })?;
    let (address, size) = (segment.p_vaddr(BigEndian), segment.p_memsz(BigEndian));
    let executable = segment.p_flags(BigEndian).contains(elf::PF_X);
    section(&name, offset, (address, size), data, executable)
}

/// A part of the program that fits into 32 bits of address space.
fn section(
    name: &str,
    offset: u64,
    (address, size): (u32, u32),
    data: &[u8],
    executable: bool,
) -> ReadResult<Section> {
    if size > LARGEST || address.checked_add(size).is_none() || data.len() > size as usize {
        let have = format!("{} bytes for {size:#x} at {address:#010x}", data.len());
        return Err(ReadError::new(name, offset, "a range that fits into memory", have));
    }
    Ok(Section { address, bytes: data.to_vec(), size, executable })
}

/// What the section headers load, for a file without program headers.
fn sections(file: &File) -> ReadResult<Vec<Section>> {
    let mut loaded = Vec::new();
    for part in file.sections().take(MOST_PARTS) {
        let SectionFlags::Elf { sh_flags, .. } = part.flags() else { continue };
        if !sh_flags.contains(elf::SHF_ALLOC) || part.size() == 0 {
            continue;
        }
        let name = format!("ELF section {}", part.name().unwrap_or("without name"));
        let offset = part.file_range().map_or(0, |(offset, _)| offset);
        let data = part.data().map_err(|error| {
            ReadError::new(name.clone(), offset, "bytes inside the file", error.to_string())
        })?;
        let range = (part.address() as u32, u32::try_from(part.size()).unwrap_or(u32::MAX));
        let executable = sh_flags.contains(elf::SHF_EXECINSTR);
        loaded.push(section(&name, offset, range, data, executable)?);
    }
    Ok(loaded)
}

/// Address and size of every section of code.
fn code_sections<'a>(file: &'a File) -> impl Iterator<Item = (u32, u32)> + 'a {
    file.sections().take(MOST_PARTS).filter_map(|part| {
        let SectionFlags::Elf { sh_flags, .. } = part.flags() else { return None };
        let code = sh_flags.contains(elf::SHF_EXECINSTR) && part.size() > 0;
        code.then_some((part.address() as u32, part.size() as u32))
    })
}

/// The small data areas by the names of their sections: `.sdata` or, without it, `.sbss`.
fn small_data(file: &File) -> Vec<SmallData> {
    let start = |name: &str| file.section_by_name(name).map(|part| part.address() as u32);
    let areas =
        [(13, start(".sdata").or_else(|| start(".sbss"))), (2, start(".sdata2").or_else(|| start(".sbss2")))];
    areas
        .into_iter()
        .filter_map(|(register, start)| {
            Some(SmallData { register, address: start?.wrapping_add(SMALL_DATA_OFFSET) })
        })
        .collect()
}

fn symbols(file: &File) -> Vec<Symbol> {
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
