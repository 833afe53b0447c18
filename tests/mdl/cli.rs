//! The command line on MDL files.

use assert_cmd::Command;
use serde_json::Value;

use crate::builder::Face;
use crate::check::vtx;

fn skinsim(args: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_skinsim"))
        .args(args)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases"))
        .output()
        .unwrap()
}

fn text(args: &[&str]) -> String {
    let output = skinsim(args);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&text(args)).unwrap()
}

fn refusal(args: &[&str]) -> String {
    let output = skinsim(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

const FACE: &str = "mdl_synth_flex/synth_flex.mdl";

#[test]
fn info_shows_the_whole_face() {
    insta::assert_snapshot!(text(&["info", FACE]));
}

#[test]
fn info_and_run_tell_no_flexes_apart() {
    for command in ["info", "run"] {
        assert!(text(&[command, "mdl_no_flexes/table.mdl"]).contains("no flexes"), "{command}");
    }
    assert_eq!(json(&["info", "--json", "mdl_no_flexes/table.mdl"])["has_flexes"], false);
    assert_eq!(json(&["info", "--json", FACE])["has_flexes"], true);
}

#[test]
fn run_shows_weights_and_what_moved() {
    insta::assert_snapshot!(text(&["run", FACE, "--set", "smile=0.5", "--set", "brow=-0.5"]));
}

#[test]
fn run_gives_the_contract_s_arrays_in_mesh_order() {
    let run = json(&["run", FACE, "--json", "--controllers", "0.5,-0.5,0.3,0.8,0.25,0.5,0,15"]);
    assert_eq!(run["schema"], "skinsim.flex/1");
    let length = |key: &str| run[key].as_array().unwrap().len();
    assert_eq!(["controllers", "rule_weights", "weights"].map(length), [8, 17, 17]);
    assert_eq!(["positions", "normals", "wrinkle"].map(length), [6, 6, 6]);
    assert_eq!(run["controllers"][7], 15.0);
    assert_eq!(run["positions"][0], serde_json::json!([0.25, 0.0, 0.0]));
}

#[test]
fn settings_are_in_range_units_or_normalized() {
    let gaze = |args: &[&str]| json(&[&["run", FACE, "--json"], args].concat())["controllers"][7].clone();
    assert_eq!(gaze(&[]), -30.0);
    assert_eq!(gaze(&["--set", "eyes_updown=15"]), 15.0);
    assert_eq!(gaze(&["--normalized", "--set", "EYES_UPDOWN=0.75"]), 15.0);
    assert_eq!(gaze(&["--normalized", "--controllers", "0,0,0,0,0,0,0,0.5"]), 0.0);
}

#[test]
fn the_gaze_the_deltas_and_the_ramp_can_be_chosen() {
    let run = |args: &[&str]| json(&[&["run", FACE, "--json", "--set", "smile=1"], args].concat());
    assert_ne!(run(&["--view-target", "-1,0,5"])["weights"][12], run(&[])["weights"][12]);
    assert_eq!(run(&["--delta", "half"])["followed"]["delta"], "half");
    assert_eq!(run(&["--ramp", "shortcut"])["followed"]["ramp"], "shortcut");
    assert_eq!(run(&["--sdk", "older"])["followed"]["sdk"], "older");
    let delayed = run(&["--before", "smile=0", "--elapsed", "0.033"]);
    assert!((delayed["delayed_weights"][0].as_f64().unwrap() - 0.2).abs() < 1e-6);
}

#[test]
fn wrong_arguments_say_what_is_wanted() {
    assert!(refusal(&["run", FACE, "--set", "grin=1"]).contains("no controller is named 'grin'"));
    assert!(refusal(&["run", FACE, "--controllers", "1,2"]).contains("want 8 values"));
    assert!(refusal(&["run", FACE, "--view-target", "1,2"]).contains("want X,Y,Z"));
    assert!(refusal(&["run", FACE, "--set", "smile"]).contains("want NAME=VALUE"));
}

#[test]
fn options_that_would_change_nothing_are_refused() {
    let model = FACE;
    for command in ["run", "trace"] {
        let idle = |arguments: &[&str]| refusal(&[&[command, model], arguments].concat());
        assert!(idle(&["--normalized"]).contains("--normalized: want values that it applies to"));
        let depth = idle(&["--count-check", "depth", "--sdk", "older"]);
        assert!(
            depth.contains("--count-check depth: want --sdk 2025, which checks counts, have --sdk older")
        );
    }
    assert!(refusal(&["run", model, "--delayed-lids", "current"]).contains("--before"));
    assert!(refusal(&["run", model, "--face-store", "cached"]).contains("--face"));
    // What every run does anyway may be said.
    text(&["run", model, "--sdk", "older", "--count-check", "controllers"]);
}

#[test]
fn check_refuses_what_only_other_formats_have() {
    for option in [
        &["--target", "dolphin"][..],
        &["--clear", "bytes"],
        &["--donor", "x.block"],
        &["--lod-of", "x.block"],
        &["--address", "0x80b00000"],
        &["--skn", "x.skn"],
    ] {
        let refused = refusal(&[&["check", FACE], option].concat());
        assert!(refused.contains(option[0]) && refused.contains("have an MDL"), "{refused}");
    }
}

#[test]
fn trace_shows_each_instruction_and_the_stack_after_it() {
    insta::assert_snapshot!(text(&["trace", FACE, "--controllers", "0.5,-0.5,0.3,0.8,0.25,0.5,0,15"]));
}

#[test]
fn trace_can_be_narrowed_to_rules_and_written_to_a_file() {
    let trace = json(&["trace", FACE, "--json", "--rule", "4", "--flexdesc", "D11"]);
    assert_eq!(trace["schema"], "skinsim.trace/1");
    let rules: Vec<u64> =
        trace["rules"].as_array().unwrap().iter().map(|rule| rule["rule"].as_u64().unwrap()).collect();
    assert_eq!(rules, [4, 11]);
    assert!(trace["rules"][1]["steps"][0]["refused"].as_str().unwrap().contains("needs 2 values"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.txt");
    assert_eq!(text(&["trace", FACE, "--rule", "0", "-o", path.to_str().unwrap()]), "");
    assert!(std::fs::read_to_string(path).unwrap().contains("rule 0 of flexdesc 0 'd0'"));
    assert!(refusal(&["trace", FACE, "--rule", "15"]).contains("want a rule below 15"));
    assert!(refusal(&["trace", FACE, "--flexdesc", "x"]).contains("no flexdesc named 'x'"));
    assert_eq!(text(&["trace", "mdl_no_flexes/table.mdl"]), "no flex rules\n");
}

#[test]
fn a_model_without_its_vertices_gives_weights_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("face.mdl");
    std::fs::write(&path, Face::default().mdl()).unwrap();
    let run = json(&["run", path.to_str().unwrap(), "--json", "--set", "smile=1"]);
    assert_eq!(run["weights"], serde_json::json!([1.0]));
    assert_eq!(run["positions"], serde_json::json!([]));
    assert!(run["notes"][0].as_str().unwrap().contains("no .vvd"));
}

#[test]
fn run_says_what_misses_beside_the_model_and_what_belongs_to_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("face.mdl");
    let write = |ending: &str, bytes: &[u8]| std::fs::write(path.with_extension(ending), bytes).unwrap();
    let notes = || {
        let run = json(&["run", path.to_str().unwrap(), "--json"]);
        let notes = run["notes"].as_array().unwrap().iter();
        notes.map(|note| note.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let has = |notes: &[String], text: &str| notes.iter().any(|note| note.contains(text));
    let face = Face { vvd_checksum: 8, ..Face::default() };
    write("mdl", &face.mdl());
    let bare = notes();
    assert!(has(&bare, "no .vvd beside the model and none named by --vvd: weights only"), "{bare:?}");
    assert!(has(&bare, "no .vtx beside the model: no triangles"), "{bare:?}");
    write("vvd", &face.vvd());
    write("dx90.vtx", &vtx(9));
    let strange = notes();
    for file in ["the .vvd's checksum 0x00000008", "the .vtx's checksum 0x00000009"] {
        assert!(has(&strange, &format!("{file} is not the model's 0x00000007")), "{strange:?}");
    }
    write("vvd", &Face::default().vvd());
    write("dx90.vtx", &vtx(7));
    assert_eq!(notes(), [""; 0], "a whole set has nothing to tell");
    write("dx90.vtx", b"");
    assert!(has(&notes(), "the .vtx cannot be read, so there are no triangles"));
    assert!(refusal(&["run", path.to_str().unwrap(), "--vvd", "none.vvd"]).contains("none.vvd: "));
}

#[test]
fn a_truncated_file_is_refused_with_its_name_and_offset() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("face.mdl");
    let bytes = Face::default().mdl();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let path = path.to_str().unwrap();
    for command in ["run", "info", "check"] {
        let message = refusal(&[command, path]);
        assert!(message.contains(path) && message.contains("offset 0x4c: want"), "{message}");
    }
}

#[test]
fn check_finds_the_vertices_beside_the_model() {
    insta::assert_snapshot!(text(&["check", "mdl_no_flexes/table.mdl"]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("face.mdl");
    let face = Face { vvd_checksum: 8, ..Face::default() };
    std::fs::write(&path, face.mdl()).unwrap();
    std::fs::write(path.with_extension("vvd"), face.vvd()).unwrap();
    let output = skinsim(&["check", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("error[vvd-checksum]"));
}

/// Writes a face and its vertices, and runs it.
fn run_of(face: &Face, change: impl Fn(&mut Vec<u8>)) -> (Option<i32>, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("face.mdl");
    let mut vvd = face.vvd();
    change(&mut vvd);
    std::fs::write(&path, face.mdl()).unwrap();
    std::fs::write(path.with_extension("vvd"), vvd).unwrap();
    let name = path.to_str().unwrap();
    let (people, tools) = (skinsim(&["run", name, "--set", "smile=1"]), skinsim(&["run", name, "--json"]));
    assert_eq!(people.status.code(), tools.status.code());
    let text = String::from_utf8(people.stdout).unwrap();
    (people.status.code(), text, serde_json::from_slice(&tools.stdout).unwrap())
}

#[test]
fn a_result_that_is_not_finite_is_told_with_its_place_and_exit_code_1() {
    let not_a_number = |vvd: &mut Vec<u8>| vvd[64 + 48 + 16..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let (code, text, json) = run_of(&Face::default(), not_a_number);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("vertex 1 is not finite: position [NaN"), "{text}");
    assert!(json["not_finite"].as_u64().unwrap() > 0 && json["positions"][1][0].is_null());
    let infinite = Face { rules: vec![(0, vec![(1, f32::INFINITY.to_bits())])], ..Face::default() };
    let (code, text, _) = run_of(&infinite, |_| ());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("the weight of flexdesc") && text.contains("is inf"), "{text}");
}

#[test]
fn deltas_that_wrap_and_the_errors_of_the_rules_are_told_by_run_and_are_no_failure() {
    let mut face = Face::default();
    face.meshes[0].flexes[0].anims[1] = crate::builder::Anim::of(1, [0.0, 9.0, -20.0]);
    let (code, text, json) = run_of(&face, |_| ());
    assert_eq!((code, json["not_finite"].as_u64()), (Some(0), Some(0)), "{text}");
    assert!(text.contains("the delta 9 of vertex 1 wraps to -7 at load; 2 in all"), "{text}");
    assert!(
        text.contains("rules: 2 errors, `skinsim check ") && text.contains("face.mdl` tells them"),
        "{text}"
    );
    assert_eq!(json["rule_errors"], 2);
}

#[test]
fn the_notes_of_many_instructions_that_did_nothing_are_capped() {
    let face = Face { rules: vec![(0, vec![(2, 99); 20_000])], ..Face::default() };
    let (code, text, json) = run_of(&face, |_| ());
    assert_eq!(code, Some(0));
    assert!(text.contains("19968 more instructions did nothing") && text.lines().count() < 100);
    assert!(json["notes"].as_array().unwrap().len() < 50);
}

#[test]
fn check_takes_other_vertices_and_an_error_in_them_names_their_file() {
    let face = Face::default();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let (model, other) = (write("f.mdl", &face.mdl()), write("other.vvd", &face.vvd()));
    assert!(text(&["check", &model]).contains("vvd-missing"));
    assert!(!text(&["check", &model, "--vvd", &other]).contains("vvd-missing"));
    write("f.vvd", b"IDSX");
    let refused = refusal(&["check", &model]);
    assert!(refused.contains("f.vvd: VVD identifier at offset 0x0"), "{refused}");
    let fixup = {
        let mut bytes = face.vvd();
        let end = bytes.len() as u32;
        bytes[48..52].copy_from_slice(&1u32.to_le_bytes());
        bytes[52..56].copy_from_slice(&end.to_le_bytes());
        bytes.extend([0, 90, 90].iter().flat_map(|word: &u32| word.to_le_bytes()));
        bytes
    };
    write("f.vvd", &fixup);
    let refused = refusal(&["check", &model]);
    assert!(refused.contains("f.vvd: VVD vertex run at offset"), "{refused}");
}

#[test]
fn a_wrong_count_or_offset_in_the_header_is_told_at_its_own_field() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("f.mdl").display().to_string();
    let refused = |field: usize, word: i32| {
        let mut bytes = Face::default().mdl();
        bytes[field..field + 4].copy_from_slice(&word.to_le_bytes());
        std::fs::write(&model, bytes).unwrap();
        refusal(&["check", &model])
    };
    for (field, word, want) in [
        (260, -1, "number of flexdescs at offset 0x104: want a count of 0 or more, have -1"),
        (260, 1 << 20, "number of flexdescs at offset 0x104: want 1048576 of 4 bytes at 0x"),
        (264, -4, "offset of the flexdescs at offset 0x108: want an offset inside the file, have -4"),
        (
            264,
            i32::MAX,
            "offset of the flexdescs at offset 0x108: want an offset inside the file, have 0x7fffffff",
        ),
        (156, -2, "number of bones at offset 0x9c"),
        (236, i32::MIN, "offset of the body parts at offset 0xec"),
    ] {
        let have = refused(field, word);
        assert!(have.contains(want), "{have}");
    }
}
