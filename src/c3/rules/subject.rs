//! What the rules look at: a model, and what several rules derive from it.

use std::ops::Range;

pub use super::direct::{Direct, transfer_lines};
use super::direct::{behind_start, direct};
use crate::c3::coverage::{Coverage, TRANSFER_MASK, lead};
use crate::c3::format::align32;
use crate::c3::format::block::SectionKind;
use crate::c3::format::gpl::{Gpl, Structure, structures};
use crate::c3::format::skn::{EntryField, EntryId, List, STRIDE, Skn};
use crate::c3::model::Model;
use crate::c3::runtime::frame::ClearForm;
use crate::c3::runtime::owners::{SKN_ARRAYS, SKN_LISTS};
use crate::c3::runtime::simulation::RunOptions;
use crate::finding::Place;

/// A model under check, with models to compare it with.
#[derive(Debug)]
pub struct Subject<'m, 'a> {
    /// The model.
    pub model: &'m Model<'a>,
    /// The model that it was made from.
    pub donor: Option<&'m Model<'m>>,
    /// The high-detail model that it stands in for.
    pub lod_of: Option<&'m Model<'m>>,
    /// Address of the block, or of a loose GPL.
    pub address: u32,
    /// Address of a loose SKN, where it is known.
    pub skn_address: Option<u32>,
    /// How the frame clears.
    pub clear: ClearForm,
    /// How far into a cache line the position array begins.
    pub lead: u32,
    /// Who writes which slot.
    pub coverage: Coverage,
    /// SK1 and SK2 entries in the order in which a frame runs them.
    pub direct: Vec<Direct>,
    /// The GPL's structures.
    pub structures: Vec<Structure>,
}

impl<'m, 'a> Subject<'m, 'a> {
    /// A model at its default address, compared with nothing.
    pub fn new(model: &'m Model<'a>) -> Self {
        Self::of(model, TRANSFER_MASK, ClearForm::default())
    }

    /// The same on a machine with these switches.
    pub fn on(model: &'m Model<'a>, switches: &RunOptions) -> Self {
        Self::of(model, switches.game_code().dma_memory_mask, switches.clear)
    }

    fn of(model: &'m Model<'a>, mask: u32, clear: ClearForm) -> Self {
        let lead = lead(model);
        Self {
            model,
            donor: None,
            lod_of: None,
            address: 0x80A0_0000,
            skn_address: None,
            clear,
            lead,
            coverage: Coverage::masked(model, mask),
            direct: model.skn.as_ref().map(|skn| direct(skn, mask, lead)).unwrap_or_default(),
            structures: model.gpl.as_ref().map(structures).unwrap_or_default(),
        }
    }

    /// The GPL, if it can be read.
    pub fn gpl(&self) -> Option<&'m Gpl<'a>> {
        self.model.gpl.as_ref()
    }

    /// The skinning data, if there are any.
    pub fn skn(&self) -> Option<&'m Skn<'a>> {
        self.model.skn.as_ref()
    }

    /// An SK1 or SK2 entry.
    pub fn direct_entry(&self, id: EntryId) -> Option<&Direct> {
        let before = match id.list {
            List::Sk1 => 0,
            List::Sk2 => self.skn()?.sk1.len(),
            List::SkAcc => return None,
        };
        self.direct.get(before + id.index as usize).filter(|entry| entry.id == id)
    }

    /// A place at an offset of the GPL.
    pub fn gpl_place(&self, offset: u64) -> Place {
        let base = self.gpl().map_or(0, |gpl| gpl.view().base());
        self.place("GPL", base + offset)
    }

    /// A place at an offset of the SKN.
    pub fn skn_place(&self, offset: u64) -> Place {
        let base = self.skn().map_or(0, |skn| skn.view().base());
        self.place("SKN", base + offset)
    }

    /// The place of an entry.
    pub fn entry_place(&self, id: EntryId) -> Place {
        let offset = self.skn().map_or(0, |skn| skn.entry_offset(id));
        self.skn_place(offset).entry(id.to_string())
    }

    /// The place of a field of an entry.
    pub fn field_place(&self, id: EntryId, field: EntryField) -> Place {
        let entry = self.skn().map_or(0, |skn| skn.entry_offset(id));
        self.skn_place(entry + field.offset_in(id.list)).entry(id.to_string()).field(field.name())
    }

    /// A place at an offset of the file that holds the section, with its address where the section is loaded to
    /// one that is known: a block as a whole, a loose GPL, a loose SKN.
    pub fn place(&self, section: &str, file_offset: u64) -> Place {
        let base = match (&self.model.block, section) {
            (_, "ANM") => None,
            (Some(_), _) | (None, "GPL") => Some(self.address),
            (None, "SKN") => self.skn_address,
            (None, _) => None,
        };
        let offset = u32::try_from(file_offset).ok();
        let address = base.zip(offset).and_then(|(base, offset)| base.checked_add(offset));
        let place = Place::section(section).offset(file_offset);
        match address {
            Some(address) => place.address(address),
            None => place,
        }
    }

