use serde_json::json;

use crate::document::Tube;
use crate::output::{Error, build_bytes, compare, corner_slots, matrices};
use crate::reference::Reference;
use crate::samples::from_bank;
use proptest::prelude::*;
use skinsim::c3::build::{BuildOptions, Built};
use skinsim::c3::format::facial::Facial;
use skinsim::c3::model::Model;
use skinsim::c3::rules;
use skinsim::c3::rules::subject::Subject;
use skinsim::finding::Severity;

fn built(bytes: &[u8]) -> Built {
    build_bytes(bytes, &BuildOptions::default()).unwrap()
}

/// Builds, checks and poses: at rest and, where there is an animation, at some of its moments, by the
/// file's own matrices and by the bank.
fn holds(name: &str, bytes: &[u8]) -> Built {
    let built = built(bytes);
    let model = Model::from_block(&built.block).unwrap();
    let found = rules::check(&Subject::new(&model));
    let bad: Vec<_> =
        found.iter().filter(|f| f.finding.severity > Severity::Note).map(|f| &f.finding.text).collect();
    assert!(bad.is_empty(), "{name}: {bad:?}");
    let reference = Reference::read(bytes);
    let rest = reference.globals(None);
    let within = |error: Error, when: f64| assert!(error.of_bound <= 1.0, "{name} at {when}: {error:?}");
    within(compare(&built, &reference, &rest, &matrices(&built, &rest), 0.0), -1.0);
    for (index, (_, end)) in reference.animations().into_iter().enumerate() {
        for part in [0.0, 0.2, 0.55, 1.0] {
            let time = (end * part * 60.0).round() / 60.0;
            let globals = reference.globals(Some((index, time)));
            within(compare(&built, &reference, &globals, &matrices(&built, &globals), 0.0), time);
            let posed = from_bank(&built, index, time);
            within(compare(&built, &reference, &globals, &posed, 0.02), time);
        }
    }
    built
}

const TURN: [f32; 8] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8];

#[test]
fn scaled_joints_stretch_what_hangs_on_them() {
    let mut tube = Tube::new();
    tube.node(1)["scale"] = json!([1.5, 0.75, 2.0]);
    tube.node(2)["rotation"] = json!([0.0, 0.0, 0.6, 0.8]);
    tube.animate(1, "scale", &[0.0, 1.0], &[1.5, 0.75, 2.0, 0.5, 1.0, 1.0], "LINEAR");
    tube.animate(2, "rotation", &[0.25, 0.75], &TURN, "LINEAR");
    holds("scaled", &tube.finish());
}

#[test]
fn joints_without_a_common_parent_are_roots_side_by_side() {
    let mut tube = Tube::new();
    tube.document.json["nodes"][0] = json!({"name": "above"});
    tube.document.json["nodes"][1] = json!({"name": "a"});
    tube.document.json["nodes"][2] = json!({"name": "b", "translation": [0.0, 4.0, 0.0]});
    tube.document.json["nodes"][3] = json!({"name": "c", "translation": [0.0, 8.0, 0.5]});
    tube.document.json["scenes"][0]["nodes"] = json!([0, 1, 2, 3, 4]);
    tube.animate(3, "translation", &[0.0, 1.0], &[0.0, 8.0, 0.5, 1.0, 9.0, 0.5], "LINEAR");
    let built = holds("roots", &tube.finish());
    assert_eq!(built.summary.bones.len(), 3);
}

#[test]
fn matrix_nodes_become_components_or_where_they_shear_matrices() {
    let mut tube = Tube::new();
    // Turned about z and moved: has components.
    tube.document.json["nodes"][2] = json!({"name": "b", "children": [3],
        "matrix": [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 4.0, 0.0, 1.0]});
    holds("components", &tube.finish());
    let mut tube = Tube::new();
    // Sheared, above the joints: stays a bone of its own with a matrix control.
    tube.document.json["nodes"][0] = json!({"name": "above", "children": [1],
        "matrix": [1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0]});
    tube.animate(1, "rotation", &[0.0, 1.0], &TURN, "LINEAR");
    let built = holds("sheared", &tube.finish());
    assert_eq!(built.summary.bones[0], "node 0 'above'");
    assert_eq!(built.summary.bones.len(), 4);
}

