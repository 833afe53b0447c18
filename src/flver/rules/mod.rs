//! What known-good files obey; one rule one place.

use crate::finding::Code;

/// Every code of this wing.
pub static CODES: &[&Code] = &[];
