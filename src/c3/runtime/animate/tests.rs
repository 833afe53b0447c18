use proptest::prelude::*;

use super::*;
use crate::c3::format::act::{Act, ActSource, BoneSource};
use crate::c3::format::anm::source::{RotationKey, VectorKey};
use crate::c3::format::anm::{AnmSource, KeySource, Quantization, SequenceSource, TrackSource};
use crate::c3::runtime::pose::{LoadOptions, Skeleton};

fn act(bones: u16) -> Vec<u8> {
    let mut rest = Control::IDENTITY;
    rest.set_translation([5.0, 0.0, 0.0]);
    rest.set_scale([2.0, 2.0, 2.0]);
    let bone = |id: u16| BoneSource::new(id, id.checked_sub(1).map(usize::from), rest);
    let source = ActSource {
        actor_id: 0,
        skin_object: 0,
        palette_name: None,
        bones: (0..bones).map(bone).collect(),
        user_data: Vec::new(),
    };
    source.to_bytes().unwrap()
}

fn actor(bones: u16) -> Actor {
    let bytes = act(bones);
    Actor::new(Skeleton::load(&Act::parse(&bytes).unwrap(), &LoadOptions::default()).unwrap())
}

fn moved(time: f32, x: f32) -> KeySource {
    KeySource { time, translation: Some(VectorKey::Linear([x, 0.0, 0.0])), ..KeySource::default() }
}

fn track(id: u16, length: f32, keys: Vec<KeySource>) -> TrackSource {
    TrackSource { id, length, quantization: Quantization::F32, replace: true, keys }
}

fn bytes(tracks: Vec<TrackSource>) -> Vec<u8> {
    let sequence = SequenceSource { name: None, tracks };
    AnmSource { bank_id: 0, sequences: vec![sequence] }.to_bytes().unwrap()
}

fn bank(tracks: Vec<TrackSource>) -> Bank {
    Bank::load(&Anm::parse(&bytes(tracks)).unwrap()).unwrap()
}

/// The x translation of bone 0 after each of some ticks.
fn ticks(actor: &mut Actor, bank: &mut Bank, count: usize) -> Vec<f32> {
    (0..count)
        .map(|_| {
            actor.tick(bank, Ease::Continuous).unwrap();
            actor.build().forward[0].0[0][3]
        })
        .collect()
}

#[test]
fn a_tick_samples_first_and_advances_then() {
    let mut bank = bank(vec![track(0, 4.0, vec![moved(0.0, 0.0), moved(4.0, 8.0)])]);
    let mut actor = actor(1);
    actor.bind(&bank, 0, 1.0).unwrap();
    assert_eq!(actor.pipes[0].unwrap().speed, 1.0);
    // The clock reaches 4.0, which is not past the length, and wraps from 5.0 to 1.0.
    assert_eq!(ticks(&mut actor, &mut bank, 5), [2.0, 4.0, 6.0, 8.0, 2.0]);
}

#[test]
fn past_the_last_key_a_track_runs_towards_the_first() {
    let mut bank = bank(vec![track(0, 4.0, vec![moved(0.0, 0.0), moved(2.0, 8.0)])]);
    let mut actor = actor(1);
    actor.bind(&bank, 0, 3.0).unwrap();
    assert_eq!(ticks(&mut actor, &mut bank, 2), [4.0, 0.0]);
}

#[test]
fn a_speed_above_the_length_runs_away() {
    let mut bank = bank(vec![track(0, 1.0, vec![moved(0.0, 0.0), moved(0.5, 8.0)])]);
    let mut actor = actor(1);
    actor.bind(&bank, 0, 0.0).unwrap();
    actor.set_speed(3.0);
    ticks(&mut actor, &mut bank, 3);
    assert_eq!(actor.pipes[0].unwrap().clock, 6.0);
}

