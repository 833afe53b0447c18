//! A model with its skeleton: nodes for bones, weights, shapes and animations.

use gltf::json::accessor::{ComponentType, Type};
use gltf::json::animation::{Animation as GltfAnimation, Property};
use gltf::json::buffer::Target;
use gltf::json::mesh::{MorphTarget, Semantic};
use gltf::json::scene::UnitQuaternion;
use gltf::json::validation::Checked;
use gltf::json::{Index, Mesh as GltfMesh, Node, Skin};

use super::document::{Document, Elements, target_names};
use super::geometry::{Attributes, Geometry};
use super::{channel, morph_target, name, scene, times, upright};
use crate::affine::{Affine, Trs};
use crate::export::ExportError;
use crate::rigged::{Animation, Bone, Rigged, Shape};

/// Influences of one vertex that are written at most, four in a set.
const MOST_INFLUENCES: usize = 16;

/// Writes a model before any frame, with what moves it.
///
/// # Errors
/// When the mesh has no vertices, or the file would be too large.
pub fn rigged(model: &Rigged) -> Result<Vec<u8>, ExportError> {
    if model.mesh.positions.is_empty() {
        return Err(ExportError::Empty);
    }
    let bytes = model.mesh.positions.len() as u64 * 24 * (model.shapes.len() as u64 + 1);
    if bytes > u64::from(u32::MAX / 2) {
        return Err(ExportError::TooLarge);
    }
    let mut document = Document::default();
    let geometry = Geometry::of(&model.mesh);
    let mut attributes = geometry.attributes(&model.mesh, &mut document);
    influences(model, &geometry, &mut attributes, &mut document);
    let targets: Vec<MorphTarget> =
        model.shapes.iter().map(|shape| target(shape, model, &geometry, &mut document)).collect();
    let primitives = geometry.primitives(&attributes, &targets, &mut document);
    let names: Vec<String> = model.shapes.iter().map(|shape| shape.name.clone()).collect();
    let mesh = document.root.push(GltfMesh {
        extensions: None,
        extras: if names.is_empty() { None } else { target_names(&names) },
        name: name(&model.mesh.name),
        primitives,
        weights: (!names.is_empty()).then(|| vec![0.0; names.len()]),
    });
    let (root, bones) = nodes(model, &mut document);
    let skin = skin(model, root, &bones, &mut document);
    let body = Node { mesh: Some(mesh), skin: Some(skin), name: name(&model.mesh.name), ..Node::default() };
    let body = document.root.push(body);
    for animation in model.animations.iter().filter(|animation| !animation.frames.is_empty()) {
        animate(animation, model, &bones, &mut document);
    }
    scene(vec![root, body], &mut document);
    document.finish()
}

/// The root, which turns the axes and holds what no bone moves, and below it a node for every bone.
fn nodes(model: &Rigged, document: &mut Document) -> (Index<Node>, Vec<Index<Node>>) {
    let bones: Vec<Index<Node>> = model.bones.iter().map(|bone| document.root.push(node(bone))).collect();
    let mut roots = Vec::new();
    for (bone, &index) in model.bones.iter().zip(&bones) {
        match bone.parent.and_then(|parent| bones.get(usize::from(parent))) {
            Some(parent) => document.root.nodes[parent.value()].children.get_or_insert_default().push(index),
            None => roots.push(index),
        }
    }
    let children = (!roots.is_empty()).then_some(roots);
    let root = Node { name: Some("model".to_owned()), children, ..upright(model.mesh.axes) };
    (document.root.push(root), bones)
}

/// A node never has a matrix: glTF allows only those that are translation, rotation and scale, and none that
/// is animated.
fn node(bone: &Bone) -> Node {
    let trs = bone.local.nearest_trs();
    Node {
        name: name(&bone.name),
        translation: Some(trs.translation.map(single)),
        rotation: Some(UnitQuaternion(trs.rotation.map(single))),
        scale: Some(trs.scale.map(single)),
        ..Node::default()
    }
}

/// The nearest float; 0 for what has none, which glTF does not allow.
fn single(value: f64) -> f32 {
    super::geometry::finite(value as f32)
}

/// A matrix as glTF stores it: column after column.
fn columns(matrix: &Affine) -> [f32; 16] {
    std::array::from_fn(|cell| match (cell % 4, cell / 4) {
        (3, column) => f32::from(u8::from(column == 3)),
        (row, column) => single(matrix.0[row][column]),
    })
}

/// The joints: every bone, and the root for what none moves.
fn skin(model: &Rigged, root: Index<Node>, bones: &[Index<Node>], document: &mut Document) -> Index<Skin> {
    let inverse = model.bones.iter().map(|bone| columns(&bone.inverse_bind));
    let inverse: Vec<[f32; 16]> = inverse.chain([columns(&Affine::IDENTITY)]).collect();
    let inverse_bind_matrices = Some(document.floats(Elements::floats(Type::Mat4), &inverse));
    let joints = bones.iter().copied().chain([root]).collect();
    document.root.push(Skin {
        extensions: None,
        extras: None,
        inverse_bind_matrices,
        joints,
        name: Some("bones".to_owned()),
        skeleton: Some(root),
    })
}

