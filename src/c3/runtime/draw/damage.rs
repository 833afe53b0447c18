//! What the display code or the graphics processor meets where a frame wrote over a structure.

use crate::c3::format::gpl::{ArrayKind, Attribute, StructureKind};
use crate::c3::runtime::journal::Writer;

/// States that the library and Super Sluggers know. [formats.md 1.4]
const STATES: [u8; 6] = [1, 3, 4, 5, 6, 7];

/// Damage that the graphics processor meets: no fault of the CPU's, but nothing good either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Submesh number.
    pub submesh: u32,
    /// Display state number; arrays belong to all of them.
    pub state: Option<u16>,
    /// What is wrong.
    pub kind: DamageKind,
    /// Who wrote there.
    pub writer: Option<Writer>,
}

/// Kinds of damage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DamageKind {
    /// The list pointer now leads elsewhere in memory.
    Redirected(u32),
    /// The state sets something else than the file says.
    Setting {
        /// The state's kind, as it lies there now.
        id: u8,
        /// What it sets now.
        setting: u32,
    },
    /// The list is said to have another size, in bytes.
    Size(u32),
    /// The list holds a command that is none: the graphics FIFO stops there.
    UnknownCommand(String),
    /// The list still reads as commands, and they are others than the file says.
    Changed {
        /// Offset of the first byte in the list.
        first: u32,
        /// How many bytes.
        changed: u32,
        /// Bytes of the list.
        size: u32,
    },
    /// A primitive indexes past the end of an array.
    Index {
        /// Which attribute.
        attribute: Attribute,
        /// The index.
        index: u16,
        /// Elements the array holds.
        count: u16,
    },
    /// Elements of an array are not what the file says.
    Elements {
        /// What the array holds.
        array: ArrayKind,
        /// The first of them.
        first: u32,
        /// How many.
        changed: u32,
        /// Elements the array holds.
        count: u16,
    },
}

impl Damage {
    /// The name of the structure that it lies in, as [`crate::c3::format::gpl::Structure::name`] gives it.
    pub fn structure(&self) -> String {
        let list = self.state.map_or(StructureKind::StateList, StructureKind::PrimitiveList);
        let kind = match self.kind {
            DamageKind::Redirected(_) | DamageKind::Setting { .. } | DamageKind::Size(_) => {
                StructureKind::StateList
            }
            DamageKind::UnknownCommand(_) | DamageKind::Changed { .. } | DamageKind::Index { .. } => list,
            DamageKind::Elements { array, .. } => StructureKind::Array(array),
        };
        format!("submesh {} {kind}", self.submesh)
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "submesh {}", self.submesh)?;
        if let Some(state) = self.state {
            write!(f, " state {state}")?;
        }
        write!(f, ": ")?;
        match &self.kind {
            DamageKind::Redirected(address) => write!(f, "the list pointer now leads to {address:#010x}"),
            DamageKind::Setting { id, setting } => {
                let unknown = if STATES.contains(id) { "" } else { ", which the display code does not know" };
                write!(f, "the state is now {id} with the setting {setting:#010x}{unknown}")
            }
            DamageKind::Size(size) => write!(f, "the list is now said to have {size:#x} bytes"),
            DamageKind::UnknownCommand(error) => write!(f, "the graphics FIFO stops: {error}"),
            DamageKind::Changed { first, changed, size } => {
                write!(
                    f,
                    "{changed} of {size} bytes of the list are not what the file says, the first at {first:#x}"
                )
            }
            DamageKind::Index { attribute, index, count } => {
                write!(f, "{attribute} index {index} of an array of {count}")
            }
            DamageKind::Elements { array, first, changed, count } => {
                let what = array.name();
                write!(
                    f,
                    "{changed} of {count} {what} elements are not what the file says, the first {first}"
                )
            }
        }?;
        match self.writer {
            Some(writer) => write!(f, " (written by {writer})"),
            None => Ok(()),
        }
    }
}
