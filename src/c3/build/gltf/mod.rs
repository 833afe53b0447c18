//! glTF in: skinned meshes, their skeleton, animations and morph targets.
//!
//! What is merged, made or left out is told in notes; what would come out wrong is an error that names
//! the mesh, primitive and vertex.

mod accessor;
mod animation;
mod file;
mod mesh;
mod nodes;
mod skeleton;

use std::collections::BTreeMap;

pub use file::ReadFile;

use super::character::{Character, Delta, Morph, Origin, Part, Vertex};
use super::error::{BuildError, BuildResult, Notes};
use crate::affine::Affine;
use accessor::Accessors;
use file::File;
use mesh::{RawPart, RawTarget};
use nodes::Nodes;
use skeleton::{RawSkin, Skeleton, SkinUse};

/// Reads a character from the bytes of a .gltf or .glb; `read` gives the files that it names.
///
/// # Errors
/// When the file is not valid, has no skin, or holds something that cannot be skinned.
pub fn import(bytes: &[u8], name: &str, read: ReadFile, notes: &mut Notes) -> BuildResult<Character> {
    let file = File::open(bytes, read)?;
    let document = &file.document;
    let mut accessors = Accessors::new(&file);
    let nodes = Nodes::read(document)?;
    let parts = parts(document, &nodes, &mut accessors, notes)?;
    let skins = document
        .skins()
        .map(|skin| skeleton::read_skin(&skin, &mut accessors))
        .collect::<BuildResult<Vec<_>>>()?;
    let uses = uses(document, &parts, &skins)?;
    let skeleton = skeleton::skeleton(&nodes, &uses, &animation::animated(document))?;
    let animations = animation::read(document, &mut accessors, &nodes, &skeleton, notes)?;
    let mut assembly = Assembly {
        nodes: &nodes,
        skeleton: &skeleton,
        skins: &skins,
        notes,
        character: Character {
            name: name.to_owned(),
            bones: skeleton.rest.clone(),
            animations,
            copyright: document.as_json().asset.copyright.clone(),
            ..Character::default()
        },
        morphs: BTreeMap::new(),
    };
    parts.iter().try_for_each(|part| assembly.part(part))?;
    assembly.finish()
}

/// The primitives of the scene's nodes, in tree order.
fn parts(
    document: &gltf::Document,
    nodes: &Nodes,
    accessors: &mut Accessors,
    notes: &mut Notes,
) -> BuildResult<Vec<RawPart>> {
    let by_number: Vec<gltf::Node> = document.nodes().collect();
    let mut parts = Vec::new();
    for &node in &nodes.order {
        parts.extend(mesh::read(&by_number[node], accessors, notes)?);
    }
    Ok(parts)
}

/// The skins that meshes use, and how.
fn uses<'s>(
    document: &gltf::Document,
    parts: &[RawPart],
    skins: &'s [RawSkin],
) -> BuildResult<Vec<SkinUse<'s>>> {
    let mut uses: BTreeMap<usize, SkinUse> = BTreeMap::new();
    for part in parts {
        let Some(index) = part.skin else { continue };
        let skin = &skins[index];
        let used = uses.entry(index).or_insert_with(|| SkinUse {
            index,
            skin,
            used: vec![false; skin.joints.len()],
            corners: Vec::new(),
        });
        for (vertex, influences) in part.influences.iter().enumerate() {
            for &(joint, _) in influences {
                let place = || format!("{}, vertex {}", part.label, part.sources[vertex]);
                *used.used.get_mut(joint as usize).ok_or_else(|| {
                    let want = format!("joints below {}, those of {}", skin.joints.len(), skin.name);
                    BuildError::new(place(), want, format!("{joint}"))
                })? = true;
            }
        }
        used.corners.extend(corners(&part.positions));
    }
    if uses.is_empty() {
        let have =
            format!("{} meshes and {} skins, none used by a mesh", document.meshes().count(), skins.len());
        return Err(BuildError::new("glTF", "a skinned mesh: a node with a mesh and a skin", have));
    }
    Ok(uses.into_values().collect())
}

/// The corners of the box around points.
fn corners(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let Some(&first) = points.first() else { return Vec::new() };
    let fold = |pick: fn(f64, f64) -> f64| {
        points.iter().fold(first, |corner, point| std::array::from_fn(|axis| pick(corner[axis], point[axis])))
    };
    let ends = [fold(f64::min), fold(f64::max)];
    let corner = |n: usize| std::array::from_fn(|axis| ends[n >> axis & 1][axis]);
    (0..8).map(corner).collect()
}

/// Merges parts into one character.
struct Assembly<'a> {
    nodes: &'a Nodes,
    skeleton: &'a Skeleton,
    skins: &'a [RawSkin],
    notes: &'a mut Notes,
    character: Character,
    /// Morph targets by mesh.
    morphs: BTreeMap<usize, Morph>,
}