/// Joints and weights, four a set; a vertex without any belongs to the root.
fn influences(model: &Rigged, geometry: &Geometry, attributes: &mut Attributes, document: &mut Document) {
    let root = model.bones.len() as u16;
    let none = Vec::new();
    let of_vertex = |vertex: u32| -> Vec<(u16, f32)> {
        let all = model.influences.get(vertex as usize).unwrap_or(&none);
        let kept = &all[..all.len().min(MOST_INFLUENCES)];
        let kept = crate::rigged::normalized_influences(
            kept.iter().copied().filter(|(bone, _)| usize::from(*bone) < model.bones.len()),
        );
        if kept.is_empty() { vec![(root, 1.0)] } else { kept }
    };
    let rows: Vec<Vec<(u16, f32)>> = geometry.sources.iter().map(|&vertex| of_vertex(vertex)).collect();
    let most = rows.iter().map(Vec::len).max().unwrap_or(1);
    for set in 0..most.div_ceil(4) {
        let lane = |row: &[(u16, f32)], lane: usize| row.get(4 * set + lane).copied().unwrap_or_default();
        let joints: Vec<u8> =
            rows.iter().flat_map(|row| (0..4).flat_map(move |at| lane(row, at).0.to_le_bytes())).collect();
        let weights: Vec<[f32; 4]> =
            rows.iter().map(|row| std::array::from_fn(|at| lane(row, at).1)).collect();
        let elements =
            Elements { shape: Type::Vec4, component: ComponentType::U16, target: Some(Target::ArrayBuffer) };
        let joints = document.accessor(elements, rows.len(), &joints);
        let weights = document.floats(Elements::attribute(Type::Vec4), &weights);
        attributes.insert(Checked::Valid(Semantic::Joints(set as u32)), joints);
        attributes.insert(Checked::Valid(Semantic::Weights(set as u32)), weights);
    }
}

fn target(shape: &Shape, model: &Rigged, geometry: &Geometry, document: &mut Document) -> MorphTarget {
    let mut positions = vec![[0.0; 3]; model.mesh.positions.len()];
    let mut normals = positions.clone();
    for &(vertex, position, normal) in &shape.deltas {
        if let Some((to, turned)) = positions.get_mut(vertex as usize).zip(normals.get_mut(vertex as usize)) {
            (*to, *turned) = (position.map(super::geometry::finite), normal.map(super::geometry::finite));
        }
    }
    morph_target(&geometry.spread(&positions), &geometry.spread(&normals), document)
}

/// Three channels a bone, but for what never leaves the pose in which the bone is bound.
fn animate(animation: &Animation, model: &Rigged, bones: &[Index<Node>], document: &mut Document) {
    let input = times(animation.frames.len(), animation.frame_seconds, document);
    let mut out = GltfAnimation {
        extensions: None,
        extras: None,
        channels: Vec::new(),
        name: name(&animation.name),
        samplers: Vec::new(),
    };
    for (at, (bone, &node)) in model.bones.iter().zip(bones).enumerate() {
        let keys: Vec<Trs> = animation.frames.iter().filter_map(|frame| frame.get(at).copied()).collect();
        if keys.len() != animation.frames.len() {
            continue;
        }
        let rest = bone.local.nearest_trs();
        let vectors = |part: fn(&Trs) -> [f64; 3]| -> Option<Vec<[f32; 3]>> {
            let keys: Vec<[f32; 3]> = keys.iter().map(|key| part(key).map(single)).collect();
            keys.iter().any(|key| *key != part(&rest).map(single)).then_some(keys)
        };
        let paths = [
            (Property::Translation, vectors(|trs| trs.translation)),
            (Property::Scale, vectors(|trs| trs.scale)),
        ];
        for (property, keys) in paths {
            if let Some(keys) = keys {
                let output = document.floats(Elements::floats(Type::Vec3), &keys);
                channel(&mut out, node, property, [input, output]);
            }
        }
        let turns = turns(&keys);
        if turns.iter().any(|turn| *turn != rest.rotation.map(single)) {
            let output = document.floats(Elements::floats(Type::Vec4), &turns);
            channel(&mut out, node, Property::Rotation, [input, output]);
        }
    }
    if !out.channels.is_empty() {
        document.root.push(out);
    }
}

/// Quaternions of which neighbours lie on the same side, so that players go the short way.
fn turns(keys: &[Trs]) -> Vec<[f32; 4]> {
    let mut before = [0.0; 4];
    keys.iter()
        .map(|key| {
            let cosine: f64 = key.rotation.iter().zip(before).map(|(a, b)| a * b).sum();
            before = if cosine < 0.0 { key.rotation.map(|part| -part) } else { key.rotation };
            before.map(single)
        })
        .collect()
}
