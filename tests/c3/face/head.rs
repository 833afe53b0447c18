//! Small heads with facial poses, laid out on the mirror or with their sources packed back to back.

use skinsim::c3::build::container;
use skinsim::c3::build::gpl::{DrawnPart, DrawnVertex, GplSource};
use skinsim::c3::build::skn::{DirectSource, Movers, Record, SknSource};
use skinsim::c3::format::act::{ActSource, BoneSource, Control};
use skinsim::c3::format::align32;
use skinsim::c3::format::block::SectionKind;
use skinsim::c3::format::facial::{AttributeSource, FacialSource, NORMALS, ObjectSource, POSITIONS};
use skinsim::c3::format::skn::Skn;

/// Bones of an entry, the line it is stored to, its vertices.
pub type Entry = (&'static [u16], u32, usize);

/// The neck of the second failure of the seed: a strip of twelve vertices between two bones, a line left
/// unused before the neighbour that comes first and one behind it.
pub const NECK: (&[Entry], std::ops::Range<u16>) = (
    &[(&[0], 0x00, 8), (&[1], 0x60, 7), (&[0, 1], 0xE0, 5), (&[0, 1], 0x120, 12), (&[0, 1], 0x1E0, 5)],
    24..36,
);

/// The first failure: one unused line among the SK1 entries, and a face behind it.
pub const FACE: (&[Entry], std::ops::Range<u16>) =
    (&[(&[0], 0x00, 8), (&[1], 0x60, 5), (&[0], 0xC0, 14), (&[0, 1], 0x180, 6)], 16..30);

/// Where a slot is bound.
pub fn bound(slot: u16) -> Record {
    let at = slot as i16;
    [1000 + 16 * at, 2000 + 32 * at, -3000 + 64 * at, 0, 0, 0x4000]
}

/// What the pose adds to a slot.
pub fn delta(slot: u16) -> [i16; 3] {
    [256, -128, 16 * slot as i16]
}

fn direct(&(bones, destination, count): &Entry) -> DirectSource {
    let first = destination.next_multiple_of(12);
    let movers = match *bones {
        [a, b] => Movers::Two([a, b], vec![[128; 2]; count]),
        _ => Movers::One(bones[0]),
    };
    let slot = (first / 12) as u16;
    let records = (slot..slot + count as u16).map(bound).collect();
    DirectSource { movers, destination, vertex_offset: (first - destination) as u8, records }
}

fn facial(moved: std::ops::Range<u16>) -> Vec<u8> {
    let vertices: Vec<u16> = moved.collect();
    let half = |slot: &u16, first: usize| std::array::from_fn(|at| bound(*slot)[first + at]);
    let attribute = |kind, first: usize, deltas: Vec<[i16; 3]>| AttributeSource {
        submesh: 0,
        kind,
        vertices: vertices.clone(),
        poses: vec![vertices.iter().map(|slot| half(slot, first)).collect(), deltas],
    };
    let positions = attribute(POSITIONS, 0, vertices.iter().map(|&slot| delta(slot)).collect());
    let normals = attribute(NORMALS, 3, vec![[0; 3]; vertices.len()]);
    let object = ObjectSource { attributes: vec![positions, normals] };
    FacialSource { objects: vec![object] }.to_bytes().unwrap()
}

/// A head as a block, its sources on the mirror or packed.
pub fn block((entries, moved): (&[Entry], std::ops::Range<u16>), packed: bool) -> Vec<u8> {
    let source = SknSource { shift: 8, direct: entries.iter().map(direct).collect(), ..SknSource::default() };
    let reserve = source.direct.iter().map(DirectSource::end).max().unwrap();
    let slots = (reserve / 12) as u16;
    let drawn: Vec<u16> = source
        .direct
        .iter()
        .flat_map(|entry| {
            let first = ((entry.destination + u32::from(entry.vertex_offset)) / 12) as u16;
            first..first + entry.records.len() as u16
        })
        .collect();
    let corner = |&slot: &u16| DrawnVertex { slot, colour: [255; 4], texture: [0; 2] };
    let corners = drawn.iter().chain(&drawn).take(drawn.len().next_multiple_of(3)).map(corner).collect();
    let gpl = GplSource {
        name: "head".to_owned(),
        shift: 8,
        positions: (0..slots).map(|slot| if drawn.contains(&slot) { bound(slot) } else { [0; 6] }).collect(),
        reserve,
        texture: None,
        parts: vec![DrawnPart { texture: None, vertices: corners }],
    };
    let act = ActSource {
        actor_id: 0,
        skin_object: 0,
        palette_name: None,
        bones: vec![
            BoneSource::new(0, None, Control::IDENTITY),
            BoneSource::new(1, Some(0), Control::IDENTITY),
        ],
        user_data: Vec::new(),
    };
    let mirrored = source.to_bytes().unwrap();
    let skn = if packed { pack(&mirrored) } else { mirrored };
    container::block(&[
        (SectionKind::Gpl, &gpl.to_bytes().unwrap()),
        (SectionKind::Act, &act.to_bytes().unwrap()),
        (SectionKind::Skn, &skn),
        (SectionKind::Facial, &facial(moved)),
    ])
    .unwrap()
}

/// Sources back to back, then the weights, every pointer correct: what a packer that does not know of the
/// mirror writes.
fn pack(mirrored: &[u8]) -> Vec<u8> {
    let mut skn = Skn::parse(mirrored).unwrap();
    let mut arrays: Vec<u8> = Vec::new();
    let start = skn.mirror_start();
    let mut put = |old: u32, size: u64| {
        let at = start + arrays.len() as u64;
        arrays.extend(&mirrored[old as usize..(u64::from(old) + align32(size)) as usize]);
        at as u32
    };
    for entry in &mut skn.sk1 {
        entry.source = put(entry.source, u64::from(entry.vertex_offset) + 12 * u64::from(entry.count));
    }
    for entry in &mut skn.sk2 {
        entry.source = put(entry.source, u64::from(entry.vertex_offset) + 12 * u64::from(entry.count));
    }
    for entry in &mut skn.sk2 {
        entry.weights = put(entry.weights, 2 * u64::from(entry.count));
    }
    let mut bytes = skn.to_bytes();
    bytes.truncate(start as usize);
    bytes.extend(arrays);
    bytes
}
