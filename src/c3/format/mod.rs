//! Bytes to typed views and back; no behaviour.
//!
//! A parsed view holds as much of a broken file as can be read: an entry whose source pointer lies
//! outside its section is still an entry, and what could not be followed is listed as a problem beside
//! it. Only a file whose own header is missing is an error. Writing a view gives its bytes back with the
//! typed fields laid over them, so an unchanged view is the same file, padding and unknown bytes included.

use std::ops::Range;

pub mod act;
pub mod anm;
pub mod block;
pub mod facial;
pub mod gpl;
pub mod skn;
pub mod tex;

/// `value` rounded up to the next multiple of 32, the size of a cache line.
pub const fn align32(value: u64) -> u64 {
    value.saturating_add(31) & !31
}

/// The same bytes as ranges in ascending order and apart from each other, none of them empty.
pub fn apart(ranges: impl Iterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut sorted: Vec<Range<u64>> = ranges.filter(|range| !range.is_empty()).collect();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut apart: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match apart.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => apart.push(range),
        }
    }
    apart
}

/// Lays `field` over `bytes` at `offset` as far as it lies inside them.
fn overlay(bytes: &mut [u8], offset: u64, field: &[u8]) {
    let end = offset.saturating_add(field.len() as u64);
    if end <= bytes.len() as u64 {
        bytes[offset as usize..end as usize].copy_from_slice(field);
    }
}

#[cfg(test)]
mod tests {
    use super::align32;

    #[test]
    fn aligning_never_overflows() {
        assert_eq!(align32(0), 0);
        assert_eq!(align32(1), 32);
        assert_eq!(align32(64), 64);
        assert_eq!(align32(u64::MAX), !31);
    }
}
