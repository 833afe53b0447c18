//! Writing a geometry palette with one skinned submesh: headers, colours, texture coordinates, display
//! lists, and the position array last, so that nothing lies in the way of what skinning stores.

use std::collections::BTreeMap;

use super::error::{BuildError, BuildResult};
use super::skn::{Record, record_bytes};
use crate::c3::format::align32;
use crate::c3::format::gpl::{HEADER_SIZE, VERSION_APRIL_2001};

/// A drawn vertex: what its indices select.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DrawnVertex {
    /// Slot of the position array.
    pub slot: u16,
    /// Colour, RGBA.
    pub colour: [u8; 4],
    /// Texture coordinates, already quantized.
    pub texture: [i16; 2],
}

/// Triangles of one material, clockwise seen from the front as the hardware has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrawnPart {
    /// Number of the texture, where textures are drawn.
    pub texture: Option<u16>,
    /// Three vertices a triangle.
    pub vertices: Vec<DrawnVertex>,
}

/// Texture coordinates: how they are stored and which palette the textures come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureSource {
    /// Name of the texture palette without its NUL.
    pub palette: Vec<u8>,
    /// Fraction bits of the coordinates.
    pub shift: u8,
}

/// A palette to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GplSource {
    /// Name of the submesh.
    pub name: String,
    /// Fraction bits of the positions.
    pub shift: u8,
    /// The position array.
    pub positions: Vec<Record>,
    /// Bytes that it takes, the rest of the last stored line included.
    pub reserve: u64,
    /// Texture coordinates, if textures are drawn.
    pub texture: Option<TextureSource>,
    /// What is drawn, in order.
    pub parts: Vec<DrawnPart>,
}

/// Offset of the descriptor array.
const DESCRIPTORS: u64 = align32(HEADER_SIZE);
/// s16 as a number type.
const S16: u8 = 3 << 4;
/// RGBA8 as a colour format.
const RGBA8: u8 = 5 << 4;
/// State that sets the vertex descriptor.
const VERTEX_STATE: u8 = 3;
/// State that sets the shader; primitives follow it.
const SHADER_STATE: u8 = 4;
/// State that sets a texture.
const TEXTURE_STATE: u8 = 1;
/// Repeat in both directions, linear filters. \[formats.md 1.4\]
const TEXTURE_SETTING: u32 = 1 << 16 | 1 << 20 | 1 << 24 | 1 << 28;
/// Opcode of triangles.
const TRIANGLES: u8 = 0x90;
/// Vertices of the largest list of triangles: a multiple of 3 that 16 bits hold.
const MOST_VERTICES: usize = 65_535;

impl GplSource {
    /// The palette, padded to whole cache lines.
    ///
    /// # Errors
    /// When a count does not fit its field.
    pub fn to_bytes(&self) -> BuildResult<Vec<u8>> {
        let colours = Table::new(self.vertices().map(|vertex| vertex.colour), "colours")?;
        let textures = match self.texture {
            Some(_) => Table::new(self.vertices().map(|vertex| vertex.texture), "texture coordinates")?,
            None => Table::default(),
        };
        let mut writer = Writer { bytes: Vec::new(), layout: 0 };
        let pointers = writer.frame(&self.name, self.texture.is_some());
        writer.array(pointers.colour, &colours.bytes(|colour| colour.to_vec()), colours.len(), [RGBA8, 4]);
        if let Some(texture) = &self.texture {
            let coordinates =
                textures.bytes(|pair| pair.iter().flat_map(|part| part.to_be_bytes()).collect());
            writer.array(pointers.texture, &coordinates, textures.len(), [S16 | texture.shift, 2]);
            writer.align(4);
            let name = writer.here() - writer.layout;
            writer.put(pointers.texture + 8, &(name as u32).to_be_bytes());
            writer.bytes.extend(&texture.palette);
            writer.bytes.push(0);
        }
        let shape = VertexShape::new(&colours, self.texture.as_ref().map(|_| &textures));
        self.display(&mut writer, pointers.display, &shape);
        writer.align(32);
        let start = writer.here();
        let records: Vec<u8> = self.positions.iter().flat_map(record_bytes).collect();
        writer.array(
            pointers.position,
            &records,
            half(self.positions.len(), "slots")?,
            [S16 | self.shift, 6],
        );
        let end = align32(start + self.reserve.max(records.len() as u64));
        writer.bytes.resize(end as usize, 0);
        Ok(writer.bytes)
    }

