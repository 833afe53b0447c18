//! DOL: a header of eighteen section offsets, addresses and sizes (seven of code, eleven of data),
//! then the range to clear and the entry point. [public format, as Dolphin loads it]

use super::{Executable, Section};
use crate::bytes::{Endian, ReadError, ReadResult, View};

const SECTIONS: u64 = 18;
const CODE_SECTIONS: u64 = 7;
const HEADER_SIZE: u32 = 0x100;
/// Nothing a program may clear is larger than the memory there is.
const LARGEST_CLEAR: u32 = 0x0400_0000;

/// Whether a file looks like a DOL: no magic says so, but the first code section lies behind the header,
/// and goes into the memory of a console, or every section lies in the file behind the header.
pub(super) fn is_likely(bytes: &[u8]) -> bool {
    let view = View::new(bytes, Endian::Big);
    let field = |offset: u64| view.u32(offset, "DOL header").unwrap_or(0);
    let section = |number: u64| (field(4 * number), field(0x48 + 4 * number), field(0x90 + 4 * number));
    let mut code = (0..CODE_SECTIONS).map(section).filter(|&(_, _, size)| size > 0);
    let memory = |address: u32| matches!(address >> 24, 0x80..=0x81 | 0x90..=0x93);
    let inside = |(offset, _, size): (u32, u32, u32)| {
        size == 0 || offset >= HEADER_SIZE && u64::from(offset) + u64::from(size) <= bytes.len() as u64
    };
    code.next().is_some_and(|(offset, address, _)| offset >= HEADER_SIZE && memory(address))
        || (0..CODE_SECTIONS).any(|number| section(number).2 > 0) && (0..SECTIONS).map(section).all(inside)
}

pub(super) fn read(bytes: &[u8]) -> ReadResult<Executable> {
    let view = View::new(bytes, Endian::Big);
    view.take(0, u64::from(HEADER_SIZE), "DOL header")?;
    let mut executable = Executable { entry: view.u32(0xe0, "DOL entry point")?, ..Executable::default() };
    if let Some(clear) = clear_range(&view)? {
        // First, so that sections inside the range are seen after it.
        executable.sections.push(clear);
    }
    for number in 0..SECTIONS {
        let offset = view.u32(4 * number, "DOL section offset")?;
        let address = view.u32(0x48 + 4 * number, "DOL section address")?;
        let size = view.u32(0x90 + 4 * number, "DOL section size")?;
        if size == 0 {
            continue;
        }
        let name = format!("DOL section {number}");
        let fits = address.checked_add(size).is_some();
        if offset < HEADER_SIZE || !fits {
            let want = if fits { "bytes after the header" } else { "addresses of 32 bits" };
            let have = format!("offset {offset:#x}, address {address:#010x}, size {size:#x}");
            return Err(ReadError::new(name, 4 * number, want, have));
        }
        let bytes = view.take(u64::from(offset), u64::from(size), &name)?.to_vec();
        executable.sections.push(Section { address, bytes, size, executable: number < CODE_SECTIONS });
    }
    if executable.entry & 3 != 0 {
        let have = format!("{:#010x}", executable.entry);
        return Err(ReadError::new("DOL entry point", 0xe0, "a multiple of 4", have));
    }
    Ok(executable)
}

fn clear_range(view: &View) -> ReadResult<Option<Section>> {
    let (address, size) = (view.u32(0xd8, "DOL bss address")?, view.u32(0xdc, "DOL bss size")?);
    if size > LARGEST_CLEAR {
        let have = format!("{size:#x}");
        return Err(ReadError::new("DOL bss size", 0xdc, format!("at most {LARGEST_CLEAR:#x}"), have));
    }
    Ok((size > 0).then(|| Section { address, bytes: Vec::new(), size, executable: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dol() -> Vec<u8> {
        let mut bytes = vec![0; 0x120];
        for (offset, value) in [
            (0x00, 0x100u32),
            (0x48, 0x8000_3100),
            (0x90, 0x20),
            (0xd8, 0x8000_4000),
            (0xdc, 64),
            (0xe0, 0x8000_3100),
        ] {
            bytes[offset..offset + 4].copy_from_slice(&value.to_be_bytes());
        }
        bytes
    }

    #[test]
    fn code_and_cleared_memory_are_found() {
        let executable = read(&dol()).unwrap();
        assert_eq!(executable.entry, 0x8000_3100);
        assert_eq!(executable.sections.len(), 2);
        assert!(executable.sections[1].executable);
        assert_eq!((executable.sections[0].address, executable.sections[0].size), (0x8000_4000, 64));
    }

    #[test]
    fn a_section_past_the_end_is_named() {
        let mut bytes = dol();
        bytes[0x93] = 0x40;
        let error = read(&bytes).unwrap_err().to_string();
        assert!(error.starts_with("DOL section 0 at offset 0x100: want 64 bytes"), "{error}");
    }

    #[test]
    fn a_section_where_no_memory_is_makes_it_no_other_file() {
        let mut bytes = dol();
        bytes[0x48..0x4c].copy_from_slice(&0xffff_fff0u32.to_be_bytes());
        assert!(is_likely(&bytes));
        let error = read(&bytes).unwrap_err().to_string();
        assert!(
            error.contains("want addresses of 32 bits, have offset 0x100, address 0xfffffff0"),
            "{error}"
        );
        // Neither behind the header nor in memory: any file.
        bytes[2] = 0;
        assert!(!is_likely(&bytes));
    }

    #[test]
    fn a_short_file_is_no_dol() {
        assert!(read(&[0; 16]).is_err());
    }
}
