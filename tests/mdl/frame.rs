//! From weights to vertices on small faces.

use skinsim::mdl::format::Mdl;
use skinsim::mdl::format::vvd::Vvd;
use skinsim::mdl::runtime::delay::{Delay, DelayedLids};
use skinsim::mdl::runtime::delta::DeltaForm;
use skinsim::mdl::runtime::face::Face as Prepared;
use skinsim::mdl::runtime::frame::{self, Frame};
use skinsim::mdl::{Options, mesh};

use crate::builder::{Anim, Bone, Eyeball, Face, Flex, Mesh, constant, half};

fn run(face: &Face, options: &Options) -> Frame {
    let (mdl, vvd) = (face.mdl(), face.vvd());
    let mdl = Mdl::read(&mdl).unwrap();
    let prepared = Prepared::new(&mdl, Some(&Vvd::read(&vvd).unwrap()), options).unwrap();
    frame::run(&prepared, options)
}

fn at(value: f32) -> Options {
    Options { controllers: Some(vec![value]), ..Options::default() }
}

#[test]
fn a_controller_that_nothing_set_is_at_its_minimum() {
    let face = Face { controllers: vec![("gaze", -30.0, 30.0)], ..Face::default() };
    assert_eq!(run(&face, &Options::default()).controllers, [-30.0]);
}

#[test]
fn a_weight_moves_vertices_in_proportion() {
    let frame = run(&Face::default(), &at(0.5));
    assert_eq!(frame.vertices.positions[..3], [[0.25, 0.0, 0.0], [1.0, 0.125, 0.0], [2.0, 0.0, 0.0]]);
    assert_eq!(frame.vertices.flexed, [true, true, false, false]);
}

#[test]
fn each_mesh_counts_its_vertices_from_its_own_offset() {
    let mut face = Face::default();
    let second = Mesh {
        vertices: vec![[9.0, 0.0, 0.0], [10.0, 0.0, 0.0]],
        flexes: vec![Flex::of(0, vec![Anim::of(1, [0.0, 0.0, 2.0])])],
        lod_count: None,
    };
    face.meshes.push(second);
    let frame = run(&face, &at(1.0));
    assert_eq!(frame.vertices.positions[4..], [[9.0, 0.0, 0.0], [10.0, 0.0, 2.0]]);
}

#[test]
fn flexes_of_one_flexdesc_all_apply_in_file_order() {
    let mut face = Face::default();
    let again = face.meshes[0].flexes[0].clone();
    face.meshes[0].flexes.push(again);
    assert_eq!(run(&face, &at(1.0)).vertices.positions[0], [1.0, 0.0, 0.0]);
}

#[test]
fn a_vertex_beyond_its_level_of_detail_does_not_move() {
    let mut face = Face::default();
    face.meshes[0].lod_count = Some(1);
    let frame = run(&face, &at(1.0));
    assert_eq!(frame.vertices.positions[..2], [[0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]);
}

#[test]
fn a_normal_is_renormalised_and_a_wrinkle_scaled() {
    let mut face = Face::default();
    let mut flex =
        Flex::of(0, vec![Anim { normal_delta: [half(1.0), 0, 0], wrinkle: 2048, ..Anim::of(0, [0.0; 3]) }]);
    flex.kind = 1;
    face.meshes[0].flexes = vec![flex];
    let frame = run(&face, &at(1.0));
    let unit = 0.5f32.sqrt();
    assert!(frame.vertices.normals[0].iter().zip([unit, 0.0, unit]).all(|(a, b)| (a - b).abs() < 1e-6));
    assert_eq!(frame.vertices.wrinkle, [0.5, 0.0, 0.0, 0.0]);
}

#[test]
fn a_delta_of_eight_units_wraps_unless_halves_are_asked_for() {
    let mut face = Face::default();
    face.meshes[0].flexes = vec![Flex::of(0, vec![Anim::of(0, [8.0, 0.0, 0.0])])];
    assert_eq!(run(&face, &at(1.0)).vertices.positions[0], [-8.0, 0.0, 0.0]);
    let exact = Options { delta: DeltaForm::Half, ..at(1.0) };
    assert_eq!(run(&face, &exact).vertices.positions[0], [8.0, 0.0, 0.0]);
    face.flags = 0x0020_0000;
    face.scale = 1.0 / 256.0;
    assert_eq!(run(&face, &at(1.0)).vertices.positions[0], [8.0, 0.0, 0.0], "the header's scale has room");
}

#[test]
fn a_converted_file_holds_fixed_point_by_its_flag_alone() {
    let mut face = Face { flags: 0x4000, ..Face::default() };
    face.meshes[0].flexes =
        vec![Flex::of(0, vec![Anim { delta: [4096, 0, 0xf000], ..Anim::of(0, [0.0; 3]) }])];
    assert_eq!(run(&face, &at(1.0)).vertices.positions[0], [1.0, 0.0, -1.0]);
}

#[test]
fn a_negative_weight_moves_nothing_and_a_tiny_one_is_skipped() {
    for value in [-1.0, 0.0005] {
        assert_eq!(run(&Face::default(), &at(value)).vertices.flexed, [false; 4], "{value}");
    }
}

#[test]
fn a_slow_vertex_follows_the_frame_before() {
    let mut face = Face::default();
    face.meshes[0].flexes[0].anims[0].speed = 0;
    let mut options = at(1.0);
    assert_eq!(run(&face, &options).vertices.positions[0], [0.5, 0.0, 0.0], "a first frame has no delay");
    options.delay = Some(Delay { before: vec![0.0], seconds: 0.033 });
    let frame = run(&face, &options);
    assert!((frame.vertices.positions[0][0] - 0.1).abs() < 1e-6, "a fifth of the way");
    assert_eq!(frame.vertices.positions[1], [1.0, 0.25, 0.0], "a fast vertex is there at once");
}

/// A face whose flexdesc 0 is the upper lid of an eye with raiser, neutral and lowerer 1, 2, 3.
fn lidded(eye: Eyeball, weights: [f32; 3]) -> Face {
    Face {
        flexdescs: ["lid", "raiser", "neutral", "lowerer"].map(str::to_owned).to_vec(),
        rules: (1..4).map(|desc| (desc, vec![constant(weights[desc as usize - 1])])).collect(),
        eyeballs: vec![eye],
        ..Face::default()
    }
}

#[test]
fn a_lid_s_weight_is_its_height() {
    for (weights, height) in [([1.0, 0.0, 0.0], -0.5), ([0.0, 0.0, 1.0], 0.5), ([0.0, 1.0, 0.0], 0.0)] {
        let frame = run(&lidded(Eyeball::upper_only(), weights), &at(0.0));
        assert!((frame.weights[0] - height).abs() < 1e-6, "{weights:?}: {}", frame.weights[0]);
        assert_eq!(frame.rule_weights[0], 0.0);
    }
}

#[test]
fn a_lid_follows_the_gaze_upward() {
    let face = lidded(Eyeball::upper_only(), [0.0, 1.0, 0.0]);
    let options = Options { view_target: Some([10.0, 0.0, 10.0]), ..at(0.0) };
    assert!((run(&face, &options).weights[0] - 0.5f32.sqrt()).abs() < 1e-6);
    let sideways = Options { view_target: Some([10.0, 10.0, 0.0]), ..at(0.0) };
    assert!(run(&face, &sideways).weights[0].abs() < 1e-6);
}

#[test]
fn a_view_target_is_in_the_model_s_space_and_an_eye_in_its_bone_s() {
    // The bone sits at z = 5 in the model's space and is turned a quarter around x.
    let from_pose = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -5.0], [0.0, -1.0, 0.0, 0.0]];
    let eye = Eyeball { up: [0.0, 1.0, 0.0], ..Eyeball::upper_only() };
    let face = Face { bones: vec![Bone { from_pose, ..Bone::ROOT }], ..lidded(eye, [0.0, 1.0, 0.0]) };
    let ahead = Options { view_target: Some([10.0, 0.0, 5.0]), ..at(0.0) };
    assert!(run(&face, &ahead).weights[0].abs() < 1e-6);
    let up = Options { view_target: Some([10.0, 0.0, 15.0]), ..at(0.0) };
    assert!((run(&face, &up).weights[0] - 0.5f32.sqrt()).abs() < 1e-6);
}

