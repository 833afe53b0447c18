//! Addresses that wrap: the machine counts in 32 bits, a transfer in 29, and so must the rules.

use skinsim::c3::check::{Comparison, check_on};
use skinsim::c3::model::Model;
use skinsim::c3::rules::effects::Target;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::finding::{Finding, Severity};
use skinsim::gekko::map::Console;

use super::sweep::contradictions;
use super::{SKN, findings, fox, sk1, sk2, skacc};

/// A word of the block, and what becomes of it.
type Edit = (usize, fn(u32) -> u32);

/// The fox with some words changed.
fn with(changes: &[Edit]) -> Vec<u8> {
    let mut bytes = fox();
    for (at, change) in changes {
        let word = u32::from_be_bytes(bytes[*at..*at + 4].try_into().unwrap());
        bytes[*at..*at + 4].copy_from_slice(&change(word).to_be_bytes());
    }
    bytes
}

/// The findings, none of which may contradict another or be left without a rule.
fn told(bytes: &[u8]) -> Vec<Finding> {
    let findings = findings(bytes);
    assert_eq!(contradictions(&findings), [""; 0]);
    findings
}

fn codes(findings: &[Finding]) -> Vec<(&'static str, Severity)> {
    findings.iter().map(|finding| (finding.code.name, finding.severity)).collect()
}

fn text<'f>(findings: &'f [Finding], code: &str) -> &'f str {
    let finding = findings.iter().find(|finding| finding.code.name == code);
    &finding.unwrap_or_else(|| panic!("no {code} among {:?}", codes(findings))).text
}

#[test]
fn a_destination_before_the_array_has_a_place_before_the_mirror() {
    let findings = told(&with(&[(sk1(0) + 0x34, |old| old.wrapping_sub(0x60))]));
    let mirror = text(&findings, "source-off-mirror");
    assert_eq!(mirror, "its source lies at 0xec0 of the SKN, its place in the mirror is 0xe60");
    // The first vertex lies on a slot, counted backwards.
    assert!(findings.iter().all(|finding| finding.code.name != "vertex-offset"));
    let shared = |finding: &&Finding| matches!(finding.code.name, "line-shared" | "destination-overlap");
    assert_eq!(findings.iter().filter(shared).count(), 0, "{:?}", codes(&findings));
}

#[test]
fn entries_that_meet_before_the_array_are_told() {
    // Both begin eight lines before it; SK1[1] runs later.
    let before: fn(u32) -> u32 = |_| 0xFFFF_FF00;
    let findings = told(&with(&[(sk1(0) + 0x34, before), (sk1(1) + 0x34, before)]));
    let shared = text(&findings, "line-shared");
    assert!(shared.starts_with("it stores the lines -0x100.."), "{shared}");
}

#[test]
fn bits_that_a_transfer_drops_change_nothing() {
    for bit in [0x2000_0000, 0x4000_0000, 0x8000_0000_u32] {
        let mut bytes = fox();
        for at in [sk1(3) + 0x34, sk2(4) + 0x68, sk1(5) + 0x30, sk2(6) + 0x64, skacc(1) + 0x34] {
            let word = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) | bit;
            bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
        }
        let findings = told(&bytes);
        let worst = findings.iter().map(|finding| finding.severity).max();
        assert_eq!(worst, Some(Severity::Warning), "{bit:#x}: {:?}", codes(&findings));
        let pointers = findings.iter().filter(|finding| finding.code.name == "out-of-bounds");
        assert_eq!(pointers.count(), 3, "{bit:#x}");
        let outside = text(&findings, "write-outside-model");
        assert!(outside.contains("a transfer keeps 29 bits of an address"), "{outside}");
    }
}

/// What lies 256 MB on is the second memory: behind the block, not before it.
#[test]
fn a_destination_in_the_second_memory_lies_behind_the_block() {
    let findings = told(&with(&[(sk1(3) + 0x34, |old| old | 0x1000_0000)]));
    let outside: Vec<_> = findings.iter().filter(|f| f.code.name == "write-outside-model").collect();
    assert_eq!(outside.len(), 1, "{outside:?}");
    assert!(outside[0].text.contains(" bytes behind the end of the block, 0xff"), "{}", outside[0].text);
}

/// The library of the GameCube keeps 28 bits: MEM2 is out of its reach.
#[test]
fn a_gamecube_drops_one_bit_more() {
    let bytes = with(&[(sk1(3) + 0x34, |old| old | 0x1000_0000)]);
    let model = Model::from_block(&bytes).unwrap();
    let worst = |console| {
        let switches = RunOptions { console, ..RunOptions::default() };
        let targets = [Target::Dolphin, Target::Console];
        let findings = check_on(&model, &Comparison::default(), 0x80A0_0000.into(), &targets, &switches);
        findings.iter().map(|finding| finding.severity).max().unwrap()
    };
    assert_eq!(worst(Console::GameCube), Severity::Warning);
    assert_eq!(worst(Console::Wii), Severity::Error);
}

#[test]
fn accumulation_wraps_around_memory() {
    // One slot before the array, with every index one higher, comes to the same slots.
    let mut bytes = with(&[(skacc(0) + 0x38, |_| 0xFFFF_FFF4)]);
    let (start, count) =
        (SKN + 0x5EE0, usize::from(u16::from_be_bytes(fox()[skacc(0) + 0x42..][..2].try_into().unwrap())));
    for number in 0..count {
        let at = start + 2 * number;
        let index = u16::from_be_bytes([bytes[at], bytes[at + 1]]) + 1;
        bytes[at..at + 2].copy_from_slice(&index.to_be_bytes());
    }
    // The flush counts from the first entry's base.
    let flushes = u32::from_be_bytes(bytes[SKN + 0x20..SKN + 0x24].try_into().unwrap()) as usize;
    for number in 0..flushes {
        let at = SKN + 0x55E0 + 2 * number;
        let index = u16::from_be_bytes([bytes[at], bytes[at + 1]]) + 1;
        bytes[at..at + 2].copy_from_slice(&index.to_be_bytes());
    }
    let findings = told(&bytes);
    let have = codes(&findings);
    assert_eq!(have, [("accumulate-base", Severity::Warning), ("flush-tail", Severity::Warning)]);
}

/// Memory lies a second time at 0xC0000000, uncached: the same slots are written.
#[test]
fn accumulation_into_the_uncached_view_reaches_the_array() {
    let findings = told(&with(&[(skacc(0) + 0x38, |_| 0x4000_0000)]));
    assert!(findings.iter().all(|f| !matches!(f.code.name, "slot-unwritten" | "write-outside-model")));
    assert_eq!(
        findings.iter().find(|f| f.code.name == "accumulate-base").unwrap().dolphin.as_ref().unwrap(),
        &skinsim::finding::Effect::None
    );
}

#[test]
fn a_destination_in_the_second_memory_is_told_where_it_lies() {
    let findings = told(&with(&[(sk1(0) + 0x34, |_| 0x1000_0000)]));
    let outside = text(&findings, "write-outside-model");
    assert!(outside.ends_with("stores at 0x10000000 of the position array"), "{outside}");
}
