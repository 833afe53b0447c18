//! What is unusual or wrong in a model: stable code, severity, place, what it does, how to mend it.
//!
//! A finding is data. Text, JSON, SARIF and GitHub annotations are renderings of the same
//! [`ModelReport`] (see [`crate::report`]). Every wing (c3, flver, mdl) owns its table of [`Code`]s;
//! [`all_codes`] is their union, documented one by one in `docs/findings.md`.

mod effect;
mod place;
mod report;

use schemars::JsonSchema;
use serde::Serialize;

pub use effect::{Effect, Unshown};
pub use place::{Place, SectionFiles, name_files};
pub use report::{ModelReport, Unread, Verdict};

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

    /// The effects that it has a verdict for, with the names of their targets: `Dolphin`, `console`, `game`.
    pub fn effects(&self) -> impl Iterator<Item = (&'static str, &Effect)> {
        let all = [("Dolphin", &self.dolphin), ("console", &self.console), ("game", &self.game)];
        all.into_iter().filter_map(|(target, effect)| Some((target, effect.as_ref()?)))
    }

    /// The same finding with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// Every code of every wing.
pub fn all_codes() -> impl Iterator<Item = &'static Code> {
    crate::c3::rules::CODES.iter().chain(crate::flver::rules::CODES).chain(crate::mdl::rules::CODES).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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
