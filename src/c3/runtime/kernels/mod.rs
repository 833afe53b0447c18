//! The three skinning kernels, twice: access by access in the order of the library's instructions
//! ([`one_bone`], [`two_bone`], [`accumulate`]), and in bulk where no access can fault ([`bulk`]).

use crate::gekko::bus::Bus;
use crate::gekko::fault::Site;
use crate::gekko::machine::Access;
use crate::gekko::paired_single::{Rounding, multiply, multiply_add};

mod accumulate;
pub mod bulk;
mod one_bone;
mod two_bone;

pub use accumulate::{AccumulateCall, accumulate};
pub use one_bone::{OneBoneCall, one_bone};
pub use two_bone::{TwoBoneCall, two_bone};

/// Bytes of a vertex: x y z nx ny nz, s16 each. [listing]
pub const STRIDE: u32 = 12;

/// GQR of plain floats (matrices).
pub const FLOAT_GQR: usize = 0;
/// GQR of weights: u8, scale 8.
pub const WEIGHT_GQR: usize = 6;
/// GQR of positions and normals: s16, scale from the header.
pub const VERTEX_GQR: usize = 7;

/// Loop turns no count field can ask for: a loop that gets this far has a wrapped counter.
const WRAPPED_TURNS: u64 = 1 << 16;

/// A skin matrix as the kernels hold it: three columns and the translation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Columns {
    /// Columns 0 to 2.
    pub column: [[f32; 3]; 3],
    /// Translation.
    pub translation: [f32; 3],
}

/// A vertex as dequantized: x y z nx ny nz.
pub type Vertex = [f32; 6];

impl Columns {
    /// Position and normal through the matrix, in the library's order of operations. [listing]
    #[inline]
    pub fn transform(&self, vertex: &Vertex, rounding: Rounding) -> Vertex {
        let [c0, c1, c2] = &self.column;
        let mut out = [0.0; 6];
        for row in 0..3 {
            let sum = multiply_add(c0[row], vertex[0], self.translation[row], rounding);
            let sum = multiply_add(c1[row], vertex[1], sum, rounding);
            out[row] = multiply_add(c2[row], vertex[2], sum, rounding);
            let sum = multiply(c0[row], vertex[3]);
            let sum = multiply_add(c1[row], vertex[4], sum, rounding);
            out[row + 3] = multiply_add(c2[row], vertex[5], sum, rounding);
        }
        out
    }
}

/// The first bone's share of a two-bone vertex: one more rounding.
#[inline]
pub(super) fn weigh(vertex: &Vertex, weight: f32) -> Vertex {
    vertex.map(|component| multiply(component, weight))
}

/// `vertex * weight + addend`, fused.
#[inline]
pub(super) fn blend(vertex: &Vertex, weight: f32, addend: &Vertex, rounding: Rounding) -> Vertex {
    std::array::from_fn(|index| multiply_add(vertex[index], weight, addend[index], rounding))
}

/// How often a loop turns that decrements first and branches while the counter is not 0.
const fn loop_turns(counter: u32) -> u64 {
    if counter == 0 { 1 << 32 } else { counter as u64 }
}

/// The three source reads of a vertex, each a pair, at the sites given: (x,y) (z,nx) (ny,nz).
fn read_vertex<B: Bus>(bus: &mut B, address: u32, sites: [Site; 3]) -> Access<Vertex> {
    let [x, y] = bus.load_pair(address, false, VERTEX_GQR, sites[0])?;
    let [z, nx] = bus.load_pair(address.wrapping_add(4), false, VERTEX_GQR, sites[1])?;
    let [ny, nz] = bus.load_pair(address.wrapping_add(8), false, VERTEX_GQR, sites[2])?;
    Ok([x, y, z, nx, ny, nz])
}

/// The four stores of a vertex: pair (x,y), single z, pair (nx,ny), single nz.
fn store_vertex<B: Bus>(bus: &mut B, address: u32, vertex: &Vertex, sites: [Site; 4]) -> Access<()> {
    let [x, y, z, nx, ny, nz] = *vertex;
    bus.store_pair(address, [x, y], false, VERTEX_GQR, sites[0])?;
    bus.store_pair(address.wrapping_add(4), [z, 0.0], true, VERTEX_GQR, sites[1])?;
    bus.store_pair(address.wrapping_add(6), [nx, ny], false, VERTEX_GQR, sites[2])?;
    bus.store_pair(address.wrapping_add(10), [nz, 0.0], true, VERTEX_GQR, sites[3])
}

/// A pair of matrix cells.
fn cells<B: Bus>(bus: &mut B, address: u32, site: Site) -> Access<[f32; 2]> {
    bus.load_pair(address, false, FLOAT_GQR, site)
}

/// One matrix cell.
fn cell<B: Bus>(bus: &mut B, address: u32, site: Site) -> Access<f32> {
    Ok(bus.load_pair(address, true, FLOAT_GQR, site)?[0])
}

/// A column of three from its pair and its single.
fn column(pair: [f32; 2], single: f32) -> [f32; 3] {
    [pair[0], pair[1], single]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_of_zero_turns_two_to_the_32_times() {
        assert_eq!(loop_turns(0), 1 << 32);
        assert_eq!(loop_turns(1), 1);
    }

    #[test]
    fn the_identity_leaves_a_vertex_as_it_is() {
        let identity =
            Columns { column: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };
        let vertex = [1.0, -2.0, 3.5, 0.0, 1.0, -1.0];
        assert_eq!(identity.transform(&vertex, Rounding::Dolphin), vertex);
    }
}
