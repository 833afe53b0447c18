//! Findings of loose files name the file that their offset is in.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use skinsim::c3::format::block::SectionKind;
use skinsim::c3::model::Model;

use super::rules::fox_bytes;

/// `hero.gpl`, `hero.skn` and `hero.act` of the fox. Of the SKN one entry has one vertex, of the GPL the
/// positions have an unknown number type, of the skeleton the version is none.
fn hero() -> tempfile::TempDir {
    let fox = fox_bytes();
    let block = Model::from_block(&fox).unwrap().block.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let write = |kind, name: &str, changes: &[(usize, u8)]| {
        let mut bytes = block.section(kind).unwrap().view.bytes().to_vec();
        for (at, value) in changes {
            bytes[*at] = *value;
        }
        std::fs::write(folder.path().join(name), bytes).unwrap();
    };
    write(SectionKind::Gpl, "hero.gpl", &[(0x66, 0x78)]);
    write(SectionKind::Skn, "hero.skn", &[(0x24 + 0x40 * 2 + 0x3A, 0), (0x24 + 0x40 * 2 + 0x3B, 1)]);
    write(SectionKind::Act, "hero.act", &[(3, 9)]);
    folder
}

fn check(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let output = command.current_dir(folder).arg("check").args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let report: Value =
        serde_json::from_str(&check(folder, &[&["--format", "json"], arguments].concat())).unwrap();
    report["models"][0]["findings"].as_array().unwrap().clone()
}

fn place<'v>(findings: &'v [Value], code: &str, section: &str) -> &'v Value {
    let found = findings.iter().find(|one| one["code"] == code && one["place"]["section"] == section);
    &found.unwrap_or_else(|| panic!("no {code} in {section}"))["place"]
}

#[test]
fn every_finding_names_the_file_that_its_offset_is_in() {
    let folder = hero();
    let findings = json(folder.path(), &["hero.gpl"]);
    let skn = place(&findings, "count-wraps", "SKN");
    assert_eq!((&skn["file"], &skn["offset"]), (&"hero.skn".into(), &0xA4.into()));
    assert_eq!(place(&findings, "quantize-unknown", "GPL")["file"], Value::Null, "the model's own");
    assert_eq!(place(&findings, "version-unknown", "ACT")["file"], "hero.act");
    // The same pair by its other half.
    let findings = json(folder.path(), &["hero.skn", "--gpl", "hero.gpl"]);
    assert_eq!(place(&findings, "count-wraps", "SKN")["file"], Value::Null);
    assert_eq!(place(&findings, "quantize-unknown", "GPL")["file"], "hero.gpl");
}

#[test]
fn a_loose_skn_has_addresses_where_it_is_loaded_to() {
    let folder = hero();
    let address = |arguments: &[&str], code, section| {
        let findings = json(folder.path(), &[&["hero.gpl"], arguments].concat());
        place(&findings, code, section)["address"].as_str().map(str::to_owned)
    };
    let moved = ["--gpl-address", "0x80b00000", "--skn-address", "0x80c00000"];
    assert_eq!(address(&moved, "count-wraps", "SKN").as_deref(), Some("0x80c000a4"));
    assert_eq!(address(&moved, "quantize-unknown", "GPL").as_deref(), Some("0x80b00066"));
    // 64 KiB behind the GPL, which takes 0x55e0 bytes.
    assert_eq!(address(&[], "count-wraps", "SKN").as_deref(), Some("0x80a15684"));
    assert_eq!(address(&[], "version-unknown", "ACT"), None, "nothing loads it to a known place");
}

#[test]
fn a_loose_skn_off_its_line_is_refused() {
    let folder = hero();
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let arguments = ["check", "hero.gpl", "--skn-address", "0x80b00004"];
    let output = command.current_dir(folder.path()).args(arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("hero.gpl: cannot be checked at 0x80b00004: want a multiple of 32"), "{error}");
}

#[test]
fn every_form_names_the_file() {
    let folder = hero();
    let text = check(folder.path(), &["hero.gpl"]);
    assert!(text.contains("at       0xa4 of hero.skn, in memory 0x80a15684\n"), "{text}");
    let github = check(folder.path(), &["hero.gpl", "--format", "github"]);
    let line = github.lines().find(|line| line.contains("title=count-wraps")).unwrap();
    assert!(
        line.starts_with("::error file=hero.skn,title=count-wraps::SK1[2] at 0xa4 of hero.skn"),
        "{line}"
    );
    let sarif: Value =
        serde_json::from_str(&check(folder.path(), &["hero.gpl", "--format", "sarif"])).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let of = |code: &str| {
        let result = results.iter().find(|result| result["ruleId"] == code).unwrap();
        &result["locations"][0]["physicalLocation"]
    };
    assert_eq!(of("count-wraps")["artifactLocation"]["uri"], "hero.skn");
    assert_eq!(of("count-wraps")["region"]["byteOffset"], 0xA4);
    assert_eq!(of("count-wraps")["address"]["absoluteAddress"], 0x80A1_5684_u32);
    assert_eq!(of("quantize-unknown")["artifactLocation"]["uri"], "hero.gpl");
}
