//! One broken block a rule: the fox with a few bytes changed, and what the check must say.

mod attribution;
mod broken;
mod every;
mod fields;
mod good;
mod lines;
mod pairs;
mod roots;
mod round_trip;
mod section_ends;
mod shapes;
mod stale;
mod sweep;
mod together;
mod verdicts;
mod wraps;
mod written;

use broken::{BROKEN, Change};
use proptest::prelude::*;
use skinsim::c3::check::{Comparison, check};
use skinsim::c3::model::Model;
use skinsim::c3::rules::effects::Target;
use skinsim::finding::{Finding, ModelReport, Severity, Verdict};

const GPL: usize = 0x20;
const ACT: usize = 0x5600;
const SKN: usize = 0x5DC0;
const POSITION_HEADER: usize = GPL + 0x60;
const COLOUR_HEADER: usize = GPL + 0x4800;
const STATES: usize = GPL + 0x4818;
const PRIMITIVES: usize = GPL + 0x4840;

fn fox() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap()
}

/// The findings of a block; whatever it is, each has a verdict for both targets, in words.
fn findings(bytes: &[u8]) -> Vec<Finding> {
    let model = Model::from_block(bytes).unwrap();
    let findings = check(&model, &Comparison::default(), 0x80A0_0000, &[Target::Dolphin, Target::Console]);
    for finding in &findings {
        for effect in [&finding.dolphin, &finding.console] {
            let told = serde_json::to_value(effect).unwrap();
            let words = told["what"].as_str().unwrap_or_default();
            assert!(!words.is_empty(), "{} {:?}: {effect:?}", finding.code.name, finding.place);
        }
    }
    findings
}

/// The shipped fox, for other tests.
pub fn fox_bytes() -> Vec<u8> {
    fox()
}

/// The fox with one vertex in SK1[2].
pub fn broken_fox() -> Vec<u8> {
    changed(&[(sk1(2) + 0x3A, &[0, 1])])
}

