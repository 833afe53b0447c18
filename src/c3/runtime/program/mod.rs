//! The game's own code instead of the direct model: a program in memory, its `SKNInit` called once,
//! its `SKNIt` every frame, with the registers that they have in the running game.

use super::journal::Journal;
use super::load::{LoadError, LoadPlan, SkinMatrix};
use super::simulation::Simulation;
use crate::gekko::bus::Bus;
use crate::gekko::cpu::registers::HID2_LCE;
use crate::gekko::cpu::{Cpu, Instruction, Program, Stop};
use crate::gekko::executable::{Executable, Section, Symbol};
use crate::gekko::machine::DEFAULT_BUDGET;
use crate::gekko::map::MEM1_SIZE;
use crate::gekko::quantize::Gqr;

mod account;
mod extent;
mod functions;
mod listed;
pub(in crate::c3) mod lists;
pub mod own;
mod pointers;
mod watched;

use account::Account;
pub use functions::{FRAME, Functions, INIT};
use watched::Watched;
pub use watched::{CodeObserver, call_watched};

/// Instructions allowed for each step of the run's budget, up to [`ENOUGH`].
const INSTRUCTIONS_PER_STEP: u64 = 64;

/// More instructions than any frame takes, and still few enough that a loop without end is told
/// within seconds. Only a budget above the default allows more.
const ENOUGH: u64 = 1 << 28;

/// The same of a frame that is written down line by line.
const ENOUGH_LINES: u64 = 1 << 22;

/// Instructions that a budget of steps allows, where the default budget is to allow `enough`.
fn allowed(steps: u64, enough: u64) -> u64 {
    let above = u128::from(steps) * u128::from(enough) / u128::from(DEFAULT_BUDGET);
    let above = u64::try_from(above).unwrap_or(u64::MAX);
    steps.saturating_mul(INSTRUCTIONS_PER_STEP).min(enough).max(above)
}

/// Top of the stack: the end of MEM1, with the two words that a caller's frame begins with.
pub const STACK: u32 = 0x8000_0000 + MEM1_SIZE as u32 - 0x20;

/// GQR6 as `SKNInit` sets it: u8 with 8 fraction bits.
const WEIGHTS: Gqr = Gqr::both(4, 8);

/// Why a program cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A section does not fit into memory.
    #[error(
        "section at {address:#010x}: want {size:#x} bytes of one bank of memory, have none there: link the program at 0x80000000 and above"
    )]
    NoMemory {
        /// Address of the section.
        address: u32,
        /// Its size.
        size: u32,
    },
    /// A section covers the model.
    #[error(
        "section at {address:#010x}, {size:#x} bytes, covers the model or its bones at {model:#010x}: place one of them elsewhere"
    )]
    Overlap {
        /// Address of the section.
        address: u32,
        /// Its size.
        size: u32,
        /// Start of what it covers.
        model: u32,
    },
    /// A function without an address.
    #[error("no address for {0}: give it as --symbol {0}=ADDRESS or in --map")]
    NoFunction(String),
    /// A function that does not begin in the program's code.
    #[error(
        "{name} at {address:#010x}: want an address in the program's code, have {have}; its own address is given as --symbol {name}=ADDRESS"
    )]
    NotCode {
        /// The function.
        name: String,
        /// Its address.
        address: u32,
        /// Where code is.
        have: String,
    },
    /// The setup function ended early.
    #[error("SKNInit did not return: {stop}; its last instructions:\n{listing}")]
    Init {
        /// Why.
        stop: Box<Stop>,
        /// The last instructions as text.
        listing: String,
    },
    /// The model does not fit into memory.
    #[error(transparent)]
    Model(#[from] LoadError),
}

/// What to run, and with which registers.
#[derive(Debug, Clone, Default)]
pub struct ProgramOptions {
    /// Named addresses; they come before the file's own and the game table.
    pub symbols: Vec<Symbol>,
    /// General purpose registers before each call (r1 the stack, r2 and r13 the small data).
    pub registers: Vec<(usize, u32)>,
    /// The function called each frame, if not `SKNIt`: a name, or an address as `0x80003100`.
    pub call: Option<String>,
}

impl ProgramOptions {
    /// The function called each frame.
    pub fn called(&self) -> &str {
        self.call.as_deref().unwrap_or(FRAME)
    }
}

/// A program ready to run frames.
#[derive(Debug, Clone)]
pub struct GameProgram {
    program: Program,
    functions: Functions,
    /// Registers as they stand between calls.
    pub cpu: Cpu,
    frame: u32,
    registers: Vec<(usize, u32)>,
}

