//! Findings as other programs take them: SARIF for any file name, annotations for GitHub.

use assert_cmd::Command;
use serde_json::Value;

/// What `check` prints of a broken model under another name.
fn checked(name: &str, format: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/broken/one-vertex.block");
    std::fs::copy(model, folder.path().join(name)).unwrap();
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(folder.path()).args(["check", name, "--format", format]);
    String::from_utf8(command.assert().code(1).get_output().stdout.clone()).unwrap()
}

/// Whether a text is a URI reference with a relative path: unreserved characters, slashes, escapes.
fn is_relative_reference(uri: &str) -> bool {
    let mut escapes = uri.split('%').skip(1);
    let whole = |rest: &str| rest.len() >= 2 && rest.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
    !uri.is_empty() && !uri.starts_with('/') && uri.bytes().all(plain) && escapes.all(whole)
}

#[test]
fn sarif_has_what_version_2_1_0_requires_for_any_file_name() {
    for (name, uri) in [
        ("plain.block", "plain.block"),
        ("two words.block", "two%20words.block"),
        ("狐 #1%.block", "%E7%8B%90%20%231%25.block"),
        ("a,b;c&d.block", "a%2Cb%3Bc%26d.block"),
    ] {
        let log: Value = serde_json::from_str(&checked(name, "sarif")).unwrap();
        assert_eq!(log["version"], "2.1.0");
        assert!(log["$schema"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "skinsim");
        let rules = driver["rules"].as_array().unwrap();
        let mut ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        assert!(rules.iter().all(|rule| rule["shortDescription"]["text"].is_string()));
        let results = run["results"].as_array().unwrap();
        assert!(!results.is_empty());
        for result in results {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(result["ruleId"], ids[index]);
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
            let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            assert_eq!(place, uri);
            assert!(is_relative_reference(place.as_str().unwrap()));
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "an id is there once");
    }
}

#[test]
fn annotations_escape_what_would_end_a_property() {
    for (name, escaped) in [("a,b.block", "a%2Cb.block"), ("100%: so.block", "100%25%3A so.block")] {
        let text = checked(name, "github");
        assert!(text.lines().count() > 0);
        for line in text.lines() {
            let (command, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
            let (level, properties) = command.split_once(' ').unwrap();
            assert!(["error", "warning", "notice"].contains(&level), "{line}");
            let (file, title) = properties.split_once(',').unwrap();
            assert_eq!(file, format!("file={escaped}"));
            assert!(title.starts_with("title=") && !title.contains([',', ':']), "{line}");
            assert!(!message.is_empty() && !message.contains('\r'), "{line}");
        }
    }
}
