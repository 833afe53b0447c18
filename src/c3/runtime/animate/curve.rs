//! The curves between two keys. `p` is the start key's value, `q` the end key's, `u` the place between
//! them, which is not clamped. \[listing\]
//!
//! Lines and spherical curves fuse their sums as the recorded build does and meet it bit for bit; the cubic
//! curves of vectors are plain single arithmetic, within the recording's tolerance.

/// Which ease curve.
///
/// The recorded factor `1/2 - 1/(a + b)` makes a curve that jumps and goes negative; `1/(2 - a - b)` is the
/// only one that joins its three pieces and ends at 1. Which of them games run is not settled. \[open\]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ease {
    /// The factor that makes the curve continuous.
    #[default]
    Continuous,
    /// The factor as the library's listing has it.
    Listing,
}

/// Bends `u`: `a` is the ease-out of the start key, `b` the ease-in of the end key.
pub fn ease(u: f32, a: f32, b: f32, ease: Ease) -> f32 {
    let sum = a + b;
    if u == 0.0 || u == 1.0 || sum == 0.0 {
        return u;
    }
    let (a, b) = if sum > 1.0 { (a / sum, b / sum) } else { (a, b) };
    let k = match ease {
        Ease::Continuous => 1.0 / (2.0 - a - b),
        Ease::Listing => 0.5 - 1.0 / sum,
    };
    if u < a {
        (k / a) * u * u
    } else if u < 1.0 - b {
        k * (2.0 * u - a)
    } else {
        1.0 - (k / b) * (1.0 - u) * (1.0 - u)
    }
}

/// A straight line.
pub fn linear(p: [f32; 3], q: [f32; 3], u: f32) -> [f32; 3] {
    std::array::from_fn(|axis| u.mul_add(q[axis], (1.0 - u) * p[axis]))
}

/// A straight line between angles in degrees, by the shorter way; exactly half a turn is left alone.
pub fn linear_angles(mut p: [f32; 3], mut q: [f32; 3], u: f32) -> [f32; 3] {
    for (p, q) in p.iter_mut().zip(&mut q) {
        let difference = *p - *q;
        if difference > 180.0 {
            *p -= 360.0;
        } else if difference < -180.0 {
            *q -= 360.0;
        }
    }
    linear(p, q, u)
}

/// A cubic Bezier; `outgoing` and `incoming` are controls relative to `p` and `q`. Angles too go this way
/// without taking the shorter one.
pub fn bezier(p: [f32; 3], q: [f32; 3], outgoing: [f32; 3], incoming: [f32; 3], u: f32) -> [f32; 3] {
    let v = 1.0 - u;
    let weights = [v * v * v, 3.0 * u * v * v, 3.0 * u * u * v, u * u * u];
    std::array::from_fn(|axis| {
        let points = [p[axis], p[axis] + outgoing[axis], q[axis] + incoming[axis], q[axis]];
        weighted(weights, points)
    })
}

/// A cubic Hermite curve at the eased place `w`; tangents belong to the segment, whatever its duration.
pub fn hermite(p: [f32; 3], q: [f32; 3], outgoing: [f32; 3], incoming: [f32; 3], w: f32) -> [f32; 3] {
    let (square, cube) = (w * w, w * w * w);
    let start = 2.0 * cube - 3.0 * square + 1.0;
    let weights = [start, 1.0 - start, cube - 2.0 * square + w, cube - square];
    std::array::from_fn(|axis| weighted(weights, [p[axis], q[axis], outgoing[axis], incoming[axis]]))
}

fn weighted(weights: [f32; 4], values: [f32; 4]) -> f32 {
    weights.iter().zip(values).fold(0.0, |sum, (weight, value)| sum + weight * value)
}

/// How near to ±1 a cosine must be for slerp to leave the sphere.
const NEAR: f32 = 1e-6;

/// Spherical linear interpolation, without a look for the short way. Nearly opposite quaternions go by
/// way of a perpendicular one and never reach `q`.
pub fn slerp(p: [f32; 4], q: [f32; 4], t: f32) -> [f32; 4] {
    let cosine = p[3].mul_add(q[3], p[2].mul_add(q[2], p[0].mul_add(q[0], p[1] * q[1])));
    if 1.0 + cosine <= NEAR {
        let perpendicular = [-q[1], q[0], -q[3], q[2]];
        let quarter = std::f32::consts::FRAC_PI_2;
        return mix(p, perpendicular, sine((1.0 - t) * quarter), sine(t * quarter));
    }
    if 1.0 - cosine <= NEAR {
        return mix(p, q, 1.0 - t, t);
    }
    let angle = libm::acos(f64::from(cosine)) as f32;
    let scale = 1.0 / sine(angle);
    mix(p, q, sine(angle - t * angle) * scale, sine(t * angle) * scale)
}

/// The sine of radians, accurate to the last bit of a single.
fn sine(radians: f32) -> f32 {
    libm::sin(f64::from(radians)) as f32
}

fn mix(p: [f32; 4], q: [f32; 4], a: f32, b: f32) -> [f32; 4] {
    std::array::from_fn(|component| a.mul_add(p[component], b * q[component]))
}

/// Spherical cubic interpolation: keys `p q`, controls outgoing and incoming.
pub fn squad(keys: [[f32; 4]; 2], controls: [[f32; 4]; 2], w: f32) -> [f32; 4] {
    let between_keys = slerp(keys[0], keys[1], w);
    let between_controls = slerp(controls[0], controls[1], w);
    slerp(between_keys, between_controls, 2.0 * w * (1.0 - w))
}
