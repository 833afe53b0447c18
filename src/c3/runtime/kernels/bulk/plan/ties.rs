//! Whether a cell times a component can ever decide wrongly which way a larger sum is rounded.
//!
//! Let v = s + p be an exact sum that is no double, of a single s and p = cell * x with |p| <= |s| / 2, and 2^e the
//! distance of singles about v. s is a multiple of 2^(e-1), as |s| is at least two thirds of |v|. Two roundings differ
//! from one only if the double next to v is half-way between two singles, hence a multiple of 2^(e-1) itself, and v is
//! not: so p lies within 2^(e-30), half the distance of doubles, of such a multiple but not on it. The multiple is not
//! zero: the double would be s then, which is a single.
//!
//! With the cell's bits as an odd integer m, and g places between its last and 2^(e-1): m * x lies within 2^(g-29) of a
//! multiple of 2^g. That takes g >= 29, and g <= 39 as m * x has no more bits. How near the multiples of m up to
//! 2^15 * m come to those of 2^g is what the continued fraction of m / 2^g tells: none comes nearer than the one by the
//! last denominator of its convergents that does not exceed 2^15. Few cells in a thousand come near enough.

use super::sum::FRACTION_BITS;

/// Components have magnitudes up to here.
const LARGEST: u64 = 1 << 15;

/// A single's significand without the zeros at its end: odd.
pub(super) struct Significand(u64);

impl Significand {
    /// That of a number that is not zero, denormal, infinite or NaN.
    pub(super) fn of(value: f32) -> Self {
        let bits = u64::from(value.to_bits() & ((1 << FRACTION_BITS) - 1) | 1 << FRACTION_BITS);
        Self(bits >> bits.trailing_zeros())
    }

    /// Whether no component times it is near a tie of two singles without being one.
    pub(super) fn keeps_from_ties(&self) -> bool {
        // Near a multiple of 2^g is near one of 2^29, so one look is enough for most.
        self.keeps_from_multiples(29, 39)
            || self.keeps_from_multiples(29, 32) && self.keeps_from_multiples(33, 39)
    }

    /// Whether no component times it is within 2^(`last` - 29) of a multiple of 2^`first` that is not zero.
    fn keeps_from_multiples(&self, first: u32, last: u32) -> bool {
        self.nearest_to_multiple(first) > 1 << (last - 29)
    }

    /// The least distance of its multiples from multiples of 2^`power`: an odd number has no multiple there.
    fn nearest_to_multiple(&self, power: u32) -> u64 {
        let (mut before, mut distance) = (1 << power, self.0);
        let (mut denominator_before, mut denominator) = (0, 1);
        loop {
            let quotient = before / distance;
            (denominator_before, denominator) = (denominator, quotient * denominator + denominator_before);
            if denominator > LARGEST {
                return distance;
            }
            (before, distance) = (distance, before % distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same by trying every component.
    fn nearest(odd: u64, power: u32) -> u64 {
        let distance = |x: u64| {
            let rest = (odd * x) % (1 << power);
            rest.min((1 << power) - rest)
        };
        (1..=LARGEST).map(distance).min().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn the_nearest_multiple_is_found(value in 1u64..1 << 23, power in 29u32..40) {
            let odd = 2 * value + 1;
            prop_assert_eq!(Significand(odd).nearest_to_multiple(power), nearest(odd, power));
            let near = (29..40).any(|power| nearest(odd, power) <= 1 << (power - 29));
            prop_assert!(!(near && Significand(odd).keeps_from_ties()));
        }
    }

    /// x * m = 1 modulo 2^29, by Newton's iteration.
    fn inverse(x: u64) -> u64 {
        let step = |m: u64| m.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(m)));
        (0..5).fold(x, |m, _| step(m)) % (1 << 29)
    }

    #[test]
    fn every_cell_with_a_product_next_to_a_multiple_of_2_to_the_29_is_known() {
        let near = (1..LARGEST).step_by(2).flat_map(|x| [inverse(x), (1 << 29) - inverse(x)]);
        let mut cells = 0;
        for odd in near.filter(|&odd| odd > 1 && odd < 1 << 24) {
            assert!(!Significand(odd).keeps_from_ties(), "{odd}");
            cells += 1;
        }
        assert!(cells > 500);
    }

    #[test]
    fn a_cell_whose_product_is_next_to_a_tie_is_known() {
        // 32,767 * 32,769 is 2^30 - 1.
        assert!(!Significand::of(32769.0 / 4096.0).keeps_from_ties());
        assert!(Significand::of(-9.757_04e-9).keeps_from_ties());
        assert_eq!(Significand::of(12.0).0, 3);
    }
}
