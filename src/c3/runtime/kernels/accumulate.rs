//! The accumulate kernel, access by access: it adds to vertices in ordinary cached memory. [listing]

use super::{
    Columns, STRIDE, VERTEX_GQR, Vertex, WEIGHT_GQR, WRAPPED_TURNS, blend, cell, cells, column, loop_turns,
    read_vertex,
};
use crate::c3::runtime::code::Function;
use crate::gekko::bus::Bus;
use crate::gekko::fault::Site;
use crate::gekko::machine::Access;

/// Arguments of the accumulate kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccumulateCall {
    /// Reordered matrix.
    pub matrix: u32,
    /// First source vertex.
    pub source: u32,
    /// First destination index (u16).
    pub indices: u32,
    /// First weight byte.
    pub weights: u32,
    /// Destination base in main memory.
    pub destination: u32,
    /// Vertex count as the entry says.
    pub count: u16,
}

/// Runs the kernel. The loop turns `count` times (a count of 0 wraps); source and index are read one
/// vertex ahead. `stored` receives the index of every vertex of which a store reached memory.
///
/// # Errors
/// [`crate::gekko::machine::Halt`] at a fault that stops the machine, or when a wrapped counter is cut off.
pub fn accumulate<B: Bus>(
    bus: &mut B,
    code: Function,
    call: &AccumulateCall,
    stored: &mut Vec<u16>,
) -> Access<()> {
    let rounding = bus.machine().config().rounding;
    let at = |offset| code.at(offset);
    let (mut source, mut indices, mut weights) = (call.source, call.indices, call.weights);

    bus.machine().marker = Some(0);
    let mut index = bus.read_u16(indices, at(0x0c))?;
    let (columns, mut vertex) = prologue(bus, code, call)?;

    for turn in 0..loop_turns(u32::from(call.count)) {
        if turn >= WRAPPED_TURNS {
            return bus.machine().cut_off(at(0x10c));
        }
        bus.machine().marker = Some(turn as u32);
        let current = index;
        let destination = call.destination.wrapping_add(u32::from(index) * STRIDE);
        let [weight, _] = bus.load_pair(weights, true, WEIGHT_GQR, at(0x84))?;
        let [x, y] = bus.load_pair(destination, false, VERTEX_GQR, at(0x90))?;
        let [z, _] = bus.load_pair(destination.wrapping_add(4), true, VERTEX_GQR, at(0xa0))?;
        let [nx, ny] = bus.load_pair(destination.wrapping_add(6), false, VERTEX_GQR, at(0xac))?;
        indices = indices.wrapping_add(2);
        bus.machine().marker = Some(turn as u32 + 1);
        index = bus.read_u16(indices, at(0xb8))?;
        bus.machine().marker = Some(turn as u32);
        let [nz, _] = bus.load_pair(destination.wrapping_add(10), true, VERTEX_GQR, at(0xc4))?;
        let transformed = columns.transform(&vertex, rounding);
        source = source.wrapping_add(STRIDE);
        bus.machine().marker = Some(turn as u32 + 1);
        vertex = read_vertex(bus, source, [at(0xcc), at(0xd4), at(0xdc)])?;
        bus.machine().marker = Some(turn as u32);
        let sum = blend(&transformed, weight, &[x, y, z, nx, ny, nz], rounding);
        let sites = [at(0xe8), at(0xf0), at(0xf8), at(0x100)];
        let mut landed = false;
        let outcome = store_sum(bus, destination, &sum, sites, &mut landed);
        if landed {
            stored.push(current);
        }
        outcome?;
        bus.store_line(destination, at(0x104));
        weights = weights.wrapping_add(1);
    }
    Ok(())
}

/// The four stores of a vertex. `landed` tells afterwards whether any of them reached memory.
fn store_sum<B: Bus>(
    bus: &mut B,
    address: u32,
    [x, y, z, nx, ny, nz]: &Vertex,
    sites: [Site; 4],
    landed: &mut bool,
) -> Access<()> {
    let parts = [(0, [*x, *y], false), (4, [*z, 0.0], true), (6, [*nx, *ny], false), (10, [*nz, 0.0], true)];
    for ((offset, lanes, single), site) in parts.into_iter().zip(sites) {
        let faults = bus.machine().faults().total;
        bus.store_pair(address.wrapping_add(offset), lanes, single, VERTEX_GQR, site)?;
        *landed |= bus.machine().faults().total == faults;
    }
    Ok(())
}

/// The matrix and vertex 0, in the order of the instructions.
fn prologue<B: Bus>(bus: &mut B, code: Function, call: &AccumulateCall) -> Access<(Columns, Vertex)> {
    let at = |offset| code.at(offset);
    let (matrix, source) = (call.matrix, call.source);
    let column_0 = cells(bus, matrix, at(0x50))?;
    let column_0_z = cell(bus, matrix.wrapping_add(8), at(0x58))?;
    let translation = cells(bus, matrix.wrapping_add(36), at(0x5c))?;
    let translation_z = cell(bus, matrix.wrapping_add(44), at(0x60))?;
    let [x, y] = bus.load_pair(source, false, VERTEX_GQR, at(0x64))?;
    let [z, nx] = bus.load_pair(source.wrapping_add(4), false, VERTEX_GQR, at(0x68))?;
    let column_1 = cells(bus, matrix.wrapping_add(12), at(0x6c))?;
    let column_1_z = cell(bus, matrix.wrapping_add(20), at(0x70))?;
    let [ny, nz] = bus.load_pair(source.wrapping_add(8), false, VERTEX_GQR, at(0x74))?;
    let column_2_z = cell(bus, matrix.wrapping_add(32), at(0x78))?;
    let column_2 = cells(bus, matrix.wrapping_add(24), at(0x7c))?;
    let columns = Columns {
        column: [column(column_0, column_0_z), column(column_1, column_1_z), column(column_2, column_2_z)],
        translation: column(translation, translation_z),
    };
    Ok((columns, [x, y, z, nx, ny, nz]))
}
