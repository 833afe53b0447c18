//! What repair did, for people.

use std::fmt::Write;

use super::RepairReport;
use crate::finding::{Place, Severity};
use crate::printable::printable;

/// Renders a report.
pub fn render(report: &RepairReport) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(report, &mut text);
    text
}

fn place(place: &Place) -> &str {
    place.entry.as_deref().or(place.section.as_deref()).unwrap_or("model")
}

fn write(report: &RepairReport, out: &mut String) -> std::fmt::Result {
    let outputs = report.outputs.join(", ");
    writeln!(out, "{} -> {}", printable(&report.model), printable(&outputs))?;
    for fix in &report.fixes {
        writeln!(out, "mended[{}] {}: {}", fix.code, place(&fix.place), fix.text)?;
    }
    for moved in &report.moved {
        let last = |first: u16| u32::from(first) + u32::from(moved.count) - 1;
        writeln!(
            out,
            "moved slots {}..{} to {}..{}",
            moved.from,
            last(moved.from),
            moved.to,
            last(moved.to)
        )?;
    }
    for refusal in &report.refused {
        let severity = match refusal.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        writeln!(out, "refused {severity}[{}] {}: {}", refusal.code, place(&refusal.place), refusal.reason)?;
    }
    if report.fixes.is_empty() && report.refused.is_empty() {
        writeln!(out, "nothing to mend")?;
    }
    Ok(())
}
