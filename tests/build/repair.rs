use std::collections::BTreeSet;

use crate::broken::{BREAKS, Break, example, fox, skn_bytes, walk};
use crate::output::{build_bytes, corner_slots, run};
use crate::synthetic::smiling;
use proptest::prelude::*;
use skinsim::c3::build::BuildOptions;
use skinsim::c3::format::facial::Facial;
use skinsim::c3::model::Model;
use skinsim::c3::repair::plan::Plan;
use skinsim::c3::repair::write::Files;
use skinsim::c3::repair::{Repaired, mendable, repair};
use skinsim::c3::rules;
use skinsim::c3::rules::subject::Subject;
use skinsim::c3::runtime::load::IDENTITY;
use skinsim::finding::Severity;

fn repaired(block: Vec<u8>) -> (Repaired, Vec<u8>) {
    let repaired = repair(Files::Block(block)).unwrap();
    let Files::Block(bytes) = &repaired.files else { panic!("a block stays one") };
    let bytes = bytes.clone();
    (repaired, bytes)
}

/// Every corner's record after a frame.
fn corners(block: &[u8]) -> Vec<[i16; 6]> {
    let output = run(block, &walk());
    let model = Model::from_block(block).unwrap();
    corner_slots(&model).into_iter().map(|slot| output[usize::from(slot)]).collect()
}

fn codes(block: &[u8]) -> BTreeSet<(&'static str, Severity)> {
    let model = Model::from_block(block).unwrap();
    rules::check(&Subject::new(&model))
        .into_iter()
        .map(|f| (f.finding.code.name, f.finding.severity))
        .collect()
}

fn told(repaired: &Repaired) -> String {
    let fixes = repaired
        .fixes
        .iter()
        .map(|fix| format!("fixed {} {:?}: {}", fix.code.name, fix.place.entry, fix.text));
    let refused =
        repaired.refused.iter().map(|r| format!("refused {} {:?}: {}", r.code.name, r.place.entry, r.reason));
    fixes.chain(refused).collect::<Vec<_>>().join("\n")
}

fn is_mended(block: Vec<u8>, name: &str, whole: &[[i16; 6]]) {
    let (repaired, bytes) = repaired(block);
    let told = told(&repaired);
    assert!(!repaired.fixes.is_empty(), "{name}");
    let left: Vec<_> = codes(&bytes)
        .into_iter()
        .filter(|(_, severity)| *severity > Severity::Note)
        .map(|(code, _)| code)
        .collect();
    // The recorded fox itself flushes by the first vertex that touches a line.
    assert!(left.is_empty(), "{name}: {left:?}\n{told}");
    for fix in &repaired.fixes {
        assert!(
            !codes(&bytes).iter().any(|(code, _)| *code == fix.code.name),
            "{name}: {}\n{told}",
            fix.code.name
        );
    }
    let have = corners(&bytes);
    let differing = have.iter().zip(whole).filter(|(a, b)| a != b).count();
    assert_eq!(differing, 0, "{name}\n{told}");
}

#[test]
fn each_break_is_mended_and_every_vertex_comes_out_as_before() {
    let whole = corners(&fox());
    for (name, break_it) in BREAKS.iter().filter(|(name, _)| *name != "offset-16") {
        is_mended(break_it(&fox()), name, &whole);
    }
}

#[test]
fn the_broken_examples_are_mended_and_every_vertex_comes_out_as_before() {
    let whole = corners(&fox());
    for name in ["one-vertex.block", "shared-line.block", "sk2-over-buffer.block", "write-back.block"] {
        is_mended(example(name), name, &whole);
    }
}

#[test]
fn an_entry_that_lost_its_first_vertex_is_moved_and_the_loss_is_told() {
    let (_, break_it) = BREAKS.iter().find(|(name, _)| *name == "offset-16").unwrap();
    let (repaired, bytes) = repaired(break_it(&fox()));
    let left: Vec<_> = repaired.refused.iter().map(|refusal| refusal.code.name).collect();
    assert_eq!(left, ["slot-unwritten"], "{}", told(&repaired));
    let (whole, have) = (corners(&fox()), corners(&bytes));
    let lost = have.iter().zip(&whole).filter(|(a, b)| a != b).count();
    let drawn = corner_slots(&Model::from_block(&fox()).unwrap()).iter().filter(|&&slot| slot == 422).count();
    assert_eq!(lost, drawn);
}

#[test]
fn a_good_block_is_left_as_it_is_but_for_its_flush_list() {
    let (repaired, bytes) = repaired(fox());
    assert!(repaired.refused.is_empty());
    let names: BTreeSet<_> = repaired.fixes.iter().map(|fix| fix.code.name).collect();
    assert!(names.iter().all(|name| name.starts_with("flush-")), "{names:?}");
    assert!(bytes.len() <= fox().len() + 64);
    let (again, same) = self::repaired(bytes.clone());
    assert!(again.fixes.is_empty() && same == bytes, "repair ends");
    assert_eq!(skn_bytes(&bytes)[..0x14], skn_bytes(&fox())[..0x14]);
}

