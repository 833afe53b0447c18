//! Accumulation, clear, flush and weights of the fox, each broken in one way.

use super::super::{SKN, fox, sk1, sk2, skacc};
use super::{Drifts, Nothing, Unknown, Want, Wrong, all_hold, error, hold, note, warning};

/// A warning of something that no frame can show.
const fn unknown(
    code: &'static str,
    place: (&'static str, &'static str, usize),
    words: &'static str,
) -> Want {
    Want { dolphin: Unknown(words), console: Unknown(words), ..warning(code, place) }
}

#[test]
fn the_clear_range() {
    let range = ("SKN", "", SKN + 0x14);
    all_hold(&[
        // One line from 0x140 on: slots 27, 28 and 29 of SK1[1] are zeroed after they were stored.
        (
            &[(SKN + 0x14, &[0, 0, 1, 0x40, 0, 0, 0, 0x20])],
            &[error("clear-hits-direct", range, Wrong("3 slots")), warning("clear-range", range)],
        ),
        // A range behind everything that accumulates, over bytes that nothing draws: slots 49 and 50.
        (&[(SKN + 0x14, &[0, 0, 2, 0x4C, 0, 0, 0, 0x20])], &[warning("clear-range", range)]),
        // Without SKAcc entries nothing is cleared.
        (
            &[(SKN + 4, &[0, 0]), (SKN + 0x14, &[0, 0, 1, 0x40, 0, 0, 0, 0x20])],
            &[warning("clear-without-accumulation", range)],
        ),
    ]);
}

#[test]
fn destinations_of_accumulation() {
    all_hold(&[
        (
            &[(SKN + 0x5EE0, &[0, 60])],
            &[unknown("accumulate-into-sk1", ("SKN", "SKAcc[0]", skacc(0)), "more than their whole weight")],
        ),
        (
            &[(skacc(1) + 0x38, &[0, 0, 0, 0x0C])],
            &[warning("accumulate-base", ("SKN", "SKAcc[1]", skacc(1) + 0x38))],
        ),
    ]);
}

#[test]
fn the_flush_list() {
    let pointer = ("SKN", "", SKN + 0x1C);
    all_hold(&[
        // SK2 slots come by transfer behind the cache's back; what it kept of the last frame is added to instead.
        (
            &[(SKN + 0x20, &[0, 0, 0, 0])],
            &[Want { dolphin: Nothing, ..error("flush-missing", pointer, Drifts) }],
        ),
        (&[(SKN + 0x55E0, &[0, 9])], &[note("flush-superfluous", pointer)]),
        // The line is memory like any other.
        (&[(SKN + 0x55E0, &[0x40, 0])], &[warning("flush-out-of-range", ("SKN", "", SKN + 0x55E0))]),
        (&[(SKN + 0x55E4, &[0x40, 0])], &[warning("flush-out-of-range", ("SKN", "", SKN + 0x55E4))]),
    ]);
}

#[test]
fn weights() {
    let place = ("SKN", "SK2[0]", sk2(0));
    all_hold(&[
        (&[(SKN + 0x5620, &[1, 1])], &[unknown("weight-sum", place, "is drawn at 2 256ths").vertex(680)]),
        (
            &[(SKN + 0x5620, &[0, 255])],
            &[note("weight-zero", place), unknown("weight-sum", place, "is drawn at 255 256ths").vertex(680)],
        ),
        (&[(sk2(3) + 0x6C, &[0, 2, 0, 2])], &[note("weight-duplicate", ("SKN", "SK2[3]", sk2(3)))]),
    ]);
}

#[test]
fn slots_that_nothing_writes_stay_where_the_file_puts_them() {
    let unwritten = error("slot-unwritten", ("SKN", "", SKN), Wrong("3 drawn slots")).vertex(617);
    all_hold(&[(&[(sk1(11) + 0x3A, &[0, 3])], &[unwritten])]);
}

#[test]
fn lists_and_arrays_out_of_their_place() {
    all_hold(&[
        (&[(SKN + 0x1C, &[0, 0, 0x61, 0x80])], &[note("array-order", ("SKN", "SK2[0]", sk2(0) + 0x64))]),
        // More indices than the section holds: lines are flushed that nobody wrote.
        (&[(SKN + 0x20, &[0, 1, 0, 0])], &[warning("out-of-bounds", ("SKN", "", SKN + 0x1C))]),
    ]);
}

/// Known models pack the lists behind the header. A list that was moved as a whole is read all the same.
#[test]
fn a_list_behind_everything_else_is_only_unusual() {
    let mut bytes = fox();
    let end = (bytes.len() - SKN) as u32;
    let list = bytes[skacc(0)..skacc(5)].to_vec();
    bytes.extend(list);
    bytes[SKN + 0x10..SKN + 0x14].copy_from_slice(&end.to_be_bytes());
    assert_eq!(hold(&bytes, &[note("array-order", ("SKN", "", SKN + 0x10))]), [""; 0]);
    assert!(super::findings(&bytes).iter().all(|finding| finding.severity != super::Severity::Error));
}
