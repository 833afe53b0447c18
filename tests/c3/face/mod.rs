//! Facial poses: written to the mirror before the frame runs, whatever the source pointers say.

mod head;
mod hostile;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use skinsim::c3::model::Model;
use skinsim::c3::outcome::Outcome;
use skinsim::c3::poses::{Poses, Rig};
use skinsim::c3::runtime::face::{Face, FaceOptions, FaceStore, FaceWeight};
use skinsim::c3::runtime::load::LoadPlan;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::map::Target;

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/face")
}

fn weight(weight: f32) -> FaceOptions {
    let weights = vec![FaceWeight { object: None, pose: 1, weight }];
    FaceOptions { weights, ..FaceOptions::default() }
}

/// The position array after a frame at rest.
fn posed(block: &[u8], options: &FaceOptions, target: Target) -> Vec<[i16; 6]> {
    let model = Model::from_block(block).unwrap();
    let plan = LoadPlan::at(&model, 0x80a0_0000).unwrap();
    let face = Face::of(&model, options).unwrap();
    let poses = Poses { face, ..Poses::rest(&model, &Rig::default(), 1).unwrap() };
    let outcome = Outcome::run(&model, plan, RunOptions { target, ..RunOptions::default() }, poses).unwrap();
    assert!(outcome.last_journal().unwrap().faults.is_empty());
    let half = |bytes: &[u8]| i16::from_be_bytes([bytes[0], bytes[1]]);
    let bytes = outcome.simulation.position_bytes().unwrap();
    bytes.chunks_exact(12).map(|slot| std::array::from_fn(|at| half(&slot[2 * at..]))).collect()
}

#[test]
fn on_the_mirror_a_pose_moves_its_own_vertices_by_weight_and_no_other() {
    for (entries, moved) in [head::NECK, head::FACE] {
        let block = head::block((entries, moved.clone()), false);
        for by in [1.0, 0.5, -0.25] {
            let slots = posed(&block, &weight(by), Target::Dolphin);
            let still = posed(&block, &FaceOptions::default(), Target::Dolphin);
            for (slot, (moved_to, from)) in (0..).zip(slots.iter().zip(&still)) {
                let mut want = *from;
                if moved.contains(&slot) {
                    for (value, delta) in want.iter_mut().zip(head::delta(slot)) {
                        *value += (by * f32::from(delta)) as i16;
                    }
                }
                assert_eq!(moved_to, &want, "slot {slot} at {by}");
            }
        }
    }
}

/// `--face 1=1` on a block, and what its slots should and do hold.
fn told(folder: &Path) -> String {
    let assert = Command::cargo_bin("skinsim")
        .unwrap()
        .current_dir(folder)
        .args(["run", "model.block", "--face", "1=1"])
        .assert();
    let mut text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let block = std::fs::read(folder.join("model.block")).unwrap();
    let (entries, moved) = if folder.ends_with("one-line-hole") { head::FACE } else { head::NECK };
    let right = posed(&head::block((entries, moved), false), &weight(1.0), Target::Dolphin);
    let have = posed(&block, &weight(1.0), Target::Dolphin);
    text +=
        "\nslots that differ from a mirrored head: position and normal, as they should be and as they are\n";
    for (slot, (right, have)) in right.iter().zip(&have).enumerate().filter(|(_, (a, b))| a != b) {
        writeln!(text, "{slot:>3}  {right:?}  {have:?}").unwrap();
    }
    text
}

/// Both failures are those of the seed: correct pointers, sources off the mirror. The blocks are made by
/// `head.rs`; `UPDATE_CASES=1` writes them and the expected text anew.
#[test]
fn packed_sources_and_a_hole_that_was_closed_take_the_pose_into_neighbouring_records() {
    for (name, head) in [
        ("mirrored", (head::NECK, false)),
        ("packed-sources", (head::NECK, true)),
        ("one-line-hole", (head::FACE, true)),
    ] {
        let folder = cases().join(name);
        let block = head::block(head.0, head.1);
        if std::env::var_os("UPDATE_CASES").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("model.block"), &block).unwrap();
            std::fs::write(folder.join("expected.txt"), told(&folder)).unwrap();
        }
        assert!(std::fs::read(folder.join("model.block")).unwrap() == block, "{name}");
        assert_eq!(told(&folder), std::fs::read_to_string(folder.join("expected.txt")).unwrap(), "{name}");
    }
}

fn run(name: &str, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let file = cases().join(name).join("model.block");
    command.arg("run").arg(file).args(arguments).assert()
}

