//! Findings as the page lists them: words, and what they point at in mesh and line map.

use serde::Serialize;

use crate::finding::{Finding, Place, Severity};
use crate::report::words;

/// Vertices that one finding marks at most.
const MOST_VERTICES: usize = 4096;

/// A finding of a page.
#[derive(Debug, Serialize)]
pub struct PageFinding {
    /// Stable code.
    pub code: &'static str,
    /// What the code means, one line.
    pub summary: &'static str,
    /// Severity.
    pub severity: Severity,
    /// Where, in words.
    pub place: String,
    /// What is wrong.
    pub text: String,
    /// What it does: target, whether it does harm, and the words.
    pub effects: Vec<PageEffect>,
    /// How to mend it.
    pub help: String,
    /// How many repeats were folded into this one.
    pub count: u32,
    /// Vertices of the mesh that it concerns.
    pub vertices: Vec<u32>,
    /// Entries that it concerns, by their number in the line map.
    pub entries: Vec<u32>,
    /// Address in memory, where it has one.
    pub address: Option<String>,
}

/// What a finding does on a target.
#[derive(Debug, Serialize)]
pub struct PageEffect {
    /// `Dolphin`, `console` or `game`.
    pub target: &'static str,
    /// Whether the frames showed any harm.
    pub harm: bool,
    /// What they showed.
    pub text: String,
}

impl PageFinding {
    /// A finding that concerns these vertices and entries.
    pub fn new(finding: &Finding, vertices: impl Iterator<Item = u32>, entries: Vec<u32>) -> Self {
        Self {
            code: finding.code.name,
            summary: finding.code.summary,
            severity: finding.severity,
            place: place(finding),
            text: finding.text.clone(),
            effects: effects(finding),
            help: finding.help.clone(),
            count: finding.count,
            vertices: vertices.take(MOST_VERTICES).collect(),
            entries,
            address: finding.place.address.clone(),
        }
    }
}

fn effects(finding: &Finding) -> Vec<PageEffect> {
    let told = finding.effects();
    told.map(|(target, effect)| PageEffect { target, harm: effect.is_harm(), text: words::effect(effect) })
        .collect()
}

/// `SK1[3] vertex 7, at 0x5e64`.
fn place(finding: &Finding) -> String {
    let place = &finding.place;
    let mut words: Vec<String> = Vec::new();
    words.extend(place.entry.clone().or_else(|| place.section.clone()));
    words.extend(place.field.clone());
    words.extend(place.vertex.map(|vertex| format!("vertex {vertex}")));
    // The address has a field of its own.
    let at = words::whereabouts(&Place { address: None, ..place.clone() });
    match (words.is_empty(), at) {
        (false, Some(at)) => format!("{}, at {at}", words.join(" ")),
        (true, Some(at)) => format!("at {at}"),
        (_, None) => words.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Code, Effect};

    static CODE: Code = Code { name: "a-code", severity: Severity::Error, summary: "what it means" };

    #[test]
    fn a_place_reads_from_the_entry_to_the_offset() {
        let place = Place::section("SKN").entry("SK1[3]").vertex(7).offset(0x40);
        let mut finding = Finding::new(&CODE, place, "text", "help");
        finding.dolphin = Some(Effect::None);
        finding.console = Some(Effect::Stale("3 slots".to_owned()));
        let shown = PageFinding::new(&finding, 0..9000, vec![]);
        assert_eq!(shown.place, "SK1[3] vertex 7, at 0x40");
        assert_eq!(shown.vertices.len(), MOST_VERTICES);
        let effects: Vec<_> = shown.effects.iter().map(|effect| (effect.target, effect.harm)).collect();
        assert_eq!(effects, [("Dolphin", false), ("console", true)]);
    }
}
