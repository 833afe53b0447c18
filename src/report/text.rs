//! Findings as text for people.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::words::{self, plural};
use crate::finding::{Finding, ModelReport, Severity, Verdict};
use crate::printable::printable;

/// One model: a verdict line, then its findings.
pub fn report(report: &ModelReport) -> String {
    let (verdict, severity) = match report.verdict {
        Verdict::Ok => ("ok", None),
        Verdict::Suspicious => ("suspicious", Some(Severity::Warning)),
        Verdict::Broken => ("broken", Some(Severity::Error)),
    };
    let style = severity.map_or(AnsiColor::Green.on_default().bold(), style);
    let mut out = format!(
        "{style}{verdict}{style:#}  {}   {}, {}",
        printable(&report.model),
        plural(report.count(Severity::Error), "error"),
        plural(report.count(Severity::Warning), "warning")
    );
    let notes = report.count(Severity::Note);
    if notes > 0 {
        let _ = write!(out, ", {}", plural(notes, "note"));
    }
    out.push('\n');
    for item in &report.findings {
        out.push_str(&finding(item));
    }
    out
}

fn style(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Note => AnsiColor::Cyan,
    };
    colour.on_default().bold()
}

pub(crate) fn finding(item: &Finding) -> String {
    let style = style(item.severity);
    let mut out = format!("{style}{}[{}]{style:#}", words::severity(item.severity), item.code.name);
    if let Some(place) = item.place.entry.as_ref().or(item.place.section.as_ref()) {
        let _ = write!(out, " {}", printable(place));
    }
    let _ = writeln!(out, ": {}", printable(&item.text));
    if let Some(place) = words::whereabouts(&item.place) {
        let _ = writeln!(out, "  {:<8} {}", "at", printable(&place));
    }
    for (target, effect) in words::effects(item) {
        let _ = writeln!(out, "  {target:<8} {}", printable(&effect));
    }
    let _ = writeln!(out, "  {:<8} {}", "help", printable(&item.help));
    out
}
