//! The block's table and version words of the fox, each broken in one way.

use super::super::{ACT, GPL, SKN, fox};
use super::{Does, Faults, Severity, Want, Wrong, all_hold, error, hold, warning};

/// No frame runs without skinning data that can be read.
const NO_SKN: Does = Does::Unknown("no frame could be run: ");

/// Frames do without the table.
const TABLE: Does = Does::Unknown("frames skin what can be read of the block");

/// Every frame ends with a fault.
const ENDED: Does = Does::Unknown("none shown before the frame ends with a fault: ");

/// An error whose effect no frame shows: the game does not get as far.
const fn unseen(code: &'static str, place: (&'static str, &'static str, usize)) -> Want {
    error(code, place, TABLE)
}

#[test]
fn the_section_table() {
    let table = |offset| ("block header", "", offset);
    all_hold(&[
        (&[(0, &[0, 0, 0, 1])], &[unseen("block-header", table(0))]),
        // No skeleton, no geometry: nothing can be run.
        (&[(8, &[0, 0, 0, 0])], &[unseen("block-header", table(8))]),
        (&[(0x14, &[0, 0, 0x60, 0])], &[warning("block-header", table(0x14))]),
        // Every frame faults with the bytes of one section taken for another's.
        (
            &[(0x08, &[0, 0, 0x5D, 0xC0]), (0x10, &[0, 0, 0x56, 0])],
            &[Want { dolphin: ENDED, console: ENDED, ..warning("section-order", table(0x10)) }],
        ),
    ]);
}

/// The whole skinning section 4 bytes on: every transfer begins 4 bytes early and sets a bit of its length.
#[test]
fn a_section_off_its_line_displaces_every_transfer() {
    let mut bytes = fox();
    bytes.splice(SKN..SKN, [0; 4]);
    bytes[0x13] = 0xC4;
    let place = ("block header", "", 0x10);
    let missing = hold(
        &bytes,
        &[
            error("section-unaligned", place, Wrong("slots, the worst is")),
            error("dma-address-unaligned", ("SKN", "SK1[0]", SKN + 4 + 0x24 + 0x30), Wrong("slots")),
        ],
    );
    assert_eq!(missing, [""; 0]);
}

#[test]
fn pointers_outside_of_the_block() {
    // Without GPL or SKN there is no frame, so that no effect is known.
    for (field, at) in
        [(4, 0x1_0000_u32), (4, 0xFFFF_FFE0), (8, 0xBF60), (0x10, 0xBF60), (0x10, 0x1C), (0x18, 0xBF61)]
    {
        let mut bytes = fox();
        bytes[field..field + 4].copy_from_slice(&at.to_be_bytes());
        let findings = super::findings(&bytes);
        let found = findings.iter().find(|finding| finding.code.name == "block-header").unwrap();
        assert_eq!(
            (found.severity, found.place.offset),
            (Severity::Error, Some(field as u64)),
            "{field:#x} {at:#x}"
        );
        assert!(found.text.contains("outside 0x20..0xbf60"), "{}", found.text);
        // Only geometry and skinning are needed for a frame.
        let runs = matches!(field, 8 | 0x18);
        let want = if runs { TABLE } else { NO_SKN };
        assert!(want.fits(found.dolphin.as_ref()), "{field:#x} {:?}", found.dolphin);
        assert!(want.fits(found.console.as_ref()), "{field:#x} {:?}", found.console);
    }
}

#[test]
fn version_words_name_who_uses_them() {
    let stops = Faults("the library compares the word and stops the game");
    let cases: [(u32, &str); 4] = [
        (9, "GPL version 9 (0x00000009): no known library uses it"),
        (6_012_001, "GPL version 6012001 (0x005bbc61): the older library of Superstar Baseball"),
        (0x0018_4300, "GPL version 1590016 (0x00184300): some sections of Superstar Baseball"),
        (0, "GPL version 0 (0x00000000): two field packs of Superstar Baseball"),
    ];
    for (version, words) in cases {
        let mut bytes = fox();
        bytes[GPL..GPL + 4].copy_from_slice(&version.to_be_bytes());
        assert_eq!(hold(&bytes, &[error("version-unknown", ("GPL", "", GPL), stops)]), [""; 0]);
        let findings = super::findings(&bytes);
        assert!(findings.iter().any(|finding| finding.text.starts_with(words)), "{words}");
    }
    all_hold(&[(&[(ACT, &[0, 0, 0, 9])], &[error("version-unknown", ("ACT", "", ACT), stops)])]);
}

#[test]
fn a_block_that_was_cut_off_anywhere_is_broken() {
    let whole = fox();
    for length in (0x20..whole.len()).step_by(61) {
        let findings = super::findings(&whole[..length]);
        let worst = findings.iter().map(|finding| finding.severity).max();
        assert_eq!(worst, Some(Severity::Error), "{length:#x}");
    }
    // The last weights lie at the end: without them an entry reads what lies behind the block.
    let cut = &whole[..whole.len() - 0x20];
    let last = super::findings(cut).into_iter().find(|finding| finding.code.name == "out-of-bounds").unwrap();
    assert_eq!(last.place.entry.as_deref(), Some("SKAcc[4]"));
}

#[test]
fn sections_in_order_are_not_told() {
    assert_eq!(hold(&fox(), &[warning("section-order", ("block header", "", 8))]).len(), 1);
}
