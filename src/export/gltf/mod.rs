//! glTF 2.0 binary: a skinned mesh frame by frame, or a model with its skeleton.

mod document;
mod geometry;
mod skeleton;

use gltf::json::accessor::Type;
use gltf::json::animation::{Animation, Channel, Interpolation, Property, Sampler, Target};
use gltf::json::mesh::MorphTarget;
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index, Mesh as GltfMesh, Node, Scene};

use self::document::{Document, Elements, target_names};
use self::geometry::{Geometry, finite, positions};
use super::ExportError;
use crate::mesh::{Axes, Mesh};

pub use skeleton::rigged;

/// Seconds from a frame to the next: 60 in a second.
pub const FRAME_SECONDS: f32 = 1.0 / 60.0;

/// Writes the frames of one mesh. The first is the mesh; each other one is a morph target `frame N`, and
/// an animation goes through them. Vertex n of the mesh is vertex n of the document; those with several
/// texture coordinates are repeated behind the last.
///
/// # Errors
/// When there is no frame with vertices, or frames differ in their number.
pub fn frames(frames: &[Mesh]) -> Result<Vec<u8>, ExportError> {
    let Some((first, others)) = frames.split_first().filter(|(first, _)| !first.positions.is_empty()) else {
        return Err(ExportError::Empty);
    };
    let want = first.positions.len();
    if let Some((frame, mesh)) =
        (1..).zip(others).find(|(_, mesh): &(usize, &Mesh)| mesh.positions.len() != want)
    {
        return Err(ExportError::FrameDiffers { frame, want, have: mesh.positions.len() });
    }
    // Two vectors a vertex and frame, and a weight a pair of frames.
    let bytes = (want as u64 * 24 + frames.len() as u64 * 4) * frames.len() as u64;
    if bytes > u64::from(u32::MAX / 2) {
        return Err(ExportError::TooLarge);
    }
    let mut document = Document::default();
    let geometry = Geometry::of(first);
    let attributes = geometry.attributes(first, &mut document);
    let base = Base { positions: positions(first), normals: first.unit_normals() };
    let targets: Vec<MorphTarget> =
        others.iter().map(|mesh| base.target(mesh, &geometry, &mut document)).collect();
    let primitives = geometry.primitives(&attributes, &targets, &mut document);
    let names: Vec<String> = (1..=others.len()).map(|frame| format!("frame {frame}")).collect();
    let mesh = document.root.push(GltfMesh {
        extensions: None,
        extras: if names.is_empty() { None } else { target_names(&names) },
        name: name(&first.name),
        primitives,
        weights: (!names.is_empty()).then(|| vec![0.0; names.len()]),
    });
    let node = Node { mesh: Some(mesh), name: name(&first.name), ..upright(first.axes) };
    let node = document.root.push(node);
    if !others.is_empty() {
        frame_by_frame(node, others.len(), &mut document);
    }
    scene(vec![node], &mut document);
    document.finish()
}

/// What morph targets are differences from.
struct Base {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Base {
    fn target(&self, mesh: &Mesh, geometry: &Geometry, document: &mut Document) -> MorphTarget {
        let moved = |to: &[[f32; 3]], from: &[[f32; 3]]| -> Vec<[f32; 3]> {
            let pairs = to.iter().zip(from);
            let deltas: Vec<[f32; 3]> =
                pairs.map(|(to, from)| std::array::from_fn(|axis| finite(to[axis] - from[axis]))).collect();
            geometry.spread(&deltas)
        };
        let positions = moved(&positions(mesh), &self.positions);
        let normals = moved(&mesh.unit_normals(), &self.normals);
        morph_target(&positions, &normals, document)
    }
}

fn morph_target(positions: &[[f32; 3]], normals: &[[f32; 3]], document: &mut Document) -> MorphTarget {
    let vectors = Elements::attribute(Type::Vec3);
    MorphTarget {
        positions: Some(document.bounded(vectors, positions)),
        normals: Some(document.floats(vectors, normals)),
        tangents: None,
    }
}

/// Frame 0 has no target, and frame n the n-th alone.
fn frame_by_frame(node: Index<Node>, targets: usize, document: &mut Document) {
    let times = times(targets + 1, FRAME_SECONDS, document);
    let weights: Vec<[f32; 1]> = (0..=targets)
        .flat_map(|frame| (1..=targets).map(move |target| [f32::from(u8::from(target == frame))]))
        .collect();
    let output = document.floats(Elements::floats(Type::Scalar), &weights);
    let mut animation = Animation {
        extensions: None,
        extras: None,
        channels: Vec::new(),
        name: Some("frames".to_owned()),
        samplers: Vec::new(),
    };
    channel(&mut animation, node, Property::MorphTargetWeights, [times, output]);
    document.root.push(animation);
}

/// The times of so many frames.
fn times(frames: usize, frame_seconds: f32, document: &mut Document) -> Index<Accessor> {
    let times: Vec<[f32; 1]> = (0..frames).map(|frame| [frame as f32 * frame_seconds]).collect();
    document.bounded(Elements::floats(Type::Scalar), &times)
}

fn channel(
    animation: &mut Animation,
    node: Index<Node>,
    property: Property,
    [input, output]: [Index<Accessor>; 2],
) {
    animation.samplers.push(Sampler {
        extensions: None,
        extras: None,
        input,
        interpolation: Checked::Valid(Interpolation::Linear),
        output,
    });
    animation.channels.push(Channel {
        sampler: Index::new(animation.samplers.len() as u32 - 1),
        target: Target { extensions: None, extras: None, node, path: Checked::Valid(property) },
        extensions: None,
        extras: None,
    });
}

/// A node that turns a model's axes into those of glTF: right-handed, y up.
fn upright(axes: Axes) -> Node {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    match axes {
        Axes::YUp => Node::default(),
        Axes::YUpLeftHanded => Node { scale: Some([1.0, 1.0, -1.0]), ..Node::default() },
        Axes::ZUp => {
            let rotation = gltf::json::scene::UnitQuaternion([-half, 0.0, 0.0, half]);
            Node { rotation: Some(rotation), ..Node::default() }
        }
    }
}

fn scene(nodes: Vec<Index<Node>>, document: &mut Document) {
    let scene = document.root.push(Scene { extensions: None, extras: None, name: None, nodes });
    document.root.scene = Some(scene);
}

fn name(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
