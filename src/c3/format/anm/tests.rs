use proptest::prelude::*;

use super::source::{RotationKey, VectorKey};
use super::track::{EULER, MATRIX, QUATERNION, SCALE, TRANSLATION};
use super::*;

fn key(time: f32) -> KeySource {
    KeySource {
        time,
        scale: Some(VectorKey::Hermite([1.0; 3], [[0.5; 3], [-0.5; 3]], [0.25, 0.5])),
        rotation: Some(RotationKey::SquadEase([0.0, 0.0, 0.0, 1.0], [[0.5; 4]; 2], [0.0, 1.0])),
        translation: Some(VectorKey::Bezier([1.0, -2.0, 3.5], [[0.25; 3], [1.0; 3]])),
        matrix: None,
    }
}

fn bank() -> AnmSource {
    let track = |id| TrackSource {
        id,
        length: 2.0,
        quantization: Quantization::s16(8),
        replace: true,
        keys: vec![key(0.0), key(1.0)],
    };
    AnmSource {
        bank_id: 3,
        sequences: vec![
            SequenceSource { name: Some(b"walk".to_vec()), tracks: vec![track(0), track(1)] },
            SequenceSource { name: None, tracks: vec![track(0)] },
        ],
    }
}

#[test]
fn what_is_written_from_nothing_reads_back() {
    let bytes = bank().to_bytes().unwrap();
    let anm = Anm::parse(&bytes).unwrap();
    assert!(anm.problems.is_empty(), "{:?}", anm.problems);
    assert_eq!(anm.sequence_named(b"walk"), Some(0));
    assert_eq!(anm.tracks_of(anm.sequence(1).unwrap()).unwrap(), 2..3);
    assert_eq!(anm.keys_of(&anm.tracks[2]).unwrap(), 4..6);
    let track = &anm.tracks[0];
    assert_eq!((track.components, track.interpolation), (SCALE | QUATERNION | TRANSLATION, 0x5E));
    let setting = u64::from(anm.keys[1].setting) + track.translation_at();
    assert_eq!(track.quantization.vector(anm.view(), setting, "").unwrap(), [1.0, -2.0, 3.5]);
    assert_eq!(track.interpolation_size(), (12 + 4) + 0x14 + 12);
}

#[test]
fn every_element_type_is_scaled_by_its_shift_but_float() {
    let bytes = [0xFE, 0x80, 0x01, 0x40, 0x49, 0x0F, 0xDB, 0xFF, 0xF0, 0x00, 0x10, 0x00];
    let view = View::new(&bytes, Endian::Big);
    let first = |byte, at| Quantization(byte).vector(view, at, "value").map(|vector| vector[0]);
    assert_eq!(first(0x04, 0).unwrap(), 254.0 / 16.0);
    assert_eq!(first(0x17, 1).unwrap(), -1.0);
    assert_eq!(first(0x24, 0).unwrap(), 65152.0 / 16.0);
    assert_eq!(first(0x30, 0).unwrap(), -384.0);
    assert_eq!(first(0x4F, 0).unwrap(), f32::from_bits(0xFE80_0140));
    assert_eq!(first(0x50, 0).unwrap_err().want, "a value type from 0 to 4");
    assert!(first(0x30, 8).is_err());
}

#[test]
fn values_round_to_the_nearest_and_refuse_to_overflow() {
    assert_eq!(Quantization::s16(1).encode(&[0.75, -0.75, 1.3], "").unwrap(), [0, 2, 0xFF, 0xFE, 0, 3]);
    let error = Quantization(0x08).encode(&[1.0, 0.0, -0.1], "track 3").unwrap_err();
    assert_eq!(
        (error.what.as_str(), error.want.as_str()),
        ("track 3", "a value from 0 to 255 after the shift")
    );
    assert_eq!(Quantization::s16_for(100.0), Quantization::s16(8));
    assert_eq!(Quantization::s16_for(40000.0), Quantization::F32);
}

#[test]
fn with_both_rotations_the_translation_lies_behind_both() {
    let mut track = Anm::parse(&bank().to_bytes().unwrap()).unwrap().tracks[0];
    track.components = EULER | QUATERNION | TRANSLATION;
    assert_eq!((track.rotation_at(), track.translation_at()), (0, 6 + 8));
    assert_eq!(track.rotation_curve(), RotationCurve::SquadEase);
    track.components = MATRIX | TRANSLATION;
    assert_eq!((track.setting_size(), track.interpolation_size()), (48, 0));
}

#[test]
fn rotation_codes_that_panic_are_unknown() {
    let mut track = Anm::parse(&bank().to_bytes().unwrap()).unwrap().tracks[0];
    let mut codes = |components| {
        (0..8_u8)
            .filter(|code| {
                (track.components, track.interpolation) = (components, code << 4);
                matches!(track.rotation_curve(), RotationCurve::Unknown(_))
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(EULER), [3, 4, 5, 6, 7]);
    assert_eq!(codes(QUATERNION), [1, 2, 3, 7]);
}

#[test]
fn a_pointer_past_its_table_is_an_error_at_the_pointer() {
    let bytes = bank().to_bytes().unwrap();
    let mut anm = Anm::parse(&bytes).unwrap();
    anm.sequences[0].track_count = 4;
    let error = anm.tracks_of(&anm.sequences[0]).unwrap_err();
    assert_eq!((error.offset, error.what.as_str()), (0x1C, "sequence tracks"));
    anm.tracks[1].keys += 4;
    assert!(anm.keys_of(&anm.tracks[1]).is_err());
    anm.header.sequences = 0x24;
    assert_eq!(anm.sequence(0).unwrap_err().want, "0x18");
}

#[test]
fn keys_of_two_kinds_in_a_track_are_refused() {
    let mut source = bank();
    source.sequences[0].tracks[0].keys[1].scale = None;
    assert!(source.to_bytes().unwrap_err().to_string().contains("another kind at time 1"));
}

/// A valid file with some of its bytes replaced.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12);
    edits.prop_map(|edits| {
        let mut bytes = bank().to_bytes().unwrap();
        for (index, byte) in edits {
            let at = index.index(bytes.len().min(0xC0));
            bytes[at] = byte;
        }
        bytes
    })
}

fn read_everything(bytes: &[u8]) {
    let Ok(anm) = Anm::parse(bytes) else { return };
    assert_eq!(anm.to_bytes(), bytes);
    let _ = (anm.require_version(), anm.user_data_bytes(), anm.sequence(0));
    for sequence in &anm.sequences {
        let _ = (anm.name(sequence), anm.tracks_of(sequence));
    }
    for track in &anm.tracks {
        let _ = (anm.keys_of(track), track.setting_size(), track.interpolation_size());
        let _ = track.quantization.vector(anm.view(), track.keys.into(), "value");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_and_written_back(bytes in proptest::collection::vec(any::<u8>(), 0..0x140)) {
        read_everything(&bytes);
    }

    #[test]
    fn broken_banks_are_read_or_refused_and_written_back(bytes in mutated()) {
        read_everything(&bytes);
    }
}
