//! Writes outside of the model: how far, and what lies there.

use std::ops::Range;

use super::codes;
use super::effects::Part;
use super::found::Found;
use super::subject::{Direct, Subject, section_owners, signed_hex};
use super::writes::{Write, between, in_memory, signed};
use crate::c3::format::block::SectionKind;
use crate::c3::format::skn::{EntryField, EntryId, List};
use crate::finding::Effect;
use crate::gekko::map::{LOCKED_CACHE_START, MEM1_SIZE, MEM2_SIZE};

/// The bytes of the file that holds the GPL, from the position array on.
pub(super) fn model_around(subject: &Subject) -> Range<i64> {
    let (_, whole) = file(subject);
    let start = array_in_file(subject);
    whole.start - start..whole.end - start
}

/// Whether an entry stores nothing in the file that holds the GPL.
pub(super) fn is_far(subject: &Subject, entry: &Direct) -> bool {
    let stored = entry.stored_around();
    !stored.is_empty() && between(&in_memory(subject, stored), &model_around(subject)).is_empty()
}

/// The file that holds the GPL, as messages call it, and its bytes.
fn file(subject: &Subject) -> (&'static str, Range<i64>) {
    match (&subject.model.block, subject.gpl()) {
        (Some(block), _) => ("block", signed(&(0..block.total()))),
        (None, Some(gpl)) => ("GPL file", signed(&(gpl.view().base()..gpl.view().base() + gpl.view().len()))),
        (None, None) => ("model", 0..0),
    }
}

/// Where the position array begins in it.
fn array_in_file(subject: &Subject) -> i64 {
    let base = subject.gpl().map_or(0, |gpl| gpl.view().base());
    i64::try_from(base + subject.positions().unwrap_or(0)).unwrap_or(i64::MAX)
}

/// All rules of this file.
pub(super) fn check(subject: &Subject, writes: &[Write], found: &mut Vec<Found>) {
    for write in writes {
        let wraps =
            write.by.and_then(|id| subject.direct_entry(id)).filter(|entry| entry.destination_wraps());
        let told = [Side::Before, Side::Behind].into_iter().filter_map(|side| beyond(subject, write, side));
        let told: Vec<Found> = told.map(|beyond| beyond.found(subject, write, wraps)).collect();
        if let Some(entry) = wraps.filter(|_| told.is_empty()) {
            let text = format!(
                "its destination {:#x} lies outside of the {}; {}",
                entry.destination,
                file(subject).0,
                kept_bits(subject, entry)
            );
            let help = "correct the destination";
            let finding = write.found(subject, &codes::WRITE_OUTSIDE_MODEL, text, help);
            found.push(at_destination(subject, write, finding));
        }
        found.extend(told);
    }
}

/// The same finding at the field that leads there: an entry's destination, or its base if that is not 0.
fn at_destination(subject: &Subject, write: &Write, finding: Found) -> Found {
    let base_is_set = |id: EntryId| {
        let entry = subject.skn().and_then(|skn| skn.skacc.get(id.index as usize));
        entry.is_some_and(|entry| entry.destination != 0)
    };
    match write.by.filter(|id| id.list != List::SkAcc || base_is_set(*id)) {
        Some(id) => finding.at(subject.field_place(id, EntryField::Destination)),
        None => finding,
    }
}

/// A side of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    Behind,
}

/// What a write reaches on one side of the file.
struct Beyond {
    side: Side,
    bytes: i64,
    /// Bytes between it and the file.
    away: i64,
    /// Its first byte, from the position array.
    first: i64,
}

fn beyond(subject: &Subject, write: &Write, side: Side) -> Option<Beyond> {
    let model = model_around(subject);
    let outside = match side {
        Side::Before => i64::MIN..model.start,
        Side::Behind => model.end..i64::MAX,
    };
    let over = write.ranges.iter().map(|own| between(own, &outside)).filter(|over| !over.is_empty());
    over.fold(None, |beyond: Option<Beyond>, over| {
        let away = match side {
            Side::Before => model.start - over.end,
            Side::Behind => over.start - model.end,
        };
        let bytes = over.end - over.start;
        Some(match beyond {
            None => Beyond { side, bytes, away, first: over.start },
            Some(so_far) => Beyond { bytes: so_far.bytes + bytes, away: so_far.away.min(away), ..so_far },
        })
    })
}

