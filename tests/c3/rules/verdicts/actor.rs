//! Skeletons of the fox, each broken in one way.

use super::super::{ACT, bone, findings, fox};
use super::{Faults, Severity, Wrong, all_hold, changed, error, hold, warning};

fn control_of(bytes: &[u8], index: usize) -> usize {
    let at = bone(index);
    ACT + u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

#[test]
fn trees_that_cannot_be_walked() {
    let leaves = Faults("the walk over the tree");
    let stops = Faults("the library stops");
    all_hold(&[
        (&[(ACT + 6, &[0, 23])], &[error("bone-count", ("ACT", "", ACT + 6), stops)]),
        (&[(bone(3) + 0x10, &[0, 0, 0, 0x21])], &[error("tree-link", ("ACT", "", bone(3) + 0x10), leaves)]),
        (&[(bone(3) + 0x0C, &[0, 0, 0, 0])], &[warning("tree-link", ("ACT", "bone 3", bone(3)))]),
    ]);
}

/// Nothing turns by a quaternion of 0: the library divides by the square of its length.
#[test]
fn a_quaternion_of_no_length_makes_no_matrix() {
    let mut bytes = fox();
    let turned =
        (0..24).find(|&index| bone(index) != 0 && bytes[control_of(&bytes, index)] & 4 != 0).unwrap();
    let control = control_of(&bytes, turned);
    bytes[control + 0x10..control + 0x20].fill(0);
    let bad: Vec<_> = findings(&bytes).into_iter().filter(|f| f.code.name == "nan-matrix").collect();
    let own = bad.iter().filter(|f| f.place.entry.as_deref() == Some(&*format!("bone {turned}")));
    let own: Vec<_> = own.collect();
    assert_eq!(own.len(), 1, "{bad:?}");
    assert!(own[0].text.starts_with("its quaternion is 0"), "{own:?}");
    assert_eq!(own[0].place.offset, Some(bone(turned) as u64));
    // It, and every bone below, moves what it skins to nowhere.
    assert!(
        bad.iter().any(
            |f| f.severity == Severity::Error && matches!(f.dolphin, Some(super::Effect::WrongOutput(_)))
        )
    );
}

#[test]
fn an_infinite_translation_is_told_once_for_the_bone() {
    let mut bytes = fox();
    let moved = (0..24).find(|&index| bytes[control_of(&bytes, index)] & 8 != 0).unwrap();
    let control = control_of(&bytes, moved);
    bytes[control + 0x20..control + 0x24].copy_from_slice(&f32::INFINITY.to_be_bytes());
    let of_bone = |f: &&super::Finding| {
        f.code.name == "nan-matrix" && f.place.entry.as_deref() == Some(&*format!("bone {moved}"))
    };
    let bad = findings(&bytes);
    assert_eq!(bad.iter().filter(of_bone).count(), 1);
    assert!(bad.iter().find(of_bone).unwrap().text.contains("no finite number"));
}

#[test]
fn a_control_outside_of_the_section_is_told_once_with_its_bone() {
    let bytes = changed(&[(bone(7), &[0x7F, 0xFF, 0xFF, 0xF0])]);
    let want = error("out-of-bounds", ("ACT", "bone 7", bone(7)), Wrong("read from what lies there"));
    assert_eq!(hold(&bytes, &[want]), [""; 0]);
    assert_eq!(findings(&bytes).iter().filter(|f| f.code.name == "out-of-bounds").count(), 1);
}

/// The library's inverse of a control with a quaternion does not turn back: what the bone skins is displaced at rest.
#[test]
fn a_fault_of_the_library_says_how_many_slots_it_displaces() {
    let mut bytes = fox();
    let turned = (0..24).filter(|&index| bytes[control_of(&bytes, index)] & 4 != 0);
    let told: Vec<_> = turned
        .collect::<Vec<_>>()
        .into_iter()
        .filter_map(|index| {
            let inherits = bone(index) + 0x18;
            let before = std::mem::replace(&mut bytes[inherits], 0);
            let name = format!("bone {index}");
            let own = |f: &super::Finding| {
                f.code.name == "library-fault" && f.place.entry.as_deref() == Some(name.as_str())
            };
            let found = findings(&bytes).into_iter().find(own);
            bytes[inherits] = before;
            found
        })
        .collect();
    let displaced = |f: &&super::Finding| match &f.dolphin {
        Some(super::Effect::WrongOutput(what)) => {
            f.severity == Severity::Error && what.ends_with("displaced at rest")
        }
        _ => false,
    };
    assert!(told.iter().any(|f| displaced(&f)), "{told:?}");
}
