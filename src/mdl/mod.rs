//! Source-engine MDL: flex rules and the faces they deform.

pub mod format;
pub mod rules;

use crate::bytes::{ReadError, ReadResult};
use crate::finding::Finding;

/// Checks an MDL file (and its VVD, when given) against every rule of this wing.
///
/// # Errors
/// When the bytes are not an MDL that this version reads.
pub fn check(_bytes: &[u8], _vvd: Option<&[u8]>) -> ReadResult<Vec<Finding>> {
    Err(ReadError::new("MDL", 0, "a supported model", "a format under construction"))
}
