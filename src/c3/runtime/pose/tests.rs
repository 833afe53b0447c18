use super::*;
use crate::c3::format::act::{Act, ActSource, BoneSource};

/// A control with a translation and, where given, Euler angles.
fn control(translation: [f32; 3], euler: Option<[f32; 3]>) -> Control {
    let mut control = Control::IDENTITY;
    control.set_translation(translation);
    if let Some(euler) = euler {
        control.set_euler(euler);
    }
    control
}

fn skeleton(bones: Vec<BoneSource>) -> ActSource {
    ActSource { actor_id: 0, skin_object: 0, palette_name: None, bones, user_data: Vec::new() }
}

fn load(source: &ActSource, options: LoadOptions) -> Actor {
    let bytes = source.to_bytes().unwrap();
    Actor::new(Skeleton::load(&Act::parse(&bytes).unwrap(), &options).unwrap())
}

fn loaded(bones: Vec<BoneSource>) -> Actor {
    load(&skeleton(bones), LoadOptions::default())
}

fn close(a: &Matrix, b: &Matrix) {
    for (a, b) in a.0.iter().flatten().zip(b.0.iter().flatten()) {
        assert!((a - b).abs() < 1e-6, "{a} and {b}");
    }
}

#[test]
fn euler_angles_turn_about_x_first_and_counter_clockwise() {
    let built = control::build(&control([0.0; 3], Some([90.0, 90.0, 0.0])), Library::April2001);
    // y goes to z about x, then z goes to x about y.
    close(&built, &Matrix([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [-1.0, 0.0, 0.0, 0.0]]));
}

#[test]
fn scale_acts_before_the_rotation_and_never_on_the_translation() {
    let mut scaled = control([1.0, 2.0, 3.0], Some([0.0, 0.0, 90.0]));
    scaled.set_scale([2.0, 3.0, 4.0]);
    let built = control::build(&scaled, Library::April2001);
    close(&built, &Matrix([[0.0, -3.0, 0.0, 1.0], [2.0, 0.0, 0.0, 2.0], [0.0, 0.0, 4.0, 3.0]]));
}

#[test]
fn the_later_library_turns_the_axes_of_the_scale() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut turned = Control::IDENTITY;
    turned.set_scale([2.0, 1.0, 1.0]);
    turned.bits |= crate::c3::format::act::control::SCALE_AXES;
    // A quarter turn about z: what scales x now scales y.
    (turned.parameters[10], turned.parameters[11]) = (0.0, 0.0);
    turned.extension = Some([half, half]);
    close(&control::build(&turned, Library::April2001), &scale(2.0, 1.0));
    close(&control::build(&turned, Library::Superstar), &scale(1.0, 2.0));
}

