//! The fox with a few bytes changed: the code that must be found, and how severe it must be.

use skinsim::finding::Severity;

use super::{ACT, COLOUR_HEADER, GPL, POSITION_HEADER, PRIMITIVES, SKN, STATES, bone, sk1, sk2, skacc};

/// Bytes that are changed, and where.
pub type Change = (usize, &'static [u8]);

/// Code, severity it must have, bytes that are changed.
pub const BROKEN: &[(&str, Severity, &[Change])] = &[
    ("block-header", Severity::Error, &[(0, &[0, 0, 0, 1])]),
    ("block-header", Severity::Error, &[(8, &[0, 0, 0, 0])]),
    ("block-header", Severity::Error, &[(0x10, &[0, 1, 0, 0])]),
    ("section-order", Severity::Warning, &[(0x08, &[0, 0, 0x5D, 0xC0]), (0x10, &[0, 0, 0x56, 0])]),
    ("section-unaligned", Severity::Error, &[(0x10, &[0, 0, 0x5D, 0xC4])]),
    ("version-unknown", Severity::Error, &[(GPL, &[0, 0, 0, 9])]),
    ("version-unknown", Severity::Error, &[(ACT, &[0, 0, 0, 9])]),
    ("out-of-bounds", Severity::Error, &[(GPL + 0x10, &[0, 1, 0, 0])]),
    ("out-of-bounds", Severity::Error, &[(sk1(3) + 0x30, &[0, 1, 0, 0])]),
    ("out-of-bounds", Severity::Error, &[(SKN, &[0xFF, 0xFF])]),
    ("quantize-unknown", Severity::Error, &[(POSITION_HEADER + 6, &[0x78])]),
    ("quantize-unknown", Severity::Error, &[(COLOUR_HEADER + 6, &[0x60])]),
    ("components-unsupported", Severity::Error, &[(POSITION_HEADER + 7, &[4])]),
    ("no-skinned-submesh", Severity::Error, &[(POSITION_HEADER + 7, &[3])]),
    ("skinned-positions-not-s16", Severity::Error, &[(POSITION_HEADER + 6, &[0x48])]),
    ("shift-mismatch", Severity::Error, &[(POSITION_HEADER + 6, &[0x3A])]),
    ("shift-out-of-range", Severity::Error, &[(SKN + 6, &[40])]),
    ("header-unaligned", Severity::Error, &[(GPL + 0x44, &[0, 0, 0x47, 0xC1])]),
    ("positions-unaligned", Severity::Error, &[(POSITION_HEADER, &[0, 0, 0, 0x6C])]),
    ("primitive-index", Severity::Error, &[(PRIMITIVES + 3, &[0x7F, 0xFF])]),
    ("primitive-overrun", Severity::Error, &[(PRIMITIVES + 1, &[0xFF, 0xFF])]),
    ("primitive-opcode", Severity::Error, &[(PRIMITIVES, &[0xFF])]),
    ("primitive-list-unaligned", Severity::Error, &[(STATES + 0x18, &[0, 0, 0x48, 0x04])]),
    ("primitive-list-length", Severity::Error, &[(STATES + 0x1C, &[0, 0, 0x0D, 0x9C])]),
    ("descriptor-direct", Severity::Error, &[(STATES + 4, &[0, 0, 0, 0x04])]),
    ("descriptor-index-width", Severity::Error, &[(STATES + 4, &[0, 0, 0, 0x08])]),
    ("primitive-trailing-data", Severity::Note, &[(PRIMITIVES + 0xD9F, &[1])]),
    ("display-state-unknown", Severity::Warning, &[(STATES + 0x10, &[9])]),
    ("texture-format", Severity::Error, &[(0x0C, &[0, 0, 0, 0x20])]),
    ("geo-owns-skinned", Severity::Warning, &[(bone(5) + 0x14, &[0, 0])]),
    ("geo-out-of-range", Severity::Error, &[(bone(5) + 0x14, &[0, 9])]),
    ("bone-owns-mesh", Severity::Warning, &[(bone(6) + 0x14, &[0, 0])]),
    ("count-wraps", Severity::Error, &[(sk1(2) + 0x3A, &[0, 1])]),
    ("count-wraps", Severity::Error, &[(sk2(2) + 0x70, &[0, 0])]),
    ("count-wraps", Severity::Error, &[(skacc(3) + 0x42, &[0, 0])]),
    ("count-below-vanilla", Severity::Warning, &[(sk1(11) + 0x3A, &[0, 2])]),
    ("source-over-buffer", Severity::Warning, &[(sk2(6) + 0x70, &[1, 0x68])]),
    ("dma-length-wraps", Severity::Error, &[(sk2(6) + 0x70, &[1, 0x68])]),
    ("store-size-wraps", Severity::Error, &[(sk1(3) + 0x3A, &[0x16, 0])]),
    ("dma-address-unaligned", Severity::Error, &[(sk1(3) + 0x30, &[0, 0, 0x15, 0x04])]),
    ("dma-address-unaligned", Severity::Error, &[(sk2(3) + 0x64, &[0, 0, 0x57, 0x84])]),
    ("vertex-offset", Severity::Error, &[(sk1(3) + 0x3C, &[6])]),
    ("line-shared", Severity::Error, &[(sk1(5) + 0x34, &[0, 0, 0x12, 0x40])]),
    ("destination-overlap", Severity::Error, &[(sk1(5) + 0x34, &[0, 0, 0x11, 0x40])]),
    ("write-back-over-structure", Severity::Error, &[(sk2(20) + 0x70, &[0, 41])]),
    ("write-outside-scratch", Severity::Warning, &[(sk2(20) + 0x70, &[0, 36])]),
    ("write-outside-model", Severity::Error, &[(sk1(0) + 0x34, &[0, 0, 0xC0, 0])]),
    ("bone-out-of-range", Severity::Error, &[(sk1(4) + 0x38, &[0, 24])]),
    ("entries-unsorted", Severity::Note, &[(sk1(0) + 0x34, &[0, 0, 0x45, 0xA0])]),
    ("source-off-mirror", Severity::Warning, &[(sk1(0) + 0x30, &[0, 0, 0x10, 0])]),
    ("array-unaligned", Severity::Error, &[(sk2(3) + 0x64, &[0, 0, 0x57, 0x84])]),
    ("array-overlap", Severity::Warning, &[(sk1(0) + 0x30, &[0, 0, 0x10, 0])]),
    ("array-order", Severity::Note, &[(SKN + 0x1C, &[0, 0, 0x61, 0x80])]),
    ("padding-not-zero", Severity::Note, &[(sk1(0) + 0x3D, &[1])]),
    ("prefix-not-zero", Severity::Note, &[(SKN + 0x1000, &[1])]),
    ("clear-hits-direct", Severity::Error, &[(SKN + 0x14, &[0, 0, 1, 0x40, 0, 0, 0, 0x20])]),
    ("clear-range", Severity::Warning, &[(SKN + 0x14, &[0, 0, 1, 0x40, 0, 0, 0, 0x20])]),
    ("clear-without-accumulation", Severity::Warning, &[(SKN + 4, &[0, 0]), (SKN + 0x18, &[0, 0, 0, 0x20])]),
    ("accumulate-into-sk1", Severity::Warning, &[(SKN + 0x5EE0, &[0, 60])]),
    ("accumulate-base", Severity::Warning, &[(skacc(1) + 0x38, &[0, 0, 0, 0x0C])]),
    ("flush-missing", Severity::Error, &[(SKN + 0x20, &[0, 0, 0, 0])]),
    ("flush-superfluous", Severity::Note, &[(SKN + 0x55E0, &[0, 9])]),
    ("flush-out-of-range", Severity::Warning, &[(SKN + 0x55E0, &[0x40, 0])]),
    ("weight-sum", Severity::Warning, &[(SKN + 0x5620, &[1, 1])]),
    ("weight-zero", Severity::Note, &[(SKN + 0x5620, &[0, 255])]),
    ("weight-duplicate", Severity::Note, &[(sk2(3) + 0x6C, &[0, 2, 0, 2])]),
    ("slot-unwritten", Severity::Error, &[(sk1(11) + 0x3A, &[0, 3])]),
    ("bone-count", Severity::Error, &[(ACT + 6, &[0, 25])]),
    ("tree-link", Severity::Error, &[(bone(3) + 0x10, &[0, 0, 0, 0x21])]),
    ("tree-link", Severity::Warning, &[(bone(3) + 0x0C, &[0, 0, 0, 0])]),
];

/// Codes that need more than a few changed bytes; where they are tried instead.
pub const ELSEWHERE: &[&str] = &[
    "length-differs",            // a_donor_is_compared
    "bone-not-in-donor-skin",    // a_donor_is_compared
    "lod-bone-missing",          // a_low_model_must_find_its_bones_in_the_high_one
    "skinned-submesh-not-first", // submeshes_of_every_ownership
    "geo-unowned",               // submeshes_of_every_ownership
    "geo-owned-twice",           // submeshes_of_every_ownership
    "control-ignored",           // a_control_s_ignored_values_are_told
    "flush-tail",                // the fox itself
    "nan-matrix",                // a_matrix_that_is_none_answers_for_the_slots_that_it_moves
    "bone-order",                // pose::rules, like the four below
    "library-fault",
    "track-without-bone",
    "key-order",
    "interpolation-unknown",
    "facial-off-mirror", // face
    "frame-fault",       // what_a_frame_does_and_no_rule_explains_is_a_finding_of_its_own
    "output-differs",    // the same
];
