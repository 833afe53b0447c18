//! What the game does with a model: compose the nodes, place or skin the vertices, place the dummy points.
//!
//! [`run`] is one frame on one page.

pub mod binding;
pub mod dummies;
pub mod hierarchy;
pub mod options;
pub mod outcome;
pub mod pose;
pub mod posing;
pub mod rigged;
pub mod skeleton;
pub mod skin;
pub mod transform;

use crate::bytes::{ReadError, ReadResult};
use crate::mesh::{Axes, Mesh, MeshPart};

use super::format::vertices::MeshVertices;
use super::format::{BoundingBox, EDGE_COMPRESSION, FaceSet, Flver, Member, MeshRecord, faces};
use binding::{Binding, identity_slot, joint, normal_w};
pub use options::Options;
use outcome::{
    Attribute, BindingOutcome, Bounds, Choices, MeshOutcome, NodeOutcome, Outcome, StreamsOutcome,
};
use posing::{Streams, decode_and_pose, joined};
pub use skeleton::Skeleton;

/// Runs one frame and tells everything about it.
///
/// # Errors
/// When the nodes cannot be composed, a pose does not fit, or the model is edge-compressed. Another mesh that cannot be decoded is told, and the others
/// are run.
pub fn run(model: &str, flver: &Flver, options: &Options) -> ReadResult<Outcome> {
    let skeleton = Skeleton::current(flver, options)?;
    let previous = Skeleton::previous(flver, options)?;
    let mut meshes = Vec::with_capacity(flver.meshes.len());
    let mut posed_bounds = None;
    let mut short_weights_used = false;
    let mut unread = Vec::new();
    for index in 0..flver.meshes.len() {
        match run_mesh(flver, index, [&skeleton, &previous], options) {
            Ok((mesh, short_weights)) => {
                posed_bounds = joined(posed_bounds, BoundingBox::of(&mesh.positions));
                short_weights_used |= short_weights;
                meshes.push(mesh);
            }
            // A whole model of another console, not a mesh gone wrong.
            Err(error) if error.have.contains(EDGE_COMPRESSION) => return Err(error),
            Err(error) => {
                meshes.push(unreadable(flver, index, &error));
                unread.push((index, error));
            }
        }
    }
    let stored = flver.header.bounds;
    let mut outcome = Outcome {
        schema: "skinsim.flver/1".to_owned(),
        model: model.to_owned(),
        version: format!("{:#x}", flver.header.version),
        choices: choices(options, short_weights_used),
        nodes: nodes(flver, &skeleton),
        meshes,
        dummies: dummies::place(flver, &skeleton, options.dummies),
        bounds: Bounds {
            stored,
            posed: posed_bounds,
            relative_difference: posed_bounds
                .filter(|_| unread.is_empty())
                .map(|posed| stored.relative_difference(&posed)),
        },
        findings: Vec::new(),
    };
    outcome.findings = super::rules::of_a_run(flver, &unread, &outcome);
    Ok(outcome)
}

/// The deformed mesh alone, one part a FLVER mesh, main face sets.
///
/// # Errors
/// As [`run`].
pub fn mesh(name: &str, flver: &Flver, options: &Options) -> ReadResult<Mesh> {
    let skeleton = Skeleton::current(flver, options)?;
    let mut out = Mesh { name: name.to_owned(), axes: Axes::YUpLeftHanded, ..Mesh::default() };
    let mut any_normals = false;
    for (index, mesh) in flver.meshes.iter().enumerate() {
        let (vertices, _, posed) = decode_and_pose(flver, mesh, &skeleton, options, false)?;
        let first = out.positions.len() as u32;
        let count = posed.positions.len();
        out.positions.extend(&posed.positions);
        any_normals |= !posed.normals.is_empty();
        out.normals.extend(&posed.normals);
        // Vertices without a normal get none that could be taken for one.
        out.normals.resize(out.positions.len(), [0.0; 3]);
        let mut triangles = main_triangles(flver, mesh, vertices.count)?;
        triangles.retain(|face| face.iter().all(|index| (*index as usize) < count));
        let texture_coordinates = texture_coordinates(&vertices, &triangles);
        for index in triangles.iter_mut().flatten() {
            *index += first;
        }
        let material = flver.material_of(mesh).map_or_else(String::new, |material| material.name.clone());
        out.parts.push(MeshPart { name: flver.mesh_name(index), triangles, material, texture_coordinates });
    }
    if !any_normals {
        out.normals.clear();
    }
    Ok(out)
}

/// The first texture coordinates of each triangle's corners.
fn texture_coordinates(vertices: &MeshVertices, triangles: &[[u32; 3]]) -> Vec<[[f32; 2]; 3]> {
    let Some(lanes) = vertices.uvs.first() else { return Vec::new() };
    let at = |corner: u32| lanes.values.get(corner as usize).map_or([0.0; 2], |value| [value[0], value[1]]);
    triangles.iter().map(|corners| corners.map(at)).collect()
}

fn nodes(flver: &Flver, skeleton: &Skeleton) -> Vec<NodeOutcome> {
    let nodes = flver.nodes.iter().zip(&skeleton.rigid);
    nodes
        .map(|(node, world)| NodeOutcome {
            name: node.name.clone(),
            parent: node.parent,
            world: world.to_rows(),
        })
        .collect()
}

fn choices(options: &Options, short_weights_used: bool) -> Choices {
    Choices {
        scale: options.scale,
        rigid: options.rigid,
        rigid_palette: options.rigid_palette,
        stream_order: options.streams,
        dummy_follow: options.dummies,
        short_weights: options.short_weights,
        short_weights_used,
        posed: options.pose.is_some(),
        previous_posed: options.previous_pose.is_some(),
    }
}

