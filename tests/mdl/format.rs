//! Reading MDL and VVD: what is refused, and where the message points.

use skinsim::mdl::format::Mdl;
use skinsim::mdl::format::flex::Remap;
use skinsim::mdl::format::vvd::Vvd;

use crate::builder::{Face, Ui};
use crate::golden::case;

fn patched(at: usize, value: i32) -> Vec<u8> {
    let mut bytes = Face::default().mdl();
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

#[test]
fn the_golden_face_s_ui_leads_to_controllers_and_not_to_strings() {
    let mdl = Mdl::read(&case("mdl_synth_flex/synth_flex.mdl")).unwrap();
    let ui = &mdl.controller_ui;
    let controller = |entry: usize, slot: usize| mdl.ui_controller(&ui[entry], ui[entry].indices[slot]);
    assert_eq!((ui[0].remap, ui[0].stereo, controller(0, 0)), (Remap::PassThrough, false, Some(0)));
    assert_eq!((ui[1].remap, ui[1].stereo), (Remap::TwoWay, true));
    assert_eq!((controller(1, 0), controller(1, 1)), (Some(1), Some(0)));
    assert_eq!((ui[2].remap, controller(2, 0), controller(2, 2)), (Remap::NWay, Some(3), Some(2)));
    assert_eq!(mdl.flexes().map(|flex| flex.anim_type).collect::<Vec<_>>(), [0, 1, 0, 0, 0]);
}

#[test]
fn errors_name_the_offset_what_is_wanted_and_what_is_there() {
    for (bytes, message) in [
        (b"IDSX".to_vec(), "MDL identifier at offset 0x0: want IDST, have \"IDSX\""),
        (patched(4, 37), "MDL version at offset 0x4: want 44 to 49, have 37"),
        (patched(76, 1 << 20), "MDL length at offset 0x4c: want 1048576 bytes, have a file of"),
        (patched(276, -3), "number of flex rules at offset 0x114: want a count of 0 or more, have -3"),
        (
            patched(272, 0x7fff_0000),
            "offset of the flex controllers at offset 0x110: want an offset inside the file, have 0x7fff0000",
        ),
    ] {
        let error = Mdl::read(&bytes).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert!(Mdl::read(b"").is_err());
}

#[test]
fn a_ui_that_cannot_be_read_is_told_in_version_49_and_an_error_before() {
    let mut face =
        Face { ui: vec![Ui { name: "smile", targets: [0; 3], remap: 0, stereo: false }], ..Face::default() };
    let broken = |face: &Face| {
        let mut bytes = face.mdl();
        bytes[388..392].copy_from_slice(&i32::MAX.to_le_bytes());
        Mdl::read(&bytes)
    };
    assert!(broken(&face).is_err());
    face.version = 49;
    let mdl = broken(&face).unwrap();
    assert!(mdl.controller_ui.is_empty() && mdl.controller_ui_error.is_some());
}

/// A VVD of six vertices (x = 0..5) and the fixups (lod, first, count).
fn fixed_up(fixups: &[[i32; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..4].copy_from_slice(b"IDSV");
    let mut put = |at: usize, value: i32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(4, 4);
    put(12, 2);
    put(16, 6);
    put(20, 3);
    put(48, fixups.len() as i32);
    put(52, 64);
    put(56, 64 + 12 * fixups.len() as i32);
    fixups.as_flattened().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    for x in 0..6u8 {
        let mut vertex = [0; 48];
        vertex[16..20].copy_from_slice(&f32::from(x).to_le_bytes());
        bytes.extend(vertex);
    }
    bytes
}

fn xs(bytes: &[u8], lod: usize) -> Vec<f32> {
    Vvd::read(bytes).unwrap().pool(lod).unwrap().iter().map(|vertex| vertex.position[0]).collect()
}

#[test]
fn fixups_gather_the_runs_that_a_level_of_detail_still_uses() {
    let bytes = fixed_up(&[[0, 3, 3], [1, 0, 2], [1, 2, 1]]);
    assert_eq!(xs(&bytes, 0), [3.0, 4.0, 5.0, 0.0, 1.0, 2.0]);
    assert_eq!(xs(&bytes, 1), [0.0, 1.0, 2.0]);
    assert_eq!(xs(&fixed_up(&[]), 0), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(xs(&fixed_up(&[]), 1), [0.0, 1.0, 2.0]);
}

#[test]
fn fixups_that_leave_the_file_or_repeat_are_errors() {
    for fixups in [vec![[0, 4, 3]], vec![[0, 0, -1]], vec![[0, 0, 6]; 3]] {
        assert!(Vvd::read(&fixed_up(&fixups)).unwrap().pool(0).is_err(), "{fixups:?}");
    }
    let mut short = fixed_up(&[]);
    short.pop();
    assert!(Vvd::read(&short).is_err());
}
