//! Whatever the bytes, the answer is a value.

use proptest::prelude::*;
use skinsim::flver::{self, Flver, Options, runtime};

use super::builder::{Model, member};

/// Everything that can be asked of a file.
fn exercise(bytes: &[u8]) {
    let _ = flver::check(bytes);
    let _ = flver::mesh(bytes, &Options::default());
    if let Ok(flver) = Flver::parse(bytes) {
        let _ = runtime::run("x", &flver, &Options::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_give_a_value(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        exercise(&bytes);
    }

    #[test]
    fn any_bytes_behind_a_sound_magic_give_a_value(
        version in prop::sample::select(&[0x20005u32, 0x2000C, 0x20014, 0x2001A][..]),
        words in prop::collection::vec(prop_oneof![0u32..8, 0u32..0x400, any::<u32>()], 0..300),
    ) {
        let mut bytes = b"FLVER\0L\0".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        exercise(&bytes);
    }

    #[test]
    fn a_model_with_changed_words_gives_a_value(
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop_oneof![0u32..8, Just(u32::MAX), Just(0x7FFF_FFFF), any::<u32>()]),
            1..6,
        ),
        length in any::<prop::sample::Index>(),
        cut in any::<bool>(),
        model in 0usize..3,
    ) {
        let mut bytes = match model {
            0 => Model::sound().write(),
            1 => include_bytes!("../cases/flver-synthetic/synth_20014.flver").to_vec(),
            _ => include_bytes!("../cases/flver-synthetic/synth_2001a.flver").to_vec(),
        };
        for (at, word) in changes {
            let at = at.index(bytes.len() / 4) * 4;
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        if cut {
            bytes.truncate(length.index(bytes.len()));
        }
        exercise(&bytes);
    }
}

#[test]
fn meshes_that_name_a_layout_of_thousands_of_members_over_and_over_are_refused() {
    let mut model = Model::sound();
    model.layouts[1] = vec![member(5, 0x15, 0); 20_000];
    model.buffers[1].stride = 80_000;
    model.buffers[1].bytes.clear();
    model.meshes[1].buffers = vec![1; 50_000];
    let error = flver::check(&model.write()).unwrap_err().to_string();
    assert!(error.contains("mesh 1 vertex buffers"), "{error}");
}

#[test]
fn every_truncation_of_a_sound_model_is_refused_with_an_offset() {
    let bytes = Model::sound().write();
    for length in 0..bytes.len() {
        let error = flver::check(&bytes[..length]).expect_err("a truncated file is refused");
        assert!(error.to_string().contains("offset 0x"), "{length}: {error}");
    }
}

#[test]
fn a_count_that_the_file_cannot_hold_takes_no_memory() {
    for offset in [0x14, 0x18, 0x1C, 0x20, 0x24, 0x50, 0x54, 0x58] {
        let mut bytes = Model::sound().write();
        bytes[offset..offset + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(flver::check(&bytes).is_err(), "{offset:#x}");
    }
}

#[test]
fn meshes_that_name_one_buffer_thousands_of_times_are_refused() {
    let mut model = Model::sound();
    model.buffers[1].bytes = model.buffers[1].bytes.repeat(1 << 12);
    let mesh = model.meshes[1].clone();
    model.meshes.extend(std::iter::repeat_n(mesh, 1 << 12));
    let error = flver::check(&model.write()).unwrap_err().to_string();
    assert!(error.contains("vertex buffers") && error.contains("repeats counted"), "{error}");
}

#[test]
fn a_vertex_of_no_bytes_is_refused_however_many_there_are() {
    let mut model = Model::sound();
    model.layouts[0] = vec![];
    model.buffers[0].stride = 0;
    let mut bytes = model.write();
    // The count of the first vertex buffer, behind header, dummy, material, nodes, meshes and face sets.
    let count = 0x80 + 64 + 32 + 3 * 128 + 2 * 48 + 2 * 32 + 12;
    bytes[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let findings = flver::check(&bytes).unwrap();
    assert!(findings.iter().any(|finding| finding.code.name == "flver-stride"), "{findings:?}");
}

#[test]
fn a_chain_of_thirty_thousand_nodes_is_composed_without_deep_recursion() {
    let mut model = Model::sound();
    model.meshes.clear();
    model.dummies.clear();
    model.skeleton.clear();
    model.nodes = (0..30_000i16)
        .map(|index| {
            super::builder::node(
                "",
                [1.0, 0.0, 0.0],
                [index - 1, if index < 29_999 { index + 1 } else { -1 }, -1, -1],
            )
        })
        .collect();
    let bytes = model.write();
    let outcome = runtime::run("x", &Flver::parse(&bytes).unwrap(), &Options::default()).unwrap();
    assert_eq!(outcome.nodes[29_999].world[3][0], 30_000.0);
    assert!(flver::check(&bytes).is_ok());
}

#[test]
fn compression_for_the_playstation_3_is_refused_by_name() {
    let refusal = |model: Model| {
        let bytes = model.write();
        let flver = Flver::parse(&bytes).unwrap();
        runtime::run("x", &flver, &Options::default()).unwrap_err().to_string()
    };
    let mut buffer = Model::sound();
    buffer.buffers[0].number = 0x6000_0000;
    assert!(refusal(buffer).contains("edge compression"));
    let mut face_set = Model::sound();
    face_set.face_sets[0].flags = 0x4000_0000;
    assert!(refusal(face_set).contains("edge compression"));
    let mut layout = Model::sound();
    layout.layouts[0][0] = member(0, 0xF0, 0);
    assert!(refusal(layout).contains("edge compression"));
}

#[test]
fn every_field_of_the_golden_files_with_every_odd_value_gives_a_value() {
    for file in [
        &include_bytes!("../cases/flver-synthetic/synth_20014.flver")[..],
        include_bytes!("../cases/flver-synthetic/synth_2001a.flver"),
    ] {
        let length = file.len() as u32;
        for at in (0..file.len() - 3).step_by(2) {
            let word = u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
            let words = [0, 1, u32::MAX, 0x7FFF_FFFF, 0x8000_0000, length - 1, length, length + 1];
            for value in words.into_iter().chain([word.wrapping_add(1), word.wrapping_sub(1), 0x7FC0_0000]) {
                let mut bytes = file.to_vec();
                bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
                exercise(&bytes);
            }
        }
    }
}

#[test]
fn fifty_meshes_may_name_one_buffer_of_a_small_file() {
    let mut model = Model::sound();
    model.buffers[1].bytes = model.buffers[1].bytes.repeat(1 << 10);
    let mesh = model.meshes[1].clone();
    model.meshes.extend(std::iter::repeat_n(mesh, 50));
    let bytes = model.write();
    assert!(50 * model.buffers[1].bytes.len() > 8 * bytes.len(), "more than eight times the file");
    assert!(flver::check(&bytes).is_ok());
}
