//! Names every structure of a GPL and says when the game reads it.
//!
//! A write-back that reaches a structure does harm only if the game reads the structure afterwards:
//! the loader copies headers once, the arrays and lists are read where they lie in every frame.
//! \[skn-path.md 5\]

use std::fmt;
use std::ops::Range;

use super::{ArrayHeader, ArrayKind, Gpl, Layout, Submesh};

/// When the game reads a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadWhen {
    /// Once, while loading: later damage does nothing until the model is loaded again.
    Load,
    /// In every frame, where it lies.
    EveryFrame,
}

/// What a structure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StructureKind {
    /// The GPL's header.
    Header,
    /// The GPL's user data.
    UserData,
    /// The descriptor array.
    Descriptors,
    /// A submesh's name.
    Name,
    /// A submesh's layout.
    Layout,
    /// Header of an array.
    ArrayHeader(ArrayKind),
    /// The display header.
    DisplayHeader,
    /// An array's elements.
    Array(ArrayKind),
    /// Name of the palette that a texture channel uses.
    PaletteName(u8),
    /// The display-state list.
    StateList,
    /// The primitive list drawn by a state.
    PrimitiveList(u16),
}

impl StructureKind {
    /// When the game reads a structure of this kind.
    pub const fn read_when(self) -> ReadWhen {
        match self {
            Self::Array(_) | Self::StateList | Self::PrimitiveList(_) => ReadWhen::EveryFrame,
            _ => ReadWhen::Load,
        }
    }
}

impl fmt::Display for StructureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("GPL header"),
            Self::UserData => f.write_str("GPL user data"),
            Self::Descriptors => f.write_str("GPL descriptor array"),
            Self::Name => f.write_str("name"),
            Self::Layout => f.write_str("layout"),
            Self::ArrayHeader(kind) => write!(f, "{} header", kind.name()),
            Self::DisplayHeader => f.write_str("display header"),
            Self::Array(ArrayKind::Normal) => f.write_str("normal array"),
            Self::Array(kind) => write!(f, "{} array", kind.name()),
            Self::PaletteName(channel) => write!(f, "palette name {channel}"),
            Self::StateList => f.write_str("display-state list"),
            Self::PrimitiveList(state) => write!(f, "primitive list of state {state}"),
        }
    }
}

/// A structure's name, bytes and use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// What it is.
    pub kind: StructureKind,
    /// The submesh that it belongs to, if it belongs to one.
    pub submesh: Option<u32>,
    /// Bytes in the GPL, as far as they lie inside it.
    pub range: Range<u64>,
    /// When the game reads it.
    pub read_when: ReadWhen,
}

impl Structure {
    /// The name for people: `submesh 0 colour header`.
    pub fn name(&self) -> String {
        match self.submesh {
            Some(submesh) => format!("submesh {submesh} {}", self.kind),
            None => self.kind.to_string(),
        }
    }
}

/// Every structure of a GPL, by ascending start.
pub fn structures(gpl: &Gpl) -> Vec<Structure> {
    let mut list = Collector { gpl, structures: Vec::new() };
    let header = &gpl.header;
    list.add(None, StructureKind::Header, 0, super::HEADER_SIZE);
    list.add(None, StructureKind::UserData, header.user_data.into(), header.user_data_size.into());
    list.add(None, StructureKind::Descriptors, header.descriptors.into(), 8 * gpl.submeshes.len() as u64);
    for submesh in &gpl.submeshes {
        list.submesh(submesh);
    }
    list.structures.sort_by_key(|structure| (structure.range.start, structure.range.end, structure.kind));
    list.structures
}

struct Collector<'a, 'g> {
    gpl: &'g Gpl<'a>,
    structures: Vec<Structure>,
}

impl Collector<'_, '_> {
    fn add(&mut self, submesh: Option<u32>, kind: StructureKind, start: u64, size: u64) {
        let end = start.saturating_add(size).min(self.gpl.view().len());
        if start < end {
            self.structures.push(Structure { kind, submesh, range: start..end, read_when: kind.read_when() });
        }
    }

    fn submesh(&mut self, submesh: &Submesh) {
        let index = Some(submesh.index);
        if submesh.name_offset != 0 {
            self.string(index, StructureKind::Name, submesh.name_offset.into());
        }
        if let Some(layout) = &submesh.layout {
            self.add(index, StructureKind::Layout, layout.offset.into(), 0x18);
            let fixed = layout.position.iter().chain(&layout.colour).chain(&layout.lighting);
            for array in fixed.chain(&layout.textures) {
                self.array(index, array);
            }
            self.display(index, layout);
        }
    }

    fn array(&mut self, submesh: Option<u32>, array: &ArrayHeader) {
        let kind = array.kind;
        self.add(submesh, StructureKind::ArrayHeader(kind), array.offset.into(), kind.header_size());
        if let (Some(start), Some(size)) = (array.array_offset(), array.array_size()) {
            self.add(submesh, StructureKind::Array(kind), start, size);
        }
        if let (ArrayKind::Texture(channel), Some(start)) = (kind, array.palette_name_offset()) {
            self.string(submesh, StructureKind::PaletteName(channel), start);
        }
    }

    fn display(&mut self, submesh: Option<u32>, layout: &Layout) {
        let Some(display) = &layout.display else { return };
        self.add(submesh, StructureKind::DisplayHeader, display.offset.into(), 0xC);
        let states = 0x10 * u64::from(display.state_count);
        self.add(submesh, StructureKind::StateList, display.state_list_offset(), states);
        for list in layout.display_lists(self.gpl.header.version) {
            self.add(submesh, StructureKind::PrimitiveList(list.state), list.offset, list.size.into());
        }
    }

    fn string(&mut self, submesh: Option<u32>, kind: StructureKind, start: u64) {
        if let Ok(string) = super::name(self.gpl.view(), start, "name") {
            self.add(submesh, kind, start, string.len() as u64 + 1);
        }
    }
}