/// The fox with bytes changed, for other tests.
pub fn fox_with(changes: &[(usize, &'static [u8])]) -> Vec<u8> {
    changed(changes)
}

/// Where an SK1 entry lies.
pub const fn sk1(index: usize) -> usize {
    SKN + 0x24 + 0x40 * index
}

/// Where an SK2 entry lies.
pub const fn sk2(index: usize) -> usize {
    SKN + 0x3E4 + 0x74 * index
}

/// Where an `SKAcc` entry lies.
pub const fn skacc(index: usize) -> usize {
    SKN + 0xD68 + 0x44 * index
}

const fn bone(index: usize) -> usize {
    ACT + 0x20 + 0x1C * index
}

fn changed(changes: &[Change]) -> Vec<u8> {
    let mut bytes = fox();
    for (offset, change) in changes {
        bytes[*offset..*offset + change.len()].copy_from_slice(change);
    }
    bytes
}

#[test]
fn every_broken_fox_gets_its_finding() {
    let mut wrong = Vec::new();
    for (code, severity, changes) in BROKEN {
        let findings = findings(&changed(changes));
        let worst = findings.iter().filter(|finding| finding.code.name == *code).map(|f| f.severity).max();
        if worst != Some(*severity) {
            let have: Vec<_> = findings.iter().map(|f| (f.code.name, f.severity)).collect();
            wrong.push(format!("{code} {changes:x?}: want {severity:?}, have {worst:?} of {have:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_untouched_fox_has_none_of_these_findings() {
    let have: Vec<_> = findings(&fox()).iter().map(|finding| finding.code.name).collect();
    assert_eq!(have, ["flush-tail"]);
}

#[test]
fn a_broken_fox_is_broken() {
    for (code, severity, changes) in BROKEN.iter().filter(|(_, severity, _)| *severity == Severity::Error) {
        let report = ModelReport::new("fox", findings(&changed(changes)));
        assert_eq!(report.verdict, Verdict::Broken, "{code} {severity:?}");
    }
}

#[test]
fn a_donor_is_compared() {
    let fox = fox();
    let mut longer = changed(&[(sk1(4) + 0x38, &[0, 1])]);
    longer.extend([0; 32]);
    let (donor, model) = (Model::from_block(&fox).unwrap(), Model::from_block(&longer).unwrap());
    let comparison = Comparison { donor: Some(&donor), lod_of: None };
    let findings = check(&model, &comparison, 0x80A0_0000, &[]);
    let have = |code: &str| findings.iter().any(|finding| finding.code.name == code);
    assert!(have("length-differs") && have("bone-not-in-donor-skin"));
}

#[test]
fn a_low_model_must_find_its_bones_in_the_high_one() {
    let (low, high) = (changed(&[(bone(23) + 0x16, &[0, 99])]), fox());
    let (low, high) = (Model::from_block(&low).unwrap(), Model::from_block(&high).unwrap());
    let comparison = Comparison { donor: None, lod_of: Some(&high) };
    let findings = check(&low, &comparison, 0x80A0_0000, &[]);
    let entries: Vec<_> = findings
        .iter()
        .filter(|f| f.code.name == "lod-bone-missing")
        .filter_map(|f| f.place.entry.clone())
        .collect();
    assert_eq!(entries, ["SK1[14]", "SK2[20]"]);
}

/// A second descriptor, in the unused bytes behind the first, that names the same layout or another.
fn two_submeshes(second_layout: u32) -> Vec<u8> {
    let mut bytes = changed(&[(GPL + 0x0C, &[0, 0, 0, 2])]);
    bytes[GPL + 0x28..GPL + 0x2C].copy_from_slice(&second_layout.to_be_bytes());
    bytes
}

#[test]
fn submeshes_of_every_ownership() {
    let codes = |bytes: &[u8]| -> Vec<&'static str> {
        findings(bytes).iter().map(|finding| finding.code.name).collect()
    };
    let skinned = codes(&two_submeshes(0x40));
    assert!(skinned.contains(&"skinned-submesh-not-first"));
    // Only what a bone draws needs an owner.
    assert!(!skinned.contains(&"geo-unowned"));
    // A layout of zeroes is rigid.
    let rigid = two_submeshes(0x88);
    assert!(codes(&rigid).contains(&"geo-unowned"));
    let owned = |bones: &[usize]| {
        let mut bytes = rigid.clone();
        for &index in bones {
            bytes[bone(index) + 0x14..bone(index) + 0x16].copy_from_slice(&[0, 1]);
        }
        codes(&bytes)
    };
    assert!(!owned(&[0]).contains(&"geo-unowned"));
    assert!(owned(&[0, 1]).contains(&"geo-owned-twice"));
}

#[test]
fn a_control_s_ignored_values_are_told() {
    let mut bytes = fox();
    let at = |bytes: &[u8], offset: usize| u32::from_be_bytes(bytes[offset..offset + 4].try_into().unwrap());
    let (index, control) = (0..24)
        .map(|index| (index, at(&bytes, bone(index)) as usize))
        .find(|(_, control)| *control != 0 && bytes[ACT + control] & 8 != 0)
        .unwrap();
    bytes[ACT + control] &= !8;
    bytes[ACT + control + 0x20..ACT + control + 0x24].copy_from_slice(&1f32.to_be_bytes());
    let findings = findings(&bytes);
    let found = findings.iter().find(|finding| finding.code.name == "control-ignored").unwrap();
    assert_eq!(found.place.entry.as_deref(), Some(format!("bone {index}").as_str()));
    assert!(found.text.contains("translation values are set"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_damaged_fox_is_checked_to_the_end(
        changes in proptest::collection::vec((0usize..48992, any::<u8>()), 1..40),
        headers in proptest::collection::vec((0usize..0x60, any::<u8>()), 0..3),
        length in 0x20usize..48993,
        cut in any::<bool>(),
    ) {
        let mut bytes = fox();
        for (offset, value) in changes {
            bytes[offset] = value;
        }
        for (offset, value) in headers {
            bytes[SKN + offset] = value;
        }
        if cut {
            bytes.truncate(length);
        }
        let report = ModelReport::new("fox", findings(&bytes)).folded(8);
        prop_assert!(report.findings.iter().all(|finding| finding.count > 0));
    }
}
