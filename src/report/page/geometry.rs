//! The mesh of a page in every frame that it shows.
//!
//! Positions are 16-bit steps from an origin. The step is a power of two, so that positions of a
//! Character Pipeline model, which are 16-bit fixed point themselves, lose nothing.

use serde::Serialize;

use super::pack;
use crate::mesh::Mesh;

/// Bytes of positions and errors in the page at most, the first frames excepted: of a long animation
/// every second, third, … frame is kept.
const FRAME_BYTES: usize = 1_000_000;
/// Marks a coordinate that is no finite number.
const NOT_A_NUMBER: u16 = u16::MAX;
/// The largest step from the origin.
const LARGEST: f64 = 65_534.0;

/// A mesh as the page draws it.
#[derive(Debug, Serialize)]
pub struct Geometry {
    /// Vertices.
    pub vertex_count: usize,
    /// Corners of the triangles, u32.
    pub triangles: String,
    /// Names of parts, each with the number of its triangles, in order.
    pub parts: Vec<(String, usize)>,
    /// What all positions are counted from.
    pub origin: [f32; 3],
    /// What a step of a position is worth.
    pub step: f32,
    /// The frames; the first is the model at rest.
    pub frames: Vec<PageFrame>,
    /// How many frames the animation has when not all are shown.
    pub frames_run: Option<usize>,
    /// The first vertex that stands for a slot of the position array, and how many do; findings and lines
    /// count slots.
    pub slots: [usize; 2],
    /// One unit of an error in the model's own units.
    pub error_unit: f32,
    /// Who moves each vertex.
    pub influences: Influences,
    /// Names of the bones, where they have any.
    pub bone_names: Vec<String>,
}

/// A frame.
#[derive(Debug, Serialize)]
pub struct PageFrame {
    /// Name for people.
    pub name: String,
    /// Three u16 a vertex.
    pub positions: String,
    /// Difference from ideal skinning by vertex, u16, in units of the stored positions; 65535 where there is
    /// no ideal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<String>,
}

/// Bones and weights by vertex: entry `i` of the arrays belongs to the vertex in whose count it falls.
#[derive(Debug, Default, Serialize)]
pub struct Influences {
    /// How many each vertex has, u16.
    pub counts: String,
    /// The entry that moves it, u16, by its number in the line map; empty without entries.
    pub entries: String,
    /// The bone, u16.
    pub bones: String,
    /// The weight, u16.
    pub weights: String,
    /// What a weight of 1 is.
    pub whole: u16,
}

/// One bone's part in a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Influence {
    /// The entry, by its number in the line map.
    pub entry: u16,
    /// The bone.
    pub bone: u16,
    /// The weight.
    pub weight: u16,
}

impl Influences {
    /// Packs the parts of every vertex.
    pub fn new(by_vertex: &[Vec<Influence>], whole: u16) -> Self {
        let all = || by_vertex.iter().flatten();
        Self {
            counts: pack::u16s(by_vertex.iter().map(|parts| parts.len() as u16)),
            entries: pack::u16s(all().map(|part| part.entry)),
            bones: pack::u16s(all().map(|part| part.bone)),
            weights: pack::u16s(all().map(|part| part.weight)),
            whole,
        }
    }
}

/// A frame before it is packed.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Name for people.
    pub name: String,
    /// One a vertex.
    pub positions: Vec<[f32; 3]>,
    /// Difference from ideal skinning by vertex.
    pub errors: Option<Vec<u16>>,
}

/// Gathers frames, and thins them out before they become too many.
#[derive(Debug)]
pub struct Frames {
    shapes: Vec<Shape>,
    /// Every how many frames one is kept.
    stride: usize,
    seen: usize,
    most: usize,
}

impl Frames {
    /// For a mesh of so many vertices.
    pub fn new(vertices: usize) -> Self {
        // Base64 makes four bytes of three: 8 a position and 3 an error.
        let most = FRAME_BYTES / (11 * vertices.max(1));
        Self { shapes: Vec::new(), stride: 1, seen: 0, most: most.max(2) }
    }

