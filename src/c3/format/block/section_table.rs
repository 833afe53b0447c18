//! Where each section of a block ends: nothing in the file says it.
//!
//! The game follows pointers and needs no ends; a section is taken to end where the next one begins. A pointer
//! that was put into the middle of another section must not cut that one short: it ends nothing when no section
//! of its kind lies there and another one's own tables reach over it.

use std::ops::Range;

use super::{HEADER_SIZE, Section, SectionKind};
use crate::bytes::{Endian, ReadResult, View};
use crate::c3::format::act::{self, Act};
use crate::c3::format::facial::Facial;
use crate::c3::format::gpl::Gpl;
use crate::c3::format::skn::{List, STRIDE, Skn};
use crate::c3::format::tex::{DESCRIPTOR_SIZE, Tex};

/// The sections that the header names, in header order.
pub(super) fn sections<'a>(block: View<'a>, header: &[u32; 8]) -> Vec<Section<'a>> {
    let named: Vec<(SectionKind, u32)> = SectionKind::ALL
        .into_iter()
        .zip(header[1..].iter().copied())
        .filter(|&(_, offset)| offset != 0)
        .collect();
    let holders: Vec<Option<SectionKind>> =
        named.iter().map(|&(kind, offset)| holder(block, &named, kind, offset)).collect();
    let ends = || named.iter().zip(&holders).filter(|(_, holder)| holder.is_none()).map(|(&(_, at), _)| at);
    let section = |(&(kind, offset), &inside): (&(SectionKind, u32), &Option<SectionKind>)| {
        let end = ends().filter(|&end| end > offset).min();
        Section { kind, offset, view: up_to(block, offset, end), inside }
    };
    named.iter().zip(&holders).map(section).collect()
}

fn up_to(block: View, offset: u32, end: Option<u32>) -> View {
    let end = end.map_or(block.len(), |end| u64::from(end).min(block.len()));
    let start = u64::from(offset).min(end);
    block.sub(start, end - start, "section").unwrap_or(View::new(&[], Endian::Big))
}

/// The section whose tables reach over `offset`, when what lies there is nothing of `kind`.
fn holder(block: View, named: &[(SectionKind, u32)], kind: SectionKind, offset: u32) -> Option<SectionKind> {
    if u64::from(offset) < HEADER_SIZE || makes_sense(kind, up_to(block, offset, None)) {
        return None;
    }
    let before = named.iter().filter(|&&(other, start)| other != kind && start < offset);
    before
        .max_by_key(|&&(_, start)| start)
        .filter(|&&(other, start)| {
            let inner = u64::from(offset - start);
            let view = up_to(block, start, None);
            let reach = reach(other, view).unwrap_or_default();
            reach.iter().any(|range| range.end <= view.len() && range.end > inner)
        })
        .map(|&(other, _)| other)
}

/// Whether a section of this kind can lie at the start of `view`: its first tables fit. Of the two unknown
/// pointers nobody knows what they would name; they are null in every known block.
fn makes_sense(kind: SectionKind, view: View) -> bool {
    let fits =
        |start: u64, count: u64, size: u64| count > 0 && start.saturating_add(count * size) <= view.len();
    let check = || -> ReadResult<bool> {
        Ok(match kind {
            SectionKind::Gpl => fits(view.u32(0x10, "")?.into(), view.u32(0xC, "")?.into(), 8),
            SectionKind::Act => fits(act::HEADER_SIZE, view.u16(6, "")?.into(), act::BONE_SIZE),
            SectionKind::Tex => {
                let first = u64::from(view.u32(4, "")?);
                fits(4, view.u16(0, "")?.into(), DESCRIPTOR_SIZE) && (1..view.len()).contains(&first)
            }
            SectionKind::Skn => {
                let skn = Skn::parse_view(view)?;
                skn.problems.is_empty() && skn.entries().next().is_some()
            }
            SectionKind::Facial => {
                let facial = Facial::parse_view(view)?;
                facial.problems.is_empty() && !facial.objects.is_empty()
            }
            SectionKind::Ptr6 | SectionKind::Ptr8 => false,
        })
    };
    check().unwrap_or(false)
}

/// What a section's own tables take of it, from its start. A table that does not fit into the block counts for
/// nothing.
fn reach(kind: SectionKind, view: View) -> ReadResult<Vec<Range<u64>>> {
    let from = |start: u32, size: u64| u64::from(start)..u64::from(start).saturating_add(size);
    Ok(match kind {
        SectionKind::Gpl => {
            let gpl = Gpl::parse_view(view)?;
            let layouts = gpl.submeshes.iter().filter_map(|submesh| submesh.layout.as_ref());
            let lists = layouts.clone().flat_map(|layout| layout.display_lists(gpl.header.version));
            let arrays = layouts.flat_map(|layout| {
                layout.position.iter().chain(&layout.colour).chain(&layout.textures).chain(&layout.lighting)
            });
            let arrays = arrays.filter_map(|array| Some((array.array_offset()?, array.array_size()?)));
            let arrays = arrays.map(|(start, size)| start..start.saturating_add(size));
            let lists = lists.map(|list| list.offset..list.offset.saturating_add(list.size.into()));
            arrays.chain(lists).collect()
        }
        SectionKind::Act => {
            let act = Act::parse_view(view)?;
            let bones = act.bones.iter().map(|bone| bone.offset..bone.offset + act::BONE_SIZE);
            let controls = act.bones.iter().filter(|bone| bone.control != 0);
            bones.chain(controls.map(|bone| from(bone.control, 0x34))).collect()
        }
        SectionKind::Tex => {
            let tex = Tex::parse_view(view)?;
            let images =
                tex.textures.iter().map(|texture| from(texture.image, texture.image_size().unwrap_or(0)));
            images.collect()
        }
        SectionKind::Skn => {
            let skn = Skn::parse_view(view)?;
            let header = &skn.header;
            let list = |start, count: u16, list: List| from(start, u64::from(count) * list.entry_size());
            let mut ranges = vec![
                list(header.sk1, header.sk1_count, List::Sk1),
                list(header.sk2, header.sk2_count, List::Sk2),
                list(header.skacc, header.skacc_count, List::SkAcc),
                from(header.flush, 2 * u64::from(header.flush_count)),
            ];
            ranges.extend(skn.sk1.iter().map(|entry| from(entry.source, u64::from(entry.count) * STRIDE)));
            ranges.extend(skn.sk2.iter().map(|entry| from(entry.source, u64::from(entry.count) * STRIDE)));
            ranges.extend(skn.skacc.iter().map(|entry| from(entry.source, u64::from(entry.count) * STRIDE)));
            ranges
        }
        SectionKind::Facial => {
            let facial = Facial::parse_view(view)?;
            facial.objects.iter().map(|object| from(object.data, object.record_size.into())).collect()
        }
        SectionKind::Ptr6 | SectionKind::Ptr8 => Vec::new(),
    })
}
