//! Two defects of one entry: each finding says what it says of its own defect alone, or that the frame does not
//! come to it.

use std::mem::{Discriminant, discriminant};

use skinsim::finding::{Effect, Finding, Severity};

use super::{SKN, findings, fox, sk1, sk2, skacc};

/// A field of an entry, and what becomes of it.
#[derive(Clone, Copy)]
struct Defect {
    name: &'static str,
    at: usize,
    width: usize,
    change: fn(u32) -> u32,
    /// Whether other slots are written than the entry draws, or with vertices that the file does not hold: then
    /// what the other defect spoils is not drawn, or cannot be compared.
    elsewhere: bool,
}

const fn defect(name: &'static str, at: usize, width: usize, change: fn(u32) -> u32) -> Defect {
    Defect { name, at, width, change, elsewhere: false }
}

impl Defect {
    const fn elsewhere(self) -> Self {
        Self { elsewhere: true, ..self }
    }
}

impl Defect {
    fn apply(&self, bytes: &mut [u8]) {
        let field = &mut bytes[self.at..self.at + self.width];
        let old = field.iter().fold(0, |old, &byte| old << 8 | u32::from(byte));
        field.copy_from_slice(&(self.change)(old).to_be_bytes()[4 - self.width..]);
    }
}

/// Defects of an entry's record: where its bone, count, offset, source and destination lie. Those of one field are
/// beside each other.
fn of_record(start: usize, [bone, count, offset, source, destination]: [usize; 5]) -> Vec<Defect> {
    vec![
        defect("a bone that is none", start + bone, 2, |_| 99),
        defect("a bone far behind the array", start + bone, 2, |_| 0xFFFF),
        defect("no vertex", start + count, 2, |_| 0),
        defect("one vertex", start + count, 2, |_| 1),
        defect("two vertices", start + count, 2, |_| 2),
        defect("over the known limit", start + count, 2, |old| if old > 100 { 682 } else { 341 }),
        defect("over the buffer", start + count, 2, |_| 700),
        defect("more than 16 bits hold", start + count, 2, |_| 5632),
        defect("between slots", start + offset, 1, |_| 6),
        defect("a vertex on", start + offset, 1, |old| old + 12),
        defect("a source beside its line", start + source, 4, |old| old + 4),
        defect("another source", start + source, 4, |_| 0x1000),
        defect("a source outside", start + source, 4, |_| 0x1_0000).elsewhere(),
        defect("a destination beside its line", start + destination, 4, |old| old | 1),
        defect("a destination on a structure", start + destination, 4, |_| 0x4780).elsewhere(),
        defect("a destination before the array", start + destination, 4, |_| 0xFFFF_FF80).elsewhere(),
        defect("a destination outside", start + destination, 4, |_| 0xC000).elsewhere(),
    ]
}

const SK1: [usize; 5] = [0x38, 0x3A, 0x3C, 0x30, 0x34];
const SK2: [usize; 5] = [0x6C, 0x70, 0x72, 0x60, 0x68];

fn sk1_defects(index: usize) -> Vec<Defect> {
    let mut defects = of_record(sk1(index), SK1);
    defects.push(defect("padding", sk1(index) + 0x3D, 1, |_| 1));
    defects
}

fn sk2_defects(index: usize) -> Vec<Defect> {
    let mut defects = of_record(sk2(index), SK2);
    defects.push(defect("weights beside their line", sk2(index) + 0x64, 4, |old| old + 4));
    defects.push(defect("second bone", sk2(index) + 0x6E, 2, |_| 99));
    defects.push(defect("padding", sk2(index) + 0x73, 1, |_| 1));
    defects
}

fn skacc_defects(index: usize) -> Vec<Defect> {
    let start = skacc(index);
    vec![
        defect("a bone that is none", start + 0x40, 2, |_| 99),
        defect("no vertex", start + 0x42, 2, |_| 0),
        defect("over the buffer", start + 0x42, 2, |_| 400),
        defect("a base", start + 0x38, 4, |_| 12),
        defect("a base between slots", start + 0x38, 4, |_| 4),
        defect("a source beside its line", start + 0x30, 4, |old| old + 4),
        defect("indices beside their line", start + 0x34, 4, |old| old + 2),
        defect("weights beside their line", start + 0x3C, 4, |old| old + 1),
    ]
}

