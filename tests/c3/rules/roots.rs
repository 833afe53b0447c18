//! One cause, one finding: what only follows from it is not told as a defect of its own.

use std::collections::BTreeSet;

use skinsim::c3::check::{Comparison, check};
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::c3::rules::effects::Target;
use skinsim::finding::{Effect, Finding, Severity};

use super::every::{ONE, TWO, plan};
use super::{ACT, GPL, SKN, STATES, bone, findings, fox, sk1, sk2, skacc};

/// What the untouched fox has.
const USUAL: &str = "flush-tail";

fn codes(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.code.name).filter(|code| *code != USUAL).collect()
}

/// The fox with some bytes changed.
fn changed(changes: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = fox();
    for (at, new) in changes {
        bytes[*at..*at + new.len()].copy_from_slice(new);
    }
    bytes
}

#[track_caller]
fn only(changes: &[(usize, &[u8])], code: &str) -> Finding {
    let findings = findings(&changed(changes));
    assert_eq!(codes(&findings), [code].into());
    let mut found = findings.into_iter().filter(|finding| finding.code.name == code);
    let one = found.next().unwrap();
    assert_eq!(found.next().map(|other| other.text), None);
    one
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(bytes[at..at + 2].try_into().unwrap())
}

#[test]
fn a_list_that_begins_inside_a_line_is_read_from_the_line_s_start() {
    let list = word(&fox(), STATES + 0x18);
    let words = "the list is read from the line before on";
    // The processor drops the low bits, and reads the list as it was.
    let late = only(&[(STATES + 0x18, &(list + 4).to_be_bytes())], "primitive-list-unaligned");
    assert_eq!(late.dolphin, Some(Effect::WrongOutput(words.to_owned())));
    // From a later line on it finds the middle of a primitive, whatever that is taken for.
    let told = |line: u32| {
        let at = list + 32 * line + 4;
        let findings = findings(&changed(&[(STATES + 0x18, &at.to_be_bytes())]));
        let lists: Vec<_> = findings.iter().filter(|f| f.code.name.starts_with("primitive-")).collect();
        assert_eq!(lists.len(), 1, "line {line}");
        let Some(Effect::WrongOutput(have)) = &lists[0].dolphin else { panic!("{:?}", lists[0]) };
        have.clone()
    };
    let met = (1..12).map(told).find(|have| have != words).unwrap();
    assert!(met.starts_with(&format!("{words}: ")), "{met}");
}

#[test]
fn what_lies_behind_the_last_bone_is_no_bone() {
    // The controls follow the table.
    for count in [26, 40] {
        let count: [u8; 2] = u16::to_be_bytes(count);
        only(&[(ACT + 6, &count)], "bone-count");
    }
    let counted = findings(&changed(&[(ACT + 6, &[0xFF, 0xFF])]));
    assert_eq!(codes(&counted), ["bone-count", "out-of-bounds"].into());
    assert!(counted.iter().filter(|f| f.code.name == "out-of-bounds").all(|finding| {
        matches!(&finding.dolphin, Some(Effect::Faults(words)) if words.starts_with("the library stops"))
    }));
}

#[test]
fn a_list_at_address_0_is_the_one_thing_told() {
    for pointer in [8, 0xC, 0x10] {
        only(&[(SKN + pointer, &[0; 4])], "out-of-bounds");
    }
}

#[test]
fn entries_that_are_not_counted_move_the_mirror_once() {
    let fewer = half(&fox(), SKN + 4) - 2;
    let findings = findings(&changed(&[(SKN + 4, &fewer.to_be_bytes())]));
    let off: Vec<_> = findings.iter().filter(|f| f.code.name == "source-off-mirror").collect();
    assert_eq!(off.len(), 1);
    assert!(
        off[0].text.contains(" entries lie 0x80 bytes past their places in the mirror"),
        "{}",
        off[0].text
    );
    assert_eq!(off[0].severity, Severity::Warning);
}

