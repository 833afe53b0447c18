//! Every field of the fox's structures with values at and past its limits: whatever a frame does must be the doing
//! of some rule, and severities must follow from what the frames show.

use skinsim::c3::format::block::SectionKind;
use skinsim::finding::{Effect, Finding, Severity};

use super::every::{ONE, TWO, plan, texture};
use super::fields::{
    ACCUMULATION_INDEX, CLEAR_AND_FLUSH, Field, GEOMETRY, SKINNING_HEADER, sk1_entry, sk2_entry, skacc_entry,
};
use super::written::{Clear, Plan, Run};
use super::{ACT, GPL, POSITION_HEADER, STATES, bone, findings, fox, sk1, sk2, skacc};

/// What a field of this width is tried with: limits, neighbours, bits off a line.
pub(super) fn values(old: u64, width: usize) -> Vec<u64> {
    let most = u64::MAX >> (64 - 8 * width);
    let mut values = vec![
        0,
        1,
        2,
        old.wrapping_sub(1),
        old + 1,
        old ^ 4,
        old + 12,
        old + 32,
        most,
        most / 2,
        most / 2 + 1,
    ];
    if width == 4 {
        values.extend([old + 0x1000, 0x61A0, 0x8000, 0xBF60, 0x8000_0000]);
    }
    values.retain(|&value| value != old && value <= most);
    values.sort_unstable();
    values.dedup();
    values
}