    fn vertices(&self) -> impl Iterator<Item = &DrawnVertex> {
        self.parts.iter().flat_map(|part| &part.vertices)
    }

    /// The state list, then the primitive lists that it points to.
    fn display(&self, writer: &mut Writer, header: u64, shape: &VertexShape) {
        writer.align(4);
        let mut states = vec![State { id: VERTEX_STATE, setting: shape.descriptor(), list: None }];
        for part in self.parts.iter().filter(|part| !part.vertices.is_empty()) {
            if let Some(texture) = part.texture {
                let setting = TEXTURE_SETTING | u32::from(texture & 0x1FFF);
                states.push(State { id: TEXTURE_STATE, setting, list: None });
            }
            states.push(State { id: SHADER_STATE, setting: 0, list: Some(shape.primitives(part)) });
        }
        let list = writer.here();
        writer.put(header + 4, &((list - writer.layout) as u32).to_be_bytes());
        writer.put(header + 8, &(states.len() as u16).to_be_bytes());
        writer.bytes.resize((list + 0x10 * states.len() as u64) as usize, 0);
        for (state, at) in states.iter().zip((list..).step_by(0x10)) {
            writer.put(at, &[state.id]);
            writer.put(at + 4, &state.setting.to_be_bytes());
            if let Some(primitives) = &state.list {
                writer.align(32);
                let pointer = (writer.here() - writer.layout) as u32;
                writer.put(at + 8, &pointer.to_be_bytes());
                writer.put(at + 0xC, &(primitives.len() as u32).to_be_bytes());
                writer.bytes.extend(primitives);
            }
        }
    }
}

struct State {
    id: u8,
    setting: u32,
    list: Option<Vec<u8>>,
}

fn half(count: usize, what: &str) -> BuildResult<u16> {
    u16::try_from(count).map_err(|_| BuildError::new(what, "at most 65535", format!("{count}")))
}

/// Distinct values in ascending order.
#[derive(Debug)]
struct Table<T> {
    numbers: BTreeMap<T, u16>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { numbers: BTreeMap::new() }
    }
}

impl<T: Ord + Copy> Table<T> {
    fn new(values: impl Iterator<Item = T>, what: &str) -> BuildResult<Self> {
        let mut numbers: BTreeMap<T, u16> = values.map(|value| (value, 0)).collect();
        half(numbers.len(), what)?;
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        Ok(Self { numbers })
    }

    fn len(&self) -> u16 {
        self.numbers.len() as u16
    }

    fn bytes(&self, store: impl Fn(&T) -> Vec<u8>) -> Vec<u8> {
        self.numbers.keys().flat_map(store).collect()
    }
}

/// How a drawn vertex is indexed.
struct VertexShape<'t> {
    /// One colour is a register and needs no index. \[formats.md 1.4\]
    colours: Option<&'t Table<[u8; 4]>>,
    textures: Option<&'t Table<[i16; 2]>>,
}

impl<'t> VertexShape<'t> {
    fn new(colours: &'t Table<[u8; 4]>, textures: Option<&'t Table<[i16; 2]>>) -> Self {
        Self { colours: (colours.len() > 1).then_some(colours), textures }
    }

    /// Two bits an attribute: positions, colour 0 and texture coordinate 0 by 16-bit index.
    fn descriptor(&self) -> u32 {
        let index16 = |present: bool, attribute: u32| if present { 3 << (2 * attribute) } else { 0 };
        index16(true, 1) | index16(self.colours.is_some(), 3) | index16(self.textures.is_some(), 5)
    }

    fn primitives(&self, part: &DrawnPart) -> Vec<u8> {
        let mut bytes = Vec::new();
        for vertices in part.vertices.chunks(MOST_VERTICES) {
            bytes.push(TRIANGLES);
            bytes.extend((vertices.len() as u16).to_be_bytes());
            for vertex in vertices {
                bytes.extend(vertex.slot.to_be_bytes());
                let colour = self.colours.map(|table| table.numbers[&vertex.colour]);
                let texture = self.textures.map(|table| table.numbers[&vertex.texture]);
                bytes.extend(colour.into_iter().chain(texture).flat_map(u16::to_be_bytes));
            }
        }
        bytes.resize(align32(bytes.len() as u64) as usize, 0);
        bytes
    }
}

