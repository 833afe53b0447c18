//! What transfers of whole lines make of arrays and stores: rules look at what a frame moves.

use skinsim::finding::{Effect, Finding, Severity};

use super::{Change, SKN, changed, findings, sk1, sk2, skacc};

fn told(changes: &[Change]) -> Vec<Finding> {
    findings(&changed(changes))
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code.name).collect()
}

/// Indices of SKAcc[0] 4 bytes behind where they lie: the transfer begins on their line all the same.
#[test]
fn indices_and_weights_are_those_that_arrive() {
    let sound = codes(&told(&[]));
    for (at, pointer) in [(skacc(0) + 0x34, &[0, 0, 0x5E, 0xE4]), (skacc(4) + 0x3C, &[0, 0, 0x61, 0x84])] {
        let told = told(&[(at, pointer)]);
        let own = ["dma-address-unaligned", "array-unaligned", "array-overlap"];
        let others: Vec<_> =
            codes(&told).into_iter().filter(|code| !sound.contains(code) && !own.contains(code)).collect();
        assert!(others.is_empty(), "{others:?}");
        assert!(
            told.iter().any(|one| one.code.name == own[0] && one.severity == Severity::Error),
            "{told:?}"
        );
    }
}

/// The bytes behind the vertices of SKAcc[4]'s source, up to the end of its line, belong to nothing.
#[test]
fn a_write_into_padding_reaches_no_array() {
    use skinsim::c3::model::Model;
    let bytes = changed(&[]);
    let model = Model::from_block(&bytes).unwrap();
    let skn = model.skn.as_ref().unwrap();
    let array = model.gpl.as_ref().unwrap().view().base() + model.skinned_positions().unwrap().0;
    // A slot's place that lies wholly between two arrays.
    let used = skn.used();
    let gaps = used.windows(2).map(|pair| SKN as u64 + pair[0].end..SKN as u64 + pair[1].start);
    let index = gaps
        .filter_map(|gap| {
            let index = (gap.start - array).div_ceil(12);
            (array + 12 * index + 12 <= gap.end).then_some(index)
        })
        .find_map(|index| u16::try_from(index).ok())
        .unwrap();
    let indices = skn.skacc[0].indices as usize;
    let change: &'static [u8] = Vec::leak(index.to_be_bytes().to_vec());
    let told = told(&[(SKN + indices, change)]);
    assert!(!codes(&told).contains(&"write-back-over-structure"), "{told:?}");
    assert!(!codes(&told).contains(&"output-differs"), "{told:?}");
}

#[test]
fn a_write_into_an_array_names_it() {
    let told = told(&[(sk1(0) + 0x34, &[0, 0, 0x61, 0x00])]);
    let over = told.iter().find(|one| one.text.contains("bytes into the SKN section: ")).unwrap();
    assert!(over.text.contains("SK1[") || over.text.contains("its header and lists"), "{}", over.text);
}

/// Of no vertex 128 lines would be stored, if the kernel before it ended.
#[test]
fn an_entry_of_no_vertex_stores_nothing() {
    let told = told(&[(sk2(0) + 0x70, &[0, 0]), (sk2(0) + 0x72, &[0])]);
    let by_it = |one: &&Finding| one.place.entry.as_deref() == Some("SK2[0]");
    assert_eq!(codes(&told.iter().filter(by_it).cloned().collect::<Vec<_>>()), ["count-wraps"]);
}

/// SK1[2] without its last vertices: the line of its last one is stored whole.
#[test]
fn a_slot_that_only_a_line_covers_does_not_stay_what_the_file_says() {
    let told = told(&[(sk1(3) + 0x3C, &[20])]);
    let unwritten = told.iter().find(|one| one.code.name == "slot-unwritten").unwrap();
    assert!(
        unwritten
            .text
            .ends_with("the store of SK1[3] puts what lies beside the vertices in its source over it")
    );
    assert!(matches!(unwritten.dolphin, Some(Effect::WrongOutput(_))));
}
