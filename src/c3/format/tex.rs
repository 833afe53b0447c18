//! The texture section of a block: a count and 0x20-byte descriptors. \[formats.md 1.7\]

use crate::bytes::{Endian, ReadError, ReadResult, View};

/// Size of a descriptor in bytes.
pub const DESCRIPTOR_SIZE: u64 = 0x20;

/// A texture descriptor: the fields whose meaning is known, and all its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureDescriptor {
    /// Offset of the descriptor in the section.
    pub offset: u64,
    /// Offset of the image in the section.
    pub image: u32,
    /// Offset of the palette in the section; 0 for none.
    pub palette: u32,
    /// Height in pixels.
    pub height: u16,
    /// Width in pixels.
    pub width: u16,
    /// Format of the image, in the graphics processor's numbers.
    pub format: u8,
    /// Entries of the palette.
    pub palette_entries: u16,
    /// Format of the palette.
    pub palette_format: u8,
    /// The whole descriptor.
    pub raw: [u8; DESCRIPTOR_SIZE as usize],
}

/// Width and height of a block of pixels, and its size in bytes.
const fn pixel_block(format: u8) -> Option<(u64, u64, u64)> {
    match format {
        0x0 | 0x8 | 0xE => Some((8, 8, 32)),
        0x1 | 0x2 | 0x9 => Some((8, 4, 32)),
        0x3 | 0x4 | 0x5 | 0xA => Some((4, 4, 32)),
        0x6 => Some((4, 4, 64)),
        _ => None,
    }
}

impl TextureDescriptor {
    /// Bytes of the image without mipmaps, when the format is one that the graphics processor knows.
    pub fn image_size(&self) -> Option<u64> {
        let (width, height, size) = pixel_block(self.format)?;
        Some(u64::from(self.width).div_ceil(width) * u64::from(self.height).div_ceil(height) * size)
    }

    /// Bytes of the palette.
    pub fn palette_size(&self) -> u64 {
        2 * u64::from(self.palette_entries)
    }

    /// Whether the format takes its colours from a palette.
    pub const fn is_paletted(&self) -> bool {
        matches!(self.format, 0x8..=0xA)
    }
}

/// A parsed texture section.
#[derive(Debug, Clone)]
pub struct Tex<'a> {
    view: View<'a>,
    /// Number of textures.
    pub texture_count: u16,
    /// Number of palettes.
    pub palette_count: u16,
    /// The descriptors that lie inside the section.
    pub textures: Vec<TextureDescriptor>,
    /// What the section does not hold whole.
    pub problems: Vec<ReadError>,
}

impl<'a> Tex<'a> {
    /// Reads a section of a block.
    ///
    /// # Errors
    /// When the section does not hold its counts.
    pub fn parse_view(view: View<'a>) -> ReadResult<Self> {
        let view = view.with_endian(Endian::Big);
        let texture_count = view.u16(0, "TEX texture count")?;
        let palette_count = view.u16(2, "TEX palette count")?;
        let held = (view.len().saturating_sub(4) / DESCRIPTOR_SIZE).min(texture_count.into());
        let mut problems = Vec::new();
        if held < u64::from(texture_count) {
            let problem = ReadError::new(
                "TEX descriptors",
                view.base() + 4,
                format!("{texture_count} descriptors of 0x20 bytes"),
                format!("room for {held} in a section of {:#x} bytes", view.len()),
            );
            problems.push(problem.led_by(view.base()));
        }
        let textures = (0..held).map_while(|index| descriptor(view, 4 + index * DESCRIPTOR_SIZE).ok());
        Ok(Self { view, texture_count, palette_count, textures: textures.collect(), problems })
    }

    /// The bytes of the section.
    pub fn view(&self) -> View<'a> {
        self.view
    }
}

fn descriptor(view: View, offset: u64) -> ReadResult<TextureDescriptor> {
    let bytes = view.sub(offset, DESCRIPTOR_SIZE, "texture descriptor")?;
    let mut raw = [0; DESCRIPTOR_SIZE as usize];
    raw.copy_from_slice(bytes.bytes());
    Ok(TextureDescriptor {
        offset,
        image: bytes.u32(0, "texture image")?,
        palette: bytes.u32(4, "texture palette")?,
        height: bytes.u16(8, "texture height")?,
        width: bytes.u16(0xA, "texture width")?,
        format: bytes.u8(0x17, "texture format")?,
        palette_entries: bytes.u16(0x18, "palette entries")?,
        palette_format: bytes.u8(0x1A, "palette format")?,
        raw,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn image_sizes_come_in_whole_blocks_of_pixels() {
        let mut bytes = vec![0, 1, 0, 0];
        bytes.resize(4 + 0x20, 0);
        bytes[4 + 8..4 + 12].copy_from_slice(&[0, 9, 0, 17]);
        bytes[4 + 0x17] = 0xE;
        let tex = Tex::parse_view(View::new(&bytes, Endian::Big)).unwrap();
        assert_eq!((tex.textures[0].height, tex.textures[0].width), (9, 17));
        assert_eq!(tex.textures[0].image_size(), Some(3 * 2 * 32));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 4..200)) {
            let tex = Tex::parse_view(View::new(&bytes, Endian::Big)).unwrap();
            prop_assert!(tex.textures.len() <= bytes.len() / 0x20);
            for texture in &tex.textures {
                let _ = (texture.image_size(), texture.palette_size());
            }
        }
    }
}
