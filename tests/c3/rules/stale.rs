//! What a console's data cache makes of lines that transfers and accumulation share: told only where bytes differ, and
//! only where something reads them.

use skinsim::finding::{Effect, Finding, Severity};

use super::every::{TWO, plan, sharing};
use super::findings;
use super::written::{Run, Written};

/// Twenty vertices of two bones; a third one adds to slots 0 and 10, whose lines hold slots 0..2 and 8..13. No line
/// is flushed.
fn unflushed(drawn: &[u16]) -> Written {
    let mut written = plan(&[Run { supplemented: 10, ..TWO }]).write();
    written.skn.flush.clear();
    let part = &mut written.gpl.parts[0];
    part.vertices.retain(|vertex| drawn.contains(&vertex.slot));
    let whole = part.vertices.len() / 3 * 3;
    part.vertices.truncate(whole);
    written
}

fn missing(findings: &[Finding]) -> (Severity, &Effect, &Effect) {
    let finding = findings.iter().find(|finding| finding.code.name == "flush-missing").unwrap();
    (finding.severity, finding.dolphin.as_ref().unwrap(), finding.console.as_ref().unwrap())
}

#[test]
fn lines_that_nothing_draws_from_do_no_harm() {
    let drawn: Vec<u16> = (3..8).chain(14..18).collect();
    let findings = findings(&unflushed(&drawn).block(None));
    assert_eq!(missing(&findings), (Severity::Warning, &Effect::None, &Effect::None));
    assert!(findings.iter().all(|finding| finding.severity < Severity::Error), "{findings:?}");
}

#[test]
fn slots_beside_accumulated_ones_come_out_stale() {
    // Slot 12 ends in the last line that slot 10 has bytes in, and nothing adds to it: what a transfer stores there is
    // hidden behind the line of the frame before, and overwritten when that is stored.
    let all: Vec<u16> = (0..20).collect();
    let findings = findings(&unflushed(&all).block(None));
    let (severity, dolphin, Effect::Stale(words)) = missing(&findings) else { panic!("{findings:?}") };
    assert_eq!((severity, dolphin), (Severity::Error, &Effect::None));
    assert!(words.contains("slots, the worst is "), "{words}");
    let others: Vec<_> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.code.name)
        .collect();
    assert_eq!(others, ["flush-missing"]);
}

#[test]
fn a_line_that_is_merely_shared_does_not_alarm() {
    let findings = findings(&sharing().block(None));
    let shared = findings.iter().find(|finding| finding.code.name == "accumulation-shares-line").unwrap();
    assert_eq!((shared.severity, shared.console.as_ref()), (Severity::Warning, Some(&Effect::None)));
    assert!(findings.iter().all(|finding| finding.code.name != "flush-missing"));
}
