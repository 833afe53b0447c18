//! What is in a FLVER: one value, rendered as text or as JSON (`skinsim.info/1`, kind `flver`).

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::flver::format::decode::{Source, interpretation};
use crate::flver::format::vertices::{DecodeOptions, MeshVertices};
use crate::flver::format::{BoundingBox, FaceSet, Flver, Member, MeshRecord};
use crate::flver::runtime::binding::joint;
use crate::printable::printable;

use crate::report::words::plural;

use super::frame::{bounds, table};

/// Everything `info` tells about a FLVER.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlverInfo {
    /// `skinsim.info/1`.
    pub schema: &'static str,
    /// `flver`.
    pub kind: &'static str,
    /// As named on the command line.
    pub model: String,
    /// File version, "0x2001a".
    pub version: String,
    /// Strings are UTF-16 (else Shift-JIS).
    pub unicode: bool,
    /// A `SpeedTree` model.
    pub speedtree: bool,
    /// The header's box.
    pub bounds: BoundingBox,
    /// Nodes in file order.
    pub nodes: Vec<NodeInfo>,
    /// Dummy points by reference ID, in file order.
    pub dummies: Vec<i16>,
    /// Materials by name.
    pub materials: Vec<String>,
    /// Number of textures.
    pub textures: usize,
    /// Vertex layouts: each member in words.
    pub layouts: Vec<Vec<String>>,
    /// Meshes in file order.
    pub meshes: Vec<MeshInfo>,
    /// Entries of the base skeleton and of all skeletons, at 0x2001A and later; null where they cannot be read.
    pub skeletons: Option<[usize; 2]>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeInfo {
    /// Name.
    pub name: String,
    /// Parent, -1 for a root.
    pub parent: i16,
    /// Translation.
    pub translation: [f32; 3],
    /// Euler angles in radians.
    pub rotation: [f32; 3],
    /// Scale.
    pub scale: [f32; 3],
    /// Flags.
    pub flags: u32,
}

/// A mesh.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MeshInfo {
    /// Number and material.
    pub name: String,
    /// Vertices are in model bind space and weighted (else static).
    pub dynamic: bool,
    /// The node a static mesh follows where its vertices name none.
    pub node_index: i32,
    /// Local-to-node mapping.
    pub palette: Vec<i32>,
    /// Number of vertices.
    pub vertices: u32,
    /// Layout of each vertex buffer.
    pub layouts: Vec<i32>,
    /// Face sets in words.
    pub face_sets: Vec<String>,
    /// The highest node a vertex is weighted to; null where none is, or the vertices cannot be decoded.
    pub highest_joint: Option<usize>,
}

impl FlverInfo {
    /// Collects it.
    pub fn new(model: String, flver: &Flver) -> Self {
        let header = &flver.header;
        Self {
            schema: "skinsim.info/1",
            kind: "flver",
            model,
            version: format!("{:#x}", header.version),
            unicode: header.unicode,
            speedtree: header.speedtree,
            bounds: header.bounds,
            nodes: flver.nodes.iter().map(NodeInfo::new).collect(),
            dummies: flver.dummies.iter().map(|dummy| dummy.reference_id).collect(),
            materials: flver.materials.iter().map(|material| material.name.clone()).collect(),
            textures: flver.textures.len(),
            layouts: flver.layouts.iter().map(|layout| layout.members.iter().map(member).collect()).collect(),
            meshes: (0..flver.meshes.len()).map(|index| MeshInfo::new(flver, index)).collect(),
            skeletons: flver
                .skeletons
                .as_ref()
                .ok()
                .and_then(Option::as_ref)
                .map(|set| [set.base.len(), set.all.len()]),
        }
    }
}

impl NodeInfo {
    fn new(node: &crate::flver::format::Node) -> Self {
        Self {
            name: node.name.clone(),
            parent: node.parent,
            translation: node.translation,
            rotation: node.rotation,
            scale: node.scale,
            flags: node.flags,
        }
    }
}

impl MeshInfo {
    fn new(flver: &Flver, index: usize) -> Self {
        let mesh = &flver.meshes[index];
        let buffers: Vec<_> = flver.buffers_of(mesh).flatten().collect();
        Self {
            name: flver.mesh_name(index),
            dynamic: mesh.is_dynamic(),
            node_index: mesh.node_index,
            palette: mesh.palette.clone(),
            vertices: buffers.first().map_or(0, |buffer| buffer.vertex_count),
            layouts: buffers.iter().map(|buffer| buffer.layout).collect(),
            face_sets: flver.face_sets_of(mesh).flatten().map(face_set).collect(),
            highest_joint: highest_joint(flver, mesh),
        }
    }
}

