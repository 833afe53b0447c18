//! More shapes of good models: number types, several submeshes, no skinning, the other console, the other form of
//! clearing. None of them has an error on any target.

use skinsim::c3::build::container;
use skinsim::c3::check::{Comparison, check_on};
use skinsim::c3::format::block::SectionKind;
use skinsim::c3::format::gpl::Gpl;
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::c3::rules::effects::Target;
use skinsim::c3::runtime::frame::ClearForm;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::finding::{Finding, Severity};
use skinsim::gekko::map::Console;

use super::every::{ONE, TWO, plan};
use super::sweep::section;
use super::written::{Clear, Plan, Run};

const TARGETS: [Target; 2] = [Target::Dolphin, Target::Console];

/// Errors, in words.
fn errors(findings: &[Finding]) -> Vec<String> {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let told = |f: &Finding| {
        format!("{} {:?}: {} {:?} {:?}", f.code.name, f.place.entry, f.text, f.dolphin, f.console)
    };
    errors.map(told).collect()
}

/// A block has no error on either console, in either form of clearing.
#[track_caller]
fn is_good(block: &[u8], what: &str) {
    let model = Model::from_block(block).unwrap();
    for console in [Console::Wii, Console::GameCube] {
        for clear in [ClearForm::Dcbz, ClearForm::Bytes] {
            let switches = RunOptions { console, clear, ..RunOptions::default() };
            let findings = check_on(&model, &Comparison::default(), 0x80A0_0000.into(), &TARGETS, &switches);
            assert_eq!(errors(&findings), [""; 0], "{what}, {console:?}, {clear:?}");
        }
    }
}

/// Everything that known models have, one beside the other.
fn rich() -> Plan {
    let supplemented = Run { supplemented: 2, gap: 1, ..TWO };
    Plan {
        accumulated: 24,
        holes: true,
        clear: Clear::ExtraLine,
        palette: Some("body"),
        face: true,
        ..plan(&[ONE, Run { gap: 2, ..ONE }, supplemented, Run { same: true, ..TWO }])
    }
}

#[test]
fn every_shift_of_the_positions() {
    for shift in 1..16 {
        let mut written = rich().write();
        (written.skn.shift, written.gpl.shift) = (shift, shift);
        is_good(&written.block(None), &format!("shift {shift}"));
    }
}

#[test]
fn the_usual_clear_range_in_both_forms() {
    for accumulated in 1..40 {
        let plan = Plan { accumulated, clear: Clear::Usual, ..plan(&[ONE, Run { supplemented: 3, ..TWO }]) };
        is_good(&plan.write().block(None), &format!("{accumulated} slots"));
    }
}

/// A byte of an array header of the geometry.
fn header_byte(block: &[u8], of: fn(&Gpl) -> u32, field: usize) -> usize {
    let start = section(block, SectionKind::Gpl);
    start + of(&Gpl::parse(&block[start..section(block, SectionKind::Act)]).unwrap()) as usize + field
}

#[test]
fn every_format_of_colours_and_texture_coordinates() {
    let good = rich().write().block(None);
    let colour = |gpl: &Gpl| gpl.submeshes[0].layout.as_ref().unwrap().colour.unwrap().offset;
    let texture = |gpl: &Gpl| gpl.submeshes[0].layout.as_ref().unwrap().textures[0].offset;
    for format in 0..6 {
        let mut block = good.clone();
        let at = header_byte(&block, colour, 6);
        block[at] = format << 4;
        block[at + 1] = if format < 3 { 3 } else { 4 };
        is_good(&block, &format!("colour format {format}"));
    }
    for kind in 0..5 {
        for shift in [0, 7, 15] {
            let mut block = good.clone();
            let at = header_byte(&block, texture, 6);
            block[at] = kind << 4 | shift;
            is_good(&block, &format!("texture coordinates of type {kind}, shift {shift}"));
        }
    }
}