#[test]
fn what_the_track_lacks_is_copied_once_from_the_bone() {
    let key = KeySource { scale: Some(VectorKey::Hold([1.0; 3])), ..KeySource::default() };
    let mut bank = bank(vec![track(0, 1.0, vec![key])]);
    let mut actor = actor(1);
    actor.bind(&bank, 0, 0.0).unwrap();
    assert_eq!(actor.animated[0].bits, own::TRANSLATION);
    assert_eq!(ticks(&mut actor, &mut bank, 1), [5.0]);
    assert_eq!(actor.build().forward[0].0[0][0], 1.0);
}

#[test]
fn without_replacement_the_animated_transform_follows_the_bones_own() {
    let mut source = track(0, 1.0, vec![moved(0.0, 1.0)]);
    source.replace = false;
    let mut bank = bank(vec![source]);
    let mut actor = actor(1);
    actor.bind(&bank, 0, 0.0).unwrap();
    // 5 + 2 * 1, and the scale, copied at binding, counts twice.
    assert_eq!(ticks(&mut actor, &mut bank, 1), [7.0]);
    assert_eq!(actor.build().forward[0].0[0][0], 4.0);
}

#[test]
fn bones_without_a_track_stay_at_rest() {
    let mut bank = bank(vec![track(1, 1.0, vec![moved(0.0, 0.0)])]);
    let mut actor = actor(2);
    actor.bind(&bank, 0, 0.0).unwrap();
    assert_eq!(ticks(&mut actor, &mut bank, 1), [5.0]);
    assert!(actor.pipes[0].is_none() && actor.pipes[1].is_some());
}

#[test]
fn before_the_first_key_nothing_is_found() {
    let mut bank = bank(vec![track(0, 4.0, vec![moved(1.0, 0.0)])]);
    let mut actor = actor(1);
    for time in [0.5, -1.0, f32::NAN] {
        actor.bind(&bank, 0, time).unwrap();
        let error = actor.tick(&mut bank, Ease::Continuous).unwrap_err();
        assert_eq!(error.fault, TickFault::NoKey { first: Some(1.0) });
    }
    actor.bind(&bank, 0, 0.5).unwrap();
    assert_eq!(
        actor.tick(&mut bank, Ease::Continuous).unwrap_err().to_string(),
        "bone 0 (id 0), track 0 at time 0.5: no key frame at or before that time (the first is at 1); \
         the library: \"Keyframes not found\""
    );
}

#[test]
fn a_matrix_track_shrinks_its_key_and_stands_still() {
    let key = KeySource { matrix: Some([[8.0; 4]; 3]), ..KeySource::default() };
    let mut source = track(0, 4.0, vec![key]);
    source.quantization = Quantization(0x41);
    let mut bank = bank(vec![source]);
    let mut actor = actor(1);
    actor.bind(&bank, 0, 1.5).unwrap();
    assert_eq!(ticks(&mut actor, &mut bank, 3), [4.0, 2.0, 1.0]);
    assert_eq!(actor.pipes[0].unwrap().clock, 1.5);
}

#[test]
fn bones_on_one_matrix_track_shrink_it_for_each_other() {
    let key = KeySource { matrix: Some([[8.0; 4]; 3]), ..KeySource::default() };
    let mut source = track(0, 4.0, vec![key]);
    source.quantization = Quantization(0x41);
    let mut bank = bank(vec![source]);
    let mut actor = actor(2);
    actor.skeleton.bones[1].id = 0;
    actor.bind(&bank, 0, 0.0).unwrap();
    actor.tick(&mut bank, Ease::Continuous).unwrap();
    assert_eq!((actor.animated[0].matrix()[0][0], actor.animated[1].matrix()[0][0]), (4.0, 2.0));
}

#[test]
fn codes_on_which_the_library_panics_are_errors() {
    let rotation = Some(RotationKey::Hold([0.0, 0.0, 0.0, 1.0]));
    let mut bytes = bytes(vec![track(0, 1.0, vec![KeySource { rotation, ..KeySource::default() }])]);
    let track = Anm::parse(&bytes).unwrap().tracks[0].offset as usize;
    bytes[track + 0xE] = 0x70;
    let mut bank = Bank::load(&Anm::parse(&bytes).unwrap()).unwrap();
    let mut actor = actor(1);
    actor.bind(&bank, 0, 0.0).unwrap();
    let error = actor.tick(&mut bank, Ease::Continuous).unwrap_err();
    assert_eq!(error.fault, TickFault::UnknownInterpolation { code: 7, quaternion: true });
}

