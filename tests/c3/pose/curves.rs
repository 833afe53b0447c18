//! Rotations of tracks that the library's curves make something else of.

use skinsim::c3::check::{Comparison, check};
use skinsim::c3::format::act::{ActSource, BoneSource, Control};
use skinsim::c3::format::anm::source::{KeySource, RotationKey, VectorKey};
use skinsim::c3::format::anm::{AnmSource, Quantization, SequenceSource, TrackSource};
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::finding::{Finding, Severity};

/// A bone with a translation of its own and a track of these rotations, one a tick.
fn findings(rotations: &[RotationKey], replace: bool) -> Vec<Finding> {
    let keys = (0_u8..).zip(rotations);
    let keys = keys.map(|(time, rotation)| KeySource {
        time: time.into(),
        rotation: Some(*rotation),
        ..KeySource::default()
    });
    let track = TrackSource {
        id: 0,
        length: rotations.len() as f32,
        quantization: Quantization::F32,
        replace,
        keys: keys.collect(),
    };
    let sequence = SequenceSource { name: None, tracks: vec![track] };
    let anm = AnmSource { bank_id: 0, sequences: vec![sequence] }.to_bytes().unwrap();
    let mut control = Control::IDENTITY;
    control.set_translation([1.0, 0.0, 0.0]);
    let bones = vec![BoneSource::new(0, None, control)];
    let act = ActSource { actor_id: 0, skin_object: 0, palette_name: None, bones, user_data: Vec::new() };
    let act = act.to_bytes().unwrap();
    let fox = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap();
    let files = LooseFiles { gpl: &fox[0x20..0x5600], skn: None, act: Some(&act), anm: Some(&anm) };
    let model = Model::from_loose(files).unwrap();
    let mut findings = check(&model, &Comparison::default(), 0x80A0_0000, &[]);
    findings.retain(|finding| finding.place.section.as_deref() == Some("ANM"));
    findings
}

/// Code, severity and the beginning of the text of every finding about the bank.
fn told(rotations: &[RotationKey]) -> Vec<(&'static str, Severity, String)> {
    let findings = findings(rotations, true);
    findings.into_iter().map(|found| (found.code.name, found.severity, found.text)).collect()
}

fn one(rotations: &[RotationKey], code: &str, severity: Severity, words: &str) {
    let told = told(rotations);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].0, told[0].1), (code, severity));
    assert!(told[0].2.starts_with(words), "{}", told[0].2);
}

#[test]
fn quaternions_of_no_length_and_of_the_other_half() {
    let still = RotationKey::Slerp([0.0, 0.0, 0.0, 1.0]);
    let turned = RotationKey::Slerp([0.0, 0.0, 0.6, 0.8]);
    let other = RotationKey::Slerp([0.0, 0.0, -0.6, -0.8]);
    assert_eq!(told(&[still, turned, still]), []);
    one(
        &[still, RotationKey::Slerp([0.0; 4])],
        "nan-matrix",
        Severity::Error,
        "the quaternion of key 1 is 0",
    );
    one(&[turned, other], "library-fault", Severity::Note, "the quaternions of keys 0 and 1");
    // Held values never meet.
    assert_eq!(
        told(&[RotationKey::Hold([0.0, 0.0, 0.6, 0.8]), RotationKey::Hold([0.0, 0.0, -0.6, -0.8])]),
        []
    );
    // Of a right angle both ways are as long.
    assert_eq!(told(&[still, RotationKey::Slerp([0.0, 0.0, 1.0, 0.0])]), []);
}

#[test]
fn angles_that_a_curve_takes_the_long_way() {
    let linear = |degrees| RotationKey::Euler(VectorKey::Linear([0.0, degrees, 0.0]));
    let bezier = |degrees| RotationKey::Euler(VectorKey::Bezier([0.0, degrees, 0.0], [[0.0; 3]; 2]));
    assert_eq!(told(&[linear(10.0), linear(350.0), linear(-360.0)]), []);
    one(&[linear(10.0), linear(361.0)], "library-fault", Severity::Warning, "key 1 has an angle past 360");
    assert_eq!(told(&[bezier(-90.0), bezier(90.0)]), []);
    one(
        &[bezier(0.0), bezier(-91.0), bezier(90.0)],
        "library-fault",
        Severity::Warning,
        "the angles of keys 1 and 2 are more than 180 degrees apart",
    );
}

#[test]
fn a_translation_that_the_track_lacks_counts_twice() {
    let still = [RotationKey::Slerp([0.0, 0.0, 0.0, 1.0])];
    assert_eq!(findings(&still, true), []);
    let found = findings(&still, false);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].text.contains("applies the bone's translation twice"), "{}", found[0].text);
}
