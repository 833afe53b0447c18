//! Findings as text for people.

use std::fmt::Write;

use crate::finding::{Effect, Finding, ModelReport, Severity, Verdict};

/// A count and its noun.
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// One model: a verdict line, then its findings.
pub fn report(report: &ModelReport) -> String {
    let verdict = match report.verdict {
        Verdict::Ok => "ok        ",
        Verdict::Suspicious => "suspicious",
        Verdict::Broken => "broken    ",
    };
    let mut out = format!(
        "{verdict}  {}   {}, {}\n",
        report.model,
        plural(report.count(Severity::Error), "error"),
        plural(report.count(Severity::Warning), "warning")
    );
    for item in &report.findings {
        out.push_str(&finding(item));
    }
    out
}

pub(crate) fn finding(item: &Finding) -> String {
    let severity = match item.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut out = format!("{severity}[{}]", item.code.name);
    if let Some(place) = item.place.entry.as_ref().or(item.place.section.as_ref()) {
        let _ = write!(out, " {place}");
    }
    let _ = writeln!(out, ": {}", item.text);
    for (target, effect) in [("Dolphin", &item.dolphin), ("console", &item.console), ("game", &item.game)] {
        if let Some(effect) = effect {
            let _ = writeln!(out, "  {target:<8} {}", words(effect));
        }
    }
    let _ = writeln!(out, "  {:<8} {}", "help", item.help);
    out
}

fn words(effect: &Effect) -> String {
    match effect {
        Effect::None => "no effect shown".to_owned(),
        Effect::WrongOutput(what) => format!("wrong output: {what}"),
        Effect::Overwrites(what) => format!("overwrites {what}"),
        Effect::Faults(what) => what.clone(),
        Effect::Stale(what) => format!("stale: {what}"),
    }
}
