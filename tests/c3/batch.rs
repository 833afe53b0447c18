//! `check` of many files of which some cannot be read: the others are told, and the exit status says so.

use assert_cmd::Command;
use serde_json::Value;

use super::rules::{broken_fox, fox_bytes};

/// A sound and a broken model, and three that are none.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a sound.block", &fox_bytes());
    write("garbage.bin", b"nothing that anyone knows, and long enough for a header");
    write("short.block", &[0; 12]);
    write("z broken.block", &broken_fox());
    folder
}

const ALL: [&str; 5] = ["garbage.bin", "a sound.block", "short.block", "missing.block", "z broken.block"];

fn check(arguments: &[&str]) -> (String, String, Option<i32>) {
    let folder = folder();
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let output = command.current_dir(folder.path()).arg("check").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// Every file that cannot be read has a line of its own.
fn told(errors: &str) {
    assert!(errors.contains("garbage.bin: want a model block, .gpl, .skn, .flver or .mdl"), "{errors}");
    assert!(errors.contains("short.block: "), "{errors}");
    assert!(errors.contains("missing.block: "), "{errors}");
    assert_eq!(errors.lines().count(), 3, "{errors}");
}

#[test]
fn what_cannot_be_read_keeps_no_other_model_from_being_checked() {
    let (text, errors, code) = check(&ALL);
    assert_eq!(code, Some(2), "{errors}");
    assert!(text.contains("suspicious  a sound.block") && text.contains("broken  z broken.block"), "{text}");
    told(&errors);
}

#[test]
fn every_form_is_whole_all_the_same() {
    let (text, errors, code) = check(&[&["--format", "json"], &ALL[..]].concat());
    assert_eq!(code, Some(2));
    told(&errors);
    let report: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<_> = report["models"].as_array().unwrap().iter().map(|model| &model["model"]).collect();
    assert_eq!(names, ["a sound.block", "z broken.block"]);
    let (text, ..) = check(&[&["--format", "sarif"], &ALL[..]].concat());
    let sarif: Value = serde_json::from_str(&text).unwrap();
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty());
    let (text, ..) = check(&[&["--format", "github"], &ALL[..]].concat());
    assert!(text.contains("::error file=z broken.block,title=count-wraps::"), "{text}");
}

#[test]
fn without_an_unreadable_file_the_findings_decide() {
    assert_eq!(check(&["a sound.block"]).2, Some(0));
    assert_eq!(check(&["a sound.block", "z broken.block"]).2, Some(1));
    assert_eq!(check(&["garbage.bin"]).2, Some(2));
}
