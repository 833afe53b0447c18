//! The display header, its state list, and the vertex descriptors that the states set.

use std::fmt;

use super::Layout;
use crate::bytes::{ReadResult, View};

/// The display header, every field as stored.
#[derive(Debug, Clone)]
pub struct DisplayHeader {
    /// Offset of the header in the GPL.
    pub offset: u32,
    /// Offset of the layout that pointers count from.
    pub layout: u32,
    /// Pointer to the primitive bank.
    pub primitive_bank: u32,
    /// Pointer to the state list.
    pub state_list: u32,
    /// Number of states.
    pub state_count: u16,
    /// Unused bytes at +0xA.
    pub padding: u16,
    /// The states that lie inside the GPL.
    pub states: Vec<DisplayState>,
}

/// One display state, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisplayState {
    /// Offset of the state in the GPL.
    pub offset: u64,
    /// What the state sets: 1 texture, 3 vertex descriptor, 4 shader, 5 matrix load; Super Sluggers
    /// adds 6 and 7.
    pub id: u8,
    /// Parameters.
    pub parameters: [u8; 3],
    /// The value it sets.
    pub setting: u32,
    /// Pointer to the primitives drawn after it; 0 for none.
    pub primitive_list: u32,
    /// Bytes of those primitives.
    pub list_size: u32,
}

impl DisplayHeader {
    /// The header without its states.
    pub(super) fn parse(view: View, submesh: u32, layout: u32, pointer: u32) -> ReadResult<Self> {
        let what = format!("submesh {submesh} display header");
        let offset = layout.wrapping_add(pointer);
        let bytes = view.sub(offset.into(), 0xC, &what)?;
        Ok(Self {
            offset,
            layout,
            primitive_bank: bytes.u32(0, &what)?,
            state_list: bytes.u32(4, &what)?,
            state_count: bytes.u16(8, &what)?,
            padding: bytes.u16(0xA, &what)?,
            states: Vec::new(),
        })
    }

    /// How many of the counted states lie inside the GPL.
    pub(super) fn states_held(&self, view: View) -> u16 {
        // A null pointer stays one, and leads nowhere.
        let start = if self.state_list == 0 { view.len() } else { self.state_list_offset() };
        let room = view.len().saturating_sub(start) / 0x10;
        self.state_count.min(u16::try_from(room).unwrap_or(u16::MAX))
    }

    pub(super) fn read_states(&mut self, view: View, count: u16) {
        let start = self.state_list_offset();
        let states = (0..u64::from(count)).map_while(|n| DisplayState::parse(view, start + 0x10 * n).ok());
        self.states = states.collect();
    }

    /// Offset of the state list in the GPL.
    pub fn state_list_offset(&self) -> u64 {
        self.layout.wrapping_add(self.state_list).into()
    }

    pub(super) fn overlay(&self, bytes: &mut [u8]) {
        let offset = u64::from(self.offset);
        super::super::overlay(bytes, offset, &self.primitive_bank.to_be_bytes());
        super::super::overlay(bytes, offset + 4, &self.state_list.to_be_bytes());
        super::super::overlay(bytes, offset + 8, &self.state_count.to_be_bytes());
        super::super::overlay(bytes, offset + 0xA, &self.padding.to_be_bytes());
        for state in &self.states {
            super::super::overlay(bytes, state.offset, &state.to_bytes());
        }
    }
}

impl DisplayState {
    fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let bytes = view.sub(offset, 0x10, "display state")?;
        let mut parameters = [0; 3];
        parameters.copy_from_slice(bytes.take(1, 3, "display state")?);
        Ok(Self {
            offset,
            id: bytes.u8(0, "display state")?,
            parameters,
            setting: bytes.u32(4, "display state")?,
            primitive_list: bytes.u32(8, "display state")?,
            list_size: bytes.u32(0xC, "display state")?,
        })
    }

    /// The state as stored in a file.
    pub fn to_bytes(&self) -> [u8; 0x10] {
        let mut bytes = [0; 0x10];
        bytes[0] = self.id;
        bytes[1..4].copy_from_slice(&self.parameters);
        bytes[4..8].copy_from_slice(&self.setting.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.primitive_list.to_be_bytes());
        bytes[12..].copy_from_slice(&self.list_size.to_be_bytes());
        bytes
    }
}

