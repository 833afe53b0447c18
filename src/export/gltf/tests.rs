use super::*;
use crate::affine::{Affine, Trs};
use crate::mesh::MeshPart;
use crate::rigged::{Bone, Rigged, Shape};

fn quad(z: f32) -> Mesh {
    Mesh {
        name: "quad".to_owned(),
        positions: vec![[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [0.0, 1.0, z]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        parts: vec![MeshPart {
            name: "part".to_owned(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            material: "paint".to_owned(),
            // The corner at vertex 2 differs between the triangles.
            texture_coordinates: vec![
                [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
                [[0.0, 0.0], [0.5, 0.5], [0.0, 1.0]],
            ],
        }],
        axes: Axes::YUp,
    }
}

type Loaded = (::gltf::Document, Vec<u8>);

fn load(glb: &[u8]) -> Loaded {
    // Reading validates: ranges, required properties, indices.
    let file = ::gltf::Gltf::from_slice(glb).unwrap();
    let blob = file.blob.clone().unwrap();
    (file.document, blob)
}

fn positions_of(loaded: &Loaded) -> Vec<[f32; 3]> {
    let primitive = loaded.0.meshes().next().unwrap().primitives().next().unwrap();
    primitive.reader(|_| Some(&loaded.1)).read_positions().unwrap().collect()
}

#[test]
fn vertices_keep_their_numbers_and_split_corners_come_behind() {
    let loaded = load(&frames(&[quad(2.0)]).unwrap());
    let positions = positions_of(&loaded);
    assert_eq!(positions[..4], quad(2.0).positions);
    assert_eq!(positions[4..], [[1.0, 1.0, 2.0]]);
    let primitive = loaded.0.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&loaded.1));
    let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    assert_eq!(indices, [0, 1, 2, 0, 4, 3]);
    let textures: Vec<[f32; 2]> = reader.read_tex_coords(0).unwrap().into_f32().collect();
    assert_eq!((textures[2], textures[4]), ([1.0, 1.0], [0.5, 0.5]));
    assert_eq!(primitive.material().name(), Some("paint"));
}

#[test]
fn other_frames_are_morph_targets_and_an_animation_goes_through_them() {
    let loaded = load(&frames(&[quad(0.0), quad(1.0), quad(3.0)]).unwrap());
    let primitive = loaded.0.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&loaded.1));
    let moved: Vec<f32> =
        reader.read_morph_targets().map(|(positions, ..)| positions.unwrap().next().unwrap()[2]).collect();
    assert_eq!(moved, [1.0, 3.0]);
    let animation = loaded.0.animations().next().unwrap();
    let channel = animation.channels().next().unwrap();
    let reader = channel.reader(|_| Some(&loaded.1));
    let ::gltf::animation::util::ReadOutputs::MorphTargetWeights(weights) = reader.read_outputs().unwrap()
    else {
        panic!("want weights");
    };
    assert_eq!(weights.into_f32().collect::<Vec<_>>(), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(reader.read_inputs().unwrap().last(), Some(2.0 * FRAME_SECONDS));
}

#[test]
fn frames_of_other_meshes_and_no_frames_are_refused() {
    let mut other = quad(0.0);
    other.positions.pop();
    let differs = ExportError::FrameDiffers { frame: 1, want: 4, have: 3 };
    assert_eq!(frames(&[quad(0.0), other]).unwrap_err(), differs);
    assert_eq!(frames(&[]).unwrap_err(), ExportError::Empty);
    assert_eq!(frames(&[Mesh::default()]).unwrap_err(), ExportError::Empty);
}

#[test]
fn points_and_numbers_that_are_none_are_still_a_document() {
    let mesh = Mesh { positions: vec![[f32::NAN, f32::INFINITY, 1.0]; 2], ..Mesh::default() };
    let loaded = load(&frames(&[mesh]).unwrap());
    assert_eq!(positions_of(&loaded), [[0.0, 0.0, 1.0]; 2]);
    let primitive = loaded.0.meshes().next().unwrap().primitives().next().unwrap();
    assert_eq!(primitive.mode(), ::gltf::mesh::Mode::Points);
}

fn two_bones() -> Rigged {
    let at = |x: f64| Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY };
    let bone = |name: &str, parent, x: f64, whole: f64| Bone {
        name: name.to_owned(),
        parent,
        local: at(x).affine(),
        inverse_bind: at(-whole).affine(),
    };
    Rigged {
        mesh: quad(0.0),
        bones: vec![bone("hip", None, 1.0, 1.0), bone("knee", Some(0), 2.0, 3.0)],
        influences: vec![vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(9, 1.0)], Vec::new()],
        shapes: vec![Shape { name: "smile".to_owned(), deltas: vec![(3, [0.0, 0.0, 0.5], [0.0; 3])] }],
        animations: vec![crate::rigged::Animation {
            name: "walk".to_owned(),
            frame_seconds: 0.5,
            frames: vec![vec![at(1.0), at(2.0)], vec![at(1.0), at(2.5)]],
        }],
        unnormalized: 0,
    }
}

