//! The shipped samples: made by their generator, and doing what `examples/README.md` says.

use std::path::Path;

use assert_cmd::Command;
use predicates::str::contains;

const VARIANTS: [&str; 4] = ["one-vertex", "sk2-over-buffer", "shared-line", "write-back"];

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
