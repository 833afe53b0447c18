//! What `info` prints.

use assert_cmd::Command;

fn info(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases"));
    command.arg("info").args(arguments).assert()
}

fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_block_is_told_section_by_section_and_entry_by_entry() {
    insta::assert_snapshot!(stdout(&info(&["../../examples/fox.block"]).success()));
}

#[test]
fn a_loose_gpl_finds_its_skn_and_prints_json() {
    let assert = info(&["skn/002-well-formed/model.gpl", "--json"]).success();
    let json: serde_json::Value = serde_json::from_str(&stdout(&assert)).unwrap();
    assert_eq!(json["schema"], "skinsim.info/1");
    assert_eq!(json["kind"], "loose");
    assert_eq!(json["skn"]["entries"][0]["entry"], "SK1[0]");
    assert_eq!(json["coverage"]["accumulation_only"], 1);
}

#[test]
fn a_loose_skn_needs_its_gpl() {
    let assert = info(&["skn/002-well-formed/model.skn"]).code(2);
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert_eq!(stderr, "skinsim: skn/002-well-formed/model.skn: a loose .skn needs its GPL: --gpl FILE\n");
    let both = info(&["skn/002-well-formed/model.skn", "--gpl", "skn/002-well-formed/model.gpl"]);
    assert!(stdout(&both.success()).contains("SKAcc[0]"));
}

#[test]
fn a_file_that_is_no_model_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("short.gpl", vec![0; 0x13]), ("short.block", vec![0; 0x1F]), ("text", b"hello".to_vec())]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let assert = info(&[path.to_str().unwrap()]).code(2);
        let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains(name) && stderr.contains("offset 0x0: want") || name == "text", "{stderr}");
    }
}