impl GameProgram {
    /// Puts a program into a simulation's memory, sets the registers up and calls `SKNInit`, if the
    /// program has it.
    ///
    /// # Errors
    /// When a section does not fit or covers the model, when the function to call is not known, or
    /// when `SKNInit` does not return.
    pub fn load(
        executable: &Executable,
        options: &ProgramOptions,
        plan: &LoadPlan,
        simulation: &mut Simulation,
    ) -> Result<Self, ProgramError> {
        for section in &executable.sections {
            place(section, plan, simulation)?;
        }
        let program = text(executable, simulation);
        let functions = Functions::new(&options.symbols, executable, &simulation.input.code, &program);
        let frame = entry(options.called(), &functions, executable)?;
        let config = *simulation.machine.config();
        let mut cpu = Cpu::new(config.map.console);
        cpu.float = cpu.float.with_rounding(config.rounding).with_arithmetic(config.arithmetic);
        let registers = registers(executable, &functions, &program, options);
        let mut game = Self { program, functions, cpu, frame, registers };
        let init = game.init_address(executable, options)?;
        game.init(init, simulation)?;
        Ok(game)
    }

    /// `SKNInit`, where the program has it. A game's address counts only where there is code.
    fn init_address(
        &self,
        executable: &Executable,
        options: &ProgramOptions,
    ) -> Result<Option<u32>, ProgramError> {
        let own = options.symbols.iter().chain(&executable.symbols).any(|symbol| symbol.name == INIT);
        if own {
            return entry(INIT, &self.functions, executable).map(Some);
        }
        let known = self.functions.address(INIT);
        Ok(known.filter(|&address| self.program.word(address).is_some()))
    }

    /// Calls `SKNInit`; for a program without one, does what the frame needs of it.
    fn init(&mut self, init: Option<u32>, simulation: &mut Simulation) -> Result<(), ProgramError> {
        simulation.machine.gqr[0] = Gqr::default();
        let Some(init) = init else {
            self.cpu.hid2 |= HID2_LCE;
            simulation.machine.gqr[6] = WEIGHTS;
            return Ok(());
        };
        self.call(&mut simulation.machine, init, &[])
            .map_err(|stop| ProgramError::Init { listing: self.listing(&stop), stop })
    }

    /// Runs one frame with these skin matrices. Besides the account of it, gives why the program
    /// stopped, if it did not return.
    pub fn frame(
        &mut self,
        simulation: &mut Simulation,
        matrices: &[SkinMatrix],
    ) -> (Journal, Option<Box<Stop>>) {
        let mut journal = simulation.next_journal(matrices);
        if simulation.ended(&journal) {
            return (journal, None);
        }
        let input = simulation.input;
        let functions = self.functions.clone();
        let mut account = Account::new(&mut simulation.machine, &mut journal, &functions, input.skn);
        let outcome = self.call(&mut account, self.frame, &[(3, input.bones), (4, input.skn)]);
        account.finish(&functions);
        (journal, outcome.err())
    }

    /// Runs one frame with these skin matrices, every instruction and access told to `observer`.
    /// Besides the account, which holds the faults alone, gives why the program stopped.
    pub fn frame_watched(
        &mut self,
        simulation: &mut Simulation,
        matrices: &[SkinMatrix],
        observer: &mut impl CodeObserver,
    ) -> (Journal, Option<Box<Stop>>) {
        let mut journal = simulation.next_journal(matrices);
        let input = simulation.input;
        let mut bus = Watched { machine: &mut simulation.machine, observer };
        let arguments = [(3, input.bones), (4, input.skn)];
        let outcome = self.call_within(&mut bus, self.frame, &arguments, ENOUGH_LINES);
        journal.collect(&mut simulation.machine);
        for located in &mut journal.faults {
            located.fault.site = self.functions.locate(located.fault.site.pc.unwrap_or(0));
        }
        (journal, outcome.err())
    }

    /// Runs one frame on a bus of the caller's.
    ///
    /// # Errors
    /// Why the program stopped, if it did not return.
    pub fn frame_on<B: Bus>(&mut self, bus: &mut B, bones: u32, skn: u32) -> Result<(), Box<Stop>> {
        self.call(bus, self.frame, &[(3, bones), (4, skn)])
    }

    fn call<B: Bus>(&mut self, bus: &mut B, entry: u32, arguments: &[(usize, u32)]) -> Result<(), Box<Stop>> {
        self.call_within(bus, entry, arguments, ENOUGH)
    }

    fn call_within<B: Bus>(
        &mut self,
        bus: &mut B,
        entry: u32,
        arguments: &[(usize, u32)],
        enough: u64,
    ) -> Result<(), Box<Stop>> {
        for &(register, value) in arguments.iter().chain(&self.registers) {
            self.cpu.gpr[register & 31] = value;
        }
        let budget = allowed(bus.machine().config().budget, enough);
        self.cpu.call(&self.program, bus, entry, budget)
    }

    /// The last instructions before a stop, one a line: address, word, text, and the function where it
    /// is known.
    pub fn listing(&self, stop: &Stop) -> String {
        let line = |&pc: &u32| {
            let place = self.functions.describe(pc).unwrap_or_default();
            let text = match self.program.word(pc) {
                Some(word) => format!("{word:08x}  {:<32} {place}", Instruction::text(word)),
                None => "(not known text)".to_owned(),
            };
            format!("{pc:08x}: {}\n", text.trim_end())
        };
        stop.history.iter().map(line).collect()
    }

