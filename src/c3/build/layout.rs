//! The canonical layout: which vertex takes which slot, and the entries that write it. \[seed 003\]
//!
//! One bone makes an SK1 entry; otherwise the two heaviest make an SK2 entry (the pair sorted by number)
//! and each further bone adds by an `SKAcc` entry. Entries go in key order, each on the next free cache
//! line. Every slot is written directly, so nothing has to be cleared.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{BuildError, BuildResult};
use super::skn::{AccumulateSource, DirectSource, Movers, Record, SknSource, Supplement};
use crate::c3::format::skn::STRIDE;

/// Bytes of the largest SK1 source, and of the largest SK2 source. \[seed 003\]
pub const MOST_BYTES: [u64; 2] = [8180, 4088];
/// Vertices of the smallest SK1 or SK2 entry. \[seed 003\]
pub const FEWEST: usize = 3;
/// Vertices of the largest `SKAcc` entry: what its source buffer holds. \[listing\]
pub const MOST_SUPPLEMENTS: usize = 341;
/// Slots that a model has at most: they are numbered by 16 bits, and so is their count.
pub const MOST_SLOTS: u64 = 65_535;

/// What a slot holds and who moves it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotVertex {
    /// Bones with their shares of 256, the heaviest first.
    pub shares: Vec<(u16, u16)>,
    /// Position and normal.
    pub record: Record,
    /// What morph targets add, by morph and target; vertices that move apart need slots of their own.
    pub deltas: Vec<(u16, u16, Record)>,
}

/// What writes a vertex directly: one bone, or two sorted by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// SK1.
    One(u16),
    /// SK2.
    Two([u16; 2]),
}

impl Key {
    /// The key of a vertex and, with two bones, their weights in the pair's order.
    pub fn of(shares: &[(u16, u16)]) -> (Self, [u8; 2]) {
        match *shares {
            [] => (Self::One(0), [0; 2]),
            [(bone, _)] => (Self::One(bone), [0; 2]),
            [(a, x), (b, y), ..] => {
                let (x, y) = (x.min(255) as u8, y.min(255) as u8);
                if a < b { (Self::Two([a, b]), [x, y]) } else { (Self::Two([b, a]), [y, x]) }
            }
        }
    }

    /// Bytes of the largest source.
    pub const fn most_bytes(self) -> u64 {
        match self {
            Self::One(_) => MOST_BYTES[0],
            Self::Two(_) => MOST_BYTES[1],
        }
    }
}

/// A layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Slot of each vertex that was given.
    pub slots: Vec<u16>,
    /// The skinning section.
    pub skn: SknSource,
    /// The position buffer: one record a slot, zeroes where nothing is.
    pub positions: Vec<Record>,
    /// Bytes that the position buffer takes, the rest of the last stored line included.
    pub reserve: u64,
    /// Vertices added to entries that had too few.
    pub padded: usize,
}

/// Lays out vertices; equal ones share a slot.
///
/// # Errors
/// When they need more than [`MOST_SLOTS`] slots.
pub fn lay_out(vertices: &[SlotVertex], shift: u8) -> BuildResult<Layout> {
    let mut groups: BTreeMap<Key, Vec<&SlotVertex>> = BTreeMap::new();
    let mut known: BTreeMap<&SlotVertex, usize> = BTreeMap::new();
    for vertex in vertices {
        known.entry(vertex).or_insert_with(|| {
            let group = groups.entry(Key::of(&vertex.shares).0).or_default();
            group.push(vertex);
            group.len() - 1
        });
    }
    let mut placing = Placing::default();
    let mut firsts: BTreeMap<Key, u64> = BTreeMap::new();
    for (&key, group) in &groups {
        firsts.insert(key, placing.group(key, group)?);
    }
    let slot = |vertex: &SlotVertex| (firsts[&Key::of(&vertex.shares).0] + known[vertex] as u64) as u16;
    let slots = vertices.iter().map(slot).collect();
    let reserve = placing.cursor.next_multiple_of(32);
    placing.positions.resize((reserve / STRIDE) as usize, [0; 6]);
    let skacc = placing.accumulate();
    let flush = flush(&skacc);
    let skn = SknSource { shift, direct: placing.direct, skacc, clear: (0, 0), flush };
    Ok(Layout { slots, skn, positions: placing.positions, reserve, padded: placing.padded })
}