#[test]
fn nodes_above_the_joints_are_folded_into_them_or_kept_where_they_move() {
    let mut tube = Tube::new();
    *tube.node(0) = json!({"name": "above", "children": [1], "scale": [2.0, 2.0, 2.0],
        "rotation": [0.0, 0.6, 0.0, 0.8], "translation": [1.0, 2.0, 3.0]});
    tube.animate(1, "rotation", &[0.0, 1.0], &TURN, "LINEAR");
    tube.animate(1, "translation", &[0.0, 0.5], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0], "LINEAR");
    let built = holds("folded", &tube.finish());
    assert_eq!(built.summary.bones.len(), 3);
    let mut tube = Tube::new();
    tube.animate(0, "translation", &[0.0, 1.0], &[0.0, 0.0, 0.0, 3.0, 0.0, 0.0], "LINEAR");
    assert_eq!(holds("moving", &tube.finish()).summary.bones.len(), 4);
}

#[test]
fn a_bind_pose_other_than_the_nodes_pose_becomes_the_rest_pose() {
    let mut tube = Tube::new();
    let primitive = tube.primitive();
    tube.document.push("meshes", json!({"primitives": [primitive]}));
    tube.bind();
    // Only after binding do the joints bend.
    tube.node(2)["rotation"] = json!([0.0, 0.0, 0.6, 0.8]);
    tube.node(3)["rotation"] = json!([0.6, 0.0, 0.0, 0.8]);
    tube.animate(3, "rotation", &[0.0, 1.0], &TURN, "LINEAR");
    let bytes = tube.document.glb();
    let built = holds("bent", &bytes);
    assert_eq!(built.summary.animations.last().unwrap().0, "rest pose");
    let reference = Reference::read(&bytes);
    let rest = reference.globals(None);
    let error = compare(&built, &reference, &rest, &from_bank(&built, 1, 0.0), 0.01);
    assert!(error.of_bound <= 1.0, "{error:?}");
}

#[test]
fn steps_and_cubic_splines_move_as_they_should() {
    let mut tube = Tube::new();
    tube.animate(2, "translation", &[0.0, 0.5, 1.0], &[0.0, 4.0, 0.0, 1.0, 4.0, 0.0, 0.0, 5.0, 0.0], "STEP");
    #[rustfmt::skip]
    let spline = [
        0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 5.0, 0.0, 2.0,
        0.0, -8.0, 0.0, 1.0, 5.0, 0.0, 0.0, 0.0, 0.0,
    ];
    tube.animate(3, "translation", &[0.1, 0.9], &spline, "CUBICSPLINE");
    #[rustfmt::skip]
    let turning = [
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0,
        0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 0.0,
    ];
    tube.animate(1, "rotation", &[0.0, 1.0], &turning, "CUBICSPLINE");
    holds("splines", &tube.finish());
}

