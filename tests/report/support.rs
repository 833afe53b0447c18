//! Pages of samples, and reading what they pack.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use skinsim::c3::dry_run::poses;
use skinsim::c3::model::Model;
use skinsim::c3::poses::{FramePose, Poses};
use skinsim::c3::runtime::load::LoadPlan;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::report::page::c3::{Source, page};
use skinsim::report::page::{PageModel, c3};

const ADDRESS: u32 = 0x80A0_0000;

/// What a page of a block is made from: at rest and in `frames` frames with every bone moved.
pub fn source<'m, 'a>(model: &'m Model<'a>, frames: u32) -> Source<'m, 'a> {
    let rest = FramePose { skin: poses::rest(model), rigid: Vec::new() };
    let moved = FramePose { skin: poses::varied(model, &rest.skin), rigid: Vec::new() };
    c3::Source {
        name: "a.block".to_owned(),
        files: Vec::new(),
        model,
        plan: LoadPlan::at(model, ADDRESS),
        options: RunOptions::default(),
        address: ADDRESS,
        rest,
        posed: Poses::still("moved", moved, frames),
    }
}

pub fn page_of(bytes: &[u8]) -> PageModel {
    page(source(&Model::from_block(bytes).unwrap(), 1)).unwrap()
}

pub fn example(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/examples/{name}.block", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

pub fn unpacked(text: &str) -> Vec<u8> {
    STANDARD.decode(text).unwrap()
}

pub fn u16s(text: &str) -> Vec<u16> {
    unpacked(text).chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

pub fn f32s(text: &str) -> Vec<f32> {
    unpacked(text)
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}
