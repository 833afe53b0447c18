//! The tables behind the header, read one after the other.

use crate::bytes::{ReadResult, View};

use super::budget::Budget;
use super::faces;
use super::header::{HEADER_SIZE, Header, VERSION_SKELETON_SET};
use super::layout::{Layout, Member};
use super::record::{
    BoundingBox, Dummy, FaceSet, Material, MeshRecord, Node, SkeletonBone, SkeletonSet, Texture, VertexBuffer,
};
use super::strings;

const MATERIAL_SIZE: u64 = 32;
const LAYOUT_SIZE: u64 = 16;
const TEXTURE_SIZE: u64 = 32;
const SKELETON_SET_SIZE: u64 = 32;
const SKELETON_BONE_SIZE: u64 = 16;

/// A cursor over the tables. The methods must be called in the file's order.
pub(super) struct Tables<'a, 'h> {
    file: View<'a>,
    header: &'h Header,
    next: u64,
    budget: Budget,
}

impl<'a, 'h> Tables<'a, 'h> {
    pub(super) fn new(file: View<'a>, header: &'h Header) -> Self {
        Self { file, header, next: HEADER_SIZE, budget: Budget::new(file.len()) }
    }

    pub(super) fn file(&self) -> View<'a> {
        self.file
    }

    pub(super) fn charge(&mut self, bytes: u64, offset: u64, what: &str) -> ReadResult<()> {
        self.budget.charge(bytes, offset, what)
    }

    /// Reads `count` records of `size` bytes; the whole table is known to lie in the file before memory is taken.
    fn records<T>(
        &mut self,
        count: u32,
        size: u64,
        what: &str,
        mut read: impl FnMut(&mut Self, View<'a>, usize) -> ReadResult<T>,
    ) -> ReadResult<Vec<T>> {
        let table = self.file.table(self.next, u64::from(count), size, what)?;
        self.next += table.len();
        (0..count as usize)
            .map(|index| read(self, table.sub(index as u64 * size, size, what)?, index))
            .collect()
    }

    fn string(&mut self, offset: u32, what: &str) -> ReadResult<String> {
        strings::read(&self.file, offset, self.header.unicode, &mut self.budget, what)
    }

    /// A list of signed numbers elsewhere in the file.
    fn numbers(&mut self, offset: u32, count: u32, what: &str) -> ReadResult<Vec<i32>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let list = self.file.table(u64::from(offset), u64::from(count), 4, what)?;
        self.budget.charge(list.len(), list.base(), what)?;
        (0..u64::from(count)).map(|index| list.i32(4 * index, what)).collect()
    }

    pub(super) fn dummies(&mut self) -> ReadResult<Vec<Dummy>> {
        self.records(self.header.dummy_count, Dummy::SIZE, "dummy table", |_, view, _| Dummy::read(&view))
    }

    pub(super) fn materials(&mut self) -> ReadResult<Vec<Material>> {
        self.records(self.header.material_count, MATERIAL_SIZE, "material table", |tables, view, index| {
            let what = format!("material {index}");
            Ok(Material {
                offset: view.base(),
                name: tables.string(view.u32(0, &what)?, &format!("{what} name"))?,
                definition: tables.string(view.u32(4, &what)?, &format!("{what} definition path"))?,
                texture_count: view.u32(8, &what)?,
                first_texture: view.u32(0x0C, &what)?,
            })
        })
    }

    pub(super) fn nodes(&mut self) -> ReadResult<Vec<Node>> {
        self.records(self.header.node_count, Node::SIZE, "node table", |tables, view, index| {
            let what = format!("node {index} name");
            let name = tables.string(view.u32(Node::NAME, &what)?, &what)?;
            Node::read(&view, name)
        })
    }

    pub(super) fn meshes(&mut self) -> ReadResult<Vec<MeshRecord>> {
        self.records(self.header.mesh_count, MeshRecord::SIZE, "mesh table", Self::mesh)
    }

    fn mesh(&mut self, view: View<'a>, index: usize) -> ReadResult<MeshRecord> {
        let what = format!("mesh {index}");
        let word = |offset| view.u32(offset, &what);
        let bounds = match word(24)? {
            0 => None,
            offset => {
                let what = format!("{what} bounds");
                // A third vector follows from 0x2001A on, whose meaning is open [sourced].
                let size = if self.header.version >= VERSION_SKELETON_SET { 36 } else { 24 };
                let view = self.file.sub(u64::from(offset), size, &what)?;
                Some(BoundingBox { min: view.f32s(0, &what)?, max: view.f32s(12, &what)? })
            }
        };
        let reserved_zero = word(0)? >> 8 == 0 && word(8)? == 0 && word(12)? == 0;
        Ok(MeshRecord {
            offset: view.base(),
            dynamic: view.u8(0, &what)?,
            material: view.i32(4, &what)?,
            node_index: view.i32(16, &what)?,
            palette: self.numbers(word(28)?, word(20)?, &format!("{what} bone palette"))?,
            face_sets: self.numbers(word(36)?, word(32)?, &format!("{what} face set list"))?,
            buffers: self.numbers(word(44)?, word(40)?, &format!("{what} vertex buffer list"))?,
            bounds,
            reserved_zero,
        })
    }

    pub(super) fn face_sets(&mut self) -> ReadResult<Vec<FaceSet>> {
        let size = FaceSet::size(self.header.version);
        self.records(self.header.face_set_count, size, "face set table", |tables, view, index| {
            let what = format!("face set {index}");
            let own_bits = if size > 16 { view.u32(24, &what)? } else { 0 };
            let face_set = FaceSet {
                offset: view.base(),
                flags: view.u32(0, &what)?,
                strip: view.u8(4, &what)? != 0,
                cull: view.u8(5, &what)? != 0,
                index_count: view.u32(8, &what)?,
                index_offset: view.u32(12, &what)?,
                index_bits: if own_bits == 0 { u32::from(tables.header.index_bits) } else { own_bits },
            };
            if face_set.flags & FaceSet::EDGE_COMPRESSED == 0 {
                let length = faces::byte_length(&face_set)?;
                tables.require_data(face_set.index_offset, length, &format!("{what} indices"))?;
            }
            Ok(face_set)
        })
    }

    /// Checks that a range of the index and vertex data lies inside the file; where an empty one is said to begin
    /// has no meaning.
    fn require_data(&self, offset: u32, length: u64, what: &str) -> ReadResult<()> {
        if length == 0 {
            return Ok(());
        }
        self.file.take(u64::from(self.header.data_offset) + u64::from(offset), length, what).map(|_| ())
    }

    pub(super) fn buffers(&mut self) -> ReadResult<Vec<VertexBuffer>> {
        const EDGE_BITS: u32 = 0x6000_0000;
        let count = self.header.buffer_count;
        self.records(count, VertexBuffer::SIZE, "vertex buffer table", |tables, view, index| {
            let what = format!("vertex buffer {index}");
            let number = view.u32(0, &what)?;
            let buffer = VertexBuffer {
                offset: view.base(),
                index: number & !EDGE_BITS,
                edge_compressed: number & EDGE_BITS != 0,
                layout: view.i32(4, &what)?,
                vertex_size: view.u32(8, &what)?,
                vertex_count: view.u32(12, &what)?,
                data_offset: view.u32(28, &what)?,
            };
            if !buffer.edge_compressed {
                tables.require_data(buffer.data_offset, buffer.byte_length(), &format!("{what} vertices"))?;
            }
            Ok(buffer)
        })
    }

    pub(super) fn layouts(&mut self) -> ReadResult<Vec<Layout>> {
        self.records(self.header.layout_count, LAYOUT_SIZE, "layout table", |tables, view, index| {
            let what = format!("layout {index}");
            let count = view.u32(0, &what)?;
            let reserved_zero = view.u32(4, &what)? == 0 && view.u32(8, &what)? == 0;
            let offset = if count == 0 { 0 } else { u64::from(view.u32(12, &what)?) };
            let what = format!("{what} members");
            let table = tables.file.table(offset, u64::from(count), Member::SIZE, &what)?;
            tables.budget.charge(table.len(), offset, &what)?;
            let members = (0..u64::from(count))
                .map(|index| Member::read(&table.sub(index * Member::SIZE, Member::SIZE, &what)?))
                .collect::<ReadResult<Vec<_>>>()?;
            Ok(Layout { offset: view.base(), members, reserved_zero })
        })
    }

    pub(super) fn textures(&mut self) -> ReadResult<Vec<Texture>> {
        self.records(self.header.texture_count, TEXTURE_SIZE, "texture table", |tables, view, index| {
            let what = format!("texture {index}");
            Ok(Texture {
                path: tables.string(view.u32(0, &what)?, &format!("{what} path"))?,
                parameter: tables.string(view.u32(4, &what)?, &format!("{what} parameter name"))?,
            })
        })
    }

    /// The skeleton set; the inner error where other bytes stand in its place.
    ///
    /// # Errors
    /// When the file ends inside of it.
    pub(super) fn skeletons(&mut self) -> ReadResult<ReadResult<Option<SkeletonSet>>> {
        if self.header.version < VERSION_SKELETON_SET {
            return Ok(Ok(None));
        }
        let what = "skeleton set";
        let view = self.file.sub(self.next, SKELETON_SET_SIZE, what)?;
        self.next += SKELETON_SET_SIZE;
        // Zero in every shipped file: with other bytes there it is the next table, as exporters without the set
        // leave it, and what it seems to say of skeletons means nothing.
        let reserved_zero = view.take(12, 20, what)?.iter().all(|byte| *byte == 0);
        match self.skeleton_set(view, reserved_zero) {
            Err(error) if reserved_zero => Err(error),
            set => Ok(set.map(Some)),
        }
    }

    fn skeleton_set(&mut self, view: View<'a>, reserved_zero: bool) -> ReadResult<SkeletonSet> {
        let what = "skeleton set";
        Ok(SkeletonSet {
            offset: view.base(),
            base: self.skeleton(view.i16(0, what)?, view.u32(4, what)?, "base skeleton")?,
            all: self.skeleton(view.i16(2, what)?, view.u32(8, what)?, "all skeletons")?,
            reserved_zero,
        })
    }

    fn skeleton(&mut self, count: i16, offset: u32, what: &str) -> ReadResult<Vec<SkeletonBone>> {
        // A count below zero cannot be meant; the table check then names the 65,535 it would be.
        let count = u64::from(count as u16);
        if count == 0 {
            return Ok(Vec::new());
        }
        let table = self.file.table(u64::from(offset), count, SKELETON_BONE_SIZE, what)?;
        (0..count)
            .map(|index| {
                let view = table.sub(index * SKELETON_BONE_SIZE, SKELETON_BONE_SIZE, what)?;
                Ok(SkeletonBone {
                    offset: view.base(),
                    parent: view.i16(0, what)?,
                    first_child: view.i16(2, what)?,
                    next_sibling: view.i16(4, what)?,
                    previous_sibling: view.i16(6, what)?,
                    node: view.i32(8, what)?,
                    reserved: view.u32(12, what)?,
                })
            })
            .collect()
    }
}
