//! A program's bus that tells every instruction and every access to an observer.

use crate::gekko::bus::{AccessRecord, Bus};
use crate::gekko::cpu::{Cpu, Program, Stop};
use crate::gekko::machine::Machine;

/// Sees what a processor does.
pub trait CodeObserver {
    /// An instruction, before it is executed.
    fn instruction(&mut self, pc: u32, code: u32);
    /// An access, after it was performed.
    fn access(&mut self, record: AccessRecord);
}

pub(super) struct Watched<'m, O> {
    pub machine: &'m mut Machine,
    pub observer: &'m mut O,
}

impl<O: CodeObserver> Bus for Watched<'_, O> {
    const OBSERVED: bool = true;

    fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn observe(&mut self, record: AccessRecord) {
        self.observer.access(record);
    }

    fn observe_instruction(&mut self, pc: u32, code: u32) {
        self.observer.instruction(pc, code);
    }
}

/// Calls a function of a program, everything told to an observer.
///
/// # Errors
/// Why execution ended before the function returned.
pub fn call_watched(
    machine: &mut Machine,
    program: &Program,
    cpu: &mut Cpu,
    (entry, budget): (u32, u64),
    observer: &mut impl CodeObserver,
) -> Result<(), Box<Stop>> {
    cpu.call(program, &mut Watched { machine, observer }, entry, budget)
}
