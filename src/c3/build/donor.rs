//! What a donor block gives to a model built in its place: the bones that a skin may use, and textures.

use std::collections::BTreeSet;

use super::DonorTextures;
use super::error::{BuildError, BuildResult};
use super::weights::Allowed;
use crate::c3::format::act::Act;
use crate::c3::format::block::SectionKind;
use crate::c3::model::Model;

/// The bones that a donor's skin uses, and any behind the donor's own. \[seed 003\]
///
/// # Errors
/// When the donor has no skinning data or no readable skeleton.
pub fn allowed(donor: &Model) -> BuildResult<Allowed> {
    let skn = donor.skn.as_ref().ok_or_else(|| BuildError::new("donor", "an SKN section", "none"))?;
    let act = donor.act.ok_or_else(|| BuildError::new("donor", "an ACT section", "none"))?;
    let act = Act::parse_view(act)?;
    let one = skn.sk1.iter().map(|entry| entry.bone);
    let two = skn.sk2.iter().flat_map(|entry| entry.bones);
    let further = skn.skacc.iter().map(|entry| entry.bone);
    let skinned: BTreeSet<u16> = one.chain(two).chain(further).collect();
    Ok(Allowed::Donor { skinned, bones: act.header.bone_count })
}

/// The donor's textures, if its skinned submesh draws some.
pub fn textures(donor: &Model) -> Option<DonorTextures> {
    let gpl = donor.gpl.as_ref()?;
    let (_, layout, _) = gpl.skinned()?;
    let name = layout.textures.first()?.palette_name_offset()?;
    let palette = gpl.view().c_string(name, "palette name").ok().filter(|name| !name.is_empty())?;
    let tex = donor.block.as_ref()?.section(SectionKind::Tex).filter(|section| section.is_inside());
    Some(DonorTextures {
        palette: palette.to_vec(),
        section: tex.map(|section| section.view.bytes().to_vec()),
    })
}
