//! Findings as annotations that GitHub's runners pick up from standard output.

use super::words;
use crate::finding::{Finding, ModelReport, Severity, Unread};

/// One line a finding, and one a model that could not be read.
pub fn report(models: &[ModelReport], unread: &[Unread]) -> String {
    let findings = models
        .iter()
        .flat_map(|model| model.findings.iter().map(|finding| annotation(&model.model, finding)));
    findings.chain(unread.iter().map(failure)).collect()
}

fn failure(unread: &Unread) -> String {
    format!("::error file={},title=cannot be read::{}\n", property(&unread.model), data(&unread.error))
}

fn annotation(model: &str, finding: &Finding) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = &finding.place;
    let at = words::whereabouts(place).map(|at| format!("at {at}"));
    let place_words: Vec<String> = place.entry.clone().into_iter().chain(at).collect();
    let mut message = words::message(finding);
    if !place_words.is_empty() {
        message = format!("{}: {message}", place_words.join(" "));
    }
    let file = place.file.as_deref().unwrap_or(model);
    let (file, title) = (property(file), property(finding.code.name));
    format!("::{command} file={file},title={title}::{}\n", data(&message))
}

/// Escapes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property's value.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Code, Place};

    static CODE: Code = Code { name: "some-code", severity: Severity::Note, summary: "" };

    #[test]
    fn what_ends_a_property_or_a_line_is_escaped() {
        let finding = Finding::new(&CODE, Place::default().entry("SK1[0]"), "100%", "a\nb");
        assert_eq!(
            annotation("a,b:c.block", &finding),
            "::notice file=a%2Cb%3Ac.block,title=some-code::SK1[0]: 100%25%0Ahelp: a%0Ab\n"
        );
    }
}
