//! `skinsim export` from the outside.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;

fn skinsim(arguments: &[&str], folder: &Path) -> assert_cmd::assert::Assert {
    Command::cargo_bin("skinsim").unwrap().args(arguments).current_dir(folder).assert()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in
        [("examples/fox.block", "a/fox.block"), ("examples/broken/one-vertex.block", "b/fox.block")]
    {
        let to = folder.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root().join(from), to).unwrap();
    }
    folder
}

#[test]
fn the_ending_says_what_is_written() {
    let folder = folder();
    skinsim(&["export", "a/fox.block", "-o", "fox.glb"], folder.path())
        .success()
        .stdout("fox.glb   1518 vertices, 576 triangles, pose rest, 1 frame\n");
    skinsim(&["export", "a/fox.block", "-o", "fox.obj"], folder.path()).success();
    assert!(fs::read(folder.path().join("fox.glb")).unwrap().starts_with(b"glTF"));
    let obj = fs::read_to_string(folder.path().join("fox.obj")).unwrap();
    assert_eq!(obj.lines().filter(|line| line.starts_with("v ")).count(), 1518);
    assert_eq!(obj.lines().filter(|line| line.starts_with("f ")).count(), 576);
    skinsim(&["export", "a/fox.block", "-o", "fox.gltf"], folder.path())
        .code(2)
        .stderr("skinsim: fox.gltf: want .glb, which is one file, or .obj; have .gltf\n");
    skinsim(&["export", "a/fox.block", "--rigged", "-o", "fox.obj"], folder.path())
        .code(2)
        .stderr(predicate::str::contains("an .obj has no skeleton"));
}

#[test]
fn a_folder_gives_a_file_a_model_and_a_fault_the_exit_status() {
    let folder = folder();
    skinsim(&["export", ".", "--dir", "out", "--format", "obj"], folder.path())
        .code(1)
        .stdout(predicate::str::contains("out/b/fox.block.obj").and(predicate::str::contains("1 fault")));
    assert!(folder.path().join("out/a/fox.block.obj").is_file());
    let two = ["export", "a/fox.block", "b/fox.block", "-o", "x.glb"];
    skinsim(&two, folder.path()).code(2).stderr(predicate::str::contains("--dir DIR takes many"));
    assert!(!folder.path().join("x.glb").exists());
}

#[test]
fn a_model_that_cannot_be_read_does_not_keep_the_others_back() {
    let folder = folder();
    let cut = &fs::read(root().join("examples/fox.block")).unwrap()[..0x100];
    fs::write(folder.path().join("cut.block"), cut).unwrap();
    skinsim(&["export", ".", "--dir", "out", "--json"], folder.path())
        .code(2)
        .stdout(predicate::str::contains("skinsim.export/1").and(predicate::str::contains("a/fox.block.glb")))
        .stderr(predicate::str::contains("cut.block: "));
    assert!(folder.path().join("out/a/fox.block.glb").is_file());
}

#[test]
fn what_is_exported_with_its_skeleton_can_be_built_again() {
    let folder = folder();
    let anim = root().join("examples/fox.anm:2").display().to_string();
    skinsim(&["export", "a/fox.block", "--rigged", "--anim", &anim, "-o", "rig.glb"], folder.path())
        .success()
        .stdout(predicate::str::contains("24 bones, an animation of"));
    skinsim(&["build", "rig.glb", "-o", "again.block"], folder.path()).success();
    skinsim(&["check", "again.block"], folder.path()).success();
    assert!(folder.path().join("again.anm").is_file());
}

#[test]
fn options_of_another_kind_of_model_are_refused() {
    let face = root().join("tests/cases/mdl_synth_flex/synth_flex.mdl").display().to_string();
    let folder = folder();
    skinsim(&["export", &face, "--frames", "2", "-o", "x.glb"], folder.path())
        .code(2)
        .stderr(predicate::str::contains("--frames"));
    skinsim(&["export", &face, "-o", "x.glb"], folder.path())
        .success()
        .stdout(predicate::str::contains("no triangles: want the .vtx beside the model"));
}
