//! Who owns each line, who writes it, and what is remarkable about that.

use std::collections::HashMap;

use super::lines::{Frame, LineOwner, MapEntry, MapStructure};
use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::c3::rules::effects::{DryRun, Part, Target};
use crate::c3::rules::subject::Subject;
use crate::c3::rules::weights::contributions;
use crate::gekko::address::LINE_SIZE;

/// Two SK1 or SK2 entries store the line.
pub const CONFLICT: u16 = 1;
/// An entry stores the whole line and owns only a part of it.
pub const WRITE_BACK: u16 = 1 << 1;
/// What is stored or cleared reaches a structure.
pub const OVERWRITES: u16 = 1 << 2;
/// The clear zeroes it.
pub const CLEARED: u16 = 1 << 3;
/// The frame ended at an entry that owns vertices in it.
pub const FAULTED: u16 = 1 << 4;
/// A drawn vertex in it comes out wrong on Dolphin.
pub const WRONG_ON_DOLPHIN: u16 = 1 << 5;
/// A drawn vertex in it comes out wrong on a console.
pub const WRONG_ON_CONSOLE: u16 = 1 << 6;
/// A drawn vertex in it comes out late on a console.
pub const STALE: u16 = 1 << 7;
/// The flush list names a vertex that begins in it.
pub const FLUSHED: u16 = 1 << 8;
/// `SKAcc` entries add to vertices in it.
pub const ACCUMULATED: u16 = 1 << 9;

/// Writers of one line that are told.
const MOST_WRITERS: usize = 64;

/// Everybody who reaches the lines of a map.
pub(super) struct Reach<'r, 'm, 'a> {
    pub subject: &'r Subject<'m, 'a>,
    pub frame: Frame,
    pub entries: &'r [MapEntry],
    pub structures: &'r [MapStructure],
    pub cleared: Option<[u32; 2]>,
    pub positions: [u32; 2],
    /// The bytes of all structures, as ranges that do not touch, in order.
    pub taken: Vec<[u32; 2]>,
}

/// The bytes of structures that are in order of their starts, without overlaps.
pub(super) fn taken(structures: &[MapStructure]) -> Vec<[u32; 2]> {
    let mut taken: Vec<[u32; 2]> = Vec::new();
    for &MapStructure { range: [start, end], .. } in structures {
        match taken.last_mut() {
            Some(last) if start <= last[1] => last[1] = last[1].max(end),
            _ => taken.push([start, end]),
        }
    }
    taken
}

/// One value a line.
pub(super) struct Marks {
    pub owners: Vec<LineOwner>,
    pub bits: Vec<u16>,
    pub writers: Vec<Vec<u32>>,
}

/// The lines that bytes lie in.
fn lines(range: [u32; 2]) -> std::ops::Range<usize> {
    (range[0] / LINE_SIZE) as usize..range[1].div_ceil(LINE_SIZE) as usize
}

