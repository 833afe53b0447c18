//! Which finding answers for what a frame did, where a block has several defects.

use skinsim::finding::{Effect, Finding, Severity};

use super::{ACT, Change, GPL, SKN, STATES, bone, changed, findings, fox, sk1, sk2, skacc};

fn of<'f>(findings: &'f [Finding], code: &str) -> Vec<&'f Finding> {
    findings.iter().filter(|finding| finding.code.name == code).collect()
}

fn effects(finding: &Finding) -> [&Effect; 2] {
    [finding.dolphin.as_ref().unwrap(), finding.console.as_ref().unwrap()]
}

/// Every finding of a changed fox; nothing may be left that no rule answers for.
fn explained(changes: &[Change]) -> Vec<Finding> {
    let findings = findings(&changed(changes));
    let rest = |finding: &&Finding| matches!(finding.code.name, "frame-fault" | "output-differs");
    assert_eq!(findings.iter().find(rest).map(|finding| (&finding.place, &finding.dolphin)), None);
    findings
}

#[test]
fn two_broken_entries_answer_for_their_own_vertices() {
    // SK1[5] begins 8 bytes late, SK2[6] has too many vertices for one transfer.
    let findings = explained(&[(sk1(5) + 0x3C, &[8]), (sk2(6) + 0x70, &[1, 0x68])]);
    let offset = of(&findings, "vertex-offset");
    let Effect::WrongOutput(words) = effects(offset[0])[0] else { panic!("{offset:?}") };
    assert!(words.starts_with("27 slots, the worst is "), "{words}");
    let wraps = of(&findings, "dma-length-wraps");
    assert_eq!(wraps[0].place.entry.as_deref(), Some("SK2[6]"));
    let Effect::WrongOutput(other) = effects(wraps[0])[0] else { panic!("{wraps:?}") };
    assert_ne!(words, other);
}

#[test]
fn a_wrapped_counter_is_the_count_s_doing_alone() {
    // SK1[3] has one vertex, and stores over the line of SK1[2] besides.
    let findings = explained(&[(sk1(3) + 0x3A, &[0, 1]), (sk1(3) + 0x34, &[0, 0, 6, 0x20])]);
    let faults = |finding: &&&Finding| matches!(effects(finding)[0], Effect::Faults(_));
    let faulting: Vec<_> =
        findings.iter().collect::<Vec<_>>().iter().filter(faults).map(|finding| finding.code.name).collect();
    assert_eq!(faulting, ["count-wraps"]);
    assert_eq!(of(&findings, "line-shared").len(), 1);
}

#[test]
fn a_destination_s_low_bits_do_not_move_a_vertex() {
    // One bit into the length field, where it is set already: the frame shows no difference.
    let findings = explained(&[(sk1(0) + 0x34, &[0, 0, 0, 1])]);
    let unaligned = of(&findings, "dma-address-unaligned");
    assert_eq!((unaligned[0].severity, effects(unaligned[0])), (Severity::Warning, [&Effect::None; 2]));
    assert!(of(&findings, "vertex-offset").is_empty());
}

#[test]
fn an_entry_that_loses_its_vertex_to_another_says_so() {
    // SK1[14] with a vertex more reaches into SK2[0]'s first slot.
    let findings = explained(&[(sk1(14) + 0x3A, &[0, 25])]);
    let overlap = of(&findings, "destination-overlap")[0];
    let Effect::WrongOutput(words) = effects(overlap)[0] else { panic!("{overlap:?}") };
    assert!(words.starts_with("the earlier entry's vertices are lost: 1 slot, the worst is 680"), "{words}");
    assert_eq!(overlap.severity, Severity::Error);
}

#[test]
fn two_entries_that_agree_about_a_slot_do_no_harm() {
    // SK1[4] is a copy of SK1[3], destination and all, but for what lay in its own slots.
    let mut bytes = changed(&[]);
    let (from, to) = (sk1(3), sk1(4));
    bytes.copy_within(from + 0x30..from + 0x40, to + 0x30);
    let findings = findings(&bytes);
    let overlap = of(&findings, "destination-overlap")[0];
    assert_eq!((overlap.severity, effects(overlap)), (Severity::Warning, [&Effect::None; 2]));
    // What SK1[4] drew before is drawn still, and nothing writes it.
    assert_eq!(of(&findings, "slot-unwritten").len(), 1);
}

