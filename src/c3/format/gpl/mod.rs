//! The geometry palette: submeshes with their arrays and display lists. \[formats.md 1.3, 1.4\]
//!
//! Descriptor and layout pointers count from the start of the GPL; everything a layout points to,
//! directly or not, counts from that layout, in 32-bit arithmetic.

mod array;
mod display;
mod primitive;
mod structures;

pub use array::{ArrayHeader, ArrayKind, Quantize, QuantizeType};
pub use display::{Attribute, AttributeMode, DisplayHeader, DisplayList, DisplayState, VertexDescriptor};
pub use primitive::{
    Command, CommandKind, Commands, Primitive, PrimitiveKind, STEP_LIMIT, Vertex, within_limit,
};
pub use structures::{ReadWhen, Structure, StructureKind, structures};

use crate::bytes::{Endian, ReadError, ReadResult, View};

/// Version word of the April 2001 library (12012000): Super Sluggers, Bully.
pub const VERSION_APRIL_2001: u32 = 0x00B7_49E0;
/// Version word of the older library (6012001): Superstar Baseball, Harvest Moon.
pub const VERSION_OLD: u32 = 0x005B_BC61;
/// Texture coordinates that a vertex can have.
pub const TEXTURE_CHANNELS: u8 = 8;
/// Size of the header in bytes.
pub const HEADER_SIZE: u64 = 0x14;

/// The header, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GplHeader {
    /// Version word.
    pub version: u32,
    /// Bytes of user data.
    pub user_data_size: u32,
    /// Offset of the user data.
    pub user_data: u32,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Offset of the descriptor array.
    pub descriptors: u32,
}

/// One submesh: its descriptor and, where it can be read, its layout.
#[derive(Debug, Clone)]
pub struct Submesh {
    /// Its number, from 0.
    pub index: u32,
    /// Offset of its descriptor.
    pub offset: u64,
    /// Offset of the layout, as stored.
    pub layout_offset: u32,
    /// Offset of the name, as stored.
    pub name_offset: u32,
    /// The name, when it can be read.
    pub name: Option<String>,
    /// The layout, when it lies inside the GPL.
    pub layout: Option<Layout>,
}

/// A display layout and the headers that it points to.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Offset in the GPL.
    pub offset: u32,
    /// Pointers to the position, colour, texture, lighting and display headers, as stored.
    pub pointers: [u32; 5],
    /// Number of texture headers.
    pub texture_channels: u8,
    /// Unused bytes at +0x15.
    pub padding: [u8; 3],
    /// Positions (component count 6: skinned, with interleaved normals).
    pub position: Option<ArrayHeader>,
    /// Colours.
    pub colour: Option<ArrayHeader>,
    /// Texture coordinates, one header a channel.
    pub textures: Vec<ArrayHeader>,
    /// Normals.
    pub lighting: Option<ArrayHeader>,
    /// The display-state list.
    pub display: Option<DisplayHeader>,
}

impl Layout {
    /// Offset in the GPL of what a layout-relative pointer names; `None` for the null pointer.
    pub fn target(&self, pointer: u32) -> Option<u64> {
        (pointer != 0).then(|| u64::from(self.offset.wrapping_add(pointer)))
    }

    /// Whether the library skins this layout: its component count is 6.
    pub fn is_skinned(&self) -> bool {
        self.position.as_ref().is_some_and(|position| position.components == 6)
    }

    /// The array that an attribute's indices select from.
    pub fn array(&self, attribute: Attribute) -> Option<&ArrayHeader> {
        match attribute {
            Attribute::PositionMatrix => None,
            Attribute::Position => self.position.as_ref(),
            Attribute::Normal if self.is_skinned() => self.position.as_ref(),
            Attribute::Normal => self.lighting.as_ref(),
            Attribute::Colour(_) => self.colour.as_ref(),
            Attribute::Texture(channel) => self.textures.get(usize::from(channel)),
        }
    }

    /// The commands of a display list whose bytes are `view`, wherever these were read from.
    pub fn commands<'v>(&self, view: View<'v>, list: &DisplayList) -> Commands<'v> {
        Commands::new(Some(view), list.offset, list.descriptor, self)
    }

    /// The primitive lists in drawing order, each with the vertex descriptor in force.
    ///
    /// `version` decides which state id sets the descriptor: 3 in April 2001, 2 before.
    pub fn display_lists(&self, version: u32) -> Vec<DisplayList> {
        display::lists(self, version)
    }
}

/// A parsed geometry palette.
#[derive(Debug, Clone)]
pub struct Gpl<'a> {
    view: View<'a>,
    /// The header as stored.
    pub header: GplHeader,
    /// The submeshes whose descriptors lie inside the GPL.
    pub submeshes: Vec<Submesh>,
    /// What could not be followed.
    pub problems: Vec<ReadError>,
}

impl<'a> Gpl<'a> {
    /// Reads a loose file.
    ///
    /// # Errors
    /// When there is no whole header.
    pub fn parse(bytes: &'a [u8]) -> ReadResult<Self> {
        Self::parse_view(View::new(bytes, Endian::Big))
    }

