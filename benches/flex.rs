//! How long a frame of a large face takes: 1,000 rules and 10,000 flexed vertices.
//!
//! `cargo bench --bench flex`

use std::time::Instant;

use skinsim::mdl::Options;
use skinsim::mdl::format::Mdl;
use skinsim::mdl::format::vvd::Vvd;
use skinsim::mdl::runtime::face::Face as Prepared;
use skinsim::mdl::runtime::frame;

#[path = "../tests/mdl/builder.rs"]
#[allow(dead_code, missing_docs)]
mod builder;

use builder::{Anim, Face, Flex, Mesh, constant};

const RULES: i32 = 1_000;
const VERTICES: u16 = 10_000;
const FRAMES: u32 = 2_000;

fn main() {
    let face = face();
    let (mdl, vvd) = (face.mdl(), face.vvd());
    let mdl = Mdl::read(&mdl).expect("the face was just written");
    let options = Options { controllers: Some(vec![0.5; 4]), ..Options::default() };
    let vvd = Vvd::read(&vvd).expect("the face was just written");
    let prepared = Prepared::new(&mdl, Some(&vvd), &options).expect("the files belong together");
    let flexed = frame::run(&prepared, &options).vertices.flexed.iter().filter(|&&flexed| flexed).count();
    let start = Instant::now();
    let mut sum = 0.0;
    for _ in 0..FRAMES {
        sum += frame::run(&prepared, &options).vertices.positions[0][0];
    }
    let each = start.elapsed() / FRAMES;
    println!("{RULES} rules, {flexed} flexed vertices: {each:?} a frame (checksum {sum})");
}

/// Each rule combines two controllers; each vertex is moved by one of ten flexes.
fn face() -> Face {
    let rule = |desc: i32| {
        let (one, other) = (desc as u32 % 4, (desc as u32 + 1) % 4);
        (
            desc,
            vec![(2, one), (16, other), (18, 2), constant(0.5), (4, 0), (3, 0), (13, 0), (15, one), (4, 0)],
        )
    };
    let flex = |desc: u16| {
        let anims = (0..VERTICES).filter(|index| index % 10 == desc);
        Flex::of(i32::from(desc) + 1, anims.map(|index| Anim::of(index, [0.5, 0.25, -0.5])).collect())
    };
    let vertices = (0..VERTICES).map(|x| [f32::from(x), 0.0, 0.0]).collect();
    Face {
        controllers: vec![("a", 0.0, 1.0), ("b", 0.0, 1.0), ("c", -1.0, 1.0), ("d", 0.0, 1.0)],
        flexdescs: (0..RULES).map(|desc| format!("d{desc}")).collect(),
        rules: (0..RULES).map(rule).collect(),
        meshes: vec![Mesh { vertices, flexes: (0..10).map(flex).collect(), lod_count: None }],
        ..Face::default()
    }
}
