//! Walks a primitive list: the commands of the graphics processor's display lists.

use super::{Attribute, AttributeMode, Layout, VertexDescriptor};
use crate::bytes::{ReadError, ReadResult, View};

/// Topology of a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrimitiveKind {
    /// Four vertices a face.
    Quads,
    /// Three vertices a face.
    Triangles,
    /// Each vertex after the second makes a triangle with the two before.
    TriangleStrip,
    /// Each vertex after the second makes a triangle with the first and the one before.
    TriangleFan,
    /// Lines, line strips and points: no triangles.
    NoFaces,
}

impl PrimitiveKind {
    const fn of(opcode: u8) -> Self {
        match opcode & 0xF8 {
            0x80 | 0x88 => Self::Quads,
            0x90 => Self::Triangles,
            0x98 => Self::TriangleStrip,
            0xA0 => Self::TriangleFan,
            _ => Self::NoFaces,
        }
    }

    /// The `n`-th triangle of a primitive as ordinals of its vertices, in the hardware's winding
    /// (clockwise seen from the front).
    fn triangle(self, n: u32) -> [u32; 3] {
        match self {
            Self::Quads => {
                let first = n / 2 * 4;
                if n.is_multiple_of(2) {
                    [first, first + 1, first + 2]
                } else {
                    [first, first + 2, first + 3]
                }
            }
            Self::TriangleStrip if n.is_multiple_of(2) => [n, n + 1, n + 2],
            Self::TriangleStrip => [n + 1, n, n + 2],
            Self::TriangleFan => [0, n + 1, n + 2],
            Self::Triangles | Self::NoFaces => [3 * n, 3 * n + 1, 3 * n + 2],
        }
    }

    const fn triangles(self, vertices: u32) -> u32 {
        match self {
            Self::Quads => vertices / 4 * 2,
            Self::Triangles => vertices / 3,
            Self::TriangleStrip | Self::TriangleFan => vertices.saturating_sub(2),
            Self::NoFaces => 0,
        }
    }
}

/// A draw command and its vertices.
#[derive(Debug, Clone, Copy)]
pub struct Primitive<'a> {
    /// Topology.
    pub kind: PrimitiveKind,
    /// The vertex format (low three bits of the opcode).
    pub format: u8,
    /// Number of vertices.
    pub count: u16,
    vertices: View<'a>,
    shape: VertexShape,
}

/// The attribute indices of one vertex; `None` where the vertex has no such index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Vertex {
    indices: [Option<u16>; 13],
}

impl Vertex {
    /// The index of an attribute. The position matrix is given as its byte.
    pub const fn index(&self, attribute: Attribute) -> Option<u16> {
        self.indices[attribute.index()]
    }
}

impl Primitive<'_> {
    /// The vertices in order.
    pub fn vertices(&self) -> impl Iterator<Item = Vertex> + '_ {
        (0..u64::from(self.count)).map(|ordinal| self.shape.vertex(self.vertices, ordinal))
    }

    /// Offset in the file of a vertex's index of an attribute.
    pub fn index_offset(&self, ordinal: u64, attribute: Attribute) -> u64 {
        let before = self.shape.sizes[..attribute.index()].iter().map(|&size| u64::from(size)).sum::<u64>();
        self.vertices.base() + ordinal * self.shape.size() + before
    }

    /// The triangles as ordinals of [`Self::vertices`], clockwise seen from the front.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let kind = self.kind;
        (0..kind.triangles(self.count.into())).map(move |n| kind.triangle(n))
    }
}

/// A command of a primitive list.
#[derive(Debug, Clone, Copy)]
pub struct Command<'a> {
    /// Offset of its opcode in the GPL.
    pub offset: u64,
    /// Offset of the byte behind it.
    pub end: u64,
    /// What it does.
    pub kind: CommandKind<'a>,
}

impl Command<'_> {
    /// What following it costs: a step, and one for each vertex.
    pub fn steps(&self) -> usize {
        match &self.kind {
            CommandKind::Draw(primitive) => 1 + usize::from(primitive.count),
            CommandKind::Nop | CommandKind::Register(_) => 1,
        }
    }
}

/// Steps that are spent on the primitive lists of a model at most: a thousand times what a known model takes. Lists
/// may share bytes, so that the file's size does not bound them.
pub const STEP_LIMIT: usize = 4_000_000;

/// Those of some commands that [`STEP_LIMIT`] steps are enough for.
pub fn within_limit<'a>(commands: impl Iterator<Item = Command<'a>>) -> impl Iterator<Item = Command<'a>> {
    let mut left = STEP_LIMIT;
    commands.take_while(move |command| {
        left = left.saturating_sub(command.steps());
        left > 0
    })
}

