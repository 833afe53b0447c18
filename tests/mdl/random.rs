//! Random faces, against an evaluation by an independent writer.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

use crate::common::assert_close;

/// The engine's floats have 24 bits.
const TOLERANCE: f64 = 1e-5;

#[test]
fn weights_and_vertices_come_out_in_every_case() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/mdl-random");
    for case in 0..8 {
        let folder = cases.join(case.to_string());
        let expected = std::fs::read(folder.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let arguments = expected["arguments"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
        let output = Command::new(env!("CARGO_BIN_EXE_skinsim"))
            .current_dir(&folder)
            .args(["run", "face.mdl", "--json"])
            .args(arguments)
            .output()
            .unwrap();
        let run: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("case {case}"));
        for key in ["rule_weights", "weights", "positions", "normals", "wrinkle"] {
            assert_close(&run[key], &expected[key], TOLERANCE, &format!("case {case} {key}"));
        }
    }
}
