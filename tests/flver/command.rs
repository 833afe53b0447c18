//! The command line on a FLVER.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

use super::builder::Model;

struct Run {
    code: i32,
    out: String,
    err: String,
}

/// Runs skinsim in a folder, so that outputs name files without a path.
fn skinsim(folder: &Path, arguments: &[&str]) -> Run {
    let output = Command::cargo_bin("skinsim").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/flver-synthetic")
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

#[test]
fn info_tells_nodes_meshes_and_layouts() {
    let run = skinsim(&golden(), &["info", "synth_2001a.flver"]);
    assert_eq!(run.code, 0, "{}", run.err);
    insta::assert_snapshot!(run.out);
}

#[test]
fn run_tells_what_moved_each_mesh() {
    let run = skinsim(&golden(), &["run", "synth_2001a.flver"]);
    assert_eq!(run.code, 0, "{}", run.err);
    insta::assert_snapshot!(run.out);
}

#[test]
fn check_tells_findings_with_what_shipped_files_do() {
    let run = skinsim(&golden(), &["check", "synth_20014.flver"]);
    assert_eq!(run.code, 0, "{}", run.err);
    insta::assert_snapshot!(run.out);
}

#[test]
fn json_has_the_keys_that_other_tools_compare() {
    let run = skinsim(&golden(), &["run", "synth_2001a.flver", "--json"]);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["schema"], "skinsim.flver/1");
    assert_eq!(json["nodes"][2]["name"], "arm");
    assert_eq!(json["nodes"][0]["world"][3][0], 0.5);
    for key in ["positions", "normals", "weights", "bone_indices"] {
        assert_eq!(json["meshes"][0][key].as_array().unwrap().len(), 4, "{key}");
    }
    for key in ["position", "forward", "upward"] {
        assert_eq!(json["dummies"][0][key].as_array().unwrap().len(), 3, "{key}");
    }
    assert_eq!(json["bounds"]["stored"]["max"][0], 2.0);
    assert!(json["bounds"]["posed"]["max"][0].as_f64().unwrap() > 2.28);
}

