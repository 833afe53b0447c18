//! What `check` says about recorded models.

use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::Value;

fn cases() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases"))
}

fn check(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("check").args(arguments).assert()
}

fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let assert = check(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&stdout(&assert)).unwrap()
}

/// Findings of a model's report with this code.
fn with_code<'v>(report: &'v Value, code: &str) -> Vec<&'v Value> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().filter(|finding| finding["code"] == code).collect()
}

#[test]
fn well_formed_models_come_out_without_an_error() {
    let mut folders: Vec<_> = std::fs::read_dir(cases().join("skn"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("well-formed"))
        .map(|path| path.join("model.gpl").to_string_lossy().into_owned())
        .collect();
    folders.push("examples/fox.block".to_owned());
    folders.sort();
    assert!(folders.len() > 5);
    let arguments: Vec<&str> = folders.iter().map(String::as_str).collect();
    check(&arguments).code(0);
    for report in json(&arguments)["models"].as_array().unwrap() {
        assert_ne!(report["verdict"], "broken", "{report:#}");
    }
}

#[test]
fn entries_whose_loop_counter_wraps_are_named() {
    for (case, entry) in [
        ("one-count1-after0-offset4", "SK1[0]"),
        ("two-count1-after0-offset0", "SK2[0]"),
        ("acc-count0", "SKAcc[0]"),
    ] {
        let file = format!("tests/cases/faults/{case}/model.gpl");
        check(&[&file]).code(1);
        let report = &json(&[&file])["models"][0];
        assert_eq!(report["verdict"], "broken");
        assert_eq!(with_code(report, "count-wraps")[0]["place"]["entry"], entry);
    }
}

#[test]
fn folders_are_walked_in_the_order_of_their_paths() {
    let report = json(&["tests/cases/skn", "--max", "0"]);
    let models: Vec<_> = report["models"].as_array().unwrap().iter().map(|m| m["model"].clone()).collect();
    assert!(models.len() > 10);
    let mut sorted = models.clone();
    sorted.sort_by_key(std::string::ToString::to_string);
    assert_eq!(models, sorted);
}

#[test]
fn allowed_codes_are_left_out_and_denied_ones_are_errors() {
    let fox = "examples/fox.block";
    let report = &json(&[fox, "--deny", "flush-tail"])["models"][0];
    assert_eq!(
        (&report["verdict"], &with_code(report, "flush-tail")[0]["severity"]),
        (&"broken".into(), &"error".into())
    );
    let report = &json(&[fox, "--allow", "flush-tail"])["models"][0];
    assert!(with_code(report, "flush-tail").is_empty());
    let stderr = check(&[fox, "--allow", "flush-missed"]).code(2).get_output().stderr.clone();
    assert!(String::from_utf8(stderr).unwrap().contains("did you mean flush-"));
}

#[test]
fn sarif_names_rule_place_and_file() {
    let file = "tests/cases/faults/one-count1-after0-offset4/model.gpl";
    let log: Value = serde_json::from_str(&stdout(&check(&[file, "--format", "sarif"]))).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let result = results.iter().find(|result| result["ruleId"] == "count-wraps").unwrap();
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()]["id"], "count-wraps");
    assert_eq!(result["level"], "error");
    let place = &result["locations"][0];
    assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], file.replace(".gpl", ".skn"));
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "SKN/SK1[0]");
}

#[test]
fn github_annotations_are_one_line_each() {
    let file = "tests/cases/faults/one-count1-after0-offset4/model.gpl";
    let text = stdout(&check(&[file, "--format", "github"]));
    assert!(text.lines().all(|line| line.starts_with("::error ")
        || line.starts_with("::warning ")
        || line.starts_with("::notice ")));
    let skn = file.replace(".gpl", ".skn");
    let line = text.lines().find(|line| line.contains("title=count-wraps")).unwrap();
    assert!(line.starts_with(&format!(
        "::error file={skn},title=count-wraps::SK1[0] at 0x24 of {skn}, in memory 0x"
    )));
    assert!(line.contains(": 1 vertex; "), "{line}");
}

#[test]
fn a_model_that_cannot_be_read_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("cut.gpl");
    std::fs::write(&bad, [0; 4]).unwrap();
    let assert = check(&["examples/fox.block", bad.to_str().unwrap()]).code(2);
    assert!(stdout(&assert).contains("examples/fox.block"));
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(stderr.contains("cut.gpl: GPL header at offset 0x0: want 20 bytes, have 4"), "{stderr}");
}

