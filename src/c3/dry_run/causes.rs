//! What a fault of an entry comes from, judged by what the machine held when it faulted.

use super::history::{History, Over};
use super::observe::processor_view;
use crate::c3::format::gpl::StructureKind;
use crate::c3::format::skn::{EntryId, List, STRIDE};
use crate::c3::rules::arrays::{VariableArray, VariableKind, variable_arrays};
use crate::c3::rules::effects::Origin;
use crate::c3::rules::mechanism::Cause;
use crate::c3::rules::subject::{Subject, transfer_lines};
use crate::c3::runtime::journal::{LocatedFault, Stage, Writer};
use crate::c3::runtime::simulation::Simulation;
use crate::gekko::fault::FaultKind;
use crate::gekko::map::LOCKED_CACHE_START;

/// Bytes of the skinning section's header that hold counts, pointers and sizes.
const HEADER_WORDS: u32 = 0x24;

/// A simulation at the moment of a fault, and the model that it runs.
pub(super) struct Scene<'s, 'm, 'a> {
    pub subject: &'s Subject<'m, 'a>,
    pub simulation: &'s Simulation,
    /// What was written so far.
    pub history: History<'s>,
}

fn by(cause: Cause) -> Origin {
    Origin { causes: vec![cause], ..Origin::default() }
}

