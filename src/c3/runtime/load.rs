//! Loading: files into memory, pointers relocated in place as the game's loader does it, and the
//! run-time structures (bone pointers, records, matrices) built above the model. [listing]

use super::code::unlisted;
use super::header::HeaderAt;
use super::reorder::SKIN_MATRIX_POINTER;
use super::resident::Resident;
use crate::bytes::ReadError;
use crate::c3::format::block::{Block, SectionKind};
use crate::c3::format::skn::List;
use crate::c3::model::Model;
use crate::gekko::address::align_to_line;
use crate::gekko::bus::Bus;
use crate::gekko::machine::{Access, Machine};
use crate::gekko::map::{MEM1_SIZE, MEM2_SIZE};

/// Where a model goes unless told otherwise.
pub const DEFAULT_ADDRESS: u32 = 0x80a0_0000;

/// A skin matrix: three rows of four, acting on column vectors.
pub type SkinMatrix = [[f32; 4]; 3];

/// The identity.
pub const IDENTITY: SkinMatrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Size of a bone record in the run time, rounded up to a line. [formats.md 1.5: 0x9C]
const BONE_RECORD_SIZE: u32 = 0xa0;
/// Room for a pointer for every bone number an entry can hold, so that a number out of range finds a
/// null pointer rather than whatever follows.
const BONE_POINTERS_SIZE: u32 = 0x4_0000;
/// Empty memory between a model and its run-time structures, where there is room for it.
const CLEARANCE: u32 = 0x10_0000;
/// How many places at this distance from each other are tried for them.
const PLACES_TRIED: u32 = 24;
/// Empty memory between a loose GPL and its SKN unless told otherwise.
const LOOSE_GAP: u32 = 0x1_0000;

/// Why a model cannot be placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A file does not fit into one bank of memory at its address.
    #[error("{what}: want {size:#x} bytes of memory at {address:#010x}, have a bank that ends before")]
    NoRoom {
        /// The file or table.
        what: &'static str,
        /// Where it should go.
        address: u32,
        /// Its size in bytes.
        size: u64,
    },
    /// A section starts outside of the block: the file is cut off, or its table is wrong.
    #[error(
        "{name} section at offset {offset:#x}: want it inside the block, have a block of {have:#x} bytes"
    )]
    Outside {
        /// The section.
        name: &'static str,
        /// Where the block's table says it starts.
        offset: u32,
        /// Bytes of the block.
        have: u64,
    },
    /// The skeleton cannot be loaded.
    #[error(transparent)]
    Skeleton(#[from] ReadError),
    /// There is nothing to skin.
    #[error("the model has no {0}")]
    Missing(&'static str),
}

/// Where the files of a model go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Address of a block, or of a loose GPL.
    pub model: u32,
    /// Address of a loose SKN; a while after the GPL without one.
    pub skn: Option<u32>,
}

impl From<u32> for Placement {
    fn from(model: u32) -> Self {
        Self { model, skn: None }
    }
}

/// Files and the addresses they go to.
#[derive(Debug, Clone)]
pub struct LoadPlan<'a> {
    images: Vec<(&'static str, u32, &'a [u8])>,
    /// Address of the GPL.
    pub gpl: u32,
    /// Address of the SKN.
    pub skn: u32,
    /// Address of the skinned position array; 0 when no layout is skinned, as in the library.
    pub positions: u32,
    /// Vertices the position array stores.
    pub position_count: u16,
}

impl<'a> LoadPlan<'a> {
    /// A block, or loose files one after the other, at an address.
    ///
    /// # Errors
    /// When the model has no GPL or no SKN.
    pub fn at(model: &Model<'a>, address: u32) -> Result<Self, LoadError> {
        Self::placed(model, address.into())
    }

    /// The files where they were told to go.
    ///
    /// # Errors
    /// When the model has no GPL or no SKN.
    pub fn placed(model: &Model<'a>, placement: Placement) -> Result<Self, LoadError> {
        match &model.block {
            Some(block) => Self::block(model, block, placement.model),
            None => Self::loose(model, placement.model, placement.skn),
        }
    }

    /// A block at an address.
    ///
    /// # Errors
    /// When the model has no GPL or no SKN.
    pub fn block(model: &Model<'a>, block: &Block<'a>, address: u32) -> Result<Self, LoadError> {
        let section = |kind: SectionKind| {
            let name = kind.name();
            let section = block.section(kind).ok_or(LoadError::Missing(name))?;
            if section.is_inside() {
                return Ok(address.wrapping_add(section.offset));
            }
            Err(LoadError::Outside { name, offset: section.offset, have: block.total() })
        };
        let gpl = section(SectionKind::Gpl)?;
        let skn = section(SectionKind::Skn)?;
        let images = vec![("model block", address, block.view().bytes())];
        Ok(Self::new(model, images, gpl, skn))
    }