#[test]
fn one_far_index_is_not_a_write_over_everything_before_it() {
    // The first index of SKAcc[0] leads 4 bytes behind the end of the block, past the display-state list.
    let findings = explained(&[(SKN + 0x5EF0, &[15])]);
    assert_eq!(of(&findings, "write-back-over-structure").len(), 0);
    let outside = of(&findings, "write-outside-model");
    assert_eq!(outside.len(), 1);
    assert_eq!(*effects(outside[0])[0], Effect::Overwrites("0xc bytes of memory behind the block".into()));
}

#[test]
fn accumulation_over_the_state_list_is_named_and_becomes_its_fault() {
    // Slot 1526 lies in the state list, behind the array.
    let findings = explained(&[(SKN + 0x5EE0, &[5, 0xF6])]);
    let over = of(&findings, "write-back-over-structure");
    let list = over.iter().find(|finding| finding.text.contains("display-state list")).unwrap();
    assert!(matches!(effects(list), [Effect::Faults(_), Effect::Faults(_)]), "{list:?}");
}

#[test]
fn lists_that_share_bytes_answer_for_each_other_s_entries() {
    // Sixteen SK1 entries: the last is the first of the SK2 list.
    let findings = explained(&[(SKN, &[0, 16])]);
    let overlap = of(&findings, "array-overlap");
    assert!(overlap.iter().any(|finding| finding.place.entry.as_deref() == Some("SK1 list")));
    // A list at the bottom of the section lies in the header, and its pointer is not relocated.
    let findings = explained(&[(SKN + 0x10, &[0, 0, 0, 0])]);
    let null = of(&findings, "out-of-bounds");
    assert!(matches!(effects(null[0]), [Effect::Faults(_), Effect::Faults(_)]), "{null:?}");
}

#[test]
fn a_flush_list_that_leads_nowhere_faults_the_frame() {
    let findings = explained(&[(SKN + 0x1C, &[0, 0, 0, 0])]);
    let null = of(&findings, "out-of-bounds");
    let [Effect::Faults(dolphin), Effect::Faults(_)] = effects(null[0]) else { panic!("{null:?}") };
    assert!(dolphin.starts_with("Invalid read from 0x00000000, PC = "), "{dolphin}");
}

#[test]
fn a_state_that_draws_through_a_null_pointer_is_found_before_the_game_meets_it() {
    let findings = explained(&[(STATES + 0x18, &[0, 0, 0, 0])]);
    let null = of(&findings, "out-of-bounds");
    assert_eq!(null[0].place.entry.as_deref(), Some("submesh 0 state 1"));
}

#[test]
fn no_flush_list_does_anything_on_dolphin() {
    // Weights of SKAcc[4] 16 bytes late, and no flush at all.
    let findings = explained(&[(skacc(4) + 0x3C, &[0, 0, 0x61, 0x90]), (SKN + 0x20, &[0, 0, 0, 0])]);
    let missing = of(&findings, "flush-missing")[0];
    assert!(matches!(effects(missing), [Effect::None, Effect::Stale(_)]), "{missing:?}");
    let unaligned = of(&findings, "dma-address-unaligned")[0];
    assert!(matches!(effects(unaligned)[0], Effect::WrongOutput(_)), "{unaligned:?}");
}

#[test]
fn a_matrix_that_is_none_answers_for_the_slots_that_it_moves() {
    let mut bytes = changed(&[]);
    let at = |bytes: &[u8], offset: usize| u32::from_be_bytes(bytes[offset..offset + 4].try_into().unwrap());
    let controls: Vec<usize> = (0..24).map(|index| at(&bytes, bone(index)) as usize).collect();
    let control =
        controls.into_iter().find(|&control| control != 0 && bytes[ACT + control] & 8 != 0).unwrap();
    bytes[ACT + control + 0x20..ACT + control + 0x24].copy_from_slice(&f32::NAN.to_be_bytes());
    let findings = findings(&bytes);
    let bad = of(&findings, "nan-matrix");
    let spoiling = bad.iter().filter(|finding| finding.severity == Severity::Error).count();
    assert!(spoiling > 0, "{bad:?}");
    for finding in bad {
        let harmless = *effects(finding)[0] == Effect::None;
        assert_eq!(finding.severity, if harmless { Severity::Warning } else { Severity::Error });
    }
    assert!(of(&findings, "output-differs").is_empty());
}