#[test]
fn several_primitives_and_materials_are_merged_and_drawn_in_parts() {
    let mut tube = Tube::new();
    let all = tube.indices.clone();
    tube.indices = all[..96].to_vec();
    let mut low = tube.primitive();
    tube.indices = all[96..].to_vec();
    let mut high = tube.primitive();
    (low["material"], high["material"]) = (json!(0), json!(1));
    tube.document.json["materials"] = json!([
        {"name": "red", "pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.0, 0.0, 1.0]}},
        {"name": "blue", "pbrMetallicRoughness": {"baseColorFactor": [0.0, 0.0, 1.0, 1.0]}}
    ]);
    tube.document.push("meshes", json!({"primitives": [low, high]}));
    tube.bind();
    let built = holds("parts", &tube.document.glb());
    let model = Model::from_block(&built.block).unwrap();
    let gpl = model.gpl.as_ref().unwrap();
    let (_, layout, _) = gpl.skinned().unwrap();
    assert_eq!(layout.display_lists(gpl.header.version).len(), 2);
    assert_eq!(layout.colour.unwrap().count, 2);
}

/// Eight influences a vertex over two sets, as one of the number types that weights may have.
fn eight(component: &str) -> Vec<u8> {
    let mut tube = Tube::new();
    let count = tube.positions.len();
    let mut primitive = tube.primitive();
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for n in 0..count {
        joints.extend([2, 1, 0, 1]);
        weights.extend([0.25, 0.25 + 0.005 * n as f32, 0.125, 0.0]);
    }
    let joints = tube.document.shorts(&joints, "VEC4", count);
    let weights = match component {
        "f32" => tube.document.floats(&weights, "VEC4"),
        "u16" => {
            let raw: Vec<u16> = weights.iter().map(|weight| (weight * 65535.0) as u16).collect();
            tube.document.shorts(&raw, "VEC4", count)
        }
        _ => {
            let raw: Vec<u8> = weights.iter().map(|weight| (weight * 255.0) as u8).collect();
            tube.document.accessor(&raw, 5121, "VEC4", count)
        }
    };
    if component != "f32" {
        tube.document.json["accessors"][weights]["normalized"] = json!(true);
    }
    primitive["attributes"]["JOINTS_1"] = json!(joints);
    primitive["attributes"]["WEIGHTS_1"] = json!(weights);
    tube.document.push("meshes", json!({"primitives": [primitive]}));
    tube.bind();
    tube.document.glb()
}

#[test]
fn second_sets_and_every_type_of_weights_are_read() {
    for component in ["f32", "u16", "u8"] {
        let built = holds(component, &eight(component));
        assert!(built.summary.entries[2] > 0, "a third bone accumulates");
        assert!(built.summary.notes.iter().any(|note| note.contains("do not sum to 1")));
    }
}

#[test]
fn interleaved_and_sparse_accessors_give_the_same_block() {
    let plain = built(&Tube::new().finish());
    let mut tube = Tube::new();
    let count = tube.positions.len();
    let mut primitive = tube.primitive();
    let mut bytes = Vec::new();
    for (position, weights) in tube.positions.iter().zip(&tube.weights) {
        bytes.extend(position.iter().chain(weights).flat_map(|value| value.to_le_bytes()));
    }
    let view = tube.document.view(&bytes, Some(28));
    let accessor = |offset: usize, kind: &str| {
        json!({"bufferView": view, "byteOffset": offset, "componentType": 5126, "type": kind, "count": count,
            "min": [-9.0, -9.0, -9.0], "max": [9.0, 9.0, 9.0]})
    };
    let position = tube.document.push("accessors", accessor(0, "VEC3"));
    let mut weights = accessor(12, "VEC4");
    weights.as_object_mut().unwrap().retain(|key, _| key != "min" && key != "max");
    let weights = tube.document.push("accessors", weights);
    primitive["attributes"]["POSITION"] = json!(position);
    primitive["attributes"]["WEIGHTS_0"] = json!(weights);
    tube.document.push("meshes", json!({"primitives": [primitive]}));
    tube.bind();
    assert!(built(&tube.document.glb()).block == plain.block, "interleaved");

    let mut tube = Tube::new();
    let moved = tube.positions.clone();
    tube.positions[5] = [9.0, 9.0, 9.0];
    tube.positions[11] = [-9.0, 0.0, 0.0];
    let primitive = tube.primitive();
    let position = primitive["attributes"]["POSITION"].as_u64().unwrap() as usize;
    let indices = tube.document.view(&[5, 11], None);
    let values: Vec<u8> = [moved[5], moved[11]].as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
    let values = tube.document.view(&values, None);
    tube.document.json["accessors"][position]["sparse"] = json!({"count": 2,
        "indices": {"bufferView": indices, "componentType": 5121}, "values": {"bufferView": values}});
    tube.document.push("meshes", json!({"primitives": [primitive]}));
    tube.bind();
    assert!(built(&tube.document.glb()).block == plain.block, "sparse");
}

/// A tube whose top smiles.
pub fn smiling() -> Vec<u8> {
    let mut tube = Tube::new();
    let count = tube.positions.len();
    let mut primitive = tube.primitive();
    let mut smile = vec![[0.0f32; 3]; count];
    smile[32] = [0.25, 0.5, 0.0];
    smile[33] = [0.0, 0.0, -0.125];
    let target = tube.document.floats(smile.as_flattened(), "VEC3");
    let still = tube.document.floats(&vec![0.0; 3 * count], "VEC3");
    primitive["targets"] = json!([{"POSITION": target}, {"POSITION": still}]);
    tube.document
        .push("meshes", json!({"primitives": [primitive], "extras": {"targetNames": ["smile", "frown"]}}));
    tube.bind();
    tube.document.glb()
}

#[test]
fn morph_targets_become_facial_poses_on_the_slots_of_their_vertices() {
    let bytes = smiling();
    let built = holds("morph", &bytes);
    assert_eq!(built.summary.morph_targets, ["smile", "frown"]);
    let model = Model::from_block(&built.block).unwrap();
    let facial = Facial::parse_view(model.facial.unwrap()).unwrap();
    assert!(facial.problems.is_empty(), "{:?}", facial.problems);
    let attribute = &facial.objects[0].attributes[0];
    let (neutral, smile) = (facial.values(attribute, 0).unwrap(), facial.values(attribute, 1).unwrap());
    let step = f32::from(1u16 << built.summary.shift);
    let slots = corner_slots(&model);
    let drawn: Vec<u32> = slots.iter().map(|&slot| u32::from(slot)).collect();
    for ((slot, neutral), delta) in attribute.vertices().zip(neutral).zip(smile) {
        assert!(drawn.contains(&slot));
        let moved: [f32; 3] = std::array::from_fn(|axis| f32::from(delta[axis]) / step);
        let at: [f32; 3] = std::array::from_fn(|axis| f32::from(neutral[axis]) / step);
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1.0 / step);
        let expected = if near(at, [-0.7, 8.0, -0.7]) { [0.25, 0.5, 0.0] } else { [0.0, 0.0, -0.125] };
        assert!(near(moved, expected), "{at:?}: {moved:?}");
    }
}

