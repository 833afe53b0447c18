//! Rows of which one component decides the result: those of a bone that is not turned, beside noise.
//!
//! If that component is 0, the result is noise; else it is no smaller than the cell less the noise. Of two such rows
//! with the same component, weighted and added, either both are noise and the sum is truncated to 0 however it is
//! rounded, or both are large, and so are all of their bits.

use super::sum::{FRACTION_BITS, LARGEST_COMPONENT, Reach, SLACK, exponent};

/// The component that decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Lead {
    /// Its number.
    component: u8,
    /// The result's greatest magnitude where it is 0.
    noise: f32,
    /// What is known of the result where it is not.
    result: Reach,
}

impl Lead {
    /// Of a row with cells and a translation of these magnitudes; without a translation the bounds hold as well.
    pub(super) fn of(cells: [f32; 3], translation: f32) -> Option<Self> {
        let [a, b, c] = cells;
        let (component, cell, others) = if a > b && a > c {
            (0, a, b + c)
        } else if b > c {
            (1, b, a + c)
        } else {
            (2, c, a + b)
        };
        let noise = (translation + others * LARGEST_COMPONENT) * (1.0 + SLACK);
        let least = (cell - noise) * (1.0 - SLACK);
        let most = (cell * LARGEST_COMPONENT + noise) * (1.0 + SLACK);
        let lowest_bit = exponent(least) - FRACTION_BITS;
        (least > 0.0).then_some(Self { component, noise, result: Reach { lowest_bit, most } })
    }

    /// Whether the sum of two weighted results is truncated right whatever the vertex.
    pub(super) fn blends_fused(first: Option<Self>, second: Option<Self>) -> bool {
        let (Some(first), Some(second)) = (first, second) else { return false };
        first.component == second.component
            && first.noise + second.noise < 0.5
            && first.result.blends_fused(second.result)
    }
}
