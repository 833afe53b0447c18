//! The vertices of one mesh, merged over its buffers by (semantic, index).

use schemars::JsonSchema;
use serde::Serialize;

use crate::bytes::{ReadError, ReadResult};

use super::decode::{IntegerW, Row, Unpack, interpretation};
use super::layout::{Layout, Member, MemberType, Semantic};
use super::{Flver, MeshRecord, VertexBuffer, outside};

/// How weights of type 0x16 are read: the two sources differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShortWeights {
    /// Signed / 32767 [seed 001, whose population is checked].
    #[default]
    Signed,
    /// Sign bit flipped, / 65535 [sourced].
    Flipped,
}

/// What to decode, and how where that is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecodeOptions {
    /// Only positions, normals, weights and bone indices.
    pub posing_only: bool,
    /// How weights of type 0x16 are read.
    pub short_weights: ShortWeights,
}

/// A normal member: directions, and where it stores one, the integer that names a rigid bone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Normals {
    /// Semantic index.
    pub index: u32,
    /// Directions as decoded.
    pub directions: Vec<[f32; 3]>,
    /// W of each vertex; `None` where the member has none, -1 for a float that is not whole.
    pub w: Option<Vec<i32>>,
}

/// A member of up to four lanes.
#[derive(Debug, Clone, PartialEq)]
pub struct Lanes {
    /// Semantic index.
    pub index: u32,
    /// Packing.
    pub member_type: MemberType,
    /// Number of lanes that count.
    pub lanes: u8,
    /// One value a vertex; lanes that do not count are zero.
    pub values: Vec<[f32; 4]>,
}

/// Every attribute of a mesh's vertices. Members of a semantic that repeats are in the order of their
/// semantic index, then of the streams.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshVertices {
    /// Number of vertices.
    pub count: usize,
    /// Position streams: the current one first, a previous one second.
    pub positions: Vec<Vec<[f32; 3]>>,
    /// How many four-lane positions have a W that is not zero.
    pub position_w_set: usize,
    /// Normals.
    pub normals: Vec<Normals>,
    /// Bone weights as stored; not normalized.
    pub weights: Option<Vec<[f32; 4]>>,
    /// Bone indices as stored: into the palette, or nodes where that is empty.
    pub bone_indices: Option<Vec<[u16; 4]>>,
    /// Texture-coordinate inputs.
    pub uvs: Vec<Lanes>,
    /// Tangents.
    pub tangents: Vec<Lanes>,
    /// Bitangents.
    pub bitangents: Vec<Lanes>,
    /// Colours.
    pub colours: Vec<Lanes>,
    /// Members without an interpretation, left alone.
    pub undecoded: Vec<Member>,
    /// Whether a weight member of type 0x16 was read, whose reading is open.
    pub short_weights: bool,
    /// Whether the layout had to be repaired to fit the stride (see [`Layout::repaired`]).
    pub repaired: bool,
}

/// A member with the bytes it is found in.
struct Source<'a> {
    bytes: &'a [u8],
    stride: usize,
    member: Member,
}

impl MeshVertices {
    /// Unpacks the vertices of a mesh.
    ///
    /// # Errors
    /// When the mesh names a buffer or layout that does not exist, its buffers differ in their number of
    /// vertices, are compressed, or have a stride their layout does not fill.
    pub fn decode(flver: &Flver, mesh: &MeshRecord, options: DecodeOptions) -> ReadResult<Self> {
        let mut vertices = Self::default();
        let mut sources = Vec::new();
        for (order, index) in mesh.buffers.iter().enumerate() {
            let buffer = super::at(&flver.buffers, *index).ok_or_else(|| {
                outside("mesh vertex buffer", mesh.offset + 44, *index, flver.buffers.len(), "vertex buffers")
            })?;
            if order == 0 {
                vertices.count = buffer.vertex_count as usize;
            }
            vertices.repaired |= add_sources(flver, buffer, vertices.count, &mut sources)?;
        }
        // A stable sort: streams of one semantic and index stay in stream order.
        sources.sort_by_key(|source| (source.member.semantic.0, source.member.index));
        for source in &sources {
            vertices.add(source, flver, options);
        }
        Ok(vertices)
    }

    fn add(&mut self, source: &Source, flver: &Flver, options: DecodeOptions) {
        let member = &source.member;
        if options.posing_only && !member.semantic.moves_vertices() {
            return;
        }
        // Weights and indices come once; a second member has no meaning that is known.
        let taken = match member.semantic {
            Semantic::BONE_WEIGHTS => self.weights.is_some(),
            Semantic::BONE_INDICES => self.bone_indices.is_some(),
            _ => false,
        };
        let row = interpretation(member.semantic, member.member_type).filter(|_| !taken);
        let Some(row) = row.copied() else {
            self.undecoded.push(*member);
            return;
        };
        match member.semantic {
            Semantic::POSITION => self.add_position(source, row),
            Semantic::NORMAL => self.normals.push(normals(source, row)),
            Semantic::BONE_WEIGHTS => self.add_weights(source, row, options),
            Semantic::BONE_INDICES => {
                let indices = source.lanes(row, 1.0).map(|lanes| lanes.map(|lane| lane as u16));
                self.bone_indices = Some(indices.collect());
            }
            _ => {
                let values = source.lanes(row, flver.header.uv_divisor()).collect();
                let lanes =
                    Lanes { index: member.index, member_type: member.member_type, lanes: row.lanes, values };
                match member.semantic {
                    Semantic::TANGENT => self.tangents.push(lanes),
                    Semantic::BITANGENT => self.bitangents.push(lanes),
                    Semantic::COLOUR => self.colours.push(lanes),
                    _ => self.uvs.push(lanes),
                }
            }
        }
    }

