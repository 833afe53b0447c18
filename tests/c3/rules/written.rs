//! Models written for a test: entries one after the other, as known-good tools and vanilla files lay them
//! out, with whatever gaps, supplements and accumulated slots are asked for.

use skinsim::c3::build::container;
use skinsim::c3::build::facial::{SlotDeltas, section};
use skinsim::c3::build::gpl::{DrawnPart, DrawnVertex, GplSource, TextureSource};
use skinsim::c3::build::layout::split_supplements;
use skinsim::c3::build::skn::{AccumulateSource, DirectSource, Movers, Record, SknSource, Supplement};
use skinsim::c3::format::act::{ActSource, BoneSource, Control};
use skinsim::c3::format::block::SectionKind;

/// An SK1 or SK2 entry.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The second bone, for SK2 entries.
    pub pair: Option<u16>,
    /// The first one.
    pub bone: u16,
    /// Vertices.
    pub count: u16,
    /// Lines left free before it.
    pub gap: u16,
    /// Every how many vertices a third bone adds its part (SK2); 0 for never.
    pub supplemented: u16,
    /// Whether its vertices are all the same.
    pub same: bool,
}

/// The clear range of a model with slots that only `SKAcc` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clear {
    /// As vanilla files compute it.
    Usual,
    /// One line longer.
    ExtraLine,
    /// None.
    Missing,
}

/// What a model is to have.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)] // Independent of each other.
pub struct Plan {
    /// SK1 and SK2 entries in the order of their slots.
    pub runs: Vec<Run>,
    /// Slots that only `SKAcc` entries write, behind all others.
    pub accumulated: u16,
    /// Whether every third of them is left out: neither written nor drawn.
    pub holes: bool,
    /// Whether those slots are drawn all the same.
    pub holes_drawn: bool,
    /// Its clear range.
    pub clear: Clear,
    /// Whether the flush list names a vertex that begins in each line.
    pub whole_flush: bool,
    /// Bones.
    pub bones: u16,
    /// Whether slots behind the last drawn one are left to the space behind the stored array.
    pub scratch: bool,
    /// Whether facial poses move the first vertex of every entry.
    pub face: bool,
    /// Name of the texture palette, if textures are drawn.
    pub palette: Option<&'static str>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            accumulated: 0,
            holes: false,
            holes_drawn: false,
            clear: Clear::Usual,
            whole_flush: true,
            bones: 4,
            scratch: false,
            face: false,
            palette: None,
        }
    }
}

/// A written model.
#[derive(Debug, Clone)]
pub struct Written {
    /// Its sources, to be changed before they are written.
    pub skn: SknSource,
    /// Its geometry.
    pub gpl: GplSource,
    bones: u16,
    facial: Option<Vec<u8>>,
}

/// A vertex that is like no other near it.
fn record(slot: u64) -> Record {
    let hash = (slot as u32).wrapping_mul(0x9E37_79B9);
    let part = |shift: u32| ((hash >> shift) & 0xFFF) as i16 - 0x800;
    [part(0), part(7), part(14), part(20) / 8, part(3) / 8, part(11) / 8]
}

fn direct(run: &Run, line: u64, slot: u64) -> DirectSource {
    let of = |vertex: u16| record(slot + if run.same { 0 } else { u64::from(vertex) });
    let weights = |vertex: u16| {
        let first = ((u32::from(vertex) * 37 + 5) % 200 + 1) as u8;
        [first, second_weight(run, vertex, first)]
    };
    DirectSource {
        movers: match run.pair {
            None => Movers::One(run.bone),
            Some(pair) => Movers::Two([run.bone, pair], (0..run.count).map(weights).collect()),
        },
        destination: line as u32,
        vertex_offset: (slot * 12 - line) as u8,
        records: (0..run.count).map(of).collect(),
    }
}

/// The weight that a third bone adds to supplemented vertices.
const THIRD: u8 = 40;

fn second_weight(run: &Run, vertex: u16, first: u8) -> u8 {
    let third = if is_supplemented(run, vertex) { u16::from(THIRD) } else { 0 };
    (256 - third - u16::from(first)).min(255) as u8
}

fn is_supplemented(run: &Run, vertex: u16) -> bool {
    run.pair.is_some() && run.supplemented != 0 && vertex.is_multiple_of(run.supplemented)
}

impl Plan {
    /// Lays the model out.
    pub fn write(&self) -> Written {
        let (mut at, mut entries, mut drawn) = (0, Vec::new(), Vec::new());
        let mut thirds = Vec::new();
        for run in &self.runs {
            let line = u64::next_multiple_of(at, 32) + 32 * u64::from(run.gap);
            let slot = line.div_ceil(12);
            entries.push(direct(run, line, slot));
            drawn.extend((0..run.count).map(|vertex| (slot + u64::from(vertex)) as u16));
            let supplemented = (0..run.count).filter(|&vertex| is_supplemented(run, vertex));
            let source = &entries[entries.len() - 1].records;
            thirds.extend(supplemented.map(|vertex| Supplement {
                slot: (slot + u64::from(vertex)) as u16,
                record: source[usize::from(vertex)],
                weight: THIRD,
            }));
            at = (slot + u64::from(run.count)) * 12;
        }
        let first = u64::next_multiple_of(at, 32).div_ceil(12) as u16;
        let last = first + self.accumulated;
        let (holes, slots): (Vec<u16>, Vec<u16>) =
            (first..last).partition(|slot| self.holes && (slot - first) % 3 == 1 && slot + 1 != last);
        drawn.extend(&slots);
        if self.holes_drawn {
            drawn.extend(&holes);
        }
        let skacc = self.accumulation(thirds, &slots);
        let span = (u64::from(self.accumulated) * 12).next_multiple_of(32) as u32;
        let start = u32::from(first) * 12;
        let clear = match self.clear {
            _ if self.accumulated == 0 => (0, 0),
            Clear::Usual => (start, span),
            Clear::ExtraLine => (start, span + 32),
            Clear::Missing => (0, 0),
        };
        let end = (u64::from(last) * 12).max(at).max(u64::from(clear.0 + clear.1)).next_multiple_of(32);
        let flush = flush(&skacc, self.whole_flush);
        let skn = SknSource { shift: 8, direct: entries, skacc, clear, flush };
        let reserve = end + 32;
        let stored =
            if self.scratch { drawn.iter().max().map_or(0, |&slot| slot + 1) } else { (reserve / 12) as u16 };
        let mut positions = vec![[0; 6]; usize::from(stored)];
        for &slot in &drawn {
            positions[usize::from(slot)] = record(slot.into());
        }
        let facial = self.face.then(|| poses(&skn, &positions));
        let gpl = self.geometry(positions, reserve, &drawn);
        Written { skn, gpl, bones: self.bones, facial }
    }