impl Reach<'_, '_, '_> {
    pub(super) fn marks(&self, ids: &[EntryId], runs: &[DryRun]) -> Marks {
        let count = self.frame.lines as usize;
        let mut out = Marks {
            owners: vec![LineOwner::Gap; count],
            bits: vec![0; count],
            writers: vec![Vec::new(); count],
        };
        self.structures(&mut out);
        self.cleared(&mut out);
        self.accumulated(ids, &mut out);
        self.direct(&mut out);
        self.flushed(&mut out);
        for run in runs {
            self.seen(run, ids, &mut out);
        }
        out
    }

    /// The first structure in a line gives it its colour.
    fn structures(&self, out: &mut Marks) {
        for structure in self.structures.iter().rev() {
            out.owners[lines(structure.range)].fill(structure.owner);
        }
    }

    fn cleared(&self, out: &mut Marks) {
        let Some(cleared) = self.cleared else { return };
        for line in lines(cleared) {
            out.bits[line] |= CLEARED;
            if matches!(out.owners[line], LineOwner::Gap) || self.in_array(line) {
                out.owners[line] = LineOwner::Clear;
            }
            self.overwrites(line, cleared, out);
        }
    }

    fn in_array(&self, line: usize) -> bool {
        let line = line as u32 * LINE_SIZE;
        line < self.positions[1] && self.positions[0] < line + LINE_SIZE
    }

    /// Marks a line if what is written of it reaches a structure.
    fn overwrites(&self, line: usize, written: [u32; 2], out: &mut Marks) {
        let line_bytes = [line as u32 * LINE_SIZE, (line as u32 + 1) * LINE_SIZE];
        let both = [written[0].max(line_bytes[0]), written[1].min(line_bytes[1])];
        let behind = self.taken.partition_point(|taken| taken[1] <= both[0]);
        if self.taken.get(behind).is_some_and(|taken| taken[0] < both[1]) {
            out.bits[line] |= OVERWRITES;
        }
    }

    fn accumulated(&self, ids: &[EntryId], out: &mut Marks) {
        let numbers: HashMap<EntryId, u32> = ids.iter().copied().zip(0..).collect();
        let parts = contributions(self.subject).into_iter().filter(|part| part.entry.list == List::SkAcc);
        for part in parts {
            let (Some(&number), Some(first)) = (numbers.get(&part.entry), part.slot.checked_mul(STRIDE))
            else {
                continue;
            };
            let Some(range) = self.frame.range(&(first..first.saturating_add(STRIDE))) else { continue };
            for line in lines(range) {
                out.owners[line] = LineOwner::SkAcc;
                out.bits[line] |= ACCUMULATED;
                add(&mut out.writers[line], number);
                self.overwrites(line, range, out);
            }
        }
    }

    fn direct(&self, out: &mut Marks) {
        // Bytes of a line that its owner has; the entry with most gives the colour.
        let mut owned = vec![0; out.owners.len()];
        for (entry, number) in self.entries.iter().zip(0..) {
            let Some(stored) = entry.stored else { continue };
            for line in lines(stored) {
                let other = |&writer: &u32| self.entries[writer as usize].stored.is_some();
                if out.writers[line].iter().any(other) {
                    out.bits[line] |= CONFLICT;
                }
                add(&mut out.writers[line], number);
                let own = overlap(entry.own.unwrap_or_default(), line);
                if own < LINE_SIZE {
                    out.bits[line] |= WRITE_BACK;
                }
                if own > owned[line] {
                    owned[line] = own;
                    out.owners[line] = if entry.list == "SK1" { LineOwner::Sk1 } else { LineOwner::Sk2 };
                } else if out.owners[line] == LineOwner::Gap && !self.in_array(line) {
                    out.owners[line] = LineOwner::Scratch;
                }
                self.overwrites(line, stored, out);
            }
        }
    }

    fn flushed(&self, out: &mut Marks) {
        let Some(skn) = self.subject.skn() else { return };
        let base = skn.skacc.first().map_or(0, |entry| u64::from(entry.destination));
        for &index in &skn.flush {
            let start = base + u64::from(index) * STRIDE;
            if let Some(range) = self.frame.range(&(start..start + 1)) {
                out.bits[lines(range).start] |= FLUSHED;
            }
        }
    }

    fn seen(&self, run: &DryRun, ids: &[EntryId], out: &mut Marks) {
        let wrong = match run.target {
            Target::Dolphin => WRONG_ON_DOLPHIN,
            Target::Console => WRONG_ON_CONSOLE,
        };
        let slots = run.wrong.iter().map(|slot| (slot.slot, wrong));
        for (slot, mark) in slots.chain(run.stale.iter().map(|&slot| (slot, STALE))) {
            let start = u64::from(slot) * STRIDE;
            for line in self.frame.range(&(start..start + STRIDE)).map_or(0..0, lines) {
                out.bits[line] |= mark;
            }
        }
        for fault in run.faults.iter().filter(|fault| fault.part != Part::Draw) {
            let entry = ids.iter().zip(self.entries).find(|(id, _)| Some(**id) == fault.entry);
            for line in entry.and_then(|(_, entry)| entry.own).map_or(0..0, lines) {
                out.bits[line] |= FAULTED;
            }
        }
    }
}

/// Bytes that a range has in a line.
fn overlap(range: [u32; 2], line: usize) -> u32 {
    let line = line as u32 * LINE_SIZE;
    range[1].min(line + LINE_SIZE).saturating_sub(range[0].max(line))
}

/// Adds an entry once; entries come in order.
fn add(writers: &mut Vec<u32>, number: u32) {
    if writers.last() != Some(&number) && writers.len() < MOST_WRITERS {
        writers.push(number);
    }
}
