//! Position and normal deltas: what the file's bits become before a vertex is moved.
//!
//! At load the engine turns each half float into a short, `(short)(int)(half / scale)`, and drawing
//! multiplies it back: every delta is truncated to a step of the scale, and one of 32,768 steps or
//! more (8 units at the usual 1/4096) wraps to the other side. `[spec: SDK]`

use super::convert::truncate;
use crate::mdl::format::half;
use crate::mdl::format::header::Header;

/// Which deltas move the vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeltaForm {
    /// As the engine draws them: fixed point.
    #[default]
    Fixed,
    /// As the file stores them, without the conversion's loss. A file converted already has no halves,
    /// and gives its fixed-point deltas in this form too.
    Half,
}

/// How to read a model's deltas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeltaReader {
    converted: bool,
    scale: f32,
    form: DeltaForm,
}

impl DeltaReader {
    /// A reader by the header's flags alone, never by what fits.
    pub fn new(header: &Header, form: DeltaForm) -> Self {
        Self { converted: header.flexes_converted(), scale: header.fixed_point_scale(), form }
    }

    /// A delta's value in units.
    pub fn value(&self, bits: u16) -> f32 {
        if !self.converted && self.form == DeltaForm::Half {
            half::decode(bits)
        } else {
            f32::from(self.fixed(bits)) * self.scale
        }
    }

    /// A delta's three values in units.
    pub fn values(&self, bits: [u16; 3]) -> [f32; 3] {
        bits.map(|bits| self.value(bits))
    }

    /// A wrinkle delta's value: fixed point in both forms.
    pub fn wrinkle(&self, steps: i16) -> f32 {
        f32::from(steps) * self.scale
    }

    /// The value meant when the conversion wraps it, else `None`.
    pub fn wrapped(&self, bits: u16) -> Option<f32> {
        let meant = half::decode(bits);
        let steps = truncate(meant / self.scale);
        (!self.converted && i16::try_from(steps).is_err()).then_some(meant)
    }

    fn fixed(&self, bits: u16) -> i16 {
        if self.converted { bits as i16 } else { truncate(half::decode(bits) / self.scale) as i16 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(scale: f32, converted: bool, form: DeltaForm) -> DeltaReader {
        DeltaReader { converted, scale, form }
    }

    #[test]
    fn the_conversion_truncates_toward_zero() {
        let fixed = reader(1.0 / 4096.0, false, DeltaForm::Fixed);
        let bits = ::half::f16::from_f32(0.1).to_bits();
        assert_eq!(fixed.value(bits), 409.0 / 4096.0);
        assert_eq!(fixed.value(bits | 0x8000), -409.0 / 4096.0);
        assert_eq!(reader(1.0 / 4096.0, false, DeltaForm::Half).value(bits), 1638.0 / 16384.0);
    }

    #[test]
    fn eight_units_wrap_to_the_other_side() {
        let fixed = reader(1.0 / 4096.0, false, DeltaForm::Fixed);
        let eight = ::half::f16::from_f32(8.0).to_bits();
        assert_eq!(fixed.value(eight), -8.0);
        assert_eq!(fixed.wrapped(eight), Some(8.0));
        assert_eq!(fixed.wrapped(eight | 0x8000), None, "-8 is the smallest short");
        assert_eq!(fixed.value(::half::f16::from_f32(20.0).to_bits()), 4.0);
    }

    #[test]
    fn a_larger_scale_holds_larger_deltas() {
        let bits = ::half::f16::from_f32(20.0).to_bits();
        let coarse = reader(1.0 / 1024.0, false, DeltaForm::Fixed);
        assert_eq!(coarse.value(bits), 20.0);
        assert_eq!(coarse.wrapped(bits), None);
    }

    #[test]
    fn a_converted_file_is_fixed_point_in_both_forms() {
        for form in [DeltaForm::Fixed, DeltaForm::Half] {
            assert_eq!(reader(0.5, true, form).value(0xffff), -0.5);
        }
    }
}
