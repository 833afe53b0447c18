//! What is unusual or wrong in a model: stable code, severity, place, what it does, how to mend it.
//!
//! A finding is data. Text, JSON, SARIF and GitHub annotations are renderings of the same
//! [`ModelReport`] (see [`crate::report`]). Every wing (c3, flver, mdl) owns its table of [`Code`]s;
//! [`all_codes`] is their union, documented one by one in `docs/findings.md`.

use schemars::JsonSchema;
use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Unusual and harmless.
    Note,
    /// Breaks a rule that every known-good file obeys; no damage shown.
    Warning,
    /// Faults, spoils the output, or cannot be read.
    Error,
}

/// A stable finding code: tools filter on its name.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Kebab-case name, unique over all wings.
    pub name: &'static str,
    /// Severity when no dry run shows better or worse.
    pub severity: Severity,
    /// One line: what the code means.
    pub summary: &'static str,
}

/// What a broken rule does on one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "what", rename_all = "kebab-case")]
pub enum Effect {
    /// Nothing that the dry run shows.
    None,
    /// Wrong vertices: which, by how much.
    WrongOutput(String),
    /// Bytes of a neighbouring structure are overwritten: which.
    Overwrites(String),
    /// A fault: its message.
    Faults(String),
    /// Memory the graphics processor reads before the cache wrote it back.
    Stale(String),
}

impl Effect {
    /// Whether the effect is [`Effect::None`].
    pub fn is_none(&self) -> bool {
        *self == Effect::None
    }
}

/// Where in a model a finding lies. Fields that do not apply are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Place {
    /// Section or table ("SKN", "nodes").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Entry inside it (`SK1[3]`, "node 7 'Head'").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Field of the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Vertex (slot) number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertex: Option<u32>,
    /// File offset in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Address in the simulated machine, "0x%08x".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

impl Place {
    /// A place in a section.
    pub fn section(name: impl Into<String>) -> Self {
        Self { section: Some(name.into()), ..Self::default() }
    }

    /// The same place, narrowed to an entry.
    #[must_use]
    pub fn entry(mut self, entry: impl Into<String>) -> Self {
        self.entry = Some(entry.into());
        self
    }

    /// The same place, narrowed to a field.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same place, narrowed to a vertex.
    #[must_use]
    pub fn vertex(mut self, vertex: u32) -> Self {
        self.vertex = Some(vertex);
        self
    }

    /// The same place with its file offset.
    #[must_use]
    pub fn offset(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The same place with its address in the simulated machine.
    #[must_use]
    pub fn address(mut self, address: u32) -> Self {
        self.address = Some(format!("{address:#010x}"));
        self
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// Stable code name.
    #[serde(serialize_with = "code_name")]
    #[schemars(with = "String")]
    pub code: &'static Code,
    /// Severity after the dry run had its say.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What is wrong, one sentence with the figures.
    pub text: String,
    /// What it does on Dolphin (GameCube / Wii models).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dolphin: Option<Effect>,
    /// What it does on a console (GameCube / Wii models).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub console: Option<Effect>,
    /// What it does in the game (other formats).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<Effect>,
    /// How to mend it.
    pub help: String,
    /// How many repeats were folded into this one (1 = none).
    pub count: u32,
}

fn code_name<S: serde::Serializer>(code: &&'static Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.name)
}

impl Finding {
    /// A finding at its code's default severity, with no effect known yet.
    pub fn new(code: &'static Code, place: Place, text: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity,
            place,
            text: text.into(),
            dolphin: None,
            console: None,
            game: None,
            help: help.into(),
            count: 1,
        }
    }

    /// The same finding with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

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
    let place = Place { section: first.place.section.clone(), ..Place::default() };
    let count = repeats.iter().map(|finding| finding.count).sum();
    Some(Finding {
        text: format!("{count} more{names} ({})", first.code.summary),
        place,
        count,
        ..first.clone()
    })
}

/// Every code of every wing.
pub fn all_codes() -> impl Iterator<Item = &'static Code> {
    crate::c3::rules::CODES.iter().chain(crate::flver::rules::CODES).chain(crate::mdl::rules::CODES).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    static CODE: Code = Code { name: "a-code", severity: Severity::Warning, summary: "what it means" };

    fn repeats(count: u64) -> Vec<Finding> {
        let at = |index: u64| Place::section("SKN").entry(format!("SK1[{index}]")).offset(0x40 * index);
        (0..count).rev().map(|index| Finding::new(&CODE, at(index), "text", "help")).collect()
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

    #[test]
    fn codes_are_unique_and_kebab_case() {
        let mut seen = BTreeSet::new();
        for code in all_codes() {
            assert!(seen.insert(code.name), "{} twice", code.name);
            assert!(
                code.name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            );
        }
    }
}