impl Scene<'_, '_, '_> {
    /// What a fault of the skinning code comes from.
    pub fn origin(&self, fault: &LocatedFault) -> Origin {
        let (writer, causes) = match (fault.stage, fault.entry) {
            (Stage::Draw, _) => {
                let list = |submesh| format!("submesh {submesh} {}", StructureKind::StateList);
                return Origin { structure: fault.submesh.map(list), ..Origin::default() };
            }
            (Stage::Load, _) => return Origin::default(),
            (_, Some(entry)) => return self.of_entry(entry, fault),
            (Stage::Clear, _) => (Some(Writer::Clear), Vec::new()),
            _ => (None, Vec::new()),
        };
        let header = self.words(0, HEADER_WORDS, &[0x08, 0x0C, 0x10, 0x1C]);
        let over = header.map(|words| self.history.last_writers(words, writer)).unwrap_or_default();
        Origin { causes, writers: over.writers, ..Origin::default() }
    }

    fn of_entry(&self, entry: EntryId, fault: &LocatedFault) -> Origin {
        let Some(over) = self.record_written_over(entry) else { return by(Cause::Record) };
        if over.any {
            return Origin { writers: over.writers, ..by(Cause::Record) };
        }
        let counter = self.count(entry) < if entry.list == List::SkAcc { 1 } else { 2 };
        let kernel = matches!(fault.fault.site.function, "one-bone" | "two-bone" | "accumulate");
        let causes = match fault.fault.site.function {
            "frame" | "reorder" => return self.bones(entry),
            "load-blocks" | "store-blocks" if matches!(fault.fault.kind, FaultKind::MachineCheck(_)) => {
                self.lengths(entry)
            }
            // Of no vertex, 128 lines are loaded all the same.
            "load-blocks" if self.count(entry) == 0 => vec![Cause::Source, Cause::Counter],
            "load-blocks" => {
                return Origin { array: self.loading(entry), ..by(self.loaded(entry)) };
            }
            "store-blocks" => vec![self.stored(entry)],
            _ if kernel && counter => vec![Cause::Counter],
            _ if kernel => return self.kernel(entry, fault),
            _ => vec![Cause::Other],
        };
        Origin { causes, ..Origin::default() }
    }

    /// The array of an entry that is loaded after those which have been.
    fn loading(&self, entry: EntryId) -> Option<VariableKind> {
        let kinds: &[VariableKind] = match entry.list {
            List::Sk1 => &[VariableKind::Source],
            List::Sk2 => &[VariableKind::Source, VariableKind::Weights],
            List::SkAcc => &[
                VariableKind::AccumulationSource,
                VariableKind::AccumulationIndices,
                VariableKind::AccumulationWeights,
            ],
        };
        kinds.get(self.history.loads(entry).min(kinds.len() - 1)).copied()
    }

    /// What of the header, and of an entry's record behind its scratch, is in memory not what the loader makes of the
    /// file's bytes; nothing where the record cannot be told.
    fn record_written_over(&self, entry: EntryId) -> Option<Over> {
        let skn = self.subject.skn()?;
        let (field, list) = match entry.list {
            List::Sk1 => (0x08, skn.header.sk1),
            List::Sk2 => (0x0C, skn.header.sk2),
            List::SkAcc => (0x10, skn.header.skacc),
        };
        if list == 0 {
            return None; // It is read from the bottom of memory.
        }
        let size = entry.list.entry_size() as u32;
        let offset =
            u32::try_from(skn.entry_offset(entry)).ok().filter(|at| at.checked_add(size).is_some())?;
        let (to_skn, to_positions, first): (&[u32], u32, u32) = match entry.list {
            List::Sk1 => (&[0x30], 0x34, 0x30),
            List::Sk2 => (&[0x60, 0x64], 0x68, 0x60),
            List::SkAcc => (&[0x30, 0x34, 0x3C], 0x38, 0x30),
        };
        let pointers: Vec<u32> = to_skn.iter().map(|field| offset + field).collect();
        let at_positions = offset + to_positions;
        let mut words = self.words(0, 8, &[])?;
        words.extend(self.words(field, 4, &[field])?);
        words.extend(self.words(offset + first, to_positions - first, &pointers)?);
        let destination = self.file_word(at_positions)?.wrapping_add(self.simulation.positions);
        if self.word(at_positions)? != destination {
            words.push(self.simulation.input.skn.wrapping_add(at_positions));
        }
        words.extend(self.words(at_positions + 4, size - to_positions - 4, &pointers)?);
        // What an entry writes over its own record in a frame, it has read before.
        Some(self.history.last_writers(words, Some(Writer::Entry(entry))))
    }

    /// The addresses of those words of the skinning section that are not what the file holds, those at `pointers`
    /// relocated.
    fn words(&self, offset: u32, size: u32, pointers: &[u32]) -> Option<Vec<u32>> {
        let mut differing = Vec::new();
        for at in (offset..offset + size).step_by(4) {
            let base = if pointers.contains(&at) { self.simulation.input.skn } else { 0 };
            let (held, file) = (self.word(at)?, self.file_word(at)?);
            // Null pointers are not relocated.
            if held != file.wrapping_add(base) && held != file {
                differing.push(self.simulation.input.skn.wrapping_add(at));
            }
        }
        Some(differing)
    }

    /// Who wrote over what an entry's arrays hold in the file.
    fn arrays_written_over(&self, entry: EntryId) -> Vec<Writer> {
        let Some(skn) = self.subject.skn() else { return Vec::new() };
        let mut words = Vec::new();
        for array in variable_arrays(self.subject).iter().filter(|array| array.entry == Some(entry)) {
            let offset = array.range.start as u32;
            let file = skn.held(offset, array.range.end - array.range.start);
            let start = self.simulation.input.skn.wrapping_add(offset);
            let held = self.simulation.machine.memory(start, file.len() as u32).unwrap_or_default();
            let differing =
                (0..).zip(file.chunks(4).zip(held.chunks(4))).filter(|(_, (file, held))| file != held);
            words.extend(differing.map(|(word, _)| start.wrapping_add(4 * word)));
        }
        self.history.last_writers(words, None).writers
    }

    fn word(&self, offset: u32) -> Option<u32> {
        let start = self.simulation.input.skn.checked_add(offset)?;
        let bytes = processor_view(&self.simulation.machine, &(start..start.checked_add(4)?))?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    fn file_word(&self, offset: u32) -> Option<u32> {
        Some(u32::from_be_bytes(self.subject.skn()?.held(offset, 4).try_into().ok()?))
    }

    fn count(&self, entry: EntryId) -> u16 {
        let direct = self.subject.direct_entry(entry).map(|entry| entry.count);
        let skacc = self.subject.skn().and_then(|skn| skn.skacc.get(entry.index as usize));
        let skacc = skacc.filter(|_| entry.list == List::SkAcc).map(|entry| entry.count);
        direct.or(skacc).unwrap_or(u16::MAX)
    }

    /// A matrix that cannot be read: through a pointer behind the bone array, or one that was written over.
    fn bones(&self, entry: EntryId) -> Origin {
        let built = self.simulation.bones.map_or(0, |bones| bones.count());
        let direct = self.subject.direct_entry(entry).map(|entry| entry.bones.to_vec());
        let skacc = self.subject.skn().and_then(|skn| skn.skacc.get(entry.index as usize));
        let bones = direct.or_else(|| skacc.map(|entry| vec![entry.bone])).unwrap_or_default();
        if bones.iter().any(|&bone| u32::from(bone) >= built) {
            return by(Cause::Bone);
        }
        let writers = self.simulation.bones.map(|bones| self.history.writers_in(bones.range()));
        Origin { writers: writers.unwrap_or_default(), ..by(Cause::Bones) }
    }

    /// Loads from where no memory is: an array lies there, or is loaded longer than it is.
    fn loaded(&self, entry: EntryId) -> Cause {
        let arrays = variable_arrays(self.subject);
        let mut own = arrays.iter().filter(|array| array.entry == Some(entry));
        let outside = own.any(|array| {
            let start = self.simulation.input.skn.wrapping_add(array.pointer);
            !self.in_memory(start, array.range.end - array.range.start)
        });
        if outside { Cause::Source } else { Cause::Unaligned }
    }

    /// A store to where no memory is: its destination lies there, or low bits of it make the store longer.
    fn stored(&self, entry: EntryId) -> Cause {
        let inside = self.subject.direct_entry(entry).is_some_and(|direct| {
            let start = self.simulation.positions.wrapping_add(direct.destination);
            self.in_memory(start, 32 * direct.stored_lines())
        });
        if inside { Cause::Unaligned } else { Cause::Destination }
    }

    /// Whether the lines that a transfer is asked for exist.
    fn in_memory(&self, start: u32, bytes: u64) -> bool {
        let size = u32::try_from(bytes.next_multiple_of(32).max(32)).unwrap_or(u32::MAX);
        let start = start & self.simulation.input.code.dma_memory_mask & !31;
        self.simulation.machine.config().map.resolve_dma(start, size).is_ok()
    }

    /// Transfers that the locked cache has no room for: by what they ask for, or by what they move.
    fn lengths(&self, entry: EntryId) -> Vec<Cause> {
        let room = self.simulation.machine.locked_cache.len() as u64;
        let base = self.subject.skn().map_or(0, |skn| skn.view().base());
        let mut causes = Vec::new();
        let mut add = |cause| {
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        };
        for array in variable_arrays(self.subject).iter().filter(|array| array.entry == Some(entry)) {
            let asked = (array.range.end - array.range.start).div_ceil(32);
            let start = u64::from(buffer(entry, array.kind));
            let moved = moved(array, asked as u32, (base + array.range.start) as u32);
            if asked == 0 {
                if start + 32 * moved > room {
                    add(Cause::Counter);
                }
            } else if start + 32 * asked > room {
                add(Cause::Buffer);
            } else if start + 32 * moved > room {
                add(Cause::Unaligned);
            }
        }
        let direct = self.subject.direct_entry(entry);
        if direct.is_some_and(|entry| !entry.destination.is_multiple_of(32)) {
            add(Cause::Unaligned);
        }
        if causes.is_empty() { vec![Cause::Other] } else { causes }
    }

    /// A kernel whose counter is right: its vertices leave the locked cache, or an index leads nowhere.
    fn kernel(&self, entry: EntryId, fault: &LocatedFault) -> Origin {
        let skacc = self.subject.skn().and_then(|skn| Some((skn, skn.skacc.get(entry.index as usize)?)));
        let index = skacc.zip(fault.fault.marker).and_then(|((skn, entry), vertex)| {
            let index = skn.held(entry.indices.checked_add(vertex.checked_mul(2)?)?, 2);
            Some((entry, u16::from_be_bytes(index.try_into().ok()?)))
        });
        let reached = index.is_some_and(|(entry, index)| {
            let start = self.simulation.positions.wrapping_add(entry.destination);
            let start = start.wrapping_add(u32::from(index) * STRIDE as u32);
            u64::from(fault.fault.address.wrapping_sub(start)) < STRIDE
        });
        let locked_cache = fault.fault.address >> 28 == LOCKED_CACHE_START >> 28;
        match (reached, locked_cache) {
            (true, _) => by(Cause::Destination),
            (false, true) => by(Cause::Buffer),
            (false, false) => Origin { writers: self.arrays_written_over(entry), ..by(Cause::Data) },
        }
    }
}

/// Where in the locked cache an array of an entry is loaded to. \[listing\]
fn buffer(entry: EntryId, kind: VariableKind) -> u32 {
    let set = 0x2000 * (entry.index & 1);
    set + match kind {
        VariableKind::Weights | VariableKind::AccumulationIndices => 0x1000,
        VariableKind::AccumulationWeights => 0x1800,
        _ => 0,
    }
}

/// Lines that arrive, split transfers as far as the last of them reaches.
fn moved(array: &VariableArray, asked: u32, address: u32) -> u64 {
    let split =
        array.kind == VariableKind::Source && array.entry.is_some_and(|entry| entry.list == List::Sk1);
    let whole = if split { asked / 128 } else { 0 };
    let rest = asked - 128 * whole;
    let rest = if split && rest == 0 { 0 } else { transfer_lines(rest, address) };
    u64::from(128 * whole) + u64::from(rest)
}
