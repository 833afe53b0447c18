//! The recorded face and compiled models.

use serde::Deserialize;
use skinsim::mdl::format::Mdl;
use skinsim::mdl::format::vvd::Vvd;
use skinsim::mdl::runtime::delta::DeltaForm;
use skinsim::mdl::runtime::face::Face;
use skinsim::mdl::runtime::frame::{self, Frame};
use skinsim::mdl::{Options, mesh};

pub fn case(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/cases/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[derive(Deserialize)]
struct Expected {
    controllers: Vec<f32>,
    rule_weights: Vec<f64>,
    with_lids: Vec<f64>,
    positions_fixed: Vec<[f64; 3]>,
    positions_half: Vec<[f64; 3]>,
    normals_fixed_unnormalised: Vec<[f64; 3]>,
    wrinkle: Vec<f64>,
}

/// The expectation was evaluated in 64 bits, the face in the engine's 32: within two of its last places.
fn assert_near<'a>(
    what: &str,
    have: impl IntoIterator<Item = &'a f32>,
    want: impl IntoIterator<Item = &'a f64>,
) {
    let (have, want): (Vec<_>, Vec<_>) = (have.into_iter().collect(), want.into_iter().collect());
    assert_eq!(have.len(), want.len(), "{what}");
    for (index, (&&have, &&want)) in std::iter::zip(&have, &want).enumerate() {
        let tolerance = 2.0 * f64::from(f32::EPSILON) * want.abs().max(1.0);
        assert!((f64::from(have) - want).abs() <= tolerance, "{what} {index}: have {have}, want {want}");
    }
}

fn run(controllers: &[f32], delta: DeltaForm) -> Frame {
    let (mdl, vvd) = (case("mdl_synth_flex/synth_flex.mdl"), case("mdl_synth_flex/synth_flex.vvd"));
    let mdl = Mdl::read(&mdl).unwrap();
    let options = Options { controllers: Some(controllers.to_vec()), delta, ..Options::default() };
    let face = Face::new(&mdl, Some(&Vvd::read(&vvd).unwrap()), &options).unwrap();
    frame::run(&face, &options)
}

#[test]
fn the_synthetic_face_is_as_expected_in_all_four_settings() {
    let expected: Vec<Expected> = serde_json::from_slice(&case("mdl_synth_flex/expected.json")).unwrap();
    assert_eq!(expected.len(), 4);
    for expected in expected {
        let fixed = run(&expected.controllers, DeltaForm::Fixed);
        let half = run(&expected.controllers, DeltaForm::Half);
        assert_near("rule weight", &fixed.rule_weights, &expected.rule_weights);
        assert_near("weight", &fixed.weights, &expected.with_lids);
        assert_near(
            "fixed",
            fixed.vertices.positions.as_flattened(),
            expected.positions_fixed.as_flattened(),
        );
        assert_near("half", half.vertices.positions.as_flattened(), expected.positions_half.as_flattened());
        let normals: Vec<_> = expected.normals_fixed_unnormalised.iter().map(unit).collect();
        assert_near("normal", fixed.vertices.normals.as_flattened(), normals.as_flattened());
        assert_near("wrinkle", &fixed.vertices.wrinkle, &expected.wrinkle);
    }
}

fn unit(vector: &[f64; 3]) -> [f64; 3] {
    let length = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    vector.map(|value| value / length)
}

const COMPILED: [(&str, usize, usize); 3] =
    [("animated_cubes", 48, 24), ("animated_monkey", 556, 968), ("table", 1136, 952)];

#[test]
fn compiled_models_without_flexes_say_so_and_stay_at_rest() {
    for (name, vertices, _) in COMPILED {
        let mdl = Mdl::read(&case(&format!("mdl_no_flexes/{name}.mdl"))).unwrap();
        assert!(mdl.has_no_flexes(), "{name}");
        let vvd = case(&format!("mdl_no_flexes/{name}.vvd"));
        let options = Options::default();
        let face = Face::new(&mdl, Some(&Vvd::read(&vvd).unwrap()), &options).unwrap();
        let frame = frame::run(&face, &options);
        assert_eq!(frame.vertices, face.rest, "{name}");
        assert_eq!(frame.vertices.positions.len(), vertices, "{name}");
        assert_eq!(frame.vertices.tangents.len(), vertices, "{name}");
    }
}

#[test]
fn triangles_of_compiled_models_face_outward_as_their_normals_do() {
    for (name, _, triangles) in COMPILED {
        let file = |ending: &str| case(&format!("mdl_no_flexes/{name}.{ending}"));
        let options = Options { vtx: Some(file("dx90.vtx")), ..Options::default() };
        let mesh = mesh(&file("mdl"), Some(&file("vvd")), &options).unwrap();
        let part = &mesh.parts[0];
        assert_eq!(part.triangles.len(), triangles, "{name}");
        let outward = part.triangles.iter().filter(|triangle| {
            let [a, b, c] = triangle.map(|at| mesh.positions[at as usize]);
            let edge = |p: [f32; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
            let (u, v) = (edge(b), edge(c));
            let face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let normal = mesh.normals[triangle[0] as usize];
            face[0] * normal[0] + face[1] * normal[1] + face[2] * normal[2] >= 0.0
        });
        // A few triangles in folds lean away from their smoothed normals.
        assert!(outward.count() * 100 >= triangles * 98, "{name}");
    }
}
