//! Number conversions as the engine's processor does them, where Rust's own differ.

/// `(int)value` on x86: toward zero, and `i32::MIN` for what no `int` holds (NaN included). Rust's
/// `as` saturates instead.
pub fn truncate(value: f32) -> i32 {
    if (-2_147_483_648.0..2_147_483_648.0).contains(&value) { value as i32 } else { i32::MIN }
}

/// The SDK's `RemapValClamped(value, from, to, at_from, at_to)`; an empty range gives one of its ends.
pub fn remap_clamped(value: f32, from: f32, to: f32, at_from: f32, at_to: f32) -> f32 {
    if from == to {
        return if value >= to { at_to } else { at_from };
    }
    at_from + (at_to - at_from) * clamp01((value - from) / (to - from))
}

/// Clamps to 0..1; NaN passes.
pub fn clamp01(value: f32) -> f32 {
    value.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_int_holds_becomes_the_smallest() {
        assert_eq!(truncate(-1.9), -1);
        assert_eq!(truncate(409.9), 409);
        for value in [f32::NAN, f32::INFINITY, 2_147_483_648.0, -3e9] {
            assert_eq!(truncate(value), i32::MIN);
        }
    }

    #[test]
    fn an_empty_range_gives_one_of_its_ends() {
        assert_eq!(remap_clamped(2.0, 2.0, 2.0, 0.0, 1.0), 1.0);
        assert_eq!(remap_clamped(1.9, 2.0, 2.0, 0.0, 1.0), 0.0);
        assert_eq!(remap_clamped(15.0, -30.0, 30.0, -1.0, 1.0), 0.5);
    }
}
