//! A model that already lies in memory: a dump of a running game, everything relocated.
//!
//! Nothing is placed and nothing is relocated: the next frame runs with the bones, matrices and skinning
//! section that the game left there.

use super::header::HeaderAt;
use super::reorder::SKIN_MATRIX_POINTER;
use crate::c3::format::skn::{HEADER_SIZE, List};
use crate::gekko::machine::Machine;

/// Where things lie in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resident {
    /// The skinning section's header.
    pub skn: u32,
    /// The array of pointers to bone records.
    pub bones: u32,
    /// The skinned position array and its number of vertices, where they are known.
    pub positions: Option<(u32, u16)>,
}

/// Why the next frame cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResidentError {
    /// Bytes that no dump holds.
    #[error("{what}: want {size:#x} bytes at {address:#010x}, have none there in the dumps")]
    NotThere {
        /// What should lie there.
        what: &'static str,
        /// Where.
        address: u32,
        /// How many bytes.
        size: u32,
    },
    /// An actor record that leads to no bones.
    #[error(
        "actor at {0:#010x}: want a pointer to its bones among the words at +0x00..+0x1c, have none that leads \
         to bone records with skin matrices; --bones-at names the array"
    )]
    NoBones(u32),
    /// An actor without a skinned mesh.
    #[error("actor at {0:#010x}: want a pointer to its SKN at +0x6c, have 0: it has no skin")]
    NoSkin(u32),
}

/// Size of an actor record. [formats.md 1.5]
const ACTOR_SIZE: u32 = 0x70;
/// Words before the actor's world control, the bone array's pointer among them; which one it is, is not
/// recorded, so that it is told by where it leads.
const ACTOR_HEAD: u32 = 0x1C;
/// The actor's four arrays of matrices.
const MATRIX_ARRAYS: std::ops::Range<u32> = 0x50..0x60;
/// The actor's pointer to its SKN header.
const SKN_POINTER: u32 = 0x6C;
/// Bytes of a section that are looked at: more than any model has, less than a bank.
const MOST_BYTES: u32 = 0x40_0000;

fn word(machine: &Machine, address: u32) -> Option<u32> {
    let bytes = machine.memory(address, 4)?;
    Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Follows an actor record to its bone array and SKN header.
///
/// # Errors
/// When the record does not lie in memory, has no skin, or leads to no bones.
pub fn follow_actor(machine: &Machine, actor: u32) -> Result<(u32, u32), ResidentError> {
    let what = "actor record";
    let missing = ResidentError::NotThere { what, address: actor, size: ACTOR_SIZE };
    machine.memory(actor, ACTOR_SIZE).ok_or(missing)?;
    let at = |offset: u32| word(machine, actor.wrapping_add(offset)).unwrap_or_default();
    let skn = at(SKN_POINTER);
    if skn == 0 {
        return Err(ResidentError::NoSkin(actor));
    }
    let arrays: Vec<u32> = MATRIX_ARRAYS.step_by(4).map(at).filter(|&array| array != 0).collect();
    let matrix_of_first = |bones: u32| {
        let record = word(machine, bones)?;
        let matrix = word(machine, record.wrapping_add(SKIN_MATRIX_POINTER))?;
        machine.memory(matrix, 48).map(|_| matrix)
    };
    let candidates = || (0..ACTOR_HEAD).step_by(4).map(at).filter(|&pointer| pointer != 0);
    // The first bone's skin matrix is the first of one of the actor's arrays.
    let sure =
        candidates().find(|&bones| matrix_of_first(bones).is_some_and(|first| arrays.contains(&first)));
    let bones = sure.or_else(|| candidates().find(|&bones| matrix_of_first(bones).is_some()));
    Ok((bones.ok_or(ResidentError::NoBones(actor))?, skn))
}

impl Resident {
    /// Checks that header and bone array lie in memory.
    ///
    /// # Errors
    /// When one of them does not.
    pub fn require(&self, machine: &Machine) -> Result<(), ResidentError> {
        let mut wanted = vec![("SKN header", self.skn, HEADER_SIZE as u32), ("bone array", self.bones, 4)];
        if let Some((address, count)) = self.positions {
            wanted.push(("position array", address, u32::from(count) * 12));
        }
        match wanted.into_iter().find(|&(_, address, size)| machine.memory(address, size).is_none()) {
            Some((what, address, size)) => Err(ResidentError::NotThere { what, address, size }),
            None => Ok(()),
        }
    }

    /// The skinning section as its file would have it: a copy with the pointers made relative again, as far
    /// as it lies in memory. Pointers that lead elsewhere come out as they may.
    pub fn skn_file(&self, machine: &Machine) -> Vec<u8> {
        let end = self.extent(machine);
        let held = (1..=end.div_ceil(0x20)).rev().find_map(|lines| machine.memory(self.skn, lines * 0x20));
        let mut file = Relative {
            bytes: held.or_else(|| machine.memory(self.skn, HEADER_SIZE as u32)).unwrap_or_default().to_vec(),
            skn: self.skn,
            positions: self.positions.map_or(0, |(address, _)| address),
        };
        file.header();
        file.bytes
    }

    /// One past the last byte that header, lists and arrays take.
    fn extent(&self, machine: &Machine) -> u32 {
        let offset = |pointer: u32| pointer.wrapping_sub(self.skn);
        let at = |address: u32| word(machine, address).unwrap_or_default();
        let half = |address: u32| machine.memory(address, 2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]));
        let header = HeaderAt(self.skn);
        let mut end = HEADER_SIZE as u32;
        let mut reach = |pointer: u32, size: u32| {
            let last = offset(pointer).saturating_add(size);
            if last <= MOST_BYTES {
                end = end.max(last);
            }
        };
        reach(at(header.flush_at()), 2 * at(header.flush_at() + 4).min(0x1_0000));
        for list in [List::Sk1, List::Sk2, List::SkAcc] {
            let (count, first) = (u32::from(half(header.count_at(list))), at(header.list_at(list)));
            let size = list.entry_size() as u32;
            reach(first, count * size);
            if offset(first).saturating_add(count * size) > MOST_BYTES {
                continue;
            }
            for index in 0..count {
                let entry = first.wrapping_add(index * size);
                let vertices = u32::from(half(entry.wrapping_add(count_field(list))));
                for &(field, each) in arrays(list) {
                    reach(at(entry.wrapping_add(field)), 0x20 + vertices * each);
                }
            }
        }
        end
    }
}

