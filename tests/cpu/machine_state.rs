//! What code of an operating system does to the machine: block address translation, accesses without
//! translation, HID0, code over code.

use skinsim::gekko::cpu::{Program, StopReason};
use skinsim::gekko::machine::{MachineConfig, OnFault};
use skinsim::gekko::map::{AddressMap, Console, LockedCacheBat, MemoryBats, Target};

use super::support::{Bench, CODE, code, config};

fn on(console: Console, target: Target) -> MachineConfig {
    let map = AddressMap { console, target, memory_bats: MemoryBats::Sdk, ..config().map };
    MachineConfig { map, on_fault: OnFault::Stop, ..config() }
}

/// r3 and r4 hold what the code finds in special registers, or what it loads.
fn run(text: &str, config: MachineConfig, registers: &[(usize, u32)]) -> Bench {
    let mut bench = Bench::with_config(text, config);
    for &(register, value) in registers {
        bench.cpu.gpr[register] = value;
    }
    bench.write(0x8040_0000, &[0x11, 0x22, 0x33, 0x44]);
    bench.run();
    bench
}

#[test]
fn a_wii_program_finds_the_bats_that_dolphin_boots_with() {
    // DBAT4U, DBAT4L, DBAT5U, DBAT5L, IBAT4U, HID4. [measured: Dolphin 5.0-17995]
    let text =
        "mfspr r3, 568\nmfspr r4, 569\nmfspr r5, 570\nmfspr r6, 571\nmfspr r7, 560\nmfspr r8, 1011\nblr";
    let bench = run(text, on(Console::Wii, Target::Dolphin), &[]);
    let want = [0x9000_1fff, 0x1000_0002, 0xd000_1fff, 0x1000_002a, 0x9000_1fff, 0x8390_0000];
    assert_eq!(bench.cpu.gpr[3..9], want);
}

#[test]
fn both_names_of_a_wiis_second_memory_are_one_memory() {
    let text = "stw r5, 0(r3)\nlwz r6, 0(r4)\nblr";
    let wii = [(3, 0x9000_0040), (4, 0xd000_0040), (5, 0xcafe_f00d)];
    assert_eq!(run(text, on(Console::Wii, Target::Dolphin), &wii).cpu.gpr[6], 0xcafe_f00d);
    let mut cube = Bench::with_config(text, on(Console::GameCube, Target::Dolphin));
    cube.cpu.gpr[3] = 0x9000_0040;
    assert!(matches!(cube.try_run().unwrap_err().reason, StopReason::Fault));
}

#[test]
fn a_block_that_the_program_maps_can_be_read_and_one_that_it_drops_cannot() {
    // DBAT2: 0x20000000, 128 KiB, at physical 0x00400000; the lower half first, as the SDK does.
    let map = "mtspr 541, r6\nmtspr 540, r5\nisync\nlwz r3, 0(r4)\nblr";
    let registers = [(4, 0x2000_0000), (5, 0x2000_0002), (6, 0x0040_0002)];
    let mut bench = run(map, on(Console::Wii, Target::Dolphin), &registers);
    assert_eq!(bench.cpu.gpr[3], 0x1122_3344);
    bench.cpu.gpr[5] = 0;
    let stop = bench.try_run().unwrap_err();
    assert_eq!(stop.pc, CODE + 12);
    let fault = bench.machine.faults().faults[0];
    assert_eq!((fault.address, fault.translated), (0x2000_0000, false));
}

/// `LCEnable` maps 16 MiB. A BAT chosen for the run stays; a machine without one takes the program's.
#[test]
fn the_locked_caches_bat_is_the_programs_where_none_was_chosen() {
    let text = "mtspr 543, r6\nmtspr 542, r5\nisync\nlwz r3, 0(r4)\nblr";
    for (bat, translated) in
        [(LockedCacheBat::Size256K, false), (LockedCacheBat::Size16M, true), (LockedCacheBat::None, true)]
    {
        let config = on(Console::Wii, Target::Dolphin);
        let map = AddressMap { locked_cache_bat: bat, ..config.map };
        let mut bench = Bench::with_config(text, MachineConfig { map, ..config });
        bench.cpu.gpr[4..7].copy_from_slice(&[0xe004_0000, 0xe000_01fe, 0xe000_0002]);
        bench.try_run().unwrap_err();
        assert_eq!(bench.machine.faults().faults[0].translated, translated, "{bat:?}");
    }
}

