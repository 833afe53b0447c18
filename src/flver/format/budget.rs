//! How much a file may ask for: records may name the same bytes many times over.

use crate::bytes::{ReadError, ReadResult};

/// Each byte of a file may be named this often on average. Shipped models share a buffer between two meshes.
const REPEATS: u64 = 4;
/// Small files may repeat more, fifty meshes one buffer: this many bytes are always allowed.
const ALWAYS: u64 = 32 << 20;

/// Bytes that the records of a file may still name.
///
/// Without it, ten thousand 48-byte mesh records naming one vertex buffer would decode it ten thousand times.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    left: u64,
    total: u64,
}

impl Budget {
    pub(super) fn new(file_length: u64) -> Self {
        let total = file_length.saturating_mul(REPEATS).saturating_add(ALWAYS);
        Self { left: total, total }
    }

    /// Takes `bytes` from the budget.
    pub(super) fn charge(&mut self, bytes: u64, offset: u64, what: &str) -> ReadResult<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ReadError::new(
                what,
                offset,
                format!("records that name at most {} bytes, repeats counted", self.total),
                "records that name the same bytes far more often than any shipped model does",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_name_its_bytes_a_few_times_and_no_more() {
        let mut budget = Budget::new(ALWAYS);
        assert!(budget.charge(5 * ALWAYS, 0, "x").is_ok());
        assert!(budget.charge(1, 7, "mesh 3 vertex buffers").unwrap_err().to_string().contains("mesh 3"));
    }
}
