//! What an instruction of the skinning code accesses. \[listing\]

/// Functions whose accesses are known one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routine {
    /// One-bone kernel (SK1).
    OneBone,
    /// Two-bone kernel (SK2).
    TwoBone,
    /// Accumulate kernel (SKAcc).
    Accumulate,
    /// Clear by lines.
    Clear,
    /// Flush by vertex index.
    Flush,
    /// A transfer of the locked cache.
    Transfer,
    /// The display code.
    Draw,
}

impl Routine {
    /// By a function's name, in the built-in tables and in maps of the library.
    pub fn named(name: &str) -> Option<Self> {
        let found = [
            ("SKN1Vec", Self::OneBone),
            ("SKN2Vec", Self::TwoBone),
            ("SKNAcc", Self::Accumulate),
            ("SKNBzero", Self::Clear),
            ("SKNFlush", Self::Flush),
            ("LCLoad", Self::Transfer),
            ("LCStore", Self::Transfer),
            ("DORender", Self::Draw),
            ("DOVARender", Self::Draw),
        ];
        found.into_iter().find(|(part, _)| name.contains(part)).map(|(_, routine)| routine)
    }

    /// What it is, and the runtime's name for it.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::OneBone => ("the one-bone kernel, which moves the vertices of SK1 entries", "one-bone"),
            Self::TwoBone => ("the two-bone kernel, which moves the vertices of SK2 entries", "two-bone"),
            Self::Accumulate => ("the accumulate kernel, which adds SKAcc entries to vertices", "accumulate"),
            Self::Clear => ("the clear of the slots that SKAcc entries add to", "clear"),
            Self::Flush => ("the flush of cache lines by vertex index", "flush"),
            Self::Transfer => ("a transfer between memory and the locked cache", "load-blocks"),
            Self::Draw => ("the display code, which walks a submesh's state list", "draw"),
        }
    }

    /// What the instruction at an offset accesses.
    pub fn access(self, offset: u32) -> Option<Access> {
        let table: &[(&[u32], Access)] = match self {
            Self::OneBone => ONE_BONE,
            Self::TwoBone => TWO_BONE,
            Self::Accumulate => ACCUMULATE,
            Self::Draw => &[(&[0x2F4], Access::StateList)],
            Self::Clear => &[(&[0x0C], Access::Clear)],
            Self::Flush | Self::Transfer => return None,
        };
        table.iter().find(|(offsets, _)| offsets.contains(&offset)).map(|(_, access)| *access)
    }

    /// The three loads of the loop, in the order of the vertex's words.
    pub const fn loop_loads(self) -> Option<[u32; 3]> {
        match self {
            Self::OneBone => Some([0xB8, 0xCC, 0xD8]),
            Self::TwoBone => Some([0x19C, 0x1B4, 0x1C4]),
            _ => None,
        }
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
    /// The list that a display state draws.
    StateList,
    /// A line that is cleared.
    Clear,
}

impl Access {
    /// The access in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Matrix => "reads a cell of the bone's matrix",
            Self::SecondMatrix => "reads a cell of the second bone's matrix",
            Self::FirstVertices => "reads one of the first two vertices, before the loop",
            Self::NextVertex(0) => "reads the next vertex (x, y), in the loop",
            Self::NextVertex(1) => "reads the next vertex (z, nx), in the loop",
            Self::NextVertex(_) => "reads the next vertex (ny, nz), in the loop",
            Self::Weight => "reads a weight",
            Self::Index => "reads a destination index",
            Self::Destination => "reads the vertex that it adds to",
            Self::Store => "stores a result",
            Self::StateList => "reads through the list pointer of a display state",
            Self::Clear => "clears a cache line",
        }
    }
}

const ONE_BONE: &[(&[u32], Access)] = &[
    (&[0x20, 0x28, 0x30, 0x38, 0x44, 0x4C, 0x5C, 0x68], Access::Matrix),
    (&[0x34, 0x3C, 0x54, 0x70, 0x80, 0x8C], Access::FirstVertices),
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
    (&[0x130, 0x138, 0x140, 0x148, 0x1D0, 0x1D4, 0x1D8, 0x1DC], Access::Store),
    (&[0x19C], Access::NextVertex(0)),
    (&[0x1B4], Access::NextVertex(1)),
    (&[0x1C4], Access::NextVertex(2)),
];

const ACCUMULATE: &[(&[u32], Access)] = &[
    (&[0x50, 0x58, 0x5C, 0x60, 0x6C, 0x70, 0x78, 0x7C], Access::Matrix),
    (&[0x64, 0x68, 0x74], Access::FirstVertices),
    (&[0x84], Access::Weight),
    (&[0x0C, 0xB8], Access::Index),
    (&[0x90, 0xA0, 0xAC, 0xC4], Access::Destination),
    (&[0xCC], Access::NextVertex(0)),
    (&[0xD4], Access::NextVertex(1)),
    (&[0xDC], Access::NextVertex(2)),
    (&[0xE8, 0xF0, 0xF8, 0x100], Access::Store),
];
