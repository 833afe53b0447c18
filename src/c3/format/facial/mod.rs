//! Facial poses: for some vertices of some submeshes, neutral values and differences from them.
//!
//! Header: u16 largest number of poses, u16 objects, u16 attribute types, u16 unused; then the object
//! table. An object has attribute records; an attribute lists the vertices it moves as runs and has one
//! array of values a pose. Pose 0 is absolute, the others are differences. \[JAWS: medium-high\]
//! Offsets count from the section's start \[INF\]; `entries` counts vertices, so that the run list ends
//! where its lengths add up to it \[INF\].

use crate::bytes::{Endian, ReadError, ReadResult, View};

pub mod source;

pub use source::{AttributeSource, FacialSource, ObjectSource};

/// Size of the header in bytes; the object table follows.
pub const HEADER_SIZE: u64 = 8;
/// Size of an object record in bytes.
pub const OBJECT_SIZE: u64 = 0xC;
/// Size of an attribute record in bytes, its pose pointers left out.
pub const ATTRIBUTE_SIZE: u64 = 0xC;
/// Values of all attributes and poses that are worked on at most. Attributes may share bytes and runs may
/// overlap, so that the file's size does not bound them; a character has some thousands.
pub const MOST_VALUES: u64 = 1 << 20;
/// Attribute kind: something that supplements `SKAcc` entries; its layout is not known. [seed 003]
pub const SUPPLEMENTS: u8 = 0;
/// Attribute kind: positions.
pub const POSITIONS: u8 = 1;
/// Attribute kind: normals.
pub const NORMALS: u8 = 2;

/// The header, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FacialHeader {
    /// The largest number of poses of any object.
    pub max_poses: u16,
    /// Number of objects.
    pub object_count: u16,
    /// Number of attribute types.
    pub attribute_types: u16,
    /// Unused halfword at +6.
    pub padding: u16,
}

impl FacialHeader {
    /// The header as stored in a file.
    pub fn to_bytes(&self) -> [u8; HEADER_SIZE as usize] {
        let mut bytes = [0; HEADER_SIZE as usize];
        let halves = [self.max_poses, self.object_count, self.attribute_types, self.padding];
        for (bytes, half) in bytes.chunks_exact_mut(2).zip(halves) {
            bytes.copy_from_slice(&half.to_be_bytes());
        }
        bytes
    }
}

/// Consecutive vertices of a submesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// First vertex.
    pub first: u16,
    /// Number of vertices.
    pub length: u16,
}

/// An attribute record, every field as stored, and the runs it points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Offset of the record in the section.
    pub offset: u64,
    /// Number of vertices that the attribute moves.
    pub entries: u32,
    /// Submesh that they belong to.
    pub submesh: u8,
    /// [`POSITIONS`] or [`NORMALS`].
    pub kind: u8,
    /// Components of a value (3).
    pub components: u8,
    /// Bytes of a component (2).
    pub width: u8,
    /// Offset of the run list.
    pub runs_at: u32,
    /// Offset of each pose's values.
    pub poses: Vec<u32>,
    /// The runs, as far as the section holds them.
    pub runs: Vec<Run>,
}

/// An object record, every field as stored, and its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Offset of the record in the section.
    pub offset: u64,
    /// Number of poses, the neutral one included.
    pub pose_count: u16,
    /// Number of attributes.
    pub attribute_count: u16,
    /// Bytes of an attribute record: 0xC + 4 a pose.
    pub record_size: u32,
    /// Offset of the attribute records.
    pub data: u32,
    /// The attributes, as far as the section holds them.
    pub attributes: Vec<Attribute>,
}

/// A parsed facial pose section.
#[derive(Debug, Clone)]
pub struct Facial<'a> {
    view: View<'a>,
    /// The header as stored.
    pub header: FacialHeader,
    /// The objects that the section holds.
    pub objects: Vec<Object>,
    /// Tables and lists that the section does not hold whole, or that contradict themselves.
    pub problems: Vec<ReadError>,
}

/// What is read so far: a section's records cannot take more bytes than it has, so records that
/// overlap without end stop the reading.
struct Reader<'a> {
    view: View<'a>,
    budget: u64,
    problems: Vec<ReadError>,
}

impl<'a> Facial<'a> {
    /// Reads a section on its own.
    ///
    /// # Errors
    /// When there is no whole header.
    pub fn parse(bytes: &'a [u8]) -> ReadResult<Self> {
        Self::parse_view(View::new(bytes, Endian::Big))
    }

