//! How many one-bone vertices a second the interpreter skins, with our own kernel.

use criterion::Criterion;
use skinsim::gekko::cpu::{Cpu, Program};
use skinsim::gekko::executable::Executable;
use skinsim::gekko::machine::{Machine, MachineConfig, OnFault};
use skinsim::gekko::map::{AddressMap, Console, LOCKED_CACHE_START, LockedCacheBat, MemoryBats, Target};
use skinsim::gekko::paired_single::{Arithmetic, Rounding};
use skinsim::gekko::quantize::{Gqr, NanStore};
use skinsim::gekko::transfer_queue::DmaTiming;

use super::measure::{Task, in_turns};

const KERNELS: &[u8] = include_bytes!("../../ppc_traces/kernels/sluggers.elf");
const VERTICES: u32 = 320;
const MATRIX: u32 = 0x80a0_0000;

/// The kernel's instructions, one after the other.
pub fn one_bone(criterion: &mut Criterion) {
    let executable = Executable::read(KERNELS).expect("the kernels are an ELF");
    let mut program = Program::new();
    for section in &executable.sections {
        program.add(section.address, &section.bytes);
    }
    let entry = executable.symbol("SKN1Vecs16Norms16").expect("the kernel has a name");
    let mut machine = Machine::new(MachineConfig {
        map: AddressMap {
            console: Console::Wii,
            target: Target::Dolphin,
            locked_cache_bat: LockedCacheBat::Size16M,
            memory_bats: MemoryBats::default(),
        },
        rounding: Rounding::Dolphin,
        nan_store: NanStore::Zero,
        dma: DmaTiming::Instant,
        arithmetic: Arithmetic::Interpreter,
        on_fault: OnFault::Stop,
        budget: u64::MAX,
    });
    machine.gqr[7] = Gqr::both(7, 8);
    let cells = [0.9f32, 0.1, -0.2, 0.05, 0.95, 0.3, 0.2, -0.3, 0.9, 1.0, 2.0, -3.0];
    let bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.to_be_bytes()).collect();
    machine.memory_mut(MATRIX, 48).expect("memory").copy_from_slice(&bytes);
    for (index, byte) in machine.locked_cache.bytes_mut()[..4096].iter_mut().enumerate() {
        *byte = (index * 37) as u8;
    }
    let mut cpu = Cpu::new(Console::Wii);
    let mut call = || {
        cpu.gpr[1] = 0x817f_ffe0;
        cpu.gpr[3..7].copy_from_slice(&[MATRIX, LOCKED_CACHE_START, LOCKED_CACHE_START, VERTICES]);
        let before = cpu.executed;
        cpu.call(&program, &mut machine, entry, u64::MAX).expect("the kernel returns");
        cpu.executed - before
    };
    let instructions = call() as f64 / f64::from(VERTICES);
    let mut tasks = [Task::new("one-bone", VERTICES as usize, || {
        call();
    })];
    if in_turns(criterion, "interpreter", &mut tasks) {
        let rate = tasks[0].rate();
        println!("\n{:<24}{:>10}{:>20}", "interpreter", "M/s", "M instructions/s");
        println!("{:<24}{rate:>10.2}{:>20.0}\n", "one-bone", rate * instructions);
    }
}
