//! A control: the transform of a bone or an actor, as components or as a whole matrix.
//!
//! Record, 0x34 bytes: the type byte, three unused bytes, then either scale xyz (+0x04), rotation xyzw
//! (+0x10, a quaternion or three Euler angles in degrees) and translation xyz (+0x20), or a 3×4 row-major
//! matrix (+0x04). Both forms share the same bytes, as they do in the library. \[listing\]

use crate::bytes::{ReadResult, View};

/// Size of a control record in bytes.
pub const SIZE: u64 = 0x34;

/// Type bit: the scale counts.
pub const SCALE: u8 = 0x01;
/// Type bit: the rotation is three Euler angles in degrees.
pub const EULER: u8 = 0x02;
/// Type bit: the rotation is a quaternion.
pub const QUATERNION: u8 = 0x04;
/// Type bit: the translation counts.
pub const TRANSLATION: u8 = 0x08;
/// Type bit: the parameters are a matrix, and all other bits are ignored.
pub const MATRIX: u8 = 0x10;
/// Type bit of a later library: a second quaternion turns the axes of the scale.
/// The April 2001 library does not know it.
pub const SCALE_AXES: u8 = 0x20;

/// A control record, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Control {
    /// Type bits.
    pub bits: u8,
    /// Unused bytes at +1.
    pub padding: [u8; 3],
    /// The twelve words at +4: scale, rotation and translation, or a matrix.
    pub parameters: [f32; 12],
    /// The two words behind the record, read where [`SCALE_AXES`] is set: the end of the second quaternion,
    /// which begins in the record's last two words.
    pub extension: Option<[f32; 2]>,
}

const SCALE_AT: usize = 0;
const ROTATION_AT: usize = 3;
const TRANSLATION_AT: usize = 7;
const SCALE_AXES_AT: usize = 10;

impl Control {
    /// Type 0: what a missing control stands for.
    pub const IDENTITY: Self = Self { bits: 0, padding: [0; 3], parameters: [0.0; 12], extension: None };

    /// Reads the record at `offset`.
    ///
    /// # Errors
    /// When the record does not lie inside the view.
    pub fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let record = view.sub(offset, SIZE, "control record")?;
        let mut padding = [0; 3];
        padding.copy_from_slice(record.take(1, 3, "control record")?);
        let bits = record.u8(0, "control type")?;
        let extension = match bits & (SCALE_AXES | MATRIX) {
            SCALE_AXES => view.f32s(offset + SIZE, "scale axes").ok(),
            _ => None,
        };
        Ok(Self { bits, padding, parameters: record.f32s(4, "control parameters")?, extension })
    }

    /// The record as stored in a file: [`SIZE`] bytes, and eight more where the scale's axes are stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.bits];
        bytes.extend(self.padding);
        for value in self.parameters.iter().chain(self.extension.iter().flatten()) {
            bytes.extend(value.to_bits().to_be_bytes());
        }
        bytes
    }

    /// Whether any of `bits` is set.
    pub fn has(&self, bits: u8) -> bool {
        self.bits & bits != 0
    }

    fn three(&self, at: usize) -> [f32; 3] {
        [self.parameters[at], self.parameters[at + 1], self.parameters[at + 2]]
    }

    /// The scale's place, whether its bit is set or not.
    pub fn scale(&self) -> [f32; 3] {
        self.three(SCALE_AT)
    }

    /// The Euler angles' place, degrees.
    pub fn euler(&self) -> [f32; 3] {
        self.three(ROTATION_AT)
    }

    /// The quaternion's place, x y z w.
    pub fn quaternion(&self) -> [f32; 4] {
        let [x, y, z] = self.three(ROTATION_AT);
        [x, y, z, self.parameters[ROTATION_AT + 3]]
    }

    /// The translation's place.
    pub fn translation(&self) -> [f32; 3] {
        self.three(TRANSLATION_AT)
    }

    /// The matrix's place, three rows of four.
    pub fn matrix(&self) -> [[f32; 4]; 3] {
        let row = |at: usize| std::array::from_fn(|column| self.parameters[4 * at + column]);
        [row(0), row(1), row(2)]
    }

    /// The quaternion that turns the scale's axes, where [`SCALE_AXES`] is set and the file holds it.
    pub fn scale_axes(&self) -> Option<[f32; 4]> {
        let [z, w] = self.extension?;
        Some([self.parameters[SCALE_AXES_AT], self.parameters[SCALE_AXES_AT + 1], z, w])
    }

    fn set(&mut self, at: usize, values: &[f32], bit: u8, cleared: u8) {
        self.parameters[at..at + values.len()].copy_from_slice(values);
        self.bits = (self.bits & !(cleared | MATRIX)) | bit;
    }

    /// Sets the scale and its bit; a matrix is one no longer.
    pub fn set_scale(&mut self, scale: [f32; 3]) {
        self.set(SCALE_AT, &scale, SCALE, 0);
    }

    /// Sets the rotation to Euler angles in degrees; it is a quaternion (or a matrix) no longer.
    pub fn set_euler(&mut self, angles: [f32; 3]) {
        self.set(ROTATION_AT, &angles, EULER, QUATERNION);
    }

    /// Sets the rotation to a quaternion (x y z w); it is Euler angles (or a matrix) no longer.
    pub fn set_quaternion(&mut self, quaternion: [f32; 4]) {
        self.set(ROTATION_AT, &quaternion, QUATERNION, EULER);
    }

    /// Sets the translation and its bit; a matrix is one no longer.
    pub fn set_translation(&mut self, translation: [f32; 3]) {
        self.set(TRANSLATION_AT, &translation, TRANSLATION, 0);
    }

    /// Sets a whole matrix: the type becomes exactly [`MATRIX`].
    pub fn set_matrix(&mut self, rows: [[f32; 4]; 3]) {
        for (place, value) in self.parameters.iter_mut().zip(rows.iter().flatten()) {
            *place = *value;
        }
        self.bits = MATRIX;
    }
}
