//! Each kernel on a small input: the memory that Dolphin left, and the trace that lies beside it.
//!
//! `UPDATE_TRACES=1 cargo test --test cpu recordings` rewrites the traces, after the memory was held.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use skinsim::c3::runtime::code::SUPERSTAR;
use skinsim::c3::runtime::program::{Functions, own};
use skinsim::c3::trace::MAGIC;
use skinsim::c3::trace::record::{Event, watch_call};
use skinsim::gekko::cpu::registers::HID2_LCE;
use skinsim::gekko::cpu::{Cpu, Program};
use skinsim::gekko::machine::Machine;
use skinsim::gekko::quantize::Gqr;

use super::support::{BUDGET, config};

const INPUT: u32 = 0x8040_0000;
const LOCKED_CACHE: u32 = 0xe000_0000;
/// Bytes of the input that lie in the locked cache too.
const COPIED: usize = 0x200;
const STACK: u32 = 0x8080_0000;

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ppc_traces/recordings").join(name)
}

/// A machine as it was when Dolphin recorded.
fn prepared() -> Machine {
    let mut machine = Machine::new(config());
    let input = std::fs::read(recording("input.bin")).unwrap();
    machine.memory_mut(INPUT, input.len() as u32).unwrap().copy_from_slice(&input);
    machine.memory_mut(LOCKED_CACHE, COPIED as u32).unwrap().copy_from_slice(&input[..COPIED]);
    machine.gqr[6] = Gqr::both(4, 8);
    machine.gqr[7] = Gqr::both(7, 8);
    machine
}

/// Every line that is not zero, as the recordings write them.
fn lines(machine: &Machine, start: u32, size: u32) -> String {
    let memory = machine.memory(start, size).unwrap();
    let mut text = String::new();
    for (address, line) in (start..).step_by(32).zip(memory.chunks(32)) {
        if line.iter().all(|&byte| byte == 0) {
            continue;
        }
        let _ = write!(text, "{address:08x} ");
        for byte in line {
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
    }
    text
}

fn check(kernel: &str) {
    let recorded = std::fs::read_to_string(recording(&format!("{kernel}.memory"))).unwrap();
    let (header, memory) = recorded.split_once('\n').unwrap();
    let arguments = header.rsplit_once("arguments ").unwrap().1.split(' ');
    let executable = own::kernels(&SUPERSTAR).unwrap();
    let mut program = Program::new();
    for section in &executable.sections {
        program.add(section.address, &section.bytes);
    }
    let functions = Functions::new(&[], &executable, &SUPERSTAR, &program);
    let mut machine = prepared();
    let mut cpu = Cpu::new(machine.config().map.console);
    cpu.hid2 |= HID2_LCE;
    cpu.gpr[1] = STACK;
    for (register, value) in (3..).zip(arguments) {
        cpu.gpr[register] = u32::from_str_radix(value, 16).unwrap();
    }
    let mut trace = format!("{MAGIC}\n# engine cpu\n# kernel {kernel}\n");
    let entry = executable.symbol(kernel).unwrap();
    watch_call(&mut machine, (&program, &functions), &mut cpu, (entry, BUDGET), |event| {
        if let Event::Line(line) = event {
            let _ = writeln!(trace, "{line}");
        }
    })
    .unwrap();
    let left = lines(&machine, INPUT, 0x1000) + &lines(&machine, LOCKED_CACHE, 0x4000);
    assert!(left == memory, "{kernel}: the memory is not the one that Dolphin left");
    let path = recording(&format!("{kernel}.trace"));
    if std::env::var_os("UPDATE_TRACES").is_some() {
        std::fs::write(&path, &trace).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    let differs = stored.lines().zip(trace.lines()).find(|(stored, now)| stored != now);
    assert_eq!(differs, None, "{kernel}");
    assert_eq!(stored.lines().count(), trace.lines().count(), "{kernel}");
}

#[test]
fn every_kernel_leaves_what_dolphin_left_in_the_recorded_steps() {
    for kernel in ["one_bone", "two_bone", "accumulate", "clear", "flush"] {
        check(kernel);
    }
}
