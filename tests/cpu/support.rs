//! Code from text, a machine to run it on, recorded vectors.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use powerpc_asm::{Argument, assemble};
use skinsim::gekko::cpu::{Cpu, Program, Stop};
use skinsim::gekko::machine::{Machine, MachineConfig, OnFault};
use skinsim::gekko::map::{AddressMap, Console, LockedCacheBat, MemoryBats, Target};
use skinsim::gekko::paired_single::{Arithmetic, Rounding};
use skinsim::gekko::quantize::NanStore;
use skinsim::gekko::transfer_queue::DmaTiming;

/// Where test code lies.
pub const CODE: u32 = 0x8000_3100;
/// Where test data lies.
pub const DATA: u32 = 0x8040_0000;
/// Instructions a test may run.
pub const BUDGET: u64 = 50_000_000;

/// A machine like the one that the vectors were recorded on.
pub fn config() -> MachineConfig {
    MachineConfig {
        map: AddressMap {
            console: Console::GameCube,
            target: Target::Dolphin,
            locked_cache_bat: LockedCacheBat::Size16M,
            memory_bats: MemoryBats::Boot,
        },
        rounding: Rounding::Dolphin,
        nan_store: NanStore::Zero,
        dma: DmaTiming::Instant,
        arithmetic: Arithmetic::Interpreter,
        on_fault: OnFault::Stop,
        budget: u64::MAX,
    }
}

/// The same, with the floating point of the JIT.
pub fn jit() -> MachineConfig {
    MachineConfig { arithmetic: Arithmetic::Jit, nan_store: NanStore::Jit, ..config() }
}

/// Assembles one instruction a line; branch targets are byte offsets.
pub fn code(text: &str) -> Vec<u8> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).flat_map(instruction).collect()
}

fn instruction(line: &str) -> [u8; 4] {
    let (mnemonic, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut arguments = [Argument::None; 5];
    let words = rest.split([',', '(', ')']).map(str::trim).filter(|word| !word.is_empty());
    for (argument, word) in arguments.iter_mut().zip(words) {
        *argument = Argument::Signed(number(word));
    }
    assemble(mnemonic, &arguments).unwrap_or_else(|error| panic!("{line}: {error}")).to_be_bytes()
}

fn number(word: &str) -> i32 {
    let digits = word.trim_start_matches("qr").trim_start_matches("cr").trim_start_matches(['r', 'f']);
    match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).unwrap() as i32,
        None => digits.parse().unwrap(),
    }
}

/// Processor, code and machine.
pub struct Bench {
    pub cpu: Cpu,
    pub program: Program,
    pub machine: Machine,
}

impl Bench {
    pub fn new(text: &str) -> Self {
        Self::with_config(text, config())
    }

    pub fn with_config(text: &str, config: MachineConfig) -> Self {
        let mut program = Program::new();
        program.add(CODE, &code(text));
        let mut cpu = Cpu::new(config.map.console);
        cpu.float = cpu.float.with_rounding(config.rounding).with_arithmetic(config.arithmetic);
        Self { cpu, program, machine: Machine::new(config) }
    }

    pub fn try_run(&mut self) -> Result<(), Box<Stop>> {
        self.cpu.call(&self.program, &mut self.machine, CODE, BUDGET)
    }

    pub fn run(&mut self) {
        if let Err(stop) = self.try_run() {
            panic!("{stop}\n{}{:?}", stop.listing(&self.program), self.machine.faults().faults);
        }
    }

    pub fn write(&mut self, address: u32, bytes: &[u8]) {
        self.machine.memory_mut(address, bytes.len() as u32).unwrap().copy_from_slice(bytes);
    }

    pub fn read(&self, address: u32, size: u32) -> &[u8] {
        self.machine.memory(address, size).unwrap()
    }

    pub fn u32(&self, address: u32) -> u32 {
        u32::from_be_bytes(self.read(address, 4).try_into().unwrap())
    }

    pub fn u64(&self, address: u32) -> u64 {
        u64::from_be_bytes(self.read(address, 8).try_into().unwrap())
    }
}

pub fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name)
}

/// A file that was compressed with gzip.
pub fn unpacked(name: &str) -> String {
    let file = std::fs::File::open(case(name)).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

/// A recorded table: its header, and rows of cells.
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn read(name: &str) -> Self {
        let text = unpacked(name);
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect());
        Self { header: lines.next().unwrap(), rows: lines.collect() }
    }

    pub fn column(&self, name: &str) -> usize {
        self.header.iter().position(|cell| cell == name).unwrap_or_else(|| panic!("no column {name}"))
    }

    pub fn rows(&self) -> impl Iterator<Item = &Vec<String>> {
        assert!(!self.rows.is_empty());
        self.rows.iter()
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

pub fn hex64(cell: &str) -> u64 {
    u64::from_str_radix(cell, 16).unwrap()
}
