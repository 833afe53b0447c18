//! A face as it was made: vertices at rest, bones, weights, and every flex as a shape.

use std::collections::BTreeMap;

use super::format::Mdl;
use super::format::vvd::Vertex;
use super::runtime::face::Face;
use crate::affine::Affine;
use crate::mesh::Mesh;
use crate::rigged::{Bone, Rigged, Shape, locals, normalized_influences};

/// A face with its bones and its flexes; `mesh` is the face at rest.
pub(super) fn rigged(mdl: &Mdl, face: &Face, mesh: Mesh) -> Rigged {
    Rigged {
        mesh,
        bones: bones(mdl),
        influences: face.stored.iter().map(influences).collect(),
        shapes: shapes(mdl, face),
        ..Rigged::default()
    }
}

fn bones(mdl: &Mdl) -> Vec<Bone> {
    let inverse: Vec<Affine> =
        mdl.bones.iter().map(|bone| Affine(bone.pose_to_bone.map(|row| row.map(f64::from)))).collect();
    let globals: Vec<Affine> =
        inverse.iter().map(|inverse| inverse.inverse().unwrap_or(Affine::IDENTITY)).collect();
    // A parent comes before its children in every compiled model; links that do not would make circles.
    let parents: Vec<Option<u16>> = (0..)
        .zip(&mdl.bones)
        .map(|(at, bone)| u16::try_from(bone.parent).ok().filter(|&up| up < at))
        .collect();
    let locals = locals(&globals, parents.iter().copied());
    let places = mdl.bones.iter().zip(parents).zip(locals).zip(inverse);
    places
        .map(|(((bone, parent), local), inverse_bind)| Bone {
            name: bone.name.clone(),
            parent,
            local,
            inverse_bind,
        })
        .collect()
}

fn influences(vertex: &Vertex) -> Vec<(u16, f32)> {
    let pairs = vertex.bones.iter().zip(vertex.weights).take(usize::from(vertex.bone_count));
    normalized_influences(pairs.filter_map(|(&bone, weight)| Some((u16::try_from(bone).ok()?, weight))))
}

/// A flexdesc and the bits of the weights over which a flex of it rises and falls.
type ShapeKey = (usize, [u32; 4]);

/// What is added to position and normal of each vertex.
type Deltas = BTreeMap<usize, [[f32; 3]; 2]>;

/// What every flexdesc does at full weight, the halves of stereo pairs apart. Flexes of one flexdesc that
/// rise over different weights are shapes of their own.
fn shapes(mdl: &Mdl, face: &Face) -> Vec<Shape> {
    let mut shapes: BTreeMap<ShapeKey, Deltas> = BTreeMap::new();
    for flex in face.meshes().flat_map(|mesh| &mesh.flexes) {
        let targets = flex.targets.map(f32::to_bits);
        for anim in &flex.anims {
            let halves = match flex.pair {
                Some(pair) => vec![(flex.flexdesc, 1.0 - anim.side), (pair, anim.side)],
                None => vec![(flex.flexdesc, 1.0)],
            };
            for (flexdesc, share) in halves.into_iter().filter(|(_, share)| *share != 0.0) {
                let deltas = shapes.entry((flexdesc, targets)).or_default().entry(anim.vertex).or_default();
                let [position, normal] = deltas;
                for axis in 0..3 {
                    position[axis] += anim.delta[axis] * share;
                    normal[axis] += anim.normal_delta[axis] * share;
                }
            }
        }
    }
    let several = |flexdesc: usize| shapes.range((flexdesc, [0; 4])..=(flexdesc, [u32::MAX; 4])).count() > 1;
    let name = |flexdesc: usize, targets: [u32; 4]| {
        let name = mdl.flexdesc_name(flexdesc as i32);
        let [t0, t1, t2, t3] = targets.map(f32::from_bits);
        if several(flexdesc) { format!("{name} {t0}-{t1}-{t2}-{t3}") } else { name }
    };
    let named: Vec<String> = shapes.keys().map(|&(flexdesc, targets)| name(flexdesc, targets)).collect();
    let deltas = shapes.into_values().map(|deltas| {
        deltas.into_iter().map(|(vertex, [position, normal])| (vertex as u32, position, normal)).collect()
    });
    named.into_iter().zip(deltas).map(|(name, deltas)| Shape { name, deltas }).collect()
}
