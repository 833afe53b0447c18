//! Foxes beside another model, bones that own submeshes, and orders that only tools care about.

use skinsim::c3::check::{Comparison, check};
use skinsim::c3::model::Model;
use skinsim::c3::rules::effects::{DryRun, FaultSeen, Origin, Part, Target, WrongSlot};
use skinsim::c3::rules::join::join;
use skinsim::finding::{Effect, Finding, Place};
use skinsim::gekko::fault::{FaultKind, Site};

use super::super::{ACT, GPL, bone, changed, fox, sk1, sk2, two_submeshes};
use super::{Faults, Severity, Unknown, Want, Wrong, error, hold, missing, warning};

/// What no frame of a skin shows.
const fn unknown(want: Want) -> Want {
    let none = Unknown("a frame of the skin alone does not show");
    Want { dolphin: none, console: none, ..want }
}

fn compared(bytes: &[u8], other: &[u8], low: bool) -> Vec<Finding> {
    let (model, other) = (Model::from_block(bytes).unwrap(), Model::from_block(other).unwrap());
    let comparison = if low {
        Comparison { donor: None, lod_of: Some(&other) }
    } else {
        Comparison { donor: Some(&other), lod_of: None }
    };
    check(&model, &comparison, 0x80A0_0000, &[Target::Dolphin, Target::Console])
}

#[test]
fn a_block_of_another_length_than_its_donor_s_still_runs() {
    let mut longer = fox();
    longer.extend([0; 32]);
    let findings = compared(&longer, &fox(), false);
    let found: Vec<_> = findings.iter().filter(|finding| finding.code.name == "length-differs").collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].severity, &found[0].place), (Severity::Warning, &Place::section("block")));
    assert_eq!([&found[0].dolphin, &found[0].console], [&Some(Effect::None), &Some(Effect::None)]);
    assert_eq!(found[0].text, "the block has 0xbf80 bytes, the donor 0xbf60");
    assert!(compared(&fox(), &fox(), false).iter().all(|finding| finding.code.name != "length-differs"));
}

/// Such bones have no skin matrix in the game; what a frame with one shows says nothing. [seed 003]
#[test]
fn bones_that_the_donor_does_not_skin() {
    // SK1[4] moves to bone 1, which the fox's own skin leaves to itself or not: its donor must lack it.
    let skinned = skinned_bones(&fox());
    let other = (0..24_u16).find(|bone| !skinned.contains(bone)).unwrap();
    let mut bytes = fox();
    bytes[sk1(4) + 0x38..sk1(4) + 0x3A].copy_from_slice(&other.to_be_bytes());
    let want = unknown(warning("bone-not-in-donor-skin", ("SKN", "SK1[4]", sk1(4) + 0x38)));
    assert_eq!(missing(&compared(&bytes, &fox(), false), &[want]), [""; 0]);
}

fn skinned_bones(bytes: &[u8]) -> Vec<u16> {
    let model = Model::from_block(bytes).unwrap();
    let skn = model.skn.as_ref().unwrap();
    let one = skn.sk1.iter().map(|entry| entry.bone);
    let two = skn.sk2.iter().flat_map(|entry| entry.bones);
    one.chain(two).chain(skn.skacc.iter().map(|entry| entry.bone)).collect()
}

#[test]
fn bones_that_own_a_submesh() {
    let owner = skinned_bones(&fox())[3];
    let mut bytes = two_submeshes(0x88);
    let field = bone(owner.into()) + 0x14;
    bytes[field..field + 2].copy_from_slice(&[0, 1]);
    let want = unknown(warning("bone-owns-mesh", ("SKN", "SK1[3]", sk1(3) + 0x38)));
    assert_eq!(hold(&bytes, &[want]), [""; 0]);
}

#[test]
fn a_low_model_s_bones_that_the_high_one_lacks() {
    let wrong = Wrong("its matrix is never built");
    let low = changed(&[(bone(23) + 0x16, &[0, 99])]);
    let wants = [
        error("lod-bone-missing", ("SKN", "SK1[14]", sk1(14) + 0x38), wrong),
        error("lod-bone-missing", ("SKN", "SK2[20]", sk2(20) + 0x6C), wrong),
    ];
    assert_eq!(missing(&compared(&low, &fox(), true), &wants), [""; 0]);
    // A bone that draws a rigid submesh.
    let mut drawing = two_submeshes(0x88);
    drawing[bone(22) + 0x14..bone(22) + 0x18].copy_from_slice(&[0, 1, 0, 98]);
    let want = error("lod-bone-missing", ("ACT", "bone 22", bone(22)), wrong);
    assert_eq!(missing(&compared(&drawing, &fox(), true), &[want]), [""; 0]);
    let fine = compared(&fox(), &fox(), true);
    assert!(fine.iter().all(|finding| finding.code.name != "lod-bone-missing"));
}