    /// The code, to show instructions of.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Where the functions lie.
    pub fn functions(&self) -> &Functions {
        &self.functions
    }
}

/// The address of the function to call, which must be code.
fn entry(name: &str, functions: &Functions, executable: &Executable) -> Result<u32, ProgramError> {
    let number = || u32::from_str_radix(name.strip_prefix("0x")?, 16).ok();
    let known = functions.address(name).or_else(number);
    let address = known.ok_or_else(|| ProgramError::NoFunction(name.to_owned()))?;
    let code = || executable.sections.iter().filter(|section| section.executable);
    let holds = |section: &Section| address.wrapping_sub(section.address) < section.bytes.len() as u32;
    if address.is_multiple_of(4) && code().any(holds) {
        return Ok(address);
    }
    let ranges = code().map(|section| {
        format!(
            "{:#010x}..{:#010x}",
            section.address,
            u64::from(section.address) + section.bytes.len() as u64
        )
    });
    let have = format!("code at {}", ranges.collect::<Vec<_>>().join(", "));
    Err(ProgramError::NotCode { name: name.to_owned(), address, have })
}

fn place(section: &Section, plan: &LoadPlan, simulation: &mut Simulation) -> Result<(), ProgramError> {
    let (address, size) = (section.address, section.size);
    let end = u64::from(address) + u64::from(size);
    let taken = plan.ranges().chain(simulation.bones.map(|bones| bones.range()));
    let mut covered = taken.filter(|&(start, stop)| u64::from(start) < end && address < stop);
    if let Some((model, _)) = covered.next() {
        return Err(ProgramError::Overlap { address, size, model });
    }
    let memory = simulation.machine.memory_mut(address, size);
    let memory = memory.ok_or(ProgramError::NoMemory { address, size })?;
    memory.fill(0);
    memory[..section.bytes.len()].copy_from_slice(&section.bytes);
    Ok(())
}

/// The code as it lies in memory once everything is placed: sections may lie over each other.
fn text(executable: &Executable, simulation: &Simulation) -> Program {
    let mut program = Program::new();
    for section in executable.sections.iter().filter(|section| section.executable) {
        if let Some(bytes) = simulation.machine.memory(section.address, section.bytes.len() as u32) {
            program.add(section.address, bytes);
        }
    }
    program
}

/// r1, r2 and r13: as given, else by the ELF's symbols, else as the program's own start-up sets them,
/// else by the ELF's sections, else the game's.
fn registers(
    executable: &Executable,
    functions: &Functions,
    program: &Program,
    options: &ProgramOptions,
) -> Vec<(usize, u32)> {
    let mut registers = vec![(1, STACK)];
    if let Some((r13, r2)) = functions.small_data() {
        registers.extend([(13, r13), (2, r2)]);
    }
    registers.extend(executable.small_data.iter().map(|base| (base.register, base.address)));
    registers.extend(start_up_registers(executable, program));
    for (number, symbol) in [(13, "_SDA_BASE_"), (2, "_SDA2_BASE_")] {
        registers.extend(executable.symbol(symbol).map(|address| (number, address)));
    }
    registers.extend(&options.registers);
    registers
}

/// What the start-up code loads into r2 and r13: a `lis`, and close behind it an `ori` or `addi` of the
/// same register. Neither register is used for anything else by code of this ABI.
fn start_up_registers(executable: &Executable, program: &Program) -> Vec<(usize, u32)> {
    let code = || executable.sections.iter().filter(|section| section.executable);
    let addresses = || {
        code().flat_map(|section| (0..section.bytes.len() as u32 / 4).map(|word| section.address + 4 * word))
    };
    let found = |register| addresses().find_map(|address| loaded_constant(program, address, register));
    [2, 13].into_iter().filter_map(|register| Some((register as usize, found(register)?))).collect()
}

/// The constant that two instructions from `address` on put into a register.
fn loaded_constant(program: &Program, address: u32, register: u32) -> Option<u32> {
    const REACH: u32 = 4;
    let (lis, ori, addi) =
        (0x3c00 | (register << 5), 0x6000 | (register << 5) | register, 0x3800 | (register << 5) | register);
    let high = program.word(address).filter(|word| word >> 16 == lis)? << 16;
    (1..=REACH).find_map(|next| {
        let word = program.word(address.wrapping_add(4 * next))?;
        match word >> 16 {
            half if half == ori => Some(high | (word & 0xffff)),
            half if half == addi => Some(high.wrapping_add(word as u16 as i16 as u32)),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_allows_enough_by_default_and_more_when_asked() {
        assert_eq!(allowed(1000, ENOUGH), 64_000);
        assert_eq!(allowed(DEFAULT_BUDGET, ENOUGH), ENOUGH);
        assert_eq!(allowed(DEFAULT_BUDGET, ENOUGH_LINES), ENOUGH_LINES);
        assert_eq!(allowed(2 * DEFAULT_BUDGET, ENOUGH_LINES), 2 * ENOUGH_LINES);
        assert_eq!(allowed(u64::MAX, ENOUGH), u64::MAX);
    }
}
