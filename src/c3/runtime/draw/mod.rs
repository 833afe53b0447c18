//! The display code's walk after a frame: what it reads every frame from where it lies (state list,
//! primitive lists, arrays), so that a structure a write-back ran over becomes its later fault.
//!
//! The loader copied the small headers; a state list and its primitive lists are read in place.
//! [skn-path.md 5] Memory here holds the GPL as its file has it, so a pointer that nothing wrote to
//! counts as relocated, and one that something wrote to as the bytes that lie there. The code reads
//! through a state's list pointer at +0x2F4 of the draw function: the seed's second crash is exactly
//! that read through a null pointer. [seed 003; which instruction it is: open]

use std::ops::Range;

use bitvec::vec::BitVec;

pub use self::damage::{Damage, DamageKind};

mod arrays;
mod damage;

use super::code::Function;
use super::journal::{Journal, LocatedFault, Stage, Writer};
use super::load::LoadPlan;
use crate::bytes::{Endian, View};
use crate::c3::format::gpl::{
    ArrayHeader, Attribute, Command, CommandKind, DisplayList, DisplayState, Gpl, Layout, STEP_LIMIT,
};
use crate::gekko::bus::Bus;
use crate::gekko::machine::{Machine, OnFault};

/// Offset in the draw function of the read through a state's list pointer. [seed 003]
const LIST_READ: u32 = 0x2f4;

/// What the walk found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrawOutcome {
    /// Faults of the display code.
    pub faults: Vec<LocatedFault>,
    /// Damaged lists, one row a state.
    pub damage: Vec<Damage>,
}

/// Damaged states that are listed; a model with more is no less broken.
const DAMAGE_LIMIT: usize = 64;

/// Bytes that are compared in the time that a command takes.
const COMPARED: usize = 16;

/// Walks the display states of every submesh.
pub fn draw(
    machine: &mut Machine,
    gpl: &Gpl,
    plan: &LoadPlan,
    journals: &[Journal],
    code: Function,
) -> DrawOutcome {
    let written = Written::new(journals, plan.gpl, gpl.view().len());
    if written.bytes.not_any() {
        return DrawOutcome::default(); // Nothing but what the file says is there to be read.
    }
    let frame = journals.last().map_or(0, |journal| journal.frame);
    let out = DrawOutcome::default();
    let mut walk = Walk { machine, gpl, base: plan.gpl, written, code, frame, steps: STEP_LIMIT, out };
    walk.submeshes();
    walk.out
}

/// Which bytes of the GPL the frames wrote, and who did.
struct Written {
    bytes: BitVec,
    base: u32,
    ranges: Vec<(Range<u32>, Writer)>,
}

impl Written {
    fn new(journals: &[Journal], base: u32, size: u64) -> Self {
        let ranges: Vec<_> = journals.iter().flat_map(Journal::written).collect();
        let mut bytes = BitVec::repeat(false, size as usize);
        for (range, _) in &ranges {
            let offset = |address: u32| (address.saturating_sub(base) as usize).min(bytes.len());
            let (start, end) = (offset(range.start), offset(range.end));
            if start < end {
                bytes[start..end].fill(true);
            }
        }
        Self { bytes, base, ranges }
    }

    /// Whether any byte of a range of the GPL was written.
    fn touches(&self, offset: u64, size: u64) -> bool {
        let end = offset.saturating_add(size).min(self.bytes.len() as u64) as usize;
        self.bytes.get(offset as usize..end).is_some_and(bitvec::slice::BitSlice::any)
    }

    /// Who wrote to a range of the GPL last.
    fn writer(&self, offset: u64, size: u64) -> Option<Writer> {
        let start = self.base.wrapping_add(offset as u32);
        let end = start.wrapping_add(size as u32);
        let hit = self.ranges.iter().rev().find(|(range, _)| range.start < end && start < range.end);
        hit.map(|(_, writer)| *writer)
    }
}

