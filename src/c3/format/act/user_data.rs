//! The user data of Sluggers skeletons: a chain of records. \[JAWS survey\]
//!
//! Record: u32 size (its own 0xC bytes included), u16 kind, u16 count, u32 offset of its data, counted
//! from the ACT start \[INF\]. The next record follows after `size` bytes.

use super::Act;
use crate::bytes::{Endian, ReadError, ReadResult, View};

/// Size of a record's header in bytes.
const RECORD_SIZE: u64 = 0xC;

/// A bone's line in the mirror table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MirrorBone {
    /// The bone on the other side; its own number for a bone on the middle.
    pub bone: u8,
    /// What the bone is; meaning not known.
    pub role: u8,
}

/// What a record holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserDataKind {
    /// Kind 2: one line a bone, an involution.
    Mirror(Vec<MirrorBone>),
    /// Kind 3: the animation track id of each bone, 0xFFFF for none.
    TrackIds(Vec<u16>),
    /// Any other kind (4 is known to exist).
    Opaque(u16),
}

/// A record of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserData {
    /// Offset of the record in the ACT.
    pub offset: u64,
    /// Size of the record with its header, in bytes.
    pub size: u32,
    /// Number of elements that the record claims.
    pub count: u16,
    /// Offset of its data in the ACT.
    pub data: u32,
    /// The data.
    pub kind: UserDataKind,
}

impl Act<'_> {
    /// The user data read as a Sluggers chain.
    ///
    /// # Errors
    /// When the bytes are not such a chain: other games keep their own things there.
    pub fn user_data_chain(&self) -> ReadResult<Vec<UserData>> {
        let chain = View::new(self.user_data_bytes()?, Endian::Big);
        let mut records = Vec::new();
        let mut at = 0;
        while at < chain.len() {
            let record = self.user_data_record(u64::from(self.header.user_data) + at)?;
            at += u64::from(record.size);
            records.push(record);
        }
        Ok(records)
    }

    fn user_data_record(&self, offset: u64) -> ReadResult<UserData> {
        let view = self.view();
        let size = view.u32(offset, "user data record size")?;
        if u64::from(size) < RECORD_SIZE {
            return Err(ReadError::new(
                "user data record size",
                view.base() + offset,
                format!("at least {RECORD_SIZE:#x}"),
                format!("{size:#x}"),
            ));
        }
        let kind = view.u16(offset + 4, "user data record kind")?;
        let count = view.u16(offset + 6, "user data record count")?;
        let data = view.u32(offset + 8, "user data record")?;
        let kind = match kind {
            2 => {
                let pairs = view.table(data.into(), count.into(), 2, "mirror table")?;
                let line = |pair: &[u8]| MirrorBone { bone: pair[0], role: pair[1] };
                UserDataKind::Mirror(pairs.bytes().chunks_exact(2).map(line).collect())
            }
            3 => {
                let ids = view.table(data.into(), count.into(), 2, "track ids")?;
                let id = |pair: &[u8]| u16::from_be_bytes([pair[0], pair[1]]);
                UserDataKind::TrackIds(ids.bytes().chunks_exact(2).map(id).collect())
            }
            other => UserDataKind::Opaque(other),
        };
        Ok(UserData { offset, size, count, data, kind })
    }
}
