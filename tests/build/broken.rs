//! The recorded fox, broken in known ways.

use std::path::Path;

use serde_json::Value;
use skinsim::c3::format::block::{Block, SectionKind};
use skinsim::c3::format::gpl::Gpl;
use skinsim::c3::format::skn::Skn;
use skinsim::c3::runtime::load::SkinMatrix;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn fox() -> Vec<u8> {
    std::fs::read(root().join("examples/fox.block")).unwrap()
}

pub fn example(name: &str) -> Vec<u8> {
    std::fs::read(root().join("examples/broken").join(name)).unwrap()
}

/// The recorded walking pose.
pub fn walk() -> Vec<SkinMatrix> {
    let json: Value =
        serde_json::from_slice(&std::fs::read(root().join("tests/cases/fox/walk-0.35.json")).unwrap())
            .unwrap();
    let bits = |cell: &Value| f32::from_bits(u32::from_str_radix(cell.as_str().unwrap(), 16).unwrap());
    let rows = |bone: &Value| std::array::from_fn(|r| std::array::from_fn(|c| bits(&bone[r][c])));
    json["skin_matrices"].as_array().unwrap().iter().map(rows).collect()
}

/// Changes the skinning section of a block, whose size stays.
pub fn with_skn(block: &[u8], change: impl FnOnce(&mut Skn, &mut Vec<u8>)) -> Vec<u8> {
    let parsed = Block::parse(block).unwrap();
    let section = parsed.section(SectionKind::Skn).unwrap();
    let mut skn = Skn::parse_view(section.view).unwrap();
    let mut behind = Vec::new();
    change(&mut skn, &mut behind);
    let mut bytes = block[..section.offset as usize].to_vec();
    bytes.extend(skn.to_bytes());
    bytes.extend(behind);
    bytes
}

pub fn skn_bytes(block: &[u8]) -> Vec<u8> {
    let parsed = Block::parse(block).unwrap();
    parsed.section(SectionKind::Skn).unwrap().view.bytes().to_vec()
}

/// Offset in the block of the header of the skinned position array.
pub fn position_header(block: &[u8]) -> usize {
    let parsed = Block::parse(block).unwrap();
    let section = parsed.section(SectionKind::Gpl).unwrap();
    let gpl = Gpl::parse_view(section.view).unwrap();
    section.offset as usize + gpl.skinned().unwrap().2.offset as usize
}

/// A named way to break a block.
pub type Break = (&'static str, fn(&[u8]) -> Vec<u8>);

pub const BREAKS: [Break; 17] = [
    ("count-1", |b| with_skn(b, |skn, _| skn.sk1[2].count = 1)),
    ("count-2", |b| with_skn(b, |skn, _| skn.sk1[11].count = 2)),
    ("count-0", |b| with_skn(b, |skn, _| skn.sk2[4].count = 0)),
    ("sk2-count-1", |b| with_skn(b, |skn, _| skn.sk2[9].count = 1)),
    ("too-many", |b| with_skn(b, |skn, _| skn.sk2[6].count = 360)),
    ("shared-line", |b| {
        with_skn(b, |skn, _| {
            skn.sk1[5].destination -= 0x20;
            skn.sk1[5].source -= 0x20;
        })
    }),
    ("packed-source", |b| {
        with_skn(b, |skn, behind| {
            let base = skn.view().len() as u32;
            for index in 0..3 {
                let size = u64::from(skn.sk1[index].vertex_offset) + 12 * u64::from(skn.sk1[index].count);
                let source = skn.held(skn.sk1[index].source, size).to_vec();
                skn.sk1[index].source = base + behind.len() as u32;
                behind.extend(source);
                behind.resize(behind.len().next_multiple_of(32), 0);
            }
        })
    }),
    ("unaligned-weights", |b| {
        with_skn(b, |skn, behind| {
            let weights = skn.held(skn.sk2[3].weights, 2 * u64::from(skn.sk2[3].count)).to_vec();
            behind.extend([0; 6]);
            skn.sk2[3].weights = skn.view().len() as u32 + 6;
            behind.extend(weights);
            behind.resize(behind.len().next_multiple_of(32), 0);
        })
    }),
    ("no-flush", |b| {
        with_skn(b, |skn, _| {
            skn.header.flush_count = 0;
            skn.flush.clear();
        })
    }),
    ("clear-hits-direct", |b| {
        with_skn(b, |skn, _| (skn.header.clear_start, skn.header.clear_size) = (0x40, 0x60))
    }),
    ("unsorted", |b| {
        with_skn(b, |skn, _| {
            let (one, two) = (skn.sk1[3].offset, skn.sk1[8].offset);
            skn.sk1.swap(3, 8);
            (skn.sk1[3].offset, skn.sk1[8].offset) = (one, two);
        })
    }),
    ("accumulate-base", |b| {
        with_skn(b, |skn, behind| {
            let entry = skn.skacc[1];
            let indices: Vec<u8> =
                skn.indices(&entry).flat_map(|index| (index - 800).to_be_bytes()).collect();
            skn.skacc[1].indices = skn.view().len() as u32;
            skn.skacc[1].destination = 800 * 12;
            behind.extend(indices);
            behind.resize(behind.len().next_multiple_of(32), 0);
        })
    }),
    ("offset-5", |b| with_skn(b, |skn, _| skn.sk2[10].vertex_offset = 5)),
    ("offset-16", |b| {
        with_skn(b, |skn, _| {
            skn.sk1[0].destination = 0u32.wrapping_sub(0);
            skn.sk1[6].vertex_offset += 12;
            skn.sk1[6].count -= 1;
        })
    }),
    ("few-positions", |b| {
        let mut block = b.to_vec();
        let at = position_header(b) + 4;
        block[at..at + 2].copy_from_slice(&1464u16.to_be_bytes());
        block
    }),
    ("shift", |b| with_skn(b, |skn, _| skn.header.shift = 0)),
    ("dirty", |b| {
        with_skn(b, |skn, _| {
            skn.header.padding = 1;
            skn.sk1[0].padding = [1, 2, 3];
        })
    }),
];