/// One mesh in this frame and the one before.
fn run_mesh(
    flver: &Flver,
    index: usize,
    [skeleton, previous]: [&Skeleton; 2],
    options: &Options,
) -> ReadResult<(MeshOutcome, bool)> {
    let mesh = &flver.meshes[index];
    let (vertices, binding, posed) = decode_and_pose(flver, mesh, skeleton, options, false)?;
    let streams = Streams::of(&vertices, options.streams);
    let has_previous = vertices.positions.len() > 1 || options.previous_pose.is_some();
    let previous_positions = match vertices.positions.get(streams.previous).filter(|_| has_previous) {
        Some(stored) => binding.positions(previous, stored),
        None => Vec::new(),
    };
    let motion_vectors = motion_vectors(&posed.positions, &previous_positions);
    let nodes = flver.nodes.len();
    let normal_w = (0..vertices.count).filter_map(|vertex| normal_w(&vertices, vertex)).collect();
    let joint = |index: u16| joint(&mesh.palette, index, nodes).map_or(-1, |node| node as i32);
    let stored_bone_indices = vertices.bone_indices.clone().unwrap_or_default();
    let weights = vertices.weights.clone().unwrap_or_default();
    let short_weights = vertices.short_weights;
    let outcome = MeshOutcome {
        name: flver.mesh_name(index),
        unreadable: None,
        undecoded: vertices.undecoded.iter().map(Member::label).collect(),
        material: mesh.material,
        dynamic: mesh.is_dynamic(),
        node_index: mesh.node_index,
        palette: mesh.palette.clone(),
        rigid_nodes: rigid_nodes(&binding, nodes),
        binding: match &binding {
            Binding::Rigid { counts, .. } => BindingOutcome::Rigid(*counts),
            Binding::Skinned { .. } => BindingOutcome::Skinned,
            Binding::Unmoved => BindingOutcome::Unmoved,
        },
        vertex_count: vertices.count,
        streams: streams_outcome(&vertices, streams),
        positions: posed.positions,
        normals: posed.normals,
        previous_positions,
        motion_vectors,
        normalized_weights: weights.iter().map(normalized).collect(),
        weights,
        bone_indices: stored_bone_indices.iter().map(|indices| indices.map(joint)).collect(),
        stored_bone_indices,
        normal_w,
        triangles: main_triangles(flver, mesh, vertices.count)?,
        stored_normals: vertices
            .normals
            .get(streams.current)
            .or(vertices.normals.first())
            .map(|normals| normals.directions.clone())
            .unwrap_or_default(),
        stored_positions: vertices.positions.into_iter().nth(streams.current).unwrap_or_default(),
        uvs: attributes(vertices.uvs),
        tangents: attributes(vertices.tangents),
        bitangents: attributes(vertices.bitangents),
        colours: attributes(vertices.colours),
    };
    Ok((outcome, short_weights))
}

/// What is told of a mesh that cannot be decoded: its record.
fn unreadable(flver: &Flver, index: usize, error: &ReadError) -> MeshOutcome {
    let mesh = &flver.meshes[index];
    MeshOutcome {
        name: flver.mesh_name(index),
        unreadable: Some(error.to_string()),
        material: mesh.material,
        dynamic: mesh.is_dynamic(),
        node_index: mesh.node_index,
        palette: mesh.palette.clone(),
        ..MeshOutcome::default()
    }
}

fn attributes(lanes: Vec<super::format::vertices::Lanes>) -> Vec<Attribute> {
    lanes.into_iter().map(Attribute::from).collect()
}

fn normalized(weights: &[f32; 4]) -> [f32; 4] {
    let sum: f32 = weights.iter().sum();
    weights.map(|weight| weight / sum.max(skin::SMALLEST_WEIGHT_SUM))
}

fn motion_vectors(current: &[[f32; 3]], previous: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let pairs = current.iter().zip(previous);
    pairs.map(|(current, previous)| std::array::from_fn(|lane| current[lane] - previous[lane])).collect()
}

fn rigid_nodes(binding: &Binding, nodes: usize) -> Vec<i32> {
    match binding {
        Binding::Rigid { slots, .. } => {
            slots.iter().map(|slot| if *slot == identity_slot(nodes) { -1 } else { *slot as i32 }).collect()
        }
        Binding::Skinned { .. } | Binding::Unmoved => Vec::new(),
    }
}

fn streams_outcome(vertices: &MeshVertices, streams: Streams) -> StreamsOutcome {
    let bits = |stream: usize| {
        vertices.positions.get(stream).map(|stream| stream.iter().flatten().map(|lane| lane.to_bits()))
    };
    let identical = match (bits(streams.current), bits(streams.previous)) {
        (Some(current), Some(previous)) => current.eq(previous),
        _ => true,
    };
    StreamsOutcome {
        count: vertices.positions.len(),
        current: streams.current,
        previous: streams.previous,
        identical,
    }
}

/// Triangles of the face set that is neither a lower level of detail nor for motion blur.
fn main_triangles(flver: &Flver, mesh: &MeshRecord, vertex_count: usize) -> ReadResult<Vec<[u32; 3]>> {
    let face_set = flver.face_sets_of(mesh).flatten().find(|face_set| face_set.is_main());
    match face_set.or_else(|| flver.face_sets_of(mesh).flatten().next()) {
        Some(face_set) => triangles(flver, face_set, vertex_count),
        None => Ok(Vec::new()),
    }
}

fn triangles(flver: &Flver, face_set: &FaceSet, vertex_count: usize) -> ReadResult<Vec<[u32; 3]>> {
    Ok(faces::triangles(&faces::indices(flver, face_set)?, face_set.strip, vertex_count))
}