#[test]
fn a_run_that_a_fault_ended_has_no_output_to_compare() {
    let findings = findings(&changed(&[(skacc(0) + 0x42, &[0, 0])]));
    assert_eq!(of(&findings, "count-wraps").len(), 1);
    assert_eq!(of(&findings, "output-differs").len(), 0);
}

#[test]
fn a_store_that_its_low_bits_lengthen_answers_for_what_it_overwrites() {
    let mut bytes = changed(&[]);
    bytes[sk2(20) + 0x6B] |= 0x1F;
    let findings = findings(&bytes);
    let unaligned = of(&findings, "dma-address-unaligned")[0];
    assert_eq!(unaligned.severity, Severity::Error);
    let told = |effect: &Effect| matches!(effect, Effect::Overwrites(_) | Effect::Faults(_));
    assert!(effects(unaligned).into_iter().all(told), "{unaligned:?}");
}

#[test]
fn a_store_before_the_array_names_what_lies_there() {
    let findings = findings(&changed(&[(sk1(0) + 0x34, &[0xFF, 0xFF, 0xFF, 0x80])]));
    let over = of(&findings, "write-back-over-structure");
    assert!(over.iter().any(|finding| finding.text.contains("header")), "{findings:?}");
    assert_eq!(of(&findings, "write-outside-model").len(), 0);
    let far = self::findings(&changed(&[(sk1(0) + 0x34, &[0xFF, 0xFF, 0x00, 0x00])]));
    let outside = of(&far, "write-outside-model")[0];
    let text =
        "its store reaches 0x140 bytes before the start of the block, 0xfe00 bytes from it, at 0x809f00c0";
    assert_eq!(outside.text, text);
}

#[test]
fn a_list_outside_the_section_does_not_move_the_mirror() {
    let findings = findings(&changed(&[(SKN + 8, &[0, 1, 0, 0])]));
    assert_eq!(of(&findings, "source-off-mirror").len(), 0);
}

#[test]
fn vertices_that_only_clamp_when_they_move_are_told() {
    let mut bytes = changed(&[]);
    let source = u32::from_be_bytes(bytes[sk1(0) + 0x30..sk1(0) + 0x34].try_into().unwrap()) as usize;
    let first = SKN + source + usize::from(bytes[sk1(0) + 0x3C]);
    for at in 0..6 {
        bytes[first + 2 * at..first + 2 * at + 2].copy_from_slice(&32_500i16.to_be_bytes());
    }
    let findings = findings(&bytes);
    let told = of(&findings, "saturated");
    let moved: Vec<_> = told.iter().filter(|f| f.text.contains("when the bones move a little")).collect();
    assert_eq!(moved.len(), 1, "{told:?}");
    assert_eq!((moved[0].severity, moved[0].place.vertex), (Severity::Warning, Some(0)));
    assert_eq!(effects(moved[0]), [&Effect::None; 2]);
    // At rest the vertex comes out as it is stored.
    assert_eq!(told.len(), 1);
}

/// To a transfer 0x80000000 behind the section is its first byte: the header is taken for indices, after the loader has
/// changed it. On a console the lines that one frame adds to leave the cache in the next.
#[test]
fn indices_that_a_transfer_reads_from_the_header_are_their_entry_s_doing() {
    let findings = explained(&[(sk2(3) + 0x72, &[2]), (skacc(0) + 0x34, &[0x80, 0, 0, 0])]);
    let outside = of(&findings, "out-of-bounds");
    assert_eq!(outside[0].place.entry.as_deref(), Some("SKAcc[0]"));
    assert_eq!(outside[0].severity, Severity::Error);
    assert!(outside[0].text.ends_with("a transfer keeps 29 bits of an address and reads 0x0"), "{outside:?}");
    assert!(matches!(effects(outside[0]), [Effect::WrongOutput(_), Effect::WrongOutput(_)]), "{outside:?}");
}