    /// Reads a section of a block; errors then name the block's offsets.
    ///
    /// # Errors
    /// When there is no whole header.
    pub fn parse_view(view: View<'a>) -> ReadResult<Self> {
        let view = view.with_endian(Endian::Big);
        let bytes = view.sub(0, HEADER_SIZE, "GPL header")?;
        let word = |offset| bytes.u32(offset, "GPL header");
        let header = GplHeader {
            version: word(0)?,
            user_data_size: word(4)?,
            user_data: word(8)?,
            descriptor_count: word(0xC)?,
            descriptors: word(0x10)?,
        };
        let mut reader = Reader { view, problems: Vec::new(), budget: view.len() };
        let submeshes = reader.submeshes(&header);
        Ok(Self { view, header, submeshes, problems: reader.problems })
    }

    /// The bytes of the GPL.
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// The submesh whose position array the loader hands to skinning: the last one with component
    /// count 6. \[listing\]
    pub fn skinned(&self) -> Option<(&Submesh, &Layout, &ArrayHeader)> {
        self.submeshes.iter().rev().find_map(|submesh| {
            let layout = submesh.layout.as_ref().filter(|layout| layout.is_skinned())?;
            Some((submesh, layout, layout.position.as_ref()?))
        })
    }

    /// The commands of a display list, as far as the list lies inside the GPL.
    pub fn commands(&self, layout: &Layout, list: &DisplayList) -> Commands<'a> {
        let size = u64::from(list.size).min(self.view.len().saturating_sub(list.offset));
        let view = self.view.sub(list.offset, size, "primitive list");
        Commands::new(view.ok(), list.offset, list.descriptor, layout)
    }

    /// The GPL as a file: the parsed bytes with the typed fields laid over them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.view.bytes().to_vec();
        let header = &self.header;
        let words = [
            header.version,
            header.user_data_size,
            header.user_data,
            header.descriptor_count,
            header.descriptors,
        ];
        for (index, word) in words.into_iter().enumerate() {
            super::overlay(&mut bytes, 4 * index as u64, &word.to_be_bytes());
        }
        for submesh in &self.submeshes {
            super::overlay(&mut bytes, submesh.offset, &submesh.layout_offset.to_be_bytes());
            super::overlay(&mut bytes, submesh.offset + 4, &submesh.name_offset.to_be_bytes());
            if let Some(layout) = &submesh.layout {
                layout.overlay(&mut bytes);
            }
        }
        bytes
    }
}

impl Layout {
    fn overlay(&self, bytes: &mut [u8]) {
        let offset = u64::from(self.offset);
        for (index, pointer) in self.pointers.into_iter().enumerate() {
            super::overlay(bytes, offset + 4 * index as u64, &pointer.to_be_bytes());
        }
        super::overlay(bytes, offset + 0x14, &[self.texture_channels]);
        super::overlay(bytes, offset + 0x15, &self.padding);
        let arrays = self.position.iter().chain(&self.colour).chain(&self.textures).chain(&self.lighting);
        for array in arrays {
            array.overlay(bytes);
        }
        if let Some(display) = &self.display {
            display.overlay(bytes);
        }
    }
}

/// Longest name that is read, in bytes; those of known files are below 40.
const NAME_LIMIT: u64 = 256;

/// Follows pointers and lists the ones that lead outside.
struct Reader<'a> {
    view: View<'a>,
    problems: Vec<ReadError>,
    /// How many more records may be read: pointers may share bytes, but a file whose records share so
    /// many that they outnumber its bytes is built to exhaust memory.
    budget: u64,
}

/// The bytes of a name, looked for in its first [`NAME_LIMIT`] bytes.
fn name<'a>(view: View<'a>, offset: u64, what: &str) -> ReadResult<&'a [u8]> {
    let size = view.len().saturating_sub(offset).clamp(1, NAME_LIMIT);
    view.sub(offset, size, what)?.c_string(0, what)
}

