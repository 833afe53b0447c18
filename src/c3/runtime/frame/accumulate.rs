//! The `SKAcc` list and what surrounds it: clear, accumulate, store the cleared lines, flush.
//! [listing]

use super::transfers::{Route, blocks, lines_of};
use super::{ClearForm, FrameInput, bulk};
use crate::c3::format::skn::{EntryId, List};
use crate::c3::runtime::code::{CLEAR_DCBZ, unlisted};
use crate::c3::runtime::header::{EntryAt, HeaderAt};
use crate::c3::runtime::journal::{Accumulated, Cargo, Journal, Stage};
use crate::c3::runtime::kernels::{AccumulateCall, STRIDE};
use crate::c3::runtime::reorder::reorder;
use crate::gekko::address::{LINE_SIZE, line_start};
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;
use crate::gekko::map::LOCKED_CACHE_START;

/// One of the two sets of buffers: source, indices, weights. [listing]
#[derive(Debug, Clone, Copy)]
struct Buffers {
    source: u32,
    indices: u32,
    weights: u32,
}

const fn buffers(index: u16) -> Buffers {
    let start = LOCKED_CACHE_START + 0x2000 * (index as u32 & 1);
    Buffers { source: start, indices: start + 0x1000, weights: start + 0x1800 }
}

/// Clears the memClr range if its size is not 0.
pub(super) fn clear<B: Bus>(bus: &mut B, input: &FrameInput, journal: &mut Journal) -> Access<()> {
    journal.enter(bus.machine(), Stage::Clear, None);
    let (start, size) = HeaderAt(input.skn).clear_range(bus)?;
    if size == 0 {
        return Ok(());
    }
    match input.clear {
        ClearForm::Dcbz => clear_lines(bus, input, journal, (start, lines_of(size))),
        ClearForm::Bytes => clear_bytes(bus, input, journal, (start, size)),
    }
}

/// A counted loop of `dcbz`: the counter of a size close to 2^32 is 0 and wraps.
fn clear_lines<B: Bus>(
    bus: &mut B,
    input: &FrameInput,
    journal: &mut Journal,
    (start, lines): (u32, u32),
) -> Access<()> {
    let site = input.code.clear.at(CLEAR_DCBZ);
    let turns = if lines == 0 { 1 << 32 } else { u64::from(lines) };
    for line in 0..turns {
        bus.machine().spend(1, site)?;
        let address = start.wrapping_add((line as u32).wrapping_mul(LINE_SIZE));
        let faults = bus.machine().faults().total;
        bus.zero_line(address, site)?;
        if bus.machine().faults().total == faults {
            journal.clears(line_start(address), LINE_SIZE);
        }
    }
    Ok(())
}

fn clear_bytes<B: Bus>(
    bus: &mut B,
    input: &FrameInput,
    journal: &mut Journal,
    (start, size): (u32, u32),
) -> Access<()> {
    let site = input.code.clear.at(CLEAR_DCBZ);
    for byte in 0..size {
        bus.machine().spend(1, site)?;
        let address = start.wrapping_add(byte);
        let faults = bus.machine().faults().total;
        bus.write(address, 1, 0, site)?;
        if bus.machine().faults().total == faults {
            journal.clears(address, 1);
        }
    }
    Ok(())
}

/// Runs the `SKAcc` list: loads one entry ahead; only the first load is waited for.
pub(super) fn skacc<B: Bus>(bus: &mut B, input: &FrameInput, journal: &mut Journal) -> Access<()> {
    let header = HeaderAt(input.skn);
    let first = header.list(bus, List::SkAcc)?;
    let last = header.count(bus, List::SkAcc)?.wrapping_sub(1);
    load(bus, input, journal, first, 0)?;
    bus.machine().wait_for_transfers(0);
    for index in 0..last {
        load(bus, input, journal, first, index + 1)?;
        skin(bus, input, journal, first, index)?;
    }
    skin(bus, input, journal, first, last)
}