    /// Reads a section of a block; errors then name the block's offsets.
    ///
    /// # Errors
    /// When there is no whole header.
    pub fn parse_view(view: View<'a>) -> ReadResult<Self> {
        let view = view.with_endian(Endian::Big);
        let half = |offset| view.u16(offset, "facial header");
        let header = FacialHeader {
            max_poses: half(0)?,
            object_count: half(2)?,
            attribute_types: half(4)?,
            padding: half(6)?,
        };
        let mut reader = Reader { view, budget: view.len(), problems: Vec::new() };
        let held = (view.len() - HEADER_SIZE) / OBJECT_SIZE;
        if held < u64::from(header.object_count) {
            reader.problem(
                "facial object table",
                2,
                format!(
                    "{} records of {OBJECT_SIZE:#x} bytes at {:#x}",
                    header.object_count,
                    view.base() + HEADER_SIZE
                ),
                format!("room for {held}"),
            );
        }
        let mut objects = Vec::new();
        for index in 0..held.min(header.object_count.into()) {
            objects.push(reader.object(HEADER_SIZE + OBJECT_SIZE * index)?);
        }
        Ok(Self { view, header, objects, problems: reader.problems })
    }

    /// Values of all attributes and poses, as their records say. Each is worth a step of whoever walks them.
    pub fn value_count(&self) -> u64 {
        let values =
            |attribute: &Attribute| u64::from(attribute.entries) * attribute.poses.len().max(1) as u64;
        self.objects.iter().flat_map(|object| &object.attributes).map(values).fold(0, u64::saturating_add)
    }

    /// The bytes of the section.
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// The values of a pose, one array of three a vertex.
    ///
    /// # Errors
    /// When the attribute has no such pose, is not made of three s16, or its values lie outside.
    pub fn values(&self, attribute: &Attribute, pose: usize) -> ReadResult<Vec<[i16; 3]>> {
        if (attribute.components, attribute.width) != (3, 2) {
            return Err(ReadError::new(
                "facial attribute components",
                self.view.base() + attribute.offset + 6,
                "3 of 2 bytes",
                format!("{} of {} bytes", attribute.components, attribute.width),
            ));
        }
        let pointer = *attribute.poses.get(pose).ok_or_else(|| {
            ReadError::new(
                "facial pose",
                self.view.base() + attribute.offset,
                format!("a pose {pose}"),
                format!("{} poses", attribute.poses.len()),
            )
        })?;
        let what = format!("values of facial pose {pose}");
        let table = self.view.table(pointer.into(), attribute.entries.into(), 6, &what)?;
        let half = |pair: &[u8]| i16::from_be_bytes([pair[0], pair[1]]);
        let three = |six: &[u8]| [half(&six[0..2]), half(&six[2..4]), half(&six[4..6])];
        Ok(table.bytes().chunks_exact(6).map(three).collect())
    }

    /// The section as a file: the parsed bytes with the typed fields laid over them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.view.bytes().to_vec();
        super::overlay(&mut bytes, 0, &self.header.to_bytes());
        for object in &self.objects {
            super::overlay(&mut bytes, object.offset, &object.to_bytes());
            for attribute in &object.attributes {
                super::overlay(&mut bytes, attribute.offset, &attribute.to_bytes());
                for (index, run) in attribute.runs.iter().enumerate() {
                    let at = u64::from(attribute.runs_at) + 4 * index as u64;
                    super::overlay(&mut bytes, at, &run.to_bytes());
                }
            }
        }
        bytes
    }
}