/// The message of a build that fails.
fn fails(bytes: &[u8], options: &BuildOptions) -> String {
    build_bytes(bytes, options).unwrap_err()
}

#[test]
fn what_cannot_be_built_says_what_and_where() {
    let shift = |shift| BuildOptions { shift: Some(shift), ..BuildOptions::default() };
    let default = BuildOptions::default();

    let mut tube = Tube::new();
    tube.node(4).as_object_mut().unwrap().remove("skin");
    assert!(fails(&tube.finish(), &default).contains("want a skinned mesh"));

    let error = fails(&Tube::new().finish(), &shift(13));
    assert!(error.contains("for shift 13") && error.contains("at most shift 11 fits"), "{error}");

    let mut tube = Tube::new();
    tube.positions[7][1] = f32::NAN;
    let error = fails(&tube.finish(), &default);
    assert!(
        error.contains("POSITION") && error.contains("want finite numbers") && error.contains("row 7"),
        "{error}"
    );

    let mut tube = Tube::new();
    tube.positions[7][1] = 40_000.0;
    let error = fails(&tube.finish(), &default);
    assert!(error.starts_with("mesh 'mesh 0', primitive 0, vertex 7: want coordinates within"), "{error}");

    let mut tube = Tube::new();
    tube.weights[9] = [0.0; 4];
    let error = fails(&tube.finish(), &default);
    assert_eq!(error, "mesh 'mesh 0', primitive 0, vertex 9: want at least one bone with weight, have none");

    let mut tube = Tube::new();
    tube.joints[2][0] = 3;
    let error = fails(&tube.finish(), &default);
    assert!(error.contains("vertex 2: want joints below 3"), "{error}");

    let mut tube = Tube::new();
    tube.indices[4] = 36;
    assert!(fails(&tube.finish(), &default).contains("want vertex numbers below 36, have 36"));
}

#[test]
fn too_many_bones_and_too_many_slots_are_refused() {
    let mut tube = Tube::new();
    let primitive = tube.primitive();
    tube.document.push("meshes", json!({"primitives": [primitive]}));
    let mut joints = vec![1, 2, 3];
    for index in 0..253 {
        joints.push(tube.document.push("nodes", json!({"name": format!("extra {index}")})));
    }
    tube.document.push("skins", json!({"joints": joints}));
    let error = fails(&tube.document.glb(), &BuildOptions::default());
    assert_eq!(error, "skeleton: want at most 255 bones, have 256: 256 joints and 0 nodes above them");

    let mut tube = Tube::new();
    (tube.positions, tube.joints, tube.weights) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..66_000u32 {
        tube.positions.push([(n % 256) as f32, (n / 256) as f32, 0.0]);
        tube.joints.push([0; 4]);
        tube.weights.push([1.0, 0.0, 0.0, 0.0]);
    }
    let primitive = tube.primitive();
    let indices: Vec<u8> = (0..66_000u32).flat_map(u32::to_le_bytes).collect();
    let indices = tube.document.accessor(&indices, 5125, "SCALAR", 66_000);
    let mut primitive = primitive;
    primitive["indices"] = json!(indices);
    tube.document.push("meshes", json!({"primitives": [primitive]}));
    tube.bind();
    let error = fails(&tube.document.glb(), &BuildOptions::default());
    assert!(error.starts_with("model: want at most 65535 slots"), "{error}");
}

#[test]
fn a_mesh_without_skin_follows_the_bone_that_carries_it() {
    let mut tube = Tube::new();
    let primitive = tube.primitive();
    let mut hat = primitive.clone();
    hat["attributes"].as_object_mut().unwrap().retain(|key, _| key == "POSITION");
    tube.document.push("meshes", json!({"primitives": [primitive]}));
    tube.document.push("meshes", json!({"name": "hat", "primitives": [hat]}));
    tube.document.push("nodes", json!({"name": "hat", "mesh": 1, "translation": [0.0, 1.0, 0.0]}));
    tube.node(3)["children"] = json!([5]);
    tube.bind();
    let built = built(&tube.document.glb());
    assert_eq!(built.summary.triangles, 128);
    assert!(built.summary.notes.iter().any(|note| note.contains("follow the bone that carries them")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_mutated_file_is_built_or_refused_without_panic(
        changes in proptest::collection::vec((0usize..8000, any::<u8>()), 1..6),
    ) {
        let mut bytes = eight("u16");
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let _ = build_bytes(&bytes, &BuildOptions::default());
    }
}