#[test]
fn bones_weights_shapes_and_animations_arrive() {
    let loaded = load(&rigged(&two_bones()).unwrap());
    let skin = loaded.0.skins().next().unwrap();
    let names: Vec<_> = skin.joints().map(|joint| joint.name().unwrap().to_owned()).collect();
    assert_eq!(names, ["hip", "knee", "model"]);
    let inverse: Vec<_> = skin.reader(|_| Some(&loaded.1)).read_inverse_bind_matrices().unwrap().collect();
    assert_eq!(inverse[1][3], [-3.0, 0.0, 0.0, 1.0]);
    let primitive = loaded.0.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&loaded.1));
    let joints: Vec<[u16; 4]> = reader.read_joints(0).unwrap().into_u16().collect();
    let weights: Vec<[f32; 4]> = reader.read_weights(0).unwrap().into_f32().collect();
    assert_eq!((joints[1], weights[1]), ([0, 1, 0, 0], [0.5, 0.5, 0.0, 0.0]));
    // A bone that does not exist, and none at all: the root holds the vertex where it is.
    assert_eq!((joints[2][0], joints[3][0], weights[3][0]), (2, 2, 1.0));
    let animation = loaded.0.animations().next().unwrap();
    let moved: Vec<_> =
        animation.channels().map(|channel| channel.target().node().name().unwrap().to_owned()).collect();
    assert_eq!(moved, ["knee"], "the hip stays where it is bound");
    let extras = loaded.0.meshes().next().unwrap().extras().clone().unwrap();
    assert_eq!(extras.get(), r#"{"targetNames":["smile"]}"#);
}

#[test]
fn no_node_has_a_matrix_whatever_the_bone() {
    let mut shear = Affine::IDENTITY;
    shear.0[0][1] = 0.5;
    let mut huge = Affine::IDENTITY;
    (huge.0[0][3], huge.0[1][1]) = (1e300, -1e200);
    let all =
        [shear, huge, Affine([[0.0; 4]; 3]), Affine([[f64::NAN; 4]; 3]), Affine([[f64::INFINITY; 4]; 3])];
    for local in all {
        for animated in [true, false] {
            let mut model = two_bones();
            (model.bones[0].local, model.bones[0].inverse_bind) = (local, local);
            if !animated {
                model.animations.clear();
            }
            let loaded = load(&rigged(&model).unwrap());
            let ::gltf::scene::Transform::Decomposed { translation, rotation, scale } =
                loaded.0.nodes().next().unwrap().transform()
            else {
                panic!("want no matrix for {local:?}");
            };
            assert!(translation.iter().chain(&scale).all(|part| part.is_finite()), "{local:?}");
            let length: f32 = rotation.iter().map(|part| part * part).sum();
            assert!((length - 1.0).abs() < 1e-5, "{local:?}: {rotation:?}");
        }
    }
}
