//! Broken skeletons and banks, and what the check must say of each.

use skinsim::c3::check::{Comparison, check};
use skinsim::c3::format::act::control::{EULER, QUATERNION, SCALE, TRANSLATION};
use skinsim::c3::format::act::{ActSource, BONE_SIZE, BoneSource, Control, HEADER_SIZE};
use skinsim::c3::format::anm::Anm;
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::c3::rules::effects::Target;
use skinsim::finding::{Finding, Severity};

fn control(bits: u8, scale: f32, rotation: [f32; 4]) -> Control {
    let [x, y, z, w] = rotation;
    let parameters = [scale, scale, scale, x, y, z, w, 1.0, 2.0, 3.0, 0.0, 0.0];
    Control { bits, parameters, ..Control::IDENTITY }
}

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// A root with two children, the second of which has a child.
fn skeleton(controls: [Control; 4], inheritance: [u8; 4]) -> Vec<u8> {
    let parents = [None, Some(0), Some(0), Some(2)];
    let bones = parents.iter().zip(controls).zip(inheritance).zip(0..);
    let bones = bones.map(|(((&parent, control), inheritance), id)| BoneSource {
        inheritance,
        ..BoneSource::new(id, parent, control)
    });
    let source = ActSource {
        actor_id: 0,
        skin_object: 0,
        palette_name: None,
        bones: bones.collect(),
        user_data: Vec::new(),
    };
    source.to_bytes().unwrap()
}

fn sound() -> Vec<u8> {
    let turned = control(QUATERNION | TRANSLATION, 0.0, [0.0, 0.0, HALF, HALF]);
    skeleton([turned; 4], [1; 4])
}

fn findings(act: &[u8], anm: Option<&[u8]>) -> Vec<Finding> {
    let fox = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap();
    let gpl = &fox[0x20..0x5600];
    let model = Model::from_loose(LooseFiles { gpl, skn: None, act: Some(act), anm }).unwrap();
    let mut findings = check(&model, &Comparison::default(), 0x80A0_0000, &[Target::Dolphin]);
    findings.retain(|finding| matches!(finding.place.section.as_deref(), Some("ACT" | "ANM")));
    findings
}

#[track_caller]
fn want(findings: &[Finding], code: &str, severity: Severity, entry: &str, words: &str) {
    let found = findings.iter().find(|finding| {
        finding.code.name == code
            && finding.text.contains(words)
            && (entry.is_empty() || finding.place.entry.as_deref() == Some(entry))
    });
    let told = || {
        let told: Vec<_> = findings.iter().map(|f| format!("{}: {}", f.code.name, f.text)).collect();
        format!("{code} {entry} {words:?} among {told:#?}")
    };
    assert_eq!(found.unwrap_or_else(|| panic!("{}", told())).severity, severity, "{}", told());
}

const fn bone(index: usize, field: usize) -> usize {
    HEADER_SIZE as usize + BONE_SIZE as usize * index + field
}

