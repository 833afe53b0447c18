//! Logs of a game that went on after its first message: every later message is explained too.

use assert_cmd::Command;
use serde_json::Value;

use super::explain::explain;
use super::rules::{fox_with, sk1, sk2, skacc};

/// A path in a folder that lives as long as the file is needed.
pub fn file(bytes: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.block");
    std::fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// The different messages of a run that goes on after faults, in order.
fn log(path: &str) -> Vec<String> {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let output = command.args(["run", path, "--on-fault", "continue", "--json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut messages = Vec::new();
    for fault in report["faults"].as_array().unwrap() {
        let message = fault["message"].as_str().unwrap().to_owned();
        if fault["access"] != "budget" && !messages.contains(&message) {
            messages.push(message);
        }
    }
    messages
}

/// What is explained of a log, each message with its first cause and the entry that did it.
pub fn told(path: &str, log: &str) -> Vec<(String, String, String)> {
    let output = explain(&["-", path, "--json"], log).code(0).get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).unwrap();
    let one = |message: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let did = message["candidates"].as_array().unwrap().iter().find(|one| one["reproduced"] == true);
        (
            text(&message["address"]),
            text(&message["causes"][0]["code"]),
            did.map(|one| text(&one["entry"])).unwrap_or_default(),
        )
    };
    report["messages"].as_array().unwrap().iter().map(one).collect()
}

fn is_whole(model: &[u8], want: &[(&str, &str)]) {
    let (_folder, path) = file(model);
    let log = log(&path);
    assert!(log.len() > 1, "{log:?}");
    let told = told(&path, &log.join("\n"));
    for (text, (address, cause, entry)) in log.iter().zip(&told) {
        let known = want.contains(&(cause.as_str(), entry.as_str()));
        assert!(known, "{text} at {address}: {cause:?} of {entry:?}");
    }
    for (cause, entry) in want {
        assert!(told.iter().any(|(_, code, by)| (code.as_str(), by.as_str()) == (*cause, *entry)), "{entry}");
    }
}

#[test]
fn what_follows_a_bone_without_a_record() {
    let bones = fox_with(&[(sk1(4) + 0x38, &[0, 24]), (skacc(1) + 0x40, &[0, 99])]);
    // The reads of the second entry are those of the first once more, but nothing names another.
    is_whole(&bones, &[("bone-out-of-range", "SK1[4]")]);
    let both = fox_with(&[(sk1(4) + 0x38, &[0, 24]), (sk1(6) + 0x3A, &[0, 1])]);
    is_whole(&both, &[("bone-out-of-range", "SK1[4]"), ("count-wraps", "SK1[6]")]);
}

#[test]
fn what_follows_transfers_that_fail() {
    let both = fox_with(&[(sk1(3) + 0x30, &[5, 0, 0, 0]), (sk2(3) + 0x64, &[6, 0, 0, 0])]);
    is_whole(&both, &[("out-of-bounds", "SK1[3]"), ("out-of-bounds", "SK2[3]")]);
    let wraps = fox_with(&[(sk1(3) + 0x30, &[5, 0, 0, 0]), (sk1(6) + 0x3A, &[0, 1])]);
    is_whole(&wraps, &[("out-of-bounds", "SK1[3]"), ("count-wraps", "SK1[6]")]);
}

#[test]
fn of_two_pointers_of_an_entry_each_answers_for_its_own_message() {
    let model = fox_with(&[(skacc(1) + 0x34, &[5, 0, 0, 0]), (skacc(1) + 0x3C, &[6, 0, 0, 0])]);
    let (_folder, path) = file(&model);
    let log = log(&path);
    assert_eq!(log.len(), 2, "{log:?}");
    let output = explain(&["-", &path, "--json"], log.join("\n")).code(0).get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).unwrap();
    let fields: Vec<Vec<&str>> = report["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["causes"].as_array().unwrap())
        .map(|causes| causes.iter().map(|cause| cause["place"]["field"].as_str().unwrap()).collect())
        .collect();
    assert_eq!(fields, [["destination indices"], ["weights"]]);
}

#[test]
fn the_last_of_many_loops_is_told() {
    let mut model = super::rules::fox_bytes();
    for entry in 0..15 {
        model[sk1(entry) + 0x3A..sk1(entry) + 0x3C].copy_from_slice(&[0, 1]);
    }
    let (_folder, path) = file(&model);
    // Of those that fit, the first is the one that stops the game; the last is known to do it too.
    let output = explain(&["Invalid read from 0xe0040000, PC = 0x80523ed8", &path, "--json"], "").code(0);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let codes: Vec<&Value> =
        report["messages"][0]["candidates"].as_array().unwrap().iter().map(|one| &one["entry"]).collect();
    assert!(codes.contains(&&"SK1[14]".into()), "{codes:?}");
    let findings = skinsim::c3::check::check(
        &skinsim::c3::model::Model::from_block(&model).unwrap(),
        &skinsim::c3::check::Comparison::default(),
        0x80A0_0000,
        &[skinsim::c3::rules::effects::Target::Dolphin],
    );
    for finding in findings.iter().filter(|finding| finding.code.name == "count-wraps") {
        let effect = finding.dolphin.as_ref().unwrap();
        let faults = matches!(effect, skinsim::finding::Effect::Faults(_));
        assert!(faults, "{:?}: {effect:?}", finding.place.entry);
    }
}
