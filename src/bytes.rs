//! Checked reading of untrusted bytes: every offset is tested where it is read.
//!
//! [`View`] is a window into a file that remembers where it starts, so that an error names the
//! file offset whatever sub-slice was being read. All formats read through it; none indexes.

use byteorder::{BE, ByteOrder, LE};

/// What could not be read: which thing, at which file offset, what was wanted and what was there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at offset {offset:#x}: want {want}, have {have}")]
pub struct ReadError {
    /// The thing being read, in the format's own terms (`SK1[3] source`).
    pub what: String,
    /// File offset in bytes.
    pub offset: u64,
    /// What the format asks for.
    pub want: String,
    /// What the file holds.
    pub have: String,
}

impl ReadError {
    /// A new error; `want` and `have` are phrases without a full stop.
    pub fn new(
        what: impl Into<String>,
        offset: u64,
        want: impl Into<String>,
        have: impl Into<String>,
    ) -> Self {
        Self { what: what.into(), offset, want: want.into(), have: have.into() }
    }

    /// The same error told at the field that leads there, a pointer or a count, by its file offset; where it
    /// leads is part of what is wanted.
    #[must_use]
    pub fn led_by(self, field: u64) -> Self {
        let want = format!("{} at {:#x}", self.want, self.offset);
        Self { offset: field, want, ..self }
    }
}

/// Result of a checked read.
pub type ReadResult<T> = Result<T, ReadError>;

/// Byte order of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    /// Most significant byte first (GameCube, Wii, PS3).
    Big,
    /// Least significant byte first (PC).
    Little,
}

/// A window into a file: bytes, their file offset and their byte order.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    bytes: &'a [u8],
    base: u64,
    endian: Endian,
}

macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident, $type:ty, $size:literal, $read:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// When the bytes end before the value does.
        pub fn $name(&self, offset: u64, what: &str) -> ReadResult<$type> {
            let bytes = self.take(offset, $size, what)?;
            Ok(match self.endian {
                Endian::Big => BE::$read(bytes),
                Endian::Little => LE::$read(bytes),
            })
        }
    };
}

impl<'a> View<'a> {
    /// A whole file.
    pub fn new(bytes: &'a [u8], endian: Endian) -> Self {
        Self { bytes, base: 0, endian }
    }

    /// The same bytes read in another order.
    #[must_use]
    pub fn with_endian(self, endian: Endian) -> Self {
        Self { endian, ..self }
    }

    /// The bytes in view.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Number of bytes in view.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether the view holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// File offset of the first byte in view.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// `size` bytes at `offset` (relative to this view).
    ///
    /// # Errors
    /// When the range does not lie inside the view.
    pub fn take(&self, offset: u64, size: u64, what: &str) -> ReadResult<&'a [u8]> {
        let end = offset.checked_add(size).filter(|&end| end <= self.len());
        match end {
            Some(end) => Ok(&self.bytes[offset as usize..end as usize]),
            None => Err(ReadError::new(
                what,
                self.base.saturating_add(offset),
                format!("{size} bytes"),
                format!("{} of {} bytes left", self.len().saturating_sub(offset), self.len()),
            )),
        }
    }

    /// A view of `size` bytes at `offset`.
    ///
    /// # Errors
    /// When the range does not lie inside the view.
    pub fn sub(&self, offset: u64, size: u64, what: &str) -> ReadResult<View<'a>> {
        let bytes = self.take(offset, size, what)?;
        Ok(View { bytes, base: self.base + offset, endian: self.endian })
    }

    /// The view from `offset` to the end.
    ///
    /// # Errors
    /// When `offset` lies past the end.
    pub fn tail(&self, offset: u64, what: &str) -> ReadResult<View<'a>> {
        match self.len().checked_sub(offset) {
            Some(rest) => self.sub(offset, rest, what),
            None => self.sub(offset, 1, what),
        }
    }

    /// An unsigned byte.
    ///
    /// # Errors
    /// When the bytes end before the value does.
    pub fn u8(&self, offset: u64, what: &str) -> ReadResult<u8> {
        Ok(self.take(offset, 1, what)?[0])
    }

    /// A signed byte.
    ///
    /// # Errors
    /// When the bytes end before the value does.
    pub fn i8(&self, offset: u64, what: &str) -> ReadResult<i8> {
        Ok(self.u8(offset, what)? as i8)
    }

    scalar!(/// A 16-bit unsigned integer.
        u16, u16, 2, read_u16);
    scalar!(/// A 16-bit signed integer.
        i16, i16, 2, read_i16);
    scalar!(/// A 32-bit unsigned integer.
        u32, u32, 4, read_u32);
    scalar!(/// A 32-bit signed integer.
        i32, i32, 4, read_i32);
    scalar!(/// A 32-bit float.
        f32, f32, 4, read_f32);

    /// `N` consecutive 32-bit floats.
    ///
    /// # Errors
    /// When the bytes end before the last value does.
    pub fn f32s<const N: usize>(&self, offset: u64, what: &str) -> ReadResult<[f32; N]> {
        let mut out = [0.0; N];
        for (index, value) in out.iter_mut().enumerate() {
            *value = self.f32(offset + 4 * index as u64, what)?;
        }
        Ok(out)
    }

    /// The bytes of a NUL-ended string at `offset`, without the NUL.
    ///
    /// # Errors
    /// When no NUL follows inside the view.
    pub fn c_string(&self, offset: u64, what: &str) -> ReadResult<&'a [u8]> {
        let tail = self.tail(offset, what)?.bytes;
        match tail.iter().position(|&byte| byte == 0) {
            Some(end) => Ok(&tail[..end]),
            None => Err(ReadError::new(
                what,
                self.base + offset,
                "a NUL-ended string",
                format!("{} bytes without a NUL", tail.len()),
            )),
        }
    }

    /// Checks that `count` records of `size` bytes lie at `offset`, and gives them as one view.
    /// Use it before reserving memory for `count` of anything.
    ///
    /// # Errors
    /// When the table does not lie inside the view.
    pub fn table(&self, offset: u64, count: u64, size: u64, what: &str) -> ReadResult<View<'a>> {
        let total = count.saturating_mul(size);
        self.sub(offset, total, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_offset_in_the_whole_file() {
        let bytes = [0u8; 16];
        let inner = View::new(&bytes, Endian::Big).sub(8, 8, "section").unwrap();
        let error = inner.u32(6, "SK1[3] source").unwrap_err();
        assert_eq!(error.offset, 14);
        assert_eq!(error.to_string(), "SK1[3] source at offset 0xe: want 4 bytes, have 2 of 8 bytes left");
    }

    #[test]
    fn an_error_is_told_at_the_field_that_leads_there() {
        let error = View::new(&[0u8; 16], Endian::Big).sub(0x40, 8, "list").unwrap_err().led_by(4);
        assert_eq!(error.to_string(), "list at offset 0x4: want 8 bytes at 0x40, have 0 of 16 bytes left");
    }

    #[test]
    fn an_offset_that_overflows_is_an_error() {
        let bytes = [0u8; 4];
        assert!(View::new(&bytes, Endian::Big).take(u64::MAX, 2, "x").is_err());
        assert!(View::new(&bytes, Endian::Big).table(0, u64::MAX, 16, "x").is_err());
    }

    #[test]
    fn byte_order_is_the_views() {
        let bytes = [1, 2, 3, 4];
        let view = View::new(&bytes, Endian::Big);
        assert_eq!(view.u32(0, "x").unwrap(), 0x01020304);
        assert_eq!(view.with_endian(Endian::Little).u16(1, "x").unwrap(), 0x0302);
    }
}