/// Codes of which no frame can show an effect.
const NEVER: [&str; 5] =
    ["count-below-vanilla", "entries-unsorted", "prefix-not-zero", "padding-not-zero", "array-order"];

/// Codes whose faults no other defect of the entry changes.
const FAULTS: [&str; 2] = ["count-wraps", "bone-out-of-range"];

fn with(defects: &[&Defect]) -> Vec<Finding> {
    let mut bytes = fox();
    for defect in defects {
        defect.apply(&mut bytes);
    }
    findings(&bytes)
}

/// What kind each target's effect is of.
fn kinds(finding: &Finding) -> [Option<Discriminant<Effect>>; 2] {
    [&finding.dolphin, &finding.console].map(|effect| match effect {
        Some(Effect::Unshown(..)) | None => None,
        Some(effect) => Some(discriminant(effect)),
    })
}

/// Whether a finding of a pair says what it says alone, or that no frame comes to it.
fn says_the_same(alone: &Finding, both: &Finding) -> bool {
    let kinds = kinds(alone).into_iter().zip(kinds(both));
    let unshown = |finding: &Finding| self::kinds(finding).contains(&None);
    let severity = alone.severity == both.severity || unshown(alone) || unshown(both);
    kinds.into_iter().all(|(alone, both)| both.is_none() || alone == both || alone.is_none()) && severity
}

fn same_place(a: &Finding, b: &Finding) -> bool {
    (a.code.name, &a.place, &a.text) == (b.code.name, &b.place, &b.text)
}

/// Every pair of defects of different fields, against each alone.
fn pairs_of(entry: &str, defects: &[Defect]) -> Vec<String> {
    let alone: Vec<Vec<Finding>> = defects.iter().map(|defect| with(&[defect])).collect();
    let mut wrong = Vec::new();
    for (first, one) in defects.iter().enumerate() {
        for (second, other) in
            defects.iter().enumerate().skip(first + 1).filter(|(_, other)| other.at != one.at)
        {
            let both = with(&[one, other]);
            let mut tell =
                |text: String| wrong.push(format!("{entry}, {} and {}: {text}", one.name, other.name));
            for finding in both.iter().filter(|finding| NEVER.contains(&finding.code.name)) {
                let harmful = [&finding.dolphin, &finding.console].into_iter().flatten().any(Effect::is_harm);
                if harmful || finding.severity == Severity::Error {
                    tell(format!("{} does something: {:?}", finding.code.name, finding.dolphin));
                }
            }
            let known = alone[first].iter().chain(&alone[second]);
            let here = !one.elsewhere && !other.elsewhere;
            let compared = |finding: &&Finding| here || FAULTS.contains(&finding.code.name);
            let known =
                known.filter(compared).filter(|finding| finding.place.entry.as_deref() == Some(entry));
            for known in known {
                for finding in both.iter().filter(|finding| same_place(finding, known)) {
                    if !says_the_same(known, finding) {
                        tell(format!(
                            "{} says {:?} {:?}, {:?}; alone {:?} {:?}, {:?}",
                            known.code.name,
                            finding.severity,
                            finding.dolphin,
                            finding.console,
                            known.severity,
                            known.dolphin,
                            known.console
                        ));
                    }
                }
            }
        }
    }
    wrong
}

