//! The recorded cases through the command, and what it prints.

use assert_cmd::Command;
use serde_json::Value;
use skinsim::c3::runtime::pose::Matrix;

use super::cases::{self, Case, Cells, difference, matrix};

fn pose(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/pose"));
    command.arg("pose").args(arguments).assert()
}

fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// The command line of a recorded case: times by their bits.
fn arguments(case: &Case) -> Vec<String> {
    let folder = case.folder.file_name().unwrap().to_string_lossy();
    let mut arguments = vec![format!("{folder}/model.act"), "--json".to_owned(), "--ease=listing".to_owned()];
    if let Some(file) = &case.anm {
        let (sequence, start) = (case.sequence.unwrap(), case.start_bits.as_ref().unwrap());
        arguments.push(format!("--anim={folder}/{file}:{sequence}@0x{start}"));
        arguments.push(format!("--speed=0x{}", case.speed_bits.as_ref().unwrap()));
        arguments.push(format!("--frames={}", case.ticks));
    }
    arguments.extend(case.world_control.iter().map(|hex| format!("--world-control={hex}")));
    arguments
}

fn compare(json: &Value, recorded: &[Cells], what: &str) {
    let bones = json.as_array().unwrap_or_else(|| panic!("{what}"));
    assert_eq!(bones.len(), recorded.len(), "{what}");
    for (bone, recorded) in bones.iter().zip(recorded) {
        let cell = |row: usize, column: usize| bone[row][column].as_f64().unwrap() as f32;
        let ours = Matrix(std::array::from_fn(|row| std::array::from_fn(|column| cell(row, column))));
        assert!(difference(&ours.0, &matrix(recorded)) <= 1e-5, "{what}");
    }
}

