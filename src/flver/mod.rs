//! (wing under construction)

pub mod rules;

use crate::bytes::{ReadError, ReadResult};
use crate::finding::Finding;

/// Checks a FLVER file against every rule of this wing.
///
/// # Errors
/// When the bytes are not a FLVER that this version reads.
pub fn check(_bytes: &[u8]) -> ReadResult<Vec<Finding>> {
    Err(ReadError::new("FLVER", 0, "a supported model", "a format under construction"))
}
