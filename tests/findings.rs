//! Every finding code is documented, and nothing else is.

use std::collections::{BTreeMap, BTreeSet};

use skinsim::finding::{Severity, all_codes};

/// Sections of `docs/findings.md` by their code.
fn sections() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/findings.md")).unwrap();
    let mut sections = BTreeMap::new();
    for section in text.split("\n### ").skip(1) {
        let (code, rest) = section.split_once('\n').unwrap();
        let code = code.trim_matches('`');
        let rest = rest.split("\n## ").next().unwrap();
        assert!(sections.insert(code.to_owned(), rest.to_owned()).is_none(), "{code} twice");
    }
    sections
}

#[test]
fn every_code_has_a_section_with_cause_effect_example_and_remedy() {
    let sections = sections();
    for code in all_codes() {
        let section = sections.get(code.name).unwrap_or_else(|| panic!("{} has no section", code.name));
        for part in ["- Effect: ", "- Example: ", "- Remedy: "] {
            assert!(section.contains(part), "{}: {part} is missing", code.name);
        }
    }
}

#[test]
fn every_section_is_a_code_with_its_default_severity() {
    let codes: BTreeSet<&str> = all_codes().map(|code| code.name).collect();
    let sections = sections();
    for code in sections.keys() {
        assert!(codes.contains(code.as_str()), "{code} is documented and does not exist");
    }
    for code in all_codes() {
        let severity = match code.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::Note => "Note",
        };
        let section = sections.get(code.name).map(String::as_str).unwrap_or_default();
        let (first, cause) = section.trim_start().split_once(['.', ';', ',']).unwrap_or_default();
        assert_eq!(first, severity, "{}", code.name);
        assert!(cause.lines().next().is_some_and(|line| line.len() > 20), "{}: no cause", code.name);
    }
}
