//! Makes the five broken foxes of `examples/broken` from `examples/fox.block`, each breaking one
//! hidden rule of the skinning path. Run it from the project's root:
//!
//! ```text
//! cargo run --example broken_foxes [OUTPUT_FOLDER]
//! ```

use std::path::{Path, PathBuf};

use skinsim::c3::format::block::{Block, SectionKind};
use skinsim::c3::format::skn::{STRIDE, Skn};

/// A fault planted in the skinning section; what it gives is put behind the section.
type Plant = fn(&mut Skn, &Target) -> Vec<u8>;

/// Facts about the rest of the block that a plant needs.
struct Target {
    /// Offset of the position array in the block.
    positions: u32,
    /// Bytes of the whole block.
    block: Vec<u8>,
}

/// Name of a file, what is wrong with it, and how it is made.
const VARIANTS: [(&str, Plant); 5] = [
    ("one-vertex", one_vertex),
    ("sk2-over-buffer", sk2_over_buffer),
    ("shared-line", shared_line),
    ("write-back", write_back),
    ("wrong-flush", wrong_flush),
];

/// An even SK1 entry with vertex offset 4 is left with one vertex: the loop counter starts at 0.
fn one_vertex(skn: &mut Skn, _: &Target) -> Vec<u8> {
    skn.sk1[2].count = 1;
    Vec::new()
}

/// An SK2 entry claims 360 vertices: 4,328 bytes for a buffer of 4,096.
fn sk2_over_buffer(skn: &mut Skn, _: &Target) -> Vec<u8> {
    skn.sk2[6].count = 360;
    Vec::new()
}

/// An SK1 entry is moved, with its source, to the line on which its predecessor ends.
fn shared_line(skn: &mut Skn, _: &Target) -> Vec<u8> {
    skn.sk1[5].destination -= 0x20;
    skn.sk1[5].source -= 0x20;
    Vec::new()
}

/// Every flush index names vertex 0, which no SKAcc entry touches.
fn wrong_flush(skn: &mut Skn, _: &Target) -> Vec<u8> {
    skn.flush.fill(0);
    Vec::new()
}

/// Offset in the block of the pointer that the planted write-back makes 0: the primitive list of the
/// second display state.
const PRIMITIVE_POINTER: u32 = 0x4850;

/// The last SK2 entry gets more vertices, of weight 0, until its last line holds the second display
/// state: its list pointer becomes 0, its list size keeps its value.
fn write_back(skn: &mut Skn, target: &Target) -> Vec<u8> {
    let base = skn.view().len() as u32;
    let Some(&entry) = skn.sk2.last() else { return Vec::new() };
    let first = target.positions + entry.destination;
    let end = PRIMITIVE_POINTER + 4;
    let count = (end - first - u32::from(entry.vertex_offset)) / STRIDE as u32;

    // The old source, then zeros, then (copied back as it is) what lies behind the pointer.
    let old = u64::from(entry.vertex_offset) + u64::from(entry.count) * STRIDE;
    let mut added = skn.held(entry.source, old).to_vec();
    added.resize((end - first) as usize, 0);
    added.extend_from_slice(&target.block[end as usize..(end as usize).next_multiple_of(32)]);
    added.resize(added.len().next_multiple_of(32), 0);
    let weights = added.len() as u32;
    added.extend_from_slice(skn.held(entry.weights, 2 * u64::from(entry.count)));
    added.resize(weights as usize + 2 * count as usize, 0);
    added.resize(added.len().next_multiple_of(32), 0);

    if let Some(entry) = skn.sk2.last_mut() {
        (entry.source, entry.weights, entry.count) = (base, base + weights, count as u16);
    }
    added
}

/// The block with a fault planted in it.
fn broken(fox: &[u8], plant: Plant) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let block = Block::parse(fox)?;
    let section = block.section(SectionKind::Skn).ok_or("the fox has no SKN")?;
    let gpl = block.section(SectionKind::Gpl).ok_or("the fox has no GPL")?;
    let geometry = skinsim::c3::format::gpl::Gpl::parse_view(gpl.view)?;
    let (.., positions) = geometry.skinned().ok_or("the fox has no skinned layout")?;
    let positions = gpl.offset + positions.array_offset().ok_or("no position array")? as u32;

    let mut skn = Skn::parse_view(section.view)?;
    let behind = plant(&mut skn, &Target { positions, block: fox.to_vec() });
    let mut bytes = fox[..section.offset as usize].to_vec();
    bytes.extend_from_slice(&skn.to_bytes());
    bytes.extend_from_slice(&behind);
    Ok(bytes)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let folder = std::env::args_os().nth(1).map_or_else(|| examples.join("broken"), PathBuf::from);
    let fox = std::fs::read(examples.join("fox.block"))?;
    for (name, plant) in VARIANTS {
        std::fs::write(folder.join(format!("{name}.block")), broken(&fox, plant)?)?;
    }
    Ok(())
}
