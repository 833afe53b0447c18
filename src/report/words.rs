//! Words that several renderings share.

use std::fmt::Write;

use crate::finding::{Effect, Finding, Place, Severity};

/// `3 errors`, `1 error`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `3 vertices`, `1 vertex`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The name of a severity.
pub const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// An effect as a phrase.
pub fn effect(effect: &Effect) -> String {
    match effect {
        Effect::None => Effect::NONE_SHOWN.to_owned(),
        Effect::Unshown(_, what) => what.clone(),
        // Builds since August 2025 put a paragraph behind the message.
        Effect::Faults(what) => what.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "),
        Effect::WrongOutput(what) => format!("wrong output: {what}"),
        Effect::Overwrites(what) => format!("overwrites {what}"),
        Effect::Stale(what) => format!("stale: {what}"),
    }
}

/// The known effects with the names of their targets.
pub fn effects(finding: &Finding) -> Vec<(&'static str, String)> {
    finding.effects().map(|(target, known)| (target, effect(known))).collect()
}

/// `0x5e64 of hero.skn, in memory 0x80a05e64`, as far as it is known.
pub fn whereabouts(place: &Place) -> Option<String> {
    let mut text = format!("{:#x}", place.offset?);
    if let Some(file) = &place.file {
        let _ = write!(text, " of {file}");
    }
    if let Some(address) = &place.address {
        let _ = write!(text, ", in memory {address}");
    }
    Some(text)
}

/// What is wrong, what it does and how to mend it, a line each.
pub fn message(finding: &Finding) -> String {
    let mut text = finding.text.clone();
    for (target, effect) in effects(finding) {
        let _ = write!(text, "\n{target}: {effect}");
    }
    let _ = write!(text, "\nhelp: {}", finding.help);
    text
}
