//! A model as the game gets it: a block, or loose files that belong together.

use super::format::block::{Block, SectionKind};
use super::format::gpl::Gpl;
use super::format::skn::Skn;
use super::format::tex::Tex;
use crate::bytes::{Endian, ReadError, ReadResult, View};

/// The loose files of a model. Only the GPL is required.
#[derive(Debug, Clone, Copy, Default)]
pub struct LooseFiles<'a> {
    /// Geometry palette.
    pub gpl: &'a [u8],
    /// Skinning data.
    pub skn: Option<&'a [u8]>,
    /// Skeleton.
    pub act: Option<&'a [u8]>,
    /// Animation bank.
    pub anm: Option<&'a [u8]>,
}

/// A parsed model: as much of every section as can be read.
#[derive(Debug, Clone, Default)]
pub struct Model<'a> {
    /// The block's own table, when the model is a block.
    pub block: Option<Block<'a>>,
    /// Geometry palette.
    pub gpl: Option<Gpl<'a>>,
    /// Skinning data.
    pub skn: Option<Skn<'a>>,
    /// Textures.
    pub tex: Option<Tex<'a>>,
    /// Bytes of the skeleton.
    pub act: Option<View<'a>>,
    /// Bytes of the facial poses.
    pub facial: Option<View<'a>>,
    /// Bytes of the animation bank.
    pub anm: Option<View<'a>>,
    /// Sections whose own header cannot be read.
    pub problems: Vec<ReadError>,
}

impl<'a> Model<'a> {
    /// Reads a model block.
    ///
    /// # Errors
    /// When the block's header is not whole; a section that cannot be read is a problem instead.
    pub fn from_block(bytes: &'a [u8]) -> ReadResult<Self> {
        let block = Block::parse(bytes)?;
        let mut problems = Vec::new();
        let section = |kind| block.section(kind).filter(|section| section.is_inside());
        let view = |kind| section(kind).map(|section| section.view);
        // Skinning runs on whatever its pointers name; textures and poses that are none are not worth reading.
        let sound =
            |kind| section(kind).filter(|section| section.inside.is_none()).map(|section| section.view);
        let gpl = view(SectionKind::Gpl).map(Gpl::parse_view);
        let skn = view(SectionKind::Skn).map(Skn::parse_view);
        let tex = sound(SectionKind::Tex).map(Tex::parse_view);
        let gpl = gpl.and_then(|gpl| note(gpl, SectionKind::Gpl, &mut problems));
        let skn = skn.and_then(|skn| note(skn, SectionKind::Skn, &mut problems));
        let tex = tex.and_then(|tex| note(tex, SectionKind::Tex, &mut problems));
        let (act, facial) = (view(SectionKind::Act), sound(SectionKind::Facial));
        Ok(Self { gpl, skn, tex, act, facial, anm: None, problems, block: Some(block) })
    }

    /// The model with the animation bank that is played on it, if there is one; otherwise with its own.
    #[must_use]
    pub fn with_bank(self, bank: Option<&'a [u8]>) -> Self {
        let anm = bank.map(|bytes| View::new(bytes, Endian::Big)).or(self.anm);
        Self { anm, ..self }
    }

    /// Reads loose files.
    ///
    /// # Errors
    /// When the header of the GPL or the SKN is not whole.
    pub fn from_loose(files: LooseFiles<'a>) -> ReadResult<Self> {
        let view = |bytes| View::new(bytes, Endian::Big);
        Ok(Self {
            gpl: Some(Gpl::parse(files.gpl)?),
            skn: files.skn.map(Skn::parse).transpose()?,
            act: files.act.map(view),
            anm: files.anm.map(view),
            ..Self::default()
        })
    }

    /// Offset in the GPL of the array that skinning writes to, and how many vertices it stores.
    pub fn skinned_positions(&self) -> Option<(u64, u16)> {
        let (_, _, position) = self.gpl.as_ref()?.skinned()?;
        Some((position.array_offset()?, position.count))
    }
}

/// Keeps why a section's header cannot be read, told at the block's pointer to it.
fn note<T>(result: ReadResult<T>, kind: SectionKind, problems: &mut Vec<ReadError>) -> Option<T> {
    result.map_err(|problem| problems.push(problem.led_by(kind.header_offset()))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_whose_sections_cannot_be_read_is_still_a_model() {
        let mut bytes = vec![0; 0x24];
        bytes[7] = 0x20;
        bytes[0x13] = 0x22;
        let model = Model::from_block(&bytes).unwrap();
        assert!(model.gpl.is_none() && model.skn.is_none());
        assert_eq!(model.problems.len(), 2);
        assert_eq!(model.problems[0].offset, 4, "at the pointer, not where it leads");
    }

    #[test]
    fn a_loose_gpl_must_have_its_header() {
        assert!(Model::from_loose(LooseFiles { gpl: &[0; 0x13], ..LooseFiles::default() }).is_err());
    }
}