fn changed(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

#[test]
fn a_sound_skeleton_has_no_finding() {
    assert_eq!(findings(&sound(), None), []);
}

#[test]
fn links_that_lead_nowhere_in_circles_or_back_to_another() {
    let act = sound();
    let link = |at: usize, to: u32| findings(&changed(&act, at, &to.to_be_bytes()), None);
    want(&link(0x0C, 0x24), "tree-link", Severity::Error, "", "root link: want");
    want(&link(bone(1, 8), 0x8000_0000), "tree-link", Severity::Error, "", "next link: want");
    want(&link(bone(3, 16), 0x20), "tree-link", Severity::Error, "", "a cycle, or two ways to one bone");
    want(&link(bone(2, 12), 0), "tree-link", Severity::Warning, "bone 2", "its parent link is 0x0");
    want(&link(bone(2, 4), 0), "tree-link", Severity::Warning, "bone 2", "its link back is 0x0");
    want(&link(bone(1, 4), 0x20), "tree-link", Severity::Warning, "bone 1", "it is the first child");
}

#[test]
fn a_tree_of_more_or_fewer_bones_than_the_header_says() {
    let act = sound();
    for count in [0_u16, 3, 5] {
        let findings = findings(&changed(&act, 6, &count.to_be_bytes()), None);
        if count == 0 {
            assert!(findings.iter().any(|finding| finding.severity == Severity::Error), "no bones");
        } else {
            want(&findings, "bone-count", Severity::Error, "", &format!("want {count} bones"));
        }
    }
    let unlinked = changed(&act, bone(2, 16), &0_u32.to_be_bytes());
    want(&findings(&unlinked, None), "bone-count", Severity::Error, "", "have 3 that the tree reaches");
}

#[test]
fn table_and_tree_order_that_differ() {
    // The root's children in the other order: record 2 and its child 3 come before record 1.
    let offset = |index: usize| (bone(index, 0) as u32).to_be_bytes();
    let none = 0_u32.to_be_bytes();
    let mut act = sound();
    let links = [(0, 16, offset(2)), (2, 8, offset(1)), (2, 4, none), (1, 4, offset(2)), (1, 8, none)];
    for (index, field, link) in links {
        act = changed(&act, bone(index, field), &link);
    }
    let findings = findings(&act, None);
    want(&findings, "bone-order", Severity::Warning, "bone 2", "record 2 is number 1 of the tree");
    assert_eq!(findings.len(), 1);
}

#[test]
fn type_bits_that_nobody_knows_or_that_rule_each_other_out() {
    let typed = |bits: u8| {
        let identity = control(0, 1.0, [0.0, 0.0, 0.0, 1.0]);
        let act = skeleton([identity, identity, identity, Control { bits, ..identity }], [1; 4]);
        findings(&act, None)
    };
    want(&typed(0x28), "control-ignored", Severity::Warning, "bone 3", "a later library");
    want(&typed(0x48), "control-ignored", Severity::Warning, "bone 3", "bits that no library knows");
    want(
        &typed(0x18),
        "control-ignored",
        Severity::Warning,
        "bone 3",
        "a matrix, which rules its other bits out",
    );
    want(&typed(0x0E), "control-ignored", Severity::Warning, "bone 3", "the quaternion counts");
    want(&typed(0x04), "control-ignored", Severity::Warning, "bone 3", "translation values are set");
}

#[test]
fn bones_that_hang_on_a_fault_of_the_library() {
    let turned = control(QUATERNION | TRANSLATION, 0.0, [0.0, 0.0, HALF, HALF]);
    let stretched = control(SCALE | TRANSLATION, 0.0, [0.0; 4]);
    let angles = control(EULER | TRANSLATION, 0.0, [10.0, 0.0, 30.0, 0.0]);
    let moved = control(TRANSLATION, 0.0, [0.0; 4]);
    let told = |controls, inheritance| findings(&skeleton(controls, inheritance), None);
    let warning = Severity::Warning;
    want(&told([turned; 4], [1, 0, 1, 1]), "library-fault", warning, "bone 1", "does not inherit");
    want(&told([angles; 4], [1, 0, 1, 1]), "library-fault", warning, "bone 1", "does not inherit");
    let below = told([turned; 4], [1, 1, 0, 1]);
    want(&below, "library-fault", warning, "bone 3", "binds it to an earlier sibling");
    let nothing_before = told([turned; 4], [1, 0, 0, 1]);
    want(&nothing_before, "library-fault", warning, "bone 3", "memory that the library never wrote");
    let flat = told([turned, turned, turned, stretched], [1; 4]);
    want(&flat, "library-fault", warning, "bone 3", "has no inverse");
    // A translation alone is inverted as it should be, whatever the flag.
    assert!(told([moved; 4], [1, 0, 1, 1]).iter().all(|finding| finding.code.name != "library-fault"));
}

fn fox_bank() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.anm")).unwrap()
}

fn fox_act() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap()[0x5600..0x5DC0]
        .to_vec()
}

#[test]
fn the_shipped_bank_has_no_finding() {
    assert_eq!(findings(&fox_act(), Some(&fox_bank())), []);
}

