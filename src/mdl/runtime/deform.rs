//! From weights to vertices: ramps, stereo sides, delayed speed, accumulation in file order.

use super::face::{FaceFlex, FaceMesh};
use super::frame::Weights;
use super::vector::normalize;

/// Flexed vertices of a mesh that the engine's buffer holds; it skips the rest.
pub const FLEXED_VERTEX_LIMIT: usize = 10_000;

/// What a weight of a flex with the usual targets (0, 1, …) becomes. `[open]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ramp {
    /// Ramps over all four targets, always: what a disassembly of the 64-bit engine of 2025 shows.
    #[default]
    Always,
    /// Targets that begin 0, 1 pass the weight through, unclamped: what a port of the engine does.
    Shortcut,
}

/// Vertices as they are deformed, all meshes in a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vertices {
    /// Positions in the model's space.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Tangents with their handedness; empty when the file has none.
    pub tangents: Vec<[f32; 4]>,
    /// Wrinkle values: how much of the wrinkle map shows.
    pub wrinkle: Vec<f32>,
    /// Which vertices a flex moved.
    pub flexed: Vec<bool>,
}

/// How much of a shape a flexdesc's weight gives.
pub fn ramp(weight: f32, targets: [f32; 4], form: Ramp) -> f32 {
    let [t0, t1, t2, t3] = targets;
    if form == Ramp::Shortcut && t0 == 0.0 && t1 == 1.0 {
        weight
    } else if weight <= t0 || weight >= t3 {
        0.0
    } else if weight < t1 {
        (weight - t0) / (t1 - t0)
    } else if weight > t2 {
        (t3 - weight) / (t3 - t2)
    } else {
        1.0
    }
}

/// The four weights of a flex: flexdesc current and delayed, pair current and delayed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sides([f32; 4]);

impl Sides {
    fn of(flex: &FaceFlex, weights: &Weights, form: Ramp) -> Self {
        let at = |index: usize| {
            let [current, delayed] = weights.of(index);
            [ramp(current, flex.targets, form), ramp(delayed, flex.targets, form)]
        };
        let [w1, w2] = at(flex.flexdesc);
        let [w3, w4] = flex.pair.map_or([w1, w2], at);
        Self([w1, w2, w3, w4])
    }

    /// Whether the engine skips the flex. The bound is a double in its code.
    fn negligible(self) -> bool {
        self.0.iter().all(|&weight| f64::from(weight).abs() < 0.001)
    }

    /// The weight of a vertex by its speed (1: current, 0: delayed) and side (0: flexdesc, 1: pair).
    fn weight(self, speed: f32, side: f32) -> f32 {
        let Self([w1, w2, w3, w4]) = self;
        let lerp = |a: f32, b: f32, t: f32| a * (1.0 - t) + b * t;
        lerp(lerp(w2, w1, speed), lerp(w4, w3, speed), side)
    }
}

/// Applies a mesh's flexes; how many moves of vertices the engine's limit left out (when it is applied).
pub(super) fn mesh(
    mesh: &FaceMesh,
    weights: &Weights,
    form: Ramp,
    engine_limit: bool,
    vertices: &mut Vertices,
) -> usize {
    let limit = if engine_limit { FLEXED_VERTEX_LIMIT } else { usize::MAX };
    let (mut flexed, mut left_out) = (0, 0);
    for flex in &mesh.flexes {
        let sides = Sides::of(flex, weights, form);
        if sides.negligible() {
            continue;
        }
        for anim in &flex.anims {
            let at = anim.vertex;
            if !vertices.flexed[at] {
                if flexed == limit {
                    left_out += 1;
                    continue;
                }
                flexed += 1;
                vertices.flexed[at] = true;
            }
            let weight = sides.weight(anim.speed, anim.side);
            move_by(&mut vertices.positions[at], anim.delta, weight);
            move_by(&mut vertices.normals[at], anim.normal_delta, weight);
            if let Some(tangent) = vertices.tangents.get_mut(at) {
                move_by(tangent, anim.normal_delta, weight);
            }
            vertices.wrinkle[at] += weight * anim.wrinkle;
        }
    }
    renormalize(mesh, vertices);
    left_out
}

/// Adds a weighted delta to the first three values.
fn move_by(values: &mut [f32], delta: [f32; 3], weight: f32) {
    std::iter::zip(values, delta).for_each(|(value, delta)| *value += delta * weight);
}

/// Only flexed vertices: the others keep their file's normals to the bit.
fn renormalize(mesh: &FaceMesh, vertices: &mut Vertices) {
    for at in mesh.first..mesh.first + mesh.count {
        if vertices.flexed[at] {
            vertices.normals[at] = normalize(vertices.normals[at]);
            if let Some([x, y, z, _]) = vertices.tangents.get_mut(at) {
                [*x, *y, *z] = normalize([*x, *y, *z]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_rises_holds_and_falls() {
        let targets = [0.25, 0.5, 1.0, 2.0];
        for (weight, expected) in [(0.25, 0.0), (0.375, 0.5), (0.5, 1.0), (1.0, 1.0), (1.5, 0.5), (2.0, 0.0)]
        {
            assert_eq!(ramp(weight, targets, Ramp::Always), expected, "at {weight}");
        }
    }

    #[test]
    fn the_shortcut_passes_the_weight_unclamped() {
        let usual = [0.0, 1.0, 10.0, 11.0];
        assert_eq!(ramp(-0.5, usual, Ramp::Always), 0.0);
        assert_eq!(ramp(-0.5, usual, Ramp::Shortcut), -0.5);
        assert_eq!(ramp(2.0, usual, Ramp::Always), 1.0);
        assert_eq!(ramp(2.0, usual, Ramp::Shortcut), 2.0);
        assert_eq!(ramp(0.5, [0.0, 0.5, 10.0, 11.0], Ramp::Shortcut), 1.0, "other targets ramp");
    }

    #[test]
    fn side_and_speed_pick_among_four_weights() {
        let sides = Sides([1.0, 2.0, 3.0, 4.0]);
        assert_eq!(sides.weight(1.0, 0.0), 1.0);
        assert_eq!(sides.weight(0.0, 0.0), 2.0);
        assert_eq!(sides.weight(1.0, 1.0), 3.0);
        assert_eq!(sides.weight(0.0, 1.0), 4.0);
        assert_eq!(sides.weight(0.5, 0.5), 2.5);
    }

    #[test]
    fn a_weight_of_a_thousandth_counts_as_the_float_it_is() {
        assert!(Sides([0.000999, -0.000999, 0.0, 0.0]).negligible());
        assert!(!Sides([0.001, 0.0, 0.0, 0.0]).negligible(), "0.001 as a float lies above the double");
        assert!(!Sides([0.0, 0.0, 0.0, f32::NAN]).negligible());
    }
}