#[test]
fn a_bone_that_no_skeleton_has_is_told_without_one() {
    // No ACT pointer, and an entry that names bone 1000.
    let told = explained(&[(8, &[0; 4]), (sk1(2) + 0x38, &[0x03, 0xE8])]);
    let bone = told.iter().find(|finding| finding.code.name == "bone-out-of-range").unwrap();
    assert_eq!(bone.place.entry.as_deref(), Some("SK1[2]"));
    assert!(bone.text.contains("there is no skeleton"), "{}", bone.text);
}

#[test]
fn accumulation_into_the_addresses_of_the_locked_cache_is_the_bases_doing() {
    let told = explained(&[(skacc(1) + 0x38, &[0x60, 0, 0, 0])]);
    let base = told.iter().find(|finding| finding.code.name == "accumulate-base").unwrap();
    assert!(matches!(base.dolphin, Some(Effect::Faults(_))), "{base:?}");
}

#[test]
fn a_counter_that_wraps_answers_for_its_fault_after_the_kernel_wrote_over_its_own_entry() {
    // Added from the SKN on, the results of 65,536 turns reach the entry itself.
    let told = explained(&[(skacc(0) + 0x42, &[0, 0]), (skacc(0) + 0x38, &[0, 0, 0, 4])]);
    let wraps = of(&told, "count-wraps");
    assert!(matches!(effects(wraps[0])[0], Effect::Faults(_)), "{wraps:?}");
}

#[test]
fn indices_beside_their_line_answer_for_slots_that_other_entries_add_to_later() {
    let told = explained(&[(SKN + 0xD9C, &[0, 0, 0x5E, 0xE1])]);
    let unaligned = of(&told, "dma-address-unaligned");
    assert!(matches!(effects(unaligned[0])[0], Effect::WrongOutput(_)), "{unaligned:?}");
}

#[test]
fn an_entry_that_faults_before_it_stores_overwrites_nothing() {
    // One vertex, and a destination far behind the block.
    let told = explained(&[(sk1(2) + 0x3A, &[0, 1]), (sk1(2) + 0x34, &[0, 0x10, 0, 0])]);
    let outside = of(&told, "write-outside-model");
    assert!(matches!(effects(outside[0]), [Effect::Unshown(..), Effect::Unshown(..)]), "{outside:?}");
    assert!(matches!(effects(of(&told, "count-wraps")[0])[0], Effect::Faults(_)), "{told:?}");
}

#[test]
fn what_a_kernel_wrote_over_before_it_faulted_is_told() {
    // No vertex, and a base that leads into the display lists: 65,536 turns add to wherever the indices lead.
    let told = explained(&[(skacc(0) + 0x42, &[0, 0]), (skacc(0) + 0x38, &[0, 0, 0x40, 0x04])]);
    let by_it = |finding: &&Finding| {
        finding.code.name == "write-back-over-structure" && finding.text.starts_with("it writes over")
    };
    let over: Vec<_> = told.iter().filter(by_it).collect();
    assert_eq!(over.len(), 3, "{over:?}");
    for finding in over {
        assert_eq!(finding.place.entry.as_deref(), Some("SKAcc[0]"));
        assert!(matches!(effects(finding)[0], Effect::Overwrites(_) | Effect::Faults(_)), "{finding:?}");
    }
}

/// What each finding that answers for a fault is, and of which entry.
fn faulting(findings: &[Finding]) -> Vec<(&'static str, Option<&str>)> {
    let faults = |finding: &&Finding| matches!(effects(finding)[0], Effect::Faults(_));
    findings.iter().filter(faults).map(|one| (one.code.name, one.place.entry.as_deref())).collect()
}

#[test]
fn a_record_that_another_entry_wrote_over_is_that_entry_s_doing() {
    // SK1[0] stores 2 lines over the records of SK1[8] and SK1[9], which lie 64 bytes beside their lines.
    let over = (SKN + 0x40 + 8 * 0x40 - 0x40 - array()) as u32;
    let told = explained(&[(sk1(0) + 0x34, Vec::leak(over.to_be_bytes().to_vec())), (sk1(8) + 0x3C, &[2])]);
    let faulting = faulting(&told);
    assert!(!faulting.is_empty(), "{told:?}");
    for (code, entry) in faulting {
        assert_eq!((code, entry), ("write-back-over-structure", Some("SK1[0]")));
    }
}

