//! Section pointers that lie, and pointers of 0: what they spoil, and nothing else.

use skinsim::finding::{Finding, Severity};

use super::{ACT, GPL, SKN, bone, changed, findings, fox};

/// What is told beside what the fox has anyway.
fn extra(findings: &[Finding]) -> Vec<(&'static str, Severity)> {
    let told = findings.iter().map(|finding| (finding.code.name, finding.severity));
    told.filter(|(code, _)| *code != "flush-tail").collect()
}

/// The fox with one word of the block's header changed.
fn pointing(field: usize, at: usize) -> Vec<u8> {
    let mut bytes = fox();
    bytes[field..field + 4].copy_from_slice(&(at as u32).to_be_bytes());
    bytes
}

/// Places in the middle of the GPL (positions, a primitive list), ACT (bones) and SKN (entries, sources).
const MIDDLES: [usize; 5] = [GPL + 0x400, GPL + 0x4900, ACT + 0x60, SKN + 0x100, SKN + 0x2000];

#[test]
fn an_unknown_pointer_into_a_section_does_not_cut_it_short() {
    for at in MIDDLES {
        let told = findings(&pointing(0x1C, at));
        assert_eq!(extra(&told)[0], ("block-header", Severity::Warning), "{at:#x}: {:?}", extra(&told));
        let words = &told[0].text;
        assert!(words.contains("in the middle of"), "{words}");
        assert!(extra(&told)[1..].iter().all(|(code, _)| *code == "section-unaligned"), "{:?}", extra(&told));
    }
    let told = findings(&pointing(0x14, 0x100));
    assert_eq!(extra(&told), [("block-header", Severity::Warning)]);
}

#[test]
fn a_texture_or_facial_pointer_into_a_section_breaks_none_of_its_rules() {
    for (field, name) in [(0x0C, "TEX"), (0x18, "facial")] {
        for at in MIDDLES {
            let told = findings(&pointing(field, at));
            let spoiled = extra(&told);
            let own = |code: &str| code == "block-header" || code.starts_with("section-");
            assert!(spoiled.iter().all(|(code, _)| own(code)), "{name} at {at:#x}: {spoiled:?}");
            assert!(
                spoiled.iter().any(|(code, _)| *code == "block-header"),
                "{name} at {at:#x}: {spoiled:?}"
            );
        }
    }
}

#[test]
fn a_list_at_address_0_is_told_once() {
    let told = findings(&changed(&[(SKN + 0x1C, &[0; 4])]));
    let derived = ["array-overlap", "array-order", "flush-out-of-range", "array-unaligned"];
    assert!(told.iter().all(|finding| !derived.contains(&finding.code.name)), "{:?}", extra(&told));
    assert!(told.iter().any(|finding| finding.text.contains("read from address 0")), "{:?}", extra(&told));
    for list in [SKN + 8, SKN + 0xC, SKN + 0x10] {
        let told = findings(&changed(&[(list, &[0; 4])]));
        let derived = ["array-overlap", "count-wraps", "vertex-offset", "bone-out-of-range"];
        assert!(told.iter().all(|finding| !derived.contains(&finding.code.name)), "{:?}", extra(&told));
        assert!(told.iter().any(|finding| finding.text.contains("address 0")), "{:?}", extra(&told));
    }
}

#[test]
fn bone_ids_that_are_not_the_trees_order_are_told() {
    let told = findings(&changed(&[(bone(3) + 0x16, &[0, 7])]));
    let order = told.iter().find(|finding| finding.code.name == "bone-order").unwrap();
    assert_eq!(order.text, "record 3 is number 3 of the tree, and its id is 7");
    assert_eq!(order.severity, Severity::Warning);
}

#[test]
fn a_clear_that_runs_to_the_end_of_memory_faults_there_and_does_not_hang() {
    let told = findings(&changed(&[(SKN + 0x18, &[0xFF; 4])]));
    let fault = "Unable to resolve write address 94000000";
    let words: Vec<String> =
        told.iter().map(|finding| serde_json::to_string(&finding.dolphin).unwrap()).collect();
    assert!(words.iter().any(|words| words.contains("0x94000000") || words.contains(fault)), "{words:#?}");
    assert!(words.iter().all(|words| !words.contains("hangs")), "{words:#?}");
}

#[test]
fn a_header_that_is_cut_off_is_why_no_frame_runs() {
    let mut bytes = fox();
    bytes.truncate(SKN + 5);
    bytes[3] = 1; // A finding that only a frame could say more of.
    let told = findings(&bytes);
    let words: Vec<String> =
        told.iter().map(|finding| serde_json::to_string(&finding.dolphin).unwrap()).collect();
    assert!(words.iter().any(|words| words.contains("no whole SKN header")), "{words:?}");
    assert!(words.iter().all(|words| !words.contains("memory does not hold")), "{words:?}");
}