pub(super) fn read(bytes: &[u8], (_, at, width): Field) -> u64 {
    bytes[at..at + width].iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn is_harmful(effect: Option<&Effect>) -> bool {
    effect.is_some_and(Effect::is_harm)
}

/// What contradicts itself among the findings of a block.
pub(super) fn contradictions(findings: &[Finding]) -> Vec<String> {
    let mut wrong = Vec::new();
    for finding in findings {
        let code = finding.code.name;
        let harmful = is_harmful(finding.dolphin.as_ref()) || is_harmful(finding.console.as_ref());
        let is_open = matches!(code, "flush-tail" | "clear-cut-short");
        if matches!(code, "frame-fault" | "output-differs") {
            wrong.push(format!(
                "{code}: {:?} {:?} {:?}",
                finding.place.entry, finding.dolphin, finding.console
            ));
        } else if harmful && finding.severity != Severity::Error && !is_open {
            wrong.push(format!("{code} is no error: {:?}", finding.dolphin));
        }
    }
    wrong
}

fn hold(fields: &[Field]) {
    hold_in(&fox(), fields);
}

fn hold_in(good: &[u8], fields: &[Field]) {
    let mut wrong = Vec::new();
    for &field in fields {
        let (name, at, width) = field;
        for value in values(read(good, field), width) {
            let mut bytes = good.to_vec();
            bytes[at..at + width].copy_from_slice(&value.to_be_bytes()[8 - width..]);
            let told = findings(&bytes);
            let told = contradictions(&told);
            wrong.extend(told.into_iter().take(2).map(|text| format!("{name} {value:#x}: {text}")));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn fields_of_the_skinning_header() {
    hold(&SKINNING_HEADER);
}

#[test]
fn fields_of_clear_and_flush() {
    hold(&CLEAR_AND_FLUSH);
}

#[test]
fn fields_of_sk1_entries() {
    hold(&sk1_entry(3));
    hold(&[("last count", sk1(14) + 0x3A, 2)]);
}

#[test]
fn fields_of_sk2_entries() {
    hold(&sk2_entry(3));
    hold(&[("first bone", sk2(3) + 0x6C, 2), ("last count", sk2(20) + 0x70, 2)]);
}

#[test]
fn fields_of_accumulating_entries() {
    hold(&skacc_entry(1));
    hold(&[("last count", skacc(4) + 0x42, 2), ("first base", skacc(0) + 0x38, 4), ACCUMULATION_INDEX]);
}

#[test]
fn fields_of_the_geometry() {
    hold(&GEOMETRY);
    hold(&[
        ("descriptors", GPL + 0xC, 4),
        ("descriptor array", GPL + 0x10, 4),
        ("position components", POSITION_HEADER + 7, 1),
    ]);
}

#[test]
fn fields_of_states_and_bones() {
    hold(&[
        ("state id", STATES + 0x10, 1),
        ("setting", STATES + 4, 4),
        ("primitive list", STATES + 0x18, 4),
        ("list size", STATES + 0x1C, 4),
        ("bone count", ACT + 6, 2),
        ("root", ACT + 0xC, 4),
        ("skin object", ACT + 0x14, 2),
        ("control", bone(5), 4),
        ("next", bone(5) + 8, 4),
        ("parent", bone(5) + 0xC, 4),
        ("child", bone(5) + 0x10, 4),
        ("object", bone(5) + 0x14, 2),
        ("id", bone(5) + 0x16, 2),
        ("inheritance", bone(5) + 0x18, 1),
    ]);
}

#[test]
fn fields_of_the_block() {
    hold(&[
        ("zero", 0, 4),
        ("GPL", 4, 4),
        ("ACT", 8, 4),
        ("TEX", 0xC, 4),
        ("SKN", 0x10, 4),
        ("facial", 0x18, 4),
    ]);
}

/// A model with everything that the fox lacks: slots that only accumulation writes, a clear range, a texture,
/// facial poses.
pub(super) fn everything() -> Vec<u8> {
    let two = Run { supplemented: 2, gap: 1, ..TWO };
    let plan = Plan { accumulated: 24, face: true, clear: Clear::ExtraLine, ..plan(&[ONE, two, ONE]) };
    let mut texture = texture();
    texture[7] = 0x20;
    plan.write().block(Some(&texture))
}

pub(super) fn section(bytes: &[u8], kind: SectionKind) -> usize {
    let field = kind.header_offset() as usize;
    u32::from_be_bytes(bytes[field..field + 4].try_into().unwrap()) as usize
}

/// Words and halves from an offset on.
fn fields(name: &'static str, start: usize, bytes: usize, width: usize) -> Vec<Field> {
    (start..start + bytes).step_by(width).map(|at| (name, at, width)).collect()
}

#[test]
fn lists_of_a_model_with_accumulated_slots() {
    let bytes = everything();
    let skn = section(&bytes, SectionKind::Skn);
    hold_in(&bytes, &fields("header", skn + 0x14, 0x10, 4));
    let acc = skn + u32::from_be_bytes(bytes[skn + 0x10..skn + 0x14].try_into().unwrap()) as usize;
    hold_in(&bytes, &fields("first entry", acc + 0x30, 0x10, 4));
    hold_in(&bytes, &fields("second entry", acc + 0x44 + 0x40, 4, 2));
}

#[test]
fn fields_of_textures_and_poses() {
    let bytes = everything();
    let (tex, facial) = (section(&bytes, SectionKind::Tex), section(&bytes, SectionKind::Facial));
    hold_in(&bytes, &fields("texture", tex, 0x20, 2));
    hold_in(&bytes, &fields("header", facial, 8, 2));
    hold_in(&bytes, &fields("object", facial + 8, 0xC, 4));
    hold_in(&bytes, &fields("attribute", facial + 0x14, 0x14, 4));
    hold_in(&bytes, &fields("kinds", facial + 0x18, 4, 1));
}

/// SK1[5] stores 11 lines; the low bits of 0x53B1 make 79 of them, over the header of the skinning section.
#[test]
fn a_store_that_its_address_makes_longer_answers_for_what_it_runs_over() {
    let mut bytes = fox();
    bytes[sk1(5) + 0x34..sk1(5) + 0x38].copy_from_slice(&0x53B1_u32.to_be_bytes());
    let findings = findings(&bytes);
    assert_eq!(contradictions(&findings), [""; 0]);
    let over = findings.iter().filter(|finding| finding.code.name == "write-back-over-structure");
    assert!(over.into_iter().any(|finding| finding.text.contains("bytes into the SKN section: ")));
}
