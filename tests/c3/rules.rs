//! One broken block a rule: the fox with a few bytes changed, and what the check must say.

use proptest::prelude::*;
use skinsim::c3::check::{Comparison, check};
use skinsim::c3::model::Model;
use skinsim::c3::rules::CODES;
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

fn findings(bytes: &[u8]) -> Vec<Finding> {
    let model = Model::from_block(bytes).unwrap();
    check(&model, &Comparison::default(), 0x80A0_0000, &[Target::Dolphin, Target::Console])
}

const fn sk1(index: usize) -> usize {
    SKN + 0x24 + 0x40 * index
}

const fn sk2(index: usize) -> usize {
    SKN + 0x3E4 + 0x74 * index
}

const fn skacc(index: usize) -> usize {
    SKN + 0xD68 + 0x44 * index
}

const fn bone(index: usize) -> usize {
    ACT + 0x20 + 0x1C * index
}

type Change = (usize, &'static [u8]);

/// Code, severity it must have, bytes that are changed.
const BROKEN: &[(&str, Severity, &[Change])] = &[
    ("block-header", Severity::Error, &[(0, &[0, 0, 0, 1])]),
    ("block-header", Severity::Error, &[(8, &[0, 0, 0, 0])]),
    ("block-header", Severity::Error, &[(0x10, &[0, 1, 0, 0])]),
    ("section-order", Severity::Warning, &[(0x08, &[0, 0, 0x5D, 0xC0]), (0x10, &[0, 0, 0x56, 0])]),
    ("section-unaligned", Severity::Error, &[(0x10, &[0, 0, 0x5D, 0xC4])]),
    ("version-unknown", Severity::Error, &[(GPL, &[0, 0, 0, 9])]),
    ("version-unknown", Severity::Error, &[(ACT, &[0, 0, 0, 9])]),
    ("out-of-bounds", Severity::Error, &[(GPL + 0x10, &[0, 1, 0, 0])]),
    ("out-of-bounds", Severity::Error, &[(sk1(3) + 0x30, &[0, 1, 0, 0])]),
    ("out-of-bounds", Severity::Error, &[(SKN, &[0xFF, 0xFF])]),
    ("quantize-unknown", Severity::Error, &[(POSITION_HEADER + 6, &[0x78])]),
    ("quantize-unknown", Severity::Error, &[(COLOUR_HEADER + 6, &[0x60])]),
    ("components-unsupported", Severity::Error, &[(POSITION_HEADER + 7, &[4])]),
    ("no-skinned-submesh", Severity::Error, &[(POSITION_HEADER + 7, &[3])]),
    ("skinned-positions-not-s16", Severity::Error, &[(POSITION_HEADER + 6, &[0x48])]),
    ("shift-mismatch", Severity::Error, &[(POSITION_HEADER + 6, &[0x3A])]),
    ("shift-out-of-range", Severity::Error, &[(SKN + 6, &[40])]),
    ("header-unaligned", Severity::Error, &[(GPL + 0x44, &[0, 0, 0x47, 0xC1])]),
    ("positions-unaligned", Severity::Error, &[(POSITION_HEADER, &[0, 0, 0, 0x6C])]),
    ("primitive-index", Severity::Error, &[(PRIMITIVES + 3, &[0x7F, 0xFF])]),
    ("primitive-overrun", Severity::Error, &[(PRIMITIVES + 1, &[0xFF, 0xFF])]),
    ("primitive-opcode", Severity::Error, &[(PRIMITIVES, &[0xFF])]),
    ("primitive-list-unaligned", Severity::Error, &[(STATES + 0x18, &[0, 0, 0x48, 0x04])]),
    ("primitive-list-length", Severity::Error, &[(STATES + 0x1C, &[0, 0, 0x0D, 0x9C])]),
    ("descriptor-direct", Severity::Error, &[(STATES + 4, &[0, 0, 0, 0x04])]),
    ("descriptor-index-width", Severity::Error, &[(STATES + 4, &[0, 0, 0, 0x08])]),
    ("geo-owns-skinned", Severity::Warning, &[(bone(5) + 0x14, &[0, 0])]),
    ("geo-out-of-range", Severity::Error, &[(bone(5) + 0x14, &[0, 9])]),
    ("bone-owns-mesh", Severity::Warning, &[(bone(6) + 0x14, &[0, 0])]),
    ("count-wraps", Severity::Error, &[(sk1(2) + 0x3A, &[0, 1])]),
    ("count-wraps", Severity::Error, &[(sk2(2) + 0x70, &[0, 0])]),
    ("count-wraps", Severity::Error, &[(skacc(3) + 0x42, &[0, 0])]),
    ("count-below-vanilla", Severity::Warning, &[(sk1(11) + 0x3A, &[0, 2])]),
    ("source-over-buffer", Severity::Error, &[(sk2(6) + 0x70, &[1, 0x68])]),
    ("dma-length-wraps", Severity::Error, &[(sk2(6) + 0x70, &[1, 0x68])]),
    ("store-size-wraps", Severity::Error, &[(sk1(3) + 0x3A, &[0x16, 0])]),
    ("dma-address-unaligned", Severity::Error, &[(sk1(3) + 0x30, &[0, 0, 0x15, 0x04])]),
    ("dma-address-unaligned", Severity::Error, &[(sk2(3) + 0x64, &[0, 0, 0x57, 0x84])]),
    ("vertex-offset", Severity::Error, &[(sk1(3) + 0x3C, &[6])]),
    ("line-shared", Severity::Error, &[(sk1(5) + 0x34, &[0, 0, 0x12, 0x40])]),
    ("destination-overlap", Severity::Error, &[(sk1(5) + 0x34, &[0, 0, 0x11, 0x40])]),
    ("write-back-over-structure", Severity::Error, &[(sk2(20) + 0x70, &[0, 41])]),
    ("write-outside-scratch", Severity::Warning, &[(sk2(20) + 0x70, &[0, 36])]),
    ("write-outside-model", Severity::Error, &[(sk1(0) + 0x34, &[0, 0, 0xC0, 0])]),
    ("bone-out-of-range", Severity::Error, &[(sk1(4) + 0x38, &[0, 24])]),
    ("entries-unsorted", Severity::Note, &[(sk1(0) + 0x34, &[0, 0, 0x45, 0xA0])]),
    ("source-off-mirror", Severity::Warning, &[(sk1(0) + 0x30, &[0, 0, 0x10, 0])]),
    ("array-unaligned", Severity::Error, &[(sk2(3) + 0x64, &[0, 0, 0x57, 0x84])]),
    ("array-overlap", Severity::Warning, &[(sk1(0) + 0x30, &[0, 0, 0x10, 0])]),
    ("array-order", Severity::Note, &[(SKN + 0x1C, &[0, 0, 0x61, 0x80])]),
    ("padding-not-zero", Severity::Note, &[(sk1(0) + 0x3D, &[1])]),
    ("prefix-not-zero", Severity::Note, &[(SKN + 0x1000, &[1])]),
    ("clear-hits-direct", Severity::Error, &[(SKN + 0x14, &[0, 0, 1, 0x40, 0, 0, 0, 0x20])]),
    ("clear-range", Severity::Warning, &[(SKN + 0x14, &[0, 0, 1, 0x40, 0, 0, 0, 0x20])]),
    ("clear-without-accumulation", Severity::Warning, &[(SKN + 4, &[0, 0]), (SKN + 0x18, &[0, 0, 0, 0x20])]),
    ("accumulate-into-sk1", Severity::Warning, &[(SKN + 0x5EE0, &[0, 60])]),
    ("accumulate-base", Severity::Warning, &[(skacc(1) + 0x38, &[0, 0, 0, 0x0C])]),
    ("flush-missing", Severity::Error, &[(SKN + 0x20, &[0, 0, 0, 0])]),
    ("flush-superfluous", Severity::Note, &[(SKN + 0x55E0, &[0, 9])]),
    ("flush-out-of-range", Severity::Warning, &[(SKN + 0x55E0, &[0x40, 0])]),
    ("weight-sum", Severity::Warning, &[(SKN + 0x5620, &[1, 1])]),
    ("weight-zero", Severity::Note, &[(SKN + 0x5620, &[0, 255])]),
    ("weight-duplicate", Severity::Note, &[(sk2(3) + 0x6C, &[0, 2, 0, 2])]),
    ("slot-unwritten", Severity::Error, &[(sk1(11) + 0x3A, &[0, 3])]),
    ("bone-count", Severity::Error, &[(ACT + 6, &[0, 25])]),
    ("tree-link", Severity::Error, &[(bone(3) + 0x10, &[0, 0, 0, 0x21])]),
    ("tree-link", Severity::Warning, &[(bone(3) + 0x0C, &[0, 0, 0, 0])]),
];

/// Codes that need more than a few changed bytes; where they are tried instead.
const ELSEWHERE: &[&str] = &[
    "length-differs",            // a_donor_is_compared
    "bone-not-in-donor-skin",    // a_donor_is_compared
    "lod-bone-missing",          // a_low_model_must_find_its_bones_in_the_high_one
    "skinned-submesh-not-first", // submeshes_of_every_ownership
    "geo-unowned",               // submeshes_of_every_ownership
    "geo-owned-twice",           // submeshes_of_every_ownership
    "control-ignored",           // a_control_s_ignored_values_are_told
    "flush-tail",                // the fox itself
];

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
    assert!(codes(&two_submeshes(0x40)).contains(&"skinned-submesh-not-first"));
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

#[test]
fn a_list_of_what_is_tried_here_names_codes_that_exist() {
    let names: Vec<_> = CODES.iter().map(|code| code.name).collect();
    for code in BROKEN.iter().map(|(code, ..)| code).chain(ELSEWHERE) {
        assert!(names.contains(code), "{code}");
    }
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
