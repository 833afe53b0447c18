//! From a line of a log to the entry that caused it.

use assert_cmd::Command;
use serde_json::Value;

pub fn explain(arguments: &[&str], input: impl Into<Vec<u8>>) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("explain").args(arguments);
    command.write_stdin(input).assert()
}

fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

pub fn json(arguments: &[&str], input: &str) -> Value {
    serde_json::from_str(&stdout(&explain(&[arguments, &["--json"]].concat(), input).code(0))).unwrap()
}

const FIRST: &str = "Invalid read from 0xe0040000, PC = 0x80523ec4";
const SECOND: &str =
    "12:01:222 Core\\PowerPC\\MMU.cpp:260 E[MASTER]: Warning: Invalid read from 0x00000000, PC = 0x8052ec90 ";

#[test]
fn the_first_crash_leads_from_the_line_to_the_entry() {
    insta::assert_snapshot!(stdout(&explain(&[FIRST, "examples/broken/one-vertex.block"], "").code(0)));
}

#[test]
fn the_second_crash_leads_from_the_log_to_the_entry() {
    let report = json(&["-", "examples/broken/write-back.block"], &format!("boot\n{SECOND}\n{SECOND}\n"));
    let message = &report["messages"][0];
    assert_eq!(
        (&message["times"], &message["function"], &message["offset"]),
        (&2.into(), &"DORender".into(), &"+0x2f4".into())
    );
    let candidate = &message["candidates"][0];
    assert_eq!((&candidate["entry"], &candidate["reproduced"]), (&"SK2[20]".into(), &true.into()));
}

#[test]
fn without_a_model_the_message_alone_is_explained() {
    let report = json(&["Unable to resolve read address e0040000 PC 800c01d4"], "");
    let message = &report["messages"][0];
    assert_eq!((&message["source"], &message["translated"]), (&"GYQE01".into(), &true.into()));
    assert!(message["instruction"].is_null(), "+0x12c begins the loop and accesses nothing");
    let report = json(&["Unable to resolve read address e0040000 PC 800c0244", "--game", "GYQE01"], "");
    let message = &report["messages"][0];
    assert_eq!(message["instruction"], "reads the next vertex (x, y), in the loop");
    assert!(message["meaning"][1].as_str().unwrap().contains("0 or 1 vertices"));
    assert!(message.get("candidates").is_none());
}

#[test]
fn a_model_that_does_not_fit_says_so() {
    let report = json(&[FIRST, "examples/fox.block"], "");
    let message = &report["messages"][0];
    assert_eq!(message["candidates"], Value::Array(Vec::new()));
    assert_eq!(message["run"], "Running the model gives no fault.");
}

#[test]
fn the_vertex_offset_rules_entries_out() {
    let other = "Invalid read from 0xe0040000, PC = 0x80523ed8";
    let report = json(&[other, "examples/broken/one-vertex.block"], "");
    let candidate = &report["messages"][0]["candidates"][0];
    assert_eq!(
        (&candidate["entry"], &candidate["fits"], &candidate["reproduced"]),
        (&"SK1[2]".into(), &false.into(), &false.into())
    );
}

#[test]
fn a_map_names_what_the_tables_do_not_know() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("game.map");
    std::fs::write(&map, "80100000 00000200 80100000 0 GameLoop\n").unwrap();
    let line = "Invalid write to 0x00000010, PC = 0x80100048";
    let report = json(&[line, "--map", map.to_str().unwrap()], "");
    let message = &report["messages"][0];
    assert_eq!(
        (&message["function"], &message["offset"], &message["source"]),
        (&"GameLoop".into(), &"+0x48".into(), &"map".into())
    );
}

#[test]
fn a_log_without_a_message_is_refused_in_one_line() {
    let assert = explain(&["-"], "all is well\n").code(2);
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert_eq!(stderr.lines().count(), 1);
    assert!(stderr.contains("want a line such as"), "{stderr}");
}

#[test]
fn a_model_alone_takes_the_log_from_standard_input() {
    let report = json(&["examples/broken/one-vertex.block"], FIRST);
    assert_eq!(report["messages"][0]["candidates"][0]["reproduced"], true);
}
