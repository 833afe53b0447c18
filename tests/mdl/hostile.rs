//! Nothing in a file makes the program panic or take memory without bound.

use proptest::prelude::*;
use skinsim::mdl::format::Mdl;
use skinsim::mdl::format::vvd::Vvd;
use skinsim::mdl::runtime::face::Face;
use skinsim::mdl::runtime::frame;
use skinsim::mdl::{Options, check, mesh};

use crate::golden::case;

/// Everything that can be done with the bytes.
fn exercise(mdl: &[u8], vvd: &[u8], vtx: Option<Vec<u8>>, lod: usize) {
    let _ = check(mdl, Some(vvd), None);
    let _ = check(mdl, None, None);
    let options =
        Options { lod, vtx, engine_limit: true, view_target: Some([1.0, 2.0, 3.0]), ..Options::default() };
    let _ = mesh(mdl, Some(vvd), &options);
    if let (Ok(mdl), Ok(vvd)) = (Mdl::read(mdl), Vvd::read(vvd))
        && let Ok(face) = Face::new(&mdl, Some(&vvd), &options)
    {
        let skin = Some(vec![[[0.5; 4]; 3]; mdl.bones.len()]);
        frame::run(&face, &Options { skin, controllers: Some(vec![0.7; mdl.controllers.len()]), ..options });
    }
}

/// Overwrites some words.
fn mutate(bytes: &mut Vec<u8>, edits: &[(usize, u32)], cut: usize) {
    for &(at, value) in edits {
        let at = at % (bytes.len() - 3);
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    let length = bytes.len() - cut % bytes.len();
    bytes.truncate(length);
}

fn edits() -> impl Strategy<Value = Vec<(usize, u32)>> {
    let word =
        prop_oneof![any::<u32>(), 0..4096u32, Just(u32::MAX), (0..4096u32).prop_map(u32::wrapping_neg)];
    prop::collection::vec((0..4096usize, word), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_read_or_refused(
        tail in prop::collection::vec(any::<u8>(), 0..600),
        version in 43..51i32,
        lod in 0..9usize,
    ) {
        let mdl = [b"IDST", &version.to_le_bytes()[..], &tail].concat();
        let vvd = [b"IDSV\x04\0\0\0", &tail[..]].concat();
        exercise(&mdl, &vvd, Some([b"\x07\0\0\0", &tail[..]].concat()), lod);
        exercise(&tail, &tail, None, lod);
    }

    #[test]
    fn a_mutated_face_is_read_or_refused(
        mdl_edits in edits(),
        vvd_edits in edits(),
        cuts in (prop_oneof![Just(0usize), 0..3000usize], prop_oneof![Just(0usize), 0..400usize]),
        lod in 0..9usize,
    ) {
        let (mut mdl, mut vvd) = (case("mdl_synth_flex/synth_flex.mdl"), case("mdl_synth_flex/synth_flex.vvd"));
        mutate(&mut mdl, &mdl_edits, cuts.0);
        mutate(&mut vvd, &vvd_edits, cuts.1);
        exercise(&mdl, &vvd, None, lod);
    }

    #[test]
    fn mutated_triangles_are_read_or_refused(vtx_edits in edits(), mdl_edits in edits()) {
        let file = |ending: &str| case(&format!("mdl_no_flexes/animated_cubes.{ending}"));
        let (mut mdl, mut vtx) = (file("mdl"), file("dx90.vtx"));
        mutate(&mut mdl, &mdl_edits, 0);
        mutate(&mut vtx, &vtx_edits, 0);
        exercise(&mdl, &file("vvd"), Some(vtx), 0);
    }
}

#[test]
fn tables_that_contain_each_other_do_not_multiply() {
    // Every body part leads to the same models, every model to the same meshes, and so on: without a
    // bound a few thousand bytes describe billions of vertex animations.
    let mut bytes = vec![0u8; 1 << 16];
    bytes[..4].copy_from_slice(b"IDST");
    let mut put = |at: usize, value: i32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(4, 48);
    put(232, 1000);
    put(236, 0x1000);
    for part in 0..1000 {
        let at = 0x1000 + 16 * part;
        put(at + 4, 60);
        put(at + 12, 0x8000 - at as i32);
    }
    for model in 0..60 {
        let at = 0x8000 + 148 * model;
        put(at + 72, 60);
        put(at + 76, 0xb000 - at as i32);
    }
    let error = Mdl::read(&bytes).unwrap_err().to_string();
    assert!(error.contains("overlap"), "{error}");
}

/// A file with each of its fields set to each odd value.
fn with_odd_fields(file: &[u8], mut exercise: impl FnMut(&[u8])) {
    let length = file.len() as u32;
    for at in (0..file.len() - 3).step_by(2) {
        let word = u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        let words = [0, 1, u32::MAX, 0x7fff_ffff, 0x8000_0000, length - 1, length, length + 1, 0x7fc0_0000];
        for value in words.into_iter().chain([word.wrapping_add(1), word.wrapping_sub(1)]) {
            let mut bytes = file.to_vec();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            exercise(&bytes);
        }
    }
}

#[test]
fn every_field_of_the_golden_face_with_every_odd_value_is_read_or_refused() {
    let (mdl, vvd) = (case("mdl_synth_flex/synth_flex.mdl"), case("mdl_synth_flex/synth_flex.vvd"));
    with_odd_fields(&mdl, |mdl| exercise(mdl, &vvd, None, 0));
    with_odd_fields(&vvd, |vvd| exercise(&mdl, vvd, None, 1));
}

#[test]
fn a_face_cut_anywhere_is_refused_and_says_where() {
    let (mdl, vvd) = (case("mdl_synth_flex/synth_flex.mdl"), case("mdl_synth_flex/synth_flex.vvd"));
    for length in 0..mdl.len() {
        let error = Mdl::read(&mdl[..length]).unwrap_err().to_string();
        assert!(error.contains(" at offset 0x") && error.contains("have"), "{length}: {error}");
    }
    for length in 0..vvd.len() {
        let error = Vvd::read(&vvd[..length]).map(|_| length).unwrap_err().to_string();
        assert!(error.contains(" at offset 0x") && error.contains("have"), "{length}: {error}");
    }
}