impl Beyond {
    fn found(&self, subject: &Subject, write: &Write, wraps: Option<&Direct>) -> Found {
        let name = file(subject).0;
        let (address, holder) = holder(subject, write, self.first);
        let side = match self.side {
            Side::Before => "before the start",
            Side::Behind => "behind the end",
        };
        let bytes = self.bytes;
        let mut text = format!("{} reaches {bytes:#x} bytes {side} of the {name}", write.what());
        if self.away != 0 {
            text = format!("{text}, {:#x} bytes from it, at {address:#010x}", self.away);
        }
        if holder != MEMORY {
            text = format!("{text} in {holder}");
        }
        if let Some(entry) = wraps {
            text = format!("{text}: {}", kept_bits(subject, entry));
        }
        let help = match write.by.map(|id| id.list) {
            None => "correct the clear range: what lies there belongs to something else",
            Some(List::SkAcc) => "correct the indices or the base: what lies there belongs to something else",
            Some(_) => "correct the destination: what lies there belongs to something else",
        };
        let finding = write.found(subject, &codes::WRITE_OUTSIDE_MODEL, text, help);
        let finding = at_destination(subject, write, finding);
        let finding = if write.by.is_none() { finding.part(Part::Clear) } else { finding };
        // A file of its own may lie there.
        let beside =
            if subject.model.block.is_none() { section_owners(SectionKind::Skn) } else { Vec::new() };
        let finding = beside.into_iter().fold(finding, Found::structure);
        let what = if holder == MEMORY {
            let side = side.split(' ').next().unwrap_or_default();
            format!("{bytes:#x} bytes of memory {side} the {name}")
        } else {
            format!("{bytes:#x} bytes of {holder} at {address:#010x}")
        };
        finding.always(Effect::Overwrites(what)).not_decisive()
    }
}

/// What a model lies in itself.
const MEMORY: &str = "memory";

/// The address of a byte that a write reaches, counted from the position array, and what answers there. Transfers
/// count in physical addresses: theirs are told as the processor has them. [machine.md A1]
fn holder(subject: &Subject, write: &Write, at: i64) -> (u32, &'static str) {
    let array = i64::from(subject.address).saturating_add(array_in_file(subject));
    let address = array.saturating_add(at) as u32;
    let transfers = write.by.is_some_and(|id| id.list != List::SkAcc);
    let segment = address >> 28;
    let (bank, offset) = match (transfers, segment) {
        (true, _) => (segment & 1, address & 0x0FFF_FFFF),
        (false, 0x8 | 0xC) => (0, address & 0x0FFF_FFFF),
        (false, 0x9 | 0xD) => (1, address & 0x0FFF_FFFF),
        (false, _) if address >= LOCKED_CACHE_START => return (address, "the locked cache"),
        (false, _) => return (address, "no memory"),
    };
    let is_below = |size: usize| (offset as usize) < size;
    match (bank, offset) {
        (0, 0x0800_0000..=0x0BFF_FFFF) => (0xC000_0000 | offset, "the embedded framebuffer"),
        (0, 0x0C00_0000..) => (0xC000_0000 | offset, "the console's registers"),
        (0, _) if is_below(MEM1_SIZE) => (0x8000_0000 | offset, MEMORY),
        (1, _) if is_below(MEM2_SIZE) => (0x9000_0000 | offset, "the second memory (MEM2)"),
        _ => (0x8000_0000 | bank << 28 | offset, "no memory"),
    }
}

/// What becomes of a destination with more bits than a transfer keeps.
fn kept_bits(subject: &Subject, entry: &Direct) -> String {
    let landing = in_memory(subject, entry.landing..entry.landing).start;
    format!(
        "a transfer keeps 29 bits of an address, and stores at {} of the position array",
        signed_hex(landing)
    )
}
