//! The two forms in which the game may clear: whole lines, as the library does, and the very bytes of the range. What
//! is told follows the form that was asked for, and names what the other one would do.

use skinsim::c3::check::{Comparison, check_on};
use skinsim::c3::format::block::SectionKind;
use skinsim::c3::model::Model;
use skinsim::c3::rules::effects::Target;
use skinsim::c3::runtime::frame::ClearForm;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::finding::{Effect, Finding, Severity};

use super::super::every::{ONE, plan, sharing};
use super::super::written::{Plan, Run};

const FORMS: [ClearForm; 2] = [ClearForm::Dcbz, ClearForm::Bytes];

/// Slots 6..13, which only `SKAcc` entries write, from byte 72 on.
fn accumulated() -> Vec<u8> {
    Plan { accumulated: 8, ..plan(&[Run { count: 5, ..ONE }]) }.write().block(None)
}

/// The findings of a block with this clear range, in both forms.
fn both(bytes: &[u8], start: u32, size: u32) -> [Vec<Finding>; 2] {
    let mut bytes = bytes.to_vec();
    let field = SectionKind::Skn.header_offset() as usize;
    let skn = u32::from_be_bytes(bytes[field..field + 4].try_into().unwrap()) as usize;
    bytes[skn + 0x14..skn + 0x18].copy_from_slice(&start.to_be_bytes());
    bytes[skn + 0x18..skn + 0x1C].copy_from_slice(&size.to_be_bytes());
    let model = Model::from_block(&bytes).unwrap();
    FORMS.map(|clear| {
        let switches = RunOptions { clear, ..RunOptions::default() };
        let targets = [Target::Dolphin, Target::Console];
        check_on(&model, &Comparison::default(), 0x80A0_0000.into(), &targets, &switches)
    })
}

/// Severity, text and whether both targets come to harm.
fn told<'f>(findings: &'f [Finding], code: &str) -> Option<(Severity, &'f str, bool)> {
    let mut of_code = findings.iter().filter(|finding| finding.code.name == code);
    let finding = of_code.next()?;
    assert!(of_code.next().is_none(), "{code} is told twice");
    let harmful =
        [&finding.dolphin, &finding.console].map(|effect| effect.as_ref().unwrap() != &Effect::None);
    assert_eq!(harmful[0], harmful[1], "{finding:?}");
    Some((finding.severity, &finding.text, harmful[0]))
}

fn errors(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().filter(|finding| finding.severity == Severity::Error).map(|f| f.code.name).collect()
}

#[test]
fn whole_lines_end_before_the_range_does() {
    // 96 bytes from 72 on: lines end at 160, slot 13 and the range at 168.
    let [lines, bytes] = both(&accumulated(), 72, 96);
    let (severity, text, harmful) = told(&lines, "clear-cut-short").unwrap();
    assert_eq!((severity, harmful), (Severity::Warning, true));
    assert!(text.contains("only clearing byte by byte would reach the end"), "{text}");
    let (severity, text, harmful) = told(&bytes, "clear-cut-short").unwrap();
    assert_eq!((severity, harmful), (Severity::Warning, false));
    assert!(text.contains("slot 13") && text.contains("the library would clear"), "{text}");
    assert_eq!([errors(&lines), errors(&bytes)], [[""; 0], [""; 0]]);
}

#[test]
fn bytes_begin_behind_what_their_line_holds() {
    // 96 bytes from 84 on: the line from 64 on holds slot 6, the range does not.
    let [lines, bytes] = both(&accumulated(), 84, 96);
    assert_eq!(told(&lines, "accumulated-not-cleared"), None);
    let (_, text, _) = told(&lines, "clear-range").unwrap();
    assert!(text.ends_with("clearing byte by byte would leave slot 6 uncleared"), "{text}");
    let (severity, text, harmful) = told(&bytes, "accumulated-not-cleared").unwrap();
    assert_eq!((severity, harmful), (Severity::Error, true));
    assert!(text.starts_with("1 slot that only SKAcc writes is not cleared: 6;"), "{text}");
    assert!(text.ends_with("clearing whole lines, as the library does, would clear slot 6"), "{text}");
    assert_eq!(errors(&bytes), ["accumulated-not-cleared"]);
}

#[test]
fn lines_reach_slots_before_the_range() {
    // Slot 4 takes the bytes 48..60; slots 2 and 3 of SK1[0] lie in its line.
    let [lines, bytes] = both(&sharing().block(None), 48, 12);
    let (severity, text, harmful) = told(&lines, "clear-hits-direct").unwrap();
    assert_eq!((severity, harmful), (Severity::Error, true));
    assert!(text.ends_with("2..3; clearing byte by byte would spare slots 2..3"), "{text}");
    let (severity, text, harmful) = told(&bytes, "clear-hits-direct").unwrap();
    assert_eq!((severity, harmful), (Severity::Warning, false));
    assert!(text.starts_with("clearing whole lines, as the library does, would reach slots 2..3"), "{text}");
    assert_eq!(errors(&bytes), [""; 0]);
}

#[test]
fn bytes_reach_slots_behind_the_lines() {
    // The lines of 32 bytes from 28 on end at 32, the bytes at 60.
    let [lines, bytes] = both(&sharing().block(None), 28, 32);
    let text = |findings: &[Finding]| -> Vec<String> {
        let of_code = findings.iter().filter(|finding| finding.code.name == "clear-hits-direct");
        of_code.map(|finding| finding.text.clone()).collect()
    };
    assert_eq!(
        text(&lines),
        [
            "the lines 0x0..0x20 cover slots that SK1 or SK2 entries write: 0..2; clearing byte by byte would \
             spare slots 0..1",
            "clearing byte by byte would reach slot 3, which SK1 or SK2 entries write; the lines 0x0..0x20 do not"
        ]
    );
    assert_eq!(
        text(&bytes),
        [
            "the bytes 0x1c..0x3c cover slots that SK1 or SK2 entries write: 2..3; clearing whole lines, as the \
             library does, would spare slot 3",
            "clearing whole lines, as the library does, would reach slots 0..1, which SK1 or SK2 entries write; \
             the bytes 0x1c..0x3c do not"
        ]
    );
}