    /// Loose files at their addresses; the SKN's default is a while after the GPL.
    ///
    /// # Errors
    /// When the model has no GPL or no SKN.
    pub fn loose(model: &Model<'a>, gpl: u32, skn: Option<u32>) -> Result<Self, LoadError> {
        let gpl_view = model.gpl.as_ref().ok_or(LoadError::Missing("GPL"))?.view();
        let skn_view = model.skn.as_ref().ok_or(LoadError::Missing("SKN"))?.view();
        let after = gpl.wrapping_add(gpl_view.len() as u32).wrapping_add(LOOSE_GAP);
        let skn = skn.unwrap_or_else(|| align_to_line(after));
        let images = vec![("GPL", gpl, gpl_view.bytes()), ("SKN", skn, skn_view.bytes())];
        Ok(Self::new(model, images, gpl, skn))
    }

    /// Nothing to place: the model already lies in memory.
    pub fn resident(resident: &Resident) -> Self {
        let (positions, position_count) = resident.positions.unwrap_or_default();
        Self { images: Vec::new(), gpl: 0, skn: resident.skn, positions, position_count }
    }

    fn new(model: &Model<'a>, images: Vec<(&'static str, u32, &'a [u8])>, gpl: u32, skn: u32) -> Self {
        let skinned = model.skinned_positions();
        Self {
            images,
            gpl,
            skn,
            positions: skinned.map_or(0, |(offset, _)| gpl.wrapping_add(offset as u32)),
            position_count: skinned.map_or(0, |(_, count)| count),
        }
    }

    /// One past the highest byte of any file.
    pub fn end(&self) -> u32 {
        let ends = self.images.iter().map(|(_, address, bytes)| address.wrapping_add(bytes.len() as u32));
        ends.max().unwrap_or(self.gpl)
    }

    /// The address ranges of the files: start and one past the end.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.images.iter().map(|(_, address, bytes)| (*address, address.wrapping_add(bytes.len() as u32)))
    }

    /// Copies the files into memory.
    ///
    /// # Errors
    /// When one of them does not fit.
    pub fn place(&self, machine: &mut Machine) -> Result<(), LoadError> {
        for &(what, address, bytes) in &self.images {
            room(machine, what, address, bytes.len() as u64)?.copy_from_slice(bytes);
        }
        Ok(())
    }
}

/// `size` bytes of real memory at `address`.
fn room<'m>(
    machine: &'m mut Machine,
    what: &'static str,
    address: u32,
    size: u64,
) -> Result<&'m mut [u8], LoadError> {
    let error = LoadError::NoRoom { what, address, size };
    let bank_end = match address >> 28 {
        0x8 | 0xc => MEM1_SIZE,
        0x9 | 0xd => MEM2_SIZE,
        _ => return Err(error),
    };
    if u64::from(address & 0x0fff_ffff) + size > bank_end as u64 {
        return Err(error);
    }
    machine.memory_mut(address, size as u32).ok_or(error)
}

/// The bones of a running game: an array of pointers to records, each with its skin matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bones {
    /// Address of the pointer array.
    pub pointers: u32,
    /// Address of the first matrix.
    matrices: u32,
    count: u32,
}

impl Bones {
    /// Builds `count` records above `end`, with room between where there is any.
    ///
    /// # Errors
    /// When memory does not hold them.
    pub fn build(machine: &mut Machine, end: u32, count: usize) -> Result<Self, LoadError> {
        Self::build_beside(machine, end, count, &[])
    }