    /// Takes a frame.
    pub fn push(&mut self, shape: impl FnOnce(usize) -> Shape) {
        if self.seen.is_multiple_of(self.stride) {
            if self.shapes.len() == self.most {
                let mut index = 0;
                self.shapes.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
            if self.seen.is_multiple_of(self.stride) {
                self.shapes.push(shape(self.seen));
            }
        }
        self.seen += 1;
    }

    /// The frames kept, and how many there were.
    pub fn finish(self) -> (Vec<Shape>, usize) {
        (self.shapes, self.seen)
    }
}

/// What a geometry is made from beside its frames.
#[derive(Debug, Default)]
pub struct Attributes {
    /// The first vertex that stands for a slot, and how many do.
    pub slots: [usize; 2],
    /// One unit of an error in the model's own units.
    pub error_unit: f32,
    /// Who moves each vertex.
    pub influences: Influences,
    /// Names of the bones.
    pub bone_names: Vec<String>,
}

impl Geometry {
    /// The geometry of a mesh: its triangles, at rest and in the frames after.
    pub fn new(mesh: &Mesh, rest: Shape, frames: Frames, attributes: Attributes) -> Self {
        let (shapes, seen) = frames.finish();
        let frames_run = (shapes.len() < seen).then_some(seen);
        let shapes: Vec<Shape> = std::iter::once(rest).chain(shapes).collect();
        let steps = Steps::of(&shapes);
        Self {
            vertex_count: mesh.positions.len(),
            triangles: pack::u32s(mesh.triangles().flatten()),
            parts: mesh.parts.iter().map(|part| (part.name.clone(), part.triangles.len())).collect(),
            origin: steps.origin.map(|origin| origin as f32),
            step: steps.step as f32,
            frames: shapes.iter().map(|shape| steps.frame(shape)).collect(),
            frames_run,
            slots: attributes.slots,
            error_unit: attributes.error_unit,
            influences: attributes.influences,
            bone_names: attributes.bone_names,
        }
    }
}

/// Origin and step of the positions.
#[derive(Debug, Clone, Copy)]
struct Steps {
    origin: [f64; 3],
    step: f64,
}

impl Steps {
    fn of(shapes: &[Shape]) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let all = shapes.iter().flat_map(|shape| &shape.positions).map(|position| position.map(f64::from));
        for position in all.filter(|position| position.iter().all(|value| value.is_finite())) {
            for axis in 0..3 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        let extent = low.iter().zip(high).map(|(low, high)| high - low).fold(0.0, f64::max);
        let mut step = 2f64.powi(-24);
        // The highest position can lie a part of a step above the last one, and is drawn on it.
        while extent / step > LARGEST && step < f64::MAX / 4.0 {
            step *= 2.0;
        }
        let origin = low.map(|low| if low.is_finite() { (low / step).floor() * step } else { 0.0 });
        Self { origin, step }
    }

    fn frame(&self, shape: &Shape) -> PageFrame {
        let coordinates = shape.positions.iter().flat_map(|position| {
            let finite = position.iter().all(|value| value.is_finite());
            (0..3).map(move |axis| if finite { self.steps(axis, position[axis]) } else { NOT_A_NUMBER })
        });
        PageFrame {
            name: shape.name.clone(),
            positions: pack::u16s(coordinates),
            errors: shape.errors.as_ref().map(|errors| pack::u16s(errors.iter().copied())),
        }
    }

    fn steps(&self, axis: usize, value: f32) -> u16 {
        ((f64::from(value) - self.origin[axis]) / self.step).round().clamp(0.0, LARGEST) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(positions: Vec<[f32; 3]>) -> Shape {
        Shape { name: "frame".to_owned(), positions, errors: None }
    }

    fn decoded(steps: &Steps, axis: usize, value: f32) -> f64 {
        steps.origin[axis] + f64::from(steps.steps(axis, value)) * steps.step
    }

    #[test]
    fn fixed_point_positions_lose_nothing() {
        let values = [-32767.0 / 256.0, 32767.0 / 256.0, -0.5, 1.0 / 256.0];
        let shape = shape(values.iter().map(|&value| [value, 0.0, value]).collect());
        let steps = Steps::of(&[shape]);
        for value in values {
            assert_eq!(decoded(&steps, 0, value), f64::from(value));
        }
    }

    #[test]
    fn what_is_not_finite_is_marked_and_spoils_nothing() {
        let frame = [shape(vec![[f32::NAN, 0.0, 0.0], [1.0, 2.0, 3.0]])];
        let steps = Steps::of(&frame);
        assert_eq!(decoded(&steps, 2, 3.0), 3.0);
        assert!(steps.frame(&frame[0]).positions.starts_with(&pack::u16s([NOT_A_NUMBER; 3])));
        assert_eq!(Steps::of(&[]).origin, [0.0; 3]);
    }

    #[test]
    fn the_largest_floats_still_have_a_step() {
        let steps = Steps::of(&[shape(vec![[f32::MAX; 3], [f32::MIN; 3]])]);
        assert!(steps.step.is_finite());
        assert_eq!(steps.steps(0, f32::MIN), 0);
    }

    #[test]
    fn a_long_animation_is_thinned_evenly() {
        let mut frames = Frames::new(3000);
        let most = frames.most;
        for _ in 0..10 * most {
            frames.push(|number| Shape { name: number.to_string(), ..shape(Vec::new()) });
        }
        let (kept, seen) = frames.finish();
        assert_eq!(seen, 10 * most);
        assert!(kept.len() > most / 2 && kept.len() <= most, "{} of {most}", kept.len());
        let numbers: Vec<usize> = kept.iter().map(|shape| shape.name.parse().unwrap()).collect();
        assert!(numbers.windows(2).all(|pair| pair[1] - pair[0] == numbers[1]), "{numbers:?}");
    }
}
