//! The order of the bone array, from the command line to the skinned bytes.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use skinsim::c3::build::container;
use skinsim::c3::format::act::{ActSource, BoneSource, Control};
use skinsim::c3::format::anm::source::VectorKey;
use skinsim::c3::format::anm::{AnmSource, KeySource, Quantization, SequenceSource, TrackSource};
use skinsim::c3::format::block::SectionKind;
use tempfile::TempDir;

const FOX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block");

/// Twenty-four bones, as the fox's entries want, the last record a child of the first: table and tree order
/// differ from bone 2 on.
fn skeleton() -> Vec<u8> {
    let parent = |id: u16| match id {
        0 => None,
        23 => Some(1),
        _ => Some(0),
    };
    let bone = |id| BoneSource::new(id, parent(id), Control::IDENTITY);
    let bones = (0..24).map(bone).collect();
    let source = ActSource { actor_id: 0, skin_object: 0, palette_name: None, bones, user_data: Vec::new() };
    source.to_bytes().unwrap()
}

/// Every bone goes its own way.
fn bank() -> Vec<u8> {
    let track = |id: u16| {
        let moved = VectorKey::Hold([f32::from(id), 0.5, -f32::from(id)]);
        let key = KeySource { translation: Some(moved), ..KeySource::default() };
        TrackSource { id, length: 1.0, quantization: Quantization::F32, replace: true, keys: vec![key] }
    };
    let sequence = SequenceSource { name: None, tracks: (0..24).map(track).collect() };
    AnmSource { bank_id: 0, sequences: vec![sequence] }.to_bytes().unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    let assert = command.current_dir(folder).args(arguments).arg("--json").assert();
    let output = assert.get_output();
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {error}"))
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let fox = std::fs::read(FOX).unwrap();
    let (gpl, skn) = (&fox[0x20..0x5600], &fox[0x5DC0..]);
    let sections = [(SectionKind::Gpl, gpl), (SectionKind::Act, &skeleton()), (SectionKind::Skn, skn)];
    write("fox.block", &container::block(&sections).unwrap());
    write("fox.gpl", gpl);
    write("fox.skn", skn);
    write("fox.act", &skeleton());
    write("fox.anm", &bank());
    folder
}

#[test]
fn matrices_go_to_the_bones_of_the_order_that_was_asked_for() {
    let folder = folder();
    let digest = |order: &str, model: &str| {
        let order = format!("--bone-order={order}");
        json(folder.path(), &["run", model, "--anim=fox.anm", &order])["digest"].clone()
    };
    let by_matrices = |order: &str| {
        let posed =
            json(folder.path(), &["pose", "fox.act", "--anim=fox.anm", &format!("--bone-order={order}")]);
        let matrices = serde_json::json!({ "skin_matrices": posed["frames"][0]["skin"] });
        std::fs::write(folder.path().join("matrices.json"), matrices.to_string()).unwrap();
        json(folder.path(), &["run", "fox.block", "--matrices=matrices.json"])["digest"].clone()
    };
    for model in ["fox.block", "fox.gpl"] {
        for order in ["table", "preorder"] {
            assert_eq!(digest(order, model), by_matrices(order), "{model} {order}");
        }
    }
    assert_ne!(digest("table", "fox.block"), digest("preorder", "fox.block"));
    // By itself a block goes by its table and a loose skeleton by its tree.
    assert_eq!(digest("auto", "fox.block"), digest("table", "fox.block"));
    assert_eq!(digest("auto", "fox.gpl"), digest("preorder", "fox.gpl"));
}

#[test]
fn that_the_orders_differ_is_told() {
    let folder = folder();
    for model in ["fox.block", "fox.act"] {
        let posed = json(folder.path(), &["pose", model]);
        assert_eq!(posed["findings"][0]["code"], "bone-order", "{model}");
    }
}