#[test]
fn mendable_codes_are_codes_of_the_table() {
    for code in mendable() {
        assert!(rules::CODES.iter().any(|known| known.name == code.name));
    }
}

#[test]
fn an_entry_that_runs_over_one_that_lost_its_count_gives_it_back() {
    let named = |wanted: &str| BREAKS.iter().find(|(name, _)| *name == wanted).unwrap().1;
    let block = named("too-many")(&named("sk2-count-1")(&fox()));
    is_mended(block, "too many over too few", &corners(&fox()));
}

#[test]
fn facial_poses_follow_the_slots_that_move() {
    let built = build_bytes(&smiling(), &BuildOptions::default()).unwrap();
    let model = Model::from_block(&built.block).unwrap();
    let facial = |model: &Model| {
        let facial = Facial::parse_view(model.facial.unwrap()).unwrap();
        assert!(facial.problems.is_empty());
        let attribute = facial.objects[0].attributes[0].clone();
        let slots: Vec<u32> = attribute.vertices().collect();
        let poses: Vec<_> = (0..3).map(|pose| facial.values(&attribute, pose).unwrap()).collect();
        (slots, poses)
    };
    let (before, poses) = facial(&model);
    let mut plan = Plan::read(&model).unwrap();
    let home =
        |slot: u32| plan.direct.iter().find(|entry| entry.slots().contains(&u64::from(slot))).unwrap().id;
    let id = home(before[0]);
    plan.relocate(id).unwrap();
    let Files::Block(moved) = plan.write(&model).unwrap() else { panic!("a block stays one") };
    let after_model = Model::from_block(&moved).unwrap();
    let (after, moved_poses) = facial(&after_model);
    let expected: BTreeSet<u32> =
        before.iter().map(|&slot| plan.moves.get(&(slot as u16)).map_or(slot, |&to| u32::from(to))).collect();
    assert!(after != before);
    assert_eq!(after.iter().copied().collect::<BTreeSet<_>>(), expected);
    for (pose, moved_pose) in poses.iter().zip(&moved_poses) {
        for (slot, value) in before.iter().zip(pose) {
            let to = plan.moves.get(&(*slot as u16)).map_or(*slot, |&to| u32::from(to));
            let place = after.iter().position(|known| *known == to).unwrap();
            assert_eq!(moved_pose[place], *value);
        }
    }
    let drawn = |block: &[u8]| {
        let model = Model::from_block(block).unwrap();
        let output = run(block, &[IDENTITY; 3]);
        corner_slots(&model).into_iter().map(|slot| output[usize::from(slot)]).collect::<Vec<_>>()
    };
    assert!(drawn(&built.block) == drawn(&moved));
}

fn combination() -> impl Strategy<Value = Vec<Break>> {
    proptest::sample::subsequence(BREAKS.to_vec(), 2..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Breaks on different entries; what each break alone leaves whole, all together leave whole.
    #[test]
    fn several_breaks_at_once_are_mended_one_by_one(breaks in combination()) {
        let mut block = fox();
        let mut lossy = false;
        for (name, break_it) in &breaks {
            block = break_it(&block);
            lossy |= *name == "offset-16";
        }
        let names: Vec<_> = breaks.iter().map(|(name, _)| *name).collect();
        let (repaired, bytes) = repaired(block);
        let told = told(&repaired);
        for fix in &repaired.fixes {
            let refused = repaired.refused.iter().any(|refusal| refusal.code == fix.code);
            let left = codes(&bytes).iter().any(|(code, _)| *code == fix.code.name);
            prop_assert!(refused || !left, "{:?}: {}\n{}", names, fix.code.name, told);
        }
        let whole = corners(&fox());
        let have = corners(&bytes);
        let differing = have.iter().zip(&whole).filter(|(a, b)| a != b).count();
        prop_assert!(differing <= if lossy { 12 } else { 0 }, "{:?}: {} differ\n{}", names, differing, told);
    }

    #[test]
    fn a_mutated_block_is_repaired_or_refused_without_panic(
        changes in proptest::collection::vec(
            (prop_oneof![0usize..0xC0, 0x4840usize..0x4880, 0x5dc0usize..0x6c00], any::<u8>()),
            1..10,
        ),
    ) {
        let mut block = fox();
        for (at, value) in changes {
            block[at] = value;
        }
        let once = repair(Files::Block(block)).unwrap();
        prop_assert!(once.files.model().is_ok());
    }
}
