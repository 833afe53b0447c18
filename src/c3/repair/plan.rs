//! A model's skinning taken apart: entries with their vertices, free of where the file keeps them.
//!
//! Remedies change a plan; [`Plan::write`] puts it back into the files. Vertices are read from where an
//! entry points; where that is not what the position array stores and the mirror holds it, the mirror
//! counts (a pointer went wrong, not the data).

use std::collections::BTreeMap;

use super::foreign::Foreign;
use crate::c3::build::skn::{
    AccumulateSource, DirectSource, Movers, Record, SknSource, Supplement, record_bytes,
};
use crate::c3::format::skn::{EntryId, HEADER_SIZE, List, STRIDE, Skn};
use crate::c3::model::Model;
use crate::c3::rules::arrays::VariableKind;

/// Vertices over all lists that are taken apart at most: sources may share bytes, slots may not.
const VERTEX_LIMIT: u64 = 1 << 18;
/// Entries over all lists that are taken apart at most; known models have below a hundred.
const ENTRY_LIMIT: usize = 4096;
/// Slots that can be numbered.
pub const MOST_SLOTS: u64 = 65_535;

/// A direct entry with its name in the file that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedDirect {
    /// Name in the file.
    pub id: EntryId,
    /// The entry.
    pub entry: DirectSource,
}

impl PlannedDirect {
    /// First byte of its first vertex, from the position array.
    pub fn first_byte(&self) -> u64 {
        u64::from(self.entry.destination) + u64::from(self.entry.vertex_offset)
    }

    /// Its slots; those that it touches, where it does not begin on one.
    pub fn slots(&self) -> std::ops::Range<u64> {
        let start = self.first_byte();
        let end = start + STRIDE * self.entry.records.len() as u64;
        start / STRIDE..end.div_ceil(STRIDE)
    }

    /// The bytes that its store covers, from the position array.
    pub fn stored(&self) -> std::ops::Range<u64> {
        u64::from(self.entry.destination) & !31..self.entry.end()
    }

    /// Puts it at a slot: on the line of the slot, with the offset of the slot in it.
    pub fn place_at(&mut self, slot: u64) {
        let first = slot * STRIDE;
        self.entry.destination = (first & !31) as u32;
        self.entry.vertex_offset = (first % 32) as u8;
    }

    /// Keeps the first `count` vertices.
    pub fn truncate(&mut self, count: usize) {
        self.entry.records.truncate(count);
        if let Movers::Two(_, weights) = &mut self.entry.movers {
            weights.truncate(count);
        }
    }
}

/// Whether a slot may begin an entry: it is the first whole one of its line.
pub const fn begins_line(slot: u64) -> bool {
    (slot * STRIDE) % 32 < STRIDE
}

/// The first slot from `byte` on that may begin an entry on a line of its own.
pub const fn next_line_slot(byte: u64) -> u64 {
    byte.next_multiple_of(32).div_ceil(STRIDE)
}

/// A model's skinning, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Fraction bits.
    pub shift: u8,
    /// SK1 and SK2 entries in the order in which a frame runs them.
    pub direct: Vec<PlannedDirect>,
    /// `SKAcc` entries.
    pub skacc: Vec<AccumulateSource>,
    /// Clear range.
    pub clear: (u32, u32),
    /// Flush indices.
    pub flush: Vec<u16>,
    /// The stored positions.
    pub positions: Vec<Record>,
    /// Bytes of the position array that must belong to nothing else; 0 to leave that as it is.
    pub reserve: u64,
    /// Where slots moved to.
    pub moves: BTreeMap<u16, u16>,
}

/// Why a plan cannot be made.
pub type Reason = String;