    /// Offset in the GPL of the skinned position array.
    pub fn positions(&self) -> Option<u64> {
        self.model.skinned_positions().map(|(offset, _)| offset)
    }

    /// Bytes of the skinned position array.
    pub fn stored_bytes(&self) -> u64 {
        self.model.skinned_positions().map_or(0, |(_, count)| u64::from(count) * STRIDE)
    }

    /// The bytes that the clear zeroes, from the position array.
    pub fn cleared(&self) -> Range<u64> {
        behind_start(&self.cleared_around(self.clear))
    }

    /// The bytes that the clear zeroes in one of its forms, what lies before the array included: whole lines, the
    /// first being the one that holds the start \[listing\], or the very bytes of the range.
    pub fn cleared_around(&self, form: ClearForm) -> Range<i64> {
        let Some(header) = self.skn().map(|skn| &skn.header).filter(|header| header.clear_size != 0) else {
            return 0..0;
        };
        let (start, size) = (i64::from(header.clear_start.cast_signed()), u64::from(header.clear_size));
        let (start, size) = match form {
            ClearForm::Dcbz => {
                let lead = i64::from(self.lead);
                (((start + lead) & !31) - lead, align32(size))
            }
            ClearForm::Bytes => (start, size),
        };
        start..start.saturating_add_unsigned(size)
    }

    /// Whether the clear zeroes a whole slot. It runs only where there are `SKAcc` entries. \[listing\]
    pub fn is_cleared(&self, slot: u64) -> bool {
        let bytes = self.cleared();
        let clears = self.skn().is_some_and(|skn| skn.header.skacc_count != 0);
        clears && bytes.start <= slot * STRIDE && (slot + 1) * STRIDE <= bytes.end
    }

    /// Whether primitives draw a slot; where they draw none at all, every slot counts.
    pub fn is_drawn(&self, slot: u64) -> bool {
        let used = &self.coverage.used;
        let drawn = usize::try_from(slot).ok().and_then(|slot| used.get(slot)).is_some_and(|bit| *bit);
        drawn || used.not_any()
    }

    /// The names of what lies in a range that is counted from the position array, this array aside.
    pub fn structures_at(&self, range: Range<i64>) -> Vec<String> {
        let Some(start) = self.positions() else { return Vec::new() };
        let at = |offset: i64| start.saturating_add_signed(offset);
        let range = at(range.start)..at(range.end);
        let meets = |other: &Range<u64>| other.start < range.end && range.start < other.end;
        let others = self.structures.iter().filter(|structure| structure.range.start != start);
        let mut names: Vec<String> =
            others.filter(|structure| meets(&structure.range)).map(Structure::name).collect();
        let (Some(block), Some(gpl)) = (&self.model.block, self.gpl()) else { return names };
        let base = gpl.view().base();
        let in_block = range.start + base..range.end + base;
        let sections = block.sections().iter().filter(|section| section.inside.is_none());
        for section in sections.filter(|section| section.view.base() != base) {
            let own = section.range();
            if own.start < in_block.end && in_block.start < own.end {
                names.extend(section_owners(section.kind));
            }
        }
        names
    }

    /// The lines that are stored after accumulation, from the position array: those of the clear range, asked
    /// for with 31 bytes more, and with a line more where the range begins inside one. \[listing\]
    pub fn clear_stored_lines(&self) -> Range<u64> {
        let Some(header) = self.skn().map(|skn| &skn.header).filter(|header| header.clear_size != 0) else {
            return 0..0;
        };
        let beside = if header.clear_start.is_multiple_of(32) { 0 } else { 32 };
        // The size wraps where the function adds to it.
        let lines = header.clear_size.wrapping_add(31).wrapping_add(beside).wrapping_add(31) >> 5;
        lines_from(header.clear_start, 32 * u64::from(lines))
    }
}

/// The names that the runtime gives to what lies in a section.
pub(super) fn section_owners(section: SectionKind) -> Vec<String> {
    match section {
        SectionKind::Skn => vec![SKN_LISTS.to_owned(), SKN_ARRAYS.to_owned()],
        _ => vec![format!("{} section", section.name())],
    }
}

/// Whole lines from the one that holds a start on. Addresses wrap: a start with the top bit set lies before the
/// position array, and what is left there is not counted.
fn lines_from(start: u32, size: u64) -> Range<u64> {
    let start = i64::from(start.cast_signed()) & !31;
    behind_start(&(start..start.saturating_add_unsigned(size)))
}

/// `0x20`, `-0x20`: an offset from the position array.
pub(super) fn signed_hex(offset: i64) -> String {
    let sign = if offset < 0 { "-" } else { "" };
    format!("{sign}{:#x}", offset.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_before_the_array_clears_what_reaches_into_it() {
        assert_eq!(lines_from(0x44, 0x60), 0x40..0xA0);
        assert_eq!(lines_from(0xFFFF_FFFF, 0x60), 0..0x40);
        assert_eq!(lines_from(0x8000_0000, 0x60), 0..0);
    }
}
