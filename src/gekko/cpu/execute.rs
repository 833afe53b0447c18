//! The run loop: straight runs of instructions between taken branches.

use powerpc::Opcode;

use super::instruction::{Instruction, Unit};
use super::program::Program;
use super::registers::{Cpu, MSR_IR};
use super::stop::{Stop, StopReason, Trail};
use crate::gekko::bus::Bus;
use crate::gekko::fault::{Fault, FaultKind, Site};
use crate::gekko::machine::{Access, Halt};

/// Where a called function returns to: an address that is no code.
const RETURN_ADDRESS: u32 = 0xffff_fffc;

/// A processor at work: its registers, the bus, the code.
pub(super) struct Engine<'a, B> {
    pub cpu: &'a mut Cpu,
    pub bus: &'a mut B,
    pub program: &'a Program,
    pub pc: u32,
    run_start: u32,
    trail: Trail,
    budget: u64,
    /// Why execution cannot go on, where it is not a fault of the machine.
    reason: Option<StopReason>,
}

impl Cpu {
    /// Calls the function at `entry` with the arguments in the registers and runs until it returns.
    /// At the most about `budget` instructions are executed.
    ///
    /// # Errors
    /// Why execution ended before the function returned. Faults are in the machine's log as well.
    pub fn call<B: Bus>(
        &mut self,
        program: &Program,
        bus: &mut B,
        entry: u32,
        budget: u64,
    ) -> Result<(), Box<Stop>> {
        self.lr = RETURN_ADDRESS;
        let mut engine = Engine {
            cpu: self,
            bus,
            program,
            pc: entry,
            run_start: entry,
            trail: Trail::default(),
            budget,
            reason: None,
        };
        engine.run().map_err(|Halt| Box::new(engine.stop()))
    }
}

impl<'a, B: Bus> Engine<'a, B> {
    fn run(&mut self) -> Access<()> {
        while self.pc != RETURN_ADDRESS {
            self.run_start = self.pc;
            let Some(code) = self.text() else {
                return Err(self.halt(StopReason::OutsideText));
            };
            let target = self.straight(code)?;
            self.account()?;
            if target == self.pc && self.never_leaves(self.pc) {
                return Err(self.halt(StopReason::Endless));
            }
            self.trail.push(self.run_start, self.pc);
            self.pc = target;
        }
        Ok(())
    }

    /// The code from the program counter to the end of its range. Without translation the program counter
    /// is a physical address, and what lies there has its name in the cached segment.
    #[inline]
    fn text(&self) -> Option<&'a [std::cell::Cell<Instruction>]> {
        self.program.from(self.pc).or_else(|| {
            let physical = self.cpu.msr & MSR_IR == 0 && self.pc >> 28 == 0;
            physical.then(|| self.program.from(self.pc | 0x8000_0000)).flatten()
        })
    }

    /// Whether the branch at `pc`, which leads to itself, waits for nothing: neither the counter nor
    /// a condition. Halting by such a branch is how libraries end after a panic.
    #[cold]
    fn never_leaves(&self, pc: u32) -> bool {
        const ALWAYS: usize = 0x14;
        let Some(cell) = self.program.from(pc).and_then(<[_]>::first) else { return false };
        let branch = cell.get();
        branch.op == Opcode::B || branch.d() & ALWAYS == ALWAYS
    }

    /// Executes up to the next taken branch and gives its target.
    fn straight(&mut self, mut code: &'a [std::cell::Cell<Instruction>]) -> Access<u32> {
        loop {
            for cell in code {
                let instruction = cell.get();
                if B::OBSERVED {
                    self.bus.observe_instruction(self.pc, instruction.code);
                }
                if let Some(target) = self.step(instruction)? {
                    return Ok(target);
                }
                self.pc = self.pc.wrapping_add(4);
            }
            // A program has many text sections, and some begin where others end.
            match self.text() {
                Some(next) => code = next,
                None => return Err(self.halt(StopReason::OutsideText)),
            }
        }
    }

    #[inline]
    fn step(&mut self, i: Instruction) -> Access<Option<u32>> {
        match i.unit {
            Unit::Branch => return Ok(self.branch(i)),
            Unit::Add => self.add(i),
            Unit::Multiply => self.multiply(i),
            Unit::Logical => self.logical(i),
            Unit::Shift => self.shift(i),
            Unit::Compare => self.compare(i),
            Unit::Condition => self.condition(i),
            Unit::LoadInteger => self.load_integer(i)?,
            Unit::StoreInteger => self.store_integer(i)?,
            Unit::LoadMultiple => self.load_multiple(i)?,
            Unit::LoadFloat => self.load_float(i)?,
            Unit::StoreFloat => self.store_float(i)?,
            Unit::FloatArithmetic => self.float_arithmetic(i),
            Unit::FloatMultiplyAdd => self.float_multiply_add(i),
            Unit::FloatMove => self.float_move(i),
            Unit::FloatStatus => self.float_status(i),
            Unit::PairedArithmetic => self.paired_arithmetic(i),
            Unit::PairedMultiplyAdd => self.paired_multiply_add(i),
            Unit::PairedMove => self.paired_move(i),
            Unit::PairedCompare => self.paired_compare(i),
            Unit::PairedMemory => self.paired_memory(i)?,
            Unit::Cache => self.cache(i)?,
            Unit::System => self.system(i)?,
            Unit::Unknown => return Err(self.halt(StopReason::UnknownInstruction(i.code))),
        }
        Ok(None)
    }

    /// Counts the instructions of the straight run that ends here.
    #[inline]
    fn account(&mut self) -> Access<()> {
        let executed = self.executed_in_run();
        self.cpu.executed += executed;
        match self.budget.checked_sub(executed) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => Err(self.halt(StopReason::Budget)),
        }
    }

    /// Instructions from the start of this straight run up to the current one.
    #[inline]
    pub(super) fn executed_in_run(&self) -> u64 {
        u64::from(self.pc.wrapping_sub(self.run_start) / 4) + 1
    }

    /// The current instruction, for the fault log.
    #[inline]
    pub(super) fn site(&self) -> Site {
        Site { function: "", offset: 0, pc: Some(self.pc) }
    }

    /// Ends execution for a reason of the processor's own.
    #[cold]
    pub(super) fn halt(&mut self, reason: StopReason) -> Halt {
        self.reason = Some(reason);
        Halt
    }

    fn stop(&mut self) -> Stop {
        let (site, reason) = (self.site(), self.reason.unwrap_or(StopReason::Fault));
        let machine = self.bus.machine();
        // Whatever the machine does at faults, the processor cannot go on.
        let _ = match reason {
            StopReason::Fault => Ok(()),
            StopReason::Budget | StopReason::Endless => machine.cut_off(site),
            _ => machine.fault(program_fault(site)),
        };
        Stop { reason, pc: self.pc, history: self.trail.last(self.run_start, self.pc) }
    }
}

fn program_fault(site: Site) -> Fault {
    Fault {
        kind: FaultKind::Program,
        address: site.pc.unwrap_or(0),
        size: 4,
        translated: true,
        site,
        marker: None,
    }
}
