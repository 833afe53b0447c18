//! The mesh of a Character Pipeline model, read from memory as the graphics processor reads it.
//!
//! Of the skinned submesh a vertex is a slot of the position array, so that vertex numbers are the slot
//! numbers of findings and line maps. Of a rigid submesh a vertex is a pair of position and normal that
//! its primitives use.

use std::collections::HashMap;

use super::format::gpl::{
    ArrayHeader, Attribute, CommandKind, Gpl, Layout, Primitive, QuantizeType, Submesh, Vertex,
};
use super::model::Model;
use super::outcome::Outcome;
use super::runtime::load::{IDENTITY, SkinMatrix};
use crate::gekko::machine::Machine;
use crate::mesh::{Mesh, MeshPart, transform_direction, transform_point, unit};

/// Normals of type s16 have 14 fraction bits and of s8 six, whatever the header says. [GX]
const NORMAL_FRACTION: [(QuantizeType, u8); 2] = [(QuantizeType::S16, 14), (QuantizeType::S8, 6)];

/// The triangles of a model and where their vertices come from.
#[derive(Debug, Clone, Default)]
pub struct Topology {
    submeshes: Vec<SubmeshTopology>,
}

#[derive(Debug, Clone)]
struct SubmeshTopology {
    index: u32,
    vertices: Vertices,
    texture: Option<Elements>,
    parts: Vec<Part>,
}

/// The triangles of a display list, and what each corner takes from the texture coordinates.
#[derive(Debug, Clone, Default)]
struct Part {
    mesh: MeshPart,
    corners: Vec<[Option<u16>; 3]>,
}

#[derive(Debug, Clone)]
enum Vertices {
    /// The first so many slots of the array.
    Slots(Elements, usize),
    /// Pairs of indices into the two arrays.
    Pairs { positions: Elements, normals: Option<Elements>, pairs: Vec<(u16, Option<u16>)> },
}

/// An array of vectors in the GPL.
#[derive(Debug, Clone, Copy)]
struct Elements {
    start: u32,
    stride: u32,
    component: QuantizeType,
    components: u8,
    fraction_bits: u8,
}

impl Topology {
    /// Reads it off a model.
    pub fn of(model: &Model) -> Self {
        let Some(gpl) = &model.gpl else { return Self::default() };
        let skinned = gpl.skinned().map(|(submesh, ..)| submesh.index);
        // Every command and every vertex takes a byte of its own unless lists share bytes.
        let mut budget = gpl.view().len();
        let submeshes = gpl
            .submeshes
            .iter()
            .filter_map(|submesh| {
                SubmeshTopology::of(gpl, submesh, skinned == Some(submesh.index), &mut budget)
            })
            .collect();
        Self { submeshes }
    }

    /// The vertices after an outcome's last frame. Those outside of memory lie at the origin.
    pub fn mesh(&self, outcome: &Outcome) -> Mesh {
        let mut mesh = Mesh { name: "model".to_owned(), ..Mesh::default() };
        for submesh in &self.submeshes {
            let first = mesh.positions.len() as u32;
            let memory = Memory { machine: &outcome.simulation.machine, gpl: outcome.plan.gpl };
            let rigid = outcome.pose.rigid.iter().find(|(owned, _)| *owned == submesh.index);
            submesh.vertices(memory, rigid.map_or(&IDENTITY, |(_, matrix)| matrix), &mut mesh);
            let parts = submesh.parts.iter().map(|part| MeshPart {
                triangles: part.mesh.triangles.iter().map(|corners| corners.map(|at| at + first)).collect(),
                texture_coordinates: submesh
                    .texture
                    .map_or_else(Vec::new, |array| memory.texture(&array, part)),
                ..part.mesh.clone()
            });
            let parts = facing(&mesh, parts.collect());
            mesh.parts.extend(parts);
        }
        mesh
    }

    /// The rigid submeshes, each with its vertices in the whole mesh.
    pub fn rigid_vertices(&self) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> + '_ {
        let mut first = 0;
        self.submeshes.iter().filter_map(move |submesh| {
            let vertices = first..first + submesh.vertices.len();
            first = vertices.end;
            matches!(submesh.vertices, Vertices::Pairs { .. }).then_some((submesh.index, vertices))
        })
    }

    /// The vertices of the skinned submesh in the whole mesh: first and one past the last.
    pub fn skinned_vertices(&self) -> std::ops::Range<usize> {
        let mut first = 0;
        for submesh in &self.submeshes {
            let count = submesh.vertices.len();
            if matches!(submesh.vertices, Vertices::Slots(..)) {
                return first..first + count;
            }
            first += count;
        }
        0..0
    }
}