impl Reader<'_> {
    /// Keeps a problem, told at the pointer that leads there.
    fn note<T>(&mut self, result: ReadResult<T>, pointer: u64) -> Option<T> {
        let pointer = self.view.base() + pointer;
        result.map_err(|problem| self.problems.push(problem.led_by(pointer))).ok()
    }

    fn submeshes(&mut self, header: &GplHeader) -> Vec<Submesh> {
        let start = u64::from(header.descriptors);
        let wanted = u64::from(header.descriptor_count);
        let held = (self.view.len().saturating_sub(start) / 8).min(wanted);
        if held < wanted {
            let problem = ReadError::new(
                "GPL descriptor array",
                self.view.base() + start,
                format!("{wanted} descriptors of 8 bytes"),
                format!("room for {held} in a section of {:#x} bytes", self.view.len()),
            );
            self.problems.push(problem.led_by(self.view.base() + 0x10));
        }
        let held = self.meant_descriptors(start, held);
        (0..held).map_while(|index| self.submesh(index as u32, start + 8 * index)).collect()
    }

    /// How many of the descriptors can be meant: they end where a layout or name that one of them points to
    /// begins, and what is zero at the end is padding.
    fn meant_descriptors(&self, start: u64, held: u64) -> u64 {
        let word = |index: u64, field| self.view.u32(start + 8 * index + field, "descriptor").unwrap_or(0);
        let mut end = held;
        let mut index = 0;
        while index < end {
            for target in [word(index, 0), word(index, 4)].map(u64::from).into_iter().filter(|at| *at > start)
            {
                end = end.min((target - start) / 8).max(index + 1);
            }
            index += 1;
        }
        while end > 1 && word(end - 1, 0) == 0 && word(end - 1, 4) == 0 {
            end -= 1;
        }
        end
    }

    fn submesh(&mut self, index: u32, offset: u64) -> Option<Submesh> {
        let layout_offset = self.view.u32(offset, "descriptor").ok()?;
        let name_offset = self.view.u32(offset + 4, "descriptor").ok()?;
        let name = (name_offset != 0)
            .then(|| {
                let what = format!("submesh {index} name");
                self.note(name(self.view, name_offset.into(), &what), offset + 4)
            })
            .flatten()
            .map(|name| String::from_utf8_lossy(name).into_owned());
        let layout = self.layout(index, layout_offset, offset);
        Some(Submesh { index, offset, layout_offset, name_offset, name, layout })
    }

    fn layout(&mut self, submesh: u32, offset: u32, pointer: u64) -> Option<Layout> {
        let what = format!("submesh {submesh} layout");
        let bytes = self.note(self.view.sub(offset.into(), 0x18, &what), pointer)?;
        let mut pointers = [0; 5];
        for (index, pointer) in pointers.iter_mut().enumerate() {
            *pointer = bytes.u32(4 * index as u64, &what).ok()?;
        }
        let texture_channels = bytes.u8(0x14, &what).ok()?;
        let mut padding = [0; 3];
        padding.copy_from_slice(bytes.take(0x15, 3, &what).ok()?);
        let [position, colour, texture, lighting, display] = pointers;
        Some(Layout {
            offset,
            pointers,
            texture_channels,
            padding,
            position: self.array(submesh, offset, position, ArrayKind::Position),
            colour: self.array(submesh, offset, colour, ArrayKind::Colour),
            textures: self.textures(submesh, offset, texture, texture_channels),
            lighting: self.array(submesh, offset, lighting, ArrayKind::Normal),
            display: self.display(submesh, offset, display),
        })
    }

    fn array(&mut self, submesh: u32, layout: u32, pointer: u32, kind: ArrayKind) -> Option<ArrayHeader> {
        if pointer == 0 || !self.spend(1) {
            return None;
        }
        let offset = layout.wrapping_add(pointer);
        let header = ArrayHeader::parse(self.view, submesh, layout, offset, kind);
        self.note(header, u64::from(layout) + kind.pointer_offset())
    }

    fn textures(&mut self, submesh: u32, layout: u32, pointer: u32, channels: u8) -> Vec<ArrayHeader> {
        // Of a number that cannot be, none is known to be meant.
        let channels = if channels > TEXTURE_CHANNELS { 0 } else { channels };
        (0..channels)
            .map_while(|channel| {
                let pointer = (pointer != 0).then(|| pointer.wrapping_add(0x10 * u32::from(channel)))?;
                self.array(submesh, layout, pointer, ArrayKind::Texture(channel))
            })
            .collect()
    }

    fn display(&mut self, submesh: u32, layout: u32, pointer: u32) -> Option<DisplayHeader> {
        if pointer == 0 {
            return None;
        }
        let header = DisplayHeader::parse(self.view, submesh, layout, pointer);
        let mut header = self.note(header, u64::from(layout) + 0x10)?;
        let list = format!("submesh {submesh} display-state list");
        let wanted = header.state_count;
        let held = header.states_held(self.view);
        if held < wanted && header.state_list != 0 {
            let problem = ReadError::new(
                list,
                self.view.base() + header.state_list_offset(),
                format!("{wanted} states of 0x10 bytes"),
                format!("room for {held} in a section of {:#x} bytes", self.view.len()),
            );
            self.problems.push(problem.led_by(self.view.base() + u64::from(header.offset) + 4));
        }
        if self.spend(held.into()) {
            header.read_states(self.view, held);
        }
        Some(header)
    }

    /// Takes records from the budget; the first time it does not suffice is a problem.
    fn spend(&mut self, records: u64) -> bool {
        if let Some(rest) = self.budget.checked_sub(records) {
            self.budget = rest;
            return true;
        }
        if self.budget > 0 {
            self.budget = 0;
            self.problems.push(ReadError::new(
                "GPL",
                self.view.base(),
                "fewer records than bytes",
                format!("more records in {:#x} bytes", self.view.len()),
            ));
        }
        false
    }
}

#[cfg(test)]
mod tests;
