//! The run loop: straight runs of instructions between taken branches.

use super::instruction::{Instruction, Unit};
use super::program::Program;
use super::registers::Cpu;
use super::stop::{Stop, StopReason, Trail};
use crate::gekko::bus::Bus;
use crate::gekko::fault::{Fault, FaultKind, Site};
use crate::gekko::machine::Halt;

/// Where a called function returns to: an address that is no code.
const RETURN_ADDRESS: u32 = 0xffff_fffc;

/// Why an instruction did not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interrupt {
    /// The machine stopped at a fault; its log says which.
    Halt,
    /// Execution cannot go on.
    Stop(StopReason),
}

impl From<Halt> for Interrupt {
    fn from(Halt: Halt) -> Self {
        Self::Halt
    }
}

/// A processor at work: its registers, the bus, the code.
pub(super) struct Engine<'a, B> {
    pub cpu: &'a mut Cpu,
    pub bus: &'a mut B,
    pub program: &'a Program,
    pub pc: u32,
    run_start: u32,
    trail: Trail,
    budget: u64,
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
        let mut engine =
            Engine { cpu: self, bus, program, pc: entry, run_start: entry, trail: Trail::default(), budget };
        engine.run().map_err(|interrupt| Box::new(engine.stop(interrupt)))
    }
}

impl<'a, B: Bus> Engine<'a, B> {
    fn run(&mut self) -> Result<(), Interrupt> {
        while self.pc != RETURN_ADDRESS {
            self.run_start = self.pc;
            let Some(code) = self.program.from(self.pc) else {
                return Err(Interrupt::Stop(StopReason::OutsideText));
            };
            let target = self.straight(code)?;
            self.account()?;
            self.trail.push(self.run_start, self.pc);
            self.pc = target;
        }
        Ok(())
    }

    /// Executes up to the next taken branch and gives its target.
    fn straight(&mut self, code: &'a [std::cell::Cell<Instruction>]) -> Result<u32, Interrupt> {
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
        Err(Interrupt::Stop(StopReason::OutsideText))
    }

    #[inline]
    fn step(&mut self, i: Instruction) -> Result<Option<u32>, Interrupt> {
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
            Unit::Unknown => return Err(Interrupt::Stop(StopReason::UnknownInstruction(i.code))),
        }
        Ok(None)
    }

    /// Counts the instructions of the straight run that ends here.
    #[inline]
    fn account(&mut self) -> Result<(), Interrupt> {
        let executed = self.executed_in_run();
        self.cpu.executed += executed;
        match self.budget.checked_sub(executed) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => Err(Interrupt::Stop(StopReason::Budget)),
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

    fn stop(&mut self, interrupt: Interrupt) -> Stop {
        let site = self.site();
        let machine = self.bus.machine();
        let reason = match interrupt {
            Interrupt::Halt => StopReason::Fault,
            Interrupt::Stop(StopReason::Budget) => {
                let _ = machine.cut_off(site);
                StopReason::Budget
            }
            Interrupt::Stop(reason) => {
                // Whatever the machine does at faults, the processor cannot go on.
                let _ = machine.fault(program_fault(site));
                reason
            }
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
