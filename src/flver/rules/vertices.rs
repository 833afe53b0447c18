//! What the vertices and indices of a mesh say, and what posing them shows.

use crate::bytes::ReadError;
use crate::finding::{Effect, Place};
use crate::flver::format::layout::{Member, MemberType, Semantic};
use crate::flver::format::vertices::MeshVertices;
use crate::flver::format::{Flver, MeshRecord, at, faces};
use crate::flver::runtime::binding::{Binding, follows_bone_index, joint, normal_w};
use crate::flver::runtime::outcome::MeshOutcome;
use crate::flver::runtime::skin::SMALLEST_WEIGHT_SUM;

use super::codes;
use super::findings::Findings;
use super::records::mesh_place;

/// Sums that rounding explains: shipped byte weights sum to 252/255 at least, short weights to 1.00003 at most.
const WEIGHT_SUMS: std::ops::RangeInclusive<f32> = 0.97..=1.01;
/// Matrices of 48 bytes in the buffer that captured skinned draws bind.
const JOINT_BUFFER: usize = 256;

/// First vertex that breaks a rule, and how many do.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    first: usize,
    count: usize,
}

impl Tally {
    fn of(vertices: impl Iterator<Item = usize>) -> Option<Self> {
        let mut tally = Self::default();
        for vertex in vertices {
            if tally.count == 0 {
                tally.first = vertex;
            }
            tally.count += 1;
        }
        (tally.count > 0).then_some(tally)
    }
}

/// A mesh under examination.
pub struct MeshCheck<'a> {
    pub flver: &'a Flver<'a>,
    pub index: usize,
    pub mesh: &'a MeshRecord,
    pub vertices: &'a MeshVertices,
    pub binding: &'a Binding,
}

/// A member that was left alone; of bone weights, what follows.
pub fn undecoded(place: &Place, member: &Member, weighted: bool, findings: &mut Findings) {
    let place = place.clone().offset(member.record);
    if member.semantic == Semantic::BONE_WEIGHTS && !weighted {
        let text = format!("{}: every vertex is taken to follow its first bone alone", member.label());
        let effect = Effect::WrongOutput("vertices that follow several bones follow one".to_owned());
        findings.add_with_effect(&codes::MEMBER_UNDECODED, place, text, effect);
    } else {
        findings.add(&codes::MEMBER_UNDECODED, place, member.label());
    }
}

/// Every rule about what posing a mesh gave.
pub fn check_posed(flver: &Flver, index: usize, mesh: &MeshOutcome, findings: &mut Findings) {
    let place = || mesh_place(flver, index);
    let members = flver.meshes[index].buffers.iter().filter_map(|buffer| at(&flver.buffers, *buffer));
    let members = members.filter_map(|buffer| flver.layout_of(buffer)).flat_map(|layout| &layout.members);
    for member in members.filter(|member| mesh.undecoded.contains(&member.label())) {
        undecoded(&place(), member, !mesh.weights.is_empty(), findings);
    }
    let not_finite = |position: &&[f32; 3]| !position.iter().all(|lane| lane.is_finite());
    if let Some(vertex) = mesh.positions.iter().position(|position| not_finite(&position)) {
        let count = mesh.positions.iter().filter(not_finite).count();
        let text = format!("vertex {vertex} is posed to {:?}; {count} vertices", mesh.positions[vertex]);
        let effect = Effect::WrongOutput(format!("{count} vertices"));
        let place = place().field("position").vertex(vertex as u32);
        findings.add_with_effect(&codes::NOT_FINITE, place, text, effect);
    }
    let lost = |(indices, weights): (&[i32; 4], &[f32; 4])| {
        indices.iter().zip(weights).any(|(index, weight)| *index < 0 && *weight != 0.0)
    };
    if let Some(vertex) = mesh.bone_indices.iter().zip(&mesh.weights).position(lost).filter(|_| mesh.dynamic)
    {
        let text = format!("vertex {vertex} is weighted to {:?}", mesh.stored_bone_indices[vertex]);
        let effect = Effect::WrongOutput("a matrix that is not the model's; zeros here".to_owned());
        findings.add_with_effect(&codes::BONE_INDEX, place().vertex(vertex as u32), text, effect);
    }
}

