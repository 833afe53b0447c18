//! A mesh as glTF primitives that share their vertices.
//!
//! glTF has one texture coordinate a vertex, a mesh one a corner. The first vertices of the document are
//! those of the mesh, in order; a vertex whose corners differ is repeated behind them.

use std::collections::{BTreeMap, HashMap};

use gltf::json::accessor::{ComponentType, Type};
use gltf::json::buffer::Target;
use gltf::json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index, Material};

use super::document::{Document, Elements};
use crate::mesh::Mesh;

/// The vertices and triangles of a document.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    /// The mesh vertex that each vertex of the document is.
    pub sources: Vec<u32>,
    textures: Vec<[f32; 2]>,
    has_textures: bool,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    material: String,
    indices: Vec<u32>,
}

/// Attributes by what they mean.
pub(super) type Attributes = BTreeMap<Checked<Semantic>, Index<Accessor>>;

impl Geometry {
    /// Gives every corner a vertex. Triangles with corners outside the mesh are left out.
    pub fn of(mesh: &Mesh) -> Self {
        let count = mesh.positions.len();
        let mut geometry =
            Self { sources: (0..count as u32).collect(), textures: vec![[0.0; 2]; count], ..Self::default() };
        let mut taken: Vec<bool> = vec![false; count];
        let mut repeats: HashMap<(u32, [u32; 2]), u32> = HashMap::new();
        for part in &mesh.parts {
            let mut indices = Vec::with_capacity(part.triangles.len() * 3);
            for (triangle, corners) in part.triangles.iter().enumerate() {
                if corners.iter().any(|&corner| corner as usize >= count) {
                    continue;
                }
                let textures = part.texture_coordinates.get(triangle);
                geometry.has_textures |= textures.is_some();
                for (at, &corner) in corners.iter().enumerate() {
                    let texture = textures.map_or([0.0; 2], |textures| textures[at].map(finite));
                    let key = (corner, texture.map(f32::to_bits));
                    let first = corner as usize;
                    if !std::mem::replace(&mut taken[first], true) {
                        geometry.textures[first] = texture;
                        repeats.insert(key, corner);
                    }
                    indices.push(*repeats.entry(key).or_insert_with(|| {
                        geometry.sources.push(corner);
                        geometry.textures.push(texture);
                        geometry.sources.len() as u32 - 1
                    }));
                }
            }
            if !indices.is_empty() {
                geometry.parts.push(Part { material: part.material.clone(), indices });
            }
        }
        geometry
    }

    /// One value a vertex of the document, from one a vertex of the mesh.
    pub fn spread<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.sources.iter().filter_map(|&source| values.get(source as usize).copied()).collect()
    }

    /// Positions, normals and texture coordinates of a mesh.
    pub fn attributes(&self, mesh: &Mesh, document: &mut Document) -> Attributes {
        let vectors = Elements::attribute(Type::Vec3);
        let positions = document.bounded(vectors, &self.spread(&positions(mesh)));
        let normals = document.floats(vectors, &self.spread(&mesh.unit_normals()));
        let mut attributes = BTreeMap::from([
            (Checked::Valid(Semantic::Positions), positions),
            (Checked::Valid(Semantic::Normals), normals),
        ]);
        if self.has_textures {
            let textures = document.floats(Elements::attribute(Type::Vec2), &self.textures);
            attributes.insert(Checked::Valid(Semantic::TexCoords(0)), textures);
        }
        attributes
    }

    /// A primitive for every part; a mesh without triangles is points.
    pub fn primitives(
        &self,
        attributes: &Attributes,
        targets: &[MorphTarget],
        document: &mut Document,
    ) -> Vec<Primitive> {
        let primitive = |indices, material, mode| Primitive {
            attributes: attributes.clone(),
            extensions: None,
            extras: None,
            indices,
            material,
            mode: Checked::Valid(mode),
            targets: (!targets.is_empty()).then(|| targets.to_vec()),
        };
        if self.parts.is_empty() {
            return vec![primitive(None, None, Mode::Points)];
        }
        let mut materials: HashMap<&str, Index<Material>> = HashMap::new();
        let elements = Elements {
            shape: Type::Scalar,
            component: ComponentType::U32,
            target: Some(Target::ElementArrayBuffer),
        };
        let mut primitives = Vec::new();
        for part in &self.parts {
            let bytes: Vec<u8> = part.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
            let indices = document.accessor(elements, part.indices.len(), &bytes);
            let material = (!part.material.is_empty()).then(|| {
                *materials
                    .entry(&part.material)
                    .or_insert_with(|| document.root.push(material(&part.material)))
            });
            primitives.push(primitive(Some(indices), material, Mode::Triangles));
        }
        primitives
    }
}

/// A material known by name alone. Both sides are drawn: which one a game culls is its own affair.
fn material(name: &str) -> Material {
    let mut material = Material { name: Some(name.to_owned()), double_sided: true, ..Material::default() };
    material.pbr_metallic_roughness.metallic_factor = gltf::json::material::StrengthFactor(0.0);
    material
}

/// The positions with 0 for what is not finite, which glTF does not allow.
pub(super) fn positions(mesh: &Mesh) -> Vec<[f32; 3]> {
    mesh.positions.iter().map(|position| position.map(finite)).collect()
}

pub(super) fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}
