//! Blocks with two defects: each is told, and each answers for its own.

use super::super::{GPL, PRIMITIVES, SKN, sk1, sk2};
use super::{Drifts, Faults, Nothing, Overwrites, Unknown, Want, Wrong, all_hold, error, note, warning};

#[test]
fn two_defects_are_two_findings() {
    all_hold(&[
        // A fault in one entry does not hide what another one does after it.
        (
            &[(sk1(2) + 0x3A, &[0, 1]), (sk1(5) + 0x34, &[0, 0, 0x11, 0x40])],
            &[
                error(
                    "count-wraps",
                    ("SKN", "SK1[2]", sk1(2)),
                    Faults("Invalid read from 0xe0040000, PC = 0x80523ec4"),
                )
                .console(Faults("leaves the locked cache")),
                error("destination-overlap", ("SKN", "SK1[5]", sk1(5)), Wrong("24 slots")),
            ],
        ),
        // Two counts that wrap, one in each list: both faults are seen.
        (
            &[(sk1(2) + 0x3A, &[0, 0]), (sk2(2) + 0x70, &[0, 1])],
            &[
                error("count-wraps", ("SKN", "SK1[2]", sk1(2)), Faults("PC = 0x80523ec4"))
                    .console(Faults("one-bone")),
                error("count-wraps", ("SKN", "SK2[2]", sk2(2)), Faults("PC = 0x805240b4"))
                    .console(Faults("two-bone")),
            ],
        ),
        // No flush list, and a clear over SK1 slots: the cache is to blame on a console only.
        (
            &[(SKN + 0x20, &[0, 0, 0, 0]), (SKN + 0x14, &[0, 0, 1, 0x40, 0, 0, 0, 0x20])],
            &[
                Want { dolphin: Nothing, ..error("flush-missing", ("SKN", "", SKN + 0x1C), Drifts) },
                error("clear-hits-direct", ("SKN", "", SKN + 0x14), Wrong("3 slots")),
            ],
        ),
        // A store behind the block, and weights that do not add up.
        (
            &[(sk1(0) + 0x34, &[0, 0, 0xC0, 0]), (SKN + 0x5620, &[1, 1])],
            &[
                error(
                    "write-outside-model",
                    ("SKN", "SK1[0]", sk1(0) + 0x34),
                    Overwrites("behind the block"),
                ),
                Want {
                    dolphin: Unknown("2 256ths of its place"),
                    ..warning("weight-sum", ("SKN", "SK2[0]", sk2(0))).console(Unknown("towards the origin"))
                }
                .vertex(680),
            ],
        ),
        // What is only unusual stays so beside an error.
        (
            &[(sk1(0) + 0x3D, &[1]), (PRIMITIVES + 3, &[0x7F, 0xFF]), (GPL, &[0, 0, 0, 9])],
            &[
                note("padding-not-zero", ("SKN", "SK1[0]", sk1(0) + 0x3D)),
                error("version-unknown", ("GPL", "", GPL), Faults("stops the game")),
            ],
        ),
    ]);
}
