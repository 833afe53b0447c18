//! Fields of the fox's block that tests spoil, by structure.

use super::{COLOUR_HEADER, GPL, POSITION_HEADER, SKN, sk1, sk2, skacc};

/// A field: name, offset in the block, bytes.
pub type Field = (&'static str, usize, usize);

/// Counts, shift and lists of the SKN header.
pub const SKINNING_HEADER: [Field; 7] = [
    ("SK1 count", SKN, 2),
    ("SK2 count", SKN + 2, 2),
    ("SKAcc count", SKN + 4, 2),
    ("shift", SKN + 6, 1),
    ("SK1 list", SKN + 8, 4),
    ("SK2 list", SKN + 0xC, 4),
    ("SKAcc list", SKN + 0x10, 4),
];

/// The clear range, the flush list and its first index.
pub const CLEAR_AND_FLUSH: [Field; 5] = [
    ("clear start", SKN + 0x14, 4),
    ("clear size", SKN + 0x18, 4),
    ("flush list", SKN + 0x1C, 4),
    ("flush count", SKN + 0x20, 4),
    ("flush index", SKN + 0x55E0, 2),
];

/// The first index of the accumulating entries.
pub const ACCUMULATION_INDEX: Field = ("SKAcc index", SKN + 0x5EE0, 2);

/// Headers of the skinned submesh and what they point to.
pub const GEOMETRY: [Field; 9] = [
    ("layout", GPL + 0x20, 4),
    ("position header", GPL + 0x40, 4),
    ("display header", GPL + 0x50, 4),
    ("position array", POSITION_HEADER, 4),
    ("position count", POSITION_HEADER + 4, 2),
    ("position quantize", POSITION_HEADER + 6, 1),
    ("colour array", COLOUR_HEADER, 4),
    ("states", COLOUR_HEADER + 0x10, 4),
    ("state count", COLOUR_HEADER + 0x14, 2),
];

/// An SK1 entry.
pub fn sk1_entry(index: usize) -> [Field; 5] {
    let at = sk1(index);
    [
        ("SK1 source", at + 0x30, 4),
        ("SK1 destination", at + 0x34, 4),
        ("SK1 bone", at + 0x38, 2),
        ("SK1 count", at + 0x3A, 2),
        ("SK1 vertex offset", at + 0x3C, 1),
    ]
}

/// An SK2 entry, its first bone aside.
pub fn sk2_entry(index: usize) -> [Field; 6] {
    let at = sk2(index);
    [
        ("SK2 source", at + 0x60, 4),
        ("SK2 weights", at + 0x64, 4),
        ("SK2 destination", at + 0x68, 4),
        ("SK2 bone", at + 0x6E, 2),
        ("SK2 count", at + 0x70, 2),
        ("SK2 vertex offset", at + 0x72, 1),
    ]
}

/// An accumulating entry.
pub fn skacc_entry(index: usize) -> [Field; 6] {
    let at = skacc(index);
    [
        ("SKAcc source", at + 0x30, 4),
        ("SKAcc indices", at + 0x34, 4),
        ("SKAcc base", at + 0x38, 4),
        ("SKAcc weights", at + 0x3C, 4),
        ("SKAcc bone", at + 0x40, 2),
        ("SKAcc count", at + 0x42, 2),
    ]
}
