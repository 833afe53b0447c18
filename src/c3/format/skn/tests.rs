use super::*;
use proptest::prelude::*;

fn sample() -> Vec<u8> {
    let header = SknHeader {
        sk1_count: 1,
        sk2_count: 1,
        skacc_count: 1,
        shift: 8,
        sk1: 0x24,
        sk2: 0x64,
        skacc: 0xD8,
        flush: 0x180,
        flush_count: 2,
        ..SknHeader::default()
    };
    let mut bytes = header.to_bytes().to_vec();
    bytes.resize(0x1A0, 0);
    bytes[0x24 + 0x30..0x24 + 0x3D].copy_from_slice(&[0, 0, 1, 0x20, 0, 0, 0, 0x40, 0, 5, 0, 3, 4]);
    bytes[0x180..0x184].copy_from_slice(&[0, 1, 0, 9]);
    bytes
}

#[test]
fn the_fields_lie_where_the_game_reads_them() {
    let bytes = sample();
    let skn = Skn::parse(&bytes).unwrap();
    let entry = skn.sk1[0];
    assert_eq!((entry.source, entry.destination), (0x120, 0x40));
    assert_eq!((entry.bone, entry.count, entry.vertex_offset), (5, 3, 4));
    assert_eq!(skn.flush, [1, 9]);
    assert_eq!((skn.lists_end(), skn.mirror_start()), (0x11C, 0x120));
    let names: Vec<_> = skn.entries().map(|id| id.to_string()).collect();
    assert_eq!(names, ["SK1[0]", "SK2[0]", "SKAcc[0]"]);
    assert!(skn.problems.is_empty());
}

#[test]
fn a_list_that_is_cut_off_keeps_the_entries_it_holds() {
    let mut bytes = sample();
    bytes[1] = 9; // nine SK1 entries where five fit
    let skn = Skn::parse(&bytes).unwrap();
    assert_eq!(skn.sk1.len(), 5);
    assert_eq!(
        skn.problems[0].to_string(),
        "SK1 list at offset 0x8: want 9 records of 0x40 bytes at 0x24, have room for 5 in a section of 0x1a0 bytes"
    );
}

proptest! {
    #[test]
    fn a_mutated_skn_is_written_back_as_it_was(
        changes in proptest::collection::vec((0usize..0x1A0, any::<u8>()), 0..12),
        length in 0x24usize..0x1A1,
    ) {
        let mut bytes = sample();
        for (offset, value) in changes {
            bytes[offset] = value;
        }
        bytes.truncate(length);
        let skn = Skn::parse(&bytes).unwrap();
        prop_assert!(skn.mirror_start() >= HEADER_SIZE);
        prop_assert_eq!(skn.to_bytes(), bytes);
    }
}
