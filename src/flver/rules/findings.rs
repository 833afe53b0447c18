//! Collecting findings: repeats of a code are folded, rules outside their survey are softened.

use std::collections::HashMap;
use std::fmt::Write;

use crate::finding::{Effect, Finding, Place, Severity};
use crate::flver::format::header::VERSION_SKELETON_SET;

use super::codes::Rule;

/// What is said of a breach whose effect no one has shown. \[open\]
const NOT_KNOWN: &str = "what the game makes of it is not known";
/// Findings of one code that are told one by one; more only raise the last one's count.
const TOLD: usize = 16;
/// First version of a surveyed game.
const FIRST_SURVEYED: u32 = 0x20016;

/// The findings of one file.
#[derive(Debug)]
pub struct Findings {
    list: Vec<Finding>,
    told: HashMap<&'static str, (usize, usize)>,
    surveyed: bool,
}

impl Findings {
    /// For a file of this version.
    pub fn new(version: u32) -> Self {
        let surveyed = (FIRST_SURVEYED..=VERSION_SKELETON_SET).contains(&version);
        Self { list: Vec::new(), told: HashMap::new(), surveyed }
    }

    /// A breach of which no one has shown what the game makes of it.
    pub fn add(&mut self, rule: &'static Rule, place: Place, text: impl Into<String>) {
        self.add_with_effect(rule, place, text, Effect::not_exercised(NOT_KNOWN));
    }

    /// A breach with what it does in the game.
    pub fn add_with_effect(
        &mut self,
        rule: &'static Rule,
        place: Place,
        text: impl Into<String>,
        effect: Effect,
    ) {
        let mut finding = Finding::new(&rule.code, place, text, rule.help);
        finding.game = Some(effect);
        self.push(rule, finding);
    }

    fn push(&mut self, rule: &'static Rule, mut finding: Finding) {
        if rule.surveyed && !self.surveyed {
            finding.severity = Severity::Note;
        }
        let (count, last) = self.told.entry(rule.code.name).or_default();
        *count += 1;
        if *count <= TOLD {
            *last = self.list.len();
            self.list.push(finding);
        } else {
            self.list[*last].count = self.list[*last].count.saturating_add(1);
        }
    }

    /// All of them, in the order they were found; where repeats were folded, the last one told says so.
    pub fn into_list(mut self) -> Vec<Finding> {
        for finding in self.list.iter_mut().filter(|finding| finding.count > 1) {
            let _ = write!(finding.text, " (and {} more like this)", finding.count - 1);
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flver::rules::codes;

    #[test]
    fn repeats_are_folded_into_the_last_one_told() {
        let mut findings = Findings::new(0x2001A);
        for _ in 0..100 {
            findings.add(&codes::NODE_BOUNDS, Place::section("nodes"), "x");
        }
        let list = findings.into_list();
        assert_eq!(list.len(), TOLD);
        assert_eq!(list.iter().map(|finding| finding.count).sum::<u32>(), 100);
        assert!(list[TOLD - 1].text.ends_with("(and 84 more like this)"));
    }

    #[test]
    fn a_rule_is_only_a_note_in_a_game_that_was_not_surveyed() {
        let severity = |version, rule: &'static Rule| {
            let mut findings = Findings::new(version);
            findings.add(rule, Place::section("nodes"), "x");
            findings.into_list()[0].severity
        };
        assert_eq!(severity(0x2001A, &codes::NODE_BOUNDS), Severity::Warning);
        assert_eq!(severity(0x20014, &codes::NODE_BOUNDS), Severity::Note);
        assert_eq!(severity(0x20014, &codes::NODE_CYCLE), Severity::Error);
    }
}