impl Assembly<'_> {
    fn part(&mut self, part: &RawPart) -> BuildResult<()> {
        let Some((space, rigid)) = self.space(part) else { return Ok(()) };
        let first = self.character.vertices.len() as u32;
        for vertex in 0..part.positions.len() {
            let vertex = self.vertex(part, vertex, &space, rigid)?;
            self.character.vertices.push(vertex);
        }
        self.triangles(part, first, space.determinant() < 0.0);
        self.targets(part, first, &space);
        Ok(())
    }

    /// What turns the part's mesh space into the bones' space, and the bone that carries it if it has
    /// no skin. Nothing when it has neither.
    fn space(&mut self, part: &RawPart) -> Option<(Affine, Option<u16>)> {
        if let Some(skin) = part.skin {
            return Some((self.skeleton.mesh_spaces.get(&skin).copied().unwrap_or(Affine::IDENTITY), None));
        }
        let Some(bone) = self.skeleton.carrier(self.nodes, part.node) else {
            self.notes.add("meshes without a skin that no bone carries are left out", &part.label);
            return None;
        };
        self.notes.add("meshes without a skin follow the bone that carries them, with weight 1", &part.label);
        let node = self.skeleton.nodes[usize::from(bone)];
        let from_bone = self.nodes.globals[node].inverse()?.after(&self.nodes.globals[part.node]);
        Some((self.skeleton.global(bone).after(&from_bone), Some(bone)))
    }

    fn vertex(
        &self,
        part: &RawPart,
        vertex: usize,
        space: &Affine,
        rigid: Option<u16>,
    ) -> BuildResult<Vertex> {
        let origin = Origin { part: part.label.clone(), vertex: part.sources[vertex] };
        let position = space.point(part.positions[vertex]);
        if !position.iter().all(|part| part.is_finite()) {
            let place = origin.to_string();
            return Err(BuildError::new(place, "a finite position", format!("{position:?}")));
        }
        let influences = match (rigid, part.skin) {
            (Some(bone), _) => vec![(bone, 1.0)],
            (None, Some(skin)) => {
                let bone = |joint: u32| self.skeleton.bones[&self.skins[skin].joints[joint as usize]];
                part.influences[vertex].iter().map(|&(joint, weight)| (bone(joint), weight)).collect()
            }
            (None, None) => Vec::new(),
        };
        Ok(Vertex {
            position,
            normal: space.normal(part.normals[vertex]),
            colour: part.colours[vertex],
            texture: part.texture.get(vertex).copied(),
            influences,
            origin,
        })
    }

    fn triangles(&mut self, part: &RawPart, first: u32, mirrored: bool) {
        let moved = part.triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| first + vertex);
            if mirrored { [a, c, b] } else { [a, b, c] }
        });
        let parts = &mut self.character.parts;
        if let Some(known) = parts.iter_mut().find(|known| known.material == part.material) {
            known.triangles.extend(moved);
        } else {
            parts.push(Part { material: part.material.clone(), triangles: moved.collect() });
        }
    }

    fn targets(&mut self, part: &RawPart, first: u32, space: &Affine) {
        if part.targets.is_empty() {
            return;
        }
        let morph = self
            .morphs
            .entry(part.mesh)
            .or_insert_with(|| Morph { name: part.mesh_name.clone(), targets: Vec::new() });
        for (index, (name, target)) in part.targets.iter().enumerate() {
            if morph.targets.len() <= index {
                morph.targets.push((name.clone(), Vec::new()));
            }
            morph.targets[index].1.extend(deltas(part, target, first, space));
        }
    }

    fn finish(mut self) -> BuildResult<Character> {
        self.character.morphs = self.morphs.into_values().collect();
        let finite = |delta: &Delta| delta.position.iter().chain(&delta.normal).all(|part| part.is_finite());
        for morph in &self.character.morphs {
            if morph.targets.iter().any(|(_, deltas)| !deltas.iter().all(finite)) {
                let place = format!("morph targets of mesh '{}'", morph.name);
                return Err(BuildError::new(place, "finite numbers", "others"));
            }
        }
        if self.character.parts.iter().all(|part| part.triangles.is_empty()) {
            return Err(BuildError::new("glTF", "at least one triangle of a skinned mesh", "none"));
        }
        Ok(self.character)
    }
}

/// What a target moves, in the bones' space.
fn deltas(part: &RawPart, target: &RawTarget, first: u32, space: &Affine) -> Vec<Delta> {
    let row = |rows: &[[f64; 3]], vertex: usize| rows.get(vertex).copied().unwrap_or_default();
    let delta = |vertex: usize| {
        let normal = part.normals[vertex];
        let added = row(&target.normals, vertex);
        let turned = space.normal(std::array::from_fn(|axis| normal[axis] + added[axis]));
        let before = space.normal(normal);
        let moves = added != [0.0; 3];
        Delta {
            vertex: first + vertex as u32,
            position: space.direction(row(&target.positions, vertex)),
            normal: if moves { std::array::from_fn(|axis| turned[axis] - before[axis]) } else { [0.0; 3] },
        }
    };
    let all = (0..part.positions.len()).map(delta);
    all.filter(|delta| delta.position != [0.0; 3] || delta.normal != [0.0; 3]).collect()
}
