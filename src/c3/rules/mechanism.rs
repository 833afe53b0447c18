//! By which mechanism a broken rule can make an entry fault: each finding answers for faults that come about in
//! that way, and for no other of the same entry.

use super::codes;
use super::effects::{FaultSeen, Origin, Part};
use super::found::{Evidence, Reach};
use crate::c3::runtime::journal::Writer;
use crate::finding::Code;

/// What a fault of an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Its record in memory is not what the loader makes of the file's.
    Record,
    /// It names a bone behind the bone array.
    Bone,
    /// The bone array, a bone's record or a matrix is not what the game put there.
    Bones,
    /// The kernel's loop counter wrapped, and the vertex is none of the entry's.
    Counter,
    /// Its data lie where no memory is.
    Source,
    /// A transfer moves more than it is asked for: low bits of the address lie in the length.
    Unaligned,
    /// Its vertices take more of the locked cache than there is.
    Buffer,
    /// The kernel works on other data than the file's: what was to be loaded did not arrive, or was written over.
    Data,
    /// Its results go where no memory is.
    Destination,
    /// None of these.
    Other,
}

use Cause::{Bone, Bones, Buffer, Counter, Data, Destination, Other, Record, Source, Unaligned};

/// What faults of its entries a finding can be the cause of.
pub(super) fn of(code: &'static Code) -> &'static [Cause] {
    let is_one_of = |codes: &[&'static Code]| codes.iter().any(|other| other.name == code.name);
    if is_one_of(&[&codes::COUNT_WRAPS]) {
        return &[Counter];
    }
    if is_one_of(&[&codes::BONE_OUT_OF_RANGE]) {
        return &[Bone];
    }
    // Where a vertex lands in its line, and who else stores the line, moves no access.
    let placement = [
        &codes::VERTEX_OFFSET,
        &codes::LINE_SHARED,
        &codes::STORE_SIZE_WRAPS,
        &codes::ACCUMULATION_SHARES_LINE,
    ];
    if is_one_of(&placement) || is_one_of(&[&codes::COUNT_BELOW_VANILLA]) {
        return &[];
    }
    // A kernel reads a vertex further than it stores.
    if is_one_of(&[&codes::SOURCE_OVER_VANILLA_LIMIT]) {
        return &[Buffer];
    }
    if is_one_of(&[&codes::SOURCE_OVER_BUFFER]) {
        return &[Buffer, Data];
    }
    if is_one_of(&[&codes::DMA_LENGTH_WRAPS]) {
        return &[Data];
    }
    if is_one_of(&[&codes::DMA_ADDRESS_UNALIGNED, &codes::ARRAY_UNALIGNED]) {
        return &[Unaligned, Data, Record];
    }
    if is_one_of(&[&codes::WRITE_BACK_OVER_STRUCTURE]) {
        return &[Record, Data];
    }
    if is_one_of(&[&codes::ARRAY_OVERLAP]) {
        return &[Record, Source, Data];
    }
    if is_one_of(&[&codes::WRITE_OUTSIDE_MODEL]) {
        return &[Destination, Bones, Record];
    }
    if is_one_of(&[&codes::ACCUMULATE_BASE]) {
        return &[Destination];
    }
    if is_one_of(&[&codes::OUT_OF_BOUNDS]) {
        return &[Record, Source, Data];
    }
    &[Record, Bones, Source, Unaligned, Buffer, Data, Destination, Other]
}

/// Whether a finding answers for a fault.
pub fn explains(evidence: &Evidence, fault: &FaultSeen) -> bool {
    if evidence.reach == Reach::Everything {
        return true;
    }
    let Origin { causes, writers, array, structure } = &fault.origin;
    if !writers.is_empty() {
        // What was written over is read: whoever wrote it is to blame.
        let wrote = writers.iter().any(|writer| evidence.writers.contains(writer));
        let over = if causes.contains(&Bones) {
            evidence.causes.contains(&Bones)
        } else {
            evidence.writes_skinning_data()
        };
        return wrote && over;
    }
    // A write over a structure is to blame for what reads it.
    let is_write = !evidence.causes.contains(&Destination) && !evidence.causes.contains(&Source);
    let reads = is_write && evidence.writes_skinning_data();
    if evidence.parts.contains(&fault.part) && !reads {
        // Of entries, these answer for what is read in place of their records alone, and for bones that the
        // loader took for entries and relocated.
        let relocated = evidence.parts.contains(&Part::Load) && causes.contains(&Bones);
        return fault.part != Part::Entry || causes.contains(&Record) || relocated;
    }
    if fault.part == Part::Draw {
        let writer = fault.entry.map_or(Writer::Clear, Writer::Entry);
        let followed = structure.as_ref().is_some_and(|name| evidence.structures.contains(name));
        return evidence.writers.contains(&writer) && followed;
    }
    let other_array = array.is_some() && evidence.array.is_some() && *array != evidence.array;
    let by_entry = fault.entry.is_some_and(|entry| evidence.entries.contains(&entry));
    by_entry && !other_array && causes.iter().any(|cause| evidence.causes.contains(cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_count_wraps_a_counter_and_only_a_bone_number_leads_past_the_bones() {
        let of_cause =
            |cause| codes::CODES.iter().filter(move |code| of(code).contains(&cause)).map(|code| code.name);
        assert_eq!(of_cause(Counter).collect::<Vec<_>>(), ["count-wraps"]);
        assert_eq!(of_cause(Bone).collect::<Vec<_>>(), ["bone-out-of-range"]);
    }
}