#[test]
fn a_source_beside_the_others_is_told_for_its_entry() {
    let source = word(&fox(), sk1(3) + 0x30) - 0x20;
    let findings = findings(&changed(&[(sk1(3) + 0x30, &source.to_be_bytes())]));
    let off: Vec<_> = findings.iter().filter(|f| f.code.name == "source-off-mirror").collect();
    assert_eq!(off.len(), 1);
    assert_eq!(off[0].place.entry.as_deref(), Some("SK1[3]"));
}

#[test]
fn a_destination_outside_of_the_model_has_no_slots_and_no_scratch_space() {
    let far = [
        (0x1000_0000, "at 0x90a000c0 in the second memory (MEM2)"),
        (0xCC00_8000_u32.wrapping_sub(0x80A0_00C0), "at 0xcc008000 in the console's registers"),
        (0x00C0_0000, "at 0x816000c0"),
    ];
    for (destination, place) in far {
        let findings = findings(&changed(&[(sk1(2) + 0x34, &destination.to_be_bytes())]));
        let outside: Vec<_> = findings.iter().filter(|f| f.code.name == "write-outside-model").collect();
        assert_eq!(outside.len(), 1);
        assert!(outside[0].text.contains(place), "{place}: {}", outside[0].text);
        let other = codes(&findings);
        assert!(!other.contains("vertex-offset") && !other.contains("write-outside-scratch"), "{other:?}");
        let Some(Effect::Overwrites(words)) = &outside[0].dolphin else { panic!("{:?}", outside[0].dolphin) };
        let named = ["second memory", "registers", "of memory behind the block"];
        assert!(named.iter().any(|name| words.contains(name)), "{words}");
    }
}

#[test]
fn weights_that_are_not_there_have_no_sum() {
    let length = fox().len() - SKN;
    let pointer = (length as u32).to_be_bytes();
    let findings = findings(&changed(&[(sk2(3) + 0x64, &pointer)]));
    let codes = codes(&findings);
    assert!(codes.contains("out-of-bounds"), "{codes:?}");
    let own = findings.iter().filter(|finding| finding.place.entry.as_deref() == Some("SK2[3]"));
    assert_eq!(own.filter(|finding| finding.code.name == "weight-zero").count(), 0);
}

#[test]
fn weights_of_slots_that_nothing_draws_are_told_as_such() {
    let mut written = plan(&[TWO]).write();
    let skinsim::c3::build::skn::Movers::Two(_, weights) = &mut written.skn.direct[0].movers else {
        panic!()
    };
    weights[1] = [3, 4];
    weights[7] = [5, 6];
    // Slots 0 to 2 are drawn.
    written.gpl.parts[0].vertices.truncate(3);
    let findings = findings(&written.block(None));
    let sums: Vec<_> = findings.iter().filter(|f| f.code.name == "weight-sum").collect();
    let told: Vec<_> = sums.iter().map(|f| (f.place.vertex, f.dolphin == Some(Effect::None))).collect();
    assert_eq!(told, [(Some(1), false), (Some(7), true)]);
    assert!(sums[1].text.ends_with("; no primitive draws it"), "{}", sums[1].text);
}

#[test]
fn bones_below_one_without_a_matrix_are_told_at_their_controls() {
    let bytes = fox();
    // The root's translation.
    let control = ACT + word(&bytes, bone(0)) as usize;
    let findings =
        findings(&changed(&[(control, &[bytes[control] | 8]), (control + 0x20, &f32::NAN.to_be_bytes())]));
    let bad: Vec<_> = findings.iter().filter(|f| f.code.name == "nan-matrix").collect();
    assert!(bad.len() > 1);
    for finding in bad {
        let number: usize = finding.place.entry.as_ref().unwrap()["bone ".len()..].parse().unwrap();
        let own = ACT + word(&bytes, bone(number)) as usize;
        let offsets = [Some(own as u64), Some(bone(number) as u64)];
        assert!(offsets.contains(&finding.place.offset), "{:?}", finding.place);
        assert!(finding.place.address.is_some());
    }
}