#[test]
fn an_eye_that_is_not_facs_leaves_its_lids_alone() {
    let eye = Eyeball { non_facs: true, ..Eyeball::upper_only() };
    assert_eq!(run(&lidded(eye, [1.0, 0.0, 0.0]), &at(0.0)).weights[0], 0.0);
}

#[test]
fn delayed_vertices_of_a_lid_follow_its_rule_or_its_height() {
    let mut face = lidded(Eyeball::upper_only(), [0.0, 0.0, 1.0]);
    face.meshes[0].flexes[0].anims[0].speed = 0;
    let delay = Some(Delay { before: vec![0.0], seconds: 1.0 });
    let options = Options { delay, ..at(0.0) };
    assert_eq!(run(&face, &options).vertices.positions[0], [0.0; 3]);
    let options = Options { delayed_lids: DelayedLids::Current, ..options };
    assert!((run(&face, &options).vertices.positions[0][0] - 0.25).abs() < 1e-6);
}

#[test]
fn the_engine_s_limit_leaves_out_the_vertices_that_come_last() {
    let count = 10_002u16;
    let anims = (0..count).map(|index| Anim::of(index, [0.0, 1.0, 0.0])).collect();
    let vertices = (0..count).map(|x| [f32::from(x), 0.0, 0.0]).collect();
    let face = Face {
        meshes: vec![Mesh { vertices, flexes: vec![Flex::of(0, anims)], lod_count: None }],
        ..Face::default()
    };
    let all = run(&face, &at(1.0));
    assert_eq!((all.left_out, all.vertices.positions[10_001][1]), (0, 1.0));
    let limited = run(&face, &Options { engine_limit: true, ..at(1.0) });
    assert_eq!(limited.left_out, 2);
    assert_eq!(limited.vertices.positions[9_999][1], 1.0);
    assert_eq!(limited.vertices.positions[10_000][1], 0.0);
}

#[test]
fn bones_move_what_flexes_moved() {
    let skin = vec![[[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 3.0]]];
    let frame = run(&Face::default(), &Options { skin: Some(skin), ..at(1.0) });
    assert_eq!(frame.vertices.positions[0], [0.0, 0.5, 3.0]);
    assert_eq!(frame.vertices.positions[3], [0.0, 3.0, 3.0]);
}

#[test]
fn without_triangles_a_mesh_is_points() {
    let face = Face::default();
    let mesh = mesh(&face.mdl(), Some(&face.vvd()), &at(1.0)).unwrap();
    assert_eq!(mesh.positions[0], [0.5, 0.0, 0.0]);
    assert_eq!((mesh.parts.len(), mesh.parts[0].triangles.len()), (1, 0));
    assert!(skinsim::mdl::mesh(&face.mdl(), None, &at(1.0)).is_err());
}
