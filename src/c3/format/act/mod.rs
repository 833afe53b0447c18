//! The skeleton: a header, a table of bone records that are linked into a tree, and their controls.
//!
//! Every offset counts from the start of the ACT; 0 stands for "none". The bone table follows the header.
//! \[listing: April 2001 library\]

use std::collections::BTreeMap;

use crate::bytes::{Endian, ReadError, ReadResult, View};

pub mod control;
pub mod source;
pub mod tree;
pub mod user_data;

pub use control::Control;
pub use source::{ActSource, BoneSource};
pub use tree::Visit;
pub use user_data::{MirrorBone, UserData, UserDataKind};

/// The only version word that the library takes, in ACT and ANM files alike: 8092000.
pub const VERSION: u32 = 8_092_000;
/// Size of the header in bytes; the bone table follows.
pub const HEADER_SIZE: u64 = 0x20;
/// Size of a bone record in bytes.
pub const BONE_SIZE: u64 = 0x1C;
/// Index of a skin or display object that stands for "none".
pub const NO_OBJECT: u16 = 0xFFFF;

/// The header, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActHeader {
    /// Version word, [`VERSION`].
    pub version: u32,
    /// Actor id.
    pub actor_id: u16,
    /// Number of bone records.
    pub bone_count: u16,
    /// Offset of the link block inside a bone record (4); the runtime does not read it.
    pub branch_offset: u32,
    /// Offset of the root bone record.
    pub root: u32,
    /// Offset of the geometry palette's name.
    pub palette_name: u32,
    /// Index of the skin object in the palette, [`NO_OBJECT`] for none.
    pub skin_object: u16,
    /// Unused halfword at +0x16.
    pub padding: u16,
    /// Size of the user data in bytes.
    pub user_data_size: u32,
    /// Offset of the user data.
    pub user_data: u32,
}

impl ActHeader {
    fn parse(view: View) -> ReadResult<Self> {
        let header = view.sub(0, HEADER_SIZE, "ACT header")?;
        let word = |offset| header.u32(offset, "ACT header");
        let half = |offset| header.u16(offset, "ACT header");
        Ok(Self {
            version: word(0x00)?,
            actor_id: half(0x04)?,
            bone_count: half(0x06)?,
            branch_offset: word(0x08)?,
            root: word(0x0C)?,
            palette_name: word(0x10)?,
            skin_object: half(0x14)?,
            padding: half(0x16)?,
            user_data_size: word(0x18)?,
            user_data: word(0x1C)?,
        })
    }

    /// The header as stored in a file.
    pub fn to_bytes(&self) -> [u8; HEADER_SIZE as usize] {
        let mut bytes = [0; HEADER_SIZE as usize];
        bytes[0x00..0x04].copy_from_slice(&self.version.to_be_bytes());
        bytes[0x04..0x06].copy_from_slice(&self.actor_id.to_be_bytes());
        bytes[0x06..0x08].copy_from_slice(&self.bone_count.to_be_bytes());
        bytes[0x08..0x0C].copy_from_slice(&self.branch_offset.to_be_bytes());
        bytes[0x0C..0x10].copy_from_slice(&self.root.to_be_bytes());
        bytes[0x10..0x14].copy_from_slice(&self.palette_name.to_be_bytes());
        bytes[0x14..0x16].copy_from_slice(&self.skin_object.to_be_bytes());
        bytes[0x16..0x18].copy_from_slice(&self.padding.to_be_bytes());
        bytes[0x18..0x1C].copy_from_slice(&self.user_data_size.to_be_bytes());
        bytes[0x1C..0x20].copy_from_slice(&self.user_data.to_be_bytes());
        bytes
    }
}

/// A bone record, every field as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bone {
    /// Offset of the record in the ACT.
    pub offset: u64,
    /// Offset of the orientation control, 0 for none.
    pub control: u32,
    /// Offset of the previous sibling's record; the runtime does not read it.
    pub previous: u32,
    /// Offset of the next sibling's record.
    pub next: u32,
    /// Offset of the parent's record; the runtime does not read it.
    pub parent: u32,
    /// Offset of the first child's record.
    pub children: u32,
    /// Index of the display object that the bone owns, [`NO_OBJECT`] for none (the "GEO ID").
    pub display_object: u16,
    /// Bone id: what animation tracks name.
    pub id: u16,
    /// Inheritance flag: the bone follows its parent only when this is 1.
    pub inheritance: u8,
    /// Drawing priority.
    pub drawing_priority: u8,
    /// Unused halfword at +0x1A.
    pub padding: u16,
}

impl Bone {
    fn parse(view: View, offset: u64) -> ReadResult<Self> {
        let record = view.sub(offset, BONE_SIZE, "bone record")?;
        let word = |offset| record.u32(offset, "bone record");
        Ok(Self {
            offset,
            control: word(0x00)?,
            previous: word(0x04)?,
            next: word(0x08)?,
            parent: word(0x0C)?,
            children: word(0x10)?,
            display_object: record.u16(0x14, "bone record")?,
            id: record.u16(0x16, "bone record")?,
            inheritance: record.u8(0x18, "bone record")?,
            drawing_priority: record.u8(0x19, "bone record")?,
            padding: record.u16(0x1A, "bone record")?,
        })
    }

