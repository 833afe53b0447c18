use proptest::prelude::*;

use super::*;

/// A root with two children; the first has one of its own.
fn family() -> ActSource {
    let mut control = Control::IDENTITY;
    control.set_translation([1.0, 2.0, 3.0]);
    let bone = |id, parent| BoneSource::new(id, parent, control);
    ActSource {
        actor_id: 7,
        skin_object: 0,
        palette_name: Some(b"hero.gpl".to_vec()),
        bones: vec![bone(0, None), bone(1, Some(0)), bone(2, Some(1)), bone(3, Some(0))],
        user_data: Vec::new(),
    }
}

#[test]
fn what_is_written_from_nothing_reads_back() {
    let bytes = family().to_bytes().unwrap();
    let act = Act::parse(&bytes).unwrap();
    assert!(act.problems.is_empty(), "{:?}", act.problems);
    assert_eq!(act.palette_name().unwrap(), Some(&b"hero.gpl"[..]));
    let visits: Vec<_> = act.walk().unwrap().iter().map(|visit| (visit.record, visit.parent)).collect();
    assert_eq!(visits, [(0, None), (1, Some(0)), (2, Some(1)), (3, Some(0))]);
    assert_eq!(act.control(&act.bones[2]).unwrap().translation(), [1.0, 2.0, 3.0]);
    assert_eq!(act.bones[3].previous, act.bones[1].offset as u32);
    assert_eq!(act.bones[2].parent, act.bones[1].offset as u32);
}

#[test]
fn a_parent_after_its_child_is_refused() {
    let mut source = family();
    source.bones[1].parent = Some(2);
    assert!(source.to_bytes().unwrap_err().to_string().contains("bone 1"));
}

#[test]
fn a_cycle_is_an_error_at_the_link_that_closes_it() {
    let bytes = family().to_bytes().unwrap();
    let mut act = Act::parse(&bytes).unwrap();
    act.bones[2].children = act.bones[0].offset as u32;
    let error = act.walk().unwrap_err();
    assert_eq!(error.offset, act.bones[2].offset + 0x10);
    assert!(error.have.contains("again"), "{error}");
}

#[test]
fn a_link_between_two_records_is_an_error_with_its_offset() {
    let bytes = family().to_bytes().unwrap();
    let mut act = Act::parse(&bytes).unwrap();
    act.bones[1].next = 0x44;
    let error = act.walk().unwrap_err();
    assert_eq!((error.offset, error.have.as_str()), (act.bones[1].offset + 8, "0x44"));
}

#[test]
fn a_tree_that_misses_bones_is_an_error_with_both_counts() {
    let bytes = family().to_bytes().unwrap();
    let mut act = Act::parse(&bytes).unwrap();
    act.bones[1].next = 0;
    let error = act.walk().unwrap_err();
    assert_eq!(
        error.to_string(),
        "bone count at offset 0x6: want 4 bones, as the header says, have 3 that the tree reaches"
    );
}

#[test]
fn a_table_cut_short_keeps_the_bones_that_are_there() {
    let bytes = family().to_bytes().unwrap();
    let act = Act::parse(&bytes[..0x50]).unwrap();
    assert_eq!(act.bones.len(), 1);
    assert_eq!(act.problems[0].want, "4 records of 0x1c bytes at 0x20");
    // The control of that bone is cut off as well.
    assert_eq!(act.problems.len(), 2);
    assert!(act.control(&act.bones[0]).is_err());
}

#[test]
fn the_second_quaternion_is_read_where_its_bit_is_set() {
    let mut source = family();
    source.bones[0].control.bits |= control::SCALE_AXES;
    source.bones[0].control.parameters[10] = 0.5;
    source.bones[0].control.extension = Some([0.25, 1.0]);
    let bytes = source.to_bytes().unwrap();
    let act = Act::parse(&bytes).unwrap();
    assert_eq!(act.control(&act.bones[0]).unwrap().scale_axes(), Some([0.5, 0.0, 0.25, 1.0]));
    assert_eq!(act.control(&act.bones[1]).unwrap().scale_axes(), None);
    assert_eq!(act.to_bytes(), bytes);
}

#[test]
fn setting_a_component_clears_what_it_rules_out() {
    let mut control = Control::IDENTITY;
    control.set_matrix([[1.0; 4]; 3]);
    assert_eq!(control.bits, control::MATRIX);
    control.set_euler([1.0, 2.0, 3.0]);
    assert_eq!(control.bits, control::EULER);
    control.set_quaternion([0.0, 0.0, 0.0, 1.0]);
    control.set_scale([1.0; 3]);
    assert_eq!(control.bits, control::QUATERNION | control::SCALE);
}

/// User data of a mirror table and of track ids for `family`, at `at`.
fn sluggers_user_data(at: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut record = |kind: u16, data: &[u8]| {
        let here = at + bytes.len() as u32;
        bytes.extend((12 + data.len() as u32).to_be_bytes());
        bytes.extend(kind.to_be_bytes());
        bytes.extend(4_u16.to_be_bytes());
        bytes.extend((here + 12).to_be_bytes());
        bytes.extend(data);
    };
    record(2, &[0, 9, 3, 1, 2, 0, 1, 1]);
    record(3, &[0, 0, 0, 1, 0xFF, 0xFF, 0, 3]);
    bytes
}

#[test]
fn the_user_data_chain_gives_mirror_and_track_ids() {
    let mut source = family();
    source.user_data = vec![0; 40];
    let at = Act::parse(&source.to_bytes().unwrap()).unwrap().header.user_data;
    source.user_data = sluggers_user_data(at);
    let bytes = source.to_bytes().unwrap();
    let chain = Act::parse(&bytes).unwrap().user_data_chain().unwrap();
    assert_eq!(chain.len(), 2);
    let UserDataKind::Mirror(mirror) = &chain[0].kind else { panic!("{chain:?}") };
    assert_eq!(mirror[1], MirrorBone { bone: 3, role: 1 });
    assert_eq!(chain[1].kind, UserDataKind::TrackIds(vec![0, 1, 0xFFFF, 3]));
}

#[test]
fn user_data_of_another_kind_is_an_error_not_a_chain_without_end() {
    let mut source = family();
    source.user_data = vec![0; 12];
    let bytes = source.to_bytes().unwrap();
    let error = Act::parse(&bytes).unwrap().user_data_chain().unwrap_err();
    assert_eq!(error.want, "at least 0xc");
}

/// A valid file with some of its bytes replaced.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12);
    edits.prop_map(|edits| {
        let mut bytes = family().to_bytes().unwrap();
        for (index, byte) in edits {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

fn read_everything(bytes: &[u8]) {
    let Ok(act) = Act::parse(bytes) else { return };
    assert_eq!(act.to_bytes(), bytes);
    let _ = (act.require_version(), act.palette_name(), act.user_data_chain());
    for bone in &act.bones {
        let _ = act.control(bone);
    }
    if let Ok(visits) = act.walk() {
        assert_eq!(visits.len(), act.bones.len());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_and_written_back(bytes in proptest::collection::vec(any::<u8>(), 0..0x140)) {
        read_everything(&bytes);
    }

    #[test]
    fn broken_skeletons_are_read_or_refused_and_written_back(bytes in mutated()) {
        read_everything(&bytes);
    }
}
