//! What an instruction of the skinning code accesses. \[listing\]

use crate::gekko::message::MessageKind;

/// Functions whose accesses are known, all of them or some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routine {
    /// The loader, which relocates the section once.
    Loader,
    /// The frame's function, which walks the lists.
    Frame,
    /// The copy of a bone's matrix into an entry.
    Reorder,
    /// One-bone kernel (SK1).
    OneBone,
    /// Two-bone kernel (SK2).
    TwoBone,
    /// Accumulate kernel (`SKAcc`).
    Accumulate,
    /// Clear by lines.
    Clear,
    /// Storing the cleared lines.
    StoreRange,
    /// Flush by vertex index.
    Flush,
    /// A transfer from memory to the locked cache.
    Load,
    /// A transfer from the locked cache to memory.
    Store,
    /// The display code.
    Draw,
}

/// Parts of function names, in the built-in tables and in maps of the library.
const NAMES: [(&str, Routine); 14] = [
    ("SKNLoad", Routine::Loader),
    ("SKNIt", Routine::Frame),
    ("processModelDataRelated", Routine::Frame),
    ("MTXReorder", Routine::Reorder),
    ("SKN1Vec", Routine::OneBone),
    ("SKN2Vec", Routine::TwoBone),
    ("SKNAcc", Routine::Accumulate),
    ("SKNBzero", Routine::Clear),
    ("DCStoreRange", Routine::StoreRange),
    ("SKNFlush", Routine::Flush),
    ("LCLoad", Routine::Load),
    ("LCStore", Routine::Store),
    ("DORender", Routine::Draw),
    ("DOVARender", Routine::Draw),
];

impl Routine {
    /// By a function's name.
    pub fn named(name: &str) -> Option<Self> {
        NAMES.into_iter().find(|(part, _)| name.contains(part)).map(|(_, routine)| routine)
    }

    /// What it is.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Loader => "the loader of the skinning section, which relocates its pointers once",
            Self::Frame => "the frame's function, which walks the lists of entries",
            Self::Reorder => "the copy of a bone's matrix into an entry",
            Self::OneBone => "the one-bone kernel, which moves the vertices of SK1 entries",
            Self::TwoBone => "the two-bone kernel, which moves the vertices of SK2 entries",
            Self::Accumulate => "the accumulate kernel, which adds SKAcc entries to vertices",
            Self::Clear => "the clear of the slots that SKAcc entries add to",
            Self::StoreRange => "the write-back of a range, which the frame uses for the cleared lines",
            Self::Flush => "the flush of cache lines by vertex index",
            Self::Load => "a transfer from memory to the locked cache",
            Self::Store => "a transfer from the locked cache to memory",
            Self::Draw => "the display code, which walks a submesh's state list",
        }
    }

    /// The runtime's name for it.
    pub const fn runtime_name(self) -> &'static str {
        match self {
            Self::Loader => "load",
            Self::Frame => "frame",
            Self::Reorder => "reorder",
            Self::OneBone => "one-bone",
            Self::TwoBone => "two-bone",
            Self::Accumulate => "accumulate",
            Self::Clear => "clear",
            Self::StoreRange => "store-range",
            Self::Flush => "flush",
            Self::Load => "load-blocks",
            Self::Store => "store-blocks",
            Self::Draw => "draw",
        }
    }

    /// Size of the function whose instructions are listed, in bytes.
    pub const fn listed_size(self) -> Option<u32> {
        match self {
            Self::OneBone => Some(0x10C),
            Self::TwoBone => Some(0x220),
            Self::Accumulate => Some(0x140),
            Self::Clear => Some(0x1C),
            Self::Draw => Some(0x5D0),
            _ => None,
        }
    }

    /// Whether a function of this size (0: not known) has its instructions where they are listed. Of the
    /// display code two builds are known, and the listing is one's. \[formats.md 4\]
    pub fn is_listed(self, size: u32) -> bool {
        let unsized_counts = self != Self::Draw;
        self.listed_size().is_some_and(|listed| size == listed || (size == 0 && unsized_counts))
    }

    /// What the instruction at an offset of the listed function accesses.
    pub fn access(self, offset: u32) -> Option<Access> {
        let table: &[(&[u32], Access)] = match self {
            Self::OneBone => ONE_BONE,
            Self::TwoBone => TWO_BONE,
            Self::Accumulate => ACCUMULATE,
            Self::Draw => &[(&[0x2F4], Access::StateList)],
            Self::Clear => &[(&[0x0C], Access::Clear)],
            _ => return None,
        };
        table.iter().find(|(offsets, _)| offsets.contains(&offset)).map(|(_, access)| *access)
    }
}