impl Plan {
    /// Takes a model apart.
    ///
    /// # Errors
    /// When lists, sources or arrays do not lie inside the section, or there is no position array.
    pub fn read(model: &Model) -> Result<Self, Reason> {
        let skn = model.skn.as_ref().ok_or("there is no SKN section")?;
        if let Some(problem) = skn.problems.first() {
            return Err(problem.to_string());
        }
        no_list_lost(skn)?;
        let gpl = model.gpl.as_ref().ok_or("there is no GPL section")?;
        if let Some(problem) = gpl.problems.first() {
            return Err(problem.to_string());
        }
        let (start, count) = model.skinned_positions().ok_or("no submesh has skinned positions")?;
        let size = STRIDE * u64::from(count);
        let positions = gpl.view().sub(start, size, "position array").map_err(|error| error.to_string())?;
        let positions = records(positions.bytes());
        let vertices: u64 = skn.sk1.iter().map(|entry| u64::from(entry.count)).sum::<u64>()
            + skn.sk2.iter().map(|entry| u64::from(entry.count)).sum::<u64>()
            + skn.skacc.iter().map(|entry| u64::from(entry.count)).sum::<u64>();
        if vertices > VERTEX_LIMIT {
            return Err(format!("the lists hold {vertices} vertices, slots are numbered by 16 bits"));
        }
        let entries = skn.sk1.len() + skn.sk2.len() + skn.skacc.len();
        if entries > ENTRY_LIMIT {
            return Err(format!(
                "there are {entries} entries, more than the {ENTRY_LIMIT} that repair takes apart"
            ));
        }
        let reader = Reader { skn, positions: &positions, foreign: Foreign::of(model) };
        let direct = reader.direct()?;
        let skacc = skn.skacc.iter().map(|entry| reader.accumulate(entry)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            shift: skn.header.shift,
            direct,
            skacc,
            clear: (skn.header.clear_start, skn.header.clear_size),
            flush: skn.flush.clone(),
            positions,
            reserve: 0,
            moves: BTreeMap::new(),
        })
    }

    /// The section that the plan makes.
    pub fn skn(&self) -> SknSource {
        SknSource {
            shift: self.shift,
            direct: self.direct.iter().map(|planned| planned.entry.clone()).collect(),
            skacc: self.skacc.clone(),
            clear: self.clear,
            flush: self.flush.clone(),
        }
    }

    /// A direct entry by its name.
    pub fn find(&mut self, id: EntryId) -> Option<&mut PlannedDirect> {
        self.direct.iter_mut().find(|planned| planned.id == id)
    }

    /// One past the last byte of the position array that anything stores or is stored in.
    pub fn end(&self) -> u64 {
        let stores = self.direct.iter().map(|planned| planned.stored().end);
        let adds = self.skacc.iter().flat_map(|entry| {
            let base = u64::from(entry.base);
            entry.supplements.iter().map(move |part| base + STRIDE * (u64::from(part.slot) + 1))
        });
        let clear = if self.clear.1 == 0 || self.skacc.is_empty() {
            0
        } else {
            (u64::from(self.clear.0) & !31) + u64::from(self.clear.1).next_multiple_of(32)
        };
        let stored = STRIDE * self.positions.len() as u64;
        stores.chain(adds).max().unwrap_or(0).max(clear).max(stored)
    }

    /// Stores positions up to a slot.
    pub fn grow(&mut self, slots: u64) {
        if (self.positions.len() as u64) < slots {
            self.positions.resize(slots as usize, [0; 6]);
        }
    }

    /// Moves slots, in this order, to consecutive ones from `first` on: their positions, what adds to
    /// them, and (when written) what draws them.
    pub fn move_slots(&mut self, slots: &[u16], first: u16) {
        let targets: BTreeMap<u16, u16> = slots.iter().copied().zip(first..).collect();
        self.grow(u64::from(first) + slots.len() as u64);
        for (&from, &to) in &targets {
            self.positions[usize::from(to)] =
                self.positions.get(usize::from(from)).copied().unwrap_or_default();
        }
        let supplements = self.skacc.iter_mut().filter(|entry| entry.base == 0);
        for part in supplements.flat_map(|entry| &mut entry.supplements) {
            if let Some(&to) = targets.get(&part.slot) {
                part.slot = to;
            }
        }
        self.moves.extend(targets);
    }

    /// Moves an entry, slots and all, to lines of its own behind everything.
    ///
    /// # Errors
    /// When there are not enough slots left.
    pub fn relocate(&mut self, id: EntryId) -> Result<(u64, u64), Reason> {
        let first = next_line_slot(self.end());
        let planned = self.direct.iter().find(|planned| planned.id == id).ok_or("the entry is gone")?;
        let (old, count) = (planned.first_byte() / STRIDE, planned.entry.records.len() as u64);
        if first + count > MOST_SLOTS || old + count > MOST_SLOTS {
            return Err(format!(
                "{id} needs {count} slots behind slot {first}, and slots are numbered by 16 bits"
            ));
        }
        let slots: Vec<u16> = (old..old + count).map(|slot| slot as u16).collect();
        self.move_slots(&slots, first as u16);
        if let Some(planned) = self.find(id) {
            planned.place_at(first);
        }
        Ok((old, first))
    }
}