/// A mesh that cannot be decoded: the stride has a code of its own.
pub fn unreadable(flver: &Flver, index: usize, error: &ReadError, findings: &mut Findings) {
    let rule =
        if error.what == "vertex buffer vertex size" { &codes::STRIDE } else { &codes::MESH_UNREADABLE };
    findings.add(rule, mesh_place(flver, index).offset(error.offset), error.to_string());
}

impl MeshCheck<'_> {
    fn place(&self) -> Place {
        mesh_place(self.flver, self.index)
    }

    /// Every rule about decoded vertices; marks the nodes that carry one.
    pub fn check(&self, carries: &mut [bool], findings: &mut Findings) {
        self.check_members(findings);
        self.check_positions(findings);
        self.check_finite(findings);
        match self.binding {
            Binding::Skinned { .. } => self.check_skinned(carries, findings),
            Binding::Rigid { slots, .. } => {
                for slot in slots {
                    if let Some(carries) = carries.get_mut(*slot as usize) {
                        *carries = true;
                    }
                }
                self.check_rigid(findings);
            }
            Binding::Unmoved => self.tell_unbound(findings),
        }
        self.check_faces(findings);
    }

    fn check_members(&self, findings: &mut Findings) {
        if self.vertices.repaired {
            let text = "the layout was read with its four-byte tangent after the normal dropped or added";
            findings.add(&codes::STRIDE_REPAIRED, self.place(), text);
        }
        for member in &self.vertices.undecoded {
            undecoded(&self.place(), member, self.vertices.weights.is_some(), findings);
        }
        if self.vertices.short_weights {
            findings.add(&codes::WEIGHT_SHORT4, self.place(), "weights are of type 0x16");
        }
        if self.vertices.position_w_set > 0 {
            let text = format!("W is not zero on {} positions", self.vertices.position_w_set);
            findings.add(&codes::POSITION_W, self.place(), text);
        }
        for uv in self.vertices.uvs.iter().filter(|uv| uv.member_type == MemberType::HALF4) {
            let set =
                uv.values.iter().enumerate().filter(|(_, value)| value[3] != 0.0).map(|(vertex, _)| vertex);
            if let Some(tally) = Tally::of(set).filter(|_| !self.flver.header.speedtree) {
                let text = format!("W of UV {} is not zero on {} vertices", uv.index, tally.count);
                findings.add(&codes::PIVOT_W, self.place().vertex(tally.first as u32), text);
            }
        }
    }

    /// A mesh without positions, which nothing else would tell: it has no vertex to be wrong.
    fn check_positions(&self, findings: &mut Findings) {
        if self.vertices.count == 0 || !self.vertices.positions.is_empty() {
            return;
        }
        let undecoded = self.vertices.undecoded.iter().find(|member| member.semantic == Semantic::POSITION);
        let why = undecoded.map_or_else(
            || "no member has semantic 0".to_owned(),
            |member| format!("{} cannot be decoded", member.label()),
        );
        let text = format!("{} vertices have no position: {why}", self.vertices.count);
        let effect = Effect::WrongOutput("the mesh cannot be placed; it is left out here".to_owned());
        findings.add_with_effect(&codes::POSITION_MISSING, self.place().field("position"), text, effect);
    }

    fn tell_unbound(&self, findings: &mut Findings) {
        if self.vertices.count == 0 {
            return;
        }
        let have = match &self.vertices.weights {
            Some(_) => "weights and no bone indices",
            None => "neither weights nor bone indices",
        };
        let text = format!("{} vertices have {have}; they stay in bind space", self.vertices.count);
        let effect = Effect::WrongOutput("the mesh does not follow the skeleton".to_owned());
        findings.add_with_effect(&codes::DYNAMIC_UNBOUND, self.place(), text, effect);
    }

    fn check_finite(&self, findings: &mut Findings) {
        let positions = self.vertices.positions.iter().map(|stream| ("position", stream));
        let normals = self.vertices.normals.iter().map(|normals| ("normal", &normals.directions));
        for (name, stream) in positions.chain(normals) {
            let strange =
                stream.iter().enumerate().filter(|(_, lanes)| !lanes.iter().all(|lane| lane.is_finite()));
            if let Some(tally) = Tally::of(strange.map(|(vertex, _)| vertex)) {
                let text = format!(
                    "{name} of vertex {} is {:?}; {} of {} vertices",
                    tally.first,
                    stream[tally.first],
                    tally.count,
                    stream.len()
                );
                let effect = Effect::WrongOutput(format!("{} vertices", tally.count));
                let place = self.place().field(name).vertex(tally.first as u32);
                findings.add_with_effect(&codes::NOT_FINITE, place, text, effect);
            }
        }
    }

    fn check_skinned(&self, carries: &mut [bool], findings: &mut Findings) {
        let (Some(indices), Binding::Skinned { weights, .. }) = (&self.vertices.bone_indices, self.binding)
        else {
            return;
        };
        self.check_weights(weights, findings);
        let nodes = self.flver.nodes.len();
        let mut highest = 0;
        let mut outside = Vec::new();
        for (vertex, (indices, weights)) in indices.iter().zip(weights).enumerate() {
            for (index, _) in indices.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                match joint(&self.mesh.palette, *index, nodes) {
                    Some(node) => {
                        carries[node] = true;
                        highest = highest.max(node);
                    }
                    None => outside.push((vertex, *index)),
                }
            }
        }
        if let Some((vertex, index)) = outside.first() {
            let of = self.index_table();
            let text = format!(
                "index {index} of vertex {vertex} lies outside {of}; {} weights in all",
                outside.len()
            );
            let effect = Effect::WrongOutput("a matrix that is not the model's; zeros here".to_owned());
            findings.add_with_effect(&codes::BONE_INDEX, self.place().vertex(*vertex as u32), text, effect);
        }
        if highest >= JOINT_BUFFER {
            let text = format!("the highest weighted joint is {}", self.flver.node_name(highest));
            findings.add(&codes::JOINT_BUFFER, self.place(), text);
        }
    }

    fn check_weights(&self, weights: &[[f32; 4]], findings: &mut Findings) {
        let sums = || weights.iter().map(|weights| weights.iter().sum::<f32>()).enumerate();
        let told = |wrong: &mut dyn Iterator<Item = usize>| {
            Tally::of(wrong).map(|tally| {
                let text = format!(
                    "vertex {} has {:?}; {} of {} vertices",
                    tally.first,
                    weights[tally.first],
                    tally.count,
                    weights.len()
                );
                (self.place().field("weights").vertex(tally.first as u32), text, tally)
            })
        };
        let mut none =
            sums().filter(|(_, sum)| sum.is_nan() || *sum < SMALLEST_WEIGHT_SUM).map(|(vertex, _)| vertex);
        if let Some((place, text, tally)) = told(&mut none) {
            let effect =
                Effect::WrongOutput(format!("{} vertices are drawn to the model's origin", tally.count));
            findings.add_with_effect(&codes::WEIGHT_NONE, place, text, effect);
        }
        let mut odd = sums()
            .filter(|(_, sum)| *sum >= SMALLEST_WEIGHT_SUM && !WEIGHT_SUMS.contains(sum))
            .map(|(vertex, _)| vertex);
        if let Some((place, text, _)) = told(&mut odd) {
            findings.add(&codes::WEIGHT_SUM, place, text);
        }
        let negative =
            weights.iter().enumerate().filter(|(_, weights)| weights.iter().any(|weight| *weight < 0.0));
        if let Some((place, text, _)) = told(&mut negative.map(|(vertex, _)| vertex)) {
            findings.add(&codes::WEIGHT_NEGATIVE, place, text);
        }
    }

    /// The index that alone places a static vertex.
    fn check_rigid_indices(&self, findings: &mut Findings) {
        let Some(indices) = &self.vertices.bone_indices else { return };
        let nodes = self.flver.nodes.len();
        let lost = |indices: &[u16; 4]| joint(&self.mesh.palette, indices[0], nodes).is_none();
        let outside = indices.iter().enumerate().filter(|(_, indices)| lost(indices));
        let Some(tally) = Tally::of(outside.map(|(vertex, _)| vertex)) else { return };
        let text = format!(
            "index {} of static vertex {} lies outside {}; {} of {} vertices",
            indices[tally.first][0],
            tally.first,
            self.index_table(),
            tally.count,
            indices.len()
        );
        let effect = Effect::WrongOutput("a matrix that is not the model's; NodeIndex here".to_owned());
        let place = self.place().field("bone index").vertex(tally.first as u32);
        findings.add_with_effect(&codes::BONE_INDEX, place, text, effect);
    }

    /// What a stored bone index counts in.
    fn index_table(&self) -> String {
        match self.mesh.palette.len() {
            0 => format!("the {} nodes", self.flver.nodes.len()),
            entries => format!("the palette of {entries} entries, or its entry names no node"),
        }
    }

    fn check_rigid(&self, findings: &mut Findings) {
        let Binding::Rigid { counts, .. } = self.binding else { return };
        let nodes = self.flver.nodes.len();
        if counts.as_stored > 0 {
            let text =
                format!("{} of {} vertices name no usable bone", counts.as_stored, self.vertices.count);
            findings.add(&codes::RIGID_UNBOUND, self.place(), text);
        }
        // Bone indices without weights name the bone, and W is not looked at.
        if follows_bone_index(self.vertices) {
            self.check_rigid_indices(findings);
            return;
        }
        let values =
            || (0..self.vertices.count).filter_map(|vertex| Some((vertex, normal_w(self.vertices, vertex)?)));
        let in_range = |w: i32| usize::try_from(w).is_ok_and(|w| w < nodes);
        if let Some(tally) = Tally::of(values().filter(|(_, w)| !in_range(*w)).map(|(vertex, _)| vertex)) {
            let w = normal_w(self.vertices, tally.first).unwrap_or(-1);
            let text = format!(
                "W of vertex {} is {w}, outside the {nodes} nodes; {} vertices",
                tally.first, tally.count
            );
            findings.add(&codes::RIGID_W_RANGE, self.place().vertex(tally.first as u32), text);
        }
        let differs = |w: i32| at(&self.mesh.palette, w).is_some_and(|mapped| *mapped != w);
        if let Some(tally) = Tally::of(values().filter(|(_, w)| differs(*w)).map(|(vertex, _)| vertex)) {
            let w = normal_w(self.vertices, tally.first).unwrap_or(-1);
            let mapped = at(&self.mesh.palette, w).copied().unwrap_or(-1);
            let text = format!(
                "W of vertex {} is {w}, taken as node {w}; through the palette it is node {mapped}; {} vertices",
                tally.first, tally.count
            );
            findings.add(&codes::RIGID_PALETTE, self.place().vertex(tally.first as u32), text);
        }
    }

    fn check_faces(&self, findings: &mut Findings) {
        for number in &self.mesh.face_sets {
            let Some(face_set) = at(&self.flver.face_sets, *number) else { continue };
            let indices = match faces::indices(self.flver, face_set) {
                Ok(indices) => indices,
                Err(error) => {
                    findings.add(
                        &codes::MESH_UNREADABLE,
                        self.place().offset(error.offset),
                        error.to_string(),
                    );
                    continue;
                }
            };
            let triangles = faces::triangles(&indices, face_set.strip, self.vertices.count);
            let mut outside =
                triangles.iter().flatten().filter(|index| **index as usize >= self.vertices.count);
            if let Some(index) = outside.next() {
                let text = format!(
                    "face set {number} names vertex {index}, the mesh has {}; {} corners in all",
                    self.vertices.count,
                    outside.count() + 1
                );
                let effect = Effect::WrongOutput("triangles with corners of other data".to_owned());
                let place = self.place().field("face set").offset(face_set.offset);
                findings.add_with_effect(&codes::FACE_INDEX, place, text, effect);
            }
        }
    }
}
