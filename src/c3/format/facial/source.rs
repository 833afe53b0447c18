//! Writing a facial pose section from nothing.

use super::{ATTRIBUTE_SIZE, Attribute, FacialHeader, HEADER_SIZE, OBJECT_SIZE, Object, Run};
use crate::bytes::{ReadError, ReadResult};
use crate::c3::format::align32;

/// An attribute to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeSource {
    /// Submesh that the vertices belong to.
    pub submesh: u8,
    /// [`super::POSITIONS`] or [`super::NORMALS`].
    pub kind: u8,
    /// The vertices, ascending.
    pub vertices: Vec<u16>,
    /// Per pose, one value a vertex: the neutral one, then differences from it.
    pub poses: Vec<Vec<[i16; 3]>>,
}

/// An object to be written: attributes with the same number of poses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectSource {
    /// Attributes.
    pub attributes: Vec<AttributeSource>,
}

/// A facial pose section to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacialSource {
    /// Objects.
    pub objects: Vec<ObjectSource>,
}

impl FacialSource {
    /// The section, padded to whole 32-byte lines: header, objects, attribute records, run lists, values.
    ///
    /// # Errors
    /// When a count does not fit, the vertices do not ascend, or the poses are not of one shape.
    pub fn to_bytes(&self) -> ReadResult<Vec<u8>> {
        let mut objects = Vec::new();
        let mut at = HEADER_SIZE + OBJECT_SIZE * self.objects.len() as u64;
        for (index, source) in self.objects.iter().enumerate() {
            let object = source.record(index, at)?;
            at += u64::from(object.record_size) * u64::from(object.attribute_count);
            objects.push(object);
        }
        let mut data = Data { start: at, bytes: Vec::new() };
        for (object, source) in objects.iter_mut().zip(&self.objects) {
            for (index, attribute) in source.attributes.iter().enumerate() {
                let offset = u64::from(object.data) + u64::from(object.record_size) * index as u64;
                object.attributes.push(attribute.record(offset, &mut data));
            }
        }
        let mut kinds: Vec<u8> = self
            .objects
            .iter()
            .flat_map(|object| &object.attributes)
            .map(|attribute| attribute.kind)
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let header = FacialHeader {
            max_poses: objects.iter().map(|object| object.pose_count).max().unwrap_or(0),
            object_count: half(objects.len(), "facial objects")?,
            attribute_types: half(kinds.len(), "facial attribute types")?,
            padding: 0,
        };
        let mut bytes = header.to_bytes().to_vec();
        bytes.extend(objects.iter().flat_map(Object::to_bytes));
        bytes.extend(objects.iter().flat_map(|object| &object.attributes).flat_map(Attribute::to_bytes));
        bytes.extend(data.bytes);
        bytes.resize(align32(bytes.len() as u64) as usize, 0);
        Ok(bytes)
    }
}

fn half(count: usize, what: &str) -> ReadResult<u16> {
    u16::try_from(count).map_err(|_| ReadError::new(what, 0, "at most 65535", format!("{count}")))
}

/// Run lists and values, each on its own 32-byte line.
struct Data {
    start: u64,
    bytes: Vec<u8>,
}

impl Data {
    fn store(&mut self, bytes: impl IntoIterator<Item = u8>) -> u32 {
        let at = align32(self.start + self.bytes.len() as u64);
        self.bytes.resize((at - self.start) as usize, 0);
        self.bytes.extend(bytes);
        at as u32
    }
}

impl ObjectSource {
    fn record(&self, index: usize, data: u64) -> ReadResult<Object> {
        let what = format!("facial object {index}");
        let poses = self.attributes.first().map_or(0, |attribute| attribute.poses.len());
        for attribute in &self.attributes {
            attribute.check(&what, poses)?;
        }
        Ok(Object {
            offset: HEADER_SIZE + OBJECT_SIZE * index as u64,
            pose_count: half(poses, &what)?,
            attribute_count: half(self.attributes.len(), &what)?,
            record_size: (ATTRIBUTE_SIZE + 4 * poses as u64) as u32,
            data: data as u32,
            attributes: Vec::new(),
        })
    }
}

impl AttributeSource {
    fn check(&self, what: &str, poses: usize) -> ReadResult<()> {
        let wrong = |want: &str, have: String| Err(ReadError::new(what, 0, want, have));
        if self.poses.len() != poses {
            return wrong("attributes with the same number of poses", format!("{}", self.poses.len()));
        }
        let pairs = self.vertices.iter().zip(self.vertices.iter().skip(1));
        if let Some((first, second)) = pairs.into_iter().find(|(first, second)| first >= second) {
            return wrong("vertices in ascending order", format!("{first} before {second}"));
        }
        match self.poses.iter().find(|values| values.len() != self.vertices.len()) {
            Some(values) => wrong("one value a vertex", format!("{} values", values.len())),
            None => Ok(()),
        }
    }

    fn record(&self, offset: u64, data: &mut Data) -> Attribute {
        let runs = runs(&self.vertices);
        let runs_at = data.store(runs.iter().flat_map(Run::to_bytes));
        let poses = self
            .poses
            .iter()
            .map(|values| data.store(values.as_flattened().iter().flat_map(|value| value.to_be_bytes())))
            .collect();
        Attribute {
            offset,
            entries: self.vertices.len() as u32,
            submesh: self.submesh,
            kind: self.kind,
            components: 3,
            width: 2,
            runs_at,
            poses,
            runs,
        }
    }
}

fn runs(vertices: &[u16]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for &vertex in vertices {
        match runs.last_mut() {
            Some(run) if run.length < u16::MAX && vertex - run.first == run.length => run.length += 1,
            _ => runs.push(Run { first: vertex, length: 1 }),
        }
    }
    runs
}
