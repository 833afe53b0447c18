//! Eyelids: the weight of a lid's flexdesc is the height of the lid over the eye's centre, found
//! from the weights of its raiser, neutral and lowerer and from where the eye looks.
//! `[T: a port of the engine; the SDK's names agree]`

use super::skin::bone_to_world;
use super::vector::{Matrix, add, cross, dot, normalize, rotate, rotate_back, scale, sub, transform};
use crate::mdl::format::Mdl;
use crate::mdl::format::eyeball::{Eyeball, Lid};
use crate::mdl::format::mesh::Model;

/// Up and forward of an aimed eye, in its bone's space.
struct Aim {
    up: [f32; 3],
    forward: [f32; 3],
}

/// Heights of the upper and the lower lid, in units.
pub fn heights(
    eye: &Eyeball,
    bone_to_world: &Matrix,
    view_target: Option<[f32; 3]>,
    weights: &[f32],
) -> [f32; 2] {
    let aim = aim(eye, bone_to_world, view_target);
    [&eye.upper, &eye.lower].map(|lid| height(eye, lid, &aim, weights))
}

/// A lid as far as no weight is needed: what its height is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct LidShape {
    /// The flexdesc that receives the height.
    pub flexdesc: usize,
    /// Flexdescs of raiser, neutral and lowerer, in the file's order.
    pub inputs: [i32; 3],
    /// The angle by which a weight of 1 of each turns the lid.
    pub angles: [f32; 3],
    /// Up of the aimed eye, in its bone's space.
    pub aimed_up: [f32; 3],
    /// Forward of the aimed eye, in its bone's space.
    pub aimed_forward: [f32; 3],
    /// The eye's own up.
    pub up: [f32; 3],
    /// The eye's radius in units.
    pub radius: f32,
}

/// The lids of a model's eyes at the rest pose, those of one eye together, in the order in which a frame
/// sets them. Lids whose flexdesc does not exist are left out.
pub fn shapes(mdl: &Mdl, model: &Model, view_target: Option<[f32; 3]>) -> Vec<Vec<LidShape>> {
    let eyes = model.eyeballs.iter().filter(|eye| !eye.non_facs);
    eyes.map(|eye| {
        let aim = aim(eye, &bone_to_world(mdl, eye.bone, None), view_target);
        let exists = |index: i32| usize::try_from(index).ok().filter(|&at| at < mdl.flexdescs.len());
        let shape = |lid: &Lid| {
            Some(LidShape {
                flexdesc: exists(lid.lid_flexdesc)?,
                inputs: lid.flexdescs,
                angles: lid.targets.map(|target| angle_of(target, eye.radius)),
                aimed_up: aim.up,
                aimed_forward: aim.forward,
                up: eye.up,
                radius: eye.radius,
            })
        };
        [&eye.upper, &eye.lower].into_iter().filter_map(shape).collect()
    })
    .collect()
}

/// Turns the eye to its target (`None`: straight along its own forward), tilted by its offset.
fn aim(eye: &Eyeball, bone_to_world: &Matrix, view_target: Option<[f32; 3]>) -> Aim {
    let up = rotate(bone_to_world, eye.up);
    let forward = match view_target {
        Some(target) => sub(target, transform(bone_to_world, eye.origin)),
        None => rotate(bone_to_world, eye.forward),
    };
    let forward = normalize(forward);
    let right = normalize(cross(forward, up));
    let forward = normalize(add(forward, scale(right, 2.0 * eye.z_offset)));
    let right = normalize(cross(forward, up));
    let up = normalize(cross(right, forward));
    Aim { up: rotate_back(bone_to_world, up), forward: rotate_back(bone_to_world, forward) }
}

fn height(eye: &Eyeball, lid: &Lid, aim: &Aim, weights: &[f32]) -> f32 {
    let weight = |index: i32| usize::try_from(index).ok().and_then(|at| weights.get(at)).copied();
    let angle: f32 = std::iter::zip(lid.flexdescs, lid.targets)
        .map(|(flexdesc, target)| weight(flexdesc).unwrap_or(0.0) * angle_of(target, eye.radius))
        .sum();
    // The platform's sine may differ in its last bit from machine to machine; this one does not.
    let (sine, cosine) = libm::sincos(f64::from(angle));
    let edge = add(scale(aim.up, sine as f32 * eye.radius), scale(aim.forward, cosine as f32 * eye.radius));
    dot(edge, eye.up)
}

/// The angle at which a lid's edge has that height. The targets are heights, not the radians that
/// the SDK's comment promises.
fn angle_of(target: f32, radius: f32) -> f32 {
    libm::asin(f64::from((target / radius).clamp(-1.0, 1.0))) as f32
}
