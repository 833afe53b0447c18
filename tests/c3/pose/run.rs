//! The pose of `run`: from the skeleton, from a bank, from a file, or none.

use assert_cmd::Command;
use serde_json::Value;
use skinsim::c3::format::anm::source::VectorKey;
use skinsim::c3::format::anm::{AnmSource, KeySource, Quantization, SequenceSource, TrackSource};
use skinsim::c3::model::Model;
use skinsim::c3::outcome::Outcome;
use tempfile::TempDir;

fn skinsim(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).assert()
}

fn json(assert: &assert_cmd::assert::Assert) -> Value {
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn run(arguments: &[&str]) -> Value {
    json(&skinsim(&[&["run", "examples/fox.block", "--json"], arguments].concat()).success())
}

/// The digest of a run with the skin matrices that `pose` gives for its last frame.
fn run_with_matrices_of_pose(arguments: &[&str]) -> Value {
    let posed = json(&skinsim(&[&["pose", "examples/fox.block", "--json"], arguments].concat()).success());
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("matrices.json");
    let last = posed["frames"].as_array().unwrap().last().unwrap();
    std::fs::write(&file, serde_json::json!({ "skin_matrices": last["skin"] }).to_string()).unwrap();
    run(&["--matrices", file.to_str().unwrap()])
}

#[test]
fn the_rest_pose_of_the_skeleton_is_the_default() {
    let rest = run(&[]);
    assert_eq!(rest["pose"], "rest");
    assert_eq!(rest["digest"], run(&["--pose", "rest"])["digest"]);
    assert_eq!(rest["digest"], run_with_matrices_of_pose(&[])["digest"]);
}

#[test]
fn without_its_skeleton_every_vertex_keeps_its_source_position() {
    let identity = run(&["--no-skeleton"]);
    assert_eq!(identity["pose"], "identity");
    assert_ne!(identity["digest"], run(&[])["digest"]);
}

#[test]
fn at_rest_every_vertex_of_the_fox_is_within_three_of_its_bind_position() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap();
    let model = Model::from_block(&bytes).unwrap();
    let outcome = Outcome::at_rest(&model).unwrap();
    let skn = model.skn.as_ref().unwrap();
    let mirror = &skn.view().bytes()[skn.mirror_start() as usize..];
    let half = |bytes: &[u8]| i32::from(i16::from_be_bytes([bytes[0], bytes[1]]));
    let posed = outcome.simulation.position_bytes().unwrap();
    let coverage = outcome.coverage();
    let mut compared = 0;
    for slot in (0..coverage.stored).filter(|&slot| coverage.is_direct(slot)) {
        for component in 0..3 {
            let at = slot * 12 + component * 2;
            let (bound, rest) = (half(&mirror[at..]), half(&posed[at..]));
            assert!((bound - rest).abs() <= 3, "slot {slot}: bound {bound}, at rest {rest}");
        }
        compared += 1;
    }
    assert!(compared > 1400, "{compared} slots");
}

#[test]
fn a_bank_poses_frame_after_frame_as_the_pose_command_does() {
    for sequence in ["Walk@21", "Run@3.5", "2@0"] {
        let anim = format!("--anim=examples/fox.anm:{sequence}");
        for options in [&[anim.as_str(), "--frames=1"][..], &[&anim, "--frames=4", "--speed=1.5"]] {
            let posed = run(options);
            assert_eq!(posed["digest"], run_with_matrices_of_pose(options)["digest"], "{options:?}");
            assert_ne!(posed["digest"], run(&[])["digest"], "{options:?}");
        }
    }
    assert_eq!(run(&["--anim=examples/fox.anm:Walk@21"])["pose"], "fox:1@21");
}

#[test]
fn a_tick_that_fails_ends_the_run_after_the_frames_before_it() {
    let arguments = ["run", "examples/fox.block", "--json", "--anim=examples/fox.anm@1", "--speed=-0.5"];
    let assert = skinsim(&[&arguments[..], &["--frames=9"]].concat()).code(2);
    let report = json(&assert);
    assert_eq!(report["frames"], 3);
    let error = report["pose_error"].as_str().unwrap();
    assert!(error.contains("at time -0.5: no key frame at or before that time"), "{error}");
    assert!(stderr(&assert).starts_with("skinsim: examples/fox.anm: frame 3: bone "), "{}", stderr(&assert));
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let refused = |arguments: &[&str]| {
        let assert = skinsim(&[&["run"], arguments].concat()).code(2);
        stderr(&assert)
    };
    let text = refused(&["examples/fox.block", "--matrices=x.json", "--anim=examples/fox.anm"]);
    assert!(text.contains("--matrices is the pose"), "{text}");
    let text = refused(&["examples/fox.block", "--no-skeleton", "--anim=examples/fox.anm"]);
    assert!(text.contains("cannot be used with"), "{text}");
    let text = refused(&["examples/fox.block", "--anim=examples/fox.anm:Fly"]);
    assert!(text.contains("want a sequence named \"Fly\", have \"Survey\", \"Walk\", \"Run\""), "{text}");
    let text = refused(&["tests/cases/mdl_synth_flex/synth_flex.mdl", "--no-skeleton"]);
    assert!(text.contains("--no-skeleton: want a GameCube or Wii model, have an MDL"), "{text}");
    let text = refused(&["examples/fox.block", "--anim"]);
    assert!(text.contains("a value is required"), "{text}");
}

#[test]
fn a_skeleton_that_the_library_refuses_ends_the_run_with_its_offset_and_the_way_around() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("fox.block");
    let mut bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap();
    bytes[0x5607] = 25;
    std::fs::write(&file, bytes).unwrap();
    let file = file.to_str().unwrap();
    let text = stderr(&skinsim(&["run", file]).code(2));
    assert!(text.contains("bone count at offset 0x5606: want"), "{text}");
    assert!(text.trim_end().ends_with("--no-skeleton does without"), "{text}");
    skinsim(&["run", file, "--no-skeleton", "--json"]);
}

