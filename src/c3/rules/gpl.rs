//! The GPL's tables: number types, component counts, the skinned submesh.

use super::codes;
use super::effects::Part;
use super::found::{Found, Reach};
use super::subject::Subject;
use crate::c3::format::gpl::{ArrayHeader, ArrayKind, Gpl, Layout, QuantizeType, Submesh, TEXTURE_CHANNELS};
use crate::finding::{Effect, Place};

/// Why no frame shows what a word off its boundary does.
pub(super) const UNREAD: &str =
    "frames read words wherever they lie: what the game makes of these is not shown";

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(gpl) = subject.gpl() else { return };
    for submesh in &gpl.submeshes {
        let Some(layout) = &submesh.layout else { continue };
        for array in arrays(layout) {
            quantize(subject, submesh, array, found);
            components(subject, submesh, array, found);
        }
        headers_unaligned(subject, submesh, layout, found);
        texture_channels(subject, submesh, layout, found);
    }
    descriptors(subject, gpl, found);
    skinned_submesh(subject, gpl, found);
    positions(subject, found);
}

fn arrays(layout: &Layout) -> impl Iterator<Item = &ArrayHeader> {
    layout.position.iter().chain(&layout.colour).chain(&layout.textures).chain(&layout.lighting)
}

fn quantize(subject: &Subject, submesh: &Submesh, array: &ArrayHeader, found: &mut Vec<Found>) {
    let (known, table) = match array.kind {
        ArrayKind::Colour => {
            (array.quantize.colour_size().is_some(), "0 RGB565, 1 RGB8, 2 RGBX8, 3 RGBA4, 4 RGBA6, 5 RGBA8")
        }
        _ => (array.quantize.component().is_some(), "0 u8, 1 s8, 2 u16, 3 s16, 4 f32"),
    };
    if known || array.array == 0 {
        return;
    }
    let byte = array.quantize.0;
    let text = format!(
        "submesh {} {}: quantize byte {byte:#04x} has number type {}, which the library refuses",
        submesh.index,
        array.kind.name(),
        byte >> 4
    );
    let place = subject.gpl_place(u64::from(array.offset) + 6).field("quantize");
    let help = format!("the high nibble is one of {table}; the low one counts fraction bits");
    let finding = Found::new(&codes::QUANTIZE_UNKNOWN, place, text, help);
    found.push(finding.always(Effect::Faults("the library stops: unknown quantization type".into())));
}

fn components(subject: &Subject, submesh: &Submesh, array: &ArrayHeader, found: &mut Vec<Found>) {
    let supported: &[u8] = match array.kind {
        ArrayKind::Position => &[2, 3, 6],
        ArrayKind::Colour => &[3, 4],
        ArrayKind::Texture(_) => &[1, 2],
        ArrayKind::Normal => &[3, 6, 9],
    };
    // A null array is the built-in normal table, or nothing at all.
    if array.array == 0 || supported.contains(&array.components) {
        return;
    }
    let text = format!("submesh {} {}: {} components", submesh.index, array.kind.name(), array.components);
    let place = subject.gpl_place(u64::from(array.offset) + 7).field("components");
    let want: Vec<_> = supported.iter().map(ToString::to_string).collect();
    let help = format!("want {}", want.join(", "));
    let finding = Found::new(&codes::COMPONENTS_UNSUPPORTED, place, text, help);
    found.push(finding.spoils("the vertex format is set up wrongly, or not at all"));
}

/// A vertex has room for eight texture coordinates: the headers of more are other bytes.
fn texture_channels(subject: &Subject, submesh: &Submesh, layout: &Layout, found: &mut Vec<Found>) {
    let (count, pointer) = (layout.texture_channels, layout.pointers[2]);
    if count <= TEXTURE_CHANNELS || pointer == 0 {
        return;
    }
    let text = format!("submesh {}: {count} texture channels", submesh.index);
    let help = format!("want at most {TEXTURE_CHANNELS}, the texture coordinates that a vertex can have");
    let place = subject.gpl_place(u64::from(layout.offset) + 0x14).field("texture channels");
    let finding = Found::new(&codes::COMPONENTS_UNSUPPORTED, place, text, help);
    found.push(finding.spoils("what follows the texture headers is taken for more of them"));
}

/// More descriptors than there is room for before the first layout: that they do not fit the section is told as such.
fn descriptors(subject: &Subject, gpl: &Gpl, found: &mut Vec<Found>) {
    let (meant, count) = (gpl.submeshes.len() as u64, u64::from(gpl.header.descriptor_count));
    let start = u64::from(gpl.header.descriptors);
    if meant == 0 || meant >= count || start + 8 * count > gpl.view().len() {
        return;
    }
    let text = format!(
        "the header counts {count} descriptors: from number {meant} on, at {:#x} of the GPL, lie zeroes, a name or a layout",
        start + 8 * meant
    );
    let help = "correct the count: a descriptor has 8 bytes";
    let place = subject.gpl_place(0xC).field("descriptor count");
    let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help);
    found.push(finding.spoils("what lies behind the descriptors is taken for submeshes"));
}

