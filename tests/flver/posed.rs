//! Random models in two poses, against an evaluation in double precision by an independent writer.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

use crate::common::assert_close;

fn folders() -> Vec<PathBuf> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/flver-posed");
    let folders = std::fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path());
    folders.filter(|path| path.is_dir()).collect()
}

/// The engine's floats have 24 bits.
const TOLERANCE: f64 = 1e-5;

#[test]
fn poses_streams_and_dummy_points_come_out_in_every_case() {
    let folders = folders();
    assert_eq!(folders.len(), 6);
    for folder in folders {
        let expected: Value =
            serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
        for want in expected["runs"].as_array().unwrap() {
            let arguments = want["arguments"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
            let output = Command::new(env!("CARGO_BIN_EXE_skinsim"))
                .current_dir(&folder)
                .args(["run", "model.flver", "--json"])
                .args(arguments)
                .output()
                .unwrap();
            let case = format!("{} {}", folder.display(), want["arguments"]);
            let run: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{case}"));
            assert_eq!(run["version"], expected["version"]);
            let worlds: Value =
                run["nodes"].as_array().unwrap().iter().map(|node| node["world"].clone()).collect();
            assert_close(&worlds, &want["world"], TOLERANCE, &format!("{case} world"));
            let meshes = run["meshes"].as_array().unwrap().iter().zip(want["meshes"].as_array().unwrap());
            for (index, (got, want)) in meshes.enumerate() {
                for key in ["positions", "normals", "previous_positions", "triangles"] {
                    assert_close(&got[key], &want[key], TOLERANCE, &format!("{case} mesh {index} {key}"));
                }
            }
            let dummy = |dummy: &Value| -> Value {
                ["position", "forward", "upward"].iter().map(|key| dummy[key].clone()).collect()
            };
            let dummies: Value = run["dummies"].as_array().unwrap().iter().map(dummy).collect();
            assert_close(&dummies, &want["dummies"], TOLERANCE, &format!("{case} dummies"));
            if want["arguments"] == serde_json::json!([]) {
                let difference = run["bounds"]["relative_difference"].as_f64().unwrap();
                assert!(difference < 1e-6, "{case}: {difference}");
            }
        }
    }
}
