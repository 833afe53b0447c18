//! Facial poses: what the game writes before it skins, and where.
//!
//! For vertices of the skinned submesh the values go into the mirror of the position array: SKN start, plus
//! the end of the entry lists on the next line, plus 12 bytes a vertex, whatever the source pointers of the
//! entries say. \[seed 003\] A skinning section whose sources lie elsewhere gets them into other vertices'
//! records, weights or beyond. Other submeshes are written where their arrays lie. \[INF\]

use std::collections::BTreeSet;

use super::code::unlisted;
use super::journal::{Journal, Stage};
use crate::bytes::{ReadError, ReadResult};
use crate::c3::format::facial::{Attribute, Facial, MOST_VALUES, NORMALS, POSITIONS};
use crate::c3::format::gpl::{self, ArrayHeader, Gpl, QuantizeType};
use crate::c3::format::skn::STRIDE;
use crate::c3::model::Model;
use crate::gekko::address::{LINE_SIZE, line_start};
use crate::gekko::machine::{Access, Machine};

/// How far a facial pose is on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceWeight {
    /// The object; `None` for every object that has such a pose.
    pub object: Option<usize>,
    /// Number of the pose: 0 is the neutral one, the others are differences from it.
    pub pose: usize,
    /// Its weight.
    pub weight: f32,
}

/// How the weighted sum becomes an s16. \[open\]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FaceRounding {
    /// Toward zero, as the processor's conversion to integers does.
    #[default]
    Truncate,
    /// To the nearest, halves away from zero.
    Nearest,
}

/// Whether the values are stored from the data cache before the transfers read memory. \[open\]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FaceStore {
    /// They are: every line is stored.
    #[default]
    Stored,
    /// They stay in the cache until something else writes them back.
    Cached,
}

/// What is chosen about a face.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FaceOptions {
    /// The poses that are on.
    pub weights: Vec<FaceWeight>,
    /// How sums become integers.
    pub rounding: FaceRounding,
    /// Whether they reach memory before the transfers.
    pub store: FaceStore,
}

/// What a write's offset counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaceBase {
    /// The SKN's start.
    Skn,
    /// The GPL's start.
    Gpl,
}

/// Three components that are written before every frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaceWrite {
    /// What the offset counts from.
    pub base: FaceBase,
    /// Bytes from there.
    pub offset: u32,
    /// The values.
    pub values: [i16; 3],
}

/// The writes of a face.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Face {
    /// The poses that are on.
    pub weights: Vec<FaceWeight>,
    /// The writes in the order in which they happen.
    pub writes: Vec<FaceWrite>,
    /// The slots of the skinned submesh that are written.
    pub slots: BTreeSet<u64>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
    store: FaceStore,
}

/// Offset of the normal in a record of the mirror.
const NORMAL_AT: u32 = 6;

impl Face {
    /// The writes that the weights make of a model's facial poses.
    ///
    /// # Errors
    /// When there are no facial poses, no object has a pose that is asked for, or values lie outside of
    /// the section.
    pub fn of(model: &Model, options: &FaceOptions) -> ReadResult<Self> {
        if options.weights.is_empty() {
            return Ok(Self::default());
        }
        let missing = |want: &str| ReadError::new("facial poses", 0, want, "none");
        let view = model.facial.ok_or_else(|| missing("a facial section"))?;
        let facial = Facial::parse_view(view)?;
        require_poses(&facial, &options.weights)?;
        let gpl = model.gpl.as_ref().ok_or_else(|| missing("a GPL"))?;
        let mut maker =
            Maker { model, gpl, facial: &facial, options, left: MOST_VALUES, face: Self::default() };
        for (object, record) in facial.objects.iter().enumerate() {
            for attribute in &record.attributes {
                maker.attribute(object, attribute)?;
            }
        }
        Ok(Self { weights: options.weights.clone(), store: options.store, ..maker.face })
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Writes the values as the processor does.
    pub(super) fn apply(&self, machine: &mut Machine, skn: u32, gpl: u32, journal: &mut Journal) {
        if self.is_empty() {
            return;
        }
        journal.enter(machine, Stage::Pose, None);
        // A face that stopped at a fault leaves the rest unwritten; the journal says so.
        let _ = self.write(machine, skn, gpl);
        journal.collect(machine);
    }

    fn write(&self, machine: &mut Machine, skn: u32, gpl: u32) -> Access<()> {
        let site = unlisted("face").at(0);
        for write in &self.writes {
            let base = match write.base {
                FaceBase::Skn => skn,
                FaceBase::Gpl => gpl,
            };
            let address = base.wrapping_add(write.offset);
            for (at, value) in (0..).step_by(2).zip(write.values) {
                machine.write(address.wrapping_add(at), 2, u64::from(value as u16), site)?;
            }
            if self.store == FaceStore::Stored {
                let (first, last) = (line_start(address), line_start(address.wrapping_add(5)));
                machine.store_line(first);
                if last == first.wrapping_add(LINE_SIZE) {
                    machine.store_line(last);
                }
            }
        }
        Ok(())
    }
}

/// Every weight must be that of a pose that exists.
fn require_poses(facial: &Facial, weights: &[FaceWeight]) -> ReadResult<()> {
    for weight in weights {
        let objects = facial.objects.iter().enumerate();
        let mut asked = objects.filter(|(object, _)| weight.object.is_none_or(|wanted| wanted == *object));
        if asked.any(|(_, object)| weight.pose < usize::from(object.pose_count)) {
            continue;
        }
        let (want, at) = match weight.object {
            Some(object) => (format!("a pose {} of object {object}", weight.pose), 2),
            None => (format!("a pose {}", weight.pose), 0),
        };
        let counts: Vec<String> = facial.objects.iter().map(|object| object.pose_count.to_string()).collect();
        let have = format!("{} objects with [{}] poses", counts.len(), counts.join(", "));
        return Err(ReadError::new("facial pose", facial.view().base() + at, want, have));
    }
    Ok(())
}

struct Maker<'m, 'a> {
    model: &'m Model<'a>,
    gpl: &'m Gpl<'a>,
    facial: &'m Facial<'a>,
    options: &'m FaceOptions,
    left: u64,
    face: Face,
}

/// Where an attribute's vertices are written.
#[derive(Clone, Copy)]
struct Target {
    base: FaceBase,
    start: u32,
    stride: u32,
    on_mirror: bool,
}

impl Maker<'_, '_> {
    fn attribute(&mut self, object: usize, attribute: &Attribute) -> ReadResult<()> {
        let weights: Vec<FaceWeight> = self
            .options
            .weights
            .iter()
            .filter(|weight| weight.object.is_none_or(|wanted| wanted == object))
            .filter(|weight| weight.pose < attribute.poses.len())
            .copied()
            .collect();
        if weights.is_empty() {
            return Ok(());
        }
        let target = match self.target(attribute) {
            Ok(target) => target,
            Err(why) => {
                self.face.skipped.push(format!("object {object}: {why}"));
                return Ok(());
            }
        };
        let sums = self.sums(attribute, &weights)?;
        for (vertex, sum) in attribute.vertices().zip(sums) {
            let offset = target.start.wrapping_add(vertex.wrapping_mul(target.stride));
            let values = sum.map(|value| self.integer(value));
            self.face.writes.push(FaceWrite { base: target.base, offset, values });
            if target.on_mirror {
                self.face.slots.insert(vertex.into());
            }
        }
        Ok(())
    }

