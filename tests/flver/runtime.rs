//! Posed frames, two streams, motion vectors, dummy points, the open questions.

use skinsim::bytes::ReadResult;
use skinsim::flver::runtime::hierarchy::ScaleRule;
use skinsim::flver::runtime::options::{DummyFollow, RigidPalette, RigidRule, StreamOrder};
use skinsim::flver::runtime::outcome::Outcome;
use skinsim::flver::runtime::pose::Pose;
use skinsim::flver::{self, Flver, Options, runtime};

use super::builder::{Buffer, Model, floats, member, static_vertex};

fn try_run(model: &Model, options: &Options) -> ReadResult<Outcome> {
    let bytes = model.write();
    runtime::run("x", &Flver::parse(&bytes)?, options)
}

fn run(model: &Model, options: &Options) -> Outcome {
    try_run(model, options).unwrap()
}

fn pose(node: &str, kind: &str, translation: [f32; 3]) -> Pose {
    let [x, y, z] = translation;
    let rows = format!("[[2,0,0,0],[0,2,0,0],[0,0,2,0],[{x},{y},{z},1]]");
    Pose::from_json(format!(r#"{{"nodes":{{"{node}":{{"{kind}":{rows}}}}}}}"#).as_bytes()).unwrap()
}

#[test]
fn at_rest_dynamic_vertices_are_where_they_are_stored_to_the_bit() {
    let outcome = run(&Model::sound(), &Options::default());
    assert_eq!(outcome.meshes[0].positions, outcome.meshes[0].stored_positions);
    assert_eq!(outcome.meshes[0].normals, outcome.meshes[0].stored_normals);
    assert_eq!(outcome.meshes[1].positions, [[0.0, 1.0, 0.0], [3.0, 1.0, 0.0], [0.0, 2.0, 1.0]]);
    assert_eq!(outcome.bounds.relative_difference, Some(0.0));
}

#[test]
fn a_moved_node_takes_its_vertices_along_by_their_weights() {
    // Arm's bind world is twice as large at (1, 1, 0); the pose moves it by (0, 10, 0).
    let options = Options { pose: Some(pose("Arm", "world", [1.0, 11.0, 0.0])), ..Options::default() };
    let outcome = run(&Model::sound(), &options);
    let skinned = &outcome.meshes[0].positions;
    assert_eq!(skinned[0], [0.0, 10.0, 0.0]);
    assert!((skinned[1][1] - 10.0 * 128.0 / 255.0).abs() < 1e-5, "{skinned:?}");
    assert_eq!(skinned[2], [0.0, 1.0, 0.0]);
    assert_eq!(outcome.meshes[1].positions, [[0.0, 1.0, 0.0], [3.0, 11.0, 0.0], [0.0, 2.0, 1.0]]);
}

#[test]
fn a_local_pose_is_composed_with_the_parent() {
    let options = Options { pose: Some(pose("1", "local", [5.0, 0.0, 0.0])), ..Options::default() };
    let outcome = run(&Model::sound(), &options);
    assert_eq!(outcome.nodes[1].world[0], [4.0, 0.0, 0.0, 0.0]);
    assert_eq!(outcome.nodes[1].world[3], [10.0, 1.0, 0.0, 1.0]);
}

#[test]
fn a_pose_for_a_node_that_does_not_exist_is_refused() {
    let options = Options { pose: Some(pose("Tail", "local", [0.0; 3])), ..Options::default() };
    assert!(try_run(&Model::sound(), &options).unwrap_err().to_string().contains("Tail"));
}

/// The skinned mesh with a second position stream in a buffer of its own, one unit along z.
fn two_streams() -> Model {
    let mut model = Model::sound();
    model.layouts.push(vec![member(0, 2, 1)]);
    let bytes = floats(&[0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0]);
    model.buffers.push(Buffer { layout: 2, stride: 12, number: 1, bytes });
    model.meshes[0].buffers.push(2);
    model
}

#[test]
fn a_second_stream_gives_previous_positions_and_motion_vectors() {
    let outcome = run(&two_streams(), &Options::default());
    let mesh = &outcome.meshes[0];
    assert_eq!(mesh.positions[1], [1.0, 0.0, 0.0]);
    assert_eq!(mesh.previous_positions[1], [1.0, 0.0, 1.0]);
    assert_eq!(mesh.motion_vectors, [[0.0, 0.0, -1.0]; 3]);
    assert_eq!((mesh.streams.current, mesh.streams.previous, mesh.streams.identical), (0, 1, false));
    assert!(outcome.meshes[1].previous_positions.is_empty());
}

#[test]
fn sekiros_other_binding_swaps_the_streams() {
    let options = Options { streams: StreamOrder::PreviousFirst, ..Options::default() };
    let outcome = run(&two_streams(), &options);
    let mesh = &outcome.meshes[0];
    assert_eq!(mesh.positions[1], [1.0, 0.0, 1.0]);
    assert_eq!(mesh.previous_positions[1], [1.0, 0.0, 0.0]);
    assert_eq!(mesh.motion_vectors, [[0.0, 0.0, 1.0]; 3]);
}

#[test]
fn streams_of_one_semantic_index_keep_the_order_of_their_buffers() {
    let mut model = two_streams();
    model.layouts[2] = vec![member(0, 2, 0)];
    assert_eq!(run(&model, &Options::default()).meshes[0].previous_positions[1], [1.0, 0.0, 1.0]);
}

#[test]
fn the_previous_pose_moves_the_previous_stream_alone() {
    let options = Options {
        pose: Some(pose("Arm", "world", [1.0, 11.0, 0.0])),
        previous_pose: Some(Pose::default()),
        ..Options::default()
    };
    let outcome = run(&Model::sound(), &options);
    assert_eq!(outcome.meshes[0].previous_positions[0], [0.0; 3]);
    assert_eq!(outcome.meshes[0].motion_vectors[0], [0.0, 10.0, 0.0]);
    assert_eq!(outcome.meshes[1].motion_vectors[1], [0.0, 10.0, 0.0], "static vertices move too");
}

#[test]
fn without_inherited_scale_a_node_keeps_its_own_place_and_size() {
    let options = Options { scale: ScaleRule::OwnOnly, ..Options::default() };
    let outcome = run(&Model::sound(), &options);
    assert_eq!(outcome.nodes[1].world[3], [0.5, 1.0, 0.0, 1.0]);
    assert_eq!(outcome.nodes[1].world[0], [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(outcome.nodes[0].world[0], [2.0, 0.0, 0.0, 0.0]);
}

#[test]
fn dummy_points_carry_their_parents_scale_and_follow_the_attach_bone() {
    let rest = run(&Model::sound(), &Options::default());
    assert_eq!(rest.dummies[0].position, [1.0, 1.0, 2.0]);
    assert_eq!(rest.dummies[0].forward, [0.0, 0.0, -2.0], "scale included");
    // The attach bone, Leg, moves by (0, 10, 0): so does the point. Its parent moves: it does not.
    let leg = Options { pose: Some(pose("Leg", "world", [0.0, 10.0, 1.0])), ..Options::default() };
    assert_eq!(run(&Model::sound(), &leg).dummies[0].position, [1.0, 11.0, 2.0]);
    let arm = Options { pose: Some(pose("Arm", "world", [1.0, 11.0, 0.0])), ..Options::default() };
    assert_eq!(run(&Model::sound(), &arm).dummies[0].position, [1.0, 1.0, 2.0]);
    let parent = Options { dummies: DummyFollow::Parent, ..arm };
    assert_eq!(run(&Model::sound(), &parent).dummies[0].position, [1.0, 11.0, 2.0]);
}

#[test]
fn a_dummy_point_without_bones_stays_in_model_space() {
    let mut model = Model::sound();
    model.dummies[0].parent = -1;
    model.dummies[0].attach = -1;
    let outcome = run(&model, &Options::default());
    assert_eq!(outcome.dummies[0].position, [0.0, 0.0, 1.0]);
    assert_eq!(outcome.dummies[0].follows, None);
}

#[test]
fn the_rigid_bone_is_visible_and_switchable() {
    let mut model = Model::sound();
    model.meshes[1].palette = vec![1, 2, 0];
    model.meshes[1].node_index = 2;
    let nodes = |options: Options| run(&model, &options).meshes[1].rigid_nodes.clone();
    assert_eq!(nodes(Options::default()), [0, 1, 2]);
    assert_eq!(nodes(Options { rigid_palette: RigidPalette::Palette, ..Options::default() }), [1, 2, 0]);
    assert_eq!(nodes(Options { rigid: RigidRule::NodeIndex, ..Options::default() }), [2, 2, 2]);
    assert_eq!(nodes(Options { rigid: RigidRule::Stored, ..Options::default() }), [-1, -1, -1]);
}

#[test]
fn old_static_meshes_follow_bone_index_0_through_the_palette() {
    let mut model = Model::sound();
    model.version = 0x2000C;
    model.index_bits = 16;
    model.unicode = false;
    model.layouts[1].push(member(2, 0x11, 0));
    model.buffers[1].stride = 20;
    let vertex = |bone| [static_vertex([1.0, 0.0, 0.0], 127), vec![bone, 0, 0, 0]].concat();
    model.buffers[1].bytes = [vertex(0), vertex(1), vertex(1)].concat();
    model.meshes[1].palette = vec![2, 1];
    let outcome = run(&model, &Options::default());
    assert_eq!(outcome.meshes[1].rigid_nodes, [2, 1, 1]);
    assert_eq!(outcome.nodes[0].name, "Root", "Shift-JIS names");
}

#[test]
fn a_dynamic_mesh_without_bone_indices_is_not_moved() {
    let mut model = Model::sound();
    model.meshes[1].dynamic = 1;
    let outcome = run(&model, &Options { pose: Some(pose("Root", "world", [9.0; 3])), ..Options::default() });
    assert_eq!(outcome.meshes[1].positions, outcome.meshes[1].stored_positions);
}

#[test]
fn a_weighted_index_outside_the_nodes_adds_nothing_and_is_an_error_of_the_run() {
    let mut model = Model::sound();
    model.buffers[0].bytes[24 + 17] = 77;
    let outcome = run(&model, &Options::default());
    assert_eq!(outcome.meshes[0].bone_indices[1], [1, -1, 0, 0]);
    assert!((outcome.meshes[0].positions[1][0] - 128.0 / 255.0).abs() < 1e-6);
    assert_eq!(outcome.findings[0].code.name, "flver-bone-index");
}

#[test]
fn indices_of_8_and_32_bits_are_read() {
    for bits in [8, 16, 32] {
        let mut model = Model::sound();
        model.face_sets[0].bits = bits;
        model.face_sets[0].indices = vec![0, 1, 2, 2, 1, 0];
        assert_eq!(run(&model, &Options::default()).meshes[0].triangles, [[0, 1, 2], [2, 1, 0]], "{bits}");
    }
}

#[test]
fn the_mesh_for_exports_joins_all_parts_and_takes_the_main_face_set() {
    let mut model = Model::sound();
    model.face_sets[0].flags = 0x0100_0000;
    model.face_sets.push(super::builder::FaceSet {
        flags: 0,
        strip: false,
        bits: 16,
        indices: vec![2, 1, 0, 0, 1, 9],
    });
    model.meshes[0].face_sets = vec![0, 2];
    let mesh = flver::mesh(&model.write(), &Options::default()).unwrap();
    assert_eq!((mesh.positions.len(), mesh.normals.len()), (6, 6));
    assert_eq!(mesh.parts[0].triangles, [[2, 1, 0]], "a corner outside the mesh cannot be drawn");
    assert_eq!(mesh.parts[1].triangles, [[3, 4, 5]]);
    assert_eq!(mesh.parts[1].name, "mesh 1 'Skin'");
}

#[test]
fn a_layout_without_a_position_gives_a_mesh_without_vertices() {
    let mut model = Model::sound();
    model.layouts[1][0].stream = 0x8000_0000;
    model.buffers[1].stride = 4;
    model.modifier = 0x8000;
    let mesh = flver::mesh(&model.write(), &Options::default()).unwrap();
    assert_eq!(mesh.positions.len(), 3);
    assert!(mesh.parts[1].triangles.is_empty());
}

#[test]
fn a_vertex_without_any_weight_loses_its_normal_at_rest_as_in_a_pose() {
    let mut model = Model::sound();
    model.buffers[0].bytes[20..24].fill(0);
    let still = run(&model, &Options::default());
    let moved = pose("Arm", "world", [5.0, 0.0, 0.0]);
    let posed = run(&model, &Options { pose: Some(moved), ..Options::default() });
    for outcome in [still, posed] {
        assert_eq!((outcome.meshes[0].positions[0], outcome.meshes[0].normals[0]), ([0.0; 3], [0.0; 3]));
        assert_ne!(outcome.meshes[0].normals[1], [0.0; 3]);
    }
}
