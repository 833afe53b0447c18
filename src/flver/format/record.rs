//! The records of the tables: dummies, materials, nodes, meshes, face sets, vertex buffers, textures.

use schemars::JsonSchema;
use serde::Serialize;

use crate::bytes::{ReadResult, View};

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct BoundingBox {
    /// Smallest x, y, z.
    pub min: [f32; 3],
    /// Largest x, y, z.
    pub max: [f32; 3],
}

impl BoundingBox {
    /// What a node or model without vertices stores: minimum +MAX, maximum -MAX [seed 000].
    pub const SENTINEL: Self = Self { min: [f32::MAX; 3], max: [f32::MIN; 3] };

    /// Whether the minimum is not above the maximum on any axis (and nothing is NaN).
    pub fn is_box(&self) -> bool {
        self.min.iter().zip(self.max).all(|(min, max)| *min <= max)
    }

    /// The smallest box that holds finite `points`; `None` without any.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a [f32; 3]>) -> Option<Self> {
        let mut bounds = Self::SENTINEL;
        let mut any = false;
        for point in points {
            if point.iter().all(|value| value.is_finite()) {
                any = true;
                bounds.include(point);
            }
        }
        any.then_some(bounds)
    }

    /// Grows the box to hold `point`.
    pub fn include(&mut self, point: &[f32; 3]) {
        for ((min, max), value) in self.min.iter_mut().zip(&mut self.max).zip(point) {
            *min = min.min(*value);
            *max = max.max(*value);
        }
    }

    /// The largest difference of a corner, relative to the longest side of `self` (1 when that is 0).
    pub fn relative_difference(&self, other: &Self) -> f64 {
        let side =
            (0..3).map(|axis| f64::from(self.max[axis]) - f64::from(self.min[axis])).fold(0.0, f64::max);
        let difference = (0..3)
            .flat_map(|axis| [(self.min[axis], other.min[axis]), (self.max[axis], other.max[axis])])
            .map(|(a, b)| (f64::from(a) - f64::from(b)).abs())
            .fold(0.0, f64::max);
        difference / if side > 0.0 { side } else { 1.0 }
    }
}

/// An attachment point, 64 bytes [seed 000].
#[derive(Debug, Clone, PartialEq)]
pub struct Dummy {
    /// File offset of the record.
    pub offset: u64,
    /// Position in the parent node's space.
    pub position: [f32; 3],
    /// Colour as stored: alpha, red, green, blue (blue, green, red, alpha at version 0x20010).
    pub colour: [u8; 4],
    /// Forward vector in the parent node's space.
    pub forward: [f32; 3],
    /// What scripts and effects call the point.
    pub reference_id: i16,
    /// The node whose space position and vectors are in; -1 for model space.
    pub parent_bone: i16,
    /// Upward vector in the parent node's space.
    pub upward: [f32; 3],
    /// The node the point follows; -1 for none.
    pub attach_bone: i16,
    /// Byte 0x2E, unexplained; mostly says whether the attach bone is set.
    pub flag: u8,
    /// Byte 0x2F: the upward vector counts.
    pub use_upward: u8,
    /// Whether the eight bytes at 0x38 are zero.
    pub reserved_zero: bool,
}

impl Dummy {
    /// Size of a record in bytes.
    pub const SIZE: u64 = 64;

    pub(super) fn read(view: &View) -> ReadResult<Self> {
        let what = "dummy";
        let colour = view.take(0x0C, 4, what)?;
        Ok(Self {
            offset: view.base(),
            position: view.f32s(0, what)?,
            colour: [colour[0], colour[1], colour[2], colour[3]],
            forward: view.f32s(0x10, what)?,
            reference_id: view.i16(0x1C, what)?,
            parent_bone: view.i16(0x1E, what)?,
            upward: view.f32s(0x20, what)?,
            attach_bone: view.i16(0x2C, what)?,
            flag: view.u8(0x2E, what)?,
            use_upward: view.u8(0x2F, what)?,
            reserved_zero: view.take(0x38, 8, what)?.iter().all(|byte| *byte == 0),
        })
    }

    /// Alpha of the colour: the first byte, or the last at version 0x20010 [sourced].
    pub fn alpha(&self, version: u32) -> u8 {
        self.colour[if version == 0x20010 { 3 } else { 0 }]
    }
}

/// One transform of the hierarchy, 128 bytes [seed 000].
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// File offset of the record.
    pub offset: u64,
    /// Name.
    pub name: String,
    /// Translation.
    pub translation: [f32; 3],
    /// Euler angles in radians about x, y, z; applied in the order x, z, y.
    pub rotation: [f32; 3],
    /// Scale.
    pub scale: [f32; 3],
    /// Parent, -1 for a root.
    pub parent: i16,
    /// First child, -1 for none.
    pub first_child: i16,
    /// Next sibling, -1 for none.
    pub next_sibling: i16,
    /// Previous sibling, -1 for none.
    pub previous_sibling: i16,
    /// The box of the vertices bound to the node, or [`BoundingBox::SENTINEL`].
    pub bounds: BoundingBox,
    /// Flags; only the low four bits are used.
    pub flags: u32,
    /// Whether the 52 bytes at 0x4C are zero.
    pub reserved_zero: bool,
}

impl Node {
    /// Size of a record in bytes.
    pub const SIZE: u64 = 128;
    /// File offset of the name inside the record.
    pub(super) const NAME: u64 = 0x0C;