    fn integer(&self, value: f32) -> i16 {
        // Both conversions saturate, as the processor's do.
        match self.options.rounding {
            FaceRounding::Truncate => value as i16,
            FaceRounding::Nearest => value.round() as i16,
        }
    }

    /// Neutral values and weighted differences, added in the order of the weights.
    fn sums(&mut self, attribute: &Attribute, weights: &[FaceWeight]) -> ReadResult<Vec<[f32; 3]>> {
        let work = u64::from(attribute.entries) * (1 + weights.len() as u64);
        self.left = self.left.checked_sub(work).ok_or_else(|| {
            let at = self.facial.view().base() + attribute.offset;
            ReadError::new("facial attribute", at, format!("at most {MOST_VALUES} values in all"), "more")
        })?;
        let neutral = self.facial.values(attribute, 0)?;
        let mut sums: Vec<[f32; 3]> = neutral.iter().map(|values| values.map(f32::from)).collect();
        for weight in weights.iter().filter(|weight| weight.pose != 0 && attribute.poses[weight.pose] != 0) {
            for (sum, delta) in sums.iter_mut().zip(self.facial.values(attribute, weight.pose)?) {
                for (sum, delta) in sum.iter_mut().zip(delta) {
                    *sum += weight.weight * f32::from(delta);
                }
            }
        }
        Ok(sums)
    }

    fn target(&self, attribute: &Attribute) -> Result<Target, String> {
        let normals = match attribute.kind {
            POSITIONS => false,
            NORMALS => true,
            kind => return Err(format!("an attribute of kind {kind}: what it moves is not known")),
        };
        let skinned = self.gpl.skinned().map(|(submesh, ..)| submesh.index);
        if let (Some(skn), true) = (&self.model.skn, skinned == Some(attribute.submesh.into())) {
            let start = (skn.mirror_start() as u32).wrapping_add(if normals { NORMAL_AT } else { 0 });
            return Ok(Target { base: FaceBase::Skn, start, stride: STRIDE as u32, on_mirror: true });
        }
        let kind = if normals { gpl::Attribute::Normal } else { gpl::Attribute::Position };
        let submesh = self.gpl.submeshes.get(usize::from(attribute.submesh));
        let array = submesh.and_then(|submesh| submesh.layout.as_ref()).and_then(|layout| layout.array(kind));
        array.and_then(own_array).ok_or_else(|| {
            format!("an attribute of submesh {}, which has no such array of s16 triples", attribute.submesh)
        })
    }
}

/// Where an array of s16 triples lies.
fn own_array(array: &ArrayHeader) -> Option<Target> {
    if array.quantize.component() != Some(QuantizeType::S16) || array.components != 3 {
        return None;
    }
    let (start, stride) = (array.array_offset()? as u32, array.element_size()? as u32);
    Some(Target { base: FaceBase::Gpl, start, stride, on_mirror: false })
}
