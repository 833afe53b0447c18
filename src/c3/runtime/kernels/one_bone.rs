//! The one-bone kernel, access by access. Offsets are those of the library's instructions; the order
//! of accesses in time is the order of the offsets. [listing]

use super::{
    Columns, STRIDE, VERTEX_GQR, WRAPPED_TURNS, cell, cells, column, loop_turns, read_vertex, store_vertex,
};
use crate::c3::runtime::code::Function;
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;

/// Arguments of the one-bone kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneBoneCall {
    /// Reordered matrix: four columns of three floats.
    pub matrix: u32,
    /// First source vertex.
    pub source: u32,
    /// First destination vertex.
    pub destination: u32,
    /// Vertex count as the entry says.
    pub count: u16,
}

/// Runs the kernel. Vertex 0 is computed and vertex 1 read before the loop, whatever the count; each
/// turn stores one vertex, computes the next and reads the one after it.
///
/// # Errors
/// [`crate::gekko::machine::Halt`] at a fault that stops the machine, or when a wrapped counter is cut off.
pub fn one_bone<B: Bus>(bus: &mut B, code: Function, call: &OneBoneCall) -> Access<()> {
    let rounding = bus.machine().config().rounding;
    let at = |offset| code.at(offset);
    let (matrix, mut source, mut destination) = (call.matrix, call.source, call.destination);

    bus.machine().marker = Some(0);
    let column_0 = cells(bus, matrix, at(0x20))?;
    let column_0_z = cell(bus, matrix.wrapping_add(8), at(0x28))?;
    let translation = cells(bus, matrix.wrapping_add(36), at(0x30))?;
    let [x, y] = bus.load_pair(source, false, VERTEX_GQR, at(0x34))?;
    let translation_z = cell(bus, matrix.wrapping_add(44), at(0x38))?;
    let [z, nx] = bus.load_pair(source.wrapping_add(4), false, VERTEX_GQR, at(0x3c))?;
    let column_1 = cells(bus, matrix.wrapping_add(12), at(0x44))?;
    let column_1_z = cell(bus, matrix.wrapping_add(20), at(0x4c))?;
    let [ny, nz] = bus.load_pair(source.wrapping_add(8), false, VERTEX_GQR, at(0x54))?;
    let column_2_z = cell(bus, matrix.wrapping_add(32), at(0x5c))?;
    let column_2 = cells(bus, matrix.wrapping_add(24), at(0x68))?;
    let columns = Columns {
        column: [column(column_0, column_0_z), column(column_1, column_1_z), column(column_2, column_2_z)],
        translation: column(translation, translation_z),
    };

    let mut computed = columns.transform(&[x, y, z, nx, ny, nz], rounding);
    source = source.wrapping_add(STRIDE);
    bus.machine().marker = Some(1);
    let mut ahead = read_vertex(bus, source, [at(0x70), at(0x80), at(0x8c)])?;

    for turn in 0..loop_turns(u32::from(call.count).wrapping_sub(1)) {
        if turn >= WRAPPED_TURNS {
            return bus.machine().cut_off(at(0xdc));
        }
        bus.machine().marker = Some(turn as u32);
        store_vertex(bus, destination, &computed, [at(0x94), at(0x9c), at(0xa4), at(0xac)])?;
        destination = destination.wrapping_add(STRIDE);
        computed = columns.transform(&ahead, rounding);
        source = source.wrapping_add(STRIDE);
        bus.machine().marker = Some(turn as u32 + 2);
        ahead = read_vertex(bus, source, [at(0xb8), at(0xcc), at(0xd8)])?;
    }
    bus.machine().marker = Some(u32::from(call.count).wrapping_sub(1));
    store_vertex(bus, destination, &computed, [at(0xe0), at(0xe4), at(0xe8), at(0xec)])
}