/// `rfi` to a physical address with translation off, as the SDK goes where it sets the BATs up.
#[test]
fn code_runs_without_translation_at_physical_addresses() {
    let text = "mfmsr r9
        rlwinm r8, r9, 0, 28, 25
        mtspr 26, r10
        mtspr 27, r8
        rfi
        lwz r3, 0(r4)
        mtspr 26, r11
        mtspr 27, r9
        rfi
        lwz r5, 0(r6)
        blr";
    let registers = [(4, 0x0040_0000), (6, 0x8040_0000), (10, CODE - 0x8000_0000 + 20), (11, CODE + 36)];
    let bench = run(text, on(Console::Wii, Target::Dolphin), &registers);
    assert_eq!((bench.cpu.gpr[3], bench.cpu.gpr[5]), (0x1122_3344, 0x1122_3344));
    assert_eq!(bench.cpu.msr & 0x30, 0x30);
}

#[test]
fn dcbz_writes_nothing_while_hid0_has_the_data_cache_off() {
    let text = "mtspr 1008, r5\ndcbz r0, r4\nlwz r3, 0(r4)\nblr";
    let off = 0x0011_c464 & !0x4000;
    let registers = [(4, 0x8040_0000), (5, off)];
    let cube = on(Console::GameCube, Target::Dolphin);
    assert_eq!(run(text, cube, &registers).cpu.gpr[3], 0x1122_3344);
    let jit = MachineConfig { arithmetic: skinsim::gekko::paired_single::Arithmetic::Jit, ..cube };
    assert_eq!(run(text, jit, &registers).cpu.gpr[3], 0);
    // The console has a data cache, and no model of it switched off: that is told with where.
    let mut console = Bench::with_config(text, on(Console::GameCube, Target::Console));
    console.cpu.gpr[4..6].copy_from_slice(&[0x8040_0000, off]);
    let stop = console.try_run().unwrap_err();
    assert_eq!((stop.pc, stop.reason), (CODE, StopReason::CacheMode(off)));
}

#[test]
fn hid0_empties_the_caches() {
    // The store is lost with its line on a console; Dolphin has no lines to lose.
    let text = "stw r5, 0(r4)\nmfspr r6, 1008\nori r6, r6, 0x400\nmtspr 1008, r6\nlwz r3, 0(r4)\nmfspr r7, 1008\nblr";
    for (target, want) in [(Target::Console, 0x1122_3344), (Target::Dolphin, 7)] {
        let bench = run(text, on(Console::GameCube, target), &[(4, 0x8040_0000), (5, 7)]);
        assert_eq!((bench.cpu.gpr[3], bench.cpu.gpr[7] & 0x400), (want, 0), "{target:?}");
    }
    // Instructions are fetched anew: r4 replaces the last but one.
    let text = "stw r4, 0(r3)\nmfspr r6, 1008\nori r6, r6, 0x800\nmtspr 1008, r6\nisync\nli r5, 1\nblr";
    let mut bench = Bench::new(text);
    bench.write(CODE, &code(text));
    bench.cpu.gpr[3..5].copy_from_slice(&[CODE + 20, 0x38a0_0002]);
    bench.run();
    assert_eq!(bench.cpu.gpr[5], 2);
}

#[test]
fn code_goes_on_from_one_section_into_the_next() {
    let mut bench = Bench::new("nop");
    let mut program = Program::new();
    program.add(CODE, &code("li r3, 1\nli r4, 2"));
    program.add(CODE + 8, &code("li r5, 3\nblr"));
    bench.program = program;
    bench.run();
    assert_eq!(bench.cpu.gpr[3..6], [1, 2, 3]);
    assert_eq!(bench.cpu.executed, 4);
}
