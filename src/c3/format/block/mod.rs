//! The model block: one file that holds a model's sections, all addressed from its start.
//!
//! Header, 0x20 bytes: a zero word, then the starts of GPL, ACT, TEX, SKN, an unused sixth pointer,
//! facial poses and an unknown eighth pointer; 0 stands for "none". \[formats.md 3.1, from a survey of
//! 1,422 blocks\]

use std::ops::Range;

use crate::bytes::{Endian, ReadResult, View};

mod section_table;

/// Size of the section table at the start of a block, in bytes.
pub const HEADER_SIZE: u64 = 0x20;

/// A section of a block, in header order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// Geometry palette.
    Gpl,
    /// Skeleton.
    Act,
    /// Textures.
    Tex,
    /// Skinning data.
    Skn,
    /// The sixth header word: null in every known block.
    Ptr6,
    /// Facial poses.
    Facial,
    /// The eighth header word: meaning unknown.
    Ptr8,
}

impl SectionKind {
    /// Every section in header order.
    pub const ALL: [Self; 7] =
        [Self::Gpl, Self::Act, Self::Tex, Self::Skn, Self::Ptr6, Self::Facial, Self::Ptr8];

    /// The name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpl => "GPL",
            Self::Act => "ACT",
            Self::Tex => "TEX",
            Self::Skn => "SKN",
            Self::Ptr6 => "ptr6",
            Self::Facial => "facial",
            Self::Ptr8 => "ptr8",
        }
    }

    /// Offset of the section's pointer in the block header.
    pub const fn header_offset(self) -> u64 {
        4 + 4 * self as u64
    }
}

/// A section that the header names and the block holds.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// Which one.
    pub kind: SectionKind,
    /// Start in the block, as the header says.
    pub offset: u32,
    /// Its bytes, up to the next section (by offset) or the end of the block. Empty when the header
    /// points outside. A pointer into the middle of another section ends nothing: see [`Section::inside`].
    pub view: View<'a>,
    /// The section whose own tables reach over this one's start, when nothing of this kind lies there.
    pub inside: Option<SectionKind>,
}

impl Section<'_> {
    /// Whether the start lies inside the block, behind the header.
    pub fn is_inside(&self) -> bool {
        !self.view.is_empty() && u64::from(self.offset) >= HEADER_SIZE
    }

    /// The bytes of the block that the section takes.
    pub fn range(&self) -> Range<u64> {
        u64::from(self.offset)..u64::from(self.offset) + self.view.len()
    }
}

/// A parsed model block.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    view: View<'a>,
    /// The eight header words as stored.
    pub header: [u32; 8],
    sections: Vec<Section<'a>>,
}

impl<'a> Block<'a> {
    /// Reads a block from the bytes of its file.
    ///
    /// # Errors
    /// When there is no whole header. Section pointers are not judged here.
    pub fn parse(bytes: &'a [u8]) -> ReadResult<Self> {
        let view = View::new(bytes, Endian::Big);
        let words = view.sub(0, HEADER_SIZE, "block header")?;
        let mut header = [0; 8];
        for (index, word) in header.iter_mut().enumerate() {
            *word = words.u32(4 * index as u64, "block header")?;
        }
        Ok(Self { view, header, sections: section_table::sections(view, &header) })
    }

    /// The whole block.
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// Length of the block in bytes.
    pub fn total(&self) -> u64 {
        self.view.len()
    }

    /// The sections that the header names, in header order.
    pub fn sections(&self) -> &[Section<'a>] {
        &self.sections
    }

    /// One section, if the header names it.
    pub fn section(&self, kind: SectionKind) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.kind == kind)
    }

    /// The bytes of the block as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.view.bytes().to_vec();
        for (index, word) in self.header.iter().enumerate() {
            super::overlay(&mut bytes, 4 * index as u64, &word.to_be_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(words: [u32; 8], length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        bytes.resize(length, 0xAA);
        bytes
    }

    #[test]
    fn a_section_ends_where_the_next_one_by_offset_begins() {
        let bytes = block([0, 0x20, 0x80, 0, 0x40, 0, 0, 0], 0xA0);
        let block = Block::parse(&bytes).unwrap();
        assert_eq!(block.section(SectionKind::Gpl).unwrap().range(), 0x20..0x40);
        assert_eq!(block.section(SectionKind::Skn).unwrap().range(), 0x40..0x80);
        assert_eq!(block.section(SectionKind::Act).unwrap().range(), 0x80..0xA0);
        assert!(block.section(SectionKind::Tex).is_none());
    }

    #[test]
    fn a_pointer_outside_is_kept_as_an_empty_section() {
        let bytes = block([0, 0x20, 0, 0, 0xFFFF_FFE0, 0, 0, 0], 0x40);
        let block = Block::parse(&bytes).unwrap();
        let skn = block.section(SectionKind::Skn).unwrap();
        assert!(!skn.is_inside());
        assert_eq!(skn.offset, 0xFFFF_FFE0);
    }

    #[test]
    fn less_than_a_header_is_an_error() {
        assert!(Block::parse(&[0; 0x1F]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_written_back_as_they_were(bytes in proptest::collection::vec(any::<u8>(), 0x20..0x80)) {
            let block = Block::parse(&bytes).unwrap();
            prop_assert_eq!(block.to_bytes(), bytes);
        }
    }
}