#[test]
fn a_primitive_bank_outside_of_the_file_is_told_and_no_frame_reads_it() {
    let bytes = fox();
    let display = GPL + 0x40 + word(&bytes, GPL + 0x50) as usize;
    let told = only(&[(display, &[0, 0x20, 0, 0])], "out-of-bounds");
    assert_eq!(told.place.offset, Some(display as u64));
    assert!(matches!(&told.dolphin, Some(Effect::Unshown(..))), "{:?}", told.dolphin);
}

#[test]
fn bytes_between_an_array_and_the_end_of_its_line_are_padding() {
    let bytes = fox();
    let arrays =
        [(sk2(3) + 0x64, 2, sk2(3) + 0x70, "SK2[3]"), (skacc(1) + 0x34, 2, skacc(1) + 0x42, "SKAcc[1]")];
    for (pointer, size, count, entry) in arrays {
        let end = word(&bytes, pointer) as usize + size * usize::from(half(&bytes, count));
        assert_ne!(end % 32, 0, "the array fills its last line");
        let told = only(&[(SKN + end, &[7])], "padding-not-zero");
        assert_eq!((told.place.entry.as_deref(), told.severity), (Some(entry), Severity::Note));
        assert_eq!(told.place.offset, Some((SKN + end) as u64));
    }
}

#[test]
fn flush_indices_count_from_the_first_base() {
    let indices = SKN + word(&fox(), SKN + 0x1C) as usize;
    let findings = findings(&changed(&[(skacc(0) + 0x38, &[0, 3, 0, 5]), (indices, &[0xFF, 0xFF])]));
    let flush = findings.iter().find(|finding| finding.code.name == "flush-out-of-range").unwrap();
    assert!(
        flush.text.contains("as they count from the first SKAcc entry's base 0x30005: index "),
        "{}",
        flush.text
    );
    assert!(!flush.text.contains("past the last slot"), "{}", flush.text);
}

#[test]
fn a_flush_list_without_end_is_cut_off_and_no_loop_that_never_ends() {
    let findings = findings(&changed(&[(SKN + 0x20, &[0xFF; 4])]));
    let bounds = findings.iter().find(|finding| finding.code.name == "out-of-bounds").unwrap();
    let Some(Effect::Faults(words)) = &bounds.dolphin else { panic!("{:?}", bounds.dolphin) };
    assert!(!words.contains("hangs"), "{words}");
}

/// Two slots of SK1[1] that it writes whole are SK1[0]'s no longer, whatever lines they lie in.
#[test]
fn slots_that_two_entries_write_are_no_matter_of_their_lines() {
    let mut bytes = plan(&[ONE, ONE]).write().block(None);
    let skn = word(&bytes, 0x10) as usize;
    let second = skn + 0x24 + 0x40;
    bytes[second + 0x34..second + 0x38].copy_from_slice(&[0; 4]);
    // It begins on the first slot as the first one does.
    bytes[second + 0x3C] = 0;
    let findings = findings(&bytes);
    let of = |code: &str| findings.iter().find(|finding| finding.code.name == code).unwrap();
    assert_eq!(of("destination-overlap").severity, Severity::Error);
    assert_eq!(
        (of("line-shared").severity, &of("line-shared").dolphin),
        (Severity::Warning, &Some(Effect::None))
    );
}

#[test]
fn a_file_that_is_no_animation_bank_is_told_once() {
    let fox = fox();
    let text = b"# A file of text, and no bank at all.\n".repeat(400);
    for other in [&text[..], &fox, &fox[ACT..SKN], &fox[GPL..ACT]] {
        let files = LooseFiles {
            gpl: &fox[GPL..ACT],
            skn: Some(&fox[SKN..]),
            act: Some(&fox[ACT..SKN]),
            anm: Some(other),
        };
        let model = Model::from_loose(files).unwrap();
        let findings = check(&model, &Comparison::default(), 0x80A0_0000, &[Target::Dolphin]);
        let of_bank: Vec<_> =
            findings.iter().filter(|finding| finding.place.section.as_deref() == Some("ANM")).collect();
        assert_eq!(of_bank.len(), 1, "{:?}", of_bank.iter().map(|finding| &finding.text).collect::<Vec<_>>());
        assert_eq!(of_bank[0].severity, Severity::Error);
    }
}