    fn add_position(&mut self, source: &Source, row: Row) {
        let mut w_set = 0;
        let positions = source.lanes(row, 1.0).map(|[x, y, z, w]| {
            w_set += usize::from(w != 0.0);
            [x, y, z]
        });
        self.positions.push(positions.collect());
        self.position_w_set += w_set;
    }

    fn add_weights(&mut self, source: &Source, mut row: Row, options: DecodeOptions) {
        if row.member_type == MemberType::SHORT4 {
            self.short_weights = true;
            if options.short_weights == ShortWeights::Flipped {
                row.unpack = Unpack::FlippedShorts;
            }
        }
        self.weights = Some(source.lanes(row, 1.0).collect());
    }
}

fn normals(source: &Source, row: Row) -> Normals {
    let directions = source.lanes(row, 1.0).map(|[x, y, z, _]| [x, y, z]).collect();
    let w = (row.w != IntegerW::None)
        .then(|| source.vertices().map(|bytes| row.w.read(bytes).unwrap_or(-1)).collect());
    Normals { index: source.member.index, directions, w }
}

impl<'a> Source<'a> {
    /// The member's bytes of each vertex.
    fn vertices(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let start = self.member.offset as usize;
        let end = start + self.member.member_type.size().unwrap_or(0) as usize;
        self.bytes.chunks_exact(self.stride).map(move |vertex| &vertex[start..end])
    }

    fn lanes(&self, row: Row, uv_divisor: f32) -> impl Iterator<Item = [f32; 4]> + use<'a> {
        self.vertices().map(move |bytes| row.unpack.lanes(bytes, usize::from(row.lanes), uv_divisor))
    }
}

/// Adds the members of one buffer; says whether its layout had to be repaired.
fn add_sources<'a>(
    flver: &Flver<'a>,
    buffer: &VertexBuffer,
    count: usize,
    sources: &mut Vec<Source<'a>>,
) -> ReadResult<bool> {
    if buffer.edge_compressed {
        return Err(ReadError::new(
            "vertex buffer",
            buffer.offset,
            "plain vertices",
            super::EDGE_COMPRESSION,
        ));
    }
    if buffer.vertex_count as usize != count {
        return Err(ReadError::new(
            "vertex buffer vertex count",
            buffer.offset + 12,
            format!("{count}, as in the mesh's first buffer"),
            buffer.vertex_count.to_string(),
        ));
    }
    let (layout, repaired) = fitting_layout(flver, buffer)?;
    let bytes = flver.data(buffer.data_offset, buffer.byte_length(), "vertices")?;
    for member in layout.members.iter().filter(|member| !member.is_generated()) {
        sources.push(Source { bytes, stride: buffer.vertex_size as usize, member: *member });
    }
    Ok(repaired)
}

/// The layout of a buffer, fitting its stride, every member inside the vertex.
fn fitting_layout(flver: &Flver, buffer: &VertexBuffer) -> ReadResult<(Layout, bool)> {
    let layout = flver.layout_of(buffer).ok_or_else(|| {
        outside("vertex buffer layout", buffer.offset + 4, buffer.layout, flver.layouts.len(), "layouts")
    })?;
    let stride = u64::from(buffer.vertex_size);
    let size = if layout.is_known_where_it_counts() { stride } else { layout.size()? };
    let (layout, repaired) = if size == stride {
        (layout.clone(), false)
    } else if let Some(layout) = layout.repaired(flver.header.version, buffer.vertex_size) {
        (layout, true)
    } else {
        return Err(ReadError::new(
            "vertex buffer vertex size",
            buffer.offset + 8,
            format!("{size}, the size of layout {}", buffer.layout),
            stride.to_string(),
        ));
    };
    if stride == 0 && buffer.vertex_count > 0 {
        let what = "vertex buffer vertex size";
        return Err(ReadError::new(what, buffer.offset + 8, "a vertex of at least one byte", "0"));
    }
    for member in layout.members.iter().filter(|member| !member.is_generated()) {
        // The size of an unknown type is unknown; nothing of it is read.
        let size = member.member_type.size().unwrap_or(0);
        if u64::from(member.offset) + u64::from(size) > stride {
            return Err(ReadError::new(
                "layout member offset",
                member.record + 4,
                format!("a member of {size} bytes inside a vertex of {stride}"),
                format!("offset {}", member.offset),
            ));
        }
    }
    Ok((layout, repaired))
}