/// What a command does.
#[derive(Debug, Clone, Copy)]
pub enum CommandKind<'a> {
    /// Nothing (padding).
    Nop,
    /// Draws.
    Draw(Primitive<'a>),
    /// Loads a register or calls a list; the opcode.
    Register(u8),
}

/// How many bytes each attribute takes in a vertex.
#[derive(Debug, Clone, Copy)]
struct VertexShape {
    descriptor: VertexDescriptor,
    sizes: [u8; 13],
}

impl VertexShape {
    fn new(descriptor: VertexDescriptor, layout: &Layout) -> Self {
        let sizes = Attribute::ALL.map(|attribute| match descriptor.mode(attribute) {
            AttributeMode::None => 0,
            AttributeMode::Index8 => 1,
            AttributeMode::Index16 => 2,
            AttributeMode::Direct => direct_size(layout, attribute),
        });
        Self { descriptor, sizes }
    }

    fn size(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).sum()
    }

    fn vertex(&self, vertices: View, ordinal: u64) -> Vertex {
        let mut vertex = Vertex::default();
        let mut offset = ordinal * self.size();
        for (attribute, size) in Attribute::ALL.into_iter().zip(self.sizes) {
            let index = match self.descriptor.mode(attribute) {
                AttributeMode::Index16 => vertices.u16(offset, "vertex").ok(),
                AttributeMode::Index8 => vertices.u8(offset, "vertex").ok().map(u16::from),
                AttributeMode::Direct if attribute == Attribute::PositionMatrix => {
                    vertices.u8(offset, "vertex").ok().map(u16::from)
                }
                AttributeMode::Direct | AttributeMode::None => None,
            };
            vertex.indices[attribute.index()] = index;
            offset += u64::from(size);
        }
        vertex
    }
}

/// Bytes of a value given directly: the array's element, of which a skinned one holds two.
fn direct_size(layout: &Layout, attribute: Attribute) -> u8 {
    if attribute == Attribute::PositionMatrix {
        return 1;
    }
    let size = layout.array(attribute).and_then(super::ArrayHeader::element_size).unwrap_or(0);
    let halves = matches!(attribute, Attribute::Position | Attribute::Normal) && layout.is_skinned();
    u8::try_from(if halves { size / 2 } else { size }).unwrap_or(u8::MAX)
}

/// The commands of a list; the first that cannot be read is an error and ends it.
#[derive(Debug, Clone)]
pub struct Commands<'a> {
    view: Option<View<'a>>,
    start: u64,
    at: u64,
    shape: VertexShape,
}

impl<'a> Commands<'a> {
    pub(super) fn new(
        view: Option<View<'a>>,
        start: u64,
        descriptor: VertexDescriptor,
        layout: &Layout,
    ) -> Self {
        Self { view, start, at: 0, shape: VertexShape::new(descriptor, layout) }
    }

    fn step(&mut self, view: View<'a>) -> ReadResult<Command<'a>> {
        let at = self.at;
        let opcode = view.u8(at, "display-list command")?;
        let (kind, size) = match opcode {
            0 => (CommandKind::Nop, 1),
            0x80..=0xBF => {
                let primitive = self.primitive(view, opcode)?;
                (CommandKind::Draw(primitive), 3 + primitive.vertices.len())
            }
            _ => (CommandKind::Register(opcode), register_size(view, at, opcode)?),
        };
        view.take(at, size, "display-list command")?;
        self.at += size;
        Ok(Command { offset: self.start + at, end: self.start + self.at, kind })
    }

    fn primitive(&self, view: View<'a>, opcode: u8) -> ReadResult<Primitive<'a>> {
        let count = view.u16(self.at + 1, "primitive's vertex count")?;
        let what = format!("primitive of {count} vertices");
        let vertices = view.table(self.at + 3, count.into(), self.shape.size(), &what)?;
        let kind = PrimitiveKind::of(opcode);
        Ok(Primitive { kind, format: opcode & 7, count, vertices, shape: self.shape })
    }
}

/// Bytes of a command that is neither padding nor a primitive.
fn register_size(view: View, at: u64, opcode: u8) -> ReadResult<u64> {
    match opcode {
        0x08 => Ok(6),
        0x10 => Ok(5 + 4 * (u64::from(view.u16(at + 1, "transform-unit load")? & 0xF) + 1)),
        0x20 | 0x28 | 0x30 | 0x38 | 0x61 => Ok(5),
        0x40 => Ok(9),
        0x48 => Ok(1),
        _ => Err(ReadError::new(
            "display-list command",
            view.base() + at,
            "a primitive, register load or padding",
            format!("opcode {opcode:#04x}"),
        )),
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = ReadResult<Command<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let view = self.view.filter(|view| self.at < view.len())?;
        let command = self.step(view);
        if command.is_err() {
            self.view = None;
        }
        Some(command)
    }
}
