//! Findings as a SARIF 2.1.0 log.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::words;
use crate::finding::{Code, Finding, ModelReport, Place, Severity, Unread};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A whole log: one run, every code that can occur as a rule.
///
/// Models that could not be read are notifications of the invocation, which then was not successful.
pub fn report(models: &[ModelReport], unread: &[Unread]) -> Value {
    let codes: Vec<&Code> = crate::finding::all_codes().collect();
    let results: Vec<Value> = models
        .iter()
        .flat_map(|model| model.findings.iter().map(|finding| result(&codes, &model.model, finding)))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "skinsim",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| rule(code)).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": unread.is_empty(),
                "toolExecutionNotifications": unread.iter().map(notification).collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    })
}

fn notification(unread: &Unread) -> Value {
    json!({
        "level": "error",
        "message": { "text": unread.error },
        "locations": [location(&unread.model, &Place::default())],
    })
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.name,
        "shortDescription": { "text": code.summary },
        "defaultConfiguration": { "level": words::severity(code.severity) },
    })
}

fn result(codes: &[&Code], model: &str, finding: &Finding) -> Value {
    let index = codes.iter().position(|code| code.name == finding.code.name);
    json!({
        "ruleId": finding.code.name,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": { "text": words::message(finding) },
        "locations": [location(model, &finding.place)],
        "properties": properties(finding),
    })
}

const fn level(severity: Severity) -> &'static str {
    words::severity(severity)
}

fn location(model: &str, place: &Place) -> Value {
    let mut physical = Map::new();
    physical.insert("artifactLocation".into(), json!({ "uri": uri(place.file.as_deref().unwrap_or(model)) }));
    if let Some(offset) = place.offset {
        physical.insert("region".into(), json!({ "byteOffset": offset }));
    }
    if let Some(address) = place.address.as_deref().and_then(|text| text.strip_prefix("0x"))
        && let Ok(address) = u32::from_str_radix(address, 16)
    {
        physical.insert("address".into(), json!({ "absoluteAddress": address }));
    }
    let name: Vec<&str> =
        [&place.section, &place.entry, &place.field].into_iter().flatten().map(String::as_str).collect();
    if name.is_empty() {
        return json!({ "physicalLocation": physical });
    }
    json!({
        "physicalLocation": physical,
        "logicalLocations": [{ "fullyQualifiedName": name.join("/") }],
    })
}

fn properties(finding: &Finding) -> Value {
    let mut properties = Map::new();
    for (target, effect) in finding.effects() {
        properties.insert(target.to_lowercase(), to_value(effect));
    }
    if let Some(vertex) = finding.place.vertex {
        properties.insert("vertex".into(), vertex.into());
    }
    properties.insert("count".into(), finding.count.into());
    properties.into()
}

/// Data without maps of other keys than strings always convert.
fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// A path as a relative URI reference: everything but unreserved characters and separators is escaped.
fn uri(path: &str) -> String {
    uri_of(path, std::path::is_separator)
}

fn uri_of(path: &str, is_separator: impl Fn(char) -> bool) -> String {
    // Two slashes at the start would make a host of the first folder.
    let doubled = path.starts_with(&is_separator) && path[1..].starts_with(&is_separator);
    let path = if doubled { path.trim_start_matches(&is_separator) } else { path };
    let mut out = if doubled { "/".to_owned() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte as char),
            _ if is_separator(byte.into()) => out.push('/'),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("models/my model.block"), "models/my%20model.block");
        let windows = |path| uri_of(path, |c| c == '/' || c == '\\');
        assert_eq!(windows("models\\my model.block"), "models/my%20model.block");
        // Elsewhere a backslash is part of a name.
        let unix = |path| uri_of(path, |c| c == '/');
        assert_eq!(unix("a\\b"), "a%5Cb");
        assert_eq!(unix("//tmp/a"), "/tmp/a");
        assert_eq!(unix("/tmp//a"), "/tmp//a");
        assert_eq!(unix("\u{E9}/\u{1F98A}"), "%C3%A9/%F0%9F%A6%8A");
    }

    #[test]
    fn every_code_is_a_rule() {
        let log = report(&[], &[]);
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), crate::finding::all_codes().count());
    }
}
