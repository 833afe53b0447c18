//! The kernels in bulk, for runs of vertices of which no access can fault: same results as the
//! stepped kernels, bit for bit, from plain slices.
//!
//! [`portable`] does each operation as [`crate::gekko::paired_single`] has it. Where the processor has
//! AVX2 and FMA, and a matrix is ordinary enough for a [`plan::Plan`], `x86` does eight vertices at a
//! time. A property test holds every [`Level`] to the portable one.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_variables, reason = "only x86-64 has levels to choose from")
)]

use super::Columns;
use crate::gekko::paired_single::Rounding;

#[cfg(target_arch = "x86_64")]
mod plan;
mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
use plan::{Effort, Input, Plan};

/// Bytes of a vertex.
const VERTEX_BYTES: usize = super::STRIDE as usize;

/// Scale factors of the vertex GQR and the rounding: all that the bulk kernels need of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arithmetic {
    /// 2^-scale of loads.
    pub load: f32,
    /// 2^scale of stores.
    pub store: f32,
    /// Rounding of fused multiply-adds.
    pub rounding: Rounding,
}

/// Which instructions the bulk kernels use. The results are the same.
#[derive(Debug, Clone, Copy)]
pub enum Level {
    /// What every processor has.
    Portable,
    /// Eight lanes with AVX2 and FMA: a value of it exists only where the processor has both.
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// The same eight lanes, doubles with AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
}

impl Level {
    /// The fastest level of this processor.
    #[inline]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = pulp::x86::V4::try_new() {
            return Self::Avx512(token);
        } else if let Some(token) = pulp::x86::V3::try_new() {
            return Self::Avx2(token);
        }
        Self::Portable
    }

    /// Every level of this processor, the slowest first.
    pub fn available() -> Vec<Self> {
        let levels = [Some(Self::Portable)].into_iter();
        #[cfg(target_arch = "x86_64")]
        let levels = levels
            .chain([pulp::x86::V3::try_new().map(Self::Avx2), pulp::x86::V4::try_new().map(Self::Avx512)]);
        levels.flatten().collect()
    }

    /// Whether it computes eight vertices at a time.
    #[cfg(target_arch = "x86_64")]
    const fn is_vector(self) -> bool {
        !matches!(self, Self::Portable)
    }

    /// The level's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2+fma",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx-512",
        }
    }
}

/// One-bone kernel in place over whole vertices.
pub fn one_bone(level: Level, vertices: &mut [u8], columns: &Columns, arithmetic: Arithmetic) {
    #[cfg(target_arch = "x86_64")]
    if level.is_vector()
        && let Some(plan) = Plan::default().make(columns, arithmetic, Input::OneBone, Effort::of(vertices))
    {
        match level {
            Level::Portable => {}
            Level::Avx2(token) => return x86::one_bone(token, vertices, plan),
            Level::Avx512(token) => return x86::one_bone(token, vertices, plan),
        }
    }
    portable::one_bone(vertices, columns, arithmetic);
}

/// Two-bone kernel in place over whole vertices, two weight bytes each.
pub fn two_bone(
    level: Level,
    vertices: &mut [u8],
    weights: &[u8],
    columns: [&Columns; 2],
    arithmetic: Arithmetic,
) {
    #[cfg(target_arch = "x86_64")]
    if level.is_vector()
        && let effort = Effort::of(vertices)
        && let Some(first) = Plan::default().make(columns[0], arithmetic, Input::Weighted, effort)
        && let Some(second) = Plan::default().make(columns[1], arithmetic, Input::Weighted, effort)
    {
        let plans = [first, second];
        match level {
            Level::Portable => {}
            Level::Avx2(token) => return x86::two_bone(token, vertices, weights, plans),
            Level::Avx512(token) => return x86::two_bone(token, vertices, weights, plans),
        }
    }
    portable::two_bone(vertices, weights, columns, arithmetic);
}

/// What the accumulate kernel adds to its destination: as many vertices as indices and weights.
#[derive(Debug, Clone, Copy)]
pub struct Addends<'a> {
    /// Source vertices.
    pub vertices: &'a [u8],
    /// Destination indices, big-endian u16.
    pub indices: &'a [u8],
    /// Weight bytes.
    pub weights: &'a [u8],
}

/// Accumulate kernel: adds every source vertex to the destination vertex its index names, in order.
/// Every index must lie inside `destination`.
pub fn accumulate(
    level: Level,
    destination: &mut [u8],
    addends: Addends,
    columns: &Columns,
    arithmetic: Arithmetic,
) {
    #[cfg(target_arch = "x86_64")]
    if level.is_vector()
        && let Some(plan) =
            Plan::default().make(columns, arithmetic, Input::Weighted, Effort::of(addends.vertices))
    {
        let matrix = (columns, plan);
        match level {
            Level::Portable => {}
            Level::Avx2(token) => {
                return x86::accumulate(token, destination, addends, matrix, arithmetic);
            }
            Level::Avx512(token) => {
                return x86::accumulate(token, destination, addends, matrix, arithmetic);
            }
        }
    }
    portable::accumulate(destination, addends, columns, arithmetic);
}
