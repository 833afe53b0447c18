//! One cause, one finding: what only follows from it is not told beside it.

use skinsim::finding::Finding;

use super::super::{
    ACT, Change, GPL, POSITION_HEADER, PRIMITIVES, SKN, STATES, changed, findings, fox, sk1, sk2,
};
use super::{Faults, Severity, Want, Wrong, error, hold, warning};

/// The list that the fox is drawn from.
const LIST: &str = "submesh 0 primitive list of state 1";

fn of<'f>(findings: &'f [Finding], code: &str) -> Vec<&'f Finding> {
    findings.iter().filter(|finding| finding.code.name == code).collect()
}

/// The processor drops the low bits of a length: what lies there decides.
#[test]
fn a_length_that_is_cut_behind_all_that_is_drawn_is_harmless() {
    let place = ("GPL", LIST, STATES + 0x1C);
    // One triangle less than the fox has: 0xD7D bytes are used.
    let length = |size: u16| {
        let mut bytes = fox();
        bytes[PRIMITIVES + 2] -= 3;
        bytes[PRIMITIVES + 0xD7D..PRIMITIVES + 0xD83].fill(0);
        bytes[STATES + 0x1E..STATES + 0x20].copy_from_slice(&size.to_be_bytes());
        bytes
    };
    // 0xD80 are whole, and hold everything.
    let longer = length(0xD84);
    assert_eq!(hold(&longer, &[warning("primitive-list-length", place)]), [""; 0]);
    assert!(of(&findings(&longer), "primitive-trailing-data").is_empty());
    // What lies in the part that is cut off is no part of the list.
    let mut dirty = longer.clone();
    dirty[PRIMITIVES + 0xD81] = 1;
    assert_eq!(hold(&dirty, &[warning("primitive-list-length", place)]), [""; 0]);
    assert!(of(&findings(&dirty), "primitive-trailing-data").is_empty());
    assert!(findings(&longer).iter().all(|finding| finding.severity < Severity::Error));
    // The last 29 bytes of the last primitive are cut off.
    let cut = error("primitive-list-length", place, Wrong("taken for the rest of its last command"));
    assert_eq!(hold(&length(0xD7D), &[cut]), [""; 0]);
    // The list as it is told ends inside of it.
    let inside = error("primitive-list-length", place, Wrong("the end of the list"));
    assert_eq!(hold(&length(0xD44), &[inside]), [""; 0]);
}

#[test]
fn a_descriptor_of_two_lists_is_told_once_with_both() {
    for (setting, code) in [(4, "descriptor-direct"), (8, "descriptor-index-width")] {
        let mut bytes = fox();
        bytes[STATES + 7] = setting;
        bytes.copy_within(STATES + 0x18..STATES + 0x20, STATES + 8);
        let found = findings(&bytes);
        let told = of(&found, code);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].text.contains("list of state 1 has it, too"), "{}", told[0].text);
        assert_eq!(told[0].place.entry.as_deref(), Some("submesh 0 primitive list of state 0"));
    }
}

/// Which states set the vertex descriptor is not known of another library's geometry.
#[test]
fn lists_of_an_unknown_version_are_not_read() {
    for version in [0x005B_BC61_u32, 0, 0x00B7_49E1] {
        let mut bytes = fox();
        bytes[GPL..GPL + 4].copy_from_slice(&version.to_be_bytes());
        let codes: Vec<_> = findings(&bytes).iter().map(|finding| finding.code.name).collect();
        assert_eq!(codes, ["version-unknown", "flush-tail"], "{version:#x}");
    }
}

#[test]
fn only_three_components_need_an_owner() {
    for components in [0, 2, 4, 12] {
        let mut bytes = fox();
        bytes[POSITION_HEADER + 7] = components;
        assert!(of(&findings(&bytes), "geo-unowned").is_empty(), "{components}");
    }
    assert_eq!(of(&findings(&changed(&[(POSITION_HEADER + 7, &[3])])), "geo-unowned").len(), 1);
}

/// What lies behind the array need not belong to nothing where it is told to whom it belongs.
#[test]
fn a_write_over_something_is_not_told_as_one_over_nothing() {
    let over = findings(&changed(&[(sk2(20) + 0x68, &[0, 0, 0x47, 0x80])]));
    assert!(!of(&over, "write-back-over-structure").is_empty());
    assert!(of(&over, "write-outside-scratch").is_empty());
    let outside = findings(&changed(&[(sk2(20) + 0x68, &[0, 0, 0xC0, 0])]));
    assert_eq!(of(&outside, "write-outside-model").len(), 1);
    assert!(of(&outside, "write-outside-scratch").is_empty());
}

