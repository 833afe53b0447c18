//! Headers of the position, colour, texture-coordinate and normal arrays.

use crate::bytes::{ReadResult, View};

/// What an array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArrayKind {
    /// Positions; with component count 6 positions and normals in turn.
    Position,
    /// Colours.
    Colour,
    /// Texture coordinates of a channel.
    Texture(u8),
    /// Normals.
    Normal,
}

impl ArrayKind {
    /// The name used in messages.
    pub fn name(self) -> String {
        match self {
            Self::Position => "position".to_owned(),
            Self::Colour => "colour".to_owned(),
            Self::Texture(channel) => format!("texture {channel}"),
            Self::Normal => "lighting".to_owned(),
        }
    }

    /// Offset in a layout of the pointer to the header; all texture channels share one.
    pub const fn pointer_offset(self) -> u64 {
        match self {
            Self::Position => 0,
            Self::Colour => 4,
            Self::Texture(_) => 8,
            Self::Normal => 0xC,
        }
    }

    /// Size of the header in bytes.
    pub const fn header_size(self) -> u64 {
        match self {
            Self::Position | Self::Colour => 8,
            Self::Texture(_) => 0x10,
            Self::Normal => 0xC,
        }
    }
}

/// Number type of a component, the high nibble of a quantize byte. \[listing\]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantizeType {
    /// Unsigned byte.
    U8,
    /// Signed byte.
    S8,
    /// Unsigned 16 bits.
    U16,
    /// Signed 16 bits.
    S16,
    /// 32-bit float.
    F32,
}

impl QuantizeType {
    /// Bytes of one component.
    pub const fn size(self) -> u64 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
            Self::F32 => 4,
        }
    }
}

/// A quantize byte: number type and fraction bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantize(pub u8);

impl Quantize {
    /// The number type, when the library knows it.
    pub const fn component(self) -> Option<QuantizeType> {
        match self.0 >> 4 {
            0 => Some(QuantizeType::U8),
            1 => Some(QuantizeType::S8),
            2 => Some(QuantizeType::U16),
            3 => Some(QuantizeType::S16),
            4 => Some(QuantizeType::F32),
            _ => None,
        }
    }

    /// Bytes of one colour, when the library knows the format: 565, RGB8, RGBX8, RGBA4, RGBA6, RGBA8.
    pub const fn colour_size(self) -> Option<u64> {
        match self.0 >> 4 {
            0 | 3 => Some(2),
            1 | 4 => Some(3),
            2 | 5 => Some(4),
            _ => None,
        }
    }

    /// Fraction bits.
    pub const fn fraction_bits(self) -> u8 {
        self.0 & 0xF
    }
}

/// An array header, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrayHeader {
    /// What the array holds.
    pub kind: ArrayKind,
    /// Offset of the header in the GPL.
    pub offset: u32,
    /// Offset of the layout that pointers count from.
    pub layout: u32,
    /// Pointer to the array, as stored; 0 is null.
    pub array: u32,
    /// Number of elements.
    pub count: u16,
    /// Number type and fraction bits.
    pub quantize: Quantize,
    /// Components of an element.
    pub components: u8,
    /// Texture: pointer to the palette name. Normals: bits of the ambient percentage. Otherwise 0.
    pub extra: u32,
    /// Texture: the palette pointer that the run time fills. Otherwise 0.
    pub palette: u32,
}

impl ArrayHeader {
    pub(super) fn parse(
        view: View,
        submesh: u32,
        layout: u32,
        offset: u32,
        kind: ArrayKind,
    ) -> ReadResult<Self> {
        let what = format!("submesh {submesh} {} header", kind.name());
        let bytes = view.sub(offset.into(), kind.header_size(), &what)?;
        let later = |at: u64| if at < kind.header_size() { bytes.u32(at, &what) } else { Ok(0) };
        Ok(Self {
            kind,
            offset,
            layout,
            array: bytes.u32(0, &what)?,
            count: bytes.u16(4, &what)?,
            quantize: Quantize(bytes.u8(6, &what)?),
            components: bytes.u8(7, &what)?,
            extra: later(8)?,
            palette: later(0xC)?,
        })
    }

    /// Bytes of one element, when type and component count are in the library's table.
    pub fn element_size(&self) -> Option<u64> {
        match self.kind {
            ArrayKind::Colour => self.quantize.colour_size(),
            _ => Some(self.quantize.component()?.size() * u64::from(self.components)),
        }
    }

    /// Offset of the array in the GPL; `None` for the null pointer.
    pub fn array_offset(&self) -> Option<u64> {
        (self.array != 0).then(|| u64::from(self.layout.wrapping_add(self.array)))
    }

    /// Bytes of the array, when its elements have a known size.
    pub fn array_size(&self) -> Option<u64> {
        Some(self.element_size()? * u64::from(self.count))
    }

    /// Offset in the GPL of a texture's palette name.
    pub fn palette_name_offset(&self) -> Option<u64> {
        let named = matches!(self.kind, ArrayKind::Texture(_)) && self.extra != 0;
        named.then(|| u64::from(self.layout.wrapping_add(self.extra)))
    }

    pub(super) fn overlay(&self, bytes: &mut [u8]) {
        let offset = u64::from(self.offset);
        super::super::overlay(bytes, offset, &self.array.to_be_bytes());
        super::super::overlay(bytes, offset + 4, &self.count.to_be_bytes());
        super::super::overlay(bytes, offset + 6, &[self.quantize.0, self.components]);
        if self.kind.header_size() > 8 {
            super::super::overlay(bytes, offset + 8, &self.extra.to_be_bytes());
        }
        if self.kind.header_size() > 0xC {
            super::super::overlay(bytes, offset + 0xC, &self.palette.to_be_bytes());
        }
    }
}