fn headers_unaligned(subject: &Subject, submesh: &Submesh, layout: &Layout, found: &mut Vec<Found>) {
    let at = |pointer: u64| u64::from(layout.offset) + pointer;
    let display = layout.display.as_ref().map(|display| ("display".to_owned(), display.offset, at(0x10)));
    let headers = arrays(layout)
        .map(|array| (array.kind.name(), array.offset, at(array.kind.pointer_offset())))
        .chain(display);
    let layout = std::iter::once(("layout".to_owned(), layout.offset, submesh.offset));
    for (name, offset, pointer) in layout.chain(headers).filter(|(_, offset, _)| offset % 4 != 0) {
        let text = format!("submesh {}: the {name} header lies at {offset:#x}", submesh.index);
        let help = "headers hold words: place them on multiples of 4";
        let place = subject.gpl_place(pointer).field(format!("{name} header"));
        found.push(Found::new(&codes::HEADER_UNALIGNED, place, text, help).unseen(UNREAD));
    }
}

fn skinned_submesh(subject: &Subject, gpl: &Gpl, found: &mut Vec<Found>) {
    if subject.skn().is_none() {
        return;
    }
    let skinned: Vec<u32> = gpl
        .submeshes
        .iter()
        .filter(|submesh| submesh.layout.as_ref().is_some_and(Layout::is_skinned))
        .map(|submesh| submesh.index)
        .collect();
    match skinned[..] {
        [0] => {}
        [] => {
            let text = "no submesh has component count 6: skinning would write to the bottom of memory";
            let help = "give the skinned submesh's position header component count 6";
            found.push(nowhere(subject.gpl_place(0x10), text, help));
        }
        [only] => {
            let text = format!("the skinned submesh is number {only}");
            let help = "known models have it first, and tools for Super Sluggers take submesh 0 for it";
            found.push(Found::new(&codes::SKINNED_SUBMESH_NOT_FIRST, subject.gpl_place(0x10), text, help));
        }
        [.., last] => {
            let text = format!("submeshes {skinned:?} have component count 6; the last, {last}, is skinned");
            let help = "leave component count 6 to one submesh";
            found.push(Found::new(&codes::SKINNED_SUBMESH_NOT_FIRST, subject.gpl_place(0x10), text, help));
        }
    }
}

/// Destinations that stay offsets: skinning goes to the bottom of physical memory. \[formats.md 1.3\]
fn nowhere(place: Place, text: &str, help: &str) -> Found {
    let finding = Found::new(&codes::NO_SKINNED_SUBMESH, place, text, help).reach(Reach::Everything);
    finding.always(Effect::Overwrites("the bottom of physical memory".to_owned()))
}

/// The skinned array must be there.
fn position_array(subject: &Subject, position: &ArrayHeader, found: &mut Vec<Found>) {
    if position.array == 0 {
        let text = "the skinned submesh has no position array: skinning would write to the bottom of memory";
        let help = "point the skinned submesh's position header to its array";
        found.push(nowhere(subject.gpl_place(position.offset.into()).field("array"), text, help));
    }
}

fn positions(subject: &Subject, found: &mut Vec<Found>) {
    let (Some(gpl), Some(skn)) = (subject.gpl(), subject.skn()) else { return };
    let shift = skn.header.shift;
    let all = 0..u64::from(u32::MAX);
    if shift == 0 || shift > 31 {
        let text = format!("the skinning shift is {shift}");
        let help = "want 1 to 31, the fraction bits of the positions; the register keeps six bits, signed";
        let place = subject.skn_place(6).field("shift");
        found.push(Found::new(&codes::SHIFT_OUT_OF_RANGE, place, text, help).slots(all.clone()));
    }
    let Some((_, _, position)) = gpl.skinned() else { return };
    position_array(subject, position, found);
    let place = subject.gpl_place(u64::from(position.offset) + 6).field("quantize");
    if position.quantize.component() != Some(QuantizeType::S16) {
        let text = format!(
            "the skinned positions have quantize byte {:#04x}: the kernels read and write s16 all the same",
            position.quantize.0
        );
        let help = "store the positions as s16: high nibble 3";
        let finding = Found::new(&codes::SKINNED_POSITIONS_NOT_S16, place.clone(), text, help);
        found.push(finding.spoils("the graphics processor takes s16 values for another type"));
    }
    if position.quantize.fraction_bits() != shift {
        let text = format!(
            "positions have {} fraction bits, skinning uses {shift}",
            position.quantize.fraction_bits()
        );
        let help = "make both the same: translations are scaled by the difference";
        found.push(Found::new(&codes::SHIFT_MISMATCH, place, text, help).slots(all));
    }
    if let Some(start) = position.array_offset().filter(|start| (gpl.view().base() + start) % 32 != 0) {
        let text = format!(
            "the skinned position array begins at {start:#x}, {} bytes into a cache line",
            (gpl.view().base() + start) % 32
        );
        let help = "begin the array on a multiple of 32 bytes: transfers move whole lines";
        let place = subject.gpl_place(position.offset.into()).field("array");
        let finding = Found::new(&codes::POSITIONS_UNALIGNED, place, text, help);
        // Stores may be longer, too: over structures that are drawn from.
        found.push(finding.slots(0..u64::from(u32::MAX)).part(Part::Draw));
    }
}