#[test]
fn values_outside_the_file_are_an_error_with_their_offset() {
    let mut bytes = bytes(vec![track(0, 1.0, vec![moved(0.0, 0.0)])]);
    let key = Anm::parse(&bytes).unwrap().keys[0].offset as usize;
    bytes[key + 4..key + 8].copy_from_slice(&0xFFFF_FFF8_u32.to_be_bytes());
    let mut bank = Bank::load(&Anm::parse(&bytes).unwrap()).unwrap();
    let mut actor = actor(1);
    actor.bind(&bank, 0, 0.0).unwrap();
    let error = actor.tick(&mut bank, Ease::Continuous).unwrap_err();
    assert!(error.to_string().contains("translation at offset 0xfffffff8"), "{error}");
}

#[test]
fn the_continuous_ease_joins_its_pieces_and_the_listed_one_jumps() {
    let near = |kind, u: f32| curve::ease(u, 0.25, 0.5, kind);
    for at in [0.25_f32, 0.5] {
        let jump = |kind| (near(kind, at + 1e-6) - near(kind, at - 1e-6)).abs();
        assert!(jump(Ease::Continuous) < 1e-4, "{at}");
    }
    assert!((near(Ease::Continuous, 0.999_999) - 1.0).abs() < 1e-4);
    assert!(near(Ease::Listing, 0.25) < 0.0);
    // With eases that overlap, both are shortened to fit.
    assert!((curve::ease(0.5, 1.0, 1.0, Ease::Continuous) - 0.5).abs() < 1e-6);
}

/// A skeleton and a bank with every kind of track, some of whose bytes are replaced.
fn broken() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let edits = || proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8);
    (edits(), edits()).prop_map(|(act_edits, anm_edits)| {
        let mut files = (act(4), bytes(every_kind()));
        for (index, byte) in act_edits {
            let at = index.index(files.0.len());
            files.0[at] = byte;
        }
        for (index, byte) in anm_edits {
            let at = index.index(files.1.len());
            files.1[at] = byte;
        }
        files
    })
}

fn every_kind() -> Vec<TrackSource> {
    let sides = [[0.5, 0.25, 0.125]; 2];
    let quaternion = [0.5, 0.5, 0.5, 0.5];
    let keys = |rotation, vector, matrix| {
        let key = |time| KeySource { time, scale: vector, rotation, translation: vector, matrix };
        vec![key(0.0), key(1.0)]
    };
    let bezier = VectorKey::Bezier([1.0; 3], sides);
    let hermite = VectorKey::Hermite([1.0; 3], sides, [0.5, 0.25]);
    let squad = RotationKey::SquadEase(quaternion, [quaternion; 2], [0.5, 0.75]);
    vec![
        track(0, 1.5, keys(Some(RotationKey::Euler(bezier)), Some(hermite), None)),
        track(1, 1.5, keys(Some(squad), Some(bezier), None)),
        track(2, 1.5, keys(Some(RotationKey::Slerp(quaternion)), None, None)),
        track(3, 1.5, keys(None, None, Some([[1.0; 4]; 3]))),
    ]
}

proptest! {
    #[test]
    fn broken_files_pose_or_fail_without_a_panic((act, anm) in broken()) {
        let (Ok(act), Ok(anm)) = (Act::parse(&act), Anm::parse(&anm)) else { return Ok(()) };
        let (Ok(skeleton), Ok(mut bank)) =
            (Skeleton::load(&act, &LoadOptions::default()), Bank::load(&anm)) else { return Ok(()) };
        let mut actor = Actor::new(skeleton);
        if actor.bind(&bank, 0, 0.0).is_err() {
            return Ok(());
        }
        actor.set_speed(0.7);
        for _ in 0..4 {
            prop_assert_eq!(actor.build().forward.len(), act.bones.len());
            if actor.tick(&mut bank, Ease::Listing).is_err() {
                break;
            }
        }
    }
}