#[test]
fn flush_indices_outside_of_the_section_answer_for_what_a_console_shows() {
    let far = [0, 0x10, 0, 0];
    for (at, new) in [(SKN + 0x1C, far), (SKN + 0x20, [0, 0, 0x40, 0])] {
        let findings = findings(&changed(&[(at, &new)]));
        let codes = codes(&findings);
        assert!(!codes.contains("flush-missing") && !codes.contains("array-overlap"), "{codes:?}");
        let bounds = findings.iter().find(|finding| finding.code.name == "out-of-bounds").unwrap();
        assert_eq!(bounds.dolphin, Some(Effect::None));
    }
    let findings = findings(&changed(&[(SKN + 0x1C, &far)]));
    let bounds = findings.iter().find(|finding| finding.code.name == "out-of-bounds").unwrap();
    assert!(matches!(bounds.console, Some(Effect::Stale(_))), "{:?}", bounds.console);
    assert_eq!(bounds.severity, Severity::Error);
}

#[test]
fn of_headers_that_cannot_be_read_nothing_else_is_told() {
    let far = [0, 0x20, 0, 0];
    // The layout, the position header, the colour header.
    let layout = findings(&changed(&[(GPL + 0x20, &far)]));
    assert_eq!(codes(&layout), ["no-skinned-submesh", "out-of-bounds"].into());
    let positions = findings(&changed(&[(GPL + 0x40, &far)]));
    assert_eq!(codes(&positions), ["no-skinned-submesh", "out-of-bounds"].into());
    only(&[(GPL + 0x44, &far)], "out-of-bounds");
}

#[test]
fn what_no_frame_reads_is_not_called_without_effect() {
    // The first word, an ACT off its line, a header off its word.
    let cases: [&[(usize, &[u8])]; 2] = [&[(0, &[0, 0, 0, 1])], &[(0x18, &[0, 0xFF, 0, 0])]];
    for changes in cases {
        let findings = findings(&changed(changes));
        let header = findings.iter().find(|finding| finding.code.name == "block-header").unwrap();
        let told = [&header.dolphin, &header.console];
        assert!(told.iter().all(|effect| matches!(effect, Some(Effect::Unshown(..)))), "{told:?}");
    }
}

#[test]
fn a_pointer_out_of_the_block_is_neither_unaligned_nor_out_of_order_besides() {
    let findings = findings(&changed(&[(0x0C, &[0x7F, 0xFF, 0xFF, 0xFF])]));
    assert_eq!(codes(&findings), ["block-header"].into());
}

#[test]
fn a_list_behind_the_section_answers_for_what_its_entries_write() {
    for far in [[0, 0x20, 0, 0], [0, 0, 0x61, 0x80], [0, 0x01, 0, 0]] {
        let findings = findings(&changed(&[(SKN + 0x10, &far)]));
        let behind = |one: &&Finding| one.place.offset.is_some_and(|at| at >= fox().len() as u64);
        assert_eq!(findings.iter().find(behind).map(|one| &one.text), None);
        let rest = |one: &&Finding| matches!(one.code.name, "frame-fault" | "output-differs");
        assert_eq!(findings.iter().find(rest).map(|one| &one.text), None);
    }
}

/// Thirty-two SKAcc entries are said to be there: arrays that the list would reach over are where they were.
#[test]
fn a_list_of_too_many_entries_makes_no_array_one_of_its_own() {
    let findings = findings(&changed(&[(SKN + 4, &[0, 32])]));
    let taken = |one: &&Finding| matches!(&one.dolphin, Some(Effect::WrongOutput(what)) if what.contains("list is taken for its"));
    assert_eq!(findings.iter().find(taken).map(|one| &one.text), None);
}