#[derive(Default)]
struct Placing {
    /// First free byte of the position buffer.
    cursor: u64,
    positions: Vec<Record>,
    direct: Vec<DirectSource>,
    supplements: BTreeMap<u16, Vec<Supplement>>,
    padded: usize,
}

impl Placing {
    /// Places the vertices of one key in slots one after the other; gives the first.
    fn group(&mut self, key: Key, group: &[&SlotVertex]) -> BuildResult<u64> {
        let mut line = self.cursor.next_multiple_of(32);
        let first = line.div_ceil(STRIDE);
        let mut slot = first;
        let mut rest = group;
        while !rest.is_empty() {
            let count = piece(slot, (slot * STRIDE - line) as usize, rest.len(), key.most_bytes());
            let (piece, after) = rest.split_at(count);
            let padding = FEWEST.saturating_sub(count);
            self.padded += padding;
            let filled: Vec<&SlotVertex> =
                piece.iter().copied().chain(std::iter::repeat_n(piece[0], padding)).collect();
            self.entry(key, line, slot, &filled)?;
            slot += filled.len() as u64;
            line = slot * STRIDE;
            rest = after;
        }
        self.cursor = slot * STRIDE;
        Ok(first)
    }

    fn entry(&mut self, key: Key, line: u64, slot: u64, vertices: &[&SlotVertex]) -> BuildResult<()> {
        let end = slot + vertices.len() as u64;
        if end > MOST_SLOTS {
            let want = format!("at most {MOST_SLOTS} slots in the position buffer");
            return Err(BuildError::new("model", want, format!("{end} or more")));
        }
        self.positions.resize(slot as usize, [0; 6]);
        self.positions.extend(vertices.iter().map(|vertex| vertex.record));
        for (vertex, slot) in vertices.iter().zip(slot..) {
            for &(bone, units) in vertex.shares.iter().skip(2) {
                let part = Supplement { slot: slot as u16, record: vertex.record, weight: units as u8 };
                self.supplements.entry(bone).or_default().push(part);
            }
        }
        let movers = match key {
            Key::One(bone) => Movers::One(bone),
            Key::Two(bones) => {
                Movers::Two(bones, vertices.iter().map(|vertex| Key::of(&vertex.shares).1).collect())
            }
        };
        self.direct.push(DirectSource {
            movers,
            destination: line as u32,
            vertex_offset: (slot * STRIDE - line) as u8,
            records: vertices.iter().map(|vertex| vertex.record).collect(),
        });
        Ok(())
    }

    fn accumulate(&mut self) -> Vec<AccumulateSource> {
        let lists = std::mem::take(&mut self.supplements);
        lists.into_iter().flat_map(|(bone, all)| split_supplements(bone, &all)).collect()
    }
}

/// Vertices of the next piece: all that are left when they fit, otherwise as many as fit and end where a
/// vertex begins a line.
pub fn piece(slot: u64, vertex_offset: usize, left: usize, most_bytes: u64) -> usize {
    let fits = ((most_bytes - vertex_offset as u64) / STRIDE) as usize;
    if left <= fits {
        return left;
    }
    // Eight vertices take three lines: a vertex whose number is a multiple of 8 begins one.
    let over = (slot + fits as u64) % 8;
    fits - over as usize
}

/// `SKAcc` entries of one bone, none larger than its buffers.
pub fn split_supplements(bone: u16, supplements: &[Supplement]) -> Vec<AccumulateSource> {
    supplements
        .chunks(MOST_SUPPLEMENTS)
        .map(|part| AccumulateSource { bone, base: 0, supplements: part.to_vec() })
        .collect()
}