/// An access of the skinning code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A cell of the bone's matrix.
    Matrix,
    /// A cell of the second bone's matrix.
    SecondMatrix,
    /// A word of the first two vertices, before the loop.
    FirstVertices,
    /// A word of the next vertex, in the loop: 0 (x, y), 1 (z, nx), 2 (ny, nz).
    NextVertex(u8),
    /// A weight.
    Weight,
    /// A destination index.
    Index,
    /// The vertex that is added to.
    Destination,
    /// A component of the result.
    Store,
    /// The first instruction of the loop, which accesses nothing: Dolphin's cached interpreter names it for
    /// whatever access of the loop failed. \[measured: Dolphin 5.0-17995\]
    LoopStart,
    /// The list that a display state draws.
    StateList,
    /// A line that is cleared.
    Clear,
}

impl Access {
    /// Whether it can be what a message tells: a write is no read.
    pub fn can_be(self, kind: MessageKind) -> bool {
        match self {
            Self::LoopStart => kind != MessageKind::Transfer,
            Self::Store | Self::Clear => kind == MessageKind::Write,
            _ => kind == MessageKind::Read,
        }
    }

    /// The access in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Matrix => "reads a cell of the bone's matrix, as copied into the entry",
            Self::SecondMatrix => "reads a cell of the second bone's matrix, as copied into the entry",
            Self::FirstVertices => "reads one of the first two vertices, before the loop",
            Self::NextVertex(0) => "reads the next vertex (x, y), in the loop",
            Self::NextVertex(1) => "reads the next vertex (z, nx), in the loop",
            Self::NextVertex(_) => "reads the next vertex (ny, nz), in the loop",
            Self::Weight => "reads a weight",
            Self::Index => "reads a destination index",
            Self::Destination => "reads the vertex that it adds to",
            Self::Store => "stores a result",
            Self::LoopStart => {
                "none by itself: the loop begins here, and Dolphin's cached interpreter names this instruction for \
                 any access of the loop"
            }
            Self::StateList => "reads through the list pointer of a display state",
            Self::Clear => "clears a cache line",
        }
    }
}

const ONE_BONE: &[(&[u32], Access)] = &[
    (&[0x20, 0x28, 0x30, 0x38, 0x44, 0x4C, 0x5C, 0x68], Access::Matrix),
    (&[0x34, 0x3C, 0x54, 0x70, 0x80, 0x8C], Access::FirstVertices),
    (&[0x90], Access::LoopStart),
    (&[0x94, 0x9C, 0xA4, 0xAC, 0xE0, 0xE4, 0xE8, 0xEC], Access::Store),
    (&[0xB8], Access::NextVertex(0)),
    (&[0xCC], Access::NextVertex(1)),
    (&[0xD8], Access::NextVertex(2)),
];

const TWO_BONE: &[(&[u32], Access)] = &[
    (&[0x44, 0x4C, 0x54, 0x60, 0x70, 0x78, 0x88, 0x98], Access::Matrix),
    (&[0x90, 0xA0, 0xA8, 0xB0, 0xB8, 0xC0, 0xC8, 0xD0], Access::SecondMatrix),
    (&[0x5C, 0x64, 0x80, 0xFC, 0x114, 0x124], Access::FirstVertices),
    (&[0x68, 0x164], Access::Weight),
    (&[0x12C], Access::LoopStart),
    (&[0x130, 0x138, 0x140, 0x148, 0x1D0, 0x1D4, 0x1D8, 0x1DC], Access::Store),
    (&[0x19C], Access::NextVertex(0)),
    (&[0x1B4], Access::NextVertex(1)),
    (&[0x1C4], Access::NextVertex(2)),
];

const ACCUMULATE: &[(&[u32], Access)] = &[
    (&[0x50, 0x58, 0x5C, 0x60, 0x6C, 0x70, 0x78, 0x7C], Access::Matrix),
    (&[0x64, 0x68, 0x74], Access::FirstVertices),
    (&[0x80], Access::LoopStart),
    (&[0x84], Access::Weight),
    (&[0x0C, 0xB8], Access::Index),
    (&[0x90, 0xA0, 0xAC, 0xC4], Access::Destination),
    (&[0xCC], Access::NextVertex(0)),
    (&[0xD4], Access::NextVertex(1)),
    (&[0xDC], Access::NextVertex(2)),
    (&[0xE8, 0xF0, 0xF8, 0x100], Access::Store),
];
