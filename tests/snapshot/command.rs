//! `skinsim snapshot` from the outside.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use predicates::prelude::*;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Two models of the same name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(&folder, "examples/fox.block", "m/a/fox.block");
    put(&folder, "examples/broken/shared-line.block", "m/b/fox.block");
    folder
}

fn put(folder: &tempfile::TempDir, from: &str, to: &str) {
    let to = folder.path().join(to);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(root().join(from), to).unwrap();
}

fn snapshot(folder: &tempfile::TempDir, arguments: &[&str]) -> Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.arg("snapshot").args(arguments).args(["--dir", "golden"]).current_dir(folder.path()).assert()
}

#[test]
fn what_was_taken_verifies_and_is_readable() {
    let folder = folder();
    snapshot(&folder, &["take", "m"]).success().stdout(
        "new        m/a/fox.block   golden/m/a/fox.block.snap\n\
         new        m/b/fox.block   golden/m/b/fox.block.snap\n2 new\n",
    );
    snapshot(&folder, &["verify", "m", "--jobs", "1"])
        .success()
        .stdout(predicate::str::ends_with("2 same\n"));
    let text = fs::read_to_string(folder.path().join("golden/m/a/fox.block.snap")).unwrap();
    assert!(text.starts_with("skinsim snapshot 1\nkind       character-pipeline\nmodel      blake3 "));
    assert!(!text.contains("[vertices]"));
}

