//! From a bone number to the matrix scratch of an entry: the bone array's pointer, the record's skin
//! matrix, and the reordered copy (three columns and the translation, packed). [listing]

use super::code::unlisted;
use super::kernels::{Columns, FLOAT_GQR};
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;

/// Offset of the skin matrix pointer in a bone record. [listing]
pub const SKIN_MATRIX_POINTER: u32 = 0x88;

/// Reads the skin matrix of bone `bone` and writes its columns to `scratch`, both through the data
/// cache. The order of accesses inside the library's reorder routine is not listed: rows first, two
/// cells at a time, is assumed. [open]
///
/// # Errors
/// [`crate::gekko::machine::Halt`] at a fault that stops the machine.
pub fn reorder<B: Bus>(bus: &mut B, bones: u32, bone: u16, scratch: u32) -> Access<()> {
    let frame = unlisted("frame").at(0);
    let site = unlisted("reorder").at(0);
    let record = bus.read_u32(bones.wrapping_add(u32::from(bone) * 4), frame)?;
    let matrix = bus.read_u32(record.wrapping_add(SKIN_MATRIX_POINTER), frame)?;

    let mut rows = [[0.0f32; 4]; 3];
    for half in 0..2u32 {
        for row in 0..3u32 {
            let pair = bus.load_pair(matrix.wrapping_add(16 * row + 8 * half), false, FLOAT_GQR, site)?;
            rows[row as usize][2 * half as usize..][..2].copy_from_slice(&pair);
        }
    }
    let cells = columns_first(&rows);
    for (index, pair) in cells.chunks_exact(2).enumerate() {
        bus.store_pair(scratch.wrapping_add(8 * index as u32), [pair[0], pair[1]], false, FLOAT_GQR, site)?;
    }
    Ok(())
}

/// A row-major 3 × 4 matrix as four packed columns.
fn columns_first(rows: &[[f32; 4]; 3]) -> [f32; 12] {
    std::array::from_fn(|index| rows[index % 3][index / 3])
}

impl Columns {
    /// Decodes a scratch of 48 big-endian bytes.
    pub fn from_scratch(bytes: &[u8; 48]) -> Self {
        let cell = |index: usize| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|byte| bytes[4 * index + byte]);
            f32::from_be_bytes([a, b, c, d])
        };
        let column = |number: usize| [cell(3 * number), cell(3 * number + 1), cell(3 * number + 2)];
        Self { column: [column(0), column(1), column(2)], translation: column(3) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scratch_holds_columns() {
        let rows = [[0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0], [20.0, 21.0, 22.0, 23.0]];
        let cells = columns_first(&rows);
        assert_eq!(cells, [0.0, 10.0, 20.0, 1.0, 11.0, 21.0, 2.0, 12.0, 22.0, 3.0, 13.0, 23.0]);
        let mut scratch = [0; 48];
        for (index, cell) in cells.iter().enumerate() {
            scratch[4 * index..4 * index + 4].copy_from_slice(&cell.to_be_bytes());
        }
        assert_eq!(Columns::from_scratch(&scratch).translation, [3.0, 13.0, 23.0]);
    }
}