/// The kinds of effect that a finding had on the two targets.
fn effects(finding: &Value) -> (&str, &str) {
    (finding["dolphin"]["kind"].as_str().unwrap(), finding["console"]["kind"].as_str().unwrap())
}

#[test]
fn the_first_crash_of_the_community_is_shown_by_the_frame() {
    let report = &json(&["examples/broken/one-vertex.block"])["models"][0];
    let finding = with_code(report, "count-wraps")[0];
    assert_eq!(finding["place"]["entry"], "SK1[2]");
    assert_eq!(
        finding["dolphin"]["what"],
        "Invalid read from 0xe0040000, PC = 0x80523ec4   (one-bone kernel +0xb8)"
    );
    assert_eq!(finding["console"]["what"], "leaves the locked cache at 0xe0004000   (one-bone kernel +0xb8)");
}

#[test]
fn the_second_crash_of_the_community_is_shown_by_the_frame() {
    let report = &json(&["examples/broken/write-back.block"])["models"][0];
    let findings = with_code(report, "write-back-over-structure");
    let list =
        findings.iter().find(|finding| finding["text"].as_str().unwrap().contains("display-state list"));
    assert_eq!(effects(list.unwrap()), ("faults", "faults"));
    assert!(
        list.unwrap()["dolphin"]["what"]
            .as_str()
            .unwrap()
            .starts_with("Invalid read from 0x00000000, PC = 0x8052ec90")
    );
    let header = findings.iter().find(|finding| finding["text"].as_str().unwrap().contains("display header"));
    assert_eq!(
        (header.unwrap()["severity"].as_str(), effects(header.unwrap())),
        (Some("warning"), ("none", "none"))
    );
}

#[test]
fn a_shared_line_spoils_the_entry_that_ran_before() {
    let report = &json(&["examples/broken/shared-line.block"])["models"][0];
    let finding = with_code(report, "line-shared")[0];
    assert_eq!(
        (finding["severity"].as_str(), effects(finding)),
        (Some("error"), ("wrong-output", "wrong-output"))
    );
    assert!(finding["dolphin"]["what"].as_str().unwrap().starts_with("3 slots"));
}

#[test]
fn a_transfer_that_wraps_spoils_the_entry() {
    let report = &json(&["examples/broken/sk2-over-buffer.block"])["models"][0];
    let finding = with_code(report, "dma-length-wraps")[0];
    assert_eq!(finding["place"]["entry"], "SK2[6]");
    assert_eq!(effects(finding), ("wrong-output", "wrong-output"));
}

#[test]
fn what_is_not_cleared_grows_and_what_is_not_flushed_drifts_on_the_console_alone() {
    let report = &json(&["tests/cases/skn/034-memclr-missing/model.gpl"])["models"][0];
    assert_eq!(effects(with_code(report, "accumulated-not-cleared")[0]).0, "wrong-output");
    let report = &json(&["tests/cases/skn/042-acc-base/model.gpl"])["models"][0];
    let finding = with_code(report, "flush-missing")[0];
    assert_eq!((finding["severity"].as_str(), effects(finding)), (Some("error"), ("none", "stale")));
    let dolphin = &json(&["tests/cases/skn/042-acc-base/model.gpl", "--target", "dolphin"])["models"][0];
    let finding = with_code(dolphin, "flush-missing")[0];
    assert_eq!(finding["severity"], "warning");
    assert!(finding.get("console").is_none());
}

#[test]
fn two_vertices_work() {
    let report = &json(&["tests/cases/skn/028-count-2/model.gpl"])["models"][0];
    let finding = with_code(report, "count-below-vanilla")[0];
    assert_eq!((finding["severity"].as_str(), effects(finding)), (Some("warning"), ("none", "none")));
}

#[test]
fn the_text_says_what_where_and_how_to_mend_it() {
    insta::assert_snapshot!(stdout(&check(&["examples/broken/one-vertex.block"]).code(1)));
}

#[test]
fn a_dry_run_that_cannot_take_place_is_no_clean_check() {
    let model = "examples/fox.block";
    for (address, want) in
        [("0x817ff800", "0x817ff800"), ("0x12345678", "multiple of 32"), ("0x12345660", "0x12345660")]
    {
        let output = check(&[model, "--address", address]).code(2).get_output().clone();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(want), "{address}: {error}");
    }
}

#[test]
fn a_block_is_told_by_its_content_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let renamed = folder.path().join("renamed.gpl");
    std::fs::copy("examples/broken/one-vertex.block", &renamed).unwrap();
    let out = stdout(&check(&[renamed.to_str().unwrap()]).code(1));
    assert!(out.contains("error[count-wraps] SK1[2]"), "{out}");
}
