//! Findings in every output form, of files with hostile names.

use assert_cmd::Command;
use serde_json::Value;

use super::rules::{broken_fox, fox_bytes};

/// A folder with one broken fox of this name.
fn folder(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), broken_fox()).unwrap();
    folder
}

/// What `check` prints about a file in a folder, and its exit status.
fn check(folder: &tempfile::TempDir, arguments: &[&str]) -> (String, i32) {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let output = command.current_dir(folder.path()).arg("check").args(arguments).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// Names that mean something to one of the forms: separators of properties and annotations, escapes, ends of
/// lines, control sequences of terminals, characters of two and four bytes.
const NAMES: &[(&str, &str)] = &[
    ("a b.block", "a%20b.block"),
    ("a#b?c.block", "a%23b%3Fc.block"),
    ("100%.block", "100%25.block"),
    ("%41.block", "%2541.block"),
    ("c:d,e.block", "c%3Ad%2Ce.block"),
    ("é\u{1F98A}.block", "%C3%A9%F0%9F%A6%8A.block"),
    ("line\nbreak.block", "line%0Abreak.block"),
    ("\u{1B}[31m.block", "%1B%5B31m.block"),
    ("a::error::b.block", "a%3A%3Aerror%3A%3Ab.block"),
    ("\"quoted\\.block", "%22quoted%5C.block"),
];

#[test]
#[cfg(unix)] // Other systems refuse these names.
fn sarif_names_a_file_by_a_uri_that_leads_back_to_it() {
    for (name, uri) in NAMES {
        let (text, status) = check(&folder(name), &[name, "--format", "sarif"]);
        assert_eq!(status, 1, "{name:?}");
        let log: Value = serde_json::from_str(&text).unwrap();
        let result = &log["runs"][0]["results"][0];
        let physical = &result["locations"][0]["physicalLocation"];
        assert_eq!(physical["artifactLocation"]["uri"], *uri);
        assert_eq!(log["version"], "2.1.0");
    }
}

#[test]
#[cfg(unix)]
fn json_has_names_as_they_are() {
    for (name, _) in NAMES {
        let (text, _) = check(&folder(name), &[name, "--format", "json"]);
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["models"][0]["model"], *name);
    }
}

#[test]
#[cfg(unix)]
fn annotations_stay_one_line_with_their_properties_apart() {
    for (name, _) in NAMES {
        let (text, _) = check(&folder(name), &[name, "--format", "github"]);
        for line in text.lines() {
            let rest = line.strip_prefix("::").unwrap();
            let (head, _) = rest.split_once("::").unwrap();
            let (command, properties) = head.split_once(' ').unwrap();
            assert!(["error", "warning", "notice"].contains(&command), "{line}");
            let (file, title) = properties.split_once(',').unwrap();
            let file = file.strip_prefix("file=").unwrap();
            let file = file.replace("%2C", ",").replace("%3A", ":").replace("%0A", "\n").replace("%25", "%");
            assert_eq!(file, *name);
            assert!(title.starts_with("title=") && !title.contains(','), "{line}");
        }
    }
}

#[test]
#[cfg(unix)]
fn text_for_people_sends_nothing_to_the_terminal_but_text() {
    for (name, _) in NAMES {
        let (text, _) = check(&folder(name), &[name]);
        let first = text.lines().next().unwrap();
        assert!(first.starts_with("broken  ") && first.contains(".block   "), "{first:?}");
        assert!(!text.contains('\u{1B}'), "{text:?}");
    }
}

#[test]
fn sarif_levels_rules_and_regions() {
    let (text, _) = check(&folder("fox.block"), &["fox.block", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&text).unwrap();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
    }
    // SK1[2] lies at 0x5E64 of the block.
    let wraps = results.iter().find(|result| result["ruleId"] == "count-wraps").unwrap();
    let physical = &wraps["locations"][0]["physicalLocation"];
    assert_eq!(wraps["level"], "error");
    assert_eq!(physical["region"]["byteOffset"], 0x5E64);
    assert_eq!(physical["address"]["absoluteAddress"], 0x80A0_5E64_u32);
    assert_eq!(wraps["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "SKN/SK1[2]");
    assert_eq!(wraps["properties"]["dolphin"]["kind"], "faults");
}

#[test]
fn codes_are_left_out_raised_and_counted() {
    let folder = folder("fox.block");
    let status = |arguments: &[&str]| check(&folder, &[&["fox.block"], arguments].concat()).1;
    // The wrapped count and the slots that it leaves are its only errors.
    assert_eq!(status(&[]), 1);
    assert_eq!(status(&["--allow", "count-wraps"]), 1);
    assert_eq!(status(&["--allow", "count-wraps", "--allow", "slot-unwritten"]), 0);
    std::fs::write(folder.path().join("good.block"), fox_bytes()).unwrap();
    let of = |arguments: &[&str]| check(&folder, &[&["good.block"], arguments].concat()).1;
    assert_eq!(of(&[]), 0);
    assert_eq!(of(&["--deny", "flush-tail"]), 1);
    // What is left out cannot be raised: to ask for both is a contradiction.
    assert_eq!(of(&["--deny", "flush-tail", "--allow", "flush-tail"]), 2);
    assert_eq!(of(&["--deny", "flush-tial"]), 2);
}

/// The padding of every SK1 entry: 15 notes, of which some are shown and the others counted.
#[test]
fn repeats_are_counted_in_one_line() {
    let mut bytes = fox_bytes();
    for entry in 0..15 {
        bytes[0x5DC0 + 0x24 + 0x40 * entry + 0x3D] = 1;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fox.block"), bytes).unwrap();
    let shown = |most: &str| {
        let (text, status) = check(&folder, &["fox.block", "--max", most]);
        assert_eq!(status, 0);
        assert!(text.lines().next().unwrap().ends_with("0 errors, 1 warning, 15 notes"), "{text}");
        text.matches("note[padding-not-zero]").count()
    };
    assert_eq!((shown("0"), shown("3"), shown("14"), shown("15"), shown("100")), (15, 4, 15, 15, 15));
    let (text, _) = check(&folder, &["fox.block", "--max", "3"]);
    assert!(text.contains("12 more: SK1[3], SK1[4], SK1[5]"), "{text}");
}

#[test]
fn the_text_of_a_block_with_several_defects() {
    let mut bytes = broken_fox();
    // A line shared, a bone that is none, a flush list that is empty.
    bytes[0x5DC0 + 0x20..0x5DC0 + 0x24].fill(0);
    bytes[0x5DC0 + 0x24 + 0x40 * 13 + 0x34..][..4].copy_from_slice(&[0, 0, 0x1E, 0x40]);
    bytes[0x5DC0 + 0x24 + 0x40 * 13 + 0x3C] = 8;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fox.block"), bytes).unwrap();
    let (text, status) = check(&folder, &["fox.block", "--color", "never"]);
    assert_eq!(status, 1);
    insta::assert_snapshot!(text);
}

#[test]
fn a_message_of_several_paragraphs_is_one_line_of_text() {
    let folder = folder("fox.block");
    let (text, _) = check(&folder, &["fox.block", "--dolphin", "2025", "--lc-bat", "none"]);
    let line = text.lines().find(|line| line.contains("real hardware")).unwrap();
    assert!(line.contains("on real hardware. For accurate emulation, enable MMU"), "{line}");
    assert!(!text.contains("u{a}"), "{text}");
}
