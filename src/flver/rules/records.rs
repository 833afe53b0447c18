//! What mesh, buffer and layout records say, without their vertices.

use crate::finding::Place;
use crate::flver::format::layout::{MemberType, Semantic};
use crate::flver::format::{Flver, Layout, MeshRecord, at};

use super::codes::{self, Rule};
use super::findings::Findings;

pub fn mesh_place(flver: &Flver, index: usize) -> Place {
    Place::section("meshes").entry(flver.mesh_name(index)).offset(flver.meshes[index].offset)
}

/// Every rule about records.
pub fn check(flver: &Flver, findings: &mut Findings) {
    for offset in &flver.header.reserved_set {
        let place = Place::section("header").field(format!("{offset:#x}")).offset(*offset);
        findings.add(&codes::RESERVED, place, "a reserved word is not zero");
    }
    for (index, mesh) in flver.meshes.iter().enumerate() {
        check_mesh(flver, index, mesh, findings);
    }
    for (index, layout) in flver.layouts.iter().enumerate() {
        check_layout(index, layout, findings);
    }
    let named = |list: fn(&MeshRecord) -> &Vec<i32>| flver.meshes.iter().map(list);
    check_shared("vertex buffer", flver.buffers.len(), named(|mesh| &mesh.buffers), findings);
    check_shared("face set", flver.face_sets.len(), named(|mesh| &mesh.face_sets), findings);
}

fn check_mesh(flver: &Flver, index: usize, mesh: &MeshRecord, findings: &mut Findings) {
    let place = |field: &str| mesh_place(flver, index).field(field);
    let mut outside = |rule: &'static Rule, field: &str, number: i32, count: usize| {
        if usize::try_from(number).is_ok_and(|number| number < count) {
            return;
        }
        findings.add(rule, place(field), format!("{field} {number} does not exist, there are {count}"));
    };
    outside(&codes::MESH_REFERENCE, "material", mesh.material, flver.materials.len());
    if mesh.node_index != -1 {
        outside(&codes::MESH_REFERENCE, "node", mesh.node_index, flver.nodes.len());
    }
    for number in &mesh.face_sets {
        outside(&codes::MESH_REFERENCE, "face set", *number, flver.face_sets.len());
    }
    for number in &mesh.buffers {
        outside(&codes::MESH_REFERENCE, "vertex buffer", *number, flver.buffers.len());
    }
    for number in &mesh.palette {
        outside(&codes::PALETTE, "palette entry", *number, flver.nodes.len());
    }
    if mesh.dynamic > 1 || !mesh.reserved_zero {
        findings.add(
            &codes::RESERVED,
            place("record"),
            format!("dynamic byte {}, or reserved bytes set", mesh.dynamic),
        );
    }
    check_attributes(flver, index, mesh, findings);
}

/// Ordinals and numbers of the members of all buffers of a mesh.
fn check_attributes(flver: &Flver, index: usize, mesh: &MeshRecord, findings: &mut Findings) {
    let layouts = mesh
        .buffers
        .iter()
        .filter_map(|index| at(&flver.buffers, *index))
        .filter_map(|buffer| flver.layout_of(buffer));
    let members: Vec<_> =
        layouts.flat_map(|layout| &layout.members).filter(|member| !member.is_generated()).collect();
    let of = |semantic: Semantic| members.iter().filter(move |member| member.semantic == semantic);
    for (ordinal, member) in of(Semantic::UV).enumerate() {
        if member.index as usize != ordinal {
            let text = format!("UV member {ordinal} has semantic index {}", member.index);
            let place = mesh_place(flver, index).field("UV").offset(member.record);
            findings.add(&codes::UV_ORDER, place, text);
        }
    }
    let uvs: usize = of(Semantic::UV)
        .map(
            |member| {
                if matches!(member.member_type, MemberType::FLOAT4 | MemberType::SHORT4) { 2 } else { 1 }
            },
        )
        .sum();
    let counts = [
        ("UVs", uvs, 8),
        ("tangents", of(Semantic::TANGENT).count(), 3),
        ("colours", of(Semantic::COLOUR).count(), 2),
    ];
    for (name, count, most) in counts {
        if count > most {
            let text = format!("{count} {name} a vertex, the most of any shipped vertex is {most}");
            findings.add(&codes::ATTRIBUTE_COUNT, mesh_place(flver, index), text);
        }
    }
}

fn check_layout(index: usize, layout: &Layout, findings: &mut Findings) {
    let place = || Place::section("layouts").entry(format!("layout {index}"));
    if !layout.reserved_zero {
        findings.add(&codes::RESERVED, place().offset(layout.offset), "8 reserved bytes are not all zero");
    }
    let mut sum = 0u64;
    for (number, member) in layout.members.iter().enumerate() {
        if !member.is_generated() && u64::from(member.offset) != sum {
            let name = member.semantic.name();
            let text =
                format!("member {number} ({name}) is at {}, the sizes before it sum to {sum}", member.offset);
            findings.add(&codes::LAYOUT_OFFSET, place().offset(member.record + 4), text);
        }
        // An unknown type ends the sum; the mesh that uses it is told as unreadable.
        let Ok(size) = member.size() else { return };
        sum += u64::from(size);
    }
}

fn check_shared<'a>(
    name: &str,
    count: usize,
    lists: impl Iterator<Item = &'a Vec<i32>>,
    findings: &mut Findings,
) {
    let mut named = vec![0u32; count];
    for index in lists.flatten() {
        if let Some(times) = usize::try_from(*index).ok().and_then(|index| named.get_mut(index)) {
            *times += 1;
        }
    }
    for (index, times) in named.iter().enumerate().filter(|(_, times)| **times > 1) {
        let place = Place::section(format!("{name}s")).entry(format!("{name} {index}"));
        findings.add(&codes::BUFFER_SHARED, place, format!("named {times} times"));
    }
}
