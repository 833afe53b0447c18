//! `skinsim report` as a command.

use assert_cmd::Command;
use predicates::prelude::*;

fn skinsim() -> Command {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

#[test]
fn a_page_is_written_and_the_exit_code_tells_of_errors() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("fox.html");
    let written = predicate::str::contains("wrote ").and(predicate::str::contains("fox.html"));
    skinsim().args(["report", "examples/fox.block", "-o"]).arg(&out).assert().code(0).stdout(written);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("<!doctype html>"));
    skinsim().args(["report", "examples/broken/one-vertex.block", "-o"]).arg(&out).assert().code(1);
}

#[test]
fn two_models_share_a_page() {
    let output = skinsim()
        .args(["report", "examples/fox.block", "examples/broken/shared-line.block", "-o", "-"])
        .assert()
        .code(1)
        .get_output()
        .stdout
        .clone();
    let html = String::from_utf8(output).unwrap();
    assert!(html.contains("<title>examples/fox.block and examples/broken/shared-line.block"));
}

#[test]
fn what_is_no_model_gets_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("cut.block"), folder.path().join("page.html"));
    let fox = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap();
    std::fs::write(&file, &fox[..0x3000]).unwrap();
    let reason = predicate::str::contains("cut.block").and(predicate::str::contains("SKN section"));
    skinsim().arg("report").arg(&file).arg("-o").arg(&out).assert().code(2).stderr(reason);
    assert!(!out.exists());
    skinsim().args(["report", "Cargo.toml", "-o"]).arg(&out).assert().code(2);
}

#[test]
fn an_animation_gives_a_frame_a_tick() {
    let output = skinsim()
        .args(["report", "examples/fox.block", "--anim", "examples/fox.anm:0", "--frames", "5", "-o", "-"])
        .assert()
        .code(0)
        .get_output()
        .stdout
        .clone();
    let html = String::from_utf8(output).unwrap();
    assert!(html.contains(", frame 4\"") && !html.contains(", frame 5\""));
}

#[test]
fn an_animation_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    skinsim()
        .args(["report", "examples/fox.block", "--anim", "examples/none.anm", "-o"])
        .arg(folder.path().join("page.html"))
        .assert()
        .code(2)
        .stderr(predicate::str::contains("none.anm"));
}

#[test]
fn a_pose_that_fits_no_model_is_refused_and_so_is_the_model_as_output() {
    let folder = tempfile::tempdir().unwrap();
    let (out, fox) = (folder.path().join("page.html"), folder.path().join("fox.block"));
    let flver = "tests/cases/flver-synthetic/synth_20014.flver";
    let refused = |arguments: &[&str]| {
        skinsim().arg("report").args(arguments).arg("-o").arg(&out).assert().code(2).stdout("");
        assert!(!out.exists());
    };
    refused(&[flver, "--anim", "examples/fox.anm"]);
    refused(&[flver, "--frames", "5"]);
    refused(&[flver, "--matrices", "pose.json"]);
    refused(&["examples/fox.block", "--pose", "pose.json"]);

    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block"), &fox).unwrap();
    let before = std::fs::read(&fox).unwrap();
    for command in [&["report"][..], &["export", "--format", "glb"]] {
        let said = predicate::str::contains("have the model itself");
        skinsim().args(command).arg(&fox).arg("-o").arg(&fox).assert().code(2).stderr(said);
        assert_eq!(std::fs::read(&fox).unwrap(), before);
    }
}