fn scale(x: f32, y: f32) -> Matrix {
    Matrix([[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
}

#[test]
fn the_inverse_of_a_quaternion_turns_the_same_way_again() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut turned = Control::IDENTITY;
    turned.set_quaternion([0.0, 0.0, half, half]);
    close(&control::build_inverse(&turned), &control::build(&turned, Library::April2001));
    assert!(!control::inverse_is_right(&turned));
}

#[test]
fn the_inverse_of_euler_angles_takes_x_for_z() {
    let wrong = control([0.0; 3], Some([30.0, 0.0, 50.0]));
    let right = control([0.0; 3], Some([30.0, 0.0, 30.0]));
    for (control, inverts) in [(wrong, false), (right, true)] {
        let product = control::build_inverse(&control).concat(&control::build(&control, Library::April2001));
        let apart = product.0[0][1].abs() > 1e-3;
        assert_eq!((apart, control::inverse_is_right(&control)), (!inverts, inverts));
    }
}

#[test]
fn the_inverse_of_a_matrix_that_has_none_is_the_identity() {
    let mut flat = Control::IDENTITY;
    flat.set_matrix([[1.0, 0.0, 0.0, 5.0], [0.0; 4], [0.0, 0.0, 1.0, 0.0]]);
    assert_eq!(control::build_inverse(&flat), Matrix::IDENTITY);
}

#[test]
fn at_rest_mirrored_and_scaled_bones_skin_with_the_identity() {
    let mut mirrored = control([4.0, 0.0, 0.0], Some([10.0, 20.0, 30.0]));
    mirrored.set_scale([-1.0, 2.0, 0.5]);
    let actor = loaded(vec![
        BoneSource::new(0, None, control([1.0, 2.0, 3.0], Some([40.0, 0.0, 0.0]))),
        BoneSource::new(1, Some(0), mirrored),
        BoneSource::new(2, Some(1), mirrored),
    ]);
    for skin in &actor.build().skin {
        for (a, b) in skin.0.iter().flatten().zip(Matrix::IDENTITY.0.iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "{skin:?}");
        }
    }
}

#[test]
fn the_world_reaches_roots_and_bones_that_do_not_inherit() {
    let mut alone = BoneSource::new(2, Some(0), control([0.0, 1.0, 0.0], None));
    alone.inheritance = 0;
    let mut actor = loaded(vec![
        BoneSource::new(0, None, control([1.0, 0.0, 0.0], None)),
        BoneSource::new(1, Some(0), control([1.0, 0.0, 0.0], None)),
        alone,
    ]);
    actor.world = control([0.0, 0.0, 7.0], None);
    let translations: Vec<_> =
        actor.build().forward.iter().map(|matrix| matrix.0.map(|row| row[3])).collect();
    assert_eq!(translations, [[1.0, 0.0, 7.0], [2.0, 0.0, 7.0], [0.0, 1.0, 7.0]]);
}

#[test]
fn children_of_a_bone_that_does_not_inherit_are_bound_to_its_earlier_sibling() {
    let bone = |id, parent, x| BoneSource::new(id, parent, control([x, 0.0, 0.0], None));
    let mut alone = bone(2, Some(0), 100.0);
    alone.inheritance = 0;
    let actor = loaded(vec![bone(0, None, 1.0), bone(1, Some(0), 10.0), alone, bone(3, Some(2), 1000.0)]);
    // 1 + 10 from the sibling, 1000 of its own; the parent's 100 does not appear.
    assert_eq!(actor.skeleton.orientation_inverse[3].0[0][3], -1011.0);
    assert!(actor.skeleton.undefined.is_empty());
}

#[test]
fn without_an_earlier_sibling_they_hang_on_memory_never_written() {
    let bone = |id, parent| BoneSource::new(id, parent, control([1.0, 0.0, 0.0], None));
    let mut alone = bone(1, Some(0));
    alone.inheritance = 2;
    let actor = loaded(vec![bone(0, None), alone, bone(2, Some(1)), bone(3, Some(2)), bone(4, Some(0))]);
    assert_eq!(actor.skeleton.undefined, [2, 3]);
    assert_eq!(actor.skeleton.orientation_inverse[4].0[0][3], -2.0);
}

#[test]
fn without_a_skin_object_no_skin_matrices_are_built() {
    let mut source = skeleton(vec![BoneSource::new(0, None, control([1.0, 0.0, 0.0], None))]);
    source.skin_object = crate::c3::format::act::NO_OBJECT;
    let bare = load(&source, LoadOptions::default());
    assert!(bare.build().skin.is_empty());
    assert_eq!(bare.skeleton.orientation_inverse, [Matrix::IDENTITY]);
    let skinned = load(&source, LoadOptions { skin: Some(true), ..LoadOptions::default() });
    assert_eq!(skinned.build().skin, [Matrix::IDENTITY]);
}

#[test]
fn table_order_moves_the_matrices_and_not_what_they_are() {
    let bone = |id, parent, x| BoneSource::new(id, parent, control([x, 0.0, 0.0], None));
    // Records 0 1 2 3; the walk is 0 1 3 2.
    let source = skeleton(vec![
        bone(0, None, 1.0),
        bone(1, Some(0), 10.0),
        bone(2, Some(0), 100.0),
        bone(3, Some(1), 1000.0),
    ]);
    let x = |order| {
        let actor = load(&source, LoadOptions { order, ..LoadOptions::default() });
        let records: Vec<_> = actor.skeleton.bones.iter().map(|bone| bone.record).collect();
        (records, actor.build().forward.iter().map(|matrix| matrix.0[0][3]).collect::<Vec<_>>())
    };
    assert_eq!(x(Order::PreOrder), (vec![0, 1, 3, 2], vec![1.0, 11.0, 1011.0, 101.0]));
    assert_eq!(x(Order::Table), (vec![0, 1, 2, 3], vec![1.0, 11.0, 101.0, 1011.0]));
}

#[test]
fn a_version_the_library_refuses_is_refused() {
    let mut bytes = skeleton(vec![BoneSource::new(0, None, Control::IDENTITY)]).to_bytes().unwrap();
    bytes[3] = 0;
    let error = Skeleton::load(&Act::parse(&bytes).unwrap(), &LoadOptions::default()).unwrap_err();
    assert_eq!(error.want, "8092000 (0x007b7960)");
}
