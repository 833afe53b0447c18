//! Models written for a test, each broken in one way: what the fox has none of.

use skinsim::c3::format::block::SectionKind;

use super::super::every::{ONE, TWO, accumulating, face, plan, saturated, sharing, texture};
use super::super::written::{Clear, Plan, Run};
use super::{Drifts, Faults, Nothing, Severity, Want, Wrong, error, hold, note, warning};

fn section(bytes: &[u8], kind: SectionKind) -> usize {
    let field = kind.header_offset() as usize;
    u32::from_be_bytes(bytes[field..field + 4].try_into().unwrap()) as usize
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

#[track_caller]
fn told(bytes: &[u8], wants: &[Want]) {
    let missing = hold(bytes, wants);
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn textures() {
    // 8 x 8 of format 0 are 32 bytes; they begin where the section of 0x40 ends.
    let bytes = plan(&[ONE]).write().block(Some(&texture()));
    let tex = section(&bytes, SectionKind::Tex);
    told(
        &bytes,
        &[error("texture-out-of-bounds", ("TEX", "texture 0", tex + 4), Wrong("behind the section"))],
    );
    // Past the end by one byte, and not at all.
    for (image, is_outside) in [(0x1F, false), (0x20, false), (0x21, true)] {
        let mut small = texture();
        small[7] = image;
        let findings = super::findings(&plan(&[ONE]).write().block(Some(&small)));
        assert_eq!(findings.iter().any(|f| f.code.name == "texture-out-of-bounds"), is_outside, "{image:#x}");
    }
    for format in [7, 11, 13, 15, 255] {
        let mut unknown = texture();
        unknown[4 + 0x17] = format;
        let bytes = plan(&[ONE]).write().block(Some(&unknown));
        told(&bytes, &[error("texture-format", ("TEX", "texture 0", tex + 4 + 0x17), Wrong("noise"))]);
    }
}

/// A state that names a texture past the section's last one. Without a section, the palette's name tells which file
/// holds the textures.
#[test]
fn states_that_set_textures() {
    let named = Plan { palette: Some("body"), ..plan(&[ONE]) }.write();
    let mut small = texture();
    small[7] = 0x20;
    let whole = named.block(Some(&small));
    let model = skinsim::c3::model::Model::from_block(&whole).unwrap();
    let display = model.gpl.as_ref().unwrap().submeshes[0].layout.as_ref().unwrap().display.clone().unwrap();
    let (number, state) = (0..).zip(&display.states).find(|(_, state)| state.id == 1).unwrap();
    let (entry, at) = (format!("submesh 0 state {number}"), 0x20 + state.offset as usize);
    let told = |bytes: &[u8]| -> Vec<String> {
        let found = super::findings(bytes);
        let found = found.iter().filter(|finding| finding.code.name == "texture-out-of-bounds");
        found.map(|f| format!("{} {} {:?}", f.place.entry.clone().unwrap(), f.text, f.severity)).collect()
    };
    assert_eq!(told(&whole), [""; 0]);
    let mut past = whole.clone();
    past[at + 7] |= 1;
    assert_eq!(told(&past), [format!("{entry} it sets texture 1 of 1 Error")]);
    // Thirteen bits are the index; what is above sets layer and filters.
    let mut layer = whole.clone();
    layer[at + 6] |= 0xE0;
    assert_eq!(told(&layer), [""; 0]);
    let mut elsewhere = named.block(None);
    elsewhere[at + 7] |= 1;
    assert_eq!(told(&elsewhere), [""; 0]);
}

#[test]
fn a_palette_without_a_name() {
    let bytes = Plan { palette: Some(""), ..plan(&[ONE]) }.write().block(None);
    let layout = 0x20 + word(&bytes, 0x20 + word(&bytes, 0x30));
    let header = layout + word(&bytes, layout + 8);
    let crash = Faults("the game crashes when it draws the model first");
    told(&bytes, &[error("palette-name-empty", ("GPL", "", header + 8), crash)]);
    let named = Plan { palette: Some("body"), ..plan(&[ONE]) }.write().block(None);
    assert!(super::findings(&named).iter().all(|f| f.code.name != "palette-name-empty"));
}

#[test]
fn sources_at_their_limits() {
    let skn = |bytes: &[u8]| section(bytes, SectionKind::Skn);
    let large = |count, gap| plan(&[Run { count, gap, ..ONE }]).write().block(None);
    // 8 + 681 * 12 bytes are 8180, the known maximum; a vertex more fills the even buffer to its last byte.
    assert!(super::findings(&large(681, 2)).iter().all(|f| f.code.name != "source-over-vanilla-limit"));
    let full = large(682, 2);
    told(&full, &[warning("source-over-vanilla-limit", ("SKN", "SK1[0]", skn(&full) + 0x24))]);
    // One more runs into the other entry's buffer, which nobody uses here: only unusual, too.
    let over = large(683, 2);
    let want = Want {
        severity: Severity::Warning,
        ..warning("source-over-buffer", ("SKN", "SK1[0]", skn(&over) + 0x24))
    };
    told(&over, &[want]);
    // SK2: past 4096 bytes the source's own weights lie, and the length of its transfers wraps.
    let pair = plan(&[Run { count: 342, gap: 2, ..TWO }]).write().block(None);
    let place = ("SKN", "SK2[0]", skn(&pair) + 0x24);
    told(
        &pair,
        &[
            // 8 + 342 * 12 bytes: two vertices reach to where the weights are; of the others two arrive.
            error("source-over-buffer", place, Wrong("2 slots, the worst is 347 by")),
            error("dma-length-wraps", (place.0, place.1, place.2 + 0x60), Wrong("340 slots")),
        ],
    );
}

#[test]
fn accumulated_slots() {
    let range = |bytes: &[u8]| ("SKN", "", section(bytes, SectionKind::Skn) + 0x14);
    let bytes = accumulating(Clear::Missing, false).block(None);
    // Each frame adds the whole vertex again.
    told(
        &bytes,
        &[
            error("accumulated-not-cleared", range(&bytes), Wrong("24 slots")),
            warning("clear-range", range(&bytes)),
        ],
    );
    let bytes = accumulating(Clear::Usual, true).block(None);
    told(&bytes, &[error("cleared-not-accumulated", range(&bytes), Wrong("slot"))]);
    let bytes = accumulating(Clear::ExtraLine, false).block(None);
    told(&bytes, &[note("clear-extra-line", range(&bytes))]);
    // Slots 6..13 from byte 72 on: 96 bytes from line 64 on end at 160, slot 13 at 168.
    let bytes = Plan { accumulated: 8, ..plan(&[Run { count: 5, ..ONE }]) }.write().block(None);
    let cut =
        Want { severity: Severity::Warning, ..error("clear-cut-short", range(&bytes), Wrong("1 slot")) };
    told(&bytes, &[cut]);
}

/// The clear range three lines longer: slots behind the array's drawn ones are zeroed for nothing.
#[test]
fn slots_that_are_cleared_for_nothing() {
    let mut bytes = accumulating(Clear::Usual, false).block(None);
    let skn = section(&bytes, SectionKind::Skn);
    let size = word(&bytes, skn + 0x18) as u32 + 0x60;
    bytes[skn + 0x18..skn + 0x1C].copy_from_slice(&size.to_be_bytes());
    let range = ("SKN", "", skn + 0x14);
    told(&bytes, &[warning("cleared-not-accumulated", range), warning("clear-range", range)]);
}

#[test]
fn a_slot_beside_an_entry() {
    let bytes = sharing().block(None);
    let place = ("SKN", "SK1[0]", section(&bytes, SectionKind::Skn) + 0x24);
    told(&bytes, &[Want { dolphin: Nothing, ..warning("accumulation-shares-line", place) }]);
}

/// 2 * 255 / 256 of 30,000 is past the end of an s16.
#[test]
fn values_past_the_end_of_their_type() {
    let bytes = saturated().block(None);
    let findings = super::findings(&bytes);
    let found = findings.iter().find(|finding| finding.code.name == "saturated").unwrap();
    assert_eq!((found.severity, found.place.vertex), (Severity::Warning, Some(0)));
    assert!(found.text.starts_with("20 slots reach the end of the s16 range"), "{}", found.text);
}

#[test]
fn facial_sections() {
    let at = |bytes: &[u8], offset| section(bytes, SectionKind::Facial) + offset;
    let changes: [(&str, usize, &[u8], &str); 6] = [
        ("facial-count", 0, &[0, 9], ""),
        ("facial-component", 0x14 + 5, &[3], "object 0 attribute 0"),
        ("facial-component", 0x14 + 6, &[2], "object 0 attribute 0"),
        ("facial-component", 0x14 + 7, &[4], "object 0 attribute 0"),
        ("facial-index", 0x14 + 4, &[7], "object 0 attribute 0"),
        ("facial-run-list", 0x14 + 3, &[9], "object 0 attribute 0"),
    ];
    for (code, offset, new, entry) in changes {
        let bytes = face(offset, new);
        let found = super::findings(&bytes);
        let found = found
            .iter()
            .find(|finding| finding.code.name == code)
            .unwrap_or_else(|| panic!("{code} {offset:#x}"));
        assert_eq!(found.severity, Severity::Error, "{code}");
        assert_eq!(found.place.entry.as_deref().unwrap_or_default(), entry);
        let record = if entry.is_empty() { 0 } else { 0x14 };
        assert_eq!(found.place.offset, Some(at(&bytes, record) as u64), "{code}");
    }
}

/// A list that nothing is accumulated for is never read.
#[test]
fn a_flush_list_that_never_runs_may_lie_nowhere() {
    let mut bytes = plan(&[ONE]).write().block(None);
    let skn = section(&bytes, SectionKind::Skn);
    bytes[skn + 0x1C..skn + 0x24].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 3]);
    told(&bytes, &[warning("out-of-bounds", ("SKN", "", skn + 0x1C))]);
}

