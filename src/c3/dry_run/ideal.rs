//! What skinning the same data in real numbers would give: no lines, no buffers, no truncation, every
//! slot cleared before it is accumulated into. Only the limits of the s16 hold, after each step.

use std::collections::BTreeSet;

use crate::c3::coverage::accumulated_slot;
use crate::c3::format::gpl::{Quantize, QuantizeType};
use crate::c3::format::skn::{EntryId, List, STRIDE, Skn};
use crate::c3::rules::effects::Mended;
use crate::c3::rules::subject::Subject;
use crate::c3::rules::weights::{ReadFrom, contributions_below};
use crate::c3::runtime::load::SkinMatrix;

/// One bone's part in a slot, with the vertex it moves.
#[derive(Clone, Copy)]
struct Part {
    entry: EntryId,
    slot: u32,
    bone: u16,
    weight: f64,
    source: [i16; 6],
    /// Whether the sum is stored before the next part is added.
    stored: bool,
}

/// The parts of every slot whose ideal is known.
#[derive(Default)]
pub struct Ideal {
    parts: Vec<Part>,
    /// Parts of SK1 and SK2 entries that a later entry overwrites, and those of that entry, for slots
    /// of which several entries say what they should be.
    rivals: Vec<(Vec<Part>, Vec<Part>)>,
    /// One unit of the positions, as a power of two.
    unit: f64,
}

/// A slot's ideal value, in units of the s16.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdealSlot {
    /// The slot.
    pub slot: u32,
    /// Position and normal.
    pub value: [f64; 6],
    /// By how much the stored value may differ: each store truncates.
    pub tolerance: f64,
    /// Whether a step left the range of the s16.
    pub saturated: bool,
}

impl Ideal {
    /// Gathers the parts of a model; what entries with a mended count may be meant to write has no ideal.
    pub fn new(subject: &Subject, mended: &[Mended]) -> Self {
        let Some(skn) = subject.skn() else { return Self::default() };
        let mut unknown = Unknown::new(subject, mended);
        let mut parts: Vec<(EntryId, u32, Part)> = Vec::new();
        // Nothing behind the array is drawn.
        for part in contributions_below(subject, ReadFrom::File, subject.stored_bytes() / STRIDE) {
            let Ok(slot) = u32::try_from(part.slot) else { continue };
            match source(subject, skn, part.entry, part.vertex) {
                Some(source) => {
                    let weight = f64::from(part.weight) / 256.0;
                    let ideal =
                        Part { entry: part.entry, slot, bone: part.bone, weight, source, stored: true };
                    parts.push((part.entry, part.vertex, ideal));
                }
                None => unknown.add(slot),
            }
        }
        parts.retain(|(_, _, part)| !unknown.slots.contains(&part.slot));
        // Of several entries that write a slot directly the last one counts.
        parts.sort_by_key(|(entry, _, part)| (part.slot, *entry));
        let slots = || parts.chunk_by(|a, b| a.2.slot == b.2.slot);
        Self {
            parts: slots().flat_map(last_direct).collect(),
            rivals: slots().filter_map(rivals).collect(),
            unit: unit(subject, skn),
        }
    }

    /// How many steps of the stored positions a unit of the model has.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The ideal of every slot under these matrices; slots of bones without one have none.
    pub fn slots<'s>(&'s self, matrices: &'s [SkinMatrix]) -> impl Iterator<Item = IdealSlot> + 's {
        self.parts.chunk_by(|a, b| a.slot == b.slot).filter_map(|parts| self.slot(parts, matrices))
    }

    /// Slots whose entries disagree about them under these matrices, and by how much.
    pub fn conflicts<'s>(&'s self, matrices: &'s [SkinMatrix]) -> impl Iterator<Item = (u32, u32)> + 's {
        self.rivals.iter().filter_map(|(first, last)| {
            let (first, last) = (self.slot(first, matrices)?, self.slot(last, matrices)?);
            let apart = first.value.into_iter().zip(last.value).map(|(a, b)| (a - b).abs());
            let worst = apart.fold(0.0, f64::max);
            (worst > first.tolerance.max(last.tolerance)).then_some((first.slot, worst as u32))
        })
    }

    /// The entries that make a slot what it should be.
    pub fn entries_of(&self, slot: u32) -> impl Iterator<Item = EntryId> {
        let first = self.parts.partition_point(|part| part.slot < slot);
        self.parts[first..].iter().take_while(move |part| part.slot == slot).map(|part| part.entry)
    }

    /// The slots that a bone moves.
    pub fn slots_of(&self, bone: u16) -> impl Iterator<Item = u32> {
        let parts = self.parts.chunk_by(|a, b| a.slot == b.slot);
        parts.filter(move |parts| parts.iter().any(|part| part.bone == bone)).map(|parts| parts[0].slot)
    }

