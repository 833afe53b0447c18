//! The kernels as they are listed: which vertex an access is about, told from the instruction.

use super::functions::Functions;
use crate::c3::format::skn::List;

/// What an access from some offset on is about.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// No vertex: registers are saved or restored.
    None,
    /// A vertex before the loop.
    Fixed(u32),
    /// A vertex so many ahead of the one that this turn of the loop stores.
    Ahead(u32),
    /// The vertex stored behind the loop.
    Last,
}

/// A kernel of the library. [listing]
#[derive(Debug)]
struct Listing {
    name: &'static str,
    list: List,
    size: u32,
    /// Its first read of a matrix, which is where its entry lies.
    first_read: u32,
    /// The first access of a turn of its loop.
    turn: u32,
    /// Its stores.
    stores: [u32; 4],
    /// First offsets of the steps, in order.
    steps: &'static [(u32, Step)],
}

const LISTINGS: [Listing; 3] = [
    Listing {
        name: "one-bone",
        list: List::Sk1,
        size: 0x10c,
        first_read: 0x20,
        turn: 0x94,
        stores: [0x94, 0x9c, 0xa4, 0xac],
        steps: &[
            (0x20, Step::Fixed(0)),
            (0x70, Step::Fixed(1)),
            (0x94, Step::Ahead(0)),
            (0xb8, Step::Ahead(2)),
            (0xe0, Step::Last),
            (0xf0, Step::None),
        ],
    },
    Listing {
        name: "two-bone",
        list: List::Sk2,
        size: 0x220,
        first_read: 0x44,
        turn: 0x130,
        stores: [0x130, 0x138, 0x140, 0x148],
        steps: &[
            (0x44, Step::Fixed(0)),
            (0xfc, Step::Fixed(1)),
            (0x130, Step::Ahead(0)),
            (0x164, Step::Ahead(1)),
            (0x19c, Step::Ahead(2)),
            (0x1d0, Step::Last),
            (0x1e0, Step::None),
        ],
    },
    Listing {
        name: "accumulate",
        list: List::SkAcc,
        size: 0x140,
        first_read: 0x50,
        turn: 0x84,
        stores: [0xe8, 0xf0, 0xf8, 0x100],
        steps: &[
            (0x0c, Step::Fixed(0)),
            (0x84, Step::Ahead(0)),
            (0xb8, Step::Ahead(1)),
            (0xc4, Step::Ahead(0)),
            (0xcc, Step::Ahead(1)),
            (0xe8, Step::Ahead(0)),
            (0x108, Step::None),
        ],
    },
];

/// A kernel of a program that is the library's, while it runs.
#[derive(Debug)]
pub(super) struct Listed {
    listing: &'static Listing,
    start: u32,
    /// Turns of the loop begun since the kernel was entered.
    turns: u32,
}

impl Listed {
    /// The kernels that a program has as they are listed.
    pub fn of(functions: &Functions) -> Vec<Self> {
        let kernel = |listing: &'static Listing| {
            Some(Self { listing, start: functions.start_as_listed(listing.name)?, turns: 0 })
        };
        LISTINGS.iter().filter_map(kernel).collect()
    }

    /// The list that it skins.
    pub fn list(&self) -> List {
        self.listing.list
    }

    /// Whether an instruction is one of it.
    pub fn holds(&self, pc: u32) -> bool {
        pc.wrapping_sub(self.start) < self.listing.size
    }

    /// Whether an instruction is its first read of a matrix.
    pub fn begins(&self, pc: u32) -> bool {
        pc.wrapping_sub(self.start) == self.listing.first_read
    }

    /// Whether an instruction stores a part of a vertex: how far into the vertex.
    pub fn stores(&self, pc: u32) -> Option<u32> {
        let offset = pc.wrapping_sub(self.start);
        let part = self.listing.stores.iter().position(|&store| store == offset)?;
        Some([0, 4, 6, 10][part])
    }

    /// The vertex that an instruction is about, which is about to access memory.
    pub fn vertex(&mut self, pc: u32) -> Option<u32> {
        let offset = pc.wrapping_sub(self.start);
        let (first, _) = self.listing.steps[0];
        if offset == first {
            self.turns = 0;
        } else if offset == self.listing.turn {
            self.turns = self.turns.wrapping_add(1);
        }
        let step = self.listing.steps.iter().rev().find(|&&(from, _)| from <= offset)?;
        match step.1 {
            Step::None => None,
            Step::Fixed(vertex) => Some(vertex),
            Step::Ahead(vertices) => Some(self.turns.wrapping_sub(1).wrapping_add(vertices)),
            Step::Last => Some(self.turns),
        }
    }
}
