//! Source `.mdl` (versions 44 to 49), `.vvd` and `.vtx`: bytes to typed views, no behaviour.
//!
//! Structures are read as they stand; whether an index inside one makes sense is for
//! [`crate::mdl::rules`] to say. Only tables and names that do not lie in the file are errors here.

pub mod eyeball;
pub mod flex;
pub mod half;
pub mod header;
pub mod mesh;
pub mod opcode;
mod reader;
pub mod vtx;
pub mod vvd;

use crate::bytes::{ReadError, ReadResult};
use eyeball::Eyeball;
use flex::{ControllerUi, FlexController, FlexDesc, FlexRule, Mouth};
use header::Header;
use mesh::{BodyPart, Model};
use reader::Reader;

/// The parts of an MDL that flexes need.
#[derive(Debug, Clone, PartialEq)]
pub struct Mdl {
    /// The header's own fields.
    pub header: Header,
    /// Length of the file in bytes.
    pub file_length: u64,
    /// Skeleton.
    pub bones: Vec<Bone>,
    /// Targets.
    pub flexdescs: Vec<FlexDesc>,
    /// Inputs.
    pub controllers: Vec<FlexController>,
    /// File offset of the first controller: the UI's indices lead there.
    pub controllers_offset: u64,
    /// Programs that compute weights from inputs, in the order they run.
    pub rules: Vec<FlexRule>,
    /// Flexdescs driven by sound.
    pub mouths: Vec<Mouth>,
    /// How the face poser groups the inputs.
    pub controller_ui: Vec<ControllerUi>,
    /// Why the controller UI was not read, where it was not: branches of version 49 use its fields
    /// for other purposes.
    pub controller_ui_error: Option<ReadError>,
    /// Body parts with their models and meshes.
    pub body_parts: Vec<BodyPart>,
}

/// `mstudiobone_t`, as far as flexes need it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// Name.
    pub name: String,
    /// Parent's index, −1 for none.
    pub parent: i32,
    /// `poseToBone`: from the model's space at rest into the bone's, three rows of four.
    pub pose_to_bone: [[f32; 4]; 3],
}

impl Mdl {
    /// Reads an MDL.
    ///
    /// # Errors
    /// When the bytes are no MDL of a known version, are fewer than its header says, or a table or
    /// a name does not lie in them.
    pub fn read(bytes: &[u8]) -> ReadResult<Self> {
        let mut reader = Reader::new(bytes);
        let (header, tables) = header::read(&reader)?;
        let (controller_ui, controller_ui_error) =
            match flex::read_controller_ui(&mut reader, tables.controller_ui) {
                Ok(ui) => (ui, None),
                Err(error) if header.version == 49 => (Vec::new(), Some(error)),
                Err(error) => return Err(error),
            };
        Ok(Self {
            file_length: bytes.len() as u64,
            bones: read_bones(&mut reader, tables.bones)?,
            flexdescs: flex::read_flexdescs(&mut reader, tables.flexdescs)?,
            controllers: flex::read_controllers(&mut reader, tables.controllers)?,
            controllers_offset: u64::from(tables.controllers.offset as u32),
            rules: flex::read_rules(&mut reader, tables.rules)?,
            mouths: flex::read_mouths(&mut reader, tables.mouths)?,
            controller_ui,
            controller_ui_error,
            body_parts: mesh::read_body_parts(&mut reader, tables.body_parts)?,
            header,
        })
    }

    /// Whether nothing of the model can flex: no targets, inputs, rules, and no mesh that follows any.
    pub fn has_no_flexes(&self) -> bool {
        self.flexdescs.is_empty()
            && self.controllers.is_empty()
            && self.rules.is_empty()
            && self.flexes().next().is_none()
    }

    /// Every model of every body part.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        self.body_parts.iter().flat_map(|part| &part.models)
    }

    /// Every flex of every mesh.
    pub fn flexes(&self) -> impl Iterator<Item = &mesh::Flex> {
        self.models().flat_map(|model| &model.meshes).flat_map(|mesh| &mesh.flexes)
    }

    /// Every eyeball of every model.
    pub fn eyeballs(&self) -> impl Iterator<Item = &Eyeball> {
        self.models().flat_map(|model| &model.eyeballs)
    }

    /// A flexdesc's name for people, whatever the index.
    pub fn flexdesc_name(&self, index: i32) -> String {
        named(index, usize::try_from(index).ok().and_then(|at| self.flexdescs.get(at)).map(|it| &*it.name))
    }

    /// A controller's name for people, whatever the index.
    pub fn controller_name(&self, index: i32) -> String {
        named(index, usize::try_from(index).ok().and_then(|at| self.controllers.get(at)).map(|it| &*it.name))
    }

    /// The controller that a UI entry's index (a byte offset from the entry) leads to.
    pub fn ui_controller(&self, ui: &ControllerUi, index: i32) -> Option<usize> {
        let target = ui.offset.checked_add_signed(i64::from(index))?;
        let from_first = target.checked_sub(self.controllers_offset)?;
        let at = usize::try_from(from_first / flex::CONTROLLER_SIZE).ok()?;
        (from_first.is_multiple_of(flex::CONTROLLER_SIZE) && at < self.controllers.len()).then_some(at)
    }
}

fn named(index: i32, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{index} '{name}'"),
        None => format!("{index} (none)"),
    }
}

fn read_bones(reader: &mut Reader, table: header::HeaderTable) -> ReadResult<Vec<Bone>> {
    let entries = reader.header_table(table, 216, "bones")?;
    entries
        .map(|entry| {
            let name = entry.i32(0, "bone name")?;
            let row = |at| entry.f32s::<4>(at, "bone poseToBone");
            Ok(Bone {
                name: reader.name(entry.base(), name, "bone name")?,
                parent: entry.i32(4, "bone parent")?,
                pose_to_bone: [row(96)?, row(112)?, row(128)?],
            })
        })
        .collect()
}
