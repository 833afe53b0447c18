//! Weights in place: new values on an unchanged bone set patch the bytes of a block and nothing else.
//! \[seed 003\]
//!
//! A slot is matched with a vertex by its source record: equal, or else the nearest within a few steps,
//! which a trip through another program's floats can cost.

use std::collections::BTreeMap;

use super::character::Character;
use super::error::{BuildError, BuildResult, Notes};
use super::shift;
use super::skn::Record;
use super::weights::{Allowed, shares};
use crate::c3::coverage::Coverage;
use crate::c3::format::skn::{STRIDE, Skn};
use crate::c3::model::Model;

/// Largest distance along an axis, in steps, that a vertex may have moved on its way through other
/// programs. \[seed 003: 1 to 3\]
const ROUNDING: i32 = 3;

/// A block with patched weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// The block, as long as the donor's.
    pub block: Vec<u8>,
    /// Bytes that changed.
    pub changed: usize,
    /// Slots whose weights changed.
    pub slots: usize,
    /// What was merged or moved on the way.
    pub notes: Vec<String>,
}

/// Gives the donor's slots the weights that the character's vertices have.
///
/// # Errors
/// When a vertex or a drawn slot has no counterpart, or another bone set: then the model has to be built
/// anew.
pub fn patch(
    donor: &[u8],
    model: &Model,
    character: &Character,
    allowed: &Allowed,
    mut notes: Notes,
) -> BuildResult<Patched> {
    let skn = model.skn.as_ref().ok_or_else(|| BuildError::new("donor", "an SKN section", "none"))?;
    let places = places(skn)?;
    let mut crowd = Crowd::of(character, allowed, skn.header.shift, &mut notes)?;
    let coverage = Coverage::of(model);
    let mut patched = Patched { block: donor.to_vec(), changed: 0, slots: 0, notes: Vec::new() };
    for (slot, weights) in &places {
        let drawn = coverage.used.get(*slot as usize).is_some_and(|bit| *bit);
        let Some(shares) = crowd.shares(*slot, weights, drawn)? else { continue };
        let before = patched.changed;
        for (at, value) in weights.values(*slot, &shares)? {
            let byte = &mut patched.block[at as usize];
            patched.changed += usize::from(*byte != value);
            *byte = value;
        }
        patched.slots += usize::from(patched.changed > before);
    }
    crowd.check_all_met()?;
    patched.notes = notes.sentences().collect();
    Ok(patched)
}

/// The weights of a slot: for each bone the file offsets of its bytes with their values.
#[derive(Debug, Default)]
struct SlotWeights {
    record: Record,
    /// Whether one bone moves the slot, which stores no weight.
    whole: Option<u16>,
    parts: BTreeMap<u16, Vec<(u64, u8)>>,
}

impl SlotWeights {
    fn bones(&self) -> Vec<u16> {
        self.whole.into_iter().chain(self.parts.keys().copied()).collect()
    }

    /// The bytes to store. A bone that adds twice keeps its later bytes: the pattern means something.
    fn values(&self, slot: u32, shares: &[(u16, u16)]) -> BuildResult<Vec<(u64, u8)>> {
        let mut values = Vec::new();
        for (bone, bytes) in &self.parts {
            let units = shares.iter().find(|(known, _)| known == bone).map_or(0, |(_, units)| *units);
            let later: u16 = bytes.iter().skip(1).map(|(_, value)| u16::from(*value)).sum();
            let first = units.checked_sub(later).and_then(|units| u8::try_from(units).ok());
            let (Some(first), Some((at, _))) = (first, bytes.first()) else {
                let have = format!("{units} units beside {later} that it adds separately");
                return Err(BuildError::new(
                    format!("slot {slot}, bone {bone}"),
                    "a weight of 0 to 255",
                    have,
                ));
            };
            values.push((*at, first));
        }
        Ok(values)
    }
}

fn record_at(skn: &Skn, offset: u64) -> BuildResult<Record> {
    let bytes = skn.view().sub(offset, STRIDE, "source vertex")?;
    let mut record = [0; 6];
    for (n, value) in record.iter_mut().enumerate() {
        *value = bytes.i16(2 * n as u64, "source vertex")?;
    }
    Ok(record)
}

/// The weights of every slot that an SK1 or SK2 entry writes or an `SKAcc` entry adds to.
fn places(skn: &Skn) -> BuildResult<BTreeMap<u32, SlotWeights>> {
    let mut places: BTreeMap<u32, SlotWeights> = BTreeMap::new();
    let base = skn.view().base();
    let first = |destination: u32, offset: u8| (u64::from(destination) + u64::from(offset)) / STRIDE;
    for entry in &skn.sk1 {
        let slots = first(entry.destination, entry.vertex_offset);
        for n in 0..u64::from(entry.count) {
            let at = u64::from(entry.source) + u64::from(entry.vertex_offset) + STRIDE * n;
            let place = places.entry((slots + n) as u32).or_default();
            (place.record, place.whole) = (record_at(skn, at)?, Some(entry.bone));
        }
    }
    for entry in &skn.sk2 {
        let slots = first(entry.destination, entry.vertex_offset);
        for n in 0..u64::from(entry.count) {
            let at = u64::from(entry.source) + u64::from(entry.vertex_offset) + STRIDE * n;
            let place = places.entry((slots + n) as u32).or_default();
            place.record = record_at(skn, at)?;
            for (half, bone) in (0..).zip(entry.bones) {
                let at = u64::from(entry.weights) + 2 * n + half;
                place.parts.entry(bone).or_default().push((base + at, skn.view().u8(at, "SK2 weight")?));
            }
        }
    }
    for entry in &skn.skacc {
        for (n, index) in (0..).zip(skn.indices(entry)) {
            let slot = (u64::from(entry.destination) / STRIDE) as u32 + u32::from(index);
            let at = u64::from(entry.weights) + n;
            let weight = skn.view().u8(at, "SKAcc weight")?;
            let record = record_at(skn, u64::from(entry.source) + STRIDE * n)?;
            let place =
                places.entry(slot).or_insert_with(|| SlotWeights { record, ..SlotWeights::default() });
            place.parts.entry(entry.bone).or_default().push((base + at, weight));
        }
    }
    Ok(places)
}

