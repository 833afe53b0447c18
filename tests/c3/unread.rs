//! Models that cannot be read, in every format of `check`.

use assert_cmd::Command;
use serde_json::Value;

/// A folder with a good block and one that ends inside its header; what `check` says about the two.
fn check(format: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("good.block"), super::rules::fox_bytes()).unwrap();
    std::fs::write(folder.path().join("short.block"), [0; 7]).unwrap();
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let arguments = ["check", "good.block", "short.block", "--format", format];
    let output = command.current_dir(folder.path()).args(arguments).assert().code(2).get_output().clone();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn json(format: &str) -> Value {
    serde_json::from_str(&check(format).0).unwrap()
}

#[test]
fn json_names_it_beside_the_models() {
    let report = json("json");
    assert_eq!(report["models"].as_array().unwrap().len(), 1);
    assert_eq!(report["errors"][0]["model"], "short.block");
    let error = report["errors"][0]["error"].as_str().unwrap();
    assert!(error.contains('7') && !error.starts_with("short.block"), "{error}");
}

#[test]
fn sarif_has_a_notification_of_the_invocation() {
    let report = json("sarif");
    let invocation = &report["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notification = &invocation["toolExecutionNotifications"][0];
    assert_eq!(notification["level"], "error");
    let uri = &notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "short.block");
    assert!(notification["message"]["text"].as_str().unwrap().contains('7'));
}

#[test]
fn sarif_of_models_that_could_be_read_is_a_success() {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.args(["check", "examples/fox.block", "--format", "sarif"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let invocation = &report["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    assert_eq!(invocation["toolExecutionNotifications"], Value::Array(Vec::new()));
}

#[test]
fn github_gets_an_annotation_and_text_one_line_on_standard_error() {
    let (stdout, stderr) = check("github");
    let line = stdout.lines().find(|line| line.contains("short.block")).unwrap();
    assert!(line.starts_with("::error file=short.block,title=cannot be read::"), "{line}");
    assert_eq!(stderr.lines().count(), 1);
    let (stdout, stderr) = check("text");
    assert!(!stdout.contains("short.block") && stderr.contains("short.block"), "{stdout}{stderr}");
}

#[test]
fn a_code_that_is_allowed_and_denied_is_a_contradiction() {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    let arguments =
        ["check", "examples/fox.block", "--allow", "flush-tail", "--deny", "weight-sum", "--deny"];
    let assert = command.args(arguments).arg("flush-tail").assert().code(2);
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(stderr.contains("--allow flush-tail and --deny flush-tail"), "{stderr}");
    assert!(assert.get_output().stdout.is_empty());
}
