//! What is known of a sum of products whatever the vertex: how low its bits go and how large it may be.
//!
//! Bounds are singles: [`SLACK`] is more than what rounding adds to them.

use super::ties::Significand;
use super::{Effort, Step};

/// No term may have bits below this: with the scales of a GQR (2^±32) and of weights (2^-8) every
/// result is then zero or a normal single, so that nothing is flushed.
pub(super) const LOWEST_BIT: i32 = -86;

/// Magnitude of a component at the most.
pub(super) const LARGEST_COMPONENT: f32 = 32768.0;

/// Bits of a single's significand below its first.
pub(super) const FRACTION_BITS: i32 = 23;

/// Bits of a double's significand.
pub(super) const DOUBLE_BITS: i32 = 53;

/// More than what the rounding of a few operations adds to a bound, relative to it.
pub(super) const SLACK: f32 = 1.0 / 1048576.0;

/// Fraction bits of a weight.
pub(super) const WEIGHT_BITS: i32 = 8;

/// The fraction bits of a cell that are zero if it has no more than nine significant bits.
const BELOW_NINE_BITS: u32 = 0x7fff;

/// What is known of a result, whatever the vertex.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in super::super) struct Reach {
    /// It is a multiple of 2 to this power.
    pub(super) lowest_bit: i32,
    /// Its greatest magnitude.
    pub(super) most: f32,
}

impl Reach {
    /// Whether the exact sum of this and another, both weighted with at most 1 in steps of 2^-8, is a double.
    pub(super) fn blends_fused(self, other: Self) -> bool {
        let lowest = self.lowest_bit.min(other.lowest_bit).saturating_sub(WEIGHT_BITS);
        exponent((self.most + other.most) * (1.0 + SLACK)) < lowest.saturating_add(DOUBLE_BITS)
    }
}

/// A cell or a translation.
#[derive(Clone, Copy)]
pub(super) struct Term {
    /// Without its sign.
    pub magnitude: f32,
    /// It is a multiple of 2 to this power: a very large one for zero.
    pub lowest_bit: i32,
}

impl Default for Term {
    /// Zero.
    fn default() -> Self {
        Self { magnitude: 0.0, lowest_bit: i32::MAX }
    }
}

impl Term {
    /// `None` for what is not finite, denormal, or has bits that are too low.
    pub(super) fn new(value: f32) -> Option<Self> {
        let lowest_bit = lowest_bit(value).filter(|&bit| bit >= LOWEST_BIT)?;
        Some(Self { magnitude: value.abs(), lowest_bit })
    }

    /// Whether its product with any component is a single. A sum of two singles is right with two roundings: a double
    /// has more than twice the bits of a single.
    fn times_components_are_singles(self) -> bool {
        self.magnitude.to_bits() & BELOW_NINE_BITS == 0
    }
}

/// What is known of a partial sum, whatever the vertex.
pub(super) struct Sum {
    /// It is a multiple of 2 to this power.
    lowest_bit: i32,
    /// Its least magnitude.
    least: f32,
    /// Its greatest magnitude.
    most: f32,
    /// The least magnitude at which its last exact sum may have been no double.
    pub doubtful: f32,
}

impl Sum {
    /// A sum that starts with a term.
    pub(super) fn of(term: Term) -> Self {
        Self { lowest_bit: term.lowest_bit, least: term.magnitude, most: term.magnitude, doubtful: 0.0 }
    }

    /// A product, which is always rounded right.
    #[inline]
    pub(super) fn of_product(cell: Term) -> Self {
        let most = cell.magnitude * LARGEST_COMPONENT * (1.0 + SLACK);
        Self { lowest_bit: cell.lowest_bit, least: 0.0, most, doubtful: 0.0 }
    }

    /// Adds `cell` times any component and rounds to single.
    #[inline]
    pub(super) fn add_product(&mut self, cell: Term, effort: Effort) -> Step {
        if cell.magnitude == 0.0 {
            return Step::Fused;
        }
        let product = cell.magnitude * LARGEST_COMPONENT;
        let lowest = self.lowest_bit.min(cell.lowest_bit);
        let most = (self.most + product) * (1.0 + SLACK);
        let doubtful = lowest + DOUBLE_BITS;
        let step = if exponent(most) < doubtful || cell.times_components_are_singles() {
            Step::Fused
        } else if exponent(3.0 * product * (1.0 + SLACK)) < doubtful {
            match effort {
                Effort::LongRun if Significand::of(cell.magnitude).keeps_from_ties() => Step::Fused,
                _ => Step::SumLeads,
            }
        } else if 2.0 * self.most * (1.0 + SLACK) < cell.magnitude {
            Step::ProductLeads
        } else {
            Step::Doubles
        };
        self.most = most;
        self.least = ((self.least - product) * (1.0 - SLACK)).max(0.0);
        self.lowest_bit = lowest.max(exponent(self.least) - FRACTION_BITS);
        self.doubtful = power_of_two(doubtful);
        step
    }

    pub(super) fn reach(&self) -> Reach {
        Reach { lowest_bit: self.lowest_bit, most: self.most }
    }
}

/// The power of two of a single's lowest bit that is set; very large for zero, `None` for what is not
/// finite or is denormal.
fn lowest_bit(value: f32) -> Option<i32> {
    let bits = value.to_bits();
    let field = ((bits >> 23) & 0xff) as i32;
    match field {
        0 if bits << 1 == 0 => Some(i32::MAX),
        0 | 0xff => None,
        _ => Some(field - 150 + ((bits & 0x7f_ffff) | 0x80_0000).trailing_zeros() as i32),
    }
}

/// 2 to a power that a normal single has.
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// The power of two at or below a magnitude; very small for zero.
pub(super) fn exponent(magnitude: f32) -> i32 {
    (magnitude.to_bits() >> 23) as i32 - 127
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_exponents_are_those_of_the_number() {
        assert_eq!(lowest_bit(1.5), Some(-1));
        assert_eq!(lowest_bit(f32::MIN_POSITIVE), Some(-126));
        assert_eq!(lowest_bit(-0.0), Some(i32::MAX));
        assert_eq!(lowest_bit(f32::MIN_POSITIVE / 2.0), None);
        assert_eq!(lowest_bit(f32::NAN), None);
        assert_eq!((exponent(1.0), exponent(1.99), exponent(0.25)), (0, 0, -2));
        assert_eq!(exponent(0.0), -127);
    }

    #[test]
    fn nine_bits_times_a_component_are_a_single() {
        let coarse = |value: f32| Term::new(value).unwrap().times_components_are_singles();
        assert!(coarse(1.0) && coarse(511.0 / 4096.0) && !coarse(513.0) && !coarse(1.000_000_1));
    }
}
