//! Writing a skeleton from nothing: header, bone table, controls, name and user data in that order.

use super::{BONE_SIZE, Bone, Control, HEADER_SIZE, NO_OBJECT, VERSION, control};
use crate::bytes::{ReadError, ReadResult};
use crate::c3::format::align32;

/// A bone to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct BoneSource {
    /// Bone id: what animation tracks name.
    pub id: u16,
    /// Number of the parent in the list of bones; it comes before its children.
    pub parent: Option<usize>,
    /// Inheritance flag, 1 to follow the parent.
    pub inheritance: u8,
    /// Display object that the bone owns, [`NO_OBJECT`] for none.
    pub display_object: u16,
    /// Drawing priority.
    pub drawing_priority: u8,
    /// The transform in rest; none is written for type 0 without parameters.
    pub control: Control,
}

impl BoneSource {
    /// A bone that follows its parent and owns no mesh.
    pub fn new(id: u16, parent: Option<usize>, control: Control) -> Self {
        Self { id, parent, inheritance: 1, display_object: NO_OBJECT, drawing_priority: 0, control }
    }
}

/// A skeleton to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct ActSource {
    /// Actor id.
    pub actor_id: u16,
    /// Index of the skin object in the palette, [`NO_OBJECT`] for none.
    pub skin_object: u16,
    /// The geometry palette's name without its NUL.
    pub palette_name: Option<Vec<u8>>,
    /// The bones, one record each in this order; siblings are linked in this order too.
    pub bones: Vec<BoneSource>,
    /// User data, copied as they are.
    pub user_data: Vec<u8>,
}

impl ActSource {
    /// The file, padded to whole 32-byte lines.
    ///
    /// # Errors
    /// When there is no bone, more than 65,535 of them, or a parent that does not come before its child.
    pub fn to_bytes(&self) -> ReadResult<Vec<u8>> {
        let count = self.checked_count()?;
        let mut controls = Vec::new();
        let controls_at = HEADER_SIZE + BONE_SIZE * u64::from(count);
        let mut bones = self.linked_bones();
        for (bone, source) in bones.iter_mut().zip(&self.bones) {
            if source.control != Control::IDENTITY {
                bone.control = (controls_at + controls.len() as u64) as u32;
                let mut record = source.control.to_bytes();
                record.resize(record.len().max(control::SIZE as usize), 0);
                controls.extend(record);
            }
        }
        let name_at = controls_at + controls.len() as u64;
        let name: Vec<u8> = self.palette_name.iter().flatten().copied().chain(self.name_end()).collect();
        let user_at = (name_at + name.len() as u64).next_multiple_of(4);
        let header = super::ActHeader {
            version: VERSION,
            actor_id: self.actor_id,
            bone_count: count,
            branch_offset: 4,
            root: HEADER_SIZE as u32,
            palette_name: if name.is_empty() { 0 } else { name_at as u32 },
            skin_object: self.skin_object,
            padding: 0,
            user_data_size: self.user_data.len() as u32,
            user_data: if self.user_data.is_empty() { 0 } else { user_at as u32 },
        };
        let mut bytes = header.to_bytes().to_vec();
        bytes.extend(bones.iter().flat_map(Bone::to_bytes));
        bytes.extend(controls);
        bytes.extend(name);
        bytes.resize(user_at as usize, 0);
        bytes.extend(&self.user_data);
        bytes.resize(align32(bytes.len() as u64) as usize, 0);
        Ok(bytes)
    }

    fn name_end(&self) -> Option<u8> {
        self.palette_name.as_ref().map(|_| 0)
    }

    fn checked_count(&self) -> ReadResult<u16> {
        for (index, bone) in self.bones.iter().enumerate() {
            if let Some(parent) = bone.parent.filter(|&parent| parent >= index) {
                return Err(ReadError::new(
                    format!("bone {index}"),
                    0,
                    "a parent that comes before it",
                    format!("bone {parent}"),
                ));
            }
        }
        match u16::try_from(self.bones.len()) {
            Ok(count) if count > 0 => Ok(count),
            _ => {
                Err(ReadError::new("skeleton", 0, "1 to 65535 bones", format!("{} bones", self.bones.len())))
            }
        }
    }

    /// The records with their links; controls come later.
    fn linked_bones(&self) -> Vec<Bone> {
        let at = |index: usize| (HEADER_SIZE + BONE_SIZE * index as u64) as u32;
        let mut bones: Vec<Bone> = Vec::with_capacity(self.bones.len());
        // The last bone met so far in each list of siblings: [0] the roots, [n + 1] the children of n.
        let mut last = vec![None; self.bones.len() + 1];
        for (index, source) in self.bones.iter().enumerate() {
            let list = source.parent.map_or(0, |parent| parent + 1);
            let previous: Option<usize> = last[list].replace(index);
            match (previous, source.parent) {
                (Some(previous), _) => bones[previous].next = at(index),
                (None, Some(parent)) => bones[parent].children = at(index),
                (None, None) => {}
            }
            bones.push(Bone {
                offset: at(index).into(),
                control: 0,
                previous: previous.map_or(0, at),
                next: 0,
                parent: source.parent.map_or(0, at),
                children: 0,
                display_object: source.display_object,
                id: source.id,
                inheritance: source.inheritance,
                drawing_priority: source.drawing_priority,
                padding: 0,
            });
        }
        bones
    }
}