/// Turns the triangles of a submesh over if most of them face away from their normals: which side is
/// culled is a display state, so files of either winding look right in the game.
fn facing(mesh: &Mesh, mut parts: Vec<MeshPart>) -> Vec<MeshPart> {
    let side = |corners: &[u32; 3]| {
        let normal = mesh.normals.get(corners[0] as usize).copied().unwrap_or_default();
        let along = dot(mesh.face_normal(*corners), normal);
        i64::from(along > 0.0) - i64::from(along < 0.0)
    };
    if parts.iter().flat_map(|part| &part.triangles).map(side).sum::<i64>() < 0 {
        for part in &mut parts {
            part.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
            part.texture_coordinates.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
    }
    parts
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl SubmeshTopology {
    fn of(gpl: &Gpl, submesh: &Submesh, skinned: bool, budget: &mut u64) -> Option<Self> {
        let layout = submesh.layout.as_ref()?;
        let positions = Elements::of(layout.position.as_ref()?)?;
        let mut collector = Collector { skinned, ..Collector::default() };
        let name = submesh.name.clone().unwrap_or_else(|| format!("submesh {}", submesh.index));
        let mut parts = collector.parts(gpl, layout, &name, budget);
        let vertices = if skinned {
            let stored = layout.position.as_ref().map_or(0, |position| usize::from(position.count));
            Vertices::Slots(positions, stored.max(collector.highest))
        } else {
            let normals = layout.lighting.as_ref().and_then(Elements::of);
            Vertices::Pairs { positions, normals, pairs: collector.pairs }
        };
        parts.retain(|part| !part.mesh.triangles.is_empty());
        if let [part] = parts.as_mut_slice() {
            part.mesh.name = name;
        }
        let texture = layout.textures.first().and_then(Elements::of);
        Some(Self { index: submesh.index, vertices, texture, parts })
    }

    fn vertices(&self, memory: Memory, transform: &SkinMatrix, mesh: &mut Mesh) {
        match &self.vertices {
            Vertices::Slots(elements, count) => {
                for slot in 0..*count {
                    mesh.positions.push(memory.vector(elements, slot as u16, 0));
                    mesh.normals.push(unit(memory.vector(&elements.normals(), slot as u16, 3)));
                }
            }
            Vertices::Pairs { positions, normals, pairs } => {
                for &(position, normal) in pairs {
                    let position = memory.vector(positions, position, 0);
                    let normal = normals.zip(normal).map(|(array, index)| memory.vector(&array, index, 0));
                    mesh.positions.push(transform_point(transform, position));
                    mesh.normals.push(unit(transform_direction(transform, normal.unwrap_or_default())));
                }
            }
        }
    }
}

impl Vertices {
    fn len(&self) -> usize {
        match self {
            Self::Slots(_, count) => *count,
            Self::Pairs { pairs, .. } => pairs.len(),
        }
    }
}

impl Elements {
    fn of(header: &ArrayHeader) -> Option<Self> {
        let component = header.quantize.component()?;
        let fixed = NORMAL_FRACTION.iter().find(|(kind, _)| *kind == component);
        let fraction_bits = match (header.kind, fixed) {
            (super::format::gpl::ArrayKind::Normal, Some((_, bits))) => *bits,
            _ => header.quantize.fraction_bits(),
        };
        Some(Self {
            start: header.array_offset()? as u32,
            stride: header.element_size()? as u32,
            component,
            components: header.components,
            fraction_bits,
        })
    }

    /// The normals that lie between the positions.
    fn normals(self) -> Self {
        Self { fraction_bits: 14, ..self }
    }
}

#[derive(Clone, Copy)]
struct Memory<'m> {
    machine: &'m Machine,
    gpl: u32,
}

impl Memory<'_> {
    /// Three components of an element, from the component `first` on; missing ones are 0.
    fn vector(&self, elements: &Elements, index: u16, first: u8) -> [f32; 3] {
        let size = elements.component.size() as u32;
        let address = self.gpl.wrapping_add(elements.start);
        let address = address.wrapping_add(u32::from(index) * elements.stride);
        std::array::from_fn(|component| {
            let component = first + component as u8;
            let address = address.wrapping_add(u32::from(component) * size);
            let bytes = self.machine.memory(address, size).filter(|_| component < elements.components);
            bytes.map_or(0.0, |bytes| decode(elements.component, elements.fraction_bits, bytes))
        })
    }

    /// The texture coordinates of a part's corners; nothing where no corner has any.
    fn texture(&self, elements: &Elements, part: &Part) -> Vec<[[f32; 2]; 3]> {
        if part.corners.iter().flatten().all(Option::is_none) {
            return Vec::new();
        }
        let at = |index: Option<u16>| {
            index.map_or([0.0; 2], |index| {
                let [s, t, _] = self.vector(elements, index, 0);
                [s, t]
            })
        };
        part.corners.iter().map(|corners| corners.map(at)).collect()
    }
}