struct Walk<'a, 'g> {
    machine: &'a mut Machine,
    gpl: &'a Gpl<'g>,
    base: u32,
    written: Written,
    code: Function,
    frame: u32,
    /// Commands that may still be looked at, or bytes compared; lists can share bytes.
    steps: usize,
    out: DrawOutcome,
}

/// A display state and where it belongs.
struct State<'a> {
    submesh: u32,
    number: u16,
    layout: &'a Layout,
    fields: &'a DisplayState,
    list: Option<DisplayList>,
}

impl Walk<'_, '_> {
    fn submeshes(&mut self) {
        let gpl = self.gpl;
        for submesh in &gpl.submeshes {
            let Some(layout) = &submesh.layout else { continue };
            let mut lists = layout.display_lists(gpl.header.version).into_iter().peekable();
            let states = layout.display.iter().flat_map(|display| &display.states);
            for (number, fields) in (0..).zip(states) {
                let list = lists.next_if(|list| list.state == number);
                let state = State { submesh: submesh.index, number, layout, fields, list };
                if self.out.damage.len() >= DAMAGE_LIMIT || !self.state(&state) {
                    return;
                }
            }
            self.arrays(submesh.index, layout);
        }
    }

    /// One state; false when the display code ended at a fault.
    fn state(&mut self, state: &State) -> bool {
        let fields = state.fields;
        let [a, b, c] = fields.parameters;
        let head = self.word(fields.offset, u32::from_be_bytes([fields.id, a, b, c]));
        let (id, setting) = ((head >> 24) as u8, self.word(fields.offset + 4, fields.setting));
        if (id, setting) != (fields.id, fields.setting) {
            self.damaged(state, DamageKind::Setting { id, setting }, self.written.writer(fields.offset, 8));
        }
        let said = self.word(fields.offset + 0xc, fields.list_size);
        if said == 0 {
            if said != fields.list_size {
                self.damaged(state, DamageKind::Size(0), self.written.writer(fields.offset + 0xc, 4));
            }
            return true;
        }
        let home = relocated(self.base, state.layout.offset, fields.primitive_list);
        let list = self.word(fields.offset + 8, home);
        let faults = self.out.faults.len();
        self.read_through(list, state.submesh, fields.offset + 8);
        if self.out.faults.len() > faults {
            return self.machine.config().on_fault == OnFault::Continue;
        }
        let (offset, size) = (u64::from(home.wrapping_sub(self.base)), u64::from(fields.list_size));
        let (kind, entry) = if list != home {
            (Some(DamageKind::Redirected(list)), self.written.writer(fields.offset + 8, 4))
        } else if said != fields.list_size {
            (Some(DamageKind::Size(said)), self.written.writer(fields.offset + 0xc, 4))
        } else if self.written.touches(offset, size) {
            (self.damage_in(state), self.written.writer(offset, size))
        } else {
            return true;
        };
        if let Some(kind) = kind {
            self.damaged(state, kind, entry);
        }
        true
    }

    fn damaged(&mut self, state: &State, kind: DamageKind, writer: Option<Writer>) {
        self.out.damage.push(Damage { submesh: state.submesh, state: Some(state.number), kind, writer });
    }

    /// The display code's read through the list pointer at `field`.
    fn read_through(&mut self, list: u32, submesh: u32, field: u64) {
        let _ = self.machine.read_u32(list, self.code.at(LIST_READ));
        if self.machine.faults().total == 0 {
            return;
        }
        let entry = self.written.writer(field, 4).and_then(Writer::entry);
        let (stage, frame, submesh) = (Stage::Draw, self.frame, Some(submesh));
        let faults = self.machine.take_faults().faults;
        let located = |fault| LocatedFault { fault, stage, entry, frame, submesh };
        self.out.faults.extend(faults.into_iter().map(located));
    }

