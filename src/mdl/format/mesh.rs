//! Body parts, models and meshes, and what deforms them: flexes with their vertex animations, and
//! eyeballs. `[seed 004; spec: SDK]`

use super::eyeball::{self, Eyeball};
use super::header::HeaderTable;
use super::reader::{Reader, fixed_name};
use crate::bytes::{ReadResult, View};

/// Levels of detail a model can have.
pub const MAX_LODS: usize = 8;

/// `mstudiobodyparts_t`: alternatives of which one is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPart {
    /// Name for people.
    pub name: String,
    /// Divisor that picks the model out of the body number.
    pub base: i32,
    /// The alternatives.
    pub models: Vec<Model>,
}

/// `mstudiomodel_t`: one alternative of a body part.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// File offset.
    pub offset: u64,
    /// Source file's name.
    pub name: String,
    /// Number of vertices of all its meshes.
    pub vertex_count: i32,
    /// First vertex, in bytes of the VVD's pool (48 a vertex).
    pub vertex_index: i32,
    /// First tangent, in bytes of the VVD's tangents (16 a vertex).
    pub tangents_index: i32,
    /// Meshes, one a material.
    pub meshes: Vec<Mesh>,
    /// Eyeballs, whose lids follow flexes.
    pub eyeballs: Vec<Eyeball>,
}

/// `mstudiomesh_t`: vertices of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// File offset.
    pub offset: u64,
    /// Material's index.
    pub material: i32,
    /// Number of vertices at the finest level of detail.
    pub vertex_count: i32,
    /// First vertex, counted from the model's first.
    pub vertex_offset: i32,
    /// 1 for an eyeball's own mesh.
    pub material_type: i32,
    /// Number of vertices at each level of detail.
    pub lod_vertex_counts: [i32; MAX_LODS],
    /// In file order, which is the order they accumulate in.
    pub flexes: Vec<Flex>,
}

/// `mstudioflex_t`: how one mesh moves with one flexdesc. Several may name the same flexdesc.
#[derive(Debug, Clone, PartialEq)]
pub struct Flex {
    /// File offset.
    pub offset: u64,
    /// The flexdesc followed (the side at side byte 0).
    pub flexdesc: i32,
    /// Ramp: nothing up to 0, rising to 1, full to 2, falling to 3.
    pub targets: [f32; 4],
    /// The second flexdesc of a stereo pair (the side at side byte 255); 0 for none.
    pub pair: i32,
    /// `StudioVertAnimType_t`: 0 normal (16 bytes a vertex), 1 wrinkle (18).
    pub anim_type: u8,
    /// The vertices moved.
    pub anims: Vec<VertAnim>,
}

/// `mstudiovertanim_t` or `mstudiovertanim_wrinkle_t`. What the delta's bits mean is the header's to
/// say: half floats, or fixed point where its flag says converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertAnim {
    /// Vertex, counted from the mesh's first.
    pub index: u16,
    /// 255 follows the current weight, 0 the delayed one.
    pub speed: u8,
    /// 0 follows the flexdesc, 255 its pair.
    pub side: u8,
    /// Position delta, bits.
    pub delta: [u16; 3],
    /// Normal delta, bits.
    pub normal_delta: [u16; 3],
    /// Wrinkle delta, fixed point in either form; 0 in a normal flex.
    pub wrinkle_delta: i16,
}

impl Flex {
    /// Bytes a vertex, by the SDK's rule: wrinkle entries have a word more.
    pub fn anim_size(anim_type: u8) -> u64 {
        if anim_type == 1 { 18 } else { 16 }
    }
}

pub(super) fn read_body_parts(reader: &mut Reader, table: HeaderTable) -> ReadResult<Vec<BodyPart>> {
    let entries = reader.header_table(table, 16, "body parts")?;
    let mut parts = Vec::new();
    for entry in entries {
        let name = entry.i32(0, "body part name")?;
        let name = reader.name(entry.base(), name, "body part name")?;
        let what = format!("body part {} '{name}' models", parts.len());
        let table = (entry.i32(4, &what)?, entry.i32(12, &what)?);
        let models = reader.table(entry.base(), table, 148, &what)?;
        parts.push(BodyPart {
            name,
            base: entry.i32(8, "body part base")?,
            models: models.map(|model| read_model(reader, &model)).collect::<ReadResult<_>>()?,
        });
    }
    Ok(parts)
}

fn read_model(reader: &mut Reader, entry: &View) -> ReadResult<Model> {
    let name = fixed_name(entry, 0, 64, "model name")?;
    let what = format!("model '{name}'");
    let field = |at| entry.i32(at, &what);
    let meshes = reader.table(entry.base(), (field(72)?, field(76)?), 116, &format!("{what} meshes"))?;
    let meshes = meshes
        .enumerate()
        .map(|(index, mesh)| read_mesh(reader, &mesh, &format!("{what} mesh {index}")))
        .collect::<ReadResult<_>>()?;
    Ok(Model {
        offset: entry.base(),
        vertex_count: field(80)?,
        vertex_index: field(84)?,
        tangents_index: field(88)?,
        meshes,
        eyeballs: eyeball::read(reader, entry.base(), (field(100)?, field(104)?), &what)?,
        name,
    })
}

fn read_mesh(reader: &mut Reader, entry: &View, what: &str) -> ReadResult<Mesh> {
    let field = |at| entry.i32(at, what);
    let flexes = reader.table(entry.base(), (field(16)?, field(20)?), 60, &format!("{what} flexes"))?;
    let flexes = flexes
        .enumerate()
        .map(|(index, flex)| read_flex(reader, &flex, &format!("{what} flex {index}")))
        .collect::<ReadResult<_>>()?;
    let mut lod_vertex_counts = [0; MAX_LODS];
    for (lod, count) in lod_vertex_counts.iter_mut().enumerate() {
        *count = field(52 + 4 * lod as u64)?;
    }
    Ok(Mesh {
        offset: entry.base(),
        material: field(0)?,
        vertex_count: field(8)?,
        vertex_offset: field(12)?,
        material_type: field(24)?,
        lod_vertex_counts,
        flexes,
    })
}

fn read_flex(reader: &mut Reader, entry: &View, what: &str) -> ReadResult<Flex> {
    let anim_type = entry.u8(32, what)?;
    let table = (entry.i32(20, what)?, entry.i32(24, what)?);
    let anims = reader.table(
        entry.base(),
        table,
        Flex::anim_size(anim_type),
        &format!("{what} vertex animations"),
    )?;
    Ok(Flex {
        offset: entry.base(),
        flexdesc: entry.i32(0, what)?,
        targets: entry.f32s(4, what)?,
        pair: entry.i32(28, what)?,
        anim_type,
        anims: anims.map(|anim| read_anim(&anim)).collect::<ReadResult<_>>()?,
    })
}

fn read_anim(entry: &View) -> ReadResult<VertAnim> {
    let what = "vertex animation";
    let triple = |at| -> ReadResult<[u16; 3]> {
        Ok([entry.u16(at, what)?, entry.u16(at + 2, what)?, entry.u16(at + 4, what)?])
    };
    Ok(VertAnim {
        index: entry.u16(0, what)?,
        speed: entry.u8(2, what)?,
        side: entry.u8(3, what)?,
        delta: triple(4)?,
        normal_delta: triple(10)?,
        wrinkle_delta: if entry.len() >= 18 { entry.i16(16, what)? } else { 0 },
    })
}
