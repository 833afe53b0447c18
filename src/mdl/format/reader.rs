//! Reading tables that structures point to: relative offsets, counts, names, and a budget that keeps
//! overlapping tables from multiplying.

use super::header::HeaderTable;
use crate::bytes::{Endian, ReadError, ReadResult, View};

/// Longest name read, in bytes. The engine's own buffers are shorter (64 and 128).
const NAME_LIMIT: u64 = 256;

/// How often the bytes of a file may be read as table entries, on average. In a compiler's output
/// tables do not overlap at all; a file whose tables contain each other could otherwise describe
/// more entries than memory holds.
const OVERLAP_LIMIT: u64 = 4;

/// Small files may repeat more: this many bytes may always be read as table entries.
const ALWAYS: u64 = 16 << 20;

/// A whole MDL file and how many bytes of it may still be read as table entries.
pub(super) struct Reader<'a> {
    view: View<'a>,
    budget: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let view = View::new(bytes, Endian::Little);
        Self { view, budget: view.len().saturating_mul(OVERLAP_LIMIT).max(ALWAYS) }
    }

    pub(super) fn view(&self) -> View<'a> {
        self.view
    }

    /// The entries of `count` times `size` bytes that lie `relative` bytes from `base`. An empty
    /// table's offset is not looked at, as compilers leave anything there.
    pub(super) fn table(
        &mut self,
        base: u64,
        (count, relative): (i32, i32),
        size: u64,
        what: &str,
    ) -> ReadResult<impl Iterator<Item = View<'a>> + use<'a>> {
        let count = u64::try_from(count)
            .map_err(|_| ReadError::new(what, base, "a count of 0 or more", count.to_string()))?;
        let offset = if count == 0 { 0 } else { resolve(base, relative, what)? };
        let table = self.view.table(offset, count, size, what)?;
        self.budget = self.budget.checked_sub(table.len()).ok_or_else(|| {
            ReadError::new(
                what,
                offset,
                "tables that overlap less than four times the file, or 16 MiB in all",
                format!("{count} more entries of {size} bytes"),
            )
        })?;
        Ok((0..count).map_while(move |index| table.sub(index * size, size, "table entry").ok()))
    }

    /// The entries of a table that the header names; an error names the header's field that is wrong.
    pub(super) fn header_table(
        &mut self,
        HeaderTable { count, offset, field }: HeaderTable,
        size: u64,
        what: &str,
    ) -> ReadResult<impl Iterator<Item = View<'a>> + use<'a>> {
        let length = self.view.len();
        let file = || format!("a file of {length} bytes");
        match (u64::try_from(count), u64::try_from(offset)) {
            (Err(_), _) => {
                let what = format!("number of {what}");
                return Err(ReadError::new(what, field, "a count of 0 or more", count.to_string()));
            }
            (Ok(1..), Err(_)) => {
                let what = format!("offset of the {what}");
                return Err(ReadError::new(what, field + 4, "an offset inside the file", offset.to_string()));
            }
            (Ok(1..), Ok(start)) if start >= length => {
                let (what, want) = (format!("offset of the {what}"), "an offset inside the file");
                return Err(ReadError::new(what, field + 4, want, format!("{start:#x} in {}", file())));
            }
            (Ok(entries), Ok(start)) if entries > 0 && entries * size > length - start => {
                let (what, want) =
                    (format!("number of {what}"), format!("{entries} of {size} bytes at {start:#x}"));
                return Err(ReadError::new(what, field, want, file()));
            }
            _ => {}
        }
        self.table(0, (count, offset), size, what)
    }

    /// The NUL-ended name `relative` bytes from `base`; bytes that are no UTF-8 are replaced.
    pub(super) fn name(&self, base: u64, relative: i32, what: &str) -> ReadResult<String> {
        let offset = resolve(base, relative, what)?;
        if offset >= self.view.len() {
            let have = format!("a file of {} bytes", self.view.len());
            return Err(ReadError::new(what, offset, "a name inside the file", have));
        }
        let tail = self.view.tail(offset, what)?;
        let limited = tail.sub(0, tail.len().min(NAME_LIMIT), what)?;
        Ok(String::from_utf8_lossy(limited.c_string(0, what)?).into_owned())
    }
}

/// The file offset `relative` bytes from a structure at `base`.
fn resolve(base: u64, relative: i32, what: &str) -> ReadResult<u64> {
    base.checked_add_signed(i64::from(relative)).ok_or_else(|| {
        let have = format!("{relative} from {base:#x}, before the file");
        ReadError::new(what, base, "an offset inside the file", have)
    })
}

/// A name stored in a fixed field, up to its NUL or the field's end.
pub(super) fn fixed_name(view: &View, offset: u64, size: u64, what: &str) -> ReadResult<String> {
    let field = view.take(offset, size, what)?;
    let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    Ok(String::from_utf8_lossy(&field[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_overlap_again_and_again_run_out_of_budget() {
        let bytes = vec![0u8; 1 << 20];
        let mut reader = Reader::new(&bytes);
        for _ in 0..16 {
            assert_eq!(reader.table(0, (1 << 16, 0), 16, "x").unwrap().count(), 1 << 16);
        }
        assert!(reader.table(0, (1, 0), 16, "x").is_err());
    }

    #[test]
    fn an_offset_before_the_file_and_a_negative_count_are_errors() {
        let bytes = [0u8; 64];
        let mut reader = Reader::new(&bytes);
        assert!(reader.table(8, (1, -9), 4, "x").is_err());
        assert!(reader.table(8, (-1, 0), 4, "x").is_err());
        assert!(reader.table(8, (0, i32::MIN), 4, "x").is_ok());
    }

    #[test]
    fn a_name_without_an_end_is_an_error() {
        assert!(Reader::new(&[b'a'; 300]).name(0, 0, "x").is_err());
        let outside = Reader::new(&[0; 8]).name(4, 4, "x").unwrap_err().to_string();
        assert_eq!(outside, "x at offset 0x8: want a name inside the file, have a file of 8 bytes");
        assert_eq!(Reader::new(b"xx\0smile\0").name(1, 2, "x").unwrap(), "smile");
    }
}
