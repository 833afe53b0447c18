//! Building a model block: a character in, the canonical layout out. \[seed 003\]
//!
//! [`gltf`] reads a character; [`build`] quantizes its weights ([`weights`]) and positions ([`shift`]),
//! gives every vertex a slot ([`layout`]) and writes the sections. What was merged, made or left out is
//! told in notes.

pub mod act;
pub mod anm;
pub mod character;
pub mod container;
pub mod donor;
pub mod error;
pub mod facial;
pub mod gltf;
pub mod gpl;
pub mod layout;
pub mod pose;
pub mod shift;
pub mod skn;
pub mod weights;
pub mod weights_only;

use std::collections::BTreeMap;

use character::{Character, Part};
use error::{BuildResult, Notes};
use facial::SlotDeltas;
use gpl::{DrawnPart, DrawnVertex, GplSource, TextureSource};
use layout::{Layout, SlotVertex};
use skn::Record;
use weights::Allowed;

use super::format::block::SectionKind;

/// What a user can choose.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    /// Fraction bits, if not the most that fit.
    pub shift: Option<u8>,
    /// The bones that the skin may use.
    pub allowed: Allowed,
    /// Textures taken over from a donor.
    pub textures: Option<DonorTextures>,
}

/// A donor's textures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DonorTextures {
    /// Name of its texture palette.
    pub palette: Vec<u8>,
    /// Its TEX section, if it has one.
    pub section: Option<Vec<u8>>,
}

/// A model that was built.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// The model block.
    pub block: Vec<u8>,
    /// The animation bank, if there are animations.
    pub animations: Option<Vec<u8>>,
    /// What was built.
    pub summary: Summary,
}

/// What was built, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Names of the bones, by number.
    pub bones: Vec<String>,
    /// Fraction bits.
    pub shift: u8,
    /// Vertices that triangles use.
    pub vertices: usize,
    /// Slots of the position buffer.
    pub slots: usize,
    /// Triangles.
    pub triangles: usize,
    /// SK1, SK2 and `SKAcc` entries.
    pub entries: [usize; 3],
    /// Vertices added to entries that had too few.
    pub padded: usize,
    /// Animations with their lengths in frames.
    pub animations: Vec<(String, f32)>,
    /// Morph targets, the neutral shape not counted.
    pub morph_targets: Vec<String>,
    /// What was merged, made or left out.
    pub notes: Vec<String>,
    /// What the source says about its copyright.
    pub copyright: Option<String>,
}

/// Builds a block, and a bank where there are animations.
///
/// # Errors
/// When a vertex has no weight, a coordinate does not fit, or a count is too large.
pub fn build(character: &Character, options: &BuildOptions, mut notes: Notes) -> BuildResult<Built> {
    let used = used(character);
    let shift = shift::choose(character, &used, options.shift, &mut notes)?;
    let vertices = slot_vertices(character, &used, options, shift, &mut notes)?;
    let layout = layout::lay_out(&vertices.list, shift)?;
    let facial = facial_section(character, &vertices, &layout, &mut notes)?;
    let block = write(character, options, &vertices, &layout, facial.as_deref(), &mut notes)?;
    let error = 0.5 / shift::step(shift);
    let animations = if character.animations.is_empty() {
        None
    } else {
        Some(anm::bank(&character.bones, &character.animations, error)?)
    };
    Ok(Built { block, animations, summary: summary(character, &vertices, &layout, &notes) })
}

/// Which vertices triangles use.
fn used(character: &Character) -> Vec<bool> {
    let mut used = vec![false; character.vertices.len()];
    for &vertex in character.parts.iter().flat_map(|part| part.triangles.as_flattened()) {
        used[vertex as usize] = true;
    }
    used
}

/// The used vertices as slots hold them.
struct SlotVertices {
    list: Vec<SlotVertex>,
    /// Place in the list of each of the character's vertices.
    places: Vec<Option<u32>>,
}

fn slot_vertices(
    character: &Character,
    used: &[bool],
    options: &BuildOptions,
    shift: u8,
    notes: &mut Notes,
) -> BuildResult<SlotVertices> {
    let mut vertices = SlotVertices { list: Vec::new(), places: vec![None; used.len()] };
    for (number, vertex) in character.vertices.iter().enumerate().filter(|(number, _)| used[*number]) {
        vertices.places[number] = Some(vertices.list.len() as u32);
        vertices.list.push(SlotVertex {
            shares: weights::shares(vertex, &character.bones, &options.allowed, notes)?,
            record: shift::record(vertex.position, vertex.normal, shift),
            deltas: Vec::new(),
        });
    }
    for (morph, source) in (0..).zip(&character.morphs) {
        for (target, (name, deltas)) in (0..).zip(&source.targets) {
            for delta in deltas {
                let Some(place) = vertices.places[delta.vertex as usize] else { continue };
                let vertex = &character.vertices[delta.vertex as usize];
                let add = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|axis| a[axis] + b[axis]);
                let (position, normal) =
                    (add(vertex.position, delta.position), add(vertex.normal, delta.normal));
                let slot = &mut vertices.list[place as usize];
                let moved = shift::record(position, normal, shift);
                let place = || format!("morph target '{name}', {}", vertex.origin);
                let difference = facial::difference(&slot.record, &moved, place)?;
                if difference != [0; 6] {
                    slot.deltas.push((morph, target, difference));
                }
            }
        }
    }
    Ok(vertices)
}

