//! The two-bone kernel, access by access. [listing]

use super::{
    Columns, STRIDE, VERTEX_GQR, Vertex, WEIGHT_GQR, WRAPPED_TURNS, blend, cell, cells, column, loop_turns,
    read_vertex, store_vertex, weigh,
};
use crate::c3::runtime::code::Function;
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;
use crate::gekko::paired_single::Rounding;

/// Arguments of the two-bone kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoBoneCall {
    /// Reordered matrix of the first bone.
    pub matrix_0: u32,
    /// Reordered matrix of the second bone.
    pub matrix_1: u32,
    /// First source vertex.
    pub source: u32,
    /// First pair of weight bytes.
    pub weights: u32,
    /// First destination vertex.
    pub destination: u32,
    /// Vertex count as the entry says.
    pub count: u16,
}

/// The two matrices of an entry.
struct Matrices {
    first: Columns,
    second: Columns,
}

impl Matrices {
    fn transform(&self, vertex: &Vertex, weights: [f32; 2], rounding: Rounding) -> Vertex {
        let share = weigh(&self.first.transform(vertex, rounding), weights[0]);
        blend(&self.second.transform(vertex, rounding), weights[1], &share, rounding)
    }
}

/// What the kernel has read when it enters its loop.
struct Prologue {
    matrices: Matrices,
    vertex: Vertex,
    weights: [f32; 2],
}

/// Runs the kernel; its loop has the shape of the one-bone kernel's, with a pair of weights a turn.
///
/// # Errors
/// [`crate::gekko::machine::Halt`] at a fault that stops the machine, or when a wrapped counter is cut off.
pub fn two_bone<B: Bus>(bus: &mut B, code: Function, call: &TwoBoneCall) -> Access<()> {
    let rounding = bus.machine().config().rounding;
    let at = |offset| code.at(offset);
    let (mut source, mut weights, mut destination) = (call.source, call.weights, call.destination);

    bus.machine().marker = Some(0);
    let first = prologue(bus, code, call)?;
    let matrices = first.matrices;
    let mut computed = matrices.transform(&first.vertex, first.weights, rounding);
    source = source.wrapping_add(STRIDE);
    bus.machine().marker = Some(1);
    let mut ahead = read_vertex(bus, source, [at(0xfc), at(0x114), at(0x124)])?;

    for turn in 0..loop_turns(u32::from(call.count).wrapping_sub(1)) {
        if turn >= WRAPPED_TURNS {
            return bus.machine().cut_off(at(0x1cc));
        }
        bus.machine().marker = Some(turn as u32);
        store_vertex(bus, destination, &computed, [at(0x130), at(0x138), at(0x140), at(0x148)])?;
        destination = destination.wrapping_add(STRIDE);
        weights = weights.wrapping_add(2);
        bus.machine().marker = Some(turn as u32 + 1);
        let pair = bus.load_pair(weights, false, WEIGHT_GQR, at(0x164))?;
        computed = matrices.transform(&ahead, pair, rounding);
        source = source.wrapping_add(STRIDE);
        bus.machine().marker = Some(turn as u32 + 2);
        ahead = read_vertex(bus, source, [at(0x19c), at(0x1b4), at(0x1c4)])?;
    }
    bus.machine().marker = Some(u32::from(call.count).wrapping_sub(1));
    store_vertex(bus, destination, &computed, [at(0x1d0), at(0x1d4), at(0x1d8), at(0x1dc)])
}

/// Both matrices, vertex 0 and its weights, in the order of the instructions.
fn prologue<B: Bus>(bus: &mut B, code: Function, call: &TwoBoneCall) -> Access<Prologue> {
    let at = |offset| code.at(offset);
    let (m0, m1, source) = (call.matrix_0, call.matrix_1, call.source);

    let a0 = cells(bus, m0, at(0x44))?;
    let a0_z = cell(bus, m0.wrapping_add(8), at(0x4c))?;
    let a_t = cells(bus, m0.wrapping_add(36), at(0x54))?;
    let [x, y] = bus.load_pair(source, false, VERTEX_GQR, at(0x5c))?;
    let a_t_z = cell(bus, m0.wrapping_add(44), at(0x60))?;
    let [z, nx] = bus.load_pair(source.wrapping_add(4), false, VERTEX_GQR, at(0x64))?;
    let weights = bus.load_pair(call.weights, false, WEIGHT_GQR, at(0x68))?;
    let a1 = cells(bus, m0.wrapping_add(12), at(0x70))?;
    let a1_z = cell(bus, m0.wrapping_add(20), at(0x78))?;
    let [ny, nz] = bus.load_pair(source.wrapping_add(8), false, VERTEX_GQR, at(0x80))?;
    let a2_z = cell(bus, m0.wrapping_add(32), at(0x88))?;
    let b0 = cells(bus, m1, at(0x90))?;
    let a2 = cells(bus, m0.wrapping_add(24), at(0x98))?;
    let b0_z = cell(bus, m1.wrapping_add(8), at(0xa0))?;
    let b1 = cells(bus, m1.wrapping_add(12), at(0xa8))?;
    let b1_z = cell(bus, m1.wrapping_add(20), at(0xb0))?;
    let b2 = cells(bus, m1.wrapping_add(24), at(0xb8))?;
    let b2_z = cell(bus, m1.wrapping_add(32), at(0xc0))?;
    let b_t = cells(bus, m1.wrapping_add(36), at(0xc8))?;
    let b_t_z = cell(bus, m1.wrapping_add(44), at(0xd0))?;

    Ok(Prologue {
        matrices: Matrices {
            first: Columns {
                column: [column(a0, a0_z), column(a1, a1_z), column(a2, a2_z)],
                translation: column(a_t, a_t_z),
            },
            second: Columns {
                column: [column(b0, b0_z), column(b1, b1_z), column(b2, b2_z)],
                translation: column(b_t, b_t_z),
            },
        },
        vertex: [x, y, z, nx, ny, nz],
        weights,
    })
}
