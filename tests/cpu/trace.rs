//! `trace` and `trace diff` as a user runs them.

use assert_cmd::Command;
use skinsim::c3::model::Model;

use super::command::FOX;

fn trace(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("trace").args(arguments).assert()
}

fn lines(arguments: &[&str], code: i32) -> Vec<String> {
    let assert = trace(arguments).code(code);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn model_and_processor_access_the_same_and_any_change_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (model, cpu, changed) = (path("model"), path("cpu"), path("changed"));
    trace(&[FOX, "--frames", "2", "-o", &model]).code(0);
    trace(&[FOX, "--frames", "2", "--engine", "cpu", "-o", &cpu]).code(0);
    assert_eq!(lines(&["diff", &model, &cpu], 0), ["no difference"]);
    assert_eq!(lines(&["diff", &cpu, &cpu], 0), ["no difference"]);
    let text = std::fs::read_to_string(&model).unwrap();
    let kept: Vec<&str> = text.lines().collect();
    let at = kept.iter().rposition(|line| line.starts_with("store accumulate+0xf0")).unwrap();
    let without = [&kept[..at], &kept[at + 1..]].concat().join("\n");
    let twice = [&kept[..at], &kept[at..=at], &kept[at..]].concat().join("\n");
    for (other, alone, mark) in
        [(without, "the second has 1 more", '+'), (twice, "the first has 1 more", '-')]
    {
        std::fs::write(&changed, other).unwrap();
        let told = lines(&["diff", &changed, &cpu], 1);
        assert!(told.iter().any(|line| line.starts_with(alone)), "{told:?}");
        assert!(told.iter().any(|line| line == &format!("{mark} {}", kept[at])), "{told:?}");
    }
}

#[test]
fn an_entry_alone_is_shown_from_its_load_to_its_store() {
    let all = lines(&[FOX, "--entry", "sk1:1"], 0);
    let of_entry: Vec<&String> =
        all.iter().filter(|line| !line.starts_with('#') && !line.starts_with("frame")).collect();
    assert!(of_entry.iter().all(|line| line.contains(" SK1[1] ")));
    let kinds: Vec<&str> = of_entry.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(kinds[0], "dma-load");
    // What follows is the frame reading where the next entry's vertices are.
    let stored = kinds.iter().rposition(|kind| *kind == "dma-store").unwrap();
    assert!(kinds[stored + 1..].iter().all(|kind| *kind == "load"));
    assert!(all.iter().any(|line| line.starts_with("load one-bone+0x34 80523e40 SK1[1] e0002")));
}

#[test]
fn a_fault_is_the_last_line_of_its_frame() {
    for engine in ["model", "cpu"] {
        let all = lines(&["examples/broken/one-vertex.block", "--engine", engine], 1);
        let last = all.last().unwrap();
        assert!(last.starts_with("fault one-bone+0xb8 80523ec4 "), "{last}");
        assert!(last.ends_with(" e0040000 4 read"), "{last}");
    }
}

#[test]
fn the_lines_read_as_documented() {
    let model = lines(&[FOX], 0);
    let cpu = lines(&[FOX, "--engine", "cpu"], 0);
    let shown = |all: &[String], from: &str| {
        let at = all.iter().position(|line| line.contains(from)).unwrap();
        all[..5].iter().chain(&all[at..at + 8]).cloned().collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("model", shown(&model, "one-bone+0x20 "));
    insta::assert_snapshot!("cpu", shown(&cpu, "one-bone+0x20 "));
}

#[test]
fn what_is_no_trace_or_cannot_be_traced_is_refused() {
    for (arguments, want) in [
        (&["diff", FOX, FOX][..], "want # skinsim trace 1"),
        (&["diff", "absent", FOX], "absent"),
        (&[FOX, "--entry", "sk4:1"], "want LIST:NUMBER"),
        (&[FOX, "--json"], "--json: want a .mdl"),
        (&[], "MODEL"),
    ] {
        let assert = trace(arguments).code(2);
        let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(told.contains(want), "{arguments:?}: {told}");
    }
}

#[test]
fn a_trace_never_replaces_its_model_and_a_refused_one_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("fox.block");
    std::fs::copy(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(FOX), &model).unwrap();
    let model = model.to_str().unwrap();
    trace(&[model, "-o", model]).code(2);
    let out = folder.path().join("out.trace");
    trace(&[model, "-o", out.to_str().unwrap(), "--dol", model, "--engine", "cpu"]).code(2);
    trace(&[model, "-o", out.to_str().unwrap(), "--engine", "cpu", "--call", "0x80000000"]).code(2);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(Model::from_block(&std::fs::read(model).unwrap()).is_ok());
}
