//! What is in a Character Pipeline model.

mod text;

use schemars::JsonSchema;
use serde::Serialize;

use crate::c3::coverage::Coverage;
use crate::c3::format::gpl::{CommandKind, Gpl, Layout, Submesh, within_limit};
use crate::c3::format::skn::{STRIDE, Skn};
use crate::c3::model::Model;

/// The `skinsim.info/1` object of a Character Pipeline model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct C3Info {
    /// `skinsim.info/1`.
    pub schema: &'static str,
    /// As named on the command line.
    pub model: String,
    /// `block` or `loose`.
    pub kind: &'static str,
    /// The block's sections in header order; empty for loose files.
    pub sections: Vec<SectionInfo>,
    /// The geometry palette.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpl: Option<GplInfo>,
    /// The skinning data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skn: Option<SknInfo>,
    /// Who writes the slots of the skinned position array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageInfo>,
    /// What could not be followed.
    pub problems: Vec<String>,
}

/// A section of a block.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SectionInfo {
    /// Name.
    pub name: &'static str,
    /// Offset in the block.
    pub offset: u32,
    /// Bytes up to the next section.
    pub length: u64,
}

/// A geometry palette.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GplInfo {
    /// Version word.
    pub version: u32,
    /// The submeshes.
    pub submeshes: Vec<SubmeshInfo>,
}

/// A submesh.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubmeshInfo {
    /// Number.
    pub index: u32,
    /// Name, where it has one.
    pub name: Option<String>,
    /// Whether it is the one that skinning writes to.
    pub skinned: bool,
    /// Stored positions.
    pub positions: u16,
    /// Components of a position: 2, 3 or 6.
    pub components: u8,
    /// Quantize byte of the positions: number type and fraction bits.
    pub quantize: u8,
    /// Stored colours; 1 is a register colour.
    pub colours: u16,
    /// Texture channels.
    pub texture_channels: u8,
    /// Stored normals.
    pub normals: u16,
    /// Display states.
    pub states: u16,
    /// Triangles of its primitive lists.
    pub triangles: usize,
}

/// Skinning data.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SknInfo {
    /// Fraction bits.
    pub shift: u8,
    /// Start of the cleared range, from the position array.
    pub clear_start: u32,
    /// Bytes cleared before accumulation.
    pub clear_size: u32,
    /// Flush indices.
    pub flush_count: u32,
    /// Offset at which the mirror of the position array begins.
    pub mirror: u64,
    /// Every entry in the order in which a frame runs them.
    pub entries: Vec<EntryInfo>,
}

/// An entry of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EntryInfo {
    /// `SK1[3]`.
    pub entry: String,
    /// One bone, or two.
    pub bones: Vec<u16>,
    /// Vertices.
    pub vertices: u16,
    /// Offset of the source array in the SKN.
    pub source: u32,
    /// Destination from the position array.
    pub destination: u32,
    /// Bytes before the first vertex (SK1, SK2).
    pub vertex_offset: u8,
    /// First slot written.
    pub first_slot: Option<u32>,
    /// Last slot written.
    pub last_slot: Option<u32>,
    /// Bytes stored back, whole lines (SK1, SK2).
    pub stored: u64,
}

/// Counts of slots by who writes them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CoverageInfo {
    /// Slots that the GPL stores.
    pub stored: usize,
    /// Written by SK1.
    pub sk1: usize,
    /// Written by SK2.
    pub sk2: usize,
    /// Added to by `SKAcc`.
    pub skacc: usize,
    /// Written by `SKAcc` alone.
    pub accumulation_only: usize,
    /// Stored slots that no list writes.
    pub unwritten: usize,
    /// Slots that primitives draw.
    pub drawn: usize,
    /// Written slots behind the stored ones.
    pub behind_array: usize,
}

impl C3Info {
    /// Gathers it from a model.
    pub fn new(name: impl Into<String>, model: &Model) -> Self {
        let coverage = model.skinned_positions().map(|_| CoverageInfo::new(&Coverage::of(model)));
        let lists = [
            model.gpl.as_ref().map(|gpl| &gpl.problems),
            model.skn.as_ref().map(|skn| &skn.problems),
            model.tex.as_ref().map(|tex| &tex.problems),
            Some(&model.problems),
        ];
        let sections = model.block.iter().flat_map(crate::c3::format::block::Block::sections);
        Self {
            schema: "skinsim.info/1",
            model: name.into(),
            kind: if model.block.is_some() { "block" } else { "loose" },
            sections: sections
                .map(|section| SectionInfo {
                    name: section.kind.name(),
                    offset: section.offset,
                    length: section.view.len(),
                })
                .collect(),
            gpl: model.gpl.as_ref().map(GplInfo::new),
            skn: model.skn.as_ref().map(SknInfo::new),
            coverage,
            problems: lists.into_iter().flatten().flatten().map(ToString::to_string).collect(),
        }
    }
}