/// Where the skinned position array begins in the fox.
fn array() -> usize {
    let bytes = fox();
    let at = |offset: usize| u32::from_be_bytes(bytes[offset..offset + 4].try_into().unwrap()) as usize;
    GPL + at(super::POSITION_HEADER)
}

#[test]
fn a_display_fault_comes_from_the_list_that_was_followed_alone() {
    // The display-state list and the arrays before it, written over by one entry: only the list is followed.
    let told = explained(&[(sk1(0) + 0x34, &[0, 0, 0x47, 0x80])]);
    let over = of(&told, "write-back-over-structure");
    let of_list = |finding: &&&Finding| finding.text.contains("display-state list");
    assert!(over.iter().any(|finding| of_list(&finding)), "{over:?}");
    for finding in over {
        let faults = matches!(effects(finding)[0], Effect::Faults(_));
        assert_eq!(faults, of_list(&&finding), "{finding:?}");
    }
}

#[test]
fn only_the_array_that_cannot_be_loaded_faults() {
    // Source and weights of SK2[3] both lie far behind the section: the source is loaded first.
    let far = &[0x04, 0, 0, 0];
    let told = explained(&[(sk2(3) + 0x60, far), (sk2(3) + 0x64, far)]);
    let outside = of(&told, "out-of-bounds");
    let faults = |field: &str| {
        let finding = outside.iter().find(|one| one.place.field.as_deref() == Some(field)).unwrap();
        matches!(effects(finding)[0], Effect::Faults(_))
    };
    assert_eq!((faults("source vertices"), faults("weights")), (true, false), "{outside:?}");
}

#[test]
fn a_clear_that_leaves_memory_writes_over_what_it_passes_and_does_not_fault_there() {
    let told = explained(&[(SKN + 0x18, &[0xFF; 4])]);
    assert_eq!(faulting(&told), [("write-outside-model", None), ("clear-range", None)]);
    let over = of(&told, "write-back-over-structure");
    assert!(over.iter().any(|one| matches!(effects(one)[0], Effect::Overwrites(_))), "{over:?}");
}

#[test]
fn slots_that_a_wrapped_count_may_be_meant_for_are_not_compared() {
    // What SK2[14] wrote is accumulated into, and nothing clears it.
    let told = explained(&[(sk2(14) + 0x70, &[0, 0])]);
    for finding in of(&told, "accumulated-not-cleared") {
        assert!(matches!(effects(finding)[0], Effect::Unshown(..)), "{finding:?}");
    }
}

#[test]
fn a_line_that_is_not_flushed_is_late_whatever_else_spoils_its_slots() {
    // Three flush indices alone; and what lies below is off its slots besides.
    let few: Change = (SKN + 0x20, &[0, 0, 0, 3]);
    let alone = explained(&[few]);
    let stale = |told: &[Finding]| matches!(effects(of(told, "flush-missing")[0])[1], Effect::Stale(_));
    assert!(stale(&alone), "{alone:?}");
    for entry in [14, 16, 18, 20] {
        let both = explained(&[few, (sk2(entry) + 0x72, &[2])]);
        assert!(stale(&both), "SK2[{entry}]: {both:?}");
    }
}

#[test]
fn a_long_store_does_not_answer_for_what_later_entries_store() {
    // SK1[3]'s store moves lines too many, which later entries store again; SK1[5]'s vertices are off their slots.
    let long: Change = (sk1(3) + 0x37, &[8]);
    let off: Change = (sk1(5) + 0x3C, &[8]);
    let unaligned = |told: &[Finding]| effects(of(told, "dma-address-unaligned")[0]).map(Effect::clone);
    let alone = unaligned(&explained(&[long]));
    assert_eq!(unaligned(&explained(&[long, off])), alone);
}

#[test]
fn what_lies_in_the_header_is_taken_for_vertices_on_both_targets() {
    let told = explained(&[(sk1(0) + 0x30, &[0; 4])]);
    let over = of(&told, "array-overlap");
    assert!(matches!(effects(over[0]), [Effect::WrongOutput(_), Effect::WrongOutput(_)]), "{over:?}");
}
