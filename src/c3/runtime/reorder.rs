//! From a bone number to the matrix scratch of an entry: the bone array's pointer, the record's skin
//! matrix, and the reordered copy (three columns and the translation, packed). [listing]

use super::code::unlisted;
use super::kernels::{Columns, FLOAT_GQR};
use crate::gekko::bus::Bus;
use crate::gekko::machine::{Access, Machine};
use crate::gekko::quantize::{Gqr, stored_float};

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

    if !B::OBSERVED && reorder_in_bulk(bus.machine(), matrix, scratch).is_some() {
        return Ok(());
    }
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

/// The same where no access can fault and no data cache stands between. All loads come before all
/// stores, so that it does not matter whether the ranges overlap.
fn reorder_in_bulk(machine: &mut Machine, matrix: u32, scratch: u32) -> Option<()> {
    if machine.data_cache.is_some() || machine.gqr[FLOAT_GQR] != Gqr::default() {
        return None;
    }
    let (cells, _) = machine.memory(matrix, 48)?.as_chunks::<4>();
    let rows: [[u8; 4]; 12] = cells.try_into().ok()?;
    let (scratch, _) = machine.memory_mut(scratch, 48)?.as_chunks_mut::<4>();
    for (index, cell) in scratch.iter_mut().enumerate() {
        let value = f32::from_be_bytes(rows[4 * (index % 3) + index / 3]);
        *cell = stored_float(value).to_be_bytes();
    }
    Some(())
}

/// A row-major 3 × 4 matrix as four packed columns.
fn columns_first(rows: &[[f32; 4]; 3]) -> [f32; 12] {
    std::array::from_fn(|index| rows[index % 3][index / 3])
}

impl Columns {
    /// Decodes a scratch of 48 big-endian bytes.
    pub fn from_scratch(bytes: &[u8; 48]) -> Self {
        let (cells, _) = bytes.as_chunks::<4>();
        let cell = |index: usize| f32::from_be_bytes(cells[index]);
        let column = |number: usize| [cell(3 * number), cell(3 * number + 1), cell(3 * number + 2)];
        Self { column: [column(0), column(1), column(2)], translation: column(3) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gekko::bus::Watched;
    use crate::gekko::machine::tests::config;
    use crate::gekko::map::Target;

    #[test]
    fn in_bulk_and_cell_by_cell_the_scratch_gets_the_same_bytes() {
        const BONES: u32 = 0x8000_1000;
        const RECORD: u32 = 0x8000_2000;
        const MATRIX: u32 = 0x8000_3000;
        let cells: [u32; 12] = std::array::from_fn(|index| match index {
            1 => 0x7fc0_1234,
            2 => 0x8000_0001,
            3 => 0xff80_0001,
            5 => 0x007f_ffff,
            other => 0x3f80_0000 + other as u32,
        });
        for scratch in [0x8000_4000, MATRIX + 8, 0xe000_0100] {
            let mut machine = Machine::new(config(Target::Dolphin));
            let mut put = |address: u32, value: u32| {
                machine.memory_mut(address, 4).unwrap().copy_from_slice(&value.to_be_bytes());
            };
            put(BONES + 4, RECORD);
            put(RECORD + SKIN_MATRIX_POINTER, MATRIX);
            for (index, &cell) in (0..).zip(&cells) {
                put(MATRIX + 4 * index, cell);
            }
            let mut stepped = machine.clone();
            reorder(&mut machine, BONES, 1, scratch).unwrap();
            reorder(&mut Watched::new(&mut stepped, |_| ()), BONES, 1, scratch).unwrap();
            assert!(machine == stepped, "{scratch:#x}");
            let second = machine.memory(scratch + 24, 4).unwrap();
            assert_eq!(second, 0x8000_0000u32.to_be_bytes(), "a denormal is flushed");
        }
    }

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