#[test]
fn rigid_submeshes_want_one_owner() {
    let rigid = two_submeshes(0x88);
    let descriptor = ("GPL", "submesh 1", GPL + 0x1C);
    let dolphin = Faults("Invalid read from 0x00000008, PC = 0x804ff694");
    let want = error("geo-unowned", descriptor, dolphin).console(Faults("reads 0x00000008"));
    let offset = |bytes: &[u8], code: &str| {
        let findings = super::findings(bytes);
        findings.iter().find(|finding| finding.code.name == code).unwrap().place.offset.unwrap() as usize
    };
    // The layout that the second descriptor names.
    let at = offset(&rigid, "geo-unowned");
    assert!([GPL + 0x28, GPL + 0x88, GPL + 0x1C].contains(&at), "{at:#x}");
    assert_eq!(hold(&rigid, &[Want { offset: at, ..want }]), [""; 0]);
    let mut twice = rigid.clone();
    for index in [0, 1] {
        twice[bone(index) + 0x14..bone(index) + 0x16].copy_from_slice(&[0, 1]);
    }
    assert_eq!(hold(&twice, &[warning("geo-owned-twice", ("ACT", "bone 1", bone(1) + 0x14))]), [""; 0]);
}

#[test]
fn of_two_skinned_submeshes_the_last_one_counts() {
    let want = warning("skinned-submesh-not-first", ("GPL", "", GPL + 0x10));
    assert_eq!(hold(&two_submeshes(0x40), &[want]), [""; 0]);
}

#[test]
fn bones_out_of_their_order() {
    // The root's first two children change places in the tree, not in the table.
    let bytes = fox();
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let offset = |index: usize| (bone(index) - ACT) as u32;
    let parent = (0..24).find(|&index| {
        let child = word(bone(index) + 0x10);
        child != 0 && word(ACT + child as usize + 8) != 0
    });
    let parent = parent.unwrap();
    let first = word(bone(parent) + 0x10);
    let second = word(ACT + first as usize + 8);
    let after = word(ACT + second as usize + 8);
    let mut bytes = bytes.clone();
    let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
    put(bone(parent) + 0x10, second);
    put(ACT + second as usize + 8, first);
    put(ACT + second as usize + 4, 0);
    put(ACT + first as usize + 8, after);
    put(ACT + first as usize + 4, second);
    if after != 0 {
        put(ACT + after as usize + 4, first);
    }
    let number = (0..24).find(|&index| offset(index) == second).unwrap();
    let name = format!("bone {number}");
    let findings = super::findings(&bytes);
    let found = findings.iter().find(|finding| finding.code.name == "bone-order").unwrap();
    assert_eq!((found.severity, found.place.entry.as_deref()), (Severity::Warning, Some(name.as_str())));
    assert_eq!(found.place.offset, Some(bone(number) as u64));
    assert_eq!([&found.dolphin, &found.console], [&Some(Effect::None), &Some(Effect::None)]);
    assert!(!findings.iter().any(|finding| finding.code.name == "tree-link"), "{findings:?}");
}

#[test]
fn values_that_a_type_leaves_out_do_nothing() {
    let mut bytes = fox();
    let control = |index: usize| {
        ACT + u32::from_be_bytes(fox()[bone(index)..bone(index) + 4].try_into().unwrap()) as usize
    };
    let index = (0..24).find(|&index| bytes[control(index)] & 8 != 0).unwrap();
    bytes[control(index) + 4..control(index) + 8].copy_from_slice(&2f32.to_be_bytes());
    let findings = super::findings(&bytes);
    let found = findings.iter().find(|finding| finding.code.name == "control-ignored").unwrap();
    assert_eq!(found.place.offset, Some(bone(index) as u64));
    assert_eq!([&found.dolphin, &found.console], [&Some(Effect::None), &Some(Effect::None)]);
    assert!(found.text.starts_with("its scale values are set"), "{}", found.text);
}

/// What no rule explains is told with its entry, on the target that shows it.
#[test]
fn frames_that_no_rule_explains() {
    let entry = skinsim::c3::format::skn::EntryId { list: skinsim::c3::format::skn::List::Sk2, index: 7 };
    let mut dolphin = DryRun::clean(Target::Dolphin);
    dolphin.wrong.push(WrongSlot { slot: 3, difference: 9, by: Vec::new() });
    let mut console = DryRun::clean(Target::Console);
    console.stale.push(5);
    console.faults.push(FaultSeen {
        entry: Some(entry),
        part: Part::Entry,
        origin: Origin::default(),
        message: "machine check".to_owned(),
        kind: FaultKind::Read,
        site: Site { function: "two-bone", offset: 0, pc: None },
        address: 0,
    });
    let findings = join(Vec::new(), &[dolphin, console], &[Target::Dolphin, Target::Console], "");
    let of = |code: &str| findings.iter().filter(|one| one.code.name == code).collect::<Vec<_>>();
    let fault = of("frame-fault");
    assert_eq!(
        (fault.len(), fault[0].severity, &fault[0].dolphin),
        (1, Severity::Error, &Some(Effect::None))
    );
    assert_eq!(fault[0].place.entry.as_deref(), Some("SK2[7]"));
    assert_eq!(fault[0].console, Some(Effect::Faults("machine check".to_owned())));
    let differs = of("output-differs");
    assert_eq!(
        (differs.len(), differs[0].severity, differs[1].severity),
        (2, Severity::Error, Severity::Error)
    );
    let wrong = Effect::WrongOutput("1 slot, the worst is 3 by 9 units".to_owned());
    assert_eq!((&differs[0].dolphin, &differs[0].console), (&Some(wrong), &Some(Effect::None)));
    let stale = Effect::Stale("1 slot, the first 5".to_owned());
    assert_eq!((&differs[1].dolphin, &differs[1].console), (&Some(Effect::None), &Some(stale)));
    let sound = super::findings(&fox());
    let own = |finding: &&Finding| matches!(finding.code.name, "frame-fault" | "output-differs");
    assert_eq!(sound.iter().find(own), None);
}