#[test]
fn a_pose_and_a_previous_pose_move_the_model() {
    let pose = br#"{"nodes": {"Arm": {"world": [[2,0,0,0],[0,2,0,0],[0,0,2,0],[1,11,0,1]]}}}"#;
    let folder = folder(&[("m.flver", &Model::sound().write()), ("pose.json", pose)]);
    let arguments = ["run", "m.flver", "--pose", "pose.json", "--previous-pose", "rest", "--json"];
    let run = skinsim(folder.path(), &arguments);
    assert_eq!(run.code, 0, "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["meshes"][1]["positions"][1], serde_json::json!([3.0, 11.0, 0.0]));
    assert_eq!(json["meshes"][1]["previous_positions"][1], serde_json::json!([3.0, 1.0, 0.0]));
    assert_eq!(json["choices"]["posed"], true);
}

#[test]
fn switches_are_echoed_in_the_choices() {
    let arguments = [
        "run",
        "synth_2001a.flver",
        "--json",
        "--no-inherit-scale",
        "--rigid",
        "node-index",
        "--rigid-palette",
        "palette",
        "--stream-order",
        "previous-first",
        "--dummy-follow",
        "parent",
        "--short-weights",
        "flipped",
    ];
    let json: Value = serde_json::from_str(&skinsim(&golden(), &arguments).out).unwrap();
    let choices = ["own-only", "node-index", "palette", "previous-first", "parent", "flipped"];
    let keys = ["scale", "rigid", "rigid_palette", "stream_order", "dummy_follow", "short_weights"];
    for (key, choice) in keys.iter().zip(choices) {
        assert_eq!(json["choices"][key], choice, "{key}");
    }
}

#[test]
fn what_cannot_be_done_is_one_line_naming_the_file_and_exit_code_2() {
    let sound = Model::sound().write();
    let files: [(&str, &[u8]); 5] = [
        ("m.flver", &sound),
        ("short.flver", &sound[..300]),
        ("packed.flver.dcx", b"DCX\0\0\x01\0\0"),
        ("bad.json", br#"{"nodes": {"Tail": {"local": []}}}"#),
        ("tail.json", br#"{"nodes": {"Tail": {"local": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}}}"#),
    ];
    let folder = folder(&files);
    let cases: [(&[&str], &str); 6] = [
        (&["run", "short.flver"], "skinsim: short.flver: material 0 name at offset 0x"),
        (&["check", "packed.flver.dcx"], "decompress it first"),
        (&["run", "m.flver", "--pose", "none.json"], "skinsim: none.json:"),
        (&["run", "m.flver", "--pose", "bad.json"], "skinsim: bad.json:"),
        (&["run", "m.flver", "--pose", "tail.json"], "skinsim: tail.json: node 'Tail'"),
        (
            &["run", "m.flver", "--matrices", "bad.json"],
            "m.flver: --matrices: want a GameCube or Wii model or an MDL, have a FLVER",
        ),
    ];
    for (arguments, want) in cases {
        let run = skinsim(folder.path(), arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        assert!(run.err.contains(want) && run.err.lines().count() == 1, "{arguments:?}: {}", run.err);
    }
}

#[test]
fn positions_that_are_not_numbers_are_exit_code_1() {
    let mut model = Model::sound();
    model.buffers[0].bytes[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let folder = folder(&[("m.flver", &model.write())]);
    let run = skinsim(folder.path(), &["run", "m.flver", "--json"]);
    assert_eq!(run.code, 1);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["findings"][0]["code"], "flver-not-finite");
    assert!(json["meshes"][0]["positions"][0][0].is_null(), "JSON has no infinity");
    assert_eq!(skinsim(folder.path(), &["check", "m.flver"]).code, 1);
}

#[test]
fn an_error_that_check_finds_is_exit_code_1_of_run_with_the_same_verdict() {
    let mut model = Model::sound();
    model.face_sets[0].indices[0] = 9;
    let folder = folder(&[("m.flver", &model.write())]);
    let [check, run] = ["check", "run"].map(|command| skinsim(folder.path(), &[command, "m.flver"]));
    assert_eq!((check.code, run.code), (1, 1));
    assert!(run.out.ends_with(&check.out) && check.out.contains("flver-face-index"), "{}", run.out);
    let json = skinsim(folder.path(), &["run", "m.flver", "--json"]);
    let value: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((json.code, value["findings"][0]["code"].as_str()), (1, Some("flver-face-index")));
}

#[test]
fn an_export_of_positions_that_are_not_numbers_is_told_and_exit_code_1() {
    let mut model = Model::sound();
    model.buffers[1].bytes[16..20].copy_from_slice(&f32::NAN.to_le_bytes());
    let folder = folder(&[("m.flver", &model.write())]);
    for output in ["m.obj", "m.glb"] {
        let run = skinsim(folder.path(), &["export", "m.flver", "-o", output]);
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.out.contains("vertex 4 (mesh 1 'Skin') is not finite, 1 in all"), "{}", run.out);
    }
}

#[test]
fn commands_for_gamecube_models_say_that_they_mean_nothing_for_a_flver() {
    let folder = folder(&[("m.flver", &Model::sound().write())]);
    for arguments in [&["repair", "m.flver", "-o", "o.flver"][..], &["pose", "m.flver"]] {
        let run = skinsim(folder.path(), arguments);
        assert_eq!(run.code, 2);
        let want = "want a GameCube or Wii model (a block, .gpl or .skn), have a FLVER, for which this has no meaning";
        assert!(run.err.contains(want), "{}", run.err);
    }
}

#[test]
fn a_pose_that_is_a_list_is_refused_in_the_file_s_terms() {
    let folder = folder(&[("m.flver", &Model::sound().write())]);
    for (pose, want) in [
        ("[]", "expected an object with a key `nodes` or `bones`"),
        ("[{}, null]", "expected an object with a key `nodes` or `bones`"),
        (r#"{"nodes": {"Arm": [null, null]}}"#, "expected an object with a key `local` or `world`"),
        (r#"{"nodes": {"Arm": 3}}"#, "expected an object with a key `local` or `world`"),
    ] {
        std::fs::write(folder.path().join("p.json"), pose).unwrap();
        let run = skinsim(folder.path(), &["run", "m.flver", "--pose", "p.json"]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains(want) && !run.err.contains("struct"), "{pose}: {}", run.err);
    }
}