    /// A word of the GPL as the processor reads it: `intact`, with the bytes that something wrote laid over it.
    fn word(&self, offset: u64, intact: u32) -> u32 {
        let mut bytes = intact.to_be_bytes();
        if !self.written.touches(offset, 4) {
            return intact;
        }
        let held = self.machine.seen_word(self.base.wrapping_add(offset as u32)).unwrap_or(intact);
        for (at, (byte, held)) in (offset..).zip(bytes.iter_mut().zip(held.to_be_bytes())) {
            if self.written.touches(at, 1) {
                *byte = held;
            }
        }
        u32::from_be_bytes(bytes)
    }

    /// The first thing wrong in a list as memory holds it.
    fn damage_in(&mut self, state: &State) -> Option<DamageKind> {
        let list = state.list?;
        // Lists can share bytes: comparing them costs as much as walking over them.
        self.steps = self.steps.checked_sub(1 + list.size as usize / COMPARED)?;
        let bytes = self.machine.memory(self.base.wrapping_add(list.offset as u32), list.size)?;
        let intact = self.gpl.view().take(list.offset, list.size.into(), "primitive list").ok()?;
        let changed = changed(intact, bytes)?;
        let view = View::new(bytes, Endian::Big);
        for command in state.layout.commands(view, &list) {
            let steps = command.as_ref().map_or(1, Command::steps);
            let Some(left) = self.steps.checked_sub(steps) else { break };
            self.steps = left;
            match command {
                Err(error) => return Some(DamageKind::UnknownCommand(error.to_string())),
                Ok(command) => {
                    if let Some(damage) = index_past_the_end(state.layout, &command) {
                        return Some(damage);
                    }
                }
            }
        }
        Some(changed)
    }
}

/// The bytes of a list that are others than in the file, if there are any.
fn changed(intact: &[u8], held: &[u8]) -> Option<DamageKind> {
    let mut differing = (0..).zip(intact.iter().zip(held)).filter(|(_, (intact, held))| intact != held);
    let (first, _) = differing.next()?;
    let changed = 1 + differing.count() as u32;
    Some(DamageKind::Changed { first, changed, size: held.len() as u32 })
}

fn relocated(base: u32, layout: u32, pointer: u32) -> u32 {
    if pointer == 0 { 0 } else { base.wrapping_add(layout).wrapping_add(pointer) }
}