/// A vertex attribute, in descriptor order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attribute {
    /// Which position matrix; always one byte, given directly.
    PositionMatrix,
    /// Position.
    Position,
    /// Normal.
    Normal,
    /// Colour 0 or 1.
    Colour(u8),
    /// Texture coordinate 0 to 7.
    Texture(u8),
}

impl Attribute {
    /// Every attribute in descriptor order.
    pub const ALL: [Self; 13] = [
        Self::PositionMatrix,
        Self::Position,
        Self::Normal,
        Self::Colour(0),
        Self::Colour(1),
        Self::Texture(0),
        Self::Texture(1),
        Self::Texture(2),
        Self::Texture(3),
        Self::Texture(4),
        Self::Texture(5),
        Self::Texture(6),
        Self::Texture(7),
    ];

    /// Place in descriptor order.
    pub const fn index(self) -> usize {
        match self {
            Self::PositionMatrix => 0,
            Self::Position => 1,
            Self::Normal => 2,
            Self::Colour(number) => 3 + number as usize,
            Self::Texture(number) => 5 + number as usize,
        }
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PositionMatrix => f.write_str("position matrix"),
            Self::Position => f.write_str("position"),
            Self::Normal => f.write_str("normal"),
            Self::Colour(number) => write!(f, "colour {number}"),
            Self::Texture(number) => write!(f, "texture coordinate {number}"),
        }
    }
}

/// How an attribute is given in a primitive list: two bits of the descriptor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AttributeMode {
    /// Not at all.
    #[default]
    None,
    /// By value.
    Direct,
    /// By an 8-bit index.
    Index8,
    /// By a 16-bit index.
    Index16,
}

/// Which attributes a vertex has and how each is given: two bits an attribute, position matrix lowest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VertexDescriptor(pub u32);

impl VertexDescriptor {
    /// How an attribute is given.
    pub const fn mode(self, attribute: Attribute) -> AttributeMode {
        match self.0 >> (2 * attribute.index()) & 3 {
            0 => AttributeMode::None,
            1 => AttributeMode::Direct,
            2 => AttributeMode::Index8,
            _ => AttributeMode::Index16,
        }
    }
}

/// A primitive list and the vertex descriptor in force when it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisplayList {
    /// Number of the state that draws it.
    pub state: u16,
    /// Offset in the GPL of the state's pointer to it; its size follows.
    pub pointer: u64,
    /// Offset in the GPL.
    pub offset: u64,
    /// Size in bytes, as stored.
    pub size: u32,
    /// The descriptor.
    pub descriptor: VertexDescriptor,
    /// Offset in the GPL of the setting that gives it; nothing where no state does.
    pub descriptor_at: Option<u64>,
}

impl DisplayList {
    /// The list as the graphics processor reads it, of a GPL that begins at `base` of its file: address and length
    /// lose their low five bits. \[formats.md 1.4\]
    #[must_use]
    pub fn read(self, base: u64) -> Self {
        let into_line = (base + self.offset) % 32;
        Self { offset: self.offset.saturating_sub(into_line), size: self.size & !31, ..self }
    }
}

pub(super) fn lists(layout: &Layout, version: u32) -> Vec<DisplayList> {
    let descriptor_id = if matches!(version, super::VERSION_OLD | 0) { 2 } else { 3 };
    let (mut descriptor, mut descriptor_at) = (VertexDescriptor::default(), None);
    let mut lists = Vec::new();
    for (index, state) in layout.display.iter().flat_map(|display| &display.states).enumerate() {
        if state.id == descriptor_id {
            descriptor = VertexDescriptor(state.setting);
            descriptor_at = Some(state.offset + 4);
        }
        if let Some(offset) = layout.target(state.primitive_list) {
            lists.push(DisplayList {
                state: index as u16,
                pointer: state.offset + 8,
                offset,
                size: state.list_size,
                descriptor,
                descriptor_at,
            });
        }
    }
    lists
}