    /// The same, clear of ranges that something else will take (first byte, one past the last), if
    /// there is such a place.
    ///
    /// # Errors
    /// When memory does not hold them.
    pub fn build_beside(
        machine: &mut Machine,
        end: u32,
        count: usize,
        taken: &[(u32, u32)],
    ) -> Result<Self, LoadError> {
        let count = count.min(usize::from(u16::MAX) + 1) as u32;
        let size = BONE_POINTERS_SIZE + count * (BONE_RECORD_SIZE + 48);
        let near = align_to_line(end);
        let what = "bone records and matrices";
        let is_free =
            |start: u32| taken.iter().all(|&(first, end)| end <= start || start.wrapping_add(size) <= first);
        let far = (1..=PLACES_TRIED).map(|step| near.wrapping_add(step * CLEARANCE));
        let mut places = far.chain([near]).filter(|&start| is_free(start));
        let pointers = places.find(|&start| room(machine, what, start, size.into()).is_ok()).unwrap_or(near);
        let bones = Self {
            pointers,
            matrices: pointers.wrapping_add(BONE_POINTERS_SIZE + count * BONE_RECORD_SIZE),
            count,
        };
        let memory = room(machine, what, pointers, size.into())?;
        for bone in 0..count {
            let record_offset = BONE_POINTERS_SIZE + bone * BONE_RECORD_SIZE;
            let record = pointers.wrapping_add(record_offset);
            put_word(memory, bone * 4, record);
            put_word(memory, record_offset + SKIN_MATRIX_POINTER, bones.matrix(bone));
        }
        Ok(bones)
    }

    /// The memory they take: first byte and one past the last.
    pub fn range(&self) -> (u32, u32) {
        (self.pointers, self.matrix(self.count))
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    fn matrix(&self, bone: u32) -> u32 {
        self.matrices.wrapping_add(bone * 48)
    }

    /// Sets the skin matrices as the game's processor does, through the data cache where there is
    /// one; bones without a matrix keep theirs.
    pub fn set(&self, machine: &mut Machine, matrices: &[SkinMatrix]) {
        for (bone, matrix) in (0..self.count).zip(matrices) {
            let address = self.matrix(bone);
            if machine.data_cache.is_some() {
                for (cell, value) in (0..).zip(matrix.as_flattened()) {
                    // The records lie in real memory: no write of theirs can fault.
                    let _ =
                        machine.write(address + 4 * cell, 4, value.to_bits().into(), unlisted("pose").at(0));
                }
            } else if let Some(bytes) = machine.memory_mut(address, 48) {
                for (cell, value) in bytes.chunks_exact_mut(4).zip(matrix.as_flattened()) {
                    cell.copy_from_slice(&value.to_be_bytes());
                }
            }
        }
    }
}

fn put_word(memory: &mut [u8], offset: u32, value: u32) {
    memory[offset as usize..offset as usize + 4].copy_from_slice(&value.to_be_bytes());
}

/// Relocates an SKN in memory: list pointers and the flush pointer unless zero, the clear start only
/// if its size is not zero, every entry's pointers always. Nothing is checked. [listing]
///
/// # Errors
/// [`crate::gekko::machine::Halt`] at a fault that stops the machine.
pub fn relocate<B: Bus>(bus: &mut B, skn: u32, positions: u32) -> Access<()> {
    let header = HeaderAt(skn);
    for offset in [0x08, 0x0c, 0x10, 0x1c] {
        relocate_unless_zero(bus, skn.wrapping_add(offset), skn)?;
    }
    let (_, clear_size) = header.clear_range(bus)?;
    if clear_size != 0 {
        add(bus, skn.wrapping_add(0x14), positions)?;
    }
    for list in [List::Sk1, List::Sk2, List::SkAcc] {
        let count = header.count(bus, list)?;
        if count == 0 {
            continue;
        }
        let first = header.list(bus, list)?;
        for index in 0..u32::from(count) {
            bus.machine().spend(1, unlisted("load").at(0))?;
            relocate_entry(bus, list, first.wrapping_add(index * list.entry_size() as u32), skn, positions)?;
        }
    }
    Ok(())
}

fn relocate_entry<B: Bus>(bus: &mut B, list: List, entry: u32, skn: u32, positions: u32) -> Access<()> {
    let (to_skn, to_positions): (&[u32], u32) = match list {
        List::Sk1 => (&[0x30], 0x34),
        List::Sk2 => (&[0x60, 0x64], 0x68),
        List::SkAcc => (&[0x30, 0x34, 0x3c], 0x38),
    };
    for &offset in to_skn {
        add(bus, entry.wrapping_add(offset), skn)?;
    }
    add(bus, entry.wrapping_add(to_positions), positions)
}

fn relocate_unless_zero<B: Bus>(bus: &mut B, field: u32, base: u32) -> Access<()> {
    match bus.read_u32(field, unlisted("load").at(0))? {
        0 => Ok(()),
        value => bus.write(field, 4, u64::from(value.wrapping_add(base)), unlisted("load").at(0)),
    }
}

fn add<B: Bus>(bus: &mut B, field: u32, base: u32) -> Access<()> {
    let value = bus.read_u32(field, unlisted("load").at(0))?.wrapping_add(base);
    bus.write(field, 4, u64::from(value), unlisted("load").at(0))
}
