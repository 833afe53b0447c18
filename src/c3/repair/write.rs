//! Putting a plan back into the files: a new SKN, the position array and what draws it patched in place or
//! moved to the end of the palette, facial poses renumbered, sections shifted.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{Plan, Reason, position_bytes};
use crate::c3::build::container;
use crate::c3::format::align32;
use crate::c3::format::block::{Block, SectionKind};
use crate::c3::format::facial::{AttributeSource, Facial, FacialSource, MOST_VALUES, ObjectSource, Run};
use crate::c3::format::gpl::{
    Attribute, AttributeMode, CommandKind, Gpl, Layout, VertexDescriptor, structures,
};
use crate::c3::format::skn::STRIDE;
use crate::c3::model::Model;

/// The files of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// A block.
    Block(Vec<u8>),
    /// A loose pair.
    Loose {
        /// Geometry palette.
        gpl: Vec<u8>,
        /// Skinning data.
        skn: Vec<u8>,
        /// Skeleton, where there is one; it stays as it is.
        act: Option<Vec<u8>>,
    },
}

impl Files {
    /// The files of a parsed model.
    pub fn of(model: &Model) -> Option<Self> {
        match (&model.block, &model.gpl, &model.skn) {
            (Some(block), ..) => Some(Self::Block(block.view().bytes().to_vec())),
            (None, Some(gpl), Some(skn)) => Some(Self::Loose {
                gpl: gpl.view().bytes().to_vec(),
                skn: skn.view().bytes().to_vec(),
                act: model.act.map(|act| act.bytes().to_vec()),
            }),
            _ => None,
        }
    }
}

impl Plan {
    /// The files with this plan in the place of the model's own skinning.
    ///
    /// # Errors
    /// When something cannot be renumbered or does not fit its field.
    pub fn write(&self, model: &Model) -> Result<Files, Reason> {
        let skn = self.skn().to_bytes().map_err(|error| error.to_string())?;
        let gpl = model.gpl.as_ref().ok_or("there is no GPL section")?;
        let new_gpl = self.write_gpl(gpl)?;
        let Some(block) = &model.block else {
            let act = model.act.map(|act| act.bytes().to_vec());
            return Ok(Files::Loose { gpl: new_gpl, skn, act });
        };
        let facial = match model.facial {
            Some(view) if !self.moves.is_empty() => self.facial(gpl, Facial::parse_view(view))?,
            _ => None,
        };
        let mut replaced = BTreeMap::from([(SectionKind::Gpl, new_gpl), (SectionKind::Skn, skn)]);
        replaced.extend(facial.map(|bytes| (SectionKind::Facial, bytes)));
        assemble(block, &replaced).map(Files::Block)
    }

    fn write_gpl(&self, gpl: &Gpl) -> Result<Vec<u8>, Reason> {
        let mut bytes = gpl.view().bytes().to_vec();
        let (_, layout, header) = gpl.skinned().ok_or("no submesh has skinned positions")?;
        if !self.moves.is_empty() {
            renumber(gpl, layout, &self.moves, &mut bytes)?;
        }
        let start = header.array_offset().ok_or("the position array is missing")?;
        let stored = position_bytes(&self.positions);
        let count =
            u16::try_from(self.positions.len()).map_err(|_| "more than 65535 slots are stored".to_owned())?;
        let need = self.reserve.max(stored.len() as u64);
        let at = place(gpl, start, need, &mut bytes)?;
        bytes[at as usize..at as usize + stored.len()].copy_from_slice(&stored);
        let field = header.offset as usize;
        let pointer = (at as u32).wrapping_sub(header.layout);
        bytes[field..field + 4].copy_from_slice(&pointer.to_be_bytes());
        bytes[field + 4..field + 6].copy_from_slice(&count.to_be_bytes());
        Ok(bytes)
    }

    /// Facial poses on the slots where their vertices went.
    fn facial(
        &self,
        gpl: &Gpl,
        facial: Result<Facial, crate::bytes::ReadError>,
    ) -> Result<Option<Vec<u8>>, Reason> {
        let facial = facial.map_err(|error| error.to_string())?;
        let skinned = gpl.skinned().map(|(submesh, ..)| submesh.index);
        let moved = |run: &Run| {
            let last = run.first.saturating_add(run.length.saturating_sub(1));
            run.length > 0 && self.moves.range(run.first..=last).next().is_some()
        };
        let on_body = |submesh: u8| Some(u32::from(submesh)) == skinned;
        let touched = facial
            .objects
            .iter()
            .flat_map(|object| &object.attributes)
            .any(|attribute| on_body(attribute.submesh) && attribute.runs.iter().any(moved));
        if !touched {
            return Ok(None);
        }
        if let Some(problem) = facial.problems.first() {
            return Err(format!("facial poses follow the slots and cannot be read: {problem}"));
        }
        if facial.value_count() > MOST_VALUES {
            let have = facial.value_count();
            return Err(format!(
                "facial poses follow the slots: want at most {MOST_VALUES} values, have {have}"
            ));
        }
        let mut objects = Vec::new();
        for object in &facial.objects {
            let mut attributes = Vec::new();
            for attribute in &object.attributes {
                let mut vertices = Vec::new();
                for vertex in attribute.vertices() {
                    let vertex = u16::try_from(vertex).map_err(|_| format!("facial vertex {vertex}"))?;
                    let to = if on_body(attribute.submesh) { self.moves.get(&vertex) } else { None };
                    vertices.push(*to.unwrap_or(&vertex));
                }
                let mut order: Vec<usize> = (0..vertices.len()).collect();
                order.sort_by_key(|&n| vertices[n]);
                let pose = |pose: usize| {
                    let values = facial.values(attribute, pose).map_err(|error| error.to_string())?;
                    Ok(order.iter().map(|&n| values[n]).collect())
                };
                let poses = (0..attribute.poses.len()).map(pose).collect::<Result<Vec<_>, Reason>>()?;
                let vertices = order.iter().map(|&n| vertices[n]).collect();
                let (submesh, kind) = (attribute.submesh, attribute.kind);
                attributes.push(AttributeSource { submesh, kind, vertices, poses });
            }
            objects.push(ObjectSource { attributes });
        }
        FacialSource { objects }.to_bytes().map(Some).map_err(|error| error.to_string())
    }
}

