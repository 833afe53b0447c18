//! The commands as a user runs them.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn skinsim() -> Command {
    Command::cargo_bin("skinsim").unwrap()
}

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn build_writes_a_block_and_a_bank_that_check_and_pose_take() {
    let folder = tempfile::tempdir().unwrap();
    let (block, bank) = (folder.path().join("fox.block"), folder.path().join("fox.anm"));
    let output = skinsim()
        .arg("build")
        .arg(root("examples/Fox.glb"))
        .arg("-o")
        .arg(&block)
        .arg("--json")
        .output()
        .unwrap();
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["schema"], "skinsim.build/1");
    assert_eq!(report["animations"][1]["name"], "Walk");
    assert!(bank.exists());
    skinsim().arg("check").arg(&block).assert().success();
    let anim = format!("{}:Walk@21", bank.display());
    skinsim().arg("pose").arg(&block).arg("--anim").arg(anim).assert().success();
}

#[test]
fn build_names_the_file_and_the_vertex_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let source = root("examples/Fox.glb");
    let output = skinsim()
        .arg("build")
        .arg(&source)
        .arg("-o")
        .arg(folder.path().join("fox.block"))
        .args(["--shift", "12"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("Fox.glb: mesh 'fox1', primitive 0, vertex "), "{text}");
}

#[test]
fn repair_tells_each_fix_with_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = folder.path().join("fixed.block");
    let output = skinsim()
        .arg("repair")
        .arg(root("examples/broken/one-vertex.block"))
        .arg("-o")
        .arg(&fixed)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("mended[count-wraps] SK1[2]: SK1[2] gets back 79 vertices"), "{text}");
    skinsim().arg("check").arg(&fixed).assert().success();
}

#[test]
fn an_entry_without_vertices_gets_its_own_back_and_no_neighbour_gets_them() {
    let folder = tempfile::tempdir().unwrap();
    let (broken, fixed) = (folder.path().join("broken.block"), folder.path().join("fixed.block"));
    // The vertex counts of SK1[5], which begins where SK1[4] ends, and of SK2[0].
    for (count, entry, vertices) in [(0x5F5E, "SK1[5]", 27), (0x6214, "SK2[0]", 25)] {
        let mut bytes = std::fs::read(root("examples/fox.block")).unwrap();
        bytes[count..count + 2].fill(0);
        std::fs::write(&broken, &bytes).unwrap();
        let output = skinsim().arg("repair").arg(&broken).arg("-o").arg(&fixed).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("{entry} gets back {vertices} vertices")), "{text}");
        assert_eq!(text.matches("gets back").count(), 1, "{text}");
        skinsim().arg("check").arg(&fixed).assert().success();
    }
}

#[test]
fn messages_have_no_colours_where_none_are_wanted() {
    let output =
        skinsim().args(["-vv", "--color", "never", "run"]).arg(root("examples/fox.block")).output().unwrap();
    assert!(!output.stderr.is_empty() && !output.stderr.contains(&0x1B));
}

#[test]
fn repair_of_something_else_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = skinsim()
        .arg("repair")
        .arg(root("Cargo.toml"))
        .arg("-o")
        .arg(folder.path().join("x"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
