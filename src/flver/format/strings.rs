//! Strings: UTF-16 or Shift-JIS, NUL-ended.

use crate::bytes::{ReadError, ReadResult, View};

use super::budget::Budget;

/// Reads the string at `offset`; offset 0 means none and gives an empty string.
///
/// # Errors
/// When the string runs to the end of the file without a NUL.
pub(super) fn read(
    view: &View,
    offset: u32,
    unicode: bool,
    budget: &mut Budget,
    what: &str,
) -> ReadResult<String> {
    if offset == 0 {
        return Ok(String::new());
    }
    let offset = u64::from(offset);
    if offset >= view.len() {
        return Err(ReadError::new(
            what,
            offset,
            "a string inside the file",
            format!("{} bytes in all", view.len()),
        ));
    }
    if !unicode {
        let bytes = view.c_string(offset, what)?;
        budget.charge(bytes.len() as u64, offset, what)?;
        return Ok(encoding_rs::SHIFT_JIS.decode_without_bom_handling(bytes).0.into_owned());
    }
    let bytes = view.tail(offset, what)?.bytes();
    let mut units = Vec::new();
    for pair in bytes.chunks_exact(2) {
        match u16::from_le_bytes([pair[0], pair[1]]) {
            0 => {
                budget.charge(2 * units.len() as u64, offset, what)?;
                return Ok(String::from_utf16_lossy(&units));
            }
            unit => units.push(unit),
        }
    }
    Err(ReadError::new(
        what,
        offset,
        "a NUL-ended UTF-16 string",
        format!("{} bytes without a NUL", bytes.len()),
    ))
}
