//! Dumps of memory: the next frame of a paused game.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use skinsim::c3::model::Model;
use skinsim::c3::poses::{Poses, Rig};
use skinsim::c3::runtime::load::LoadPlan;
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};
use tempfile::TempDir;

const BASE: u32 = 0x80a0_0000;

/// The fox after a frame at rest, as a dump from its block on, with where things lie.
struct Paused {
    bytes: Vec<u8>,
    simulation: Simulation,
    skn: u32,
    bones: u32,
}

fn paused() -> Paused {
    let block = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap();
    let model = Model::from_block(&block).unwrap();
    let plan = LoadPlan::at(&model, BASE).unwrap();
    let mut simulation = Simulation::load(&plan, 24, &RunOptions::default()).unwrap();
    let pose = Poses::rest(&model, &Rig::default(), 1).unwrap().frames.next().unwrap().unwrap();
    assert!(simulation.frame(&pose.skin).faults.is_empty());
    let bones = simulation.bones.unwrap();
    let bytes = simulation.machine.memory(BASE, bones.range().1 - BASE).unwrap().to_vec();
    Paused { bytes, skn: plan.skn, bones: bones.pointers, simulation }
}

fn run(folder: &Path, arguments: &[String]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("skinsim").unwrap().current_dir(folder).arg("run").args(arguments).assert()
}

fn arguments(of: &[&str]) -> Vec<String> {
    of.iter().map(|&argument| argument.to_owned()).collect()
}

fn json(assert: &assert_cmd::assert::Assert) -> Value {
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

#[test]
fn the_next_frame_of_a_paused_game_is_that_of_the_game() {
    let Paused { bytes, mut simulation, skn, bones } = paused();
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("part.raw"), &bytes).unwrap();
    let (positions, count) = (simulation.positions, simulation.position_count);
    let mut given = arguments(&["--json", "--ram", "0x80a00000:part.raw"]);
    given.extend([format!("--skn-at={skn:#x}"), format!("--bones-at={bones:#x}")]);
    given.push(format!("--positions-at={positions:#x}:{count}"));
    let report = json(&run(folder.path(), &given).success());
    // The matrices stay those that the game left.
    assert!(simulation.frame(&[]).faults.is_empty());
    let want = blake3::hash(simulation.position_bytes().unwrap()).to_hex().to_string();
    assert_eq!(report["digest"], want);
    assert_eq!((report["pose"].as_str(), report["frames"].as_u64()), (Some("memory dump"), Some(1)));
    let block = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block");
    let loaded = json(&run(folder.path(), &arguments(&[block, "--json"])).success());
    let without_owners = |report: &Value| -> Vec<Value> {
        let keys = ["entry", "bones", "vertices", "stored", "own"];
        let writes = report["writes"].as_array().unwrap();
        writes.iter().map(|write| keys.map(|key| write[key].clone()).into_iter().collect()).collect()
    };
    assert_eq!(without_owners(&report), without_owners(&loaded));
}

#[test]
fn without_positions_the_frame_runs_and_says_that_it_does_not_know_them() {
    let Paused { bytes, skn, bones, .. } = paused();
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("part.raw"), &bytes).unwrap();
    let mut given = arguments(&["--ram", "0x80a00000:part.raw", "--frames=2"]);
    given.extend([format!("--skn-at={skn:#x}"), format!("--bones-at={bones:#x}")]);
    let assert = run(folder.path(), &given).success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("part.raw   2 frames on Dolphin (Wii)"), "{text}");
    assert!(text.contains("positions  not known: --positions-at"), "{text}");
}

#[test]
fn commands_that_look_at_files_say_why_they_take_no_dump() {
    let commands = [
        &["check"][..],
        &["snapshot", "take", "--dir=d"],
        &["snapshot", "verify", "--dir=d"],
        &["diff", "a.block"],
    ];
    for command in commands {
        let given = [command, &["--ram", "0x80000000:mem1.raw"]].concat();
        let assert = Command::cargo_bin("skinsim").unwrap().args(given).assert().code(2);
        assert!(stderr(&assert).contains("`skinsim run --ram` runs its next frames"), "{}", stderr(&assert));
    }
}