    /// The record as stored in a file.
    pub fn to_bytes(&self) -> [u8; BONE_SIZE as usize] {
        let mut bytes = [0; BONE_SIZE as usize];
        let words = [self.control, self.previous, self.next, self.parent, self.children];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        bytes[0x14..0x16].copy_from_slice(&self.display_object.to_be_bytes());
        bytes[0x16..0x18].copy_from_slice(&self.id.to_be_bytes());
        bytes[0x18] = self.inheritance;
        bytes[0x19] = self.drawing_priority;
        bytes[0x1A..].copy_from_slice(&self.padding.to_be_bytes());
        bytes
    }

    /// Whether the bone follows its parent.
    pub fn inherits(&self) -> bool {
        self.inheritance == 1
    }
}

/// A parsed skeleton.
#[derive(Debug, Clone)]
pub struct Act<'a> {
    view: View<'a>,
    /// The header as stored.
    pub header: ActHeader,
    /// The bone records that the file holds, in file order.
    pub bones: Vec<Bone>,
    /// The controls that bones point at and the file holds, by offset.
    pub controls: BTreeMap<u32, Control>,
    /// Tables and records that the file does not hold whole.
    pub problems: Vec<ReadError>,
}

impl<'a> Act<'a> {
    /// Reads a loose file.
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
        let header = ActHeader::parse(view)?;
        let mut problems = Vec::new();
        let held = (view.len() - HEADER_SIZE) / BONE_SIZE;
        if held < u64::from(header.bone_count) {
            let problem = ReadError::new(
                "bone table",
                view.base() + HEADER_SIZE,
                format!("{} records of {BONE_SIZE:#x} bytes", header.bone_count),
                format!("room for {held} in {:#x} bytes", view.len()),
            );
            problems.push(problem.led_by(view.base() + 6));
        }
        let bones = (0..held.min(header.bone_count.into()))
            .map(|index| Bone::parse(view, HEADER_SIZE + index * BONE_SIZE))
            .collect::<ReadResult<Vec<_>>>()?;
        let mut controls = BTreeMap::new();
        for bone in &bones {
            if bone.control != 0 && !controls.contains_key(&bone.control) {
                match Control::parse(view, bone.control.into()) {
                    Ok(control) => drop(controls.insert(bone.control, control)),
                    Err(problem) => problems.push(problem.led_by(view.base() + bone.offset)),
                }
            }
        }
        Ok(Self { view, header, bones, controls, problems })
    }

    /// The bytes of the ACT.
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// Refuses a file that the library would refuse.
    ///
    /// # Errors
    /// When the version word is not [`VERSION`].
    pub fn require_version(&self) -> ReadResult<()> {
        if self.header.version == VERSION {
            return Ok(());
        }
        Err(ReadError::new(
            "ACT version",
            self.view.base(),
            format!("{VERSION} ({VERSION:#010x})"),
            format!("{} ({:#010x})", self.header.version, self.header.version),
        ))
    }

    /// The control of a bone; without one, [`Control::IDENTITY`] (type 0).
    ///
    /// # Errors
    /// When the bone points at a control that the file does not hold.
    pub fn control(&self, bone: &Bone) -> ReadResult<Control> {
        match (bone.control, self.controls.get(&bone.control)) {
            (0, _) => Ok(Control::IDENTITY),
            (_, Some(control)) => Ok(*control),
            (offset, None) => Control::parse(self.view, offset.into()),
        }
    }

    /// Whether the actor has a skin object; without one the library builds no skin matrices.
    pub fn has_skin(&self) -> bool {
        self.header.skin_object != NO_OBJECT
    }

    /// The geometry palette's name without its NUL, if there is one.
    ///
    /// # Errors
    /// When the name lies outside the file or does not end.
    pub fn palette_name(&self) -> ReadResult<Option<&'a [u8]>> {
        match self.header.palette_name {
            0 => Ok(None),
            offset => self.view.c_string(offset.into(), "geometry palette name").map(Some),
        }
    }

    /// The user data's bytes; what they mean is each game's own affair (see [`user_data`]).
    ///
    /// # Errors
    /// When they lie outside the file.
    pub fn user_data_bytes(&self) -> ReadResult<&'a [u8]> {
        match self.header.user_data {
            0 => Ok(&[]),
            offset => self.view.take(offset.into(), self.header.user_data_size.into(), "ACT user data"),
        }
    }

    /// The number of the bone record at `offset`, if one starts there.
    pub fn record_at(&self, offset: u32) -> Option<usize> {
        let from_table = u64::from(offset).checked_sub(HEADER_SIZE)?;
        let index = from_table / BONE_SIZE;
        (from_table % BONE_SIZE == 0 && index < self.bones.len() as u64).then_some(index as usize)
    }

    /// The ACT as a file: the parsed bytes with the typed fields laid over them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.view.bytes().to_vec();
        super::overlay(&mut bytes, 0, &self.header.to_bytes());
        for bone in &self.bones {
            super::overlay(&mut bytes, bone.offset, &bone.to_bytes());
        }
        for (&offset, control) in &self.controls {
            super::overlay(&mut bytes, offset.into(), &control.to_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests;