#[test]
fn of_several_frames_only_those_that_differ_are_told() {
    let still = run(&["--frames=5"]);
    assert_eq!(still["changes"].as_array().unwrap().len(), 1);
    assert_eq!(still["changes"][0]["frame"], 0);
    let walking = run(&["--anim=examples/fox.anm:Walk", "--frames=4"]);
    let frames: Vec<_> =
        walking["changes"].as_array().unwrap().iter().map(|change| &change["frame"]).collect();
    assert_eq!(frames, [0, 1, 2, 3]);
    assert_eq!(walking["changes"][3]["digest"], walking["digest"]);
    assert!(walking["changes"][2]["slots"].as_u64().unwrap() > 1000);
    assert_eq!(walking["changes"][2]["entries"], serde_json::json!([]), "the transfers are always the same");
    assert_eq!(run(&[])["changes"], serde_json::json!([]));
    let text =
        skinsim(&["run", "examples/fox.block", "--anim=examples/fox.anm:Walk", "--frames=40"]).success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    assert!(text.contains("\nframe 31   "), "{text}");
    assert!(text.contains("and 8 more; --json has them all"), "{text}");
}

#[test]
fn memory_is_dumped_after_the_frame_that_is_named() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let range = "0x80a000c0:0x4728";
    let dump = |name: &str, frame: &str| format!("--dump={range}:{}{frame}", file(name));
    let (one, last) = (dump("one.bin", "@1"), dump("last.bin", ""));
    let report = run(&["--anim=examples/fox.anm:Walk", "--frames=3", &one, &last]);
    let hash = |name: &str| blake3::hash(&std::fs::read(file(name)).unwrap()).to_hex().to_string();
    assert_eq!(report["changes"][1]["digest"], hash("one.bin"));
    assert_eq!(report["digest"], hash("last.bin"));
    let late = dump("late.bin", "@3");
    let text = stderr(&skinsim(&["run", "examples/fox.block", "--frames=3", &late]).code(2));
    assert!(text.contains("want a frame below 3 (--frames; the first is 0), have 3"), "{text}");
    let (bad, early) = ("examples/broken/one-vertex.block", dump("early.bin", "@2"));
    let text = stderr(&skinsim(&["run", bad, "--frames=3", &early]).code(2));
    assert!(text.contains("have a run that ended after 1 frames"), "{text}");
}

#[test]
fn the_rules_look_at_the_bank_that_is_played() {
    let foreign = "tests/cases/pose/022-anim-sequences/model.anm";
    let codes = |arguments: &[&str]| {
        let assert = skinsim(arguments);
        let report = json(&assert);
        let findings = report["findings"].as_array().or(report["models"][0]["findings"].as_array()).unwrap();
        findings.iter().map(|found| found["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let fox = "examples/fox.block";
    for arguments in [
        &["run", fox, "--json", "--anim", foreign][..],
        &["run", fox, "--json", "--anm", foreign, "--anim=:two"],
        &["check", fox, "--format=json", "--anm", foreign],
    ] {
        let told = codes(arguments);
        assert!(told.iter().any(|code| code == "track-without-bone"), "{arguments:?}: {told:?}");
    }
    let own = codes(&["check", fox, "--format=json", "--anm=examples/fox.anm"]);
    assert_eq!(own, codes(&["check", fox, "--format=json"]));
}

#[test]
fn places_in_a_dump_are_refused_beside_a_model() {
    for option in ["--skn-at=0x80a00000", "--bones-at=1", "--positions-at=1:1", "--actor-at=1"] {
        let text = stderr(&skinsim(&["run", "examples/fox.block", option]).code(2));
        assert!(text.contains("want --ram BASE:FILE, have a model"), "{option}: {text}");
    }
}

/// A bank whose one track of bone 0 has its first key at time 1, which the rules call an error.
fn late_bank() -> Vec<u8> {
    let translation = Some(VectorKey::Hold([1.0, 0.0, 0.0]));
    let key = KeySource { time: 1.0, translation, ..KeySource::default() };
    let track =
        TrackSource { id: 0, length: 4.0, quantization: Quantization::F32, replace: true, keys: vec![key] };
    let sequence = SequenceSource { name: None, tracks: vec![track] };
    AnmSource { bank_id: 0, sequences: vec![sequence] }.to_bytes().unwrap()
}

#[test]
fn a_finding_of_a_bank_that_played_to_its_end_is_no_error() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("late.anm");
    std::fs::write(&file, late_bank()).unwrap();
    let file = file.to_str().unwrap();
    for command in ["run", "pose"] {
        let anim = |time: f32| format!("--anim={file}@{time}");
        let played = skinsim(&[command, "examples/fox.block", "--json", &anim(1.5)]).success();
        let findings = json(&played)["findings"].clone();
        let late =
            findings.as_array().unwrap().iter().find(|finding| finding["code"] == "key-order").unwrap();
        assert_eq!(late["severity"], "warning", "{command}");
        let stopped = skinsim(&[command, "examples/fox.block", &anim(0.0)]).code(2);
        assert!(stderr(&stopped).contains("late.anm"), "{command}: {}", stderr(&stopped));
    }
}

#[test]
fn a_bank_from_standard_input_is_checked_too() {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let arguments = ["run", "examples/fox.block", "--json", "--anim=-@1.5"];
    let run =
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).write_stdin(late_bank()).assert();
    let findings = json(&run.success())["findings"].to_string();
    assert!(findings.contains("key-order"), "{findings}");
}