/// A source two lines late: poses go to where it should be, and there lies what they move instead.
#[test]
fn poses_beside_their_sources() {
    let mut bytes = Plan { face: true, ..plan(&[ONE, TWO]) }.write().block(None);
    let skn = section(&bytes, SectionKind::Skn);
    let entry = skn + 0x24 + 0x40;
    let source = word(&bytes, entry + 0x60) as u32 - 0x20;
    bytes[entry + 0x60..entry + 0x64].copy_from_slice(&source.to_be_bytes());
    let place = ("SKN", "SK2[0]", entry + 0x60);
    told(
        &bytes,
        &[
            error("source-off-mirror", place, Wrong("facial pose")),
            error("facial-off-mirror", place, Wrong("facial pose")),
        ],
    );
    // Without poses nobody writes to the mirror.
    let mut still = plan(&[ONE, TWO]).write().block(None);
    let entry = section(&still, SectionKind::Skn) + 0x24 + 0x40;
    let source = word(&still, entry + 0x60) as u32 - 0x20;
    still[entry + 0x60..entry + 0x64].copy_from_slice(&source.to_be_bytes());
    told(&still, &[warning("source-off-mirror", ("SKN", "SK2[0]", entry + 0x60))]);
}

/// Of the slots between two entries, whose lines are not drawn, poses move nothing.
#[test]
fn poses_of_slots_between_entries() {
    let mut bytes = Plan { face: true, ..plan(&[ONE, Run { gap: 1, ..TWO }]) }.write().block(None);
    let facial = section(&bytes, SectionKind::Facial);
    // The runs of the first attribute, of its object's first record.
    let runs = facial + word(&bytes, facial + 0x14 + 8);
    assert_eq!(bytes[runs..runs + 4], [0, 0, 0, 1], "the first vertex of the first entry");
    bytes[runs + 1] = 20;
    let findings = super::findings(&bytes);
    let told: Vec<_> = findings.iter().filter(|f| f.code.name == "facial-off-mirror").collect();
    assert_eq!(told.len(), 1, "{findings:?}");
    assert_eq!((told[0].severity, told[0].place.vertex), (Severity::Warning, Some(20)));
    assert!(told[0].text.contains("which no SK1 or SK2 entry reads and nothing draws"), "{}", told[0].text);
}

/// The last slot's line is flushed by nothing once the list lacks it.
#[test]
fn supplements_without_a_flush() {
    let mut written = plan(&[Run { supplemented: 2, ..TWO }]).write();
    written.skn.flush.truncate(1);
    let bytes = written.block(None);
    let place = ("SKN", "", section(&bytes, SectionKind::Skn) + 0x1C);
    told(&bytes, &[Want { dolphin: Nothing, ..error("flush-missing", place, Drifts) }]);
}
