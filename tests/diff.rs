//! `skinsim diff`: two models side by side.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use predicates::prelude::*;
use proptest::prelude::*;
use skinsim::c3::model::Model;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn diff(arguments: &[&str]) -> Assert {
    Command::cargo_bin("skinsim").unwrap().arg("diff").args(arguments).current_dir(root()).assert()
}

fn output(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_model_is_like_itself() {
    for model in [
        "examples/fox.block",
        "tests/cases/flver-synthetic/synth_2001a.flver",
        "tests/cases/mdl_synth_flex/synth_flex.mdl",
    ] {
        diff(&[model, model]).success().stdout(format!("same   {model} \u{2192} {model}   pose rest\n"));
    }
}

#[test]
fn a_broken_fox_differs_in_entries_output_findings_and_bytes() {
    let assert = diff(&["examples/fox.block", "examples/broken/shared-line.block", "--max", "3"]).code(1);
    let text = output(&assert);
    let heads = ["structure", "output: ", "only the second model has", "bytes: "];
    let at = heads.map(|head| text.find(&format!("\n{head}")).unwrap_or_else(|| panic!("no {head}: {text}")));
    assert!(at.is_sorted(), "{text}");
    assert!(text.contains("  error[line-shared] SK1["), "{text}");
    assert!(text.contains("  skin, vertex ") && text.contains(" more; --max 0 shows all"), "{text}");
    assert!(text.contains(" entry, from 0x"), "{text}");
}

#[test]
fn the_object_counts_what_it_leaves_out() {
    let assert =
        diff(&["examples/fox.block", "examples/broken/one-vertex.block", "--max", "2", "--json"]).code(1);
    let json: serde_json::Value = serde_json::from_str(&output(&assert)).unwrap();
    let pair = &json["pairs"][0];
    assert_eq!(
        (&json["schema"], pair["output"]["moved"].as_array().unwrap().len()),
        (&"skinsim.diff/1".into(), 2)
    );
    assert!(pair["moved_count"].as_u64().unwrap() > 2);
    assert!(pair["only_after"].as_array().unwrap().iter().any(|finding| finding["code"] == "count-wraps"));
    let owners: Vec<&str> =
        pair["bytes"].as_array().unwrap().iter().filter_map(|bytes| bytes["owner"].as_str()).collect();
    assert!(owners.contains(&"SK1[2] entry"), "{owners:?}");
}

#[test]
fn folders_are_compared_path_by_path() {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in [
        ("examples/fox.block", "a/x/fox.block"),
        ("examples/broken/one-vertex.block", "b/x/fox.block"),
        ("examples/fox.block", "a/gone.block"),
        ("examples/fox.block", "b/new.block"),
    ] {
        let to = folder.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root().join(from), to).unwrap();
    }
    let text = |path: &str| folder.path().join(path).display().to_string();
    diff(&[&text("a"), &text("b")])
        .code(1)
        .stdout(predicate::str::starts_with(format!("only in the first   {}\n", text("a/gone.block"))))
        .stdout(predicate::str::contains(format!("only in the second  {}\n", text("b/new.block"))))
        .stdout(predicate::str::contains("differs"));
    diff(&[&text("a"), &text("a")]).success();
    diff(&[&text("a"), &text("b/new.block")]).code(2).stderr(predicate::str::contains("have one of each"));
}

#[test]
fn models_of_two_kinds_are_refused() {
    diff(&["examples/fox.block", "tests/cases/mdl_synth_flex/synth_flex.mdl"])
        .code(2)
        .stderr(predicate::str::contains("want a model of the same kind as the first"));
}

#[test]
fn a_pose_of_a_flver_is_no_difference_but_another_node_is() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(root().join("tests/cases/flver-synthetic/synth_2001a.flver")).unwrap();
    let node = skinsim::flver::Flver::parse(&bytes).unwrap().nodes[1].offset as usize;
    let mut other = bytes.clone();
    other[node..node + 4].copy_from_slice(&3.5_f32.to_le_bytes());
    let (a, b) = (folder.path().join("a.flver"), folder.path().join("b.flver"));
    fs::write(&a, &bytes).unwrap();
    fs::write(&b, &other).unwrap();
    diff(&[&a.display().to_string(), &b.display().to_string()])
        .code(1)
        .stdout(predicate::str::contains("moved      node"))
        .stdout(predicate::str::contains("tables, from"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_damaged_fox_is_compared_with_the_whole_one(
        damage in proptest::collection::vec((0..34_000usize, any::<u8>()), 1..30)
    ) {
        let whole = fs::read(root().join("examples/fox.block")).unwrap();
        let mut bytes = whole.clone();
        for (at, value) in damage {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        let Ok(damaged) = Model::from_block(&bytes) else { return Ok(()) };
        let fox = Model::from_block(&whole).unwrap();
        for (a, b) in [(&fox, &damaged), (&damaged, &fox)] {
            let _ = skinsim::c3::difference::structure(a, b);
            let _ = skinsim::c3::difference::weights(a, b);
            let _ = skinsim::c3::difference::bytes(a, b);
        }
        prop_assert!(skinsim::c3::difference::structure(&damaged, &damaged).is_empty());
        prop_assert!(skinsim::c3::difference::bytes(&damaged, &damaged).is_empty());
    }
}
