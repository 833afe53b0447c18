//! `studiohdr_t`: the first 408 bytes of an MDL, the same in versions 44 to 48 and, for what is
//! read here, in 49. `[spec: SDK]`

use schemars::JsonSchema;
use serde::Serialize;

use super::reader::{Reader, fixed_name};
use crate::bytes::{ReadError, ReadResult};

/// Size of `studiohdr_t` in bytes.
pub const HEADER_SIZE: u64 = 408;
/// Versions read.
pub const VERSIONS: std::ops::RangeInclusive<i32> = 44..=49;
/// `STUDIOHDR_FLAGS_FLEXES_CONVERTED`: deltas are fixed point in the file already.
pub const FLAG_FLEXES_CONVERTED: u32 = 0x4000;
/// `STUDIOHDR_FLAGS_VERT_ANIM_FIXED_POINT_SCALE`: the header holds the fixed-point scale.
pub const FLAG_FIXED_POINT_SCALE: u32 = 0x0020_0000;
/// `STUDIOHDR_FLAGS_STATIC_PROP`.
pub const FLAG_STATIC_PROP: u32 = 0x10;
/// Fixed-point scale when the header's flag is clear.
pub const DEFAULT_FIXED_POINT_SCALE: f32 = 1.0 / 4096.0;

/// A table as a structure names it: number of entries, offset from the structure's start.
pub(super) type Table = (i32, i32);

/// A table as the header names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeaderTable {
    /// Number of entries.
    pub count: i32,
    /// Offset from the start of the file.
    pub offset: i32,
    /// File offset of the header's field that holds the count; the table's offset is the next field.
    pub field: u64,
}

/// What the header says about the whole model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Header {
    /// Format version, 44 to 49.
    pub version: i32,
    /// Shared with the .vvd and .vtx of the same compile.
    pub checksum: u32,
    /// Path of the model inside the game's `models` folder.
    pub name: String,
    /// Length of the file in bytes, as the compiler wrote it.
    pub length: u32,
    /// `STUDIOHDR_FLAGS_*`.
    pub flags: u32,
    /// `flVertAnimFixedPointScale`; counts only with its flag, see [`Header::fixed_point_scale`].
    pub vert_anim_fixed_point_scale: f32,
    /// Bone flex drivers in `studiohdr2_t` (controllers that move bones); 0 when it has none.
    pub bone_flex_drivers: u32,
}

impl Header {
    /// Whether the deltas in the file are fixed point (flag 0x4000) and not half floats.
    pub fn flexes_converted(&self) -> bool {
        self.flags & FLAG_FLEXES_CONVERTED != 0
    }

    /// Whether the header's own fixed-point scale is used (flag 0x200000).
    pub fn has_fixed_point_scale(&self) -> bool {
        self.flags & FLAG_FIXED_POINT_SCALE != 0
    }

    /// Units per step of a fixed-point delta: the header's when flagged, else 1/4096.
    pub fn fixed_point_scale(&self) -> f32 {
        if self.has_fixed_point_scale() {
            self.vert_anim_fixed_point_scale
        } else {
            DEFAULT_FIXED_POINT_SCALE
        }
    }
}

/// Where the header says its tables lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tables {
    pub bones: HeaderTable,
    pub body_parts: HeaderTable,
    pub flexdescs: HeaderTable,
    pub controllers: HeaderTable,
    pub rules: HeaderTable,
    pub mouths: HeaderTable,
    pub controller_ui: HeaderTable,
}

pub(super) fn read(reader: &Reader) -> ReadResult<(Header, Tables)> {
    let view = reader.view();
    let magic = view.take(0, 4, "MDL identifier")?;
    if magic != b"IDST" {
        return Err(ReadError::new(
            "MDL identifier",
            0,
            "IDST",
            format!("{:?}", magic.escape_ascii().to_string()),
        ));
    }
    let version = view.i32(4, "MDL version")?;
    if !VERSIONS.contains(&version) {
        return Err(ReadError::new("MDL version", 4, "44 to 49", version.to_string()));
    }
    view.take(0, HEADER_SIZE, "MDL header")?;
    let length = view.u32(76, "MDL length")?;
    if u64::from(length) > view.len() {
        return Err(ReadError::new(
            "MDL length",
            76,
            format!("{length} bytes"),
            format!("a file of {} bytes", view.len()),
        ));
    }
    let table = |field: u64| -> ReadResult<HeaderTable> {
        let (count, offset) = (view.i32(field, "MDL header")?, view.i32(field + 4, "MDL header")?);
        Ok(HeaderTable { count, offset, field })
    };
    let header = Header {
        version,
        checksum: view.u32(8, "MDL checksum")?,
        name: fixed_name(&view, 12, 64, "MDL name")?,
        length,
        flags: view.u32(152, "MDL flags")?,
        vert_anim_fixed_point_scale: view.f32(392, "flVertAnimFixedPointScale")?,
        bone_flex_drivers: bone_flex_drivers(reader),
    };
    let tables = Tables {
        bones: table(156)?,
        body_parts: table(232)?,
        flexdescs: table(260)?,
        controllers: table(268)?,
        rules: table(276)?,
        mouths: table(292)?,
        controller_ui: table(384)?,
    };
    Ok((header, tables))
}

/// The count in `studiohdr2_t`. Only told, never followed, and branches of version 49 use the field
/// that leads to it for other purposes: what cannot be read counts as none.
fn bone_flex_drivers(reader: &Reader) -> u32 {
    let view = reader.view();
    let Ok(at @ 1..) = view.u32(400, "studiohdr2index") else { return 0 };
    let read = |offset: u64| view.u32(u64::from(at) + offset, "studiohdr2");
    match (read(24), read(28)) {
        (Ok(count), Ok(index)) if u64::from(count) * 24 <= view.len() && index != 0 => count,
        _ => 0,
    }
}
