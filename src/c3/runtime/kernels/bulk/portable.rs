//! One vertex after the other, each operation as the paired-single unit does it.

use byteorder::{BE, ByteOrder};

use super::{Addends, Arithmetic, VERTEX_BYTES};
use crate::c3::runtime::kernels::{Columns, Vertex, blend, weigh};

impl Arithmetic {
    #[inline]
    fn read(&self, bytes: &[u8]) -> Vertex {
        std::array::from_fn(|index| f32::from(BE::read_i16(&bytes[2 * index..])) * self.load)
    }

    #[inline]
    fn write(&self, bytes: &mut [u8], vertex: &Vertex) {
        for (index, component) in vertex.iter().enumerate() {
            // The cast truncates, saturates, and gives 0 for NaN, as the quantized store does.
            BE::write_i16(&mut bytes[2 * index..], (component * self.store) as i16);
        }
    }
}

/// See [`super::one_bone`].
pub fn one_bone(vertices: &mut [u8], columns: &Columns, arithmetic: Arithmetic) {
    for bytes in vertices.chunks_exact_mut(VERTEX_BYTES) {
        let vertex = columns.transform(&arithmetic.read(bytes), arithmetic.rounding);
        arithmetic.write(bytes, &vertex);
    }
}

/// See [`super::two_bone`].
pub fn two_bone(vertices: &mut [u8], weights: &[u8], [first, second]: [&Columns; 2], arithmetic: Arithmetic) {
    let rounding = arithmetic.rounding;
    for (bytes, pair) in vertices.chunks_exact_mut(VERTEX_BYTES).zip(weights.chunks_exact(2)) {
        let vertex = arithmetic.read(bytes);
        let share = weigh(&first.transform(&vertex, rounding), weight(pair[0]));
        let sum = blend(&second.transform(&vertex, rounding), weight(pair[1]), &share, rounding);
        arithmetic.write(bytes, &sum);
    }
}

/// See [`super::accumulate`].
pub fn accumulate(destination: &mut [u8], addends: Addends, columns: &Columns, arithmetic: Arithmetic) {
    let Addends { vertices, indices, weights } = addends;
    let entries = vertices.chunks_exact(VERTEX_BYTES).zip(indices.chunks_exact(2)).zip(weights);
    for ((bytes, index), &byte) in entries {
        let start = usize::from(BE::read_u16(index)) * VERTEX_BYTES;
        let slot = &mut destination[start..start + VERTEX_BYTES];
        let transformed = columns.transform(&arithmetic.read(bytes), arithmetic.rounding);
        let sum = blend(&transformed, weight(byte), &arithmetic.read(slot), arithmetic.rounding);
        arithmetic.write(slot, &sum);
    }
}

/// A weight byte through GQR6: u8 with 8 fraction bits.
#[inline]
fn weight(byte: u8) -> f32 {
    f32::from(byte) * (1.0 / 256.0)
}