/// A component as the vertex loader reads it.
fn decode(component: QuantizeType, fraction_bits: u8, bytes: &[u8]) -> f32 {
    let integer = |value: i32| value as f32 / (1_u32 << fraction_bits) as f32;
    match (component, bytes) {
        (QuantizeType::U8, &[a]) => integer(a.into()),
        (QuantizeType::S8, &[a]) => integer((a as i8).into()),
        (QuantizeType::U16, &[a, b]) => integer(u16::from_be_bytes([a, b]).into()),
        (QuantizeType::S16, &[a, b]) => integer(i16::from_be_bytes([a, b]).into()),
        (QuantizeType::F32, &[a, b, c, d]) => f32::from_be_bytes([a, b, c, d]),
        _ => 0.0,
    }
}

/// Name of the texture that is in force on the first layer when a state's list is drawn; empty when none
/// is. [formats.md 1.4]
fn texture_before(layout: &Layout, state: u16) -> String {
    const TEXTURE: u8 = 1;
    let states = layout.display.iter().flat_map(|display| &display.states).take(usize::from(state) + 1);
    let layer = |setting: u32| setting >> 13 & 7;
    let first_layer = states.filter(|state| state.id == TEXTURE && layer(state.setting) < 1).last();
    first_layer.map_or_else(String::new, |state| format!("texture {}", state.setting & 0x1fff))
}

/// Gathers the triangles of a submesh.
#[derive(Default)]
struct Collector {
    skinned: bool,
    /// One more than the highest position that primitives use.
    highest: usize,
    pairs: Vec<(u16, Option<u16>)>,
    numbers: HashMap<(u16, Option<u16>), u32>,
}

impl Collector {
    fn parts(&mut self, gpl: &Gpl, layout: &Layout, name: &str, budget: &mut u64) -> Vec<Part> {
        let mut parts = Vec::new();
        for list in layout.display_lists(gpl.header.version) {
            let mut part = Part::default();
            part.mesh.name = format!("{name}, state {}", list.state);
            part.mesh.material = texture_before(layout, list.state);
            for command in gpl.commands(layout, &list).flatten() {
                let Some(rest) = budget.checked_sub(command.steps() as u64) else { break };
                *budget = rest;
                if let CommandKind::Draw(primitive) = command.kind {
                    self.primitive(&primitive, &mut part);
                }
            }
            parts.push(part);
        }
        parts
    }

    fn primitive(&mut self, primitive: &Primitive, part: &mut Part) {
        let vertices: Vec<Vertex> = primitive.vertices().collect();
        for [a, c, b] in primitive.triangles() {
            // The hardware's front faces are clockwise, a mesh's counter-clockwise.
            let corners = [a, b, c].map(|ordinal| vertices[ordinal as usize]);
            if let [Some(a), Some(b), Some(c)] = corners.map(|corner| self.vertex(corner)) {
                part.mesh.triangles.push([a, b, c]);
                part.corners.push(corners.map(|corner| corner.index(Attribute::Texture(0))));
            }
        }
    }

    fn vertex(&mut self, vertex: Vertex) -> Option<u32> {
        let position = vertex.index(Attribute::Position)?;
        if self.skinned {
            self.highest = self.highest.max(usize::from(position) + 1);
            return Some(position.into());
        }
        let pair = (position, vertex.index(Attribute::Normal));
        Some(*self.numbers.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            self.pairs.len() as u32 - 1
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::testing::fox;

    #[test]
    fn the_fox_has_its_triangles_and_a_vertex_for_every_slot() {
        let bytes = fox();
        let model = Model::from_block(&bytes).unwrap();
        let mesh = Outcome::at_rest(&model).unwrap().mesh();
        assert_eq!(mesh.positions.len(), 1518);
        assert_eq!(mesh.triangles().count(), 576);
        assert!(mesh.triangles().flatten().all(|corner| (corner as usize) < mesh.positions.len()));
    }

    #[test]
    fn faces_point_where_their_normals_do() {
        let bytes = fox();
        let model = Model::from_block(&bytes).unwrap();
        let mesh = Outcome::at_rest(&model).unwrap().mesh();
        let agreeing = mesh
            .triangles()
            .filter(|&corners| {
                let face = mesh.face_normal(corners);
                let normal = mesh.normals[corners[0] as usize];
                face.iter().zip(normal).map(|(a, b)| a * b).sum::<f32>() > 0.0
            })
            .count();
        assert!(agreeing > 550, "{agreeing} of 576");
    }

    #[test]
    fn components_are_decoded_by_type_and_fraction() {
        assert_eq!(decode(QuantizeType::S16, 8, &[0xff, 0x80]), -0.5);
        assert_eq!(decode(QuantizeType::U8, 0, &[200]), 200.0);
        assert_eq!(decode(QuantizeType::F32, 3, &1.5_f32.to_be_bytes()), 1.5);
    }
}