/// Where an entry keeps its number of vertices.
const fn count_field(list: List) -> u32 {
    match list {
        List::Sk1 => 0x3A,
        List::Sk2 => 0x70,
        List::SkAcc => 0x42,
    }
}

/// The entry's pointers into the section, each with bytes a vertex.
const fn arrays(list: List) -> &'static [(u32, u32)] {
    match list {
        List::Sk1 => &[(0x30, 12)],
        List::Sk2 => &[(0x60, 12), (0x64, 2)],
        List::SkAcc => &[(0x30, 12), (0x34, 2), (0x3C, 1)],
    }
}

/// The entry's pointer into the position array.
const fn destination(list: List) -> u32 {
    match list {
        List::Sk1 => 0x34,
        List::Sk2 => 0x68,
        List::SkAcc => 0x38,
    }
}

/// Undoes what the loader did.
struct Relative {
    bytes: Vec<u8>,
    skn: u32,
    positions: u32,
}

impl Relative {
    fn word(&self, at: u32) -> u32 {
        let bytes = self.bytes.get(at as usize..at as usize + 4);
        bytes.map_or(0, |bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn subtract(&mut self, at: u32, base: u32) {
        let value = self.word(at).wrapping_sub(base);
        if let Some(bytes) = self.bytes.get_mut(at as usize..at as usize + 4) {
            bytes.copy_from_slice(&value.to_be_bytes());
        }
    }

    fn header(&mut self) {
        for list in [List::Sk1, List::Sk2, List::SkAcc] {
            let field = 0x08 + 4 * list as u32;
            if self.word(field) != 0 {
                self.subtract(field, self.skn);
                self.entries(list, self.word(field));
            }
        }
        if self.word(0x18) != 0 {
            self.subtract(0x14, self.positions);
        }
        if self.word(0x1C) != 0 {
            self.subtract(0x1C, self.skn);
        }
    }

    fn entries(&mut self, list: List, first: u32) {
        let counts = self.word(2 * list as u32) >> 16;
        let size = list.entry_size() as u32;
        for index in 0..counts {
            let Some(entry) = first.checked_add(index * size) else { return };
            if u64::from(entry) + u64::from(size) > self.bytes.len() as u64 {
                return;
            }
            for &(field, _) in arrays(list) {
                self.subtract(entry + field, self.skn);
            }
            self.subtract(entry + destination(list), self.positions);
        }
    }
}
