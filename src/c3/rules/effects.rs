//! What the frames of a dry run did on a target. Filled by the runtime, read by [`super::join`].

use std::ops::Range;

use super::arrays::VariableKind;
use super::mechanism::Cause;
use crate::c3::format::gpl::ReadWhen;
use crate::c3::format::skn::EntryId;
use crate::c3::runtime::journal::Writer;
use crate::gekko::fault::{FaultKind, Site};

/// A machine that frames were run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// The emulator: 256 KB of locked cache, no data cache, transfers at once.
    Dolphin,
    /// The console: 16 KB of locked cache, a data cache, a transfer queue.
    Console,
}

/// What the frames of a dry run did on one target. Filled by the runtime.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRun {
    /// The machine.
    pub target: Target,
    /// Faults in order; the frame goes on after each as far as the machine does.
    pub faults: Vec<FaultSeen>,
    /// Drawn slots whose output differs from ideal skinning of the same data. Where a model draws
    /// nothing, every slot that a list writes counts as drawn.
    pub wrong: Vec<WrongSlot>,
    /// Structures whose bytes changed.
    pub overwritten: Vec<Overwritten>,
    /// Drawn slots that the graphics processor reads otherwise than the processor wrote them.
    pub stale: Vec<u32>,
    /// Drawn slots that two SK1/SK2 entries write with different vertices: the later one is drawn. The
    /// difference is that of the two.
    pub conflicts: Vec<WrongSlot>,
    /// Slots whose output at rest reached the end of the s16 range.
    pub saturated: Vec<u32>,
    /// Slots whose output reached it only in the pose in which every bone moves a little.
    pub saturated_moved: Vec<u32>,
    /// Bones whose matrix holds a cell that is no finite number.
    pub bad_matrices: Vec<BadMatrix>,
    /// What the graphics processor meets where structures were overwritten.
    pub damage: Vec<DamageSeen>,
    /// Whether a fault ended the last frame before its end: what did not run shows nothing.
    pub ended: bool,
    /// The entry at which it ended.
    pub ended_at: Option<EntryId>,
    /// Entries that faulted, and that had another count in the frames that were compared.
    pub mended: Vec<Mended>,
}

/// An entry of which no frame shows what it would do but for its fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The entry.
    pub entry: EntryId,
    /// The slots that it may be meant to write.
    pub slots: Range<u32>,
    /// The message of its fault.
    pub fault: String,
}

impl DryRun {
    /// A run that showed nothing.
    pub fn clean(target: Target) -> Self {
        Self {
            target,
            faults: Vec::new(),
            wrong: Vec::new(),
            overwritten: Vec::new(),
            stale: Vec::new(),
            conflicts: Vec::new(),
            saturated: Vec::new(),
            saturated_moved: Vec::new(),
            bad_matrices: Vec::new(),
            damage: Vec::new(),
            ended: false,
            ended_at: None,
            mended: Vec::new(),
        }
    }
}

/// A part of a frame, as far as findings answer for its faults one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The loader, once.
    Load,
    /// An SK1, SK2 or `SKAcc` entry.
    Entry,
    /// Clearing before accumulation.
    Clear,
    /// Storing and flushing after it.
    Flush,
    /// The display code.
    Draw,
}

/// A fault of a dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultSeen {
    /// The entry that was being worked on, or that damaged what the display code read.
    pub entry: Option<EntryId>,
    /// Where in the frame.
    pub part: Part,
    /// What it comes from.
    pub origin: Origin,
    /// The message, with the place in the code.
    pub message: String,
    /// What failed.
    pub kind: FaultKind,
    /// The instruction, by the runtime's name of its function.
    pub site: Site,
    /// The address accessed.
    pub address: u32,
}

/// What a fault comes from, by what the machine held at that moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// By which mechanism an entry came to it.
    pub causes: Vec<Cause>,
    /// Who wrote over what was read there, where that is not what the file says.
    pub writers: Vec<Writer>,
    /// The array that a transfer was to load.
    pub array: Option<VariableKind>,
    /// The structure that the display code followed.
    pub structure: Option<String>,
}

/// Damage that the graphics processor meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamageSeen {
    /// Who wrote there; nobody where the file itself says so.
    pub by: Option<Writer>,
    /// The structure that it lies in.
    pub structure: String,
    /// What is wrong, and where.
    pub text: String,
}

/// A slot whose output is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongSlot {
    /// The slot.
    pub slot: u32,
    /// Largest difference of a component, in units of the s16.
    pub difference: u32,
    /// Who has to do with it, the nearest first: the SK1 or SK2 entry that stored it last, the `SKAcc` entries that
    /// added to it, those that should have, and on a console those that did in the frames before.
    pub by: Vec<EntryId>,
}

/// A bone whose matrix is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadMatrix {
    /// The bone.
    pub bone: u16,
    /// Drawn slots that it moves.
    pub slots: usize,
}

/// A structure that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overwritten {
    /// Its name.
    pub structure: String,
    /// Who wrote it.
    pub by: Writer,
    /// Which of its bytes a write reached first.
    pub within: Range<u32>,
    /// The slots of the position array whose cache lines have bytes in common with what was reached.
    pub slots: Range<u32>,
    /// Whether the processor still sees the old bytes, in its data cache: what it writes back, or reads before the
    /// line is replaced, is not what memory holds.
    pub hidden: bool,
    /// When the game reads it.
    pub read_when: ReadWhen,
}