    /// One entry for all third bones, two for slots that nothing else writes: 255 + 1 on every other one.
    fn accumulation(&self, thirds: Vec<Supplement>, slots: &[u16]) -> Vec<AccumulateSource> {
        let part = |slot: u16, weight| Supplement { slot, record: record(slot.into()), weight };
        let is_split = |slot: &u16| slot.is_multiple_of(2);
        let large = slots.iter().map(|slot| part(*slot, if is_split(slot) { 255 } else { 200 })).collect();
        let small = slots.iter().filter(|slot| is_split(slot)).map(|slot| part(*slot, 1)).collect();
        let rest = slots.iter().filter(|slot| !is_split(slot)).map(|slot| part(*slot, 56)).collect();
        let lists: [(u16, Vec<Supplement>); 4] =
            [(self.bones - 1, thirds), (0, large), (0, small), (self.bones / 2, rest)];
        lists.into_iter().flat_map(|(bone, list)| split_supplements(bone, &list)).collect()
    }

    fn geometry(&self, positions: Vec<Record>, reserve: u64, drawn: &[u16]) -> GplSource {
        let vertex = |&slot: &u16| DrawnVertex { slot, colour: [255; 4], texture: [0; 2] };
        let mut vertices: Vec<DrawnVertex> = drawn.iter().map(vertex).collect();
        let whole = vertices.len().next_multiple_of(3);
        vertices.resize(whole, vertices[0]);
        GplSource {
            name: "body".to_owned(),
            shift: 8,
            positions,
            reserve,
            texture: self.palette.map(|name| TextureSource { palette: name.as_bytes().to_vec(), shift: 8 }),
            parts: vec![DrawnPart { texture: self.palette.map(|_| 0), vertices }],
        }
    }
}

/// The first vertex that reaches every line that accumulation touches, and where asked for one that begins in it.
fn flush(skacc: &[AccumulateSource], whole: bool) -> Vec<u16> {
    let slots = skacc.iter().flat_map(|entry| &entry.supplements).map(|part| u64::from(part.slot) * 12);
    let lines: std::collections::BTreeSet<u64> =
        slots.flat_map(|start| start / 32..(start + 12).div_ceil(32)).collect();
    let index = |line: u64| if whole { (line * 32).div_ceil(12) } else { line * 32 / 12 };
    lines.into_iter().map(|line| index(line) as u16).collect()
}

fn poses(skn: &SknSource, positions: &[Record]) -> Vec<u8> {
    let first = |entry: &DirectSource| ((entry.destination + u32::from(entry.vertex_offset)) / 12) as u16;
    let moved: SlotDeltas =
        skn.direct.iter().map(|entry| (first(entry), vec![(0, [9, 0, -9, 0, 0, 0])])).collect();
    section(&[(1, moved)], positions).unwrap()
}

impl Written {
    fn act(&self) -> Vec<u8> {
        let bone = |id: u16| {
            let mut control = Control::IDENTITY;
            control.set_translation([0.5, f32::from(id % 3) * 0.25, 0.0]);
            // Chains of three below the root, so that tree and table agree about the order.
            let parent = if id % 3 == 1 { 0 } else { usize::from(id).saturating_sub(1) };
            BoneSource::new(id, (id > 0).then_some(parent), control)
        };
        let bones = (0..self.bones).map(bone).collect();
        let source = ActSource {
            actor_id: 0,
            skin_object: 0,
            palette_name: Some(b"body.gpl".to_vec()),
            bones,
            user_data: Vec::new(),
        };
        source.to_bytes().unwrap()
    }

    /// The block, with a section of textures if there is one.
    pub fn block(&self, textures: Option<&[u8]>) -> Vec<u8> {
        let [gpl, skn, act] = self.loose();
        let mut sections = vec![(SectionKind::Gpl, &gpl[..]), (SectionKind::Act, &act)];
        sections.extend(textures.map(|bytes| (SectionKind::Tex, bytes)));
        sections.push((SectionKind::Skn, &skn));
        sections.extend(self.facial.iter().map(|bytes| (SectionKind::Facial, &bytes[..])));
        container::block(&sections).unwrap()
    }

    /// GPL, SKN and ACT as files.
    pub fn loose(&self) -> [Vec<u8>; 3] {
        [self.gpl.to_bytes().unwrap(), self.skn.to_bytes().unwrap(), self.act()]
    }
}
