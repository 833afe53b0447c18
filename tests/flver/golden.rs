use std::path::PathBuf;

use serde_json::Value;
use skinsim::flver::runtime::outcome::{MeshOutcome, Outcome};
use skinsim::flver::{Flver, Options, runtime};

fn case(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/flver-synthetic").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn expected() -> Value {
    serde_json::from_slice(&case("expected.json")).unwrap()
}

fn outcomes() -> [Outcome; 2] {
    ["synth_20014.flver", "synth_2001a.flver"].map(|name| {
        let bytes = case(name);
        runtime::run(name, &Flver::parse(&bytes).unwrap(), &Options::default()).unwrap()
    })
}

/// Single precision: a few units of the last place.
fn assert_close(got: &impl serde::Serialize, want: &Value, what: &str) {
    crate::common::assert_close(&serde_json::to_value(got).unwrap(), want, 4e-7, what);
}

#[test]
fn world_matrices_are_the_full_product_of_the_nodes() {
    for outcome in outcomes() {
        let world: Vec<_> = outcome.nodes.iter().map(|node| node.world).collect();
        assert_close(&world, &expected()["node_world_rows"], "world");
    }
}

#[test]
fn static_vertices_follow_their_normal_w_or_the_node_index() {
    for outcome in outcomes() {
        assert_close(&outcome.meshes[2].positions, &expected()["mesh2_static_by_normal_w"], "mesh 2");
        assert_close(&outcome.meshes[3].positions, &expected()["mesh3_static_by_node_index"], "mesh 3");
        assert_eq!(outcome.meshes[2].rigid_nodes, [0, 1, 2, 3]);
        assert_eq!(outcome.meshes[3].rigid_nodes, [2; 4]);
    }
}

#[test]
fn the_dummy_point_is_placed_by_its_parent() {
    for outcome in outcomes() {
        assert_close(&outcome.dummies[0].position, &expected()["dummy_world"], "dummy");
    }
}

#[test]
fn weights_are_kept_as_stored_and_blended_divided_by_their_sum() {
    let expected = expected();
    for outcome in outcomes() {
        for mesh in &outcome.meshes[..2] {
            let bytes: Vec<Vec<f32>> = mesh
                .weights
                .iter()
                .map(|weights| weights.iter().map(|weight| weight * 255.0).collect())
                .collect();
            assert_close(&bytes, &expected["weights_bytes"], "weights");
            let sums: Vec<f32> = mesh.weights.iter().map(|weights| weights.iter().sum()).collect();
            assert_close(&sums, &expected["weight_sums"], "sums");
            assert_close(&mesh.normalized_weights, &expected["normalized"], "normalized");
            assert_close(&mesh.stored_bone_indices, &expected["bone_indices"], "bone indices");
        }
    }
}

#[test]
fn a_palette_maps_bone_indices_to_nodes_and_an_empty_one_leaves_them() {
    for outcome in outcomes() {
        let [with, without] = &outcome.meshes[..2] else { panic!() };
        assert_close(&with.palette, &expected()["palette_mesh0"], "palette");
        assert_eq!(with.bone_indices, [[1, 1, 1, 1], [1, 2, 1, 1], [2, 1, 3, 2], [3, 1, 1, 1]]);
        assert_eq!(without.bone_indices, [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 2, 1], [2, 0, 0, 0]]);
    }
}

fn attributes(mesh: &MeshOutcome) -> [Value; 3] {
    [&mesh.uvs, &mesh.tangents, &mesh.colours].map(|attributes| serde_json::to_value(attributes).unwrap())
}

#[test]
fn attributes_are_decoded_as_the_vertex_programs_do() {
    let r = f64::from(f32::from_bits(0x3C01_0204));
    for outcome in outcomes() {
        let mesh = &outcome.meshes[0];
        let unit = (127.0 * r) as f32;
        let normals = [[0.0, unit, 0.0], [unit, 0.0, 0.0], [0.0, 0.0, unit], [-unit, 0.0, 0.0]];
        assert_eq!(mesh.normals, normals);
        let [uvs, tangents, colours] = attributes(mesh);
        assert_close(&uvs[0]["values"], &serde_json::json!([[0, 0], [1, 0], [0, 1], [-0.5, 2]]), "uv");
        assert_close(&tangents[0]["values"][0], &serde_json::json!([1, 0, 0, 1]), "tangent");
        assert_eq!(colours[0]["index"], 1, "the colour is COLOR1 by its semantic index");
        assert_close(&colours[0]["values"][0], &serde_json::json!([1, 0, 0, 1]), "colour");
    }
}

#[test]
fn a_strip_restarts_and_lists_are_read_as_they_are() {
    for outcome in outcomes() {
        assert_eq!(outcome.meshes[0].triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(outcome.meshes[1].triangles, [[0, 1, 2], [2, 1, 3], [0, 2, 3]]);
    }
}

#[test]
fn random_models_of_an_independent_writer_come_out_in_every_version() {
    for version in ["2000c", "20010", "20014"] {
        let read = |name: &str| case(&format!("../flver-random-{version}/{name}"));
        let (bytes, expected) = (read("model.flver"), read("expected.json"));
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let outcome = runtime::run(version, &Flver::parse(&bytes).unwrap(), &Options::default()).unwrap();
        let world: Vec<_> = outcome.nodes.iter().map(|node| node.world).collect();
        assert_close(&world, &expected["world"], version);
        let dummies: Vec<_> = outcome.dummies.iter().map(|dummy| [dummy.position, dummy.forward]).collect();
        assert_close(&dummies, &expected["dummies"], version);
        for (mesh, expected) in outcome.meshes.iter().zip(expected["meshes"].as_array().unwrap()) {
            assert_close(&mesh.positions, &expected["positions"], &mesh.name);
            if mesh.dynamic {
                assert_close(&mesh.normals, &expected["normals"], &mesh.name);
            }
            if !mesh.bone_indices.is_empty() {
                assert_close(&mesh.bone_indices, &expected["bone_indices"], &mesh.name);
            }
        }
        assert!(outcome.bounds.relative_difference.unwrap() < 1e-6);
        assert_eq!(skinsim::flver::check(&bytes), Ok(vec![]), "{version}");
    }
}
