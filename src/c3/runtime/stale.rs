//! Slots of the position array whose bytes in memory are not the ones the processor holds.
//!
//! The graphics processor reads memory, accumulated results go through the data cache: what neither the
//! flush list nor an eviction has written back is not drawn, and a line that stays cached shadows
//! what the next frame's DMA puts behind it. A line that is merely shared raises no alarm: only a
//! slot's own bytes count. [skn-path.md 5]

use bitvec::slice::BitSlice;

use super::simulation::Simulation;
use crate::c3::format::skn::STRIDE;
use crate::gekko::address::LINE_SIZE;
use crate::gekko::machine::Machine;

/// How a slot's bytes in memory and in the data cache differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StaleKind {
    /// An accumulated value waits in the cache: the graphics processor draws the one before it.
    WaitsForWriteBack,
    /// Memory got a newer value by DMA; the cached line will bring the old one back when it is
    /// written back, or start the next accumulation from it.
    Shadowed,
}

/// A slot whose bytes in memory are not those in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StaleSlot {
    /// Slot number in the position array.
    pub slot: u32,
    /// Which side is behind.
    pub kind: StaleKind,
}

/// Every stale slot of the stored position array, in ascending order; `accumulated` has a bit for
/// every slot that an `SKAcc` entry adds to. Empty on Dolphin, which models no data cache.
pub fn stale_slots(simulation: &Simulation, accumulated: &BitSlice) -> Vec<StaleSlot> {
    let machine = &simulation.machine;
    let Some(cache) = &machine.data_cache else { return Vec::new() };
    let Some(start) = machine.translate(simulation.positions) else { return Vec::new() };
    let array = start.0..start.0 + u32::from(simulation.position_count) * STRIDE as u32;
    let mut slots: Vec<u32> = cache
        .lines()
        .filter(|line| line.address < array.end && line.address + LINE_SIZE > array.start)
        .flat_map(|line| differing_bytes(machine, simulation.positions, start.0, line.address, &line.bytes))
        .filter(|address| array.contains(address))
        .map(|address| (address - array.start) / STRIDE as u32)
        .collect();
    slots.sort_unstable();
    slots.dedup();
    let kind = |slot: u32| match accumulated.get(slot as usize).as_deref() {
        Some(true) => StaleKind::WaitsForWriteBack,
        _ => StaleKind::Shadowed,
    };
    slots.into_iter().map(|slot| StaleSlot { slot, kind: kind(slot) }).collect()
}

/// Physical addresses of a cached line's bytes that memory holds otherwise.
fn differing_bytes<'a>(
    machine: &'a Machine,
    positions: u32,
    start: u32,
    line: u32,
    bytes: &'a [u8],
) -> impl Iterator<Item = u32> + 'a {
    let effective = positions.wrapping_add(line.wrapping_sub(start));
    let held = machine.memory(effective, LINE_SIZE).unwrap_or(bytes);
    (line..).zip(bytes.iter().zip(held)).filter(|(_, (cached, held))| cached != held).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::coverage::Coverage;
    use crate::c3::format::block::SectionKind;
    use crate::c3::model::Model;
    use crate::c3::runtime::load::{IDENTITY, LoadPlan, SkinMatrix};
    use crate::c3::runtime::simulation::RunOptions;
    use crate::gekko::map::Target;

    /// Every bone scaled a little differently, so that every accumulated value changes.
    fn pose(frame: u8) -> Vec<SkinMatrix> {
        let scale = |bone: u8| 1.0 + f32::from(bone + frame) / 64.0;
        (0..24)
            .map(|bone| {
                let mut matrix = IDENTITY;
                matrix[0][0] = scale(bone);
                matrix
            })
            .collect()
    }

    fn run(bytes: &[u8], target: Target) -> (Vec<StaleSlot>, Vec<u8>) {
        let model = Model::from_block(bytes).unwrap();
        let plan = LoadPlan::block(&model, model.block.as_ref().unwrap(), 0x80a0_0000).unwrap();
        let options = RunOptions { target, ..RunOptions::default() };
        let mut simulation = Simulation::load(&plan, 24, &options).unwrap();
        for frame in 0..3 {
            assert!(simulation.frame(&pose(frame)).faults.is_empty());
        }
        let positions = simulation.position_bytes().unwrap().to_vec();
        (stale_slots(&simulation, &Coverage::of(&model).skacc), positions)
    }

    fn fox() -> Vec<u8> {
        std::fs::read(format!("{}/examples/fox.block", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn skn_offset(bytes: &[u8]) -> usize {
        let model = Model::from_block(bytes).unwrap();
        model.block.as_ref().unwrap().section(SectionKind::Skn).unwrap().offset as usize
    }

    /// The fox with one flush index for every line that accumulation touches: the first vertex that
    /// starts in the line. They fit into the padding of the old list.
    fn fox_with_every_line_flushed() -> Vec<u8> {
        let mut bytes = fox();
        let start = skn_offset(&bytes);
        let lines: std::collections::BTreeSet<u16> = {
            let model = Model::from_block(&bytes).unwrap();
            let skn = model.skn.as_ref().unwrap();
            let indices = skn.skacc.iter().flat_map(|entry| skn.indices(entry));
            indices.flat_map(|index| [index * 3 / 8, (index * 12 + 11) / 32]).collect()
        };
        let flush = skn_offset(&bytes) + 0x55e0;
        assert!(lines.len() <= 32);
        for (number, line) in lines.iter().enumerate() {
            let first_vertex = (line * 8).div_ceil(3);
            bytes[flush + 2 * number..flush + 2 * number + 2].copy_from_slice(&first_vertex.to_be_bytes());
        }
        bytes[start + 0x23] = lines.len() as u8;
        bytes
    }

    #[test]
    fn with_every_line_flushed_the_console_draws_what_dolphin_draws() {
        let (stale, console) = run(&fox_with_every_line_flushed(), Target::Console);
        assert_eq!(stale, []);
        let dolphin = run(&fox(), Target::Dolphin).1;
        let differing: Vec<usize> = (0..console.len() / 12)
            .filter(|slot| console[12 * slot..][..12] != dolphin[12 * slot..][..12])
            .collect();
        assert_eq!(differing, Vec::<usize>::new());
    }

    #[test]
    fn a_vertex_across_two_lines_keeps_its_second_line_in_the_cache() {
        // The fox's list names the vertices, and so their first lines only, as the community's rule
        // does; the kernel's own dcbst, too, stores the first line.
        let (stale, _) = run(&fox(), Target::Console);
        let waiting = stale.iter().filter(|stale| stale.kind == StaleKind::WaitsForWriteBack);
        let waiting: Vec<u32> = waiting.map(|stale| stale.slot).collect();
        assert!(!waiting.is_empty());
        assert!(waiting.iter().all(|slot| slot * 12 / 32 != (slot * 12 + 11) / 32), "{waiting:?}");
    }

    #[test]
    fn without_its_flush_list_the_console_drifts_and_dolphin_does_not() {
        let mut bytes = fox();
        let start = skn_offset(&bytes);
        bytes[start + 0x20..start + 0x24].fill(0);
        assert!(run(&bytes, Target::Dolphin) == run(&fox(), Target::Dolphin));
        assert!(run(&bytes, Target::Console).1 != run(&fox(), Target::Console).1);
    }
}
