//! The findings of one model and their sum.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Effect, Finding, Place, Severity};

/// The sum of a model's findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing above a note.
    Ok,
    /// At least one warning.
    Suspicious,
    /// At least one error.
    Broken,
}

/// A model's name, its findings and their sum.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelReport {
    /// As named on the command line.
    pub model: String,
    /// The sum of the findings.
    pub verdict: Verdict,
    /// Worst first, then by place.
    pub findings: Vec<Finding>,
}

/// A model that could not be read, and so was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unread {
    /// As named on the command line.
    pub model: String,
    /// Why not: what was expected, and what was there.
    pub error: String,
}

impl Unread {
    /// A model and its error; that begins with the model's name as a rule, which is not said twice.
    pub fn new(model: String, error: &str) -> Self {
        let error = error.strip_prefix(&model).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(error);
        Self { error: error.to_owned(), model }
    }
}

impl ModelReport {
    /// Sorts the findings (worst first, then code, then place) and sums them up.
    pub fn new(model: impl Into<String>, mut findings: Vec<Finding>) -> Self {
        findings.sort_by(|a, b| order(a).cmp(&order(b)));
        let verdict = match findings.iter().map(|finding| finding.severity).max() {
            Some(Severity::Error) => Verdict::Broken,
            Some(Severity::Warning) => Verdict::Suspicious,
            Some(Severity::Note) | None => Verdict::Ok,
        };
        Self { model: model.into(), verdict, findings }
    }

    /// How many findings have this severity, repeats that were folded included.
    pub fn count(&self, severity: Severity) -> usize {
        let same = self.findings.iter().filter(|finding| finding.severity == severity);
        same.map(|finding| finding.count as usize).sum()
    }

    /// The same report with at most `most` findings of one code and severity (0: all); the others become
    /// one finding that counts them.
    #[must_use]
    pub fn folded(mut self, most: usize) -> Self {
        if most == 0 {
            return self;
        }
        let mut findings = Vec::new();
        for repeats in self.findings.chunk_by(|a, b| (a.severity, a.code.name) == (b.severity, b.code.name)) {
            // One more than allowed is better shown than counted.
            let shown = if repeats.len() <= most + 1 { repeats.len() } else { most };
            findings.extend_from_slice(&repeats[..shown]);
            findings.extend(fold(&repeats[shown..]));
        }
        self.findings = findings;
        self
    }
}

/// Worst first, then by code, then by place in the file.
fn order(finding: &Finding) -> impl Ord + '_ {
    let place = &finding.place;
    (
        std::cmp::Reverse(finding.severity),
        finding.code.name,
        (&place.section, place.offset, &place.entry, &place.field, place.vertex),
        &finding.text,
    )
}

/// Repeats of one code as one finding; nothing for none.
fn fold(repeats: &[Finding]) -> Option<Finding> {
    const NAMED: usize = 8;
    let first = repeats.first()?;
    let named = repeats.iter().filter_map(|finding| finding.place.entry.as_deref());
    let mut names = named.take(NAMED).collect::<Vec<_>>().join(", ");
    if !names.is_empty() {
        names = format!(": {names}{}", if repeats.len() > NAMED { ", \u{2026}" } else { "" });
    }
    let Place { section, file, .. } = first.place.clone();
    let place = Place { section, file, ..Place::default() };
    let count = repeats.iter().map(|finding| finding.count).sum();
    // One line for all of them says the worst that any does.
    let worst = |effect: fn(&Finding) -> &Option<Effect>| {
        let effects = repeats.iter().map(effect);
        effects.rev().max_by_key(|effect| effect.as_ref().map(Effect::rank)).cloned().flatten()
    };
    let (dolphin, console) = (worst(|finding| &finding.dolphin), worst(|finding| &finding.console));
    Some(Finding {
        dolphin,
        console,
        text: format!("{count} more{names} ({})", first.code.summary),
        place,
        count,
        ..first.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Code;

    static CODE: Code = Code { name: "a-code", severity: Severity::Warning, summary: "what it means" };

    fn repeats(count: u64) -> Vec<Finding> {
        let at = |index: u64| Place::section("SKN").entry(format!("SK1[{index}]")).offset(0x40 * index);
        (0..count).rev().map(|index| Finding::new(&CODE, at(index), "text", "help")).collect()
    }

    #[test]
    fn what_is_folded_says_the_worst_of_its_effects() {
        let mut findings = repeats(12);
        findings[1].dolphin = Some(Effect::Overwrites("a structure".into()));
        findings[2].dolphin = Some(Effect::Faults("a message".into()));
        findings[0].console = Some(Effect::None);
        let report = ModelReport::new("m", findings).folded(8);
        let folded = report.findings.last().unwrap();
        assert_eq!(folded.count, 4);
        assert_eq!(folded.dolphin, Some(Effect::Faults("a message".into())));
        assert_eq!(folded.console, Some(Effect::None));
    }

    #[test]
    fn findings_are_in_file_order_not_in_the_order_of_their_digits() {
        let report = ModelReport::new("m", repeats(11));
        let entries: Vec<_> = report.findings.iter().map(|f| f.place.entry.clone().unwrap()).collect();
        assert_eq!((&*entries[2], &*entries[10]), ("SK1[2]", "SK1[10]"));
    }

    #[test]
    fn repeats_are_folded_and_still_counted() {
        let report = ModelReport::new("m", repeats(12)).folded(3);
        assert_eq!(report.findings.len(), 4);
        assert_eq!(report.count(Severity::Warning), 12);
        assert_eq!(
            report.findings[3].text,
            "9 more: SK1[3], SK1[4], SK1[5], SK1[6], SK1[7], SK1[8], SK1[9], SK1[10], \u{2026} (what it means)"
        );
        assert_eq!(ModelReport::new("m", repeats(4)).folded(3).findings.len(), 4);
        assert_eq!(ModelReport::new("m", repeats(12)).folded(0).findings.len(), 12);
    }
}