/// s16 records of bytes; an incomplete one at the end is left out.
pub fn records(bytes: &[u8]) -> Vec<Record> {
    let record = |bytes: &[u8]| std::array::from_fn(|n| i16::from_be_bytes([bytes[2 * n], bytes[2 * n + 1]]));
    bytes.chunks_exact(STRIDE as usize).map(record).collect()
}

/// The lists of a section: name, range and number of entries.
fn lists(skn: &Skn) -> [(List, std::ops::Range<u64>, u16); 3] {
    let header = &skn.header;
    let list = |list: List, pointer: u32, count: u16| {
        let start = u64::from(pointer);
        (list, start..start + u64::from(count) * list.entry_size(), count)
    };
    [
        list(List::Sk1, header.sk1, header.sk1_count),
        list(List::Sk2, header.sk2, header.sk2_count),
        list(List::SkAcc, header.skacc, header.skacc_count),
    ]
}

/// Entries that a header counts behind a pointer of 0 are nowhere: a section written anew would lack them.
fn no_list_lost(skn: &Skn) -> Result<(), Reason> {
    let lost = lists(skn).into_iter().find(|(_, range, count)| range.start == 0 && *count != 0);
    let Some((list, _, count)) = lost else { return Ok(()) };
    Err(format!(
        "the pointer to the {} list is 0, and the header counts {count} of its entries, which would be lost: point to \
         them, or set their number to 0",
        list.name()
    ))
}

struct Reader<'r, 'a> {
    skn: &'r Skn<'a>,
    positions: &'r [Record],
    foreign: Foreign,
}

impl Reader<'_, '_> {
    fn direct(&self) -> Result<Vec<PlannedDirect>, Reason> {
        let mut planned = Vec::new();
        for (entry, index) in self.skn.sk1.iter().zip(0..) {
            let id = EntryId { list: List::Sk1, index };
            let place =
                Place { source: entry.source, destination: entry.destination, offset: entry.vertex_offset };
            let records = self.vertices(id, &place, entry.count)?;
            planned.push(place.planned(id, Movers::One(entry.bone), records));
        }
        for (entry, index) in self.skn.sk2.iter().zip(0..) {
            let id = EntryId { list: List::Sk2, index };
            let place =
                Place { source: entry.source, destination: entry.destination, offset: entry.vertex_offset };
            let records = self.vertices(id, &place, entry.count)?;
            let weights =
                self.array(id, VariableKind::Weights, entry.weights.into(), 2 * u64::from(entry.count))?;
            let weights = weights.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
            planned.push(place.planned(id, Movers::Two(entry.bones, weights), records));
        }
        Ok(planned)
    }