fn hold(entry: &str, defects: &[Defect]) {
    let wrong = pairs_of(entry, defects);
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn two_defects_of_an_entry_in_the_odd_buffer() {
    hold("SK1[3]", &sk1_defects(3));
}

#[test]
fn two_defects_of_an_entry_in_the_even_buffer() {
    hold("SK1[10]", &sk1_defects(10));
}

#[test]
fn two_defects_of_an_entry_of_two_bones() {
    hold("SK2[6]", &sk2_defects(6));
    hold("SK2[3]", &sk2_defects(3));
}

#[test]
fn two_defects_of_an_entry_that_accumulates() {
    hold("SKAcc[1]", &skacc_defects(1));
    hold("SKAcc[2]", &skacc_defects(2));
}

fn only(findings: &[Finding], code: &str) -> Finding {
    let found: Vec<_> = findings.iter().filter(|finding| finding.code.name == code).collect();
    assert_eq!(found.len(), 1, "{code}: {findings:#?}");
    found[0].clone()
}

fn both_of(finding: &Finding) -> [&Effect; 2] {
    [finding.dolphin.as_ref().unwrap(), finding.console.as_ref().unwrap()]
}

const BONE: Defect = defect("bone", sk1(10) + 0x38, 2, |_| 99);

#[test]
fn a_fault_is_the_bone_s_and_the_rest_is_seen_with_a_bone_that_exists() {
    let offset = defect("offset", sk1(10) + 0x3C, 1, |_| 6);
    let findings = with(&[&BONE, &offset]);
    assert!(both_of(&only(&findings, "bone-out-of-range")).iter().all(|e| matches!(e, Effect::Faults(_))));
    let offset = only(&findings, "vertex-offset");
    assert!(both_of(&offset).iter().all(|e| matches!(e, Effect::WrongOutput(_))), "{offset:?}");
    let two = with(&[&BONE, &defect("count", sk1(10) + 0x3A, 2, |_| 2)]);
    let two = only(&two, "count-below-vanilla");
    assert_eq!((two.severity, both_of(&two)), (Severity::Warning, [&Effect::None; 2]));
}

#[test]
fn what_a_wrapped_counter_hides_is_not_called_harmless() {
    let weights = defect("weights", sk2(0) + 0x64, 4, |old| old + 4);
    let findings = with(&[&weights, &defect("count", sk2(0) + 0x70, 2, |_| 1)]);
    let unaligned = only(&findings, "dma-address-unaligned");
    assert_eq!(unaligned.severity, Severity::Error);
    for effect in both_of(&unaligned) {
        assert!(matches!(effect, Effect::Unshown(..)), "{effect:?}");
    }
}

#[test]
fn a_machine_check_of_a_count_is_not_the_base_s() {
    let base = defect("base", skacc(1) + 0x38, 4, |_| 12);
    let findings = with(&[&base, &defect("count", skacc(1) + 0x42, 2, |_| 0)]);
    let base = only(&findings, "accumulate-base");
    assert_eq!(base.severity, Severity::Warning);
    assert!(both_of(&base).iter().all(|effect| !effect.is_harm()), "{base:?}");
}

#[test]
fn what_the_loader_has_read_is_overwritten_without_effect() {
    // SK1[0] stores over headers that the loader copies, and its vertices are wrong besides.
    let before = defect("destination", sk1(0) + 0x34, 4, |_| 0xFFFF_FF80);
    let findings = with(&[&before, &defect("offset", sk1(0) + 0x3C, 1, |_| 6)]);
    let loaded = findings.iter().filter(|finding| finding.text.ends_with("read once while loading"));
    let loaded: Vec<_> = loaded.filter(|finding| finding.code.name == "write-back-over-structure").collect();
    assert!(!loaded.is_empty());
    for finding in loaded {
        assert_eq!(
            (finding.severity, both_of(finding)),
            (Severity::Warning, [&Effect::None; 2]),
            "{finding:?}"
        );
    }
}

#[test]
fn weights_that_sum_to_little_draw_towards_the_origin() {
    let findings = with(&[&defect("weights", SKN + 0x5620, 2, |_| 0x0101)]);
    let sum = only(&findings, "weight-sum");
    assert_eq!(sum.severity, Severity::Warning);
    for effect in both_of(&sum) {
        let Effect::Unshown(_, words) = effect else { panic!("{effect:?}") };
        assert!(
            words.ends_with("the vertex is drawn at 2 256ths of its place, towards the origin"),
            "{words}"
        );
    }
}
