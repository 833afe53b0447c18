//! Animations and facial poses, which a frame at rest does not play: their effects follow from the bytes.

use skinsim::c3::check::{Comparison, check};
use skinsim::c3::format::anm::Anm;
use skinsim::c3::format::block::SectionKind;
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::c3::rules::effects::Target;
use skinsim::finding::Finding;

use super::super::every::{ONE, TWO, face, plan};
use super::super::written::Plan;
use super::super::{ACT, GPL, SKN, fox};
use super::{Does, Faults, Severity, Unknown, Wrong};

fn bank() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.anm")).unwrap()
}

/// The findings of the fox with a bank some bytes of which are changed.
fn played(at: usize, new: &[u8]) -> Vec<Finding> {
    let (fox, mut bank) = (fox(), bank());
    bank[at..at + new.len()].copy_from_slice(new);
    let files = LooseFiles {
        gpl: &fox[GPL..ACT],
        skn: Some(&fox[SKN..]),
        act: Some(&fox[ACT..SKN]),
        anm: Some(&bank),
    };
    let model = Model::from_loose(files).unwrap();
    check(&model, &Comparison::default(), 0x80A0_0000, &[Target::Dolphin, Target::Console])
}

/// The finding of a code and place must do this on both targets.
#[track_caller]
fn does(findings: &[Finding], code: &str, severity: Severity, place: (&str, &str, usize), does: Does) {
    let (section, entry, offset) = place;
    let found = findings.iter().find(|finding| {
        finding.code.name == code
            && finding.severity == severity
            && finding.place.section.as_deref() == Some(section)
            && finding.place.entry.as_deref().unwrap_or_default() == entry
            && finding.place.offset == Some(offset as u64)
            && does.fits(finding.dolphin.as_ref())
            && does.fits(finding.console.as_ref())
    });
    let told: Vec<_> = findings
        .iter()
        .filter(|finding| finding.code.name == code)
        .map(|f| format!("{:?} {:?} {} {:?} {:?}", f.severity, f.place, f.text, f.dolphin, f.console))
        .collect();
    assert!(found.is_some(), "want {code} {severity:?} {place:?} {does:?}, have {told:#?}");
}

#[test]
fn tracks_and_keys() {
    let bank = bank();
    let anm = Anm::parse(&bank).unwrap();
    let track = anm.tracks[4].offset as usize;
    let keys = anm.keys_of(&anm.tracks[4]).unwrap();
    let key = |index: usize| anm.keys[keys.start + index].offset as usize;
    let time = |value: f32| value.to_be_bytes();
    let place = ("ANM", "track 4", track);
    let error = Severity::Error;
    let none = Faults("finds no key");
    does(&played(track + 8, &[0, 0]), "key-order", error, place, none);
    let at_key = |index: usize| ("ANM", "track 4", key(index));
    does(&played(key(0), &time(0.25)), "key-order", error, at_key(0), none);
    does(&played(key(0), &time(f32::NAN)), "key-order", error, at_key(0), none);
    does(&played(key(1), &time(1e6)), "key-order", error, at_key(2), Wrong("other keys"));
    for length in [-1.0, f32::NAN, f32::INFINITY] {
        does(&played(track, &time(length)), "key-order", error, place, Wrong("never comes back"));
    }
    let last = anm.keys[keys.end - 1].time;
    does(
        &played(track, &time(last / 2.0)),
        "key-order",
        Severity::Warning,
        place,
        Unknown("plays the animation"),
    );
    does(&played(track + 0xA, &[0, 99]), "track-without-bone", Severity::Note, place, Does::Nothing);
    does(&played(track + 0xC, &[0x70]), "quantize-unknown", error, place, Unknown("plays the animation"));
    // Rotation code 3: Hermite for Euler angles, nothing at all for quaternions.
    let stops = Faults("the library stops");
    does(&played(track + 0xE, &[0x30]), "interpolation-unknown", error, place, stops);
    let behind = Wrong("what lies behind the section");
    let outside = ("ANM", "", key(0) + 4);
    does(&played(key(0) + 4, &[0x7F, 0, 0, 0]), "out-of-bounds", error, outside, behind);
}

#[test]
fn poses_of_the_face() {
    let bytes = Plan { face: true, ..plan(&[ONE, TWO]) }.write().block(None);
    let field = SectionKind::Facial.header_offset() as usize;
    let start = u32::from_be_bytes(bytes[field..field + 4].try_into().unwrap()) as usize;
    let told = |at: usize, new: &[u8]| super::findings(&face(at, new));
    let error = Severity::Error;
    let attribute = ("facial", "object 0 attribute 0", start + 0x14);
    does(&told(0, &[0, 9]), "facial-count", error, ("facial", "", start), Unknown("poses the face"));
    does(&told(0x14 + 5, &[3]), "facial-component", error, attribute, Wrong("another size"));
    does(&told(0x14 + 6, &[2]), "facial-component", error, attribute, Wrong("another size"));
    does(&told(0x14 + 5, &[0]), "facial-component", Severity::Note, attribute, Unknown("poses the face"));
    does(&told(0x14 + 4, &[7]), "facial-index", error, attribute, Wrong("other data"));
    let runs = told(0x14 + 8, &[0x7F, 0xFF, 0, 0]);
    let lost = runs.iter().find(|finding| finding.code.name == "facial-run-list").unwrap();
    assert!(Wrong("other vertices").fits(lost.dolphin.as_ref()), "{lost:?}");
    assert!(Wrong("other vertices").fits(lost.console.as_ref()), "{lost:?}");
}