/// Offsets of the headers that later get their arrays.
struct Headers {
    position: u64,
    colour: u64,
    texture: u64,
    display: u64,
}

struct Writer {
    bytes: Vec<u8>,
    /// Offset of the layout, which most pointers count from.
    layout: u64,
}

impl Writer {
    fn here(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    fn put(&mut self, at: u64, bytes: &[u8]) {
        self.bytes[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    }

    /// Header, descriptor, name, layout and the empty headers of its arrays.
    fn frame(&mut self, name: &str, textured: bool) -> Headers {
        self.bytes.resize(DESCRIPTORS as usize + 8, 0);
        self.put(0, &VERSION_APRIL_2001.to_be_bytes());
        self.put(0xC, &1u32.to_be_bytes());
        self.put(0x10, &(DESCRIPTORS as u32).to_be_bytes());
        let name_at = self.here() as u32;
        self.bytes.extend(name.bytes().filter(|&byte| byte != 0));
        self.bytes.push(0);
        self.align(32);
        self.layout = self.here();
        self.put(DESCRIPTORS, &(self.layout as u32).to_be_bytes());
        self.put(DESCRIPTORS + 4, &name_at.to_be_bytes());
        let position = self.layout + 0x18;
        let (colour, texture) = (position + 8, position + 16);
        let display = texture + if textured { 0x10 } else { 0 };
        self.bytes.resize(display as usize + 0xC, 0);
        let pointers = [(0, position), (4, colour), (0x10, display)];
        for (field, header) in pointers.into_iter().chain(textured.then_some((8, texture))) {
            self.put(self.layout + field, &((header - self.layout) as u32).to_be_bytes());
        }
        self.put(self.layout + 0x14, &[u8::from(textured)]);
        Headers { position, colour, texture, display }
    }

    /// Appends an array on a cache line and completes its header.
    fn array(&mut self, header: u64, elements: &[u8], count: u16, [quantize, components]: [u8; 2]) {
        self.align(32);
        let pointer = (self.here() - self.layout) as u32;
        self.put(header, &pointer.to_be_bytes());
        self.put(header + 4, &count.to_be_bytes());
        self.put(header + 6, &[quantize, components]);
        self.bytes.extend(elements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::format::gpl::{Attribute, CommandKind, Gpl, structures};

    fn source(colours: usize, textured: bool) -> GplSource {
        let vertex = |slot: u16| DrawnVertex {
            slot,
            colour: [usize::from(slot).min(colours - 1) as u8, 0, 0, 255],
            texture: [slot as i16, 7],
        };
        let part = |texture| DrawnPart { texture, vertices: (0..6).map(vertex).collect() };
        GplSource {
            name: "body".into(),
            shift: 9,
            positions: vec![[1, 2, 3, 4, 5, 6]; 8],
            reserve: 96,
            texture: textured.then(|| TextureSource { palette: b"hero".to_vec(), shift: 10 }),
            parts: vec![part(textured.then_some(0)), part(textured.then_some(1))],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for (colours, textured) in [(1, false), (3, true)] {
            let bytes = source(colours, textured).to_bytes().unwrap();
            let gpl = Gpl::parse(&bytes).unwrap();
            assert!(gpl.problems.is_empty(), "{:?}", gpl.problems);
            assert_eq!(gpl.to_bytes(), bytes);
            let (submesh, layout, position) = gpl.skinned().unwrap();
            assert_eq!(submesh.name.as_deref(), Some("body"));
            assert_eq!((position.count, position.quantize.fraction_bits()), (8, 9));
            assert_eq!(position.array_offset().unwrap() % 32, 0);
            assert_eq!(usize::from(layout.colour.unwrap().count), colours);
            assert_eq!(layout.textures.len(), usize::from(textured));
            let lists = layout.display_lists(gpl.header.version);
            assert_eq!(lists.len(), 2);
            for list in &lists {
                assert!(list.offset.is_multiple_of(32) && list.size.is_multiple_of(32));
                let CommandKind::Draw(primitive) = gpl.commands(layout, list).next().unwrap().unwrap().kind
                else {
                    panic!("a primitive comes first")
                };
                let slots: Vec<_> = primitive.vertices().map(|v| v.index(Attribute::Position)).collect();
                assert_eq!(slots, (0..6).map(Some).collect::<Vec<_>>());
            }
            let all = structures(&gpl);
            assert!(all.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        }
    }
}