    fn vertices(&self, id: EntryId, place: &Place, count: u16) -> Result<Vec<Record>, Reason> {
        let size = STRIDE * u64::from(count);
        let offset = u64::from(place.offset);
        let first = u64::from(place.destination) + offset;
        let pointed = self.bytes(id, "source", u64::from(place.source) + offset, size).map(records);
        let own = self.foreign.refuse(id, VariableKind::Source, place.source.into());
        let pointed = if size == 0 { pointed } else { pointed.and_then(|records| own.map(|()| records)) };
        let mirror = self.skn.mirror_start() + first;
        let mirrored = self.bytes(id, "source", mirror, size).map(records);
        let stored = (first.is_multiple_of(STRIDE))
            .then(|| {
                self.positions.get((first / STRIDE) as usize..(first / STRIDE + u64::from(count)) as usize)
            })
            .flatten();
        match (pointed, mirrored) {
            (Ok(pointed), Ok(mirrored)) if stored != Some(&pointed) && stored == Some(&mirrored) => {
                Ok(mirrored)
            }
            (Err(_), Ok(mirrored)) if stored == Some(&mirrored) => Ok(mirrored),
            (pointed, _) => pointed,
        }
    }

    /// The bytes of an array, where they are not another's.
    fn array(&self, id: EntryId, kind: VariableKind, at: u64, size: u64) -> Result<&[u8], Reason> {
        let bytes = self.bytes(id, kind.name(), at, size)?;
        if size != 0 {
            self.foreign.refuse(id, kind, at)?;
        }
        Ok(bytes)
    }

    fn bytes(&self, id: EntryId, what: &str, at: u64, size: u64) -> Result<&[u8], Reason> {
        if let Some((name, written)) = self.written_to(&(at..at + size)) {
            return Err(format!(
                "{id} {what} at {at:#x}: want bytes of its own, have the {name} at {written:#x}, which the game writes to: \
                 what they were is not in the file"
            ));
        }
        self.skn.view().take(at, size, &format!("{id} {what}")).map_err(|error| error.to_string())
    }

    /// The header or the list that has bytes in a range.
    fn written_to(&self, range: &std::ops::Range<u64>) -> Option<(String, u64)> {
        let header = ("SKN header".to_owned(), 0..HEADER_SIZE);
        let lists = lists(self.skn).map(|(list, range, _)| (format!("{} list", list.name()), range));
        let meets = |other: &std::ops::Range<u64>| range.start.max(other.start) < range.end.min(other.end);
        let hit = std::iter::once(header).chain(lists).find(|(_, other)| meets(other));
        hit.map(|(name, other)| (name, other.start))
    }

    fn accumulate(&self, entry: &crate::c3::format::skn::SkAccEntry) -> Result<AccumulateSource, Reason> {
        let index = self.skn.skacc.iter().position(|other| other.offset == entry.offset).unwrap_or(0) as u32;
        let id = EntryId { list: List::SkAcc, index };
        let count = u64::from(entry.count);
        let array = |kind, pointer: u32, size| self.array(id, kind, pointer.into(), size);
        let sources = records(array(VariableKind::AccumulationSource, entry.source, STRIDE * count)?);
        let weights = array(VariableKind::AccumulationWeights, entry.weights, count)?;
        array(VariableKind::AccumulationIndices, entry.indices, 2 * count)?;
        let parts = self.skn.indices(entry).zip(sources).zip(weights);
        let supplements =
            parts.map(|((slot, record), &weight)| Supplement { slot, record, weight }).collect();
        Ok(AccumulateSource { bone: entry.bone, base: entry.destination, supplements })
    }
}

struct Place {
    source: u32,
    destination: u32,
    offset: u8,
}

impl Place {
    fn planned(&self, id: EntryId, movers: Movers, records: Vec<Record>) -> PlannedDirect {
        let entry =
            DirectSource { movers, destination: self.destination, vertex_offset: self.offset, records };
        PlannedDirect { id, entry }
    }
}

/// The stored positions as bytes.
pub fn position_bytes(positions: &[Record]) -> Vec<u8> {
    positions.iter().flat_map(record_bytes).collect()
}
