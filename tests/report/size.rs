//! How large a page gets.

use skinsim::c3::build::character::{Bone, Character, Origin, Part, Vertex};
use skinsim::c3::build::error::Notes;
use skinsim::c3::build::{BuildOptions, build};
use skinsim::c3::model::Model;
use skinsim::report::page::{Page, c3};

use crate::support::source;

const VERTICES: u32 = 3000;
const AROUND: u32 = 30;

/// A tube of 3,000 vertices along 40 bones, each vertex moved by one to three of them.
fn tube() -> Vec<u8> {
    let local = || skinsim::affine::Affine::IDENTITY.into();
    let bones = (0..40_u16)
        .map(|bone| Bone { name: format!("b{bone}"), parent: bone.checked_sub(1), local: local() })
        .collect();
    let vertex = |number: u32| {
        let (ring, side) = (f64::from(number / AROUND), f64::from(number % AROUND));
        let (sine, cosine) = (side / f64::from(AROUND) * std::f64::consts::TAU).sin_cos();
        let bone = (number / AROUND * 37 / 100) as u16;
        let influences = match number % 3 {
            0 => vec![(bone, 1.0)],
            1 => vec![(bone, 0.6), (bone + 1, 0.4)],
            _ => vec![(bone, 0.5), (bone + 1, 0.3), (bone + 2, 0.2)],
        };
        Vertex {
            position: [5.0 * cosine, ring, 5.0 * sine],
            normal: [cosine, 0.0, sine],
            colour: [255; 4],
            texture: None,
            influences,
            origin: Origin { part: "tube".into(), vertex: number },
        }
    };
    let rings = VERTICES / AROUND;
    let triangles = (0..(rings - 1) * AROUND).flat_map(|at| {
        let next = at / AROUND * AROUND + (at + 1) % AROUND;
        [[at, at + AROUND, next], [next, at + AROUND, next + AROUND]]
    });
    let character = Character {
        name: "tube".to_owned(),
        bones,
        vertices: (0..VERTICES).map(vertex).collect(),
        parts: vec![Part { material: "skin".to_owned(), triangles: triangles.collect() }],
        ..Character::default()
    };
    build(&character, &BuildOptions::default(), Notes::default()).unwrap().block
}

#[test]
fn a_page_of_3000_vertices_and_500_frames_stays_under_2_megabytes() {
    let block = tube();
    let model = Model::from_block(&block).unwrap();
    let page = c3::page(source(&model, 500)).unwrap();
    let geometry = page.geometry.as_ref().unwrap();
    assert!(geometry.vertex_count >= 3000);
    assert_eq!(geometry.frames_run, Some(500));
    assert!(geometry.frames.len() > 15, "{} frames", geometry.frames.len());
    let one = Page::new(vec![page]).html().len();
    assert!(one < 2_000_000, "{one} bytes");
}