/// Of entries that store the same slots the last one's vertices are drawn: none of them adds to another.
#[test]
fn entries_that_store_over_each_other_do_not_add() {
    let mut bytes = fox();
    bytes.copy_within(sk1(0) + 0x30..sk1(0) + 0x40, sk1(1) + 0x30);
    let found = findings(&bytes);
    assert!(!of(&found, "destination-overlap").is_empty());
    assert!(of(&found, "weight-duplicate").is_empty());
    // The two halves of one vertex do.
    let halves = findings(&changed(&[(sk2(3) + 0x6C, &[0, 2, 0, 2])]));
    assert_eq!(of(&halves, "weight-duplicate").len(), 1);
}

#[test]
fn texts_count_what_there_is() {
    let text =
        |found: &[Finding], code| of(found, code).first().map_or_else(String::new, |one| one.text.clone());
    // 12 * 5462 are 0x10008 bytes: 0x2000 and 0x2000 more hold, 8 are left of the size.
    let found = findings(&changed(&[(sk1(0) + 0x3A, &[0x15, 0x56]), (sk1(0) + 0x3C, &[0])]));
    let over = text(&found, "source-over-buffer");
    let buffers = "in the other entry's buffer (0x2000) and past the end of the locked cache (0xc008)";
    assert!(over.contains(buffers), "{over}");
    let wraps = text(&found, "store-size-wraps");
    assert!(wraps.ends_with("0x8 are left, and 1 line is stored"), "{wraps}");
    let superfluous = text(&findings(&changed(&[(SKN + 0x55E0, &[0, 9])])), "flush-superfluous");
    assert!(
        superfluous.starts_with("1 flushed line holds nothing that SKAcc writes: line "),
        "{superfluous}"
    );
}

/// Counts and pointers that take other bytes for records: these are told, and nothing that the other bytes say.
#[test]
fn records_that_are_other_bytes_are_not_told_one_by_one() {
    let out_of_bounds = |offset, does| error("out-of-bounds", ("GPL", "", offset), does);
    // One descriptor at 0x20 of the GPL, zeroes up to the layout at 0x40, and then the layout.
    let behind = Wrong("behind the descriptors is taken for submeshes");
    let nowhere = Faults("the states are read from address 0");
    let channels = Wrong("what follows the texture headers");
    let stops = Faults("the number of bones is not that of the header");
    let cases: [(&[Change], Want); 5] = [
        (&[(GPL + 0xF, &[2])], out_of_bounds(GPL + 0xC, behind)),
        (&[(GPL + 0xF, &[20])], out_of_bounds(GPL + 0xC, behind)),
        (&[(STATES - 8, &[0; 4])], out_of_bounds(STATES - 8, nowhere)),
        (
            &[(GPL + 0x48, &[0, 0, 0, 0x20]), (GPL + 0x54, &[9])],
            error("components-unsupported", ("GPL", "", GPL + 0x54), channels),
        ),
        (&[(ACT + 6, &[0, 0])], error("bone-count", ("ACT", "", ACT + 6), stops)),
    ];
    for (changes, want) in cases {
        let bytes = changed(changes);
        assert_eq!(hold(&bytes, &[want]), [""; 0]);
        let found = findings(&bytes);
        let others: Vec<_> = found.iter().filter(|one| one.severity > Severity::Note).collect();
        let codes: Vec<_> =
            others.iter().map(|one| one.code.name).filter(|code| *code != "flush-tail").collect();
        assert_eq!(codes, [want.code], "{changes:x?}");
    }
    // Channels without headers are none.
    assert!(of(&findings(&changed(&[(GPL + 0x54, &[9])])), "components-unsupported").is_empty());
}

/// A line that is flushed for an index past the last slot is told with it.
#[test]
fn a_flush_index_out_of_range_is_not_superfluous_besides() {
    let found = findings(&changed(&[(SKN + 0x55E4, &[0x40, 0])]));
    assert_eq!(of(&found, "flush-out-of-range").len(), 1);
    assert!(of(&found, "flush-superfluous").is_empty());
}
