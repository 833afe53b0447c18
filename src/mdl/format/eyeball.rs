//! `mstudioeyeball_t`: where an eye sits in its bone and which flexdescs raise its lids.

use schemars::JsonSchema;
use serde::Serialize;

use super::header::Table;
use super::reader::Reader;
use crate::bytes::{ReadResult, View};

/// An eyeball; vectors are in its bone's space.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Eyeball {
    /// File offset.
    pub offset: u64,
    /// Name for people.
    pub name: String,
    /// Bone it sits in.
    pub bone: i32,
    /// Centre.
    pub origin: [f32; 3],
    /// Sideways tilt of the gaze (half of what is applied).
    pub z_offset: f32,
    /// Radius in units.
    pub radius: f32,
    /// Up.
    pub up: [f32; 3],
    /// Straight ahead.
    pub forward: [f32; 3],
    /// Inverse size of the iris.
    pub iris_scale: f32,
    /// The upper lid.
    pub upper: Lid,
    /// The lower lid.
    pub lower: Lid,
    /// Whether the lids are left alone (`m_bNonFACS`).
    pub non_facs: bool,
}

/// One lid: three flexdescs, each with the height it stands for, and the flexdesc that receives the
/// lid's height.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Lid {
    /// Flexdescs of raiser, neutral and lowerer, in any order: each is paired with its target.
    pub flexdescs: [i32; 3],
    /// Heights in units over the eye's centre (the SDK's comment says radians; they are heights).
    pub targets: [f32; 3],
    /// The flexdesc that holds the lid's geometry.
    pub lid_flexdesc: i32,
}

pub(super) fn read(reader: &mut Reader, base: u64, table: Table, model: &str) -> ReadResult<Vec<Eyeball>> {
    let entries = reader.table(base, table, 172, &format!("{model} eyeballs"))?;
    entries.map(|entry| read_eyeball(reader, &entry)).collect()
}

fn read_eyeball(reader: &Reader, entry: &View) -> ReadResult<Eyeball> {
    let what = "eyeball";
    let name = entry.i32(0, what)?;
    let lid = |flexdescs: u64, targets: u64, lid_flexdesc: u64| -> ReadResult<Lid> {
        let index = |at| entry.i32(flexdescs + at, what);
        Ok(Lid {
            flexdescs: [index(0)?, index(4)?, index(8)?],
            targets: entry.f32s(targets, what)?,
            lid_flexdesc: entry.i32(lid_flexdesc, what)?,
        })
    };
    Ok(Eyeball {
        offset: entry.base(),
        // Nothing looks an eyeball up by its name, and compilers leave the offset 0.
        name: reader.name(entry.base(), name, what).unwrap_or_default(),
        bone: entry.i32(4, what)?,
        origin: entry.f32s(8, what)?,
        z_offset: entry.f32(20, what)?,
        radius: entry.f32(24, what)?,
        up: entry.f32s(28, what)?,
        forward: entry.f32s(40, what)?,
        iris_scale: entry.f32(60, what)?,
        upper: lid(68, 92, 116)?,
        lower: lid(80, 104, 120)?,
        non_facs: entry.u8(140, what)? != 0,
    })
}