#[test]
fn broken_tracks_and_keys_are_found_one_by_one() {
    let (bank, act) = (fox_bank(), fox_act());
    let anm = Anm::parse(&bank).unwrap();
    let track = anm.tracks[4].offset as usize;
    let keys = anm.keys_of(&anm.tracks[4]).unwrap();
    let (first, second) = (anm.keys[keys.start].offset as usize, anm.keys[keys.start + 1].offset as usize);
    let last = anm.keys[keys.end - 1].time;
    let broken = |at: usize, new: &[u8]| findings(&act, Some(&changed(&bank, at, new)));
    let error = Severity::Error;
    want(&broken(0, &[0; 4]), "version-unknown", error, "", "");
    want(&broken(4, &[0, 0, 0, 0x1C]), "out-of-bounds", error, "", "sequence table pointer");
    want(&broken(0x0C, &[0xFF, 0xFF]), "out-of-bounds", error, "", "track table");
    want(&broken(0x0E, &[0xFF, 0xFF]), "out-of-bounds", error, "", "key frame table");
    want(&broken(0x18 + 4, &[0, 0, 0, 1]), "out-of-bounds", error, "", "sequence tracks");
    want(&broken(track + 4, &[0, 0, 0, 1]), "out-of-bounds", error, "", "track key frames");
    want(&broken(track + 8, &[0, 0]), "key-order", error, "track 4", "it has no keys");
    want(&broken(track, &f32::NAN.to_be_bytes()), "key-order", error, "track 4", "its length is NaN");
    let short = broken(track, &(last / 2.0).to_be_bytes());
    want(&short, "key-order", Severity::Warning, "track 4", "ends before its last key");
    want(
        &broken(track + 0xA, &[0, 99]),
        "track-without-bone",
        Severity::Note,
        "track 4",
        "its id 99 is no bone's",
    );
    let other = anm.tracks[3].id.to_be_bytes();
    want(&broken(track + 0xA, &other), "track-without-bone", Severity::Note, "track 4", "an earlier track");
    want(&broken(track + 0xC, &[0x70]), "quantize-unknown", error, "track 4", "0x70");
    // A quaternion with a code for Euler angles, and Euler angles by Hermite.
    want(
        &broken(track + 0xD, &[8, 0x10]),
        "interpolation-unknown",
        error,
        "track 4",
        "rotation interpolation 1",
    );
    want(&broken(track + 0xD, &[4, 0x30]), "interpolation-unknown", error, "track 4", "interpolation");
    want(
        &broken(track + 0xD, &[0x0C, 0x40]),
        "library-fault",
        Severity::Warning,
        "track 4",
        "the quaternion is read",
    );
    want(
        &broken(track + 0xC, &[0x43, 0x10]),
        "library-fault",
        Severity::Warning,
        "track 4",
        "its clock stands still",
    );
    want(
        &broken(track + 0xC, &[0x31, 0x10]),
        "library-fault",
        Severity::Warning,
        "track 4",
        "it shrinks to nothing",
    );
    want(&broken(first, &1_f32.to_be_bytes()), "key-order", error, "track 4", "its first key lies at 1");
    want(
        &broken(second, &(-1_f32).to_be_bytes()),
        "key-order",
        error,
        "track 4",
        "key 1 at -1 follows key 0",
    );
    want(&broken(second + 4, &[0, 0xFF, 0, 0]), "out-of-bounds", error, "", "key frame setting pointer");
    let curved = changed(&bank, track + 0xD, &[8, 0x40]);
    let away = findings(&act, Some(&changed(&curved, second + 8, &[0, 0xFF, 0, 0])));
    want(&away, "out-of-bounds", error, "", "key frame interpolation pointer");
}

/// A null pointer to curve data is rebased like any other. Only a key that the clock passes by needs its data.
#[test]
fn curve_data_that_a_key_lacks() {
    let (bank, act) = (fox_bank(), fox_act());
    let anm = Anm::parse(&bank).unwrap();
    let track = anm.tracks[4].offset as usize;
    let keys = anm.keys_of(&anm.tracks[4]).unwrap();
    let (count, last) = (keys.len(), anm.keys[keys.end - 1].time);
    // A squad of quaternions; the data of every key are those at the bank's first byte but eight.
    let mut curved = changed(&bank, track + 0xD, &[8, 0x40]);
    for key in &anm.keys[keys.clone()] {
        curved = changed(&curved, key.offset as usize + 8, &[0, 0, 0, 8]);
    }
    let lacking = |bank: &[u8]| -> Vec<String> {
        let told = findings(&act, Some(bank));
        let told = told.iter().filter(|finding| finding.text.contains("no interpolation data"));
        told.map(|finding| finding.text.split(',').next().unwrap().to_owned()).collect()
    };
    assert_eq!(lacking(&curved), [""; 0]);
    for at in [0, 1, count - 1] {
        let bare = changed(&curved, anm.keys[keys.start + at].offset as usize + 8, &[0; 4]);
        want(&findings(&act, Some(&bare)), "library-fault", Severity::Error, "", "the start of the bank");
        assert_eq!(lacking(&bare), [format!("key {at} has no interpolation data")]);
    }
    // One key alone: its own data lead from it to itself, as far as the track is longer than its time.
    let alone = changed(&curved, track + 8, &[0, 1]);
    let alone = changed(&alone, anm.keys[keys.start].offset as usize + 8, &[0; 4]);
    assert_eq!(lacking(&alone), ["key 0 has no interpolation data"]);
    assert_eq!(lacking(&changed(&alone, track, &[0; 4])), [""; 0]);
    // Two keys at the end of the track: the clock takes the last one and goes on from the first.
    let end = anm.keys[keys.end - 2].offset as usize;
    let twice = changed(&curved, end, &last.to_be_bytes());
    let twice = changed(&twice, track, &last.to_be_bytes());
    let last_key = anm.keys[keys.end - 1].offset as usize;
    assert_eq!(lacking(&changed(&twice, last_key + 8, &[0; 4])), [""; 0]);
    assert_eq!(lacking(&changed(&curved, last_key + 8, &[0; 4])).len(), 1);
}
