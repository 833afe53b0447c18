//! The shipped samples: made by their generator, and doing what `examples/README.md` says.

use std::path::Path;

use assert_cmd::Command;
use predicates::str::contains;

const VARIANTS: [&str; 5] = ["one-vertex", "sk2-over-buffer", "shared-line", "write-back", "wrong-flush"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_generator_makes_the_checked_in_variants() {
    let folder = tempfile::tempdir().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(cargo)
        .args(["run", "--quiet", "--example", "broken_foxes", "--"])
        .arg(folder.path())
        .current_dir(root())
        .status()
        .unwrap();
    assert!(status.success());
    for name in VARIANTS {
        let file = format!("{name}.block");
        let made = std::fs::read(folder.path().join(&file)).unwrap();
        let kept = std::fs::read(root().join("examples/broken").join(&file)).unwrap();
        assert!(made == kept, "{name}");
    }
}

fn run(model: &str) -> assert_cmd::assert::Assert {
    Command::cargo_bin("skinsim").unwrap().current_dir(root().join("examples")).args(["run", model]).assert()
}

/// Slots that each frame after the first moves of a model whose pose does not change.
fn drift(model: &str, target: &str) -> Vec<u64> {
    let output = Command::cargo_bin("skinsim")
        .unwrap()
        .current_dir(root().join("examples"))
        .args(["run", model, "--frames", "6", "--target", target, "--json"])
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["faults"], serde_json::json!([]));
    let changes = report["changes"].as_array().unwrap();
    changes
        .iter()
        .filter(|change| change["frame"] != 0)
        .map(|change| change["slots"].as_u64().unwrap())
        .collect()
}

#[test]
fn a_wrong_flush_array_drifts_on_the_console_and_looks_right_on_dolphin() {
    assert_eq!(drift("broken/wrong-flush.block", "dolphin"), [0_u64; 0]);
    assert_eq!(drift("fox.block", "dolphin"), [0_u64; 0]);
    let (wrong, right) = (drift("broken/wrong-flush.block", "console"), drift("fox.block", "console"));
    assert_eq!(wrong.len(), 5, "every frame after the first moves vertices of a pose that stands still");
    // The fox's own list leaves out lines that hold only the end of a flushed vertex.
    let more = |frame: usize| right.get(frame).is_none_or(|slots| wrong[frame] > *slots);
    assert!((0..5).all(more), "{wrong:?} {right:?}");
}

#[test]
fn the_fox_runs_without_a_fault() {
    run("fox.block").success().stdout(contains("no fault"));
}

#[test]
fn a_one_vertex_entry_is_the_seeds_first_crash() {
    run("broken/one-vertex.block")
        .code(1)
        .stdout(contains("Invalid read from 0xe0040000, PC = 0x80523ec4"))
        .stdout(contains("SK1[2], stage sk1, frame 0, at vertex 21845"));
}

#[test]
fn a_stored_line_over_a_display_state_is_the_seeds_second_crash() {
    run("broken/write-back.block")
        .code(1)
        .stdout(contains("Invalid read from 0x00000000, PC = 0x8052ec90"))
        .stdout(contains("SK2[20], stage draw"));
}

#[test]
fn an_oversize_sk2_entry_moves_only_the_lines_its_length_field_holds() {
    run("broken/sk2-over-buffer.block").code(1).stdout(contains("asked to store 136 lines, 8 moved"));
}

#[test]
fn entries_on_one_line_spoil_the_earlier_ones_last_vertices() {
    let pose = "../tests/cases/fox/walk-0.35.json";
    let digest = |model: &str| {
        let output = Command::cargo_bin("skinsim")
            .unwrap()
            .current_dir(root().join("examples"))
            .args(["run", model, "--matrices", pose, "--json"])
            .output()
            .unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["digest"].as_str().unwrap().to_owned()
    };
    assert_ne!(digest("fox.block"), digest("broken/shared-line.block"));
}

#[test]
fn a_block_that_is_cut_off_is_refused_with_the_offset() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("half.block");
    let fox = std::fs::read(root().join("examples/fox.block")).unwrap();
    std::fs::write(&file, &fox[..20_000]).unwrap();
    let assert = Command::cargo_bin("skinsim").unwrap().arg("run").arg(&file).assert().code(2);
    assert.stderr(contains(
        "SKN section at offset 0x5dc0: want it inside the block, have a block of 0x4e20 bytes",
    ));
}

#[test]
fn the_budget_bounds_a_frame_and_not_a_run() {
    // Three frames of the fox take more than 5,000 steps, one takes fewer.
    let arguments = ["run", "fox.block", "--frames", "3", "--budget", "5000"];
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(root().join("examples")).args(arguments).assert().success();
}

#[test]
fn a_run_names_what_the_rules_find_and_fails_for_an_error_without_a_fault() {
    let output = Command::cargo_bin("skinsim")
        .unwrap()
        .current_dir(root().join("examples"))
        .args(["run", "broken/shared-line.block", "--json"])
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let codes: Vec<&str> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"line-shared"), "{codes:?}");
    assert!(json["faults"].as_array().unwrap().is_empty());
    assert_eq!(output.status.code(), Some(1));
}