#[test]
fn every_recorded_case_comes_out_of_the_command() {
    for case in cases::all() {
        let arguments = arguments(&case);
        let assert = pose(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let json: Value = serde_json::from_str(&stdout(&assert)).unwrap();
        assert_eq!(json["schema"], "skinsim.pose/1");
        assert_eq!(json["order"], "preorder");
        assert_eq!(json["bone_ids"], serde_json::json!(case.bone_ids));
        compare(&json["orientation_inverse"], &case.orientation_inverse, &case.name);
        let frames = json["frames"].as_array().unwrap();
        for recorded in &case.frames {
            let tick = recorded.tick.unwrap_or(0);
            assert_eq!(frames[tick]["tick"], tick);
            compare(&frames[tick]["forward"], &recorded.forward, &case.name);
            compare(&frames[tick]["skin"], &recorded.skin, &case.name);
        }
        if let Some(bound) = &case.bound {
            compare(&json["bound"]["skin"], &bound.skin, &case.name);
        }
        if let Some(failure) = &case.error {
            let assert = assert.code(2);
            assert_eq!(frames.len(), failure.tick);
            assert_eq!(json["error"]["tick"], failure.tick);
            assert!(stderr(&assert).contains("no key frame at or before that time"));
        } else {
            assert.success();
            assert!(json["error"].is_null(), "{}", case.name);
        }
    }
}

#[test]
fn numbers_are_the_shortest_decimals_that_give_the_float_back() {
    let assert = pose(&["021-anim-wrap/model.act", "--json"]).success();
    let text = stdout(&assert);
    let json: Value = serde_json::from_str(&text).unwrap();
    let recorded = cases::all().into_iter().find(|case| case.name == "anim-wrap").unwrap();
    let translation = matrix(&recorded.orientation_inverse[0]).0[0][3];
    assert!(text.contains(&format!("{translation}")));
    assert_eq!(json["orientation_inverse"][0][0][3].as_f64().unwrap() as f32, translation);
}

#[test]
fn a_sequence_by_name_prints_what_moves() {
    let arguments = ["022-anim-sequences/model.act", "--anim=022-anim-sequences/model.anm:two@0.75"];
    insta::assert_snapshot!(stdout(
        &pose(&[&arguments[..], &["--speed=0.5", "--frames=2"]].concat()).success()
    ));
}

#[test]
fn a_failing_tick_names_bone_track_and_time_after_the_frames_before_it() {
    let arguments =
        ["023-error-before-first-key/model.act", "--anim=023-error-before-first-key/model.anm@1.5"];
    let assert = pose(&[&arguments[..], &["--speed=0.5", "--frames=6", "--from=3"]].concat()).code(2);
    insta::assert_snapshot!(format!("{}\n{}", stdout(&assert), stderr(&assert)));
}

#[test]
fn a_name_that_no_sequence_has_is_told_with_those_that_are_there() {
    let assert = pose(&["022-anim-sequences/model.act", "--anim=022-anim-sequences/model.anm:four"]).code(2);
    assert_eq!(
        stderr(&assert).trim(),
        "skinsim: 022-anim-sequences/model.anm: want a sequence named \"four\", have \"one\", \"two\", \"three\""
    );
    let assert = pose(&["022-anim-sequences/model.act", "--anim=022-anim-sequences/model.anm:7"]).code(2);
    assert!(stderr(&assert).contains("want a sequence 7, have 3 sequences"), "{}", stderr(&assert));
}

#[test]
fn a_block_is_posed_in_the_order_of_its_table() {
    let assert = pose(&["../../../examples/fox.block", "--json"]).success();
    let json: Value = serde_json::from_str(&stdout(&assert)).unwrap();
    assert_eq!(json["order"], "table");
    assert_eq!(json["frames"][0]["skin"].as_array().unwrap().len(), 24);
}

#[test]
fn what_is_not_a_skeleton_is_refused_with_its_offset() {
    let assert = pose(&["022-anim-sequences/case.json"]).code(2);
    assert!(stderr(&assert).contains("at offset 0x0"), "{}", stderr(&assert));
    let assert = pose(&["no-such.act"]).code(2);
    assert!(stderr(&assert).contains("no-such.act"));
}

#[test]
fn what_hangs_on_a_fault_of_the_library_is_found_beside_the_matrices() {
    let findings = |arguments: &[&str]| {
        let json: Value = serde_json::from_str(&stdout(&pose(arguments))).unwrap();
        let findings = json["findings"].as_array().unwrap().clone();
        findings.iter().map(|found| format!("{}: {}", found["code"], found["text"])).collect::<Vec<_>>()
    };
    let rest = findings(&["007-non-inherit/model.act", "--json"]);
    assert!(
        rest.iter().any(|found| found.contains("library-fault") && found.contains("inherit")),
        "{rest:?}"
    );
    let bank = "--anim=020-anim-matrix/model.anm@1.25";
    let played = findings(&["020-anim-matrix/model.act", bank, "--json"]);
    assert!(played.iter().any(|found| found.contains("its clock stands still")), "{played:?}");
    assert_eq!(findings(&["020-anim-matrix/model.act", "--json"]), Vec::<String>::new());
}

#[test]
fn skeletons_and_banks_are_told_apart() {
    let (act, anm) = ("022-anim-sequences/model.act", "022-anim-sequences/model.anm");
    let refused = |arguments: &[&str]| stderr(&pose(arguments).code(2));
    assert!(refused(&[anm]).contains("have an animation bank: --anim plays it on one"));
    let text = refused(&[act, &format!("--anim={act}")]);
    assert!(text.contains("sequence table pointer at offset 0x4: want 0x18, have 0x"), "{text}");
    let info = |file: &str| {
        let mut command = Command::cargo_bin("skinsim").unwrap();
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/pose"));
        stderr(&command.args(["info", file]).assert().code(2))
    };
    assert!(info(anm).contains("have an animation bank (`--anim` or `--anm` takes it)"), "{}", info(anm));
    assert!(
        info(act).contains("have a loose skeleton (`skinsim pose` or `--act` takes it)"),
        "{}",
        info(act)
    );
}

#[test]
fn options_of_an_animation_that_is_not_there_are_refused() {
    for option in ["--speed=2", "--time=1", "--fps=60"] {
        let text = stderr(&pose(&["021-anim-wrap/model.act", option]).code(2));
        assert!(text.contains("required") && text.contains("--anim"), "{text}");
    }
    let twice = ["021-anim-wrap/model.act", "--anim=021-anim-wrap/model.anm@1", "--time=2"];
    assert!(stderr(&pose(&twice).code(2)).contains("--time: want no time in --anim beside it"));
    let quiet = pose(&["021-anim-wrap/model.act", "--anim=021-anim-wrap/model.anm", "--speed=2"]).success();
    assert_eq!(stderr(&quiet), "");
}