#[test]
fn what_moved_is_told_with_entries_vertices_and_the_farthest() {
    let folder = folder();
    snapshot(&folder, &["take", "m/a/fox.block", "--full"]).success();
    put(&folder, "examples/broken/shared-line.block", "m/a/fox.block");
    snapshot(&folder, &["verify", "m/a/fox.block"])
        .code(1)
        .stdout(predicate::str::contains("differs    m/a/fox.block"))
        .stdout(predicate::str::contains("vertices moved, the farthest by"))
        .stdout(predicate::str::contains("new finding: error line-shared (1)"));
    snapshot(&folder, &["verify", "m/a/fox.block", "--json"])
        .code(1)
        .stdout(predicate::str::contains(r#""schema": "skinsim.snapshot/1""#));
    snapshot(&folder, &["verify", "m/a/fox.block", "--bless"]).success();
    snapshot(&folder, &["verify", "m/a/fox.block"]).success();
    let text = fs::read_to_string(folder.path().join("golden/m/a/fox.block.snap")).unwrap();
    assert!(text.contains("[vertices]"), "a blessed snapshot keeps its form");
}

#[test]
fn another_pose_is_a_difference_that_names_the_pose() {
    let folder = folder();
    snapshot(&folder, &["take", "m/a/fox.block"]).success();
    let anim = root().join("examples/fox.anm:2@5").display().to_string();
    snapshot(&folder, &["verify", "m/a/fox.block", "--anim", &anim])
        .code(1)
        .stdout(predicate::str::contains("pose       rest \u{2192} fox:2@5"));
}

#[test]
fn missing_stale_and_unreadable_snapshots_are_told_apart() {
    let folder = folder();
    snapshot(&folder, &["take", "m"]).success();
    put(&folder, "examples/fox.block", "m/c/new.block");
    fs::remove_file(folder.path().join("m/b/fox.block")).unwrap();
    let file = folder.path().join("golden/m/a/fox.block.snap");
    fs::write(&file, "not one").unwrap();
    snapshot(&folder, &["verify", "m/a", "--bless"])
        .code(2)
        .stderr("skinsim: golden/m/a/fox.block.snap: line 1: want skinsim snapshot 1, have \"not one\"\n");
    assert_eq!(fs::read(&file).unwrap(), b"not one", "what is no snapshot is not written over");
    fs::write(&file, "skinsim snapshot 1\nlonely\n").unwrap();
    snapshot(&folder, &["verify", "m"]).code(1).stdout(
        "unreadable m/a/fox.block   golden/m/a/fox.block.snap\n  \
         line 2: want a key and a value, have \"lonely\"\n\
         missing    m/c/new.block   golden/m/c/new.block.snap\n  \
         want a snapshot, have none: `skinsim snapshot take`, or --bless\n\
         stale      golden/m/b/fox.block.snap\n1 missing, 1 unreadable, 1 stale\n",
    );
    snapshot(&folder, &["verify", "m/a"]).code(1).stdout(predicate::str::contains("stale").not());
    snapshot(&folder, &["verify", "m", "--bless"])
        .success()
        .stdout(predicate::str::ends_with("1 new, 1 updated, 1 removed\n"));
    snapshot(&folder, &["verify", "m"]).success();
    assert!(!folder.path().join("golden/m/b/fox.block.snap").exists());
}

#[test]
fn a_model_that_cannot_be_read_is_status_2_and_the_others_are_done() {
    let folder = folder();
    fs::write(folder.path().join("m/cut.block"), [0; 8]).unwrap();
    snapshot(&folder, &["take", "m"])
        .code(2)
        .stdout(predicate::str::ends_with("2 new\n"))
        .stderr(predicate::str::contains("cut.block: "));
    snapshot(&folder, &["take", "-"]).code(2).stderr(predicate::str::contains("want a file"));
}

#[test]
fn faces_and_flvers_have_snapshots_too() {
    let folder = folder();
    put(&folder, "tests/cases/flver-synthetic/synth_2001a.flver", "x/a.flver");
    put(&folder, "tests/cases/mdl_synth_flex/synth_flex.mdl", "x/f.mdl");
    put(&folder, "tests/cases/mdl_synth_flex/synth_flex.vvd", "x/f.vvd");
    snapshot(&folder, &["take", "x"]).success();
    snapshot(&folder, &["verify", "x"]).success().stdout(predicate::str::ends_with("2 same\n"));
}

/// Names of files that would break a line, hide, or turn the direction of writing.
#[cfg(unix)]
#[test]
fn names_that_break_lines_stay_on_theirs() {
    for name in ["a\nerror: b", " lead", "esc\u{1b}[31m", "cr\rx", "turn\u{202e}"] {
        let folder = folder();
        put(&folder, "examples/fox.block", &format!("n/{name}.block"));
        let lines = |assert: Assert| {
            let output = assert.get_output();
            let text = [&output.stdout[..], &output.stderr[..]].concat();
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains(['\r', '\u{1b}', '\u{202e}']), "{text:?}");
            text.lines().count()
        };
        assert_eq!(lines(snapshot(&folder, &["take", "n"]).success()), 2, "{name:?}");
        assert_eq!(lines(snapshot(&folder, &["verify", "n"]).success()), 2, "{name:?}");
        fs::write(folder.path().join(format!("n/{name}.block")), [0; 40]).unwrap();
        assert_eq!(lines(snapshot(&folder, &["verify", "n"]).code(2)), 2, "{name:?}");
    }
}

#[test]
fn every_kind_of_line_that_was_edited_is_told() {
    let folder = folder();
    put(&folder, "tests/cases/flver-synthetic/synth_2001a.flver", "m/a/a.flver");
    for model in ["m/a/fox.block", "m/a/a.flver", "m/b/fox.block"] {
        snapshot(&folder, &["take", model, "--full"]).success();
        let file = folder.path().join("golden").join(format!("{model}.snap"));
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let part = |title: &str| lines.iter().position(|line| *line == title);
        // One line of each kind: of the header, a group and its facts, a finding, a vertex, a heading.
        let groups = part("[groups]").unwrap();
        let mut kinds: Vec<usize> = (1..groups).filter(|at| !lines[*at].is_empty()).collect();
        kinds.extend([groups, groups + 1, groups + 2, groups + 3, groups + 4]);
        kinds.extend(part("[findings]").map(|at| at + 1));
        kinds.extend(part("[vertices]").map(|at| at + 1));
        for at in kinds {
            let changed: String = lines[at].chars().rev().collect();
            for (edit, new) in [
                ("changed", vec![changed.as_str()]),
                ("removed", vec![]),
                ("twice", vec![lines[at], lines[at]]),
                ("added", vec![lines[at], "something else"]),
            ] {
                let edited = [&lines[..at], &new, &lines[at + 1..]].concat().join("\n") + "\n";
                if edited == text {
                    continue;
                }
                fs::write(&file, &edited).unwrap();
                let assert = snapshot(&folder, &["verify", model]).code(1);
                let told = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
                assert!(told.lines().count() >= 3, "{edit} {:?}: {told}", lines[at]);
            }
        }
        // Other ends of lines are what a version control system makes of them.
        fs::write(&file, text.replace('\n', "\r\n")).unwrap();
        snapshot(&folder, &["verify", model]).success();
        fs::write(&file, "skinsim snapshot 1\n").unwrap();
        snapshot(&folder, &["verify", model, "--bless"])
            .success()
            .stdout(predicate::str::contains("updated"));
        snapshot(&folder, &["verify", model]).success();
    }
}
