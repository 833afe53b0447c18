//! A Character Pipeline model as it was made: source vertices, bones, weights, and sequences frame by frame.

use std::collections::BTreeMap;

use super::dry_run::ideal::source;
use super::format::gpl::Quantize;
use super::format::skn::{EntryId, List};
use super::mesh::Topology;
use super::model::Model;
use super::outcome::Outcome;
use super::poses::{FramePose, Poses, Rig, bones_named};
use super::rules::subject::Subject;
use super::rules::weights::contributions;
use super::runtime::animate::{Player, TickError};
use super::runtime::load::{DEFAULT_ADDRESS, LoadError, LoadPlan};
use super::runtime::pose::{Actor, Matrix, Pose, Skeleton};
use super::runtime::simulation::RunOptions;
use crate::affine::Affine;
use crate::mesh::unit;
use crate::rigged::{Animation, Bone, Rigged, locals, normalized_influences};

/// The model with its skeleton. Skinned vertices lie where their sources do, rigid submeshes where the
/// rest pose puts them.
///
/// # Errors
/// When the model has no GPL or no SKN, its skeleton cannot be loaded, or memory does not hold it.
pub fn rigged(model: &Model, rig: &Rig) -> Result<Rigged, LoadError> {
    let plan = LoadPlan::at(model, DEFAULT_ADDRESS)?;
    let topology = Topology::of(model);
    let actor = rig.actor(model)?;
    // No frame is run: memory holds the files.
    let mut outcome = Outcome::run(model, plan, RunOptions::default(), Poses::identity(model, 0))?;
    if let Some(actor) = &actor {
        outcome.pose = FramePose::of(&actor.skeleton, &actor.build());
    }
    let mut out = Rigged {
        mesh: topology.mesh(&outcome),
        bones: actor.as_ref().map_or_else(|| unnamed_bones(model), bones),
        ..Rigged::default()
    };
    out.influences = vec![Vec::new(); out.mesh.positions.len()];
    skinned(model, topology.skinned_vertices().start, &mut out);
    for (submesh, vertices) in topology.rigid_vertices() {
        let owner = actor.as_ref().and_then(|actor| owner(&actor.skeleton, submesh));
        if let Some(owner) = owner {
            out.influences[vertices].fill(vec![(owner, 1.0)]);
        }
    }
    Ok(out)
}

/// The frames of a player: where every bone is after each tick.
///
/// # Errors
/// When a tick fails.
pub fn animation(name: String, mut player: Player, frames: u32) -> Result<Animation, Box<TickError>> {
    let mut out = Animation { name, frame_seconds: crate::export::gltf::FRAME_SECONDS, frames: Vec::new() };
    for _ in 0..frames {
        let pose = player.frame()?;
        let locals = local_transforms(&player.actor.skeleton, &pose);
        out.frames.push(locals.iter().map(Affine::nearest_trs).collect());
    }
    Ok(out)
}

fn affine(matrix: &Matrix) -> Affine {
    Affine(matrix.0.map(|row| row.map(f64::from)))
}

fn local_transforms(skeleton: &Skeleton, pose: &Pose) -> Vec<Affine> {
    let globals: Vec<Affine> = pose.forward.iter().map(affine).collect();
    locals(&globals, parents(skeleton))
}

/// The parent that a bone follows, if it follows any.
fn parents(skeleton: &Skeleton) -> impl Iterator<Item = Option<u16>> {
    skeleton.bones.iter().map(|bone| bone.parent.filter(|_| bone.inherits).map(|parent| parent as u16))
}

fn bones(actor: &Actor) -> Vec<Bone> {
    let skeleton = &actor.skeleton;
    let locals = local_transforms(skeleton, &actor.build());
    let places = skeleton.bones.iter().zip(parents(skeleton)).zip(locals).zip(&skeleton.orientation_inverse);
    places
        .map(|(((bone, parent), local), inverse)| Bone {
            name: format!("bone {}", bone.id),
            parent,
            local,
            inverse_bind: affine(inverse),
        })
        .collect()
}

/// As many bones as the entries name, all where the model is: there is no skeleton.
fn unnamed_bones(model: &Model) -> Vec<Bone> {
    let bone = |number| Bone {
        name: format!("bone {number}"),
        parent: None,
        local: Affine::IDENTITY,
        inverse_bind: Affine::IDENTITY,
    };
    (0..bones_named(model)).map(bone).collect()
}

fn owner(skeleton: &Skeleton, submesh: u32) -> Option<u16> {
    let owns = |bone: &super::runtime::pose::Bone| bone.display_object.map(u32::from) == Some(submesh);
    skeleton.bones.iter().position(owns).map(|bone| bone as u16)
}

/// What moves a slot, as far as it is known.
#[derive(Default)]
struct SlotWeights {
    /// The last SK1 or SK2 entry that writes it.
    direct: Option<EntryId>,
    weights: Vec<(u16, f32)>,
}

/// Source vertices and weights of the skinned submesh, whose first vertex is `first` in the mesh.
fn skinned(model: &Model, first: usize, out: &mut Rigged) {
    let subject = Subject::new(model);
    let Some(skn) = subject.skn() else { return };
    let position = model.gpl.as_ref().and_then(|gpl| gpl.skinned()).map(|(_, _, position)| position.quantize);
    let unit_size = (1_u32 << position.map_or(0, Quantize::fraction_bits).min(31)) as f32;
    let mut slots: BTreeMap<usize, SlotWeights> = BTreeMap::new();
    for part in contributions(&subject) {
        let Some(vertex) = usize::try_from(part.slot).ok().and_then(|slot| slot.checked_add(first)) else {
            continue;
        };
        if vertex >= out.mesh.positions.len() {
            continue;
        }
        let SlotWeights { direct, weights } = slots.entry(vertex).or_default();
        // Of several entries that write a slot directly the last one counts.
        if part.entry.list != List::SkAcc && *direct != Some(part.entry) {
            *direct = Some(part.entry);
            weights.clear();
        }
        weights.push((part.bone, f32::from(part.weight) / 256.0));
        if let Some(source) = source(&subject, skn, part.entry, part.vertex) {
            let [x, y, z, nx, ny, nz] = source.map(f32::from);
            out.mesh.positions[vertex] = [x, y, z].map(|component| component / unit_size);
            out.mesh.normals[vertex] = unit([nx, ny, nz]);
        }
    }
    for (vertex, SlotWeights { weights, .. }) in slots {
        let sum: f32 = weights.iter().map(|(_, weight)| weight).sum();
        if (sum - 1.0).abs() > 1.0 / 512.0 {
            out.unnormalized += 1;
        }
        out.influences[vertex] = normalized_influences(weights);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::testing::fox;

    #[test]
    fn the_foxs_vertices_are_its_sources_and_all_have_bones() {
        let bytes = fox();
        let model = Model::from_block(&bytes).unwrap();
        let out = rigged(&model, &Rig::default()).unwrap();
        assert_eq!((out.bones.len(), out.influences.len(), out.unnormalized), (24, 1518, 0));
        let used: std::collections::BTreeSet<u32> = out.mesh.triangles().flatten().collect();
        assert!(used.iter().all(|&vertex| !out.influences[vertex as usize].is_empty()));
        let rest = Outcome::at_rest(&model).unwrap().mesh();
        let apart = |vertex: &u32| {
            let (a, b) = (out.mesh.positions[*vertex as usize], rest.positions[*vertex as usize]);
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        let worst = used.iter().map(apart).fold(0.0, f32::max);
        // Each store of a frame truncates to 1/256 or finer.
        assert!(worst < 0.05, "{worst}");
    }
}