/// The facial section, if any target moves anything.
fn facial_section(
    character: &Character,
    vertices: &SlotVertices,
    layout: &Layout,
    notes: &mut Notes,
) -> BuildResult<Option<Vec<u8>>> {
    let mut morphs: Vec<(usize, SlotDeltas)> =
        character.morphs.iter().map(|morph| (morph.targets.len(), SlotDeltas::new())).collect();
    for (vertex, &slot) in vertices.list.iter().zip(&layout.slots) {
        for &(morph, target, delta) in &vertex.deltas {
            let moved = morphs[usize::from(morph)].1.entry(slot).or_default();
            let part: (u16, Record) = (target, delta);
            if !moved.contains(&part) {
                moved.push(part);
            }
        }
        if !vertex.deltas.is_empty() && vertex.shares.len() > 2 {
            notes.add(
                "vertices with more than two bones do not follow facial poses whole: the game moves the \
                 sources of SK1 and SK2 entries only",
                format!("slot {slot}"),
            );
        }
    }
    morphs.retain(|(_, slots)| !slots.is_empty());
    if morphs.is_empty() {
        return Ok(None);
    }
    facial::section(&morphs, &layout.positions).map(Some)
}

fn write(
    character: &Character,
    options: &BuildOptions,
    vertices: &SlotVertices,
    layout: &Layout,
    facial: Option<&[u8]>,
    notes: &mut Notes,
) -> BuildResult<Vec<u8>> {
    let textures = options.textures.as_ref();
    let textured = character.vertices.iter().any(|vertex| vertex.texture.is_some());
    if textured && textures.is_none() {
        notes.add("texture coordinates are left out: textures come from a donor", "");
    }
    let coordinates = textures.filter(|_| textured).map(|donor| (donor, texture_shift(character)));
    let drawn = Drawing { character, vertices, layout, texture_shift: coordinates.map(|(_, shift)| shift) };
    let gpl = GplSource {
        name: character.name.clone(),
        shift: layout.skn.shift,
        positions: layout.positions.clone(),
        reserve: layout.reserve,
        texture: coordinates.map(|(donor, shift)| TextureSource { palette: donor.palette.clone(), shift }),
        parts: character.parts.iter().zip(0..).map(|(part, number)| drawn.part(part, number)).collect(),
    };
    let (gpl, skn) = (gpl.to_bytes()?, layout.skn.to_bytes()?);
    let act = act::skeleton(&character.bones, &format!("{}.gpl", character.name))?;
    let tex = textures.and_then(|donor| donor.section.as_deref());
    let sections: Vec<(SectionKind, &[u8])> = [
        (SectionKind::Gpl, Some(gpl.as_slice())),
        (SectionKind::Act, Some(act.as_slice())),
        (SectionKind::Tex, tex),
        (SectionKind::Skn, Some(skn.as_slice())),
        (SectionKind::Facial, facial),
    ]
    .into_iter()
    .filter_map(|(kind, bytes)| Some((kind, bytes?)))
    .collect();
    container::block(&sections)
}

/// The most fraction bits that hold every texture coordinate.
fn texture_shift(character: &Character) -> u8 {
    let coordinates = character.vertices.iter().filter_map(|vertex| vertex.texture).flatten();
    let largest = coordinates.fold(0.0, |largest: f64, part| largest.max(part.abs()));
    (0..=15).rev().find(|&shift| largest * shift::step(shift) <= 32767.0).unwrap_or(0)
}

struct Drawing<'a> {
    character: &'a Character,
    vertices: &'a SlotVertices,
    layout: &'a Layout,
    texture_shift: Option<u8>,
}

impl Drawing<'_> {
    /// The part's triangles turned: the hardware's front faces are clockwise.
    fn part(&self, part: &Part, number: u16) -> DrawnPart {
        let corners = part.triangles.iter().flat_map(|[a, b, c]| [a, c, b]);
        DrawnPart {
            texture: self.texture_shift.map(|_| number),
            vertices: corners.filter_map(|&vertex| self.vertex(vertex as usize)).collect(),
        }
    }

    fn vertex(&self, number: usize) -> Option<DrawnVertex> {
        let (vertex, place) = (&self.character.vertices[number], self.vertices.places[number]?);
        let stored =
            |part: f64, shift: u8| (part * shift::step(shift)).round().clamp(-32768.0, 32767.0) as i16;
        let texture = self
            .texture_shift
            .map_or([0; 2], |shift| vertex.texture.unwrap_or_default().map(|part| stored(part, shift)));
        Some(DrawnVertex { slot: self.layout.slots[place as usize], colour: vertex.colour, texture })
    }
}

fn summary(character: &Character, vertices: &SlotVertices, layout: &Layout, notes: &Notes) -> Summary {
    let mut entries = BTreeMap::from([(false, 0), (true, 0)]);
    for entry in &layout.skn.direct {
        *entries.entry(matches!(entry.movers, skn::Movers::Two(..))).or_insert(0) += 1;
    }
    Summary {
        bones: character.bones.iter().map(|bone| bone.name.clone()).collect(),
        shift: layout.skn.shift,
        vertices: vertices.list.len(),
        slots: layout.positions.len(),
        triangles: character.parts.iter().map(|part| part.triangles.len()).sum(),
        entries: [entries[&false], entries[&true], layout.skn.skacc.len()],
        padded: layout.padded,
        animations: character
            .animations
            .iter()
            .map(|animation| (animation.name.clone(), anm::length(animation)))
            .collect(),
        morph_targets: character
            .morphs
            .iter()
            .flat_map(|morph| morph.targets.iter().map(|(name, _)| name.clone()))
            .collect(),
        notes: notes.sentences().collect(),
        copyright: character.copyright.clone(),
    }
}
