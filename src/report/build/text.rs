//! What building gave, for people.

use std::fmt::Write;

use super::BuildReport;
use crate::printable::printable;

/// Renders a report.
pub fn render(report: &BuildReport) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(report, &mut text);
    text
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn write(report: &BuildReport, out: &mut String) -> std::fmt::Result {
    let (source, output) = (printable(&report.source), printable(&report.output));
    writeln!(out, "{source} -> {output} ({} bytes)", report.size)?;
    if let Some(layout) = &report.layout {
        writeln!(
            out,
            "  {} of {} in {}, {}; shift {}",
            plural(layout.triangles, "triangle"),
            plural(layout.vertices, "vertex").replace("vertexs", "vertices"),
            plural(layout.slots, "slot"),
            plural(layout.bones.len(), "bone"),
            layout.shift
        )?;
        writeln!(out, "  {} SK1, {} SK2, {} SKAcc entries", layout.sk1, layout.sk2, layout.skacc)?;
        if layout.padded > 0 {
            writeln!(out, "  {} added to entries that had fewer than 3", plural(layout.padded, "slot"))?;
        }
        if !layout.morph_targets.is_empty() {
            writeln!(out, "  facial poses: {}", printable(&layout.morph_targets.join(", ")))?;
        }
    }
    if let Some(weights) = &report.weights {
        let (bytes, slots) = (plural(weights.bytes, "weight byte"), plural(weights.slots, "slot"));
        writeln!(out, "  {bytes} changed in {slots}; everything else is the donor's")?;
    }
    if let Some(bank) = &report.bank {
        writeln!(out, "{}: {} units a second", printable(bank), report.units_per_second)?;
        for animation in &report.animations {
            writeln!(out, "  {}, {} units", printable(&animation.name), animation.length)?;
        }
    }
    if let Some(copyright) = &report.copyright {
        writeln!(out, "copyright of the source: {}", printable(copyright))?;
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "note: {}", printable(note)))
}