fn index_past_the_end(layout: &Layout, command: &Command) -> Option<DamageKind> {
    let CommandKind::Draw(primitive) = &command.kind else { return None };
    primitive.vertices().find_map(|vertex| {
        Attribute::ALL.into_iter().find_map(|attribute| {
            let index = vertex.index(attribute)?;
            let count = layout.array(attribute).map(|array: &ArrayHeader| array.count)?;
            (index >= count).then_some(DamageKind::Index { attribute, index, count })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::model::Model;
    use crate::c3::runtime::code::SLUGGERS;
    use crate::c3::runtime::load::IDENTITY;
    use crate::c3::runtime::simulation::{RunOptions, Simulation};
    use crate::gekko::map::Target;

    fn drawn(file: &str) -> DrawOutcome {
        let bytes = std::fs::read(format!("{}/examples/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let model = Model::from_block(&bytes).unwrap();
        let plan = LoadPlan::block(&model, model.block.as_ref().unwrap(), 0x80a0_0000).unwrap();
        let mut simulation = Simulation::load(&plan, 24, &RunOptions::default()).unwrap();
        let journals = [simulation.frame(&[IDENTITY; 24])];
        draw(&mut simulation.machine, model.gpl.as_ref().unwrap(), &plan, &journals, SLUGGERS.draw)
    }

    #[test]
    fn an_intact_model_draws_without_a_word() {
        assert_eq!(drawn("fox.block"), DrawOutcome::default());
    }

    /// What the walk finds after one entry's stored line was filled with `value` where `part` of the second
    /// display state lies.
    fn spoiled(part: Range<u64>, value: u8, on_console: bool) -> DrawOutcome {
        let of_state = |gpl: &Gpl| {
            let layout = gpl.submeshes[0].layout.as_ref().unwrap();
            let state = layout.display.as_ref().unwrap().states[1].offset;
            state + part.start..state + part.end
        };
        spoiled_at(of_state, value, on_console)
    }

    /// The same for any bytes of the geometry.
    pub(super) fn spoiled_at(
        part: impl FnOnce(&Gpl) -> Range<u64>,
        value: u8,
        on_console: bool,
    ) -> DrawOutcome {
        let bytes = std::fs::read(format!("{}/examples/fox.block", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let model = Model::from_block(&bytes).unwrap();
        let plan = LoadPlan::block(&model, model.block.as_ref().unwrap(), 0x80a0_0000).unwrap();
        let target = if on_console { Target::Console } else { Target::Dolphin };
        let options = RunOptions { target, ..RunOptions::default() };
        let mut simulation = Simulation::load(&plan, 24, &options).unwrap();
        let gpl = model.gpl.as_ref().unwrap();
        let part = part(gpl);
        let mut journal = simulation.frame(&[IDENTITY; 24]);
        let (start, end) = (plan.gpl + part.start as u32, plan.gpl + part.end as u32);
        for address in start..end {
            simulation.machine.write(address, 1, value.into(), SLUGGERS.draw.at(0)).unwrap();
        }
        journal.cleared = Some((start, end));
        draw(&mut simulation.machine, gpl, &plan, &[journal], SLUGGERS.draw)
    }

    #[test]
    fn every_field_of_a_state_that_is_written_over_is_told() {
        for on_console in [false, true] {
            let words = |part, value| {
                let outcome = spoiled(part, value, on_console);
                assert_eq!(outcome.faults, []);
                outcome.damage.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            };
            assert!(words(0..1, 9).contains("state 1: the state is now 9 with the setting"));
            assert!(words(0..1, 9).contains("does not know"));
            assert!(words(4..8, 0xaa).contains("with the setting 0xaaaaaaaa"));
            assert!(words(0xc..0x10, 0x01).contains("the list is now said to have 0x1010101 bytes"));
            assert!(words(0xc..0x10, 0).contains("the list is now said to have 0x0 bytes"));
            let redirected = spoiled(8..12, 0x80, on_console);
            assert!(redirected.damage.iter().any(|one| one.kind == DamageKind::Redirected(0x8080_8080)));
            let fault = spoiled(8..12, 0, on_console).faults[0].fault;
            assert_eq!((fault.address, fault.site.offset), (0, LIST_READ));
        }
    }

    /// Zeroes are commands that draw nothing: the primitives behind them are gone, and nothing else tells.
    #[test]
    fn a_list_that_is_written_over_is_told_even_if_it_reads_well() {
        let list = |gpl: &Gpl| {
            let layout = gpl.submeshes[0].layout.as_ref().unwrap();
            let list = layout.display_lists(gpl.header.version)[0];
            list.offset..list.offset + u64::from(list.size)
        };
        for on_console in [false, true] {
            let outcome = spoiled_at(list, 0, on_console);
            let told: Vec<String> = outcome.damage.iter().map(ToString::to_string).collect();
            // A console's store stays in the data cache: the graphics processor reads what lies in memory.
            assert_eq!(told.len(), usize::from(!on_console), "{told:?}");
            assert!(
                told.iter()
                    .all(|text| text
                        .contains("bytes of the list are not what the file says, the first at 0x0"))
            );
        }
        // What is written and the same as before harms nothing.
        let first = |gpl: &Gpl| list(gpl).start..list(gpl).start + 1;
        assert_eq!(spoiled_at(first, 0x90, false).damage, []);
    }

    #[test]
    fn a_zeroed_list_pointer_is_the_seeds_second_crash() {
        let outcome = drawn("broken/write-back.block");
        let fault = &outcome.faults[0];
        assert_eq!(
            fault.fault.message(crate::gekko::fault::DolphinEra::Release5),
            "Invalid read from 0x00000000, PC = 0x8052ec90"
        );
        assert_eq!(fault.entry.unwrap().to_string(), "SK2[20]");
    }
}