    pub(super) fn read(view: &View, name: String) -> ReadResult<Self> {
        let what = "node";
        Ok(Self {
            offset: view.base(),
            name,
            translation: view.f32s(0, what)?,
            rotation: view.f32s(0x10, what)?,
            scale: view.f32s(0x20, what)?,
            parent: view.i16(0x1C, what)?,
            first_child: view.i16(0x1E, what)?,
            next_sibling: view.i16(0x2C, what)?,
            previous_sibling: view.i16(0x2E, what)?,
            bounds: BoundingBox { min: view.f32s(0x30, what)?, max: view.f32s(0x40, what)? },
            flags: view.u32(0x3C, what)?,
            reserved_zero: view.take(0x4C, 52, what)?.iter().all(|byte| *byte == 0),
        })
    }
}

/// A material, 32 bytes. Its GX list says nothing about skinning and is not followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// File offset of the record.
    pub offset: u64,
    /// Name.
    pub name: String,
    /// Path of the MTD or MATXML it is an instance of.
    pub definition: String,
    /// Number of textures.
    pub texture_count: u32,
    /// First texture.
    pub first_texture: u32,
}

/// A texture reference, 32 bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// Path.
    pub path: String,
    /// Parameter name of the shader.
    pub parameter: String,
}

/// One mesh, 48 bytes, with the lists it points at.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshRecord {
    /// File offset of the record.
    pub offset: u64,
    /// Byte 0: 1 = vertices in model bind space with weights, 0 = static vertices.
    pub dynamic: u8,
    /// Material.
    pub material: i32,
    /// The node a static mesh follows where its vertices name none; -1 for none.
    pub node_index: i32,
    /// Local-to-node mapping of bone indices; empty = indices name nodes directly.
    pub palette: Vec<i32>,
    /// Face sets.
    pub face_sets: Vec<i32>,
    /// Vertex buffers.
    pub buffers: Vec<i32>,
    /// Stored bounds; not the vertices' box at 0x2001A and later, so not checked against it.
    pub bounds: Option<BoundingBox>,
    /// Whether the three bytes at 1 and the words at 8 and 12 are zero.
    pub reserved_zero: bool,
}

impl MeshRecord {
    /// Size of a record in bytes.
    pub const SIZE: u64 = 48;

    /// Whether the vertices are in model bind space and skinned.
    pub fn is_dynamic(&self) -> bool {
        self.dynamic != 0
    }
}

/// Triangles of a mesh in one level of detail; 32 bytes (16 up to version 0x20007).
#[derive(Debug, Clone, PartialEq)]
pub struct FaceSet {
    /// File offset of the record.
    pub offset: u64,
    /// 0 for the main set; see the constants.
    pub flags: u32,
    /// A triangle strip (else a list).
    pub strip: bool,
    /// Back faces are culled.
    pub cull: bool,
    /// Number of indices.
    pub index_count: u32,
    /// Offset of the indices from the header's data offset, in bytes.
    pub index_offset: u32,
    /// Bits of an index: 8, 16 or 32 (0 where neither header nor face set says).
    pub index_bits: u32,
}

impl FaceSet {
    /// First level of detail.
    pub const LOD_1: u32 = 0x0100_0000;
    /// Second level of detail.
    pub const LOD_2: u32 = 0x0200_0000;
    /// Further level of detail.
    pub const LOD_EX: u32 = 0x0400_0000;
    /// Indices compressed for the PlayStation 3's Edge library.
    pub const EDGE_COMPRESSED: u32 = 0x4000_0000;
    /// Used for the motion-blur pass.
    pub const MOTION_BLUR: u32 = 0x8000_0000;

    /// Neither a lower level of detail nor a motion-blur set.
    pub fn is_main(&self) -> bool {
        self.flags & (Self::LOD_1 | Self::LOD_2 | Self::LOD_EX | Self::MOTION_BLUR) == 0
    }

    /// Size of a record in bytes.
    pub fn size(version: u32) -> u64 {
        if version <= 0x20007 { 16 } else { 32 }
    }
}

/// One stream of a mesh's vertices, 32 bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexBuffer {
    /// File offset of the record.
    pub offset: u64,
    /// Index within the mesh.
    pub index: u32,
    /// Compressed for the PlayStation 3's Edge library (bits 0x60000000 of the index).
    pub edge_compressed: bool,
    /// Layout.
    pub layout: i32,
    /// Bytes a vertex.
    pub vertex_size: u32,
    /// Number of vertices.
    pub vertex_count: u32,
    /// Offset of the vertices from the header's data offset, in bytes.
    pub data_offset: u32,
}

impl VertexBuffer {
    /// Size of a record in bytes.
    pub const SIZE: u64 = 32;

    /// Bytes of all vertices.
    pub fn byte_length(&self) -> u64 {
        u64::from(self.vertex_size) * u64::from(self.vertex_count)
    }
}

/// One entry of a skeleton: how the hierarchy maps back to nodes, 16 bytes [seed 000].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkeletonBone {
    /// File offset of the record.
    pub offset: u64,
    /// Parent in the same list, -1 for none.
    pub parent: i16,
    /// First child, -1 for none.
    pub first_child: i16,
    /// Next sibling, -1 for none.
    pub next_sibling: i16,
    /// Previous sibling, -1 for none.
    pub previous_sibling: i16,
    /// The node it stands for.
    pub node: i32,
    /// The word at 0xC, zero.
    pub reserved: u32,
}

/// The skeleton set of version 0x2001A and later [seed 000].
#[derive(Debug, Clone, PartialEq)]
pub struct SkeletonSet {
    /// File offset of the record.
    pub offset: u64,
    /// The hierarchy that is drawn.
    pub base: Vec<SkeletonBone>,
    /// The same with control and ragdoll hierarchies.
    pub all: Vec<SkeletonBone>,
    /// Whether the 20 bytes at 0xC are zero.
    pub reserved_zero: bool,
}
