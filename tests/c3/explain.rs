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

/// What is said to the first message.
fn first(arguments: &[&str]) -> Value {
    json(arguments, "")["messages"][0].clone()
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
    let causes = message["causes"].as_array().unwrap();
    assert_eq!((causes.len(), &causes[0]["code"]), (1, &"write-back-over-structure".into()));
    assert!(causes[0]["text"].as_str().unwrap().contains("display-state list"), "{causes:?}");
}

#[test]
fn without_a_model_the_message_alone_is_explained() {
    let report = json(&["Unable to resolve read address e0040000 PC 800c01d4"], "");
    let message = &report["messages"][0];
    assert_eq!((&message["source"], &message["translated"]), (&"GYQE01".into(), &true.into()));
    assert!(
        message["instruction"].as_str().unwrap().contains("the loop begins here"),
        "+0x12c accesses nothing"
    );
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

#[test]
fn the_second_crash_in_words() {
    let line = "Invalid read from 0x00000000, PC = 0x8052ec90";
    insta::assert_snapshot!(stdout(&explain(&[line, "examples/broken/write-back.block"], "").code(0)));
}

#[test]
fn a_map_that_lacks_the_function_is_not_passed_over_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("game.map");
    std::fs::write(&map, "80100000 00000200 80100000 0 GameLoop\n").unwrap();
    let map = map.to_str().unwrap();
    let told = stdout(&explain(&[FIRST, "--map", map], "").code(0));
    let want =
        "executing  SKN1Vecs16Norms16 +0xb8 (the built-in table of RMBE01; the map has no function there)";
    assert!(told.contains(want), "{told}");
    assert_eq!(json(&[FIRST, "--map", map], "")["messages"][0]["not_in_map"], true);
    let nowhere = "Invalid read from 0x00000000, PC = 0x80700000";
    let told = stdout(&explain(&[nowhere, "--map", map], "").code(0));
    assert!(told.contains("neither the map nor a built-in table has a function at 0x80700000"), "{told}");
    let inside = "Invalid read from 0x00000000, PC = 0x80100004";
    assert!(json(&[inside, "--map", map], "")["messages"][0].get("not_in_map").is_none());
}

#[test]
fn a_map_s_functions_that_only_have_numbers_are_told_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("game.map");
    std::fs::write(&map, "80523e0c 0000010c 80523e0c 0 zz_80523e0c_\n").unwrap();
    let report = json(&[FIRST, "examples/broken/one-vertex.block", "--map", map.to_str().unwrap()], "");
    let message = &report["messages"][0];
    assert_eq!((&message["function"], &message["source"]), (&"zz_80523e0c_".into(), &"map".into()));
    assert_eq!(message["alias"], "SKN1Vecs16Norms16 of RMBE01");
    assert_eq!(message["candidates"][0]["reproduced"], true);
}

#[test]
fn a_message_without_its_instruction_is_given_it() {
    let bare = "Invalid read from 0xe0040000";
    let message = first(&[bare]);
    assert!(message["pc"].is_null());
    assert!(message["meaning"].to_string().contains("--pc"), "{message}");
    let message = first(&[bare, "--pc", "0x80523ec4"]);
    assert_eq!((&message["pc"], &message["offset"]), (&"0x80523ec4".into(), &"+0xb8".into()));
    // What the message names itself counts.
    let message = first(&[FIRST, "--pc", "0x80000000"]);
    assert_eq!(message["pc"], "0x80523ec4");
}

#[test]
fn a_crash_outside_the_skinning_code_is_not_laid_to_it() {
    let line = "Invalid write to 0x00000010, PC = 0x80597850";
    let message = first(&[line, "examples/fox.block"]);
    assert_eq!(message["function"], "DCInvalidateRange");
    assert!(message["routine"].is_null());
    assert!(message["meaning"].to_string().contains("none of the skinning or display code"), "{message}");
    assert_eq!(message["causes"], Value::Array(Vec::new()));
    assert!(message["next"].to_string().contains("skinsim check examples/fox.block"));
    let told = stdout(&explain(&[line, "examples/fox.block"], "").code(0));
    assert!(told.contains("none: entries are the skinning code's") && !told.contains("--anim"), "{told}");
    let unknown = first(&["Invalid write to 0x00000010, PC = 0x80100048"]);
    assert!(unknown["meaning"].to_string().contains("cannot be told"), "{unknown}");
}

#[test]
fn another_build_of_a_kernel_is_not_read_by_the_listing() {
    // The twin of the accumulate kernel is 8 bytes longer than the one whose instructions are listed.
    let message = first(&["Invalid read from 0xe0040000, PC = 0x800c05b4"]);
    assert_eq!(message["function"], "SKNAccVecs16Norms16 (twin)");
    assert!(message["instruction"].is_null());
    assert!(message["meaning"].to_string().contains("another build"), "{message}");
    // Where Superstar Baseball's display code reads a list is not known.
    let message = first(&["Invalid read from 0x00000000, PC = 0x800bc3b8"]);
    assert_eq!((&message["function"], &message["size_unknown"]), (&"DOVARender".into(), &true.into()));
    assert!(message["instruction"].is_null());
}

#[test]
fn the_cause_is_told_as_check_finds_it() {
    let message = first(&[FIRST, "examples/broken/one-vertex.block"]);
    let cause = &message["causes"][0];
    assert_eq!((&cause["code"], &cause["certain"]), (&"count-wraps".into(), &true.into()));
    assert_eq!(cause["place"]["entry"], "SK1[2]");
    assert!(message["next"].to_string().contains("skinsim repair examples/broken/one-vertex.block"));
}

#[test]
fn who_called_a_transfer_is_told() {
    let line = "Unknown Pointer 0x04000000 PC 0x80597b20 LR 0x80597ba0";
    assert!(stdout(&explain(&[line], "").code(0)).contains("worded by  every build of Dolphin"));
    let message = first(&[line]);
    assert_eq!(message["caller"], "LCLoadData +0x54 (RMBE01)");
    assert!(message["meaning"].to_string().contains("source, weights or indices"), "{message}");
}

#[test]
fn model_and_log_may_be_given_the_other_way_round() {
    let report = json(&["examples/broken/one-vertex.block", "examples/broken/crash.log"], "");
    assert_eq!(report["messages"][0]["candidates"][0]["entry"], "SK1[2]");
}

#[test]
fn what_is_neither_a_message_nor_a_file_is_refused_in_one_line() {
    let assert = explain(&["the game stopped at 80523ec4"], "").code(2);
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert_eq!(stderr.lines().count(), 1);
    assert!(stderr.contains("have neither"), "{stderr}");
}
