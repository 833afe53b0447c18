//! The texture section, and the states that name its textures.

use super::codes;
use super::found::Found;
use super::subject::Subject;
use crate::c3::format::tex::TextureDescriptor;

/// States of a submesh that are looked at.
const STATE_LIMIT: usize = 4096;
/// The id of a state that sets a texture. \[formats.md 1.4\]
const TEXTURE_STATE: u8 = 1;
/// The bits of its setting that hold the texture's number. \[formats.md 1.4\]
const TEXTURE_INDEX: u32 = 0x1FFF;

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(tex) = &subject.model.tex else { return };
    indices(subject, tex.textures.len(), found);
    for (index, texture) in tex.textures.iter().enumerate() {
        let at = |field: u64| {
            let offset = tex.view().base() + texture.offset + field;
            subject.place("TEX", offset).entry(format!("texture {index}"))
        };
        let Some(size) = texture.image_size() else {
            let text = format!("image format {:#x}", texture.format);
            let help =
                "want 0 I4, 1 I8, 2 IA4, 3 IA8, 4 RGB565, 5 RGB5A3, 6 RGBA8, 8 C4, 9 C8, 10 C14X2 or 14 CMPR";
            found.push(
                Found::new(&codes::TEXTURE_FORMAT, at(0x17).field("format"), text, help)
                    .spoils("it is decoded as noise"),
            );
            continue;
        };
        if texture.is_paletted() && texture.palette_format > 2 {
            let text = format!("palette format {:#x}", texture.palette_format);
            let help = "want 0 IA8, 1 RGB565 or 2 RGB5A3";
            let place = at(0x1A).field("palette format");
            let finding = Found::new(&codes::TEXTURE_FORMAT, place, text, help);
            found.push(finding.spoils("its colours are noise"));
        }
        for (what, field, start, size) in parts(texture, size) {
            if u64::from(start) + size > tex.view().len() {
                let text = format!(
                    "its {what}: want {size:#x} bytes at {start:#x}, have a section of {:#x} bytes",
                    tex.view().len()
                );
                let help = "correct the pointer, the size or the format";
                let finding = Found::new(&codes::TEXTURE_OUT_OF_BOUNDS, at(field).field(what), text, help);
                found.push(finding.spoils("what lies behind the section is drawn"));
            }
        }
    }
}

/// States that set a texture which the section does not have. A model without a section finds its textures by the
/// palette's name, in another file.
fn indices(subject: &Subject, count: usize, found: &mut Vec<Found>) {
    let Some(gpl) = subject.gpl() else { return };
    for submesh in &gpl.submeshes {
        let display = submesh.layout.as_ref().and_then(|layout| layout.display.as_ref());
        let states = display.into_iter().flat_map(|display| display.states.iter().zip(0..).take(STATE_LIMIT));
        for (state, number) in states.filter(|(state, _)| state.id == TEXTURE_STATE) {
            let index = state.setting & TEXTURE_INDEX;
            if (index as usize) < count {
                continue;
            }
            let text = format!("it sets texture {index} of {count}");
            let help = "name a texture of the section, or add one";
            let place = subject.gpl_place(state.offset + 4);
            let place = place.entry(format!("submesh {} state {number}", submesh.index)).field("setting");
            let finding = Found::new(&codes::TEXTURE_OUT_OF_BOUNDS, place, text, help);
            found.push(finding.spoils("what lies behind the descriptors is taken for a texture"));
        }
    }
}

/// What a descriptor points at: its name, the pointer's offset in the descriptor, where it leads, its size.
fn parts(texture: &TextureDescriptor, image: u64) -> Vec<(&'static str, u64, u32, u64)> {
    let mut parts = vec![("image", 0, texture.image, image)];
    if texture.is_paletted() {
        parts.push(("palette", 4, texture.palette, texture.palette_size()));
    }
    parts
}
