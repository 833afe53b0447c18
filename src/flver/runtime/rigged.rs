//! A FLVER as it was made: bind pose, nodes, weights.

use super::posing::decode_and_pose;
use super::transform::Transform;
use super::{Binding, Options, Skeleton};
use crate::affine::Affine;
use crate::bytes::ReadResult;
use crate::flver::format::Flver;
use crate::rigged::{Bone, Rigged, locals, normalized_influences};

/// The model with its nodes as bones. Vertices of static meshes follow the node that places them.
///
/// # Errors
/// When the nodes cannot be composed or a mesh cannot be decoded.
pub fn rigged(name: &str, flver: &Flver, options: &Options) -> ReadResult<Rigged> {
    let rest = Options { pose: None, previous_pose: None, ..options.clone() };
    let skeleton = Skeleton::current(flver, &rest)?;
    let mut out = Rigged {
        mesh: super::mesh(name, flver, &rest)?,
        bones: bones(flver, &skeleton),
        ..Rigged::default()
    };
    let nodes = flver.nodes.len();
    for mesh in &flver.meshes {
        let (vertices, binding, posed) = decode_and_pose(flver, mesh, &skeleton, &rest, true)?;
        let node = |slot: u32| u16::try_from(slot).ok().filter(|&slot| usize::from(slot) < nodes);
        let mut rows: Vec<Vec<(u16, f32)>> = match &binding {
            Binding::Unmoved => Vec::new(),
            Binding::Rigid { slots, .. } => {
                slots.iter().map(|&slot| node(slot).map(|node| (node, 1.0)).into_iter().collect()).collect()
            }
            Binding::Skinned { slots, weights } => {
                let row = |(slots, weights): (&[u32; 4], &[f32; 4])| {
                    let pairs = slots.iter().zip(weights);
                    normalized_influences(pairs.filter_map(|(&slot, &weight)| Some((node(slot)?, weight))))
                };
                slots.iter().zip(weights).map(row).collect()
            }
        };
        debug_assert!(rows.len() <= vertices.count);
        rows.resize(posed.positions.len(), Vec::new());
        out.influences.extend(rows);
    }
    Ok(out)
}

fn bones(flver: &Flver, skeleton: &Skeleton) -> Vec<Bone> {
    let globals: Vec<Affine> = skeleton.bind.iter().map(affine).collect();
    let parent = |parent: i16| u16::try_from(parent).ok().filter(|&at| usize::from(at) < globals.len());
    let locals = locals(&globals, flver.nodes.iter().map(|node| parent(node.parent)));
    let places = flver.nodes.iter().zip(&globals).zip(locals);
    places
        .map(|((node, global), local)| Bone {
            name: node.name.clone(),
            parent: parent(node.parent),
            local,
            inverse_bind: global.inverse().unwrap_or(Affine::IDENTITY),
        })
        .collect()
}

/// From rows that vectors are multiplied with from the left, to columns.
fn affine(transform: &Transform) -> Affine {
    Affine(std::array::from_fn(|row| std::array::from_fn(|column| transform.rows[column][row])))
}