#[test]
fn the_report_says_how_far_off_the_pose_lands() {
    let json = |name| {
        let assert = run(name, &["--face=1=1", "--json"]);
        let report: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
        report["face"]["entries"].clone()
    };
    let neck = json("packed-sources");
    assert_eq!((neck[0]["entry"].as_str(), neck[0]["vertices"].as_u64()), (Some("SK2[1]"), Some(12)));
    assert_eq!(neck[0]["off_by"], 0x20);
    assert_eq!(neck[0]["off_by_words"], "0x20 bytes past their records (2 records and 8 bytes)");
    assert_eq!(neck[0]["landed_in"], serde_json::json!(["SK2[1] records", "SK2[2] records"]));
    let face = json("one-line-hole");
    assert_eq!((face[0]["entry"].as_str(), face[0]["off_by"].as_i64()), (Some("SK1[2]"), Some(0x20)));
    assert_eq!(json("mirrored")[0]["off_by"], 0);
}

#[test]
fn check_finds_the_pose_that_lands_off_its_record() {
    for name in ["packed-sources", "one-line-hole"] {
        let file = cases().join(name).join("model.block");
        let assert = Command::cargo_bin("skinsim").unwrap().arg("check").arg(file).assert().code(1);
        let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        assert!(text.contains("error[facial-off-mirror]"), "{text}");
        assert!(text.contains("0x20 bytes past their records (2 records and 8 bytes)"), "{text}");
    }
}

#[test]
fn values_that_stay_in_the_data_cache_are_missed_by_the_transfers() {
    let block = head::block(head::NECK, false);
    let cached = FaceOptions { store: FaceStore::Cached, ..weight(1.0) };
    let at_rest = posed(&block, &FaceOptions::default(), Target::Console);
    assert_eq!(posed(&block, &cached, Target::Console), at_rest);
    assert_ne!(posed(&block, &weight(1.0), Target::Console), at_rest);
    assert_eq!(posed(&block, &cached, Target::Dolphin), posed(&block, &weight(1.0), Target::Dolphin));
}

#[test]
fn a_pose_that_is_not_there_is_refused_with_what_is() {
    let text = |name, arguments: &[&str]| {
        String::from_utf8(run(name, arguments).code(2).get_output().stderr.clone()).unwrap()
    };
    let refused = text("mirrored", &["--face=2=1"]);
    assert!(refused.contains("want a pose 2, have 1 objects with [2] poses"), "{refused}");
    assert!(text("mirrored", &["--face=3:1=1"]).contains("want a pose 1 of object 3"));
    assert!(text("mirrored", &["--face=1=1,1=0.5"]).contains("want one weight for pose 1, have two"));
    assert!(text("mirrored", &["--face=1"]).contains("want INDEX=WEIGHT"));
    let fox = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fox.block");
    let assert =
        Command::cargo_bin("skinsim").unwrap().arg("run").arg(fox).arg("--face=1=1").assert().code(2);
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(text.contains("want a facial section, have none"), "{text}");
}

#[test]
fn a_pose_of_a_slot_without_a_record_is_told_with_what_it_overwrites() {
    // The last entry ends at slot 38; its weights lie where slot 40 would be read.
    let block = head::block((head::FACE.0, 16..42), false);
    let model = Model::from_block(&block).unwrap();
    let findings =
        skinsim::c3::check::check(&model, &skinsim::c3::check::Comparison::default(), 0x80A0_0000, &[]);
    let stray: Vec<_> = findings.iter().filter(|finding| finding.code.name == "facial-off-mirror").collect();
    assert_eq!(stray.len(), 1);
    assert_eq!(stray[0].severity, skinsim::finding::Severity::Error);
    assert!(stray[0].text.starts_with("facial poses move slots 38..41, "), "{}", stray[0].text);
    assert!(stray[0].text.ends_with("over SK2[0] weights"), "{}", stray[0].text);
}

#[test]
fn a_pose_of_a_gap_that_meets_no_record_is_no_error() {
    // Slot 18 lies between SK1[1] and SK2[0], whose source begins inside of it with 4 bytes that hold no vertex.
    let block = head::block((head::NECK.0, 18..19), false);
    let model = Model::from_block(&block).unwrap();
    let findings =
        skinsim::c3::check::check(&model, &skinsim::c3::check::Comparison::default(), 0x80A0_0000, &[]);
    let stray: Vec<_> = findings.iter().filter(|finding| finding.code.name == "facial-off-mirror").collect();
    let told: Vec<_> = stray.iter().map(|finding| (finding.severity, finding.place.vertex)).collect();
    assert_eq!(told, [(skinsim::finding::Severity::Warning, Some(18))]);
    // A run that goes on over it is meant for what lies on both sides.
    let block = head::block((head::FACE.0, 16..38), false);
    let model = Model::from_block(&block).unwrap();
    let findings =
        skinsim::c3::check::check(&model, &skinsim::c3::check::Comparison::default(), 0x80A0_0000, &[]);
    assert!(findings.iter().all(|finding| finding.code.name != "facial-off-mirror"));
}
