//! The SKN block as the code sees it in memory: raw fields, read where the code reads them. Whatever
//! a write may have done to them since loading shows. (For files, see `c3::format`.)

use super::code::unlisted;
use super::journal::Cargo;
use crate::c3::format::skn::List;
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;

/// A read of a field by code whose instruction offsets nobody has listed.
fn word<B: Bus>(bus: &mut B, address: u32) -> Access<u32> {
    bus.read_u32(address, unlisted("frame").at(0))
}

fn half<B: Bus>(bus: &mut B, address: u32) -> Access<u16> {
    bus.read_u16(address, unlisted("frame").at(0))
}

fn byte<B: Bus>(bus: &mut B, address: u32) -> Access<u8> {
    bus.read_u8(address, unlisted("frame").at(0))
}

/// The SKN header in memory, by its address.
#[derive(Debug, Clone, Copy)]
pub struct HeaderAt(pub u32);

impl HeaderAt {
    /// Where a list's number of entries lies.
    pub(super) fn count_at(self, list: List) -> u32 {
        self.0.wrapping_add(2 * list as u32)
    }

    /// Where the pointer to a list's first entry lies.
    pub(super) fn list_at(self, list: List) -> u32 {
        self.0.wrapping_add(0x08 + 4 * list as u32)
    }

    /// Where the pointer to the flush indices lies; their number follows it.
    pub(super) fn flush_at(self) -> u32 {
        self.0.wrapping_add(0x1c)
    }

    /// Number of entries of a list.
    pub(super) fn count<B: Bus>(self, bus: &mut B, list: List) -> Access<u16> {
        half(bus, self.count_at(list))
    }

    /// Address of a list's first entry.
    pub(super) fn list<B: Bus>(self, bus: &mut B, list: List) -> Access<u32> {
        word(bus, self.list_at(list))
    }

    /// Position / normal shift.
    pub(super) fn shift<B: Bus>(self, bus: &mut B) -> Access<u8> {
        byte(bus, self.0.wrapping_add(6))
    }

    /// Start and size of the clear range.
    pub(super) fn clear_range<B: Bus>(self, bus: &mut B) -> Access<(u32, u32)> {
        Ok((word(bus, self.0.wrapping_add(0x14))?, word(bus, self.0.wrapping_add(0x18))?))
    }

    /// Address and number of the flush indices.
    pub(super) fn flush<B: Bus>(self, bus: &mut B) -> Access<(u32, u32)> {
        Ok((word(bus, self.0.wrapping_add(0x1c))?, word(bus, self.0.wrapping_add(0x20))?))
    }
}

/// An entry in memory, by its address.
#[derive(Debug, Clone, Copy)]
pub struct EntryAt {
    /// Which list it belongs to.
    pub list: List,
    /// Its address; the first matrix scratch lies there.
    pub address: u32,
}

impl EntryAt {
    fn at(self, offset: u32) -> u32 {
        self.address.wrapping_add(offset)
    }

    /// Where the pointer to a cargo lies: source, weights (SK2, `SKAcc`), indices (`SKAcc`), and
    /// destination (SK1, SK2) or its base (`SKAcc`).
    pub(super) fn pointer_at(self, cargo: Cargo) -> u32 {
        self.at(match (cargo, self.list) {
            (Cargo::Source, List::Sk2) => 0x60,
            (Cargo::Source, _) => 0x30,
            (Cargo::Weights, List::Sk2) => 0x64,
            (Cargo::Weights, _) => 0x3c,
            (Cargo::Indices, _) | (Cargo::Result, List::Sk1) => 0x34,
            (Cargo::Result, List::Sk2) => 0x68,
            (Cargo::Result, List::SkAcc) => 0x38,
        })
    }

    /// Address of the source vertices.
    pub(super) fn source<B: Bus>(self, bus: &mut B) -> Access<u32> {
        word(bus, self.pointer_at(Cargo::Source))
    }

    /// Address of the weight bytes (SK2, `SKAcc`).
    pub(super) fn weights<B: Bus>(self, bus: &mut B) -> Access<u32> {
        word(bus, self.pointer_at(Cargo::Weights))
    }

    /// Address of the destination indices (`SKAcc`).
    pub(super) fn indices<B: Bus>(self, bus: &mut B) -> Access<u32> {
        word(bus, self.pointer_at(Cargo::Indices))
    }

    /// Address of the destination (SK1, SK2) or of its base (`SKAcc`).
    pub(super) fn destination<B: Bus>(self, bus: &mut B) -> Access<u32> {
        word(bus, self.pointer_at(Cargo::Result))
    }

    /// The first (or only) bone.
    pub(super) fn bone<B: Bus>(self, bus: &mut B) -> Access<u16> {
        let offset = match self.list {
            List::Sk1 => 0x38,
            List::Sk2 => 0x6c,
            List::SkAcc => 0x40,
        };
        half(bus, self.at(offset))
    }

    /// The second bone (SK2).
    pub(super) fn second_bone<B: Bus>(self, bus: &mut B) -> Access<u16> {
        half(bus, self.at(0x6e))
    }

    /// Vertex count.
    pub(super) fn count<B: Bus>(self, bus: &mut B) -> Access<u16> {
        let offset = match self.list {
            List::Sk1 => 0x3a,
            List::Sk2 => 0x70,
            List::SkAcc => 0x42,
        };
        half(bus, self.at(offset))
    }

    /// Offset of the first vertex in source and destination (SK1, SK2).
    pub(super) fn vertex_offset<B: Bus>(self, bus: &mut B) -> Access<u8> {
        let offset = if self.list == List::Sk1 { 0x3c } else { 0x72 };
        byte(bus, self.at(offset))
    }

    /// Address of the second matrix scratch (SK2).
    pub(super) fn second_scratch(self) -> u32 {
        self.at(0x30)
    }
}