/// A geometry palette with a triangle of its own behind what it has: a rigid submesh.
fn with_rigid(gpl: &[u8], quantize: u8) -> Vec<u8> {
    let word = |at: usize| -> [u8; 4] { gpl[at..at + 4].try_into().unwrap() };
    let mut bytes = gpl.to_vec();
    let (count, old) = (u32::from_be_bytes(word(0xC)), u32::from_be_bytes(word(0x10)) as usize);
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    let layout = bytes.len();
    let mut submesh = vec![0; 0xC0];
    let mut put = |at: usize, value: &[u8]| submesh[at..at + value.len()].copy_from_slice(value);
    put(0, &0x18_u32.to_be_bytes()); // Positions,
    put(0x10, &0x20_u32.to_be_bytes()); // what is drawn,
    put(0x18, &[0, 0, 0, 0x80, 0, 3, quantize, 3]); // three of them
    put(0x20, &[0, 0, 0, 0, 0, 0, 0, 0x30, 0, 2]); // by two states:
    put(0x30, &[3, 0, 0, 0, 0, 0, 0, 0x0C]); // positions by 16-bit index,
    put(0x40, &[4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0, 0x20]); // a shader and its list.
    put(0x60, &[0x90, 0, 3, 0, 0, 0, 1, 0, 2]);
    bytes.extend(submesh);
    let descriptors = bytes.len() as u32;
    bytes.extend(&gpl[old..old + 8 * count as usize]);
    bytes.extend((layout as u32).to_be_bytes());
    bytes.extend(word(old + 4));
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    bytes[0xC..0x10].copy_from_slice(&(count + 1).to_be_bytes());
    bytes[0x10..0x14].copy_from_slice(&descriptors.to_be_bytes());
    bytes
}

/// The same skeleton, these bones owning these submeshes.
fn owning(act: &[u8], owned: &[(usize, u16)]) -> Vec<u8> {
    let mut act = act.to_vec();
    for (bone, submesh) in owned {
        let at = 0x20 + 0x1C * bone + 0x14;
        act[at..at + 2].copy_from_slice(&submesh.to_be_bytes());
    }
    act
}

#[test]
fn several_submeshes_of_every_number_type() {
    let [gpl, skn, act] = rich().write().loose();
    for kind in 0..5 {
        let gpl = with_rigid(&with_rigid(&gpl, kind << 4 | 3), kind << 4);
        let act = owning(&act, &[(1, 1), (2, 2)]);
        let sections = [(SectionKind::Gpl, &gpl[..]), (SectionKind::Act, &act), (SectionKind::Skn, &skn)];
        let block = container::block(&sections).unwrap();
        assert_eq!(Gpl::parse(&gpl).unwrap().submeshes.len(), 3);
        is_good(&block, &format!("positions of type {kind}"));
    }
}

#[test]
fn models_without_skinning() {
    let [gpl, _, act] = rich().write().loose();
    let block = |gpl: &[u8], act: &[u8]| {
        container::block(&[(SectionKind::Gpl, gpl), (SectionKind::Act, act)]).unwrap()
    };
    // A submesh with normals among its positions that nothing skins is drawn as it lies, and one beside it that a
    // bone owns.
    is_good(&block(&gpl, &act), "nothing skins it");
    is_good(&block(&with_rigid(&gpl, 0x38), &owning(&act, &[(1, 1)])), "a rigid one beside it");
}

#[test]
fn loose_files_at_other_addresses() {
    let [gpl, skn, act] = rich().write().loose();
    let files = LooseFiles { gpl: &gpl, skn: Some(&skn), act: Some(&act), anm: None };
    let model = Model::from_loose(files).unwrap();
    for (console, address) in
        [(Console::GameCube, 0x8030_0000), (Console::Wii, 0x8120_0000), (Console::Wii, 0x9100_0000)]
    {
        let switches = RunOptions { console, ..RunOptions::default() };
        let findings = check_on(&model, &Comparison::default(), address.into(), &TARGETS, &switches);
        assert_eq!(errors(&findings), [""; 0], "{address:#x}");
    }
}