/// A vertex of the character, quantized.
struct Candidate {
    record: Record,
    shares: Vec<(u16, u16)>,
    place: String,
    met: bool,
}

/// The character's vertices by where they are.
struct Crowd {
    candidates: Vec<Candidate>,
    by_cell: BTreeMap<[i32; 3], Vec<usize>>,
}

/// Side of a cell, in steps: neighbours within [`ROUNDING`] lie in the same or the next one.
const CELL: i32 = 4;

fn cell(record: &Record) -> [i32; 3] {
    [0, 1, 2].map(|axis| i32::from(record[axis]).div_euclid(CELL))
}

fn distance(a: &Record, b: &Record, parts: std::ops::Range<usize>) -> i32 {
    parts.map(|part| (i32::from(a[part]) - i32::from(b[part])).abs()).max().unwrap_or(0)
}

impl Crowd {
    fn of(character: &Character, allowed: &Allowed, shift: u8, notes: &mut Notes) -> BuildResult<Self> {
        let mut crowd = Self { candidates: Vec::new(), by_cell: BTreeMap::new() };
        let used = super::used(character);
        for (vertex, _) in character.vertices.iter().zip(used).filter(|(_, used)| *used) {
            let record = shift::record(vertex.position, vertex.normal, shift.min(shift::MOST));
            crowd.by_cell.entry(cell(&record)).or_default().push(crowd.candidates.len());
            crowd.candidates.push(Candidate {
                record,
                shares: shares(vertex, &character.bones, allowed, notes)?,
                place: vertex.origin.to_string(),
                met: false,
            });
        }
        Ok(crowd)
    }

    /// Candidates within rounding of a record, the nearest first.
    fn near(&self, record: &Record) -> Vec<usize> {
        let [x, y, z] = cell(record);
        let cells = (0..27).map(|n| [x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1]);
        let mut near: Vec<usize> = cells
            .flat_map(|cell| self.by_cell.get(&cell).into_iter().flatten().copied())
            .filter(|&n| distance(&self.candidates[n].record, record, 0..3) <= ROUNDING)
            .collect();
        near.sort_by_key(|&n| (distance(&self.candidates[n].record, record, 0..6), n));
        near
    }

    /// The shares that a slot gets.
    fn shares(
        &mut self,
        slot: u32,
        weights: &SlotWeights,
        drawn: bool,
    ) -> BuildResult<Option<Vec<(u16, u16)>>> {
        let near = self.near(&weights.record);
        let mut bones = weights.bones();
        bones.sort_unstable();
        let same_bones = |n: &usize| {
            let mut own: Vec<u16> = self.candidates[*n].shares.iter().map(|(bone, _)| *bone).collect();
            own.sort_unstable();
            own == bones
        };
        let fitting: Vec<usize> = near.iter().copied().filter(same_bones).collect();
        let Some(&best) = fitting.first() else {
            return match near.first() {
                _ if !drawn => Ok(None),
                None => Err(BuildError::new(format!("slot {slot}"), "a vertex at its place", "none")),
                Some(&other) => {
                    let other = &self.candidates[other];
                    let own: Vec<u16> = other.shares.iter().map(|(bone, _)| *bone).collect();
                    let want =
                        format!("bones {bones:?} as in slot {slot} (another bone set needs a whole build)");
                    Err(BuildError::new(&other.place, want, format!("{own:?}")))
                }
            };
        };
        let apart = distance(&self.candidates[best].record, &weights.record, 0..6);
        let tied =
            fitting.iter().filter(|&&n| distance(&self.candidates[n].record, &weights.record, 0..6) == apart);
        for &other in tied.clone() {
            if self.candidates[other].shares != self.candidates[best].shares {
                let (a, b) = (&self.candidates[best].place, &self.candidates[other].place);
                let want = format!("one set of weights for slot {slot}");
                return Err(BuildError::new(a, want, format!("others at the same place: {b}")));
            }
        }
        let tied: Vec<usize> = tied.copied().collect();
        for n in tied {
            self.candidates[n].met = true;
        }
        Ok(Some(self.candidates[best].shares.clone()))
    }

    fn check_all_met(&self) -> BuildResult<()> {
        match self.candidates.iter().find(|candidate| !candidate.met) {
            Some(lost) => Err(BuildError::new(&lost.place, "a slot of the donor at its place", "none")),
            None => Ok(()),
        }
    }
}
