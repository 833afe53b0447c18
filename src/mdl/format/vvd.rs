//! `.vvd`: the vertices of all models of an MDL, sorted by level of detail. `[spec: SDK]`

use super::mesh::MAX_LODS;
use crate::bytes::{Endian, ReadError, ReadResult, View};

/// Size of `mstudiovertex_t` in bytes.
pub const VERTEX_SIZE: u64 = 48;
/// Size of a tangent in bytes.
pub const TANGENT_SIZE: u64 = 16;
const HEADER_SIZE: u64 = 64;
const FIXUP_SIZE: u64 = 12;

/// A vertex as stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// Weight of each bone.
    pub weights: [f32; 3],
    /// Bones' indices.
    pub bones: [i8; 3],
    /// How many of the three count.
    pub bone_count: u8,
    /// Position in the model's space.
    pub position: [f32; 3],
    /// Unit normal.
    pub normal: [f32; 3],
    /// Texture coordinates, from the upper left.
    pub texture: [f32; 2],
    /// Tangent and handedness, where the file has tangents.
    pub tangent: Option<[f32; 4]>,
}

impl Vertex {
    /// The bones that move it, with their weights. Numbers below 0 are no bones.
    pub fn influences(&self) -> impl Iterator<Item = (u8, f32)> + '_ {
        let used = std::iter::zip(self.bones, self.weights).take(usize::from(self.bone_count));
        used.filter_map(|(bone, weight)| Some((u8::try_from(bone).ok()?, weight)))
    }
}

/// A run of vertices that coarser levels of detail share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixup {
    /// Coarsest level of detail that uses the run.
    pub lod: i32,
    /// First vertex in the file.
    pub source: u32,
    /// Number of vertices.
    pub count: u32,
}

/// A VVD file.
#[derive(Debug, Clone, Copy)]
pub struct Vvd<'a> {
    /// Shared with the .mdl of the same compile.
    pub checksum: u32,
    /// Levels of detail.
    pub lod_count: i32,
    /// Vertices at each level of detail.
    pub lod_vertex_counts: [u32; MAX_LODS],
    /// Number of [`Fixup`]s.
    pub fixup_count: u32,
    fixups: View<'a>,
    vertices: View<'a>,
    tangents: Option<View<'a>>,
}

impl<'a> Vvd<'a> {
    /// Reads the header and finds the tables.
    ///
    /// # Errors
    /// When the bytes are no VVD of version 4 or a table does not lie in them.
    pub fn read(bytes: &'a [u8]) -> ReadResult<Self> {
        let view = View::new(bytes, Endian::Little);
        let magic = view.take(0, 4, "VVD identifier")?;
        if magic != b"IDSV" {
            let have = format!("{:?}", magic.escape_ascii().to_string());
            return Err(ReadError::new("VVD identifier", 0, "IDSV", have));
        }
        let version = view.i32(4, "VVD version")?;
        if version != 4 {
            return Err(ReadError::new("VVD version", 4, "4", version.to_string()));
        }
        view.take(0, HEADER_SIZE, "VVD header")?;
        let field = |at| view.u32(at, "VVD header");
        let mut lod_vertex_counts = [0; MAX_LODS];
        for (lod, count) in lod_vertex_counts.iter_mut().enumerate() {
            *count = field(16 + 4 * lod as u64)?;
        }
        let fixup_count = field(48)?;
        let (vertices, tangents) = (u64::from(field(56)?), u64::from(field(60)?));
        let stored = u64::from(lod_vertex_counts[0]);
        Ok(Self {
            checksum: field(8)?,
            lod_count: view.i32(12, "VVD numLODs")?,
            lod_vertex_counts,
            fixup_count,
            fixups: view.table(u64::from(field(52)?), u64::from(fixup_count), FIXUP_SIZE, "VVD fixups")?,
            vertices: view.table(vertices, stored, VERTEX_SIZE, "VVD vertices")?,
            tangents: match tangents {
                0 => None,
                at => Some(view.table(at, stored, TANGENT_SIZE, "VVD tangents")?),
            },
        })
    }

    /// Number of vertices in the file.
    pub fn stored_count(&self) -> u64 {
        self.vertices.len() / VERTEX_SIZE
    }

    /// The vertices a level of detail uses, in the order meshes index them: with fixups, each run
    /// that the level still uses, one after the other; without, the first of the file.
    ///
    /// # Errors
    /// When the level does not exist, or a run lies outside the vertices or repeats them endlessly.
    pub fn pool(&self, lod: usize) -> ReadResult<Vec<Vertex>> {
        let Some(&count) = self.lod_vertex_counts.get(lod) else {
            return Err(ReadError::new("level of detail", 12, "0 to 7", lod.to_string()));
        };
        if self.fixup_count == 0 {
            return self.run(0, count, 16 + 4 * lod as u64);
        }
        let mut pool = Vec::new();
        for index in 0..u64::from(self.fixup_count) {
            let fixup = self.fixup(index)?;
            if i64::from(fixup.lod) < lod as i64 {
                continue;
            }
            let offset = self.fixups.base() + index * FIXUP_SIZE;
            pool.extend(self.run(fixup.source, fixup.count, offset)?);
            // Runs partition the vertices; a file whose runs repeat could otherwise fill memory.
            if pool.len() as u64 > self.stored_count() {
                return Err(ReadError::new(
                    format!("VVD fixup {index}"),
                    offset,
                    format!("at most {} vertices in all runs", self.stored_count()),
                    format!("{}", pool.len()),
                ));
            }
        }
        Ok(pool)
    }

    /// A fixup by its index.
    ///
    /// # Errors
    /// When there is none of that index.
    pub fn fixup(&self, index: u64) -> ReadResult<Fixup> {
        let entry = self.fixups.sub(index * FIXUP_SIZE, FIXUP_SIZE, "VVD fixup")?;
        Ok(Fixup {
            lod: entry.i32(0, "VVD fixup lod")?,
            source: entry.u32(4, "VVD fixup sourceVertexID")?,
            count: entry.u32(8, "VVD fixup numVertexes")?,
        })
    }

    /// `count` vertices from `first` on; `offset` is where the file asks for them.
    fn run(&self, first: u32, count: u32, offset: u64) -> ReadResult<Vec<Vertex>> {
        let (first, count) = (u64::from(first), u64::from(count));
        if first + count > self.stored_count() {
            return Err(ReadError::new(
                "VVD vertex run",
                offset,
                format!("{count} vertices from {first}"),
                format!("{} vertices", self.stored_count()),
            ));
        }
        (first..first + count).map(|index| self.vertex(index)).collect()
    }

    fn vertex(&self, index: u64) -> ReadResult<Vertex> {
        let what = "VVD vertex";
        let entry = self.vertices.sub(index * VERTEX_SIZE, VERTEX_SIZE, what)?;
        Ok(Vertex {
            weights: entry.f32s(0, what)?,
            bones: [entry.i8(12, what)?, entry.i8(13, what)?, entry.i8(14, what)?],
            bone_count: entry.u8(15, what)?,
            position: entry.f32s(16, what)?,
            normal: entry.f32s(28, what)?,
            texture: entry.f32s(40, what)?,
            tangent: self.tangents.map(|tangents| tangents.f32s(index * TANGENT_SIZE, what)).transpose()?,
        })
    }
}
