//! By which mechanism a broken rule can make an entry fault: each finding answers for faults that come about in
//! that way, and for no other of the same entry.

use super::codes;
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