/// A record as the game keeps it, the bone array's pointer at any of the words before the world control.
fn actor(paused: &Paused, pointer_at: usize) -> Vec<u8> {
    let word = |address: u32| {
        u32::from_be_bytes(paused.simulation.machine.memory(address, 4).unwrap().try_into().unwrap())
    };
    let first_matrix = word(word(paused.bones) + 0x88);
    let mut record = vec![0; 0x70];
    record[pointer_at..pointer_at + 4].copy_from_slice(&paused.bones.to_be_bytes());
    record[0x54..0x58].copy_from_slice(&first_matrix.to_be_bytes());
    record[0x6C..].copy_from_slice(&paused.skn.to_be_bytes());
    record
}

#[test]
fn an_actor_record_leads_to_bones_and_skin() {
    let paused = paused();
    for pointer_at in [0x04, 0x0C, 0x18] {
        let folder = TempDir::new().unwrap();
        let mut bytes = paused.bytes.clone();
        let actor_at = BASE + bytes.len() as u32;
        bytes.extend(actor(&paused, pointer_at));
        std::fs::write(folder.path().join("part.raw"), &bytes).unwrap();
        let given = [
            "--json".to_owned(),
            "--ram=0x80a00000:part.raw".to_owned(),
            format!("--actor-at={actor_at:#x}"),
            format!("--positions-at={:#x}:{}", paused.simulation.positions, paused.simulation.position_count),
        ];
        let report = json(&run(folder.path(), &given).success());
        let want = blake3::hash(paused.simulation.position_bytes().unwrap()).to_hex().to_string();
        assert_eq!(report["digest"], want, "{pointer_at:#x}");
    }
}

#[test]
fn what_a_dump_does_not_hold_is_told() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("small.raw"), [1; 0x40]).unwrap();
    std::fs::write(folder.path().join("zero.raw"), [0; 0x200]).unwrap();
    std::fs::write(folder.path().join("empty.raw"), []).unwrap();
    let refused = |given: &[&str]| stderr(&run(folder.path(), &arguments(given)).code(2));
    let small = "--ram=0x80a00000:small.raw";
    assert!(refused(&[small]).contains("--ram: want --skn-at ADDRESS, or --actor-at ADDRESS"));
    assert!(refused(&[small, "--skn-at=0x80a00000"]).contains("want --bones-at ADDRESS"));
    assert!(refused(&["--ram=0x80a00000:none.raw", "--skn-at=1", "--bones-at=1"]).contains("none.raw"));
    assert!(refused(&["--ram=0x80a00000:empty.raw", "--skn-at=1", "--bones-at=1"]).contains("an empty file"));
    let text = refused(&["--ram=0xa7fffff0:small.raw", "--skn-at=1", "--bones-at=1"]);
    assert!(text.contains("small.raw: offset 0x0: want memory at 0xa7fffff0"), "{text}");
    let text = refused(&[small, "--skn-at=0x10", "--bones-at=0x80a00000"]);
    assert!(text.contains("SKN header: want 0x24 bytes at 0x00000010, have none there"), "{text}");
    let text = refused(&["--ram=0x80a00000:zero.raw", "--actor-at=0x80a00000"]);
    assert!(text.contains("actor at 0x80a00000: want a pointer to its SKN at +0x6c, have 0"), "{text}");
    let text = refused(&[small, "--actor-at=0x80a00000"]);
    assert!(text.contains("SKN") || text.contains("bones"), "{text}");
    assert!(refused(&[small, "model.block"]).contains("cannot be used with"));
    assert!(refused(&[small, "--anim=x.anm"]).contains("cannot be used with"));
    assert!(refused(&["--skn-at=0x80a00000"]).contains("required"));
}

#[test]
fn any_memory_as_a_dump_ends_with_a_report() {
    let folder = TempDir::new().unwrap();
    for (name, seed) in [("a.raw", 1_u32), ("b.raw", 77), ("c.raw", 90_210)] {
        let mut state = seed;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        std::fs::write(folder.path().join(name), noise.take(0x4000).collect::<Vec<u8>>()).unwrap();
        let ram = format!("--ram=0x80a00000:{name}");
        for at in ["0x80a00000", "0x80a01000", "0x80a03fe0"] {
            let given = [
                "--json".to_owned(),
                ram.clone(),
                format!("--skn-at={at}"),
                format!("--bones-at={at}"),
                "--on-fault=continue".to_owned(),
                "--budget=100000".to_owned(),
            ];
            let assert = run(folder.path(), &given);
            assert_eq!(json(&assert)["schema"], "skinsim.run/1");
        }
    }
}
