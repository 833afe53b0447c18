//! The bone tree, walked as the runtime walks it.

use super::{Act, BONE_SIZE, HEADER_SIZE};
use crate::bytes::{ReadError, ReadResult};

/// A bone as the walk meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    /// Number of the bone's record in the file.
    pub record: usize,
    /// Place of the parent in the walk.
    pub parent: Option<usize>,
}

/// A link still to be followed.
struct Link {
    offset: u32,
    /// Where the link itself lies, in bytes from the ACT start.
    from: u64,
    name: &'static str,
    parent: Option<usize>,
}

impl Act<'_> {
    /// Walks the tree from the root: a bone, its children, then its next sibling. Only the root, `next`
    /// and `children` links count; siblings of the root are further roots. \[listing\]
    ///
    /// # Errors
    /// When a link does not meet a bone record, a bone is met twice, or the number of bones met is not
    /// the header's (the library panics: "Incorrect number of bones in actor").
    pub fn walk(&self) -> ReadResult<Vec<Visit>> {
        let mut visits: Vec<Visit> = Vec::new();
        let mut met = vec![false; self.bones.len()];
        let mut links = vec![Link { offset: self.header.root, from: 0x0C, name: "root", parent: None }];
        while let Some(link) = links.pop() {
            if link.offset == 0 {
                continue;
            }
            let record = self.record_at(link.offset).ok_or_else(|| self.dangling(&link))?;
            if std::mem::replace(&mut met[record], true) {
                return Err(self.met_twice(&link, record));
            }
            let place = visits.len();
            visits.push(Visit { record, parent: link.parent });
            let bone = &self.bones[record];
            let (next, children) = (bone.offset + 0x08, bone.offset + 0x10);
            links.push(Link { offset: bone.next, from: next, name: "next", parent: link.parent });
            links.push(Link { offset: bone.children, from: children, name: "children", parent: Some(place) });
        }
        if visits.len() != usize::from(self.header.bone_count) {
            return Err(ReadError::new(
                "bone count",
                self.view().base() + 6,
                format!("{} bones, as the header says", self.header.bone_count),
                format!("{} that the tree reaches", visits.len()),
            ));
        }
        Ok(visits)
    }

    fn dangling(&self, link: &Link) -> ReadError {
        let past_table = u64::from(link.offset).checked_sub(HEADER_SIZE).filter(|from| from % BONE_SIZE == 0);
        if past_table.is_some() && self.view().take(link.offset.into(), BONE_SIZE, "").is_ok() {
            // The library follows the link, finds one bone more than the header says, and panics.
            return ReadError::new(
                "bone count",
                self.view().base() + 6,
                format!("{} bones, as the header says", self.header.bone_count),
                format!("a {} link to the record behind them at {:#x}", link.name, link.offset),
            );
        }
        ReadError::new(
            format!("{} link", link.name),
            self.view().base() + link.from,
            format!(
                "the offset of one of {} bone records ({HEADER_SIZE:#x} + n * {BONE_SIZE:#x})",
                self.bones.len()
            ),
            format!("{:#x}", link.offset),
        )
    }

    fn met_twice(&self, link: &Link, record: usize) -> ReadError {
        ReadError::new(
            format!("{} link", link.name),
            self.view().base() + link.from,
            "a bone that the walk has not met yet",
            format!("bone record {record} ({:#x}) again: a cycle, or two ways to one bone", link.offset),
        )
    }
}
