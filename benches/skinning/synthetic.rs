//! A character of the size of a large one in the game, made up: 60 bones in chains, 2,800 vertices with
//! one, two or three bones each.

use skinsim::affine::Trs;
use skinsim::c3::build::character::{Bone, Character, Origin, Part, Rest, Vertex};
use skinsim::c3::build::error::Notes;
use skinsim::c3::build::{BuildOptions, build};
use skinsim::c3::runtime::load::SkinMatrix;

const BONES: u16 = 60;
const VERTICES: u32 = 2_790;

/// The bytes of a model block; `seed` varies the positions.
pub fn block(seed: u32) -> Vec<u8> {
    let vertices: Vec<Vertex> = (0..VERTICES).map(|number| vertex(number, seed)).collect();
    let triangles = (0..VERTICES - 2).map(|first| [first, first + 1, first + 2]).collect();
    let character = Character {
        name: "synthetic".into(),
        bones: (0..BONES).map(bone).collect(),
        vertices,
        parts: vec![Part { material: "skin".into(), triangles }],
        morphs: Vec::new(),
        animations: Vec::new(),
        copyright: None,
    };
    build(&character, &BuildOptions::default(), Notes::default()).expect("the character can be built").block
}

fn bone(number: u16) -> Bone {
    let local = Rest::Components(Trs {
        translation: [0.3, 1.0, -0.1],
        rotation: [0.0, 0.0, 0.0, 1.0],
        scale: [1.0; 3],
    });
    Bone { name: format!("bone{number}"), parent: number.checked_sub(1), local }
}

/// Neighbours share bones: runs of 46 vertices, of which two in three have one bone, most others two.
fn vertex(number: u32, seed: u32) -> Vertex {
    let spread = |salt: u32| {
        let mixed = (number ^ seed.wrapping_mul(977)).wrapping_add(salt).wrapping_mul(2_654_435_761);
        f64::from(mixed >> 8) / f64::from(1 << 24)
    };
    let first = (number / 46 % u32::from(BONES)) as u16;
    let next = |step: u16| (first + step) % BONES;
    let influences = match number % 46 {
        0..30 => vec![(first, 1.0)],
        30..41 => vec![(first, 0.25 + spread(7) / 2.0), (next(1), 0.25)],
        _ => vec![(first, 0.5), (next(1), 0.25 + spread(9) / 8.0), (next(2), 0.125)],
    };
    Vertex {
        position: [spread(1) * 40.0, spread(2) * 80.0, spread(3) * 30.0],
        normal: [0.6, 0.0, 0.8],
        colour: [255; 4],
        texture: None,
        influences,
        origin: Origin { part: "synthetic".into(), vertex: number },
    }
}

/// A pose in which every bone is turned and moved.
pub fn pose() -> Vec<SkinMatrix> {
    (0..BONES)
        .map(|bone| {
            let (sin, cos) = (0.05 * f32::from(bone) + 0.1).sin_cos();
            [[cos, -sin, 0.0, 0.5], [sin, cos, 0.0, -0.25 * f32::from(bone)], [0.0, 0.0, 1.0, 1.5]]
        })
        .collect()
}
