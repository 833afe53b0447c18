//! What stands behind the fault that ends every frame.

use skinsim::finding::{Effect, Finding, Severity, Unshown};

use super::super::{Change, SKN, changed, findings, sk1};

/// The only finding of a code.
fn only<'f>(findings: &'f [Finding], code: &str) -> &'f Finding {
    let mut found = findings.iter().filter(|finding| finding.code.name == code);
    let first = found.next().unwrap_or_else(|| panic!("no {code}"));
    assert!(found.next().is_none(), "two of {code}");
    first
}

/// A list of SK1 entries at the top of the address space: the loader faults there.
const LOADER_FAULTS: Change = (SKN + 8, &[0x60, 0, 0, 0]);

#[test]
fn the_game_does_not_reach_what_lies_behind_a_fault_of_the_loader() {
    // The flush indices lead nowhere, too.
    let findings = findings(&changed(&[LOADER_FAULTS, (SKN + 0x1C, &[0, 0, 0, 0])]));
    let text = "the pointer to 24 flush indices is 0: they are read from address 0";
    let null = findings.iter().find(|finding| finding.text == text);
    let null = null.unwrap_or_else(|| panic!("{findings:#?}"));
    assert_eq!(null.severity, Severity::Error);
    for (effect, words) in
        [(&null.dolphin, "Invalid read from 0xe0"), (&null.console, "leaves the locked cache at 0xe0")]
    {
        let Some(Effect::Unshown(Unshown::NotReached, have)) = effect else { panic!("{effect:?}") };
        let start = format!("the game does not reach this, it faults before: {words}");
        assert!(have.starts_with(&start), "{have}");
    }
}

#[test]
fn nothing_is_called_harmless_that_a_fault_kept_from_being_seen() {
    // The unused bytes of SK1[0], in a model whose flush list faults at the end of every frame.
    let findings = findings(&changed(&[(SKN + 0x1C, &[0, 0, 0, 0]), (sk1(0) + 0x3D, &[1])]));
    let padding = only(&findings, "padding-not-zero");
    assert_eq!(padding.severity, Severity::Note);
    for effect in [&padding.dolphin, &padding.console] {
        let Some(Effect::Unshown(Unshown::EndedEarly, have)) = effect else { panic!("{effect:?}") };
        assert!(have.starts_with("none shown before the frame ends with a fault: "), "{have}");
    }
}
