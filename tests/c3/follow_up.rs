//! Commands that are printed to go on with run as they are printed.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use skinsim::c3::format::block::SectionKind;
use skinsim::c3::model::Model;

use super::rules::broken_fox;

fn skinsim(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// Types a command as a shell would; it must be able to do its work.
fn runs(folder: &Path, line: &str) {
    let words = shlex::split(line).unwrap_or_else(|| panic!("no shell takes {line}"));
    assert_eq!(words[0], "skinsim", "{line}");
    let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let output = skinsim(folder, &arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {stderr}");
}

const LINE: &str = "Invalid read from 0xe0040000, PC = 0x80523ec4";

/// The commands behind a message, all of which run; and those of a message that the model does not explain.
fn next(folder: &Path, model: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for line in [LINE, "Invalid read from 0x00000030, PC = 0x80523ec4"] {
        let output = skinsim(folder, &[&["explain", "--json", line], model].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        for command in report["messages"][0]["next"].as_array().unwrap() {
            all.push(command.as_str().unwrap().to_owned());
        }
    }
    for command in &all {
        runs(folder, command);
    }
    // The same in the text, a line each.
    let output = skinsim(folder, &[&["explain", LINE], model].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(" skinsim ")).collect();
    assert!(!lines.is_empty(), "{text}");
    for line in lines {
        runs(folder, line.trim_start().trim_start_matches("next").trim_start());
    }
    // And the one that `run` names.
    let output = skinsim(folder, &[&["run"], model].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let check =
        text.split('`').find(|part| part.starts_with("skinsim check")).unwrap_or_else(|| panic!("{text}"));
    runs(folder, check);
    all.push(check.to_owned());
    all
}

#[test]
fn of_blocks_whatever_their_names_are() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "a.block",
        "a b.block",
        "it's \"$HOME\".block",
        "-dash.block",
        "caf\u{e9} #1 (copy)!.block",
        "~a;b&c.block",
    ] {
        std::fs::write(folder.path().join(name), broken_fox()).unwrap();
        let given = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
        let next = next(folder.path(), &[&given]);
        assert!(next.iter().any(|command| command.contains("repair")), "{next:?}");
    }
}

#[test]
fn of_loose_files_that_lie_apart_and_at_addresses() {
    let block = broken_fox();
    let block = Model::from_block(&block).unwrap().block.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (kind, name) in
        [(SectionKind::Gpl, "the shape.gpl"), (SectionKind::Skn, "skin.skn"), (SectionKind::Act, "bones.act")]
    {
        std::fs::write(folder.path().join(name), block.section(kind).unwrap().view.bytes()).unwrap();
    }
    let apart = ["the shape.gpl", "--skn", "skin.skn", "--act=bones.act"];
    next(folder.path(), &apart);
    next(folder.path(), &["skin.skn", "--gpl", "the shape.gpl"]);
    let moved = ["--gpl-address", "0x80b00000", "--skn-address", "0x80c00000", "--console", "gamecube"];
    let next = next(folder.path(), &[&apart[..], &moved].concat());
    assert!(next.iter().any(|command| command.contains("--skn-address 0x80c00000")), "{next:?}");
    assert!(next.iter().all(|command| command.contains("--act bones.act")), "{next:?}");
    assert!(next.iter().any(|command| command.contains("--target dolphin")), "{next:?}");
}

#[test]
fn the_cause_of_a_loose_model_names_its_file_and_its_address() {
    let block = broken_fox();
    let block = Model::from_block(&block).unwrap().block.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (kind, name) in [(SectionKind::Gpl, "hero.gpl"), (SectionKind::Skn, "hero.skn")] {
        std::fs::write(folder.path().join(name), block.section(kind).unwrap().view.bytes()).unwrap();
    }
    let json = |model: &[&str]| -> Value {
        let output = skinsim(folder.path(), &[&["explain", "--json", LINE], model].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let place = |report: &Value| report["messages"][0]["causes"][0]["place"].clone();
    let told = place(&json(&["hero.gpl", "--skn-address", "0x80c00000"]));
    assert_eq!((&told["file"], &told["address"]), (&"hero.skn".into(), &"0x80c000a4".into()), "{told}");
    assert_eq!(place(&json(&["hero.skn", "--gpl", "hero.gpl"]))["file"], Value::Null, "the model's own");
    let text = skinsim(folder.path(), &["explain", LINE, "hero.gpl"]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("count-wraps SK1[2] at 0xa4 of hero.skn"), "{text}");
}

#[test]
fn options_of_loose_files_are_refused_beside_a_block() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.block"), broken_fox()).unwrap();
    let output = skinsim(folder.path(), &["explain", LINE, "a.block", "--skn-address", "0x80c00000"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("--skn-address") && stderr.lines().count() == 1, "{stderr}");
}
