//! FLVER2 files: bytes to typed values, no behaviour.
//!
//! Read [`Flver::parse`] first: the tables in the order in which the file holds them. The vertices stay in
//! the file until [`vertices::MeshVertices::decode`] unpacks one mesh by the table in [`decode`].

mod budget;
pub mod decode;
pub mod faces;
pub mod header;
pub mod layout;
pub mod record;
mod strings;
mod tables;
pub mod vertices;

use crate::bytes::{Endian, ReadError, ReadResult, View};

pub use header::Header;
pub use layout::{Layout, Member};
pub use record::{
    BoundingBox, Dummy, FaceSet, Material, MeshRecord, Node, SkeletonBone, SkeletonSet, Texture, VertexBuffer,
};

/// A FLVER2 file.
#[derive(Debug, Clone)]
pub struct Flver<'a> {
    /// The header.
    pub header: Header,
    /// Attachment points.
    pub dummies: Vec<Dummy>,
    /// Materials.
    pub materials: Vec<Material>,
    /// The transform hierarchy.
    pub nodes: Vec<Node>,
    /// Meshes.
    pub meshes: Vec<MeshRecord>,
    /// Face sets of all meshes.
    pub face_sets: Vec<FaceSet>,
    /// Vertex buffers of all meshes.
    pub buffers: Vec<VertexBuffer>,
    /// Vertex layouts.
    pub layouts: Vec<Layout>,
    /// Textures of all materials.
    pub textures: Vec<Texture>,
    /// Skeletons, at 0x2001A and later; an error where other bytes stand in their place, as some exporters leave
    /// it. No vertex depends on them.
    pub skeletons: ReadResult<Option<SkeletonSet>>,
    file: View<'a>,
}

impl<'a> Flver<'a> {
    /// Reads every table of a file. Tables follow the header without gaps, in this order.
    ///
    /// # Errors
    /// When the file is not a FLVER2 that is read (see [`Header::read`]), or when a table, string, index list,
    /// vertex buffer, face set or skeleton does not lie inside the file.
    pub fn parse(bytes: &'a [u8]) -> ReadResult<Self> {
        let header = Header::read(bytes)?;
        let mut tables = tables::Tables::new(View::new(bytes, Endian::Little), &header);
        let flver = Self {
            dummies: tables.dummies()?,
            materials: tables.materials()?,
            nodes: tables.nodes()?,
            meshes: tables.meshes()?,
            face_sets: tables.face_sets()?,
            buffers: tables.buffers()?,
            layouts: tables.layouts()?,
            textures: tables.textures()?,
            skeletons: tables.skeletons()?,
            file: tables.file(),
            header: header.clone(),
        };
        flver.bound_the_repeats(&mut tables)?;
        Ok(flver)
    }

    /// Refuses a file whose meshes name the same buffers so often that decoding them would not end.
    fn bound_the_repeats(&self, tables: &mut tables::Tables) -> ReadResult<()> {
        for (index, mesh) in self.meshes.iter().enumerate() {
            let buffers = self.buffers_of(mesh).flatten().map(|buffer| {
                let members = self.layout_of(buffer).map_or(0, |layout| layout.members.len() as u64);
                buffer.byte_length().saturating_add(members * Member::SIZE)
            });
            let bytes = buffers.fold(0, u64::saturating_add);
            tables.charge(bytes, mesh.offset, &format!("mesh {index} vertex buffers"))?;
            // An index is a word in memory, however narrow it is stored.
            let indices = self.face_sets_of(mesh).flatten().map(|set| 4 * u64::from(set.index_count));
            let bytes = indices.fold(0, u64::saturating_add);
            tables.charge(bytes, mesh.offset, &format!("mesh {index} face sets"))?;
        }
        Ok(())
    }

    /// The face sets a mesh names; `None` for a number outside the table.
    pub fn face_sets_of<'b>(&'b self, mesh: &'b MeshRecord) -> impl Iterator<Item = Option<&'b FaceSet>> {
        mesh.face_sets.iter().map(|index| at(&self.face_sets, *index))
    }

    /// The vertex buffers a mesh names; `None` for a number outside the table.
    pub fn buffers_of<'b>(&'b self, mesh: &'b MeshRecord) -> impl Iterator<Item = Option<&'b VertexBuffer>> {
        mesh.buffers.iter().map(|index| at(&self.buffers, *index))
    }

    /// The material of a mesh.
    pub fn material_of(&self, mesh: &MeshRecord) -> Option<&Material> {
        at(&self.materials, mesh.material)
    }

    /// The layout of a vertex buffer.
    pub fn layout_of(&self, buffer: &VertexBuffer) -> Option<&Layout> {
        at(&self.layouts, buffer.layout)
    }

    /// A name for a mesh that people can find it by: its number and its material.
    pub fn mesh_name(&self, index: usize) -> String {
        let material = self.meshes.get(index).and_then(|mesh| self.material_of(mesh));
        match material {
            Some(material) if !material.name.is_empty() => {
                format!("mesh {index} '{}'", shortened(&material.name))
            }
            _ => format!("mesh {index}"),
        }
    }

    /// A name for a node: its number and its name.
    pub fn node_name(&self, index: usize) -> String {
        match self.nodes.get(index) {
            Some(node) if !node.name.is_empty() => format!("node {index} '{}'", shortened(&node.name)),
            _ => format!("node {index}"),
        }
    }

    /// `length` bytes of the index and vertex data.
    pub(crate) fn data(&self, offset: u32, length: u64, what: &str) -> ReadResult<&'a [u8]> {
        if length == 0 {
            return Ok(&[]);
        }
        let offset = u64::from(self.header.data_offset) + u64::from(offset);
        self.file.take(offset, length, what)
    }

    /// Length of the file in bytes.
    pub fn file_length(&self) -> u64 {
        self.file.len()
    }
}

/// The start of a name: a hostile one can be as long as the file, and a label is made for every mesh.
fn shortened(name: &str) -> std::borrow::Cow<'_, str> {
    const SHOWN: usize = 64;
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}

/// What is said of vertices or indices packed for the PlayStation 3's Edge library.
pub(crate) const EDGE_COMPRESSION: &str = "edge compression (PlayStation 3), which is not read";

/// An entry of a table by a signed number from a file.
pub(crate) fn at<T>(table: &[T], index: i32) -> Option<&T> {
    usize::try_from(index).ok().and_then(|index| table.get(index))
}

/// The error for a number outside a table.
pub(crate) fn outside(what: &str, offset: u64, index: i32, count: usize, of: &str) -> ReadError {
    ReadError::new(what, offset, format!("one of {count} {of}"), format!("number {index}"))
}
