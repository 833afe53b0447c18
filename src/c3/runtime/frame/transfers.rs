//! The library's four transfer routines. The block routines write the DMA registers once, whatever
//! the line count; the data routines split at 128 lines. [listing]

use super::FrameInput;
use crate::c3::runtime::code::BLOCK_TRIGGER;
use crate::c3::runtime::journal::{Cargo, Journal, TransferRecord};
use crate::gekko::bus::Bus;
use crate::gekko::locked_cache::{Direction, DmaRegisters, MAX_LINES};
use crate::gekko::machine::Access;

/// One side each of a transfer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) cargo: Cargo,
    pub(super) memory: u32,
    pub(super) cache: u32,
}

impl Route {
    fn direction(&self) -> Direction {
        if self.cargo == Cargo::Result { Direction::Store } else { Direction::Load }
    }
}

/// Lines that hold `bytes` bytes, in the library's 32-bit arithmetic.
pub(super) fn lines_of(bytes: u32) -> u32 {
    bytes.wrapping_add(31) >> 5
}

/// One transfer, not split: the line count is cut to the seven bits of its field.
pub(super) fn blocks<B: Bus>(
    bus: &mut B,
    input: &FrameInput,
    journal: &mut Journal,
    route: Route,
    lines: u32,
) -> Access<()> {
    let direction = route.direction();
    let registers =
        DmaRegisters::as_written(direction, route.memory, route.cache, lines, input.code.dma_memory_mask);
    let routine = match direction {
        Direction::Load => input.code.load_blocks,
        Direction::Store => input.code.store_blocks,
    };
    bus.machine().spend(1, routine.at(BLOCK_TRIGGER))?;
    let done = bus.transfer(registers, routine.at(BLOCK_TRIGGER))?;
    journal.transferred(TransferRecord { cargo: route.cargo, memory: route.memory, asked: lines, done });
    Ok(())
}

/// As many transfers of 128 lines as needed; the full ones are asked for with a length of 0.
pub(super) fn data<B: Bus>(
    bus: &mut B,
    input: &FrameInput,
    journal: &mut Journal,
    mut route: Route,
    bytes: u32,
) -> Access<()> {
    let mut lines = lines_of(bytes);
    while lines >= MAX_LINES {
        blocks(bus, input, journal, route, 0)?;
        route.memory = route.memory.wrapping_add(MAX_LINES * 32);
        route.cache = route.cache.wrapping_add(MAX_LINES * 32);
        lines -= MAX_LINES;
    }
    if lines > 0 {
        blocks(bus, input, journal, route, lines)?;
    }
    Ok(())
}
