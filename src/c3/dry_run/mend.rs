//! A model's files with entries that faulted made harmless, to see what else happens.

use std::collections::BTreeSet;

use crate::c3::format::skn::{EntryId, List};
use crate::c3::model::{LooseFiles, Model};

/// What of an entry is mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    /// Its vertex count.
    Count,
    /// Its bones, as far as they lie behind the bone array: the first bone in their place.
    Bone,
}

/// What is mended of which entries.
pub(super) type Mends = BTreeSet<(EntryId, Field)>;

/// The files of a model, mended.
pub(super) enum MendedFiles {
    Block(Vec<u8>),
    Loose { gpl: Vec<u8>, skn: Vec<u8>, act: Option<Vec<u8>> },
}

impl MendedFiles {
    /// Nothing where there is no skinning section.
    pub fn new(model: &Model, mends: &Mends) -> Option<Self> {
        let skn = model.skn.as_ref()?;
        let mut bytes = match &model.block {
            Some(block) => block.view().bytes().to_vec(),
            None => skn.view().bytes().to_vec(),
        };
        let bones = super::poses::rest(model).len();
        for &(entry, field) in mends {
            let start = (skn.view().base() + skn.entry_offset(entry)) as usize;
            match field {
                Field::Count => put(&mut bytes, start + count_at(entry.list), harmless_count(entry.list))?,
                Field::Bone => {
                    for &at in bones_at(entry.list) {
                        let bone = bytes.get(start + at..start + at + 2)?;
                        if usize::from(u16::from_be_bytes([bone[0], bone[1]])) >= bones {
                            put(&mut bytes, start + at, 0)?;
                        }
                    }
                }
            }
        }
        Some(match &model.block {
            Some(_) => Self::Block(bytes),
            None => Self::Loose {
                gpl: model.gpl.as_ref()?.view().bytes().to_vec(),
                skn: bytes,
                act: model.act.map(|view| view.bytes().to_vec()),
            },
        })
    }

    /// The model that they hold.
    pub fn model(&self) -> Option<Model<'_>> {
        match self {
            Self::Block(bytes) => Model::from_block(bytes).ok(),
            Self::Loose { gpl, skn, act } => {
                let files = LooseFiles { gpl, skn: Some(skn), act: act.as_deref(), anm: None };
                Model::from_loose(files).ok()
            }
        }
    }
}

fn put(bytes: &mut [u8], at: usize, value: u16) -> Option<()> {
    bytes.get_mut(at..at + 2)?.copy_from_slice(&value.to_be_bytes());
    Some(())
}

const fn count_at(list: List) -> usize {
    match list {
        List::Sk1 => 0x3A,
        List::Sk2 => 0x70,
        List::SkAcc => 0x42,
    }
}

const fn harmless_count(list: List) -> u16 {
    match list {
        List::Sk1 | List::Sk2 => 3,
        List::SkAcc => 1,
    }
}

const fn bones_at(list: List) -> &'static [usize] {
    match list {
        List::Sk1 => &[0x38],
        List::Sk2 => &[0x6C, 0x6E],
        List::SkAcc => &[0x40],
    }
}
