//! Chooses between the stepped kernels and the bulk ones: in bulk only where no access can fault, no
//! observer watches, no data cache stands between, and NaN stores 0.

use crate::c3::runtime::code::Function;
use crate::c3::runtime::kernels::bulk::{Addends, Arithmetic, Level};
use crate::c3::runtime::kernels::{
    self, AccumulateCall, Columns, OneBoneCall, STRIDE, TwoBoneCall, VERTEX_GQR,
};
use crate::gekko::bus::Bus;
use crate::gekko::machine::{Access, Machine};
use crate::gekko::map::Target;
use crate::gekko::quantize::NanStore;

/// Runs the one-bone kernel.
pub(super) fn one_bone<B: Bus>(bus: &mut B, code: Function, call: &OneBoneCall) -> Access<()> {
    let count = usize::from(call.count);
    bus.machine().spend(count as u64, code.at(0))?;
    if !B::OBSERVED && one_bone_in_bulk(bus.machine(), call).is_some() {
        return Ok(());
    }
    kernels::one_bone(bus, code, call)
}

fn one_bone_in_bulk(machine: &mut Machine, call: &OneBoneCall) -> Option<()> {
    let source = vertices_in_cache(machine, call.source, call.count)?;
    let columns = scratch(machine, call.matrix)?;
    let arithmetic = arithmetic(machine)?;
    let vertices = &mut machine.locked_cache.bytes_mut()[source];
    kernels::bulk::one_bone(Level::best(), vertices, &columns, arithmetic);
    Some(())
}

/// Runs the two-bone kernel.
pub(super) fn two_bone<B: Bus>(bus: &mut B, code: Function, call: &TwoBoneCall) -> Access<()> {
    bus.machine().spend(u64::from(call.count), code.at(0))?;
    if !B::OBSERVED && two_bone_in_bulk(bus.machine(), call).is_some() {
        return Ok(());
    }
    kernels::two_bone(bus, code, call)
}

fn two_bone_in_bulk(machine: &mut Machine, call: &TwoBoneCall) -> Option<()> {
    let source = vertices_in_cache(machine, call.source, call.count)?;
    let weights = machine.in_locked_cache(call.weights, u32::from(call.count) * 2)?;
    let (first, second) = (scratch(machine, call.matrix_0)?, scratch(machine, call.matrix_1)?);
    let arithmetic = arithmetic(machine)?;
    let bytes = machine.locked_cache.bytes_mut();
    // Vertices that run into their own weights change them under way: that takes the stepped kernel.
    let weights = weights..weights + usize::from(call.count) * 2;
    let (vertices, weights) = if source.end <= weights.start {
        let (low, high) = bytes.split_at_mut(weights.start);
        (&mut low[source], &high[..weights.len()])
    } else {
        return None;
    };
    kernels::bulk::two_bone(Level::best(), vertices, weights, [&first, &second], arithmetic);
    Some(())
}

/// Runs the accumulate kernel, whose indices have this [`extent`]; `stored` receives those of the
/// vertices it wrote.
pub(super) fn accumulate<B: Bus>(
    bus: &mut B,
    code: Function,
    call: &AccumulateCall,
    extent: Option<(u16, u16)>,
    stored: &mut Vec<u16>,
) -> Access<()> {
    bus.machine().spend(u64::from(call.count), code.at(0))?;
    if !B::OBSERVED && accumulate_in_bulk(bus.machine(), call, extent, stored).is_some() {
        return Ok(());
    }
    kernels::accumulate(bus, code, call, stored)
}

fn accumulate_in_bulk(
    machine: &mut Machine,
    call: &AccumulateCall,
    extent: Option<(u16, u16)>,
    stored: &mut Vec<u16>,
) -> Option<()> {
    let (_, highest) = extent?;
    let count = usize::from(call.count);
    // The kernel reads one vertex and one index past the last.
    let source = machine.in_locked_cache(call.source, (u32::from(call.count) + 1) * STRIDE)?;
    let indices = machine.in_locked_cache(call.indices, (u32::from(call.count) + 1) * 2)?;
    let weights = machine.in_locked_cache(call.weights, u32::from(call.count))?;
    let columns = scratch(machine, call.matrix)?;
    let arithmetic = arithmetic(machine)?;
    let size = (u32::from(highest) + 1) * STRIDE;
    let (cache, destination) = machine.locked_cache_and_memory(call.destination, size)?;
    let addends = Addends {
        vertices: &cache[source..source + count * STRIDE as usize],
        indices: &cache[indices..indices + 2 * count],
        weights: &cache[weights..weights + count],
    };
    let (pairs, _) = addends.indices.as_chunks::<2>();
    stored.extend(pairs.iter().map(|&index| u16::from_be_bytes(index)));
    kernels::bulk::accumulate(Level::best(), destination, addends, &columns, arithmetic);
    Some(())
}

/// Lowest and highest index of an accumulate call, as far as its indices lie in the locked cache.
/// `None` if there are none.
pub(super) fn extent(machine: &Machine, call: &AccumulateCall) -> Option<(u16, u16)> {
    let size = u32::from(call.count) * 2;
    let start = machine.in_locked_cache(call.indices, size)?;
    let (indices, _) = machine.locked_cache.get(start, size as usize)?.as_chunks::<2>();
    let mut values = indices.iter().map(|&index| u16::from_be_bytes(index));
    let first = values.next()?;
    Some(values.fold((first, first), |(low, high), value| (low.min(value), high.max(value))))
}

/// The range of an entry's vertices in the locked cache, if reading one vertex past the last (as the
/// kernels do) stays inside, and the loop counter does not wrap.
fn vertices_in_cache(machine: &Machine, address: u32, count: u16) -> Option<std::ops::Range<usize>> {
    if count < 2 {
        return None;
    }
    let start = machine.in_locked_cache(address, (u32::from(count) + 1) * STRIDE)?;
    Some(start..start + usize::from(count) * STRIDE as usize)
}

/// The matrix an entry's scratch holds.
fn scratch(machine: &Machine, address: u32) -> Option<Columns> {
    let bytes: &[u8; 48] = machine.memory(address, 48)?.try_into().ok()?;
    Some(Columns::from_scratch(bytes))
}

/// The machine's arithmetic, if the bulk kernels do it.
fn arithmetic(machine: &Machine) -> Option<Arithmetic> {
    let config = machine.config();
    if config.map.target != Target::Dolphin || config.nan_store != NanStore::Zero {
        return None;
    }
    let gqr = machine.gqr[VERTEX_GQR];
    Some(Arithmetic { load: gqr.load_factor(), store: gqr.store_factor(), rounding: config.rounding })
}