impl Reader<'_> {
    fn problem(&mut self, what: &str, offset: u64, want: String, have: String) {
        self.problems.push(ReadError::new(what, self.view.base() + offset, want, have));
    }

    /// Takes `size` bytes from the budget; false when it is spent.
    fn spend(&mut self, size: u64, offset: u64) -> bool {
        if let Some(left) = self.budget.checked_sub(size) {
            self.budget = left;
            return true;
        }
        let have = format!("more than the section's {:#x} bytes", self.view.len());
        self.problem("facial records", offset, "records that do not overlap".to_owned(), have);
        false
    }

    fn object(&mut self, offset: u64) -> ReadResult<Object> {
        let record = self.view.sub(offset, OBJECT_SIZE, "facial object")?;
        let mut object = Object {
            offset,
            pose_count: record.u16(0, "facial object poses")?,
            attribute_count: record.u16(2, "facial object attributes")?,
            record_size: record.u32(4, "facial object record size")?,
            data: record.u32(8, "facial object data")?,
            attributes: Vec::new(),
        };
        let want = ATTRIBUTE_SIZE + 4 * u64::from(object.pose_count);
        if u64::from(object.record_size) != want {
            let have = format!("{:#x}", object.record_size);
            self.problem("facial object record size", offset + 4, format!("{want:#x}, 0xc + 4 a pose"), have);
        }
        for index in 0..u64::from(object.attribute_count) {
            let at = u64::from(object.data) + index * u64::from(object.record_size);
            if !self.spend(want, offset + 8) {
                break;
            }
            match self.attribute(at, object.pose_count) {
                Ok(attribute) => object.attributes.push(attribute),
                Err(problem) => {
                    self.problems.push(problem.led_by(self.view.base() + offset + 8));
                    break;
                }
            }
        }
        Ok(object)
    }

    fn attribute(&mut self, offset: u64, pose_count: u16) -> ReadResult<Attribute> {
        let size = ATTRIBUTE_SIZE + 4 * u64::from(pose_count);
        let record = self.view.sub(offset, size, "facial attribute")?;
        let pose = |index| record.u32(ATTRIBUTE_SIZE + 4 * u64::from(index), "facial pose pointer");
        let mut attribute = Attribute {
            offset,
            entries: record.u32(0, "facial attribute entries")?,
            submesh: record.u8(4, "facial attribute submesh")?,
            kind: record.u8(5, "facial attribute kind")?,
            components: record.u8(6, "facial attribute components")?,
            width: record.u8(7, "facial attribute width")?,
            runs_at: record.u32(8, "facial attribute run list")?,
            poses: (0..pose_count).map(pose).collect::<ReadResult<_>>()?,
            runs: Vec::new(),
        };
        attribute.runs = self.runs(&attribute);
        Ok(attribute)
    }

    /// The run list: it ends where the lengths add up to the attribute's entries.
    fn runs(&mut self, attribute: &Attribute) -> Vec<Run> {
        let (start, entries) = (u64::from(attribute.runs_at), u64::from(attribute.entries));
        let (mut runs, mut sum) = (Vec::new(), 0);
        while sum < entries {
            let at = start + 4 * runs.len() as u64;
            if !self.spend(4, attribute.offset + 8) {
                break;
            }
            let run = self.view.sub(at, 4, "facial run").and_then(|record| {
                Ok(Run { first: record.u16(0, "facial run")?, length: record.u16(2, "facial run")? })
            });
            match run {
                Ok(run) => {
                    sum += u64::from(run.length);
                    runs.push(run);
                }
                Err(problem) => {
                    self.problems.push(problem.led_by(self.view.base() + attribute.offset + 8));
                    break;
                }
            }
        }
        runs
    }
}

impl Object {
    /// The record as stored in a file.
    pub fn to_bytes(&self) -> [u8; OBJECT_SIZE as usize] {
        let mut bytes = [0; OBJECT_SIZE as usize];
        bytes[0..2].copy_from_slice(&self.pose_count.to_be_bytes());
        bytes[2..4].copy_from_slice(&self.attribute_count.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.record_size.to_be_bytes());
        bytes[8..].copy_from_slice(&self.data.to_be_bytes());
        bytes
    }
}

impl Attribute {
    /// The record as stored in a file, pose pointers included.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.entries.to_be_bytes().to_vec();
        bytes.extend([self.submesh, self.kind, self.components, self.width]);
        bytes.extend(self.runs_at.to_be_bytes());
        bytes.extend(self.poses.iter().flat_map(|pose| pose.to_be_bytes()));
        bytes
    }

    /// Offset in the section of the pointer to a pose's values.
    pub fn pose_pointer(&self, pose: usize) -> u64 {
        self.offset + ATTRIBUTE_SIZE + 4 * pose as u64
    }

    /// The vertices in the order of their values.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().flat_map(|run| u32::from(run.first)..u32::from(run.first) + u32::from(run.length))
    }
}

impl Run {
    /// The run as stored in a file.
    pub fn to_bytes(&self) -> [u8; 4] {
        let [a, b] = self.first.to_be_bytes();
        let [c, d] = self.length.to_be_bytes();
        [a, b, c, d]
    }
}

#[cfg(test)]
mod tests;
