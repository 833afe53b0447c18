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
        .stderr(predicate::str::contains("--frames: want a GameCube or Wii model, have an MDL"));
    skinsim(&["export", &face, "-o", "x.glb"], folder.path())
        .success()
        .stdout(predicate::str::contains("no triangles: want the .vtx beside the model"));
}

#[test]
fn options_that_a_model_before_any_frame_does_not_take_are_refused() {
    let folder = folder();
    let refused = |options: &[&str], text: &str| {
        skinsim(&[&["export", "a/fox.block", "--rigged", "-o", "x.glb"], options].concat(), folder.path())
            .code(2)
            .stderr(predicate::str::starts_with(format!("skinsim: {text}")));
    };
    for option in
        ["--matrices=x", "--target=console", "--face=1=1", "--address=0", "--normalized", "--no-skeleton"]
    {
        let name = option.split('=').next().unwrap();
        refused(&[option], &format!("{name}: with --rigged no frame runs"));
    }
    refused(&["--frames=3"], "--frames: with --rigged it counts frames of --anim, have no --anim");
    for option in ["--time=1", "--speed=1", "--fps=60"] {
        skinsim(&["export", "a/fox.block", option, "-o", "x.glb"], folder.path())
            .code(2)
            .stderr(predicate::str::contains("--anim"));
    }
    skinsim(&["export", "a/fox.block", "--previous-pose=rest", "-o", "x.glb"], folder.path())
        .code(2)
        .stderr(predicate::str::contains("--previous-pose: a mesh does not hold what it chooses"));
    assert!(!folder.path().join("x.glb").exists());
}

#[test]
fn an_option_that_one_model_of_many_takes_is_for_that_one() {
    let folder = folder();
    let flver = folder.path().join("a/x.flver");
    fs::copy(root().join("tests/cases/flver-synthetic/synth_2001a.flver"), flver).unwrap();
    skinsim(&["export", "a", "--target", "console", "--dir", "out"], folder.path()).success();
    skinsim(&["export", "a", "b", "--set", "smile=1", "--dir", "out2"], folder.path())
        .code(2)
        .stderr("skinsim: --set: want an MDL, have none among 3 models\n");
    assert!(!folder.path().join("out2").exists());
}

#[test]
fn no_frame_is_the_model_as_it_is_loaded() {
    let folder = folder();
    skinsim(&["export", "a/fox.block", "--frames", "0", "-o", "fox.glb"], folder.path())
        .success()
        .stdout("fox.glb   1518 vertices, 576 triangles, pose rest, 0 frames\n");
}

#[test]
fn a_model_that_is_named_twice_does_not_race_with_itself() {
    let folder = folder();
    skinsim(&["export", "a/fox.block", "a", "--dir", "out"], folder.path()).code(2).stderr(
        predicate::str::contains(
            "fox.block.glb: want a model for the file, have two: a/fox.block and a/fox.block",
        ),
    );
    assert!(!folder.path().join("out").exists());
}

#[test]
fn every_number_of_jobs_gives_the_same_bytes() {
    let folder = folder();
    let cases = root().join("examples").display().to_string();
    let root = format!("--root={}", root().display());
    let all = ["1", "8"].map(|jobs| {
        let out = format!("out{jobs}");
        let arguments = ["export", &cases, "--dir", &out, &root, "--jobs", jobs];
        let assert = skinsim(&arguments, folder.path()).code(1).stderr("");
        let mut files = Vec::new();
        read_all(&folder.path().join(&out), &mut files);
        let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        (text.replace(&out, "out"), files)
    });
    assert!(all[0].1.len() >= 5);
    assert!(all[0] == all[1], "another order or other bytes");
}

fn read_all(folder: &Path, into: &mut Vec<Vec<u8>>) {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() { read_all(&path, into) } else { into.push(fs::read(path).unwrap()) }
    }
}

/// Ctrl-C once: the models at work are finished. Twice: the program ends at once. Whatever was written is whole,
/// and nothing else is there.
#[cfg(unix)]
#[test]
fn an_interruption_leaves_whole_files_and_no_parts() {
    for times in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..400 {
            fs::copy(root().join("examples/fox.block"), folder.path().join(format!("{number}.block")))
                .unwrap();
        }
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("skinsim"))
            .args(["export", ".", "--dir", "out", "--jobs", "2"])
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let out = folder.path().join("out");
        while files(&out).is_empty() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        for _ in 0..times {
            let _ =
                std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        match (output.status.code(), times) {
            (Some(2), _) => assert!(text.starts_with("skinsim: interrupted: "), "{text}"),
            // Ended at once, or all models were done before the signal came.
            (Some(130), 2) | (Some(0), _) => {}
            (code, _) => panic!("{code:?}: {text}"),
        }
        for (name, bytes) in files(&out) {
            assert!(name.ends_with(".block.glb"), "{name} was left");
            let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
            assert_eq!(length as usize, bytes.len(), "{name} is not whole");
        }
    }
}

#[cfg(unix)]
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.filter_map(Result::ok);
    entries
        .filter_map(|entry| {
            // A part may be moved to its place in between.
            let bytes = fs::read(entry.path()).ok()?;
            Some((entry.file_name().to_string_lossy().into_owned(), bytes))
        })
        .collect()
}
