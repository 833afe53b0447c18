//! SK1 and SK2 entries of the fox, each broken in one way.

use super::super::{Change, GPL, SKN, changed, findings, sk1, sk2, skacc};
use super::{Faults, Nothing, Overwrites, Unknown, Wrong, all_hold, error, note, warning};

/// The position array in the block.
const POSITIONS: usize = GPL + 0xA0;

#[test]
fn counts_wrap_where_the_listing_says() {
    all_hold(&[
        // Even entry, vertex offset 4: the pair (x, y) is the first to reach 0x40000, as in the published log, and
        // the first to reach 0x4000 too, since both are 4 more than a multiple of 12.
        (
            &[(sk1(2) + 0x3A, &[0, 1])],
            &[error(
                "count-wraps",
                ("SKN", "SK1[2]", sk1(2)),
                Faults("Invalid read from 0xe0040000, PC = 0x80523ec4"),
            )
            .console(Faults("leaves the locked cache at 0xe0004000   (one-bone kernel +0xb8)"))],
        ),
        // Even entry, vertex offset 4, two bones.
        (
            &[(sk2(2) + 0x70, &[0, 0])],
            &[error(
                "count-wraps",
                ("SKN", "SK2[2]", sk2(2)),
                Faults("Invalid read from 0xe0040000, PC = 0x805240b4"),
            )
            .console(Faults("leaves the locked cache at 0xe0004000   (two-bone kernel +0x19c)"))],
        ),
        // Odd entry, vertex offset 0: 0x2000 + 12 * 21162 + 8 is 0x40000, the pair (ny, nz).
        (
            &[(sk1(7) + 0x3A, &[0, 1])],
            &[error(
                "count-wraps",
                ("SKN", "SK1[7]", sk1(7)),
                Faults("Invalid read from 0xe0040000, PC = 0x80523ee4"),
            )
            .console(Faults("(one-bone kernel +0xd8)"))],
        ),
        // The odd set's source begins at 0x2000: the same arithmetic for the accumulate kernel. A transfer of 0 lines
        // moves 128, and the weights' end past the console's 16 KB.
        (
            &[(skacc(3) + 0x42, &[0, 0])],
            &[error(
                "count-wraps",
                ("SKN", "SKAcc[3]", skacc(3)),
                Faults("Invalid read from 0xe0040000, PC = 0x80524214"),
            )
            .console(Faults("machine check"))],
        ),
    ]);
}

#[test]
fn two_vertices_are_only_unusual_and_leave_the_others_unwritten() {
    let place = ("SKN", "SK1[11]", sk1(11));
    let unwritten = error("slot-unwritten", ("SKN", "", SKN), Wrong("4 drawn slots")).vertex(616);
    all_hold(&[(&[(sk1(11) + 0x3A, &[0, 2])], &[warning("count-below-vanilla", place), unwritten])]);
}

#[test]
fn transfers_move_what_the_registers_hold() {
    all_hold(&[
        // 4 + 360 * 12 bytes are 136 lines, of which the length field keeps 8: 21 of the 68 vertices.
        (
            &[(sk2(6) + 0x70, &[1, 0x68])],
            &[
                error("dma-length-wraps", ("SKN", "SK2[6]", sk2(6) + 0x60), Wrong("slots, the worst is")),
                // Vertices past the buffer lie behind the eight lines that are stored.
                warning("source-over-buffer", ("SKN", "SK2[6]", sk2(6))),
            ],
        ),
        // 8 + 5632 * 12 bytes are 0x10808: 0x808 are stored, 65 lines with 172 whole vertices of 224. The load
        // goes far behind the console's locked cache.
        (
            &[(sk1(3) + 0x3A, &[0x16, 0])],
            &[
                error("store-size-wraps", ("SKN", "SK1[3]", sk1(3)), Wrong("52 slots"))
                    .console(Unknown("machine check")),
                error("source-over-buffer", ("SKN", "SK1[3]", sk1(3)), Nothing)
                    .console(Faults("machine check")),
            ],
        ),
        // The source's low bits go into the length, where the bit is set already; all 224 vertices are read 4 bytes
        // early.
        (
            &[(sk1(3) + 0x30, &[0, 0, 0x15, 0x04])],
            &[error("dma-address-unaligned", ("SKN", "SK1[3]", sk1(3) + 0x30), Wrong("224 slots"))],
        ),
        // Weights two vertices early.
        (
            &[(sk2(3) + 0x64, &[0, 0, 0x57, 0x84])],
            &[
                error("dma-address-unaligned", ("SKN", "SK2[3]", sk2(3) + 0x64), Wrong("slot")),
                error("array-unaligned", ("SKN", "SK2[3]", sk2(3) + 0x64), Wrong("slot")),
            ],
        ),
        // One bit into the length field of 10 lines, 2 quarters: the third is set, 14 lines move.
        (
            &[(sk1(0) + 0x34, &[0, 0, 0, 1])],
            &[warning("dma-address-unaligned", ("SKN", "SK1[0]", sk1(0) + 0x34))],
        ),
    ]);
}