/// Where the position array goes: its old place if `need` bytes are free there, otherwise the end.
fn place(gpl: &Gpl, start: u64, need: u64, bytes: &mut Vec<u8>) -> Result<u64, Reason> {
    let old_end = bytes.len() as u64;
    let next = structures(gpl)
        .iter()
        .filter(|structure| structure.range.end > start && structure.range.start != start)
        .map(|structure| structure.range.start.max(start))
        .min();
    let at = match next {
        _ if !start.is_multiple_of(32) => align32(old_end),
        Some(next) if start + need > next => align32(old_end),
        _ => start,
    };
    let end = at + align32(need);
    if end > u64::from(u32::MAX) {
        return Err("the palette would be larger than its pointers can say".to_owned());
    }
    bytes.resize(bytes.len().max(end as usize), 0);
    Ok(at)
}

/// Renumbers the indices of every primitive of the skinned submesh.
fn renumber(gpl: &Gpl, layout: &Layout, moves: &BTreeMap<u16, u16>, bytes: &mut [u8]) -> Result<(), Reason> {
    let mut done = BTreeSet::new();
    for list in layout.display_lists(gpl.header.version) {
        if !done.insert((list.offset, list.descriptor.0)) {
            continue;
        }
        for command in gpl.commands(layout, &list) {
            let command = command.map_err(|error| error.to_string())?;
            let CommandKind::Draw(primitive) = command.kind else { continue };
            let mut at = command.offset as usize + 3;
            for _ in 0..primitive.count {
                at = renumber_vertex(layout, list.descriptor, moves, bytes, at)?;
            }
        }
    }
    Ok(())
}

/// Renumbers one vertex; gives where the next one begins.
fn renumber_vertex(
    layout: &Layout,
    descriptor: VertexDescriptor,
    moves: &BTreeMap<u16, u16>,
    bytes: &mut [u8],
    mut at: usize,
) -> Result<usize, Reason> {
    for attribute in Attribute::ALL {
        let is_slot = matches!(attribute, Attribute::Position | Attribute::Normal);
        match descriptor.mode(attribute) {
            AttributeMode::None => {}
            AttributeMode::Index8 => {
                let index = bytes.get(at).copied().ok_or("a primitive runs past its list")?;
                if let (true, Some(&to)) = (is_slot, moves.get(&u16::from(index))) {
                    bytes[at] = u8::try_from(to).map_err(
                        |_| "slots are drawn by 8-bit indices, which do not reach behind slot 255",
                    )?;
                }
                at += 1;
            }
            AttributeMode::Index16 => {
                let field = bytes.get_mut(at..at + 2).ok_or("a primitive runs past its list")?;
                let index = u16::from_be_bytes([field[0], field[1]]);
                if let (true, Some(to)) = (is_slot, moves.get(&index)) {
                    field.copy_from_slice(&to.to_be_bytes());
                }
                at += 2;
            }
            AttributeMode::Direct if attribute == Attribute::PositionMatrix => at += 1,
            AttributeMode::Direct if is_slot => return Err("positions are given directly".to_owned()),
            AttributeMode::Direct => {
                let size =
                    layout.array(attribute).and_then(crate::c3::format::gpl::ArrayHeader::element_size);
                at += size.ok_or("an attribute of unknown size is given directly")? as usize;
            }
        }
    }
    Ok(at)
}

/// The block with some sections replaced, in the order in which they lie; in place where sizes allow.
///
/// # Errors
/// When the block would be too large.
pub fn assemble(block: &Block, replaced: &BTreeMap<SectionKind, Vec<u8>>) -> Result<Vec<u8>, Reason> {
    let mut sections: Vec<_> = block.sections().iter().filter(|section| section.is_inside()).collect();
    sections.sort_by_key(|section| section.offset);
    let bytes_of = |section: &crate::c3::format::block::Section| {
        let mut bytes = replaced.get(&section.kind).map_or(section.view.bytes(), Vec::as_slice).to_vec();
        // A section that became shorter keeps its room, and the block its length.
        bytes.resize(bytes.len().max(section.view.len() as usize), 0);
        bytes
    };
    let contents: Vec<(SectionKind, Vec<u8>)> =
        sections.iter().map(|section| (section.kind, bytes_of(section))).collect();
    let same =
        sections.iter().zip(&contents).all(|(section, (_, bytes))| section.view.len() == bytes.len() as u64);
    if same {
        let mut bytes = block.to_bytes();
        for (section, (_, content)) in sections.iter().zip(&contents) {
            let start = section.offset as usize;
            bytes[start..start + content.len()].copy_from_slice(content);
        }
        return Ok(bytes);
    }
    let slices: Vec<(SectionKind, &[u8])> =
        contents.iter().map(|(kind, bytes)| (*kind, bytes.as_slice())).collect();
    let mut bytes = container::block(&slices).map_err(|error| error.to_string())?;
    bytes[..4].copy_from_slice(&block.header[0].to_be_bytes());
    Ok(bytes)
}

/// Bytes that the positions of a plan take at least: whole slots up to the end of the last stored line.
pub fn slots_up_to(end: u64) -> u64 {
    align32(end) / STRIDE
}