/// The first vertex of every line that an `SKAcc` write touches, ascending. \[seed 003\]
pub fn flush(skacc: &[AccumulateSource]) -> Vec<u16> {
    let base = skacc.first().map_or(0, |entry| u64::from(entry.base));
    let touched = skacc.iter().flat_map(|entry| {
        entry.supplements.iter().map(move |part| u64::from(entry.base) + u64::from(part.slot) * STRIDE)
    });
    let lines: BTreeSet<u64> = touched.flat_map(|start| start / 32..(start + STRIDE).div_ceil(32)).collect();
    let index = |line: u64| (line * 32).saturating_sub(base).div_ceil(STRIDE);
    lines.into_iter().filter_map(|line| u16::try_from(index(line)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vertex(shares: &[(u16, u16)], x: i16) -> SlotVertex {
        SlotVertex { shares: shares.to_vec(), record: [x, 0, 0, 0, 0, 256], deltas: Vec::new() }
    }

    #[test]
    fn entries_begin_on_the_next_free_line_and_are_never_short() {
        let vertices = [
            vertex(&[(9, 200), (2, 56)], 1),
            vertex(&[(3, 256)], 2),
            vertex(&[(3, 256)], 3),
            vertex(&[(3, 256)], 2),
            vertex(&[(1, 256)], 4),
        ];
        let layout = lay_out(&vertices, 8).unwrap();
        let shape: Vec<_> = layout
            .skn
            .direct
            .iter()
            .map(|entry| (entry.destination, entry.vertex_offset, entry.records.len()))
            .collect();
        assert_eq!(shape, [(0, 0, 3), (0x40, 8, 3), (0x80, 4, 3)]);
        assert_eq!(layout.slots, [11, 6, 7, 6, 0]);
        assert_eq!(layout.padded, 2 + 1 + 2);
        assert_eq!(layout.skn.direct[2].movers, Movers::Two([2, 9], vec![[56, 200]; 3]));
        assert_eq!((layout.reserve, layout.positions.len()), (0xC0, 16));
    }

    #[test]
    fn further_bones_supplement_and_their_lines_are_flushed() {
        let layout = lay_out(&[vertex(&[(5, 100), (1, 90), (7, 40), (0, 26)], 1)], 8).unwrap();
        let lists: Vec<_> =
            layout.skn.skacc.iter().map(|entry| (entry.bone, entry.supplements.len())).collect();
        assert_eq!(lists, [(0, 3), (7, 3)]);
        assert_eq!(layout.skn.flush, [0, 3]);
    }

    #[test]
    fn too_many_slots_are_refused() {
        let vertices: Vec<_> = (0..65_536).map(|n| vertex(&[(n as u16 % 4, 256)], (n / 4) as i16)).collect();
        let error = lay_out(&vertices, 8).unwrap_err();
        assert!(error.to_string().starts_with("model: want at most 65535 slots"), "{error}");
    }

    proptest! {
        #[test]
        fn any_crowd_of_vertices_obeys_the_rules(
            sizes in proptest::collection::vec((0u16..6, 0u16..6, 1usize..900), 1..8),
        ) {
            let mut vertices = Vec::new();
            for (a, b, count) in sizes {
                let shares = if a == b { vec![(a, 256)] } else { vec![(a, 156), (b, 60), (6, 40)] };
                vertices.extend((0..count).map(|n| vertex(&shares, n as i16)));
            }
            let layout = lay_out(&vertices, 8).unwrap();
            let mut free = 0;
            for entry in &layout.skn.direct {
                prop_assert!(entry.records.len() >= FEWEST);
                let most = if matches!(entry.movers, Movers::One(_)) { 8180 } else { 4088 };
                prop_assert!(entry.size() <= most);
                let first = u64::from(entry.destination) + u64::from(entry.vertex_offset);
                prop_assert!(entry.destination % 32 == 0 && u64::from(entry.destination) >= free);
                prop_assert!(entry.vertex_offset < 12 && first % 12 == 0);
                free = entry.end();
            }
            prop_assert!(layout.skn.skacc.iter().all(|entry| entry.supplements.len() <= 341));
            for (vertex, slot) in vertices.iter().zip(&layout.slots) {
                prop_assert_eq!(layout.positions[usize::from(*slot)], vertex.record);
            }
        }
    }
}