fn enter<B: Bus>(bus: &mut B, journal: &mut Journal, first: u32, index: u16) -> EntryAt {
    journal.enter(bus.machine(), Stage::SkAcc, Some(EntryId { list: List::SkAcc, index: u32::from(index) }));
    let address = first.wrapping_add(u32::from(index) * List::SkAcc.entry_size() as u32);
    EntryAt { list: List::SkAcc, address }
}

/// Source, indices, weights: one transfer each, none of them split.
fn load<B: Bus>(
    bus: &mut B,
    input: &FrameInput,
    journal: &mut Journal,
    first: u32,
    index: u16,
) -> Access<()> {
    let entry = enter(bus, journal, first, index);
    let to = buffers(index);
    let count = u32::from(entry.count(bus)?);
    let source = Route { cargo: Cargo::Source, memory: entry.source(bus)?, cache: to.source };
    blocks(bus, input, journal, source, lines_of(count * STRIDE))?;
    let indices = Route { cargo: Cargo::Indices, memory: entry.indices(bus)?, cache: to.indices };
    blocks(bus, input, journal, indices, lines_of(count * 2))?;
    let weights = Route { cargo: Cargo::Weights, memory: entry.weights(bus)?, cache: to.weights };
    blocks(bus, input, journal, weights, lines_of(count))
}

fn skin<B: Bus>(
    bus: &mut B,
    input: &FrameInput,
    journal: &mut Journal,
    first: u32,
    index: u16,
) -> Access<()> {
    let entry = enter(bus, journal, first, index);
    let from = buffers(index);
    let bone = entry.bone(bus)?;
    reorder(bus, input.bones, bone, entry.address)?;
    let call = AccumulateCall {
        matrix: entry.address,
        source: from.source,
        indices: from.indices,
        weights: from.weights,
        destination: entry.destination(bus)?,
        count: entry.count(bus)?,
    };
    bus.machine().library_has_no_wait = index > 0;
    let extent = bulk::extent(bus.machine(), &call);
    let mut stored = Vec::new();
    let outcome = bulk::accumulate(bus, input.code.accumulate, &call, extent, &mut stored);
    // Also of a kernel that a fault ended: its stores up to there have happened.
    journal.accumulated(Accumulated::of(call.destination, stored));
    outcome?;
    bus.machine().marker = None;
    Ok(())
}

/// `dcbst` over the clear range: the library asks for 31 bytes more than the size, and for a line
/// more when the start is not on one. It does so whatever the size. [listing]
pub(super) fn store_cleared<B: Bus>(bus: &mut B, input: &FrameInput, journal: &mut Journal) -> Access<()> {
    journal.enter(bus.machine(), Stage::Flush, None);
    if bus.machine().data_cache.is_none() && !B::OBSERVED {
        return Ok(()); // No data cache: nothing can show.
    }
    let (start, size) = HeaderAt(input.skn).clear_range(bus)?;
    let unaligned = if start.is_multiple_of(LINE_SIZE) { 0 } else { LINE_SIZE };
    let lines = lines_of(size.wrapping_add(31).wrapping_add(unaligned));
    let site = unlisted("store-range").at(0);
    for line in 0..lines {
        bus.machine().spend(1, site)?;
        bus.store_line(start.wrapping_add(line.wrapping_mul(LINE_SIZE)), site);
    }
    Ok(())
}

/// `dcbf` of the line at every flush index, all relative to the first entry's destination base.
pub(super) fn flush<B: Bus>(bus: &mut B, input: &FrameInput, journal: &mut Journal) -> Access<()> {
    let header = HeaderAt(input.skn);
    let (indices, count) = header.flush(bus)?;
    if count == 0 {
        return Ok(());
    }
    let first = EntryAt { list: List::SkAcc, address: header.list(bus, List::SkAcc)? };
    let base = first.destination(bus)?;
    journal.enter(bus.machine(), Stage::Flush, None);
    // Where the function reads an index is not listed.
    let site = unlisted("flush").at(0);
    for number in 0..count {
        bus.machine().spend(1, site)?;
        let index = bus.read_u16(indices.wrapping_add(number.wrapping_mul(2)), site)?;
        bus.flush_line(base.wrapping_add(u32::from(index) * STRIDE), site);
    }
    Ok(())
}