#[test]
fn vertices_land_between_slots() {
    let place = ("SKN", "SK1[3]", sk1(3) + 0x3C);
    all_hold(&[
        // 0x640 + 6 is no multiple of 12.
        (&[(sk1(3) + 0x3C, &[6])], &[error("vertex-offset", place, Wrong("slots"))]),
        // 0x640 + 20 is, a vertex on: what lies before the first vertex is stored over the slot before it.
        (&[(sk1(3) + 0x3C, &[20])], &[error("vertex-offset", place, Wrong("1 drawn slot"))]),
    ]);
}

#[test]
fn stores_meet() {
    all_hold(&[
        // SK1[13] on the last line of SK1[12], 8 bytes in: the store takes along what lies before its vertices, over
        // the last 8 bytes of slot 645.
        (
            &[(sk1(13) + 0x34, &[0, 0, 0x1E, 0x40]), (sk1(13) + 0x3C, &[8])],
            &[error("line-shared", ("SKN", "SK1[13]", sk1(13)), Wrong("1 slot, the worst is 645"))],
        ),
        // SK1[5] from slot 368 on, where SK1[4] has 24 of its vertices.
        (
            &[(sk1(5) + 0x34, &[0, 0, 0x11, 0x40])],
            &[error(
                "destination-overlap",
                ("SKN", "SK1[5]", sk1(5)),
                Wrong("the earlier entry's vertices are lost: 24 slots"),
            )],
        ),
        // 16 lines from 0x45a0 on end at the list's end: the display code follows what is written there, as in the
        // published log of a stored line that ran over a structure.
        (
            &[(sk2(20) + 0x70, &[0, 41])],
            &[error("write-back-over-structure", ("SKN", "SK2[20]", sk2(20)), Faults("PC = 0x8052ec90"))
                .console(Faults("(draw +0x2f4)"))],
        ),
        // 14 lines end in the bytes that the file leaves free behind the array.
        (&[(sk2(20) + 0x70, &[0, 36])], &[warning("write-outside-scratch", ("SKN", "SK2[20]", sk2(20)))]),
        // 10 lines from 0xC000 on; the block ends 0xBEA0 bytes behind the array's start.
        (
            &[(sk1(0) + 0x34, &[0, 0, 0xC0, 0])],
            &[
                error(
                    "write-outside-model",
                    ("SKN", "SK1[0]", sk1(0) + 0x34),
                    Overwrites("0x140 bytes of memory behind the block"),
                ),
                error("slot-unwritten", ("SKN", "", SKN), Wrong("25 drawn slots")).vertex(0),
                note("entries-unsorted", ("SKN", "SK1[1]", sk1(1) + 0x34)),
            ],
        ),
    ]);
    // All ten lines lie behind it.
    assert_eq!(POSITIONS + 0xC000 - super::super::fox().len(), 0x160);
}

#[test]
fn bones_sources_and_padding() {
    all_hold(&[
        (
            &[(sk1(4) + 0x38, &[0, 24])],
            &[error("bone-out-of-range", ("SKN", "SK1[4]", sk1(4) + 0x38), Faults("0x00000088"))],
        ),
        (
            &[(sk1(0) + 0x30, &[0, 0, 0x10, 0])],
            &[
                warning("source-off-mirror", ("SKN", "SK1[0]", sk1(0) + 0x30)),
                warning("array-overlap", ("SKN", "SK1[2]", sk1(2) + 0x30)),
            ],
        ),
        (&[(sk1(0) + 0x3D, &[1])], &[note("padding-not-zero", ("SKN", "SK1[0]", sk1(0) + 0x3D))]),
        (&[(sk2(4) + 0x73, &[1])], &[note("padding-not-zero", ("SKN", "SK2[4]", sk2(4) + 0x73))]),
        (&[(SKN + 7, &[1])], &[note("padding-not-zero", ("SKN", "", SKN + 7))]),
        (&[(SKN + 0x1000, &[1])], &[note("prefix-not-zero", ("SKN", "SK1[1]", SKN + 0x1000))]),
        // A source that the section does not hold.
        (
            &[(sk1(3) + 0x30, &[0, 1, 0, 0])],
            &[error("out-of-bounds", ("SKN", "SK1[3]", sk1(3) + 0x30), Wrong(""))],
        ),
    ]);
}

/// SK1[3] at its first slot's own address, with no offset: the store begins at the line before.
#[test]
fn a_destination_between_lines_answers_for_its_vertices() {
    // Slot 134 begins at 0x648.
    let changes: &[Change] = &[(sk1(3) + 0x34, &[0, 0, 6, 0x48]), (sk1(3) + 0x3C, &[0])];
    let place = ("SKN", "SK1[3]", sk1(3) + 0x34);
    all_hold(&[(changes, &[error("dma-address-unaligned", place, Wrong("slots"))])]);
    let told = findings(&changed(changes));
    assert!(told.iter().all(|one| one.code.name != "vertex-offset"), "{told:?}");
}
