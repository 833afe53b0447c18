//! Pointers that lead outside of their section: told at the pointer, with where it leads.

use skinsim::c3::format::block::SectionKind;
use skinsim::finding::Finding;

use super::super::every::{ONE, TWO, face, plan, texture};
use super::super::written::Plan;
use super::super::{
    ACT, COLOUR_HEADER, Change, GPL, POSITION_HEADER, SKN, STATES, bone, changed, findings, sk1, sk2, skacc,
};

/// Where a pointer leads that no section is large enough for.
const FAR: [u8; 4] = [0x00, 0xFF, 0xF0, 0x00];

/// The finding at an offset of a block.
fn at<'f>(findings: &'f [Finding], code: &str, offset: usize) -> Result<&'f Finding, String> {
    let mut same = findings.iter().filter(|finding| finding.code.name == code);
    same.clone().find(|finding| finding.place.offset == Some(offset as u64)).ok_or_else(|| {
        let have: Vec<_> = same.by_ref().map(|finding| (&finding.place, &finding.text)).collect();
        format!("{code} at {offset:#x}: have {have:?}")
    })
}

/// The finding about a changed fox lies at the field and says where it leads.
fn told(change: Change, code: &str, field: usize, target: &str) -> Option<String> {
    let findings = findings(&changed(&[change]));
    let finding = match at(&findings, code, field) {
        Ok(finding) => finding,
        Err(have) => return Some(have),
    };
    let address = format!("{:#010x}", 0x80A0_0000 + field);
    let fits = finding.place.address.as_ref() == Some(&address)
        && [target, "want ", "have "].iter().all(|words| finding.text.contains(words));
    (!fits).then(|| format!("{code}: want {target} at {address}, have {:?} {}", finding.place, finding.text))
}

#[test]
fn a_pointer_out_of_its_section_is_told_where_it_is_stored() {
    const BOUNDS: &str = "out-of-bounds";
    let far = "0xfff000";
    let cases: &[(usize, &str)] = &[
        (GPL + 0x10, "0xfff020"),      // descriptor array
        (GPL + 0x20, "0xfff020"),      // layout of the first descriptor
        (GPL + 0x24, "0xfff020"),      // its name
        (GPL + 0x40, "0xfff060"),      // position header
        (GPL + 0x44, "0xfff060"),      // colour header
        (GPL + 0x50, "0xfff060"),      // display header
        (POSITION_HEADER, "0xfff040"), // position array, counted from the layout
        (COLOUR_HEADER, "0xfff040"),   // colour array
        (STATES + 0x18, "0xfff040"),   // primitive list of the second state
        (SKN + 0x08, "0x1004dc0"),     // SK1 list
        (SKN + 0x1C, "0x1004dc0"),     // flush indices
        (sk1(3) + 0x30, far),          // sources, weights, indices
        (sk2(3) + 0x60, far),
        (sk2(3) + 0x64, far),
        (skacc(1) + 0x30, far),
        (skacc(1) + 0x34, far),
        (skacc(1) + 0x3C, far),
        (bone(7), far),            // control
        (ACT + 0x10, "0x1004600"), // name of the geometry palette
    ];
    let wrong = cases.iter().filter_map(|&(field, target)| told((field, &FAR), BOUNDS, field, target));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_count_that_the_section_has_no_room_for_is_told_where_it_is_stored() {
    let wrong = [
        told((ACT + 6, &[0xFF, 0xFF]), "out-of-bounds", ACT + 6, "0x5620"),
        told((GPL + 0x0C, &[0, 0xFF, 0xFF, 0xFF]), "out-of-bounds", GPL + 0x10, "0x40"),
    ];
    let wrong: Vec<_> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_section_whose_header_is_not_whole_is_told_at_the_block_s_pointer() {
    // The last 16 bytes of the block hold no header of 36 bytes.
    let bytes = changed(&[(0x10, &[0, 0, 0xBF, 0x50])]);
    let findings = findings(&bytes);
    let found = at(&findings, "out-of-bounds", 0x10).unwrap();
    assert!(found.text.starts_with("SKN header: want 36 bytes at 0xbf50, have 16 of"), "{}", found.text);
    let bytes = changed(&[(0x08, &[0, 0, 0xBF, 0x50])]);
    let found = self::findings(&bytes);
    let found = at(&found, "out-of-bounds", 0x08).unwrap();
    assert!(found.text.starts_with("ACT header: want 32 bytes at 0xbf50, have 16 of"), "{}", found.text);
}

#[test]
fn images_and_poses_are_told_at_their_pointers() {
    let block = plan(&[ONE]).write().block(Some(&texture()));
    let start = |bytes: &[u8], kind: SectionKind| {
        let field = kind.header_offset() as usize;
        u32::from_be_bytes(bytes[field..field + 4].try_into().unwrap()) as usize
    };
    let tex = start(&block, SectionKind::Tex);
    let found = findings(&block);
    let image = at(&found, "texture-out-of-bounds", tex + 4).unwrap();
    assert!(image.text.starts_with("its image: want ") && image.text.contains("at 0x40"), "{}", image.text);
    let sound = Plan { face: true, ..plan(&[ONE, TWO]) }.write().block(None);
    let facial = start(&sound, SectionKind::Facial);
    // The first pose of the first attribute, behind the attribute's 12 bytes.
    let found = findings(&face(0x14 + 0xC, &FAR));
    let pose = at(&found, "out-of-bounds", facial + 0x14 + 0xC).unwrap();
    assert_eq!(pose.place.entry.as_deref(), Some("object 0 attribute 0"));
    assert!(pose.text.contains("at 0xfff000 of the facial section, which has"), "{}", pose.text);
}