impl GplInfo {
    fn new(gpl: &Gpl) -> Self {
        let skinned = gpl.skinned().map(|(submesh, ..)| submesh.index);
        let submesh = |submesh: &Submesh| SubmeshInfo::new(gpl, submesh, skinned == Some(submesh.index));
        Self { version: gpl.header.version, submeshes: gpl.submeshes.iter().map(submesh).collect() }
    }
}

impl SubmeshInfo {
    fn new(gpl: &Gpl, submesh: &Submesh, skinned: bool) -> Self {
        let layout = submesh.layout.as_ref();
        let position = layout.and_then(|layout| layout.position.as_ref());
        let count =
            |array: Option<&crate::c3::format::gpl::ArrayHeader>| array.map_or(0, |array| array.count);
        Self {
            index: submesh.index,
            name: submesh.name.clone(),
            skinned,
            positions: count(position),
            components: position.map_or(0, |position| position.components),
            quantize: position.map_or(0, |position| position.quantize.0),
            colours: count(layout.and_then(|layout| layout.colour.as_ref())),
            texture_channels: layout.map_or(0, |layout| layout.texture_channels),
            normals: count(layout.and_then(|layout| layout.lighting.as_ref())),
            states: layout
                .and_then(|layout| layout.display.as_ref())
                .map_or(0, |display| display.state_count),
            triangles: layout.map_or(0, |layout| triangles(gpl, layout)),
        }
    }
}

fn triangles(gpl: &Gpl, layout: &Layout) -> usize {
    let lists = layout.display_lists(gpl.header.version);
    let commands = lists.iter().flat_map(|list| gpl.commands(layout, list)).flatten();
    let triangles = within_limit(commands).map(|command| match command.kind {
        CommandKind::Draw(primitive) => primitive.triangles().count(),
        _ => 0,
    });
    triangles.sum()
}

impl SknInfo {
    fn new(skn: &Skn) -> Self {
        let sk1 = skn.sk1.iter().zip(0..).map(|(entry, index)| {
            let entry = Direct {
                name: format!("SK1[{index}]"),
                bones: vec![entry.bone],
                count: entry.count,
                source: entry.source,
                destination: entry.destination,
                vertex_offset: entry.vertex_offset,
            };
            entry.info()
        });
        let sk2 = skn.sk2.iter().zip(0..).map(|(entry, index)| {
            let entry = Direct {
                name: format!("SK2[{index}]"),
                bones: entry.bones.to_vec(),
                count: entry.count,
                source: entry.source,
                destination: entry.destination,
                vertex_offset: entry.vertex_offset,
            };
            entry.info()
        });
        let skacc = skn.skacc.iter().enumerate().map(|(index, entry)| {
            let base = entry.destination / STRIDE as u32;
            let slot = |index: u16| base + u32::from(index);
            EntryInfo {
                entry: format!("SKAcc[{index}]"),
                bones: vec![entry.bone],
                vertices: entry.count,
                source: entry.source,
                destination: entry.destination,
                vertex_offset: 0,
                first_slot: skn.indices(entry).min().map(slot),
                last_slot: skn.indices(entry).max().map(slot),
                stored: 0,
            }
        });
        Self {
            shift: skn.header.shift,
            clear_start: skn.header.clear_start,
            clear_size: skn.header.clear_size,
            flush_count: skn.header.flush_count,
            mirror: skn.mirror_start(),
            entries: sk1.chain(sk2).chain(skacc).collect(),
        }
    }
}

/// What SK1 and SK2 entries have in common.
struct Direct {
    name: String,
    bones: Vec<u16>,
    count: u16,
    source: u32,
    destination: u32,
    vertex_offset: u8,
}

impl Direct {
    fn info(self) -> EntryInfo {
        let slots = crate::c3::coverage::slots(self.destination, self.vertex_offset, self.count);
        let written = !slots.is_empty();
        let bytes = u64::from(self.vertex_offset) + u64::from(self.count) * STRIDE;
        EntryInfo {
            entry: self.name,
            bones: self.bones,
            vertices: self.count,
            source: self.source,
            destination: self.destination,
            vertex_offset: self.vertex_offset,
            first_slot: written.then_some(slots.start as u32),
            last_slot: written.then(|| slots.end as u32 - 1),
            stored: crate::c3::format::align32(bytes),
        }
    }
}

impl CoverageInfo {
    fn new(coverage: &Coverage) -> Self {
        let written = coverage.sk1.clone() | &coverage.sk2 | &coverage.skacc;
        Self {
            stored: coverage.stored,
            sk1: coverage.sk1.count_ones(),
            sk2: coverage.sk2.count_ones(),
            skacc: coverage.skacc.count_ones(),
            accumulation_only: coverage.accumulation_only().count(),
            unwritten: coverage.unwritten().count(),
            drawn: coverage.used.count_ones(),
            behind_array: written.iter_ones().filter(|&slot| slot >= coverage.stored).count(),
        }
    }
}