    fn slot(&self, parts: &[Part], matrices: &[SkinMatrix]) -> Option<IdealSlot> {
        let (mut value, mut saturated) = ([0.0; 6], false);
        for part in parts {
            let moved = transform(matrices.get(usize::from(part.bone))?, &part.source, self.unit);
            for (sum, component) in value.iter_mut().zip(moved) {
                *sum += part.weight * component;
                if part.stored {
                    let limited = sum.clamp(f64::from(i16::MIN), f64::from(i16::MAX));
                    saturated |= (limited - *sum).abs() >= 1.0;
                    *sum = limited;
                }
            }
        }
        let largest = value.iter().fold(0.0_f64, |largest, component| largest.max(component.abs()));
        // Single precision carries 24 bits; everything above that is the truncation of each store.
        let tolerance = 1.0 + parts.len() as f64 + largest * 1e-5;
        Some(IdealSlot { slot: parts.first()?.slot, value, tolerance, saturated })
    }
}

/// The parts of a slot that count. The two halves of an SK2 vertex are stored together.
fn last_direct(slot: &[(EntryId, u32, Part)]) -> Vec<Part> {
    let direct = slot.iter().filter(|(entry, ..)| entry.list != List::SkAcc).map(|(entry, ..)| *entry).max();
    let counts = |entry: EntryId| entry.list == List::SkAcc || Some(entry) == direct;
    let mut parts = Vec::new();
    for (index, (entry, vertex, part)) in slot.iter().enumerate().filter(|(_, (entry, ..))| counts(*entry)) {
        let other_half =
            |(next, of, _): &(EntryId, u32, Part)| next.list == List::Sk2 && (next, of) == (entry, vertex);
        parts.push(Part { stored: !slot.get(index + 1).is_some_and(other_half), ..*part });
    }
    parts
}

/// The last SK1 or SK2 entry of a slot against the one before it, where there are two.
fn rivals(slot: &[(EntryId, u32, Part)]) -> Option<(Vec<Part>, Vec<Part>)> {
    let direct = || slot.iter().filter(|(entry, ..)| entry.list != List::SkAcc).map(|(entry, ..)| *entry);
    let last = direct().max()?;
    let before = direct().filter(|entry| *entry != last).max()?;
    let parts = |of: EntryId| slot.iter().filter(move |(entry, ..)| *entry == of).map(|(.., part)| *part);
    Some((parts(before).collect(), parts(last).collect()))
}

/// Slots of which nobody can say what they should be.
struct Unknown {
    slots: BTreeSet<u32>,
}

impl Unknown {
    fn new(subject: &Subject, mended: &[Mended]) -> Self {
        let mut unknown = Self { slots: BTreeSet::new() };
        let stored = (subject.stored_bytes() / STRIDE) as u32;
        for direct in mended.iter().filter(|mended| mended.entry.list != List::SkAcc) {
            unknown.slots.extend(direct.slots.start..direct.slots.end.min(stored));
        }
        let accumulating = mended.iter().map(|mended| mended.entry).filter(|id| id.list == List::SkAcc);
        for (id, skn) in accumulating.zip(subject.skn()) {
            if let Some(entry) = skn.skacc.get(id.index as usize) {
                let slots = skn.indices(entry).filter_map(|index| accumulated_slot(entry.destination, index));
                // Its lines enter a data cache, and are flushed by the file's list.
                let beside = slots.flat_map(|slot| {
                    let (first, end) = (slot * STRIDE / 32 * 32, ((slot + 1) * STRIDE).next_multiple_of(32));
                    first / STRIDE..end.div_ceil(STRIDE)
                });
                beside.filter_map(|slot| u32::try_from(slot).ok()).for_each(|slot| unknown.add(slot));
            }
        }
        unknown
    }

    fn add(&mut self, slot: u32) {
        self.slots.insert(slot);
    }
}

/// What the fraction bits of the drawn positions make of a translation.
fn unit(subject: &Subject, skn: &Skn) -> f64 {
    let position = subject.gpl().and_then(|gpl| gpl.skinned()).map(|(_, _, position)| position.quantize);
    let declared = position.filter(|quantize| quantize.component() == Some(QuantizeType::S16));
    let bits = declared.map_or(skn.header.shift & 0x1F, Quantize::fraction_bits);
    2f64.powi(bits.into())
}

/// The six components of an entry's vertex before any matrix; `None` where they lie outside the section.
pub(crate) fn source(subject: &Subject, skn: &Skn, entry: EntryId, vertex: u32) -> Option<[i16; 6]> {
    let start = if entry.list == List::SkAcc {
        skn.skacc.get(entry.index as usize)?.source
    } else {
        let entry = subject.direct_entry(entry)?;
        entry.source.checked_add(entry.vertex_offset.into())?
    };
    let offset = start.checked_add(vertex.checked_mul(STRIDE as u32)?)?;
    let bytes = skn.held(offset, STRIDE);
    let mut components = [0; 6];
    for (component, pair) in components.iter_mut().zip(bytes.chunks_exact(2)) {
        *component = i16::from_be_bytes([pair[0], pair[1]]);
    }
    (bytes.len() as u64 == STRIDE).then_some(components)
}

fn transform(matrix: &SkinMatrix, source: &[i16; 6], unit: f64) -> [f64; 6] {
    let row = |row: usize, from: usize| -> f64 {
        (0..3).map(|column| f64::from(matrix[row][column]) * f64::from(source[from + column])).sum()
    };
    let mut out = [0.0; 6];
    for axis in 0..3 {
        out[axis] = row(axis, 0) + f64::from(matrix[axis][3]) * unit;
        out[3 + axis] = row(axis, 3);
    }
    out
}
