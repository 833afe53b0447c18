//! Delayed weights: vertices with a speed under 255 follow a weight that decays toward the current
//! one. `[spec: SDK]`

/// The frame before the one computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Delay {
    /// Value of each controller then, in its own range. Delayed weights start at that frame's.
    pub before: Vec<f32>,
    /// Seconds from that frame to this.
    pub seconds: f32,
}

/// What delayed vertices of an eyelid follow. The eyelid writes the current weight only and the
/// delayed one keeps what the rules gave, as the order of the frame says; no recording shows it. `[open]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DelayedLids {
    /// The decayed weight that rules gave the lid's flexdesc.
    #[default]
    Rule,
    /// The lid's current height.
    Current,
}

/// The fraction of the old weight that is left: 0.8 after 0.033 seconds. By libm, whose last bit does not
/// depend on the machine.
pub fn decay(seconds: f32) -> f32 {
    libm::exp(libm::log(f64::from(0.8f32)) / f64::from(0.033f32) * f64::from(seconds)) as f32
}

/// One step of decay.
pub fn advance(old: f32, new: f32, decay: f32) -> f32 {
    old * decay + new * (1.0 - decay)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_of_the_way_is_gone_after_a_thirtieth_of_a_second() {
        assert!((decay(0.033) - 0.8).abs() < 1e-6);
        assert!((decay(0.066) - 0.64).abs() < 1e-6);
        assert_eq!(decay(0.0), 1.0);
        assert!((advance(0.0, 1.0, decay(0.033)) - 0.2).abs() < 1e-6);
    }
}
