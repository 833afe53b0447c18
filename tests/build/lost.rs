//! Repair loses nothing that a file holds, takes nothing for data that is none, and says what `check` says.

use std::collections::BTreeSet;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use skinsim::c3::format::skn::Skn;
use skinsim::c3::model::Model;
use skinsim::c3::repair::write::Files;
use skinsim::c3::repair::{Repaired, repair};
use skinsim::finding::Verdict;

use crate::broken::{BREAKS, example, fox, with_skn};

fn repaired(block: &[u8]) -> (Repaired, Vec<u8>) {
    let repaired = repair(Files::Block(block.to_vec())).unwrap();
    let Files::Block(bytes) = repaired.files.clone() else { panic!("a block stays one") };
    (repaired, bytes)
}

fn changed(change: impl FnOnce(&mut Skn)) -> Vec<u8> {
    with_skn(&fox(), |skn, _| change(skn))
}

/// A block that stays as it is, with the reason.
fn is_refused(block: &[u8], reason: &str) {
    let (repaired, bytes) = repaired(block);
    assert!(bytes == block, "{reason}: written all the same");
    assert!(repaired.fixes.is_empty(), "{reason}: {:?}", repaired.fixes);
    let told: Vec<&str> = repaired.refused.iter().map(|refusal| refusal.reason.as_str()).collect();
    assert!(told.iter().any(|told| told.contains(reason)), "{reason}: {told:?}");
    assert_ne!(repaired.after, Verdict::Ok);
    assert_eq!(repaired.after, repaired.before);
}

#[test]
fn a_list_behind_a_null_pointer_is_not_dropped() {
    is_refused(&changed(|skn| skn.header.skacc = 0), "SKAcc list is 0, and the header counts");
    is_refused(&changed(|skn| skn.header.sk1 = 0), "SK1 list is 0, and the header counts 15 of its entries");
}

#[test]
fn the_header_and_the_lists_are_no_arrays() {
    is_refused(&changed(|skn| skn.sk2[3].weights = 0x10), "have the SKN header at 0x0");
    is_refused(&changed(|skn| skn.skacc[1].indices = 0x64), "have the SK1 list at 0x24");
    is_refused(&changed(|skn| skn.skacc[1].source = 0x400), "which the game writes to");
    // What a direct entry had is in the mirror still.
    let (back, bytes) = repaired(&changed(|skn| skn.sk1[3].source = 0x40));
    assert!(!back.fixes.is_empty());
    let whole = Model::from_block(&bytes).unwrap();
    let (skn, fox) = (whole.skn.unwrap(), fox());
    let fox = Model::from_block(&fox).unwrap().skn.unwrap();
    assert_eq!(skn.sk1[3].source, fox.sk1[3].source);
    assert_ne!(back.after, Verdict::Broken);
}

#[test]
fn what_begins_in_another_kind_of_array_is_no_data() {
    is_refused(&changed(|skn| skn.sk2[3].weights = skn.sk1[0].source), "have SK1[0]'s source vertices");
    is_refused(&changed(|skn| skn.sk2[3].weights = skn.sk1[0].source + 40), "have SK1[0]'s source vertices");
    is_refused(
        &changed(|skn| skn.skacc[1].indices = skn.skacc[1].weights),
        "have SKAcc[1]'s destination indices",
    );
    is_refused(&changed(|skn| skn.skacc[1].weights = skn.sk2[4].source), "have SK2[4]'s source vertices");
    is_refused(&changed(|skn| skn.skacc[1].source = skn.sk2[2].weights), "SK2[2] weights at 0x5700: want");
    // A direct entry's vertices are in the mirror still; where that is no copy, nothing tells them.
    let (back, _) = repaired(&changed(|skn| skn.sk1[3].source = skn.sk2[2].weights));
    assert_ne!(back.after, Verdict::Broken, "{:?}", back.refused);
}

#[test]
fn arrays_of_a_kind_may_share_bytes() {
    let shared = changed(|skn| {
        skn.sk2[3].weights = skn.sk2[2].weights;
        skn.skacc[1].source = skn.sk1[3].source;
    });
    let (repaired, _) = repaired(&shared);
    assert!(!repaired.fixes.is_empty());
    assert!(repaired.refused.iter().all(|one| !one.reason.contains("want bytes of its own")));
}

