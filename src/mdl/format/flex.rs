//! The four kinds of flex structures that hang on the header: targets (flexdescs), inputs
//! (controllers), the rules between them, and how the face poser groups the inputs. `[seed 004]`

use schemars::JsonSchema;
use serde::Serialize;

use super::header::HeaderTable;
use super::opcode::Op;
use super::reader::Reader;
use crate::bytes::ReadResult;

/// `mstudioflexdesc_t`: a shape that meshes can be deformed into. It is a name and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FlexDesc {
    /// FACS name (`AU1`, `rightBrowRaiser`).
    pub name: String,
}

/// `mstudioflexcontroller_t`: a slider that the game sets.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlexController {
    /// Group ("eyelid", "phoneme").
    pub kind: String,
    /// Name the game sets it by.
    pub name: String,
    /// Run-time scratch, −1 in a compiler's output.
    pub local_to_global: i32,
    /// Value at slider position 0.
    pub min: f32,
    /// Value at slider position 1.
    pub max: f32,
}

/// `mstudioflexrule_t`: a program that computes one flexdesc's weight.
#[derive(Debug, Clone, PartialEq)]
pub struct FlexRule {
    /// File offset of the rule.
    pub offset: u64,
    /// The flexdesc it sets.
    pub flexdesc: i32,
    /// Reverse Polish program.
    pub ops: Vec<Op>,
}

/// How a UI slider's 0..1 becomes controller values; presentation only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Remap {
    /// 0: the controller's own value.
    PassThrough,
    /// 1: left half, right half.
    TwoWay,
    /// 2: one of several shapes, picked by a second (value) controller.
    NWay,
    /// 3: eyelid.
    Eyelid,
    /// Any other number.
    Unknown(u8),
}

/// `mstudioflexcontrollerui_t`: a group of sliders in the face poser.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ControllerUi {
    /// File offset of the structure: its three indices count from here.
    pub offset: u64,
    /// Name shown.
    pub name: String,
    /// `szindex0..2`: despite the name, byte offsets from this structure to controllers.
    pub indices: [i32; 3],
    /// Kind of slider.
    pub remap: Remap,
    /// Whether index 0 is the left and index 1 the right controller.
    pub stereo: bool,
}

/// `mstudiomouth_t`: a flexdesc that sound drives at run time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Mouth {
    /// Bone the mouth belongs to.
    pub bone: i32,
    /// Direction in that bone's space.
    pub forward: [f32; 3],
    /// The flexdesc it drives.
    pub flexdesc: i32,
}

pub(super) fn read_flexdescs(reader: &mut Reader, table: HeaderTable) -> ReadResult<Vec<FlexDesc>> {
    let entries = reader.header_table(table, 4, "flexdescs")?;
    entries
        .map(|entry| {
            let relative = entry.i32(0, "flexdesc name")?;
            Ok(FlexDesc { name: reader.name(entry.base(), relative, "flexdesc name")? })
        })
        .collect()
}

pub(super) fn read_controllers(reader: &mut Reader, table: HeaderTable) -> ReadResult<Vec<FlexController>> {
    let entries = reader.header_table(table, CONTROLLER_SIZE, "flex controllers")?;
    entries
        .map(|entry| {
            let kind = entry.i32(0, "flex controller type")?;
            let name = entry.i32(4, "flex controller name")?;
            Ok(FlexController {
                kind: reader.name(entry.base(), kind, "flex controller type")?,
                name: reader.name(entry.base(), name, "flex controller name")?,
                local_to_global: entry.i32(8, "flex controller localToGlobal")?,
                min: entry.f32(12, "flex controller min")?,
                max: entry.f32(16, "flex controller max")?,
            })
        })
        .collect()
}

/// Size of `mstudioflexcontroller_t` in bytes.
pub(super) const CONTROLLER_SIZE: u64 = 20;

pub(super) fn read_rules(reader: &mut Reader, table: HeaderTable) -> ReadResult<Vec<FlexRule>> {
    let entries = reader.header_table(table, 12, "flex rules")?;
    let mut rules = Vec::new();
    for entry in entries {
        let ops = (entry.i32(4, "flex rule numops")?, entry.i32(8, "flex rule opindex")?);
        let ops = reader.table(entry.base(), ops, 8, &format!("flex rule {} ops", rules.len()))?;
        rules.push(FlexRule {
            offset: entry.base(),
            flexdesc: entry.i32(0, "flex rule flex")?,
            ops: ops
                .map(|op| Ok(Op::decode(op.i32(0, "flex op")?, op.u32(4, "flex op operand")?)))
                .collect::<ReadResult<_>>()?,
        });
    }
    Ok(rules)
}

pub(super) fn read_controller_ui(reader: &mut Reader, table: HeaderTable) -> ReadResult<Vec<ControllerUi>> {
    let entries = reader.header_table(table, 20, "flex controller UI")?;
    entries
        .map(|entry| {
            let name = entry.i32(0, "flex controller UI name")?;
            let index = |at| entry.i32(at, "flex controller UI index");
            Ok(ControllerUi {
                offset: entry.base(),
                name: reader.name(entry.base(), name, "flex controller UI name")?,
                indices: [index(4)?, index(8)?, index(12)?],
                remap: match entry.u8(16, "flex controller UI remap type")? {
                    0 => Remap::PassThrough,
                    1 => Remap::TwoWay,
                    2 => Remap::NWay,
                    3 => Remap::Eyelid,
                    other => Remap::Unknown(other),
                },
                stereo: entry.u8(17, "flex controller UI stereo")? != 0,
            })
        })
        .collect()
}

pub(super) fn read_mouths(reader: &mut Reader, table: HeaderTable) -> ReadResult<Vec<Mouth>> {
    let entries = reader.header_table(table, 20, "mouths")?;
    entries
        .map(|entry| {
            Ok(Mouth {
                bone: entry.i32(0, "mouth bone")?,
                forward: entry.f32s(4, "mouth forward")?,
                flexdesc: entry.i32(16, "mouth flexdesc")?,
            })
        })
        .collect()
}
