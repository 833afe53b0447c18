//! The SK1 and SK2 lists: double-buffered through the locked cache, skinned in place, whole lines
//! copied back. [listing]
//!
//! Before a kernel runs, the library waits until at most the next entry's loads are queued; before the
//! last SK1 entry it does not wait. [listing]

use super::transfers::{Route, blocks, data, lines_of};
use super::{FrameInput, bulk};
use crate::c3::format::skn::{EntryId, List};
use crate::c3::runtime::header::{EntryAt, HeaderAt};
use crate::c3::runtime::journal::{Cargo, Journal};
use crate::c3::runtime::kernels::{OneBoneCall, STRIDE, TwoBoneCall};
use crate::c3::runtime::reorder::reorder;
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;
use crate::gekko::map::LOCKED_CACHE_START;

/// Address of one of the four 4 KiB buffers. [listing]
const fn buffer(number: u32) -> u32 {
    LOCKED_CACHE_START + 0x1000 * number
}

/// The buffer of an entry's source: the first or the third, by the parity of its index.
const fn source_buffer(index: u16) -> u32 {
    buffer((index as u32 & 1) * 2)
}

/// The buffer of an SK2 entry's weights.
const fn weight_buffer(index: u16) -> u32 {
    buffer((index as u32 & 1) * 2 + 1)
}

/// A list while it is walked.
struct Walk<'a> {
    input: &'a FrameInput,
    list: List,
    first: u32,
}

impl Walk<'_> {
    fn entry(&self, index: u16) -> EntryAt {
        let address = self.first.wrapping_add(u32::from(index) * self.list.entry_size() as u32);
        EntryAt { list: self.list, address }
    }

    fn enter<B: Bus>(&self, bus: &mut B, journal: &mut Journal, index: u16) {
        let entry = EntryId { list: self.list, index: u32::from(index) };
        journal.enter(bus.machine(), self.list.into(), Some(entry));
    }
}

/// Bytes from the start of an entry's source to the end of its last vertex.
fn source_bytes<B: Bus>(bus: &mut B, entry: EntryAt) -> Access<u32> {
    Ok(u32::from(entry.vertex_offset(bus)?) + u32::from(entry.count(bus)?) * STRIDE)
}

/// Runs the SK1 list.
pub(super) fn sk1<B: Bus>(bus: &mut B, input: &FrameInput, journal: &mut Journal) -> Access<()> {
    let header = HeaderAt(input.skn);
    let walk = Walk { input, list: List::Sk1, first: header.list(bus, List::Sk1)? };
    let last = header.count(bus, List::Sk1)?.wrapping_sub(1);

    let mut store_size = sk1_load(bus, &walk, journal, 0)?;
    for index in 0..last {
        let next_size = sk1_load(bus, &walk, journal, index + 1)?;
        sk1_skin(bus, &walk, journal, index, (store_size, Some(1)))?;
        store_size = next_size;
    }
    sk1_skin(bus, &walk, journal, last, (store_size, None))
}

/// Loads an entry's source and gives the size to store later, which the library keeps in 16 bits.
fn sk1_load<B: Bus>(bus: &mut B, walk: &Walk, journal: &mut Journal, index: u16) -> Access<u16> {
    walk.enter(bus, journal, index);
    let entry = walk.entry(index);
    let bytes = source_bytes(bus, entry)?;
    let route = Route { cargo: Cargo::Source, memory: entry.source(bus)?, cache: source_buffer(index) };
    data(bus, walk.input, journal, route, bytes)?;
    Ok(bytes as u16)
}

/// Skins an entry and stores it; `queued` is how many transfers may be left when the kernel starts.
fn sk1_skin<B: Bus>(
    bus: &mut B,
    walk: &Walk,
    journal: &mut Journal,
    index: u16,
    (store_size, queued): (u16, Option<usize>),
) -> Access<()> {
    walk.enter(bus, journal, index);
    let entry = walk.entry(index);
    let bone = entry.bone(bus)?;
    reorder(bus, walk.input.bones, bone, entry.address)?;
    match queued {
        Some(queued) => bus.machine().wait_for_transfers(queued),
        None => bus.machine().library_has_no_wait = true,
    }
    let first_vertex = source_buffer(index) + u32::from(entry.vertex_offset(bus)?);
    let call = OneBoneCall {
        matrix: entry.address,
        source: first_vertex,
        destination: first_vertex,
        count: entry.count(bus)?,
    };
    bulk::one_bone(bus, walk.input.code.one_bone, &call)?;
    bus.machine().marker = None;
    let route = Route { cargo: Cargo::Result, memory: entry.destination(bus)?, cache: source_buffer(index) };
    data(bus, walk.input, journal, route, u32::from(store_size))
}

/// Runs the SK2 list.
pub(super) fn sk2<B: Bus>(bus: &mut B, input: &FrameInput, journal: &mut Journal) -> Access<()> {
    let header = HeaderAt(input.skn);
    let walk = Walk { input, list: List::Sk2, first: header.list(bus, List::Sk2)? };
    let last = header.count(bus, List::Sk2)?.wrapping_sub(1);

    let mut store_lines = sk2_load(bus, &walk, journal, 0)?;
    for index in 0..last {
        let next_lines = sk2_load(bus, &walk, journal, index + 1)?;
        sk2_skin(bus, &walk, journal, index, (store_lines, 2))?;
        store_lines = next_lines;
    }
    sk2_skin(bus, &walk, journal, last, (store_lines, 0))
}

/// Loads an entry's source, then its weights, one transfer each; gives the lines to store later.
fn sk2_load<B: Bus>(bus: &mut B, walk: &Walk, journal: &mut Journal, index: u16) -> Access<u16> {
    walk.enter(bus, journal, index);
    let entry = walk.entry(index);
    let lines = lines_of(source_bytes(bus, entry)?) as u16;
    let route = Route { cargo: Cargo::Source, memory: entry.source(bus)?, cache: source_buffer(index) };
    blocks(bus, walk.input, journal, route, u32::from(lines))?;
    let weight_lines = lines_of(u32::from(entry.count(bus)?) * 2);
    let route = Route { cargo: Cargo::Weights, memory: entry.weights(bus)?, cache: weight_buffer(index) };
    blocks(bus, walk.input, journal, route, weight_lines)?;
    Ok(lines)
}

fn sk2_skin<B: Bus>(
    bus: &mut B,
    walk: &Walk,
    journal: &mut Journal,
    index: u16,
    (store_lines, queued): (u16, usize),
) -> Access<()> {
    walk.enter(bus, journal, index);
    let entry = walk.entry(index);
    let bones = [entry.bone(bus)?, entry.second_bone(bus)?];
    reorder(bus, walk.input.bones, bones[0], entry.address)?;
    reorder(bus, walk.input.bones, bones[1], entry.second_scratch())?;
    bus.machine().wait_for_transfers(queued);
    let first_vertex = source_buffer(index) + u32::from(entry.vertex_offset(bus)?);
    let call = TwoBoneCall {
        matrix_0: entry.address,
        matrix_1: entry.second_scratch(),
        source: first_vertex,
        weights: weight_buffer(index),
        destination: first_vertex,
        count: entry.count(bus)?,
    };
    bulk::two_bone(bus, walk.input.code.two_bone, &call)?;
    bus.machine().marker = None;
    let route = Route { cargo: Cargo::Result, memory: entry.destination(bus)?, cache: source_buffer(index) };
    blocks(bus, walk.input, journal, route, u32::from(store_lines))
}