#[test]
fn an_entry_that_went_astray_keeps_its_vertices() {
    let vertices = |block: &[u8]| {
        let skn = Model::from_block(block).unwrap().skn.unwrap();
        skn.sk1.iter().map(|entry| u32::from(entry.count)).sum::<u32>()
            + skn.sk2.iter().map(|entry| u32::from(entry.count)).sum::<u32>()
    };
    let astray = changed(|skn| skn.sk2[8].destination = skn.sk2[20].destination + 0x60);
    let (repaired, bytes) = repaired(&astray);
    assert!(vertices(&bytes) >= vertices(&astray), "{:?}", repaired.fixes);
}

fn skinsim(folder: &Path, arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("skinsim").unwrap().current_dir(folder).args(arguments).output().unwrap()
}

/// Code, entry and severity of what a JSON list holds above notes.
fn stays(list: &Value) -> BTreeSet<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |finding: &Value| {
        (text(&finding["code"]), text(&finding["place"]["entry"]), text(&finding["severity"]))
    };
    list.as_array().unwrap().iter().map(one).filter(|(.., severity)| severity != "note").collect()
}

#[test]
fn what_stays_is_what_check_finds_and_so_is_the_status() {
    let folder = tempfile::tempdir().unwrap();
    let broken = BREAKS.iter().map(|(name, broken)| ((*name).to_owned(), broken(&fox())));
    let more = [
        ("null list", changed(|skn| skn.header.skacc = 0)),
        ("bone", changed(|skn| skn.sk1[4].bone = 24)),
        ("far weights", changed(|skn| skn.sk2[3].weights = 0x0100_0000)),
        ("offset", changed(|skn| skn.sk1[3].vertex_offset = 6)),
        ("write-back", example("write-back.block")),
        ("good", fox()),
    ];
    let more = more.into_iter().map(|(name, block)| (name.to_owned(), block));
    for (name, block) in broken.chain(more) {
        std::fs::write(folder.path().join("in.block"), block).unwrap();
        let repair = skinsim(folder.path(), &["repair", "in.block", "-o", "out.block", "--json"]);
        let report: Value = serde_json::from_slice(&repair.stdout).unwrap();
        let check = |file: &str| {
            let output = skinsim(folder.path(), &["check", file, "--format", "json", "--max", "0"]);
            (serde_json::from_slice::<Value>(&output.stdout).unwrap(), output.status.code())
        };
        let (checked, status) = check("out.block");
        assert_eq!(stays(&report["refused"]), stays(&checked["models"][0]["findings"]), "{name}");
        assert_eq!(repair.status.code(), status, "{name}");
        assert_eq!(report["after"], checked["models"][0]["verdict"], "{name}");
        assert_eq!(report["before"], check("in.block").0["models"][0]["verdict"], "{name}");
    }
}

#[test]
fn a_loose_model_s_skeleton_counts() {
    let folder = tempfile::tempdir().unwrap();
    let block = changed(|skn| skn.sk1[4].bone = 24);
    let block = Model::from_block(&block).unwrap().block.unwrap();
    for kind in [
        (skinsim::c3::format::block::SectionKind::Gpl, "hero.gpl"),
        (skinsim::c3::format::block::SectionKind::Skn, "hero.skn"),
        (skinsim::c3::format::block::SectionKind::Act, "hero.act"),
    ] {
        std::fs::write(folder.path().join(kind.1), block.section(kind.0).unwrap().view.bytes()).unwrap();
    }
    let repair = skinsim(folder.path(), &["repair", "hero.gpl", "-o", "out.gpl", "--json"]);
    let report: Value = serde_json::from_slice(&repair.stdout).unwrap();
    let check = ["check", "out.gpl", "--act", "hero.act", "--format", "json", "--max", "0"];
    let checked: Value = serde_json::from_slice(&skinsim(folder.path(), &check).stdout).unwrap();
    assert_eq!(stays(&report["refused"]), stays(&checked["models"][0]["findings"]));
    assert_eq!(repair.status.code(), Some(1), "the bone is in no skeleton");
}

#[test]
fn a_block_that_is_cut_off_is_refused_with_the_offset() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cut.block"), &fox()[..0x64]).unwrap();
    let output = skinsim(folder.path(), &["repair", "cut.block", "-o", "out.block"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(
        stderr.contains("cut.block: ") && stderr.contains("0x5dc0") && stderr.contains("0x64"),
        "{stderr}"
    );
    assert!(!folder.path().join("out.block").exists());
}