/// A member in words: "normal 0: type 0x11, 4 bytes at 12".
fn member(member: &Member) -> String {
    let mut text = format!(
        "{} {}: type {:#04x} at {}",
        member.semantic.name(),
        member.index,
        member.member_type.0,
        member.offset
    );
    if member.is_generated() {
        text.push_str(", generated by SpeedTree");
    }
    match interpretation(member.semantic, member.member_type) {
        None => text.push_str(", not understood"),
        Some(row) if row.source == Source::Sourced => text.push_str(", by community readers alone"),
        Some(_) => {}
    }
    text
}

/// A face set in words: "main list of 6 16-bit indices".
fn face_set(face_set: &FaceSet) -> String {
    let level = match face_set.flags {
        0 => "main",
        flags if flags & FaceSet::EDGE_COMPRESSED != 0 => "edge-compressed",
        flags if flags & FaceSet::MOTION_BLUR != 0 => "motion-blur",
        flags if flags & FaceSet::LOD_1 != 0 => "LOD 1",
        flags if flags & FaceSet::LOD_2 != 0 => "LOD 2",
        flags if flags & FaceSet::LOD_EX != 0 => "LOD ex",
        _ => "other",
    };
    let form = if face_set.strip { "strip" } else { "list" };
    format!("{level} {form} of {} {}-bit indices", face_set.index_count, face_set.index_bits)
}

fn highest_joint(flver: &Flver, mesh: &MeshRecord) -> Option<usize> {
    let options = DecodeOptions { posing_only: true, ..DecodeOptions::default() };
    let vertices = MeshVertices::decode(flver, mesh, options).ok()?;
    let (indices, weights) = (vertices.bone_indices?, vertices.weights?);
    let weighted =
        indices.iter().flatten().zip(weights.iter().flatten()).filter(|(_, weight)| **weight != 0.0);
    weighted.filter_map(|(index, _)| joint(&mesh.palette, *index, flver.nodes.len())).max()
}

/// As text.
pub fn text(info: &FlverInfo) -> String {
    let mut out = format!(
        "{}: FLVER {}{}, strings {}\n",
        printable(&info.model),
        info.version,
        if info.speedtree { " (SpeedTree)" } else { "" },
        if info.unicode { "UTF-16" } else { "Shift-JIS" }
    );
    let _ = writeln!(out, "bounds {}", bounds(&info.bounds));
    let _ = write!(
        out,
        "{}, {}, {}, {}, {}",
        plural(info.nodes.len(), "node"),
        super::frame::meshes(info.meshes.len()),
        plural(info.dummies.len(), "dummy point"),
        plural(info.materials.len(), "material"),
        plural(info.textures, "texture")
    );
    if let Some([base, all]) = info.skeletons {
        let _ = write!(out, "; base skeleton {base}, all skeletons {all}");
    }
    out.push('\n');
    nodes(info, &mut out);
    meshes(info, &mut out);
    for (index, layout) in info.layouts.iter().enumerate() {
        let _ = writeln!(out, "layout {index}");
        for member in layout {
            let _ = writeln!(out, "  {member}");
        }
    }
    out
}

fn nodes(info: &FlverInfo, out: &mut String) {
    if info.nodes.is_empty() {
        return;
    }
    let mut table = table(&["node", "name", "parent", "translation", "rotation", "scale", "flags"]);
    for (index, node) in info.nodes.iter().enumerate() {
        table.add_row([
            index.to_string(),
            printable(&node.name).into_owned(),
            node.parent.to_string(),
            format!("{:?}", node.translation),
            format!("{:?}", node.rotation),
            format!("{:?}", node.scale),
            format!("{:#x}", node.flags),
        ]);
    }
    let _ = writeln!(out, "{}", table.trim_fmt());
}

fn meshes(info: &FlverInfo, out: &mut String) {
    if info.meshes.is_empty() {
        return;
    }
    let mut table =
        table(&["mesh", "vertices", "kind", "NodeIndex", "palette", "layouts", "highest joint", "face sets"]);
    for mesh in &info.meshes {
        table.add_row([
            printable(&mesh.name).into_owned(),
            mesh.vertices.to_string(),
            if mesh.dynamic { "dynamic" } else { "static" }.to_owned(),
            mesh.node_index.to_string(),
            mesh.palette.len().to_string(),
            mesh.layouts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            mesh.highest_joint.map_or_else(|| "-".to_owned(), |joint| joint.to_string()),
            mesh.face_sets.join(", "),
        ]);
    }
    let _ = writeln!(out, "{}", table.trim_fmt());
}
