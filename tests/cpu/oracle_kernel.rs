//! The one-bone loop that the recordings of Dolphin ran: what it makes of vertices, and where it faults when
//! its counter wraps, message by message.

use serde_json::Value;
use skinsim::gekko::fault::{DolphinEra, Fault};
use skinsim::gekko::machine::{MachineConfig, OnFault};
use skinsim::gekko::map::LockedCacheBat;
use skinsim::gekko::quantize::Gqr;

use super::support::{Bench, CODE, config, unpacked};

/// r3 = four columns of a matrix, r4 = source, r5 = destination, r6 = vertices. Reads one vertex ahead.
const KERNEL: &str = "psq_l f0, 0(r3), 0, qr0
    psq_l f1, 8(r3), 1, qr0
    psq_l f2, 12(r3), 0, qr0
    psq_l f3, 20(r3), 1, qr0
    psq_l f4, 24(r3), 0, qr0
    psq_l f5, 32(r3), 1, qr0
    psq_l f6, 36(r3), 0, qr0
    psq_l f7, 44(r3), 1, qr0
    addi r6, r6, -1
    mtspr 9, r6
    psq_l f8, 0(r4), 0, qr7
    psq_l f9, 4(r4), 0, qr7
    psq_l f10, 8(r4), 0, qr7";
const TRANSFORM: &str = "ps_madds0 f11, f0, f8, f6
    ps_madds0 f12, f1, f8, f7
    ps_muls1 f13, f0, f9
    ps_muls1 f14, f1, f9
    ps_madds1 f11, f2, f8, f11
    ps_madds1 f12, f3, f8, f12
    ps_madds0 f13, f2, f10, f13
    ps_madds0 f14, f3, f10, f14
    ps_madds0 f11, f4, f9, f11
    ps_madds0 f12, f5, f9, f12
    ps_madds1 f13, f4, f10, f13
    ps_madds1 f14, f5, f10, f14";
const READ_AHEAD: &str = "psq_l f8, 12(r4), 0, qr7
    psq_l f9, 16(r4), 0, qr7
    psq_lu f10, 20(r4), 0, qr7";
const STORE: &str = "psq_st f11, 0(r5), 0, qr7
    psq_st f12, 4(r5), 1, qr7
    psq_st f13, 6(r5), 0, qr7
    psq_st f14, 10(r5), 1, qr7";
const ADVANCE: &str = "addi r4, r4, -8\naddi r5, r5, 12";

const MATRIX: u32 = 0x8020_0000;
/// Where the recorded kernel begins, behind what sets the machine up.
const KERNEL_AT: u32 = 0x8000_3220;
/// Its first read of a vertex, and its loop.
const FIRST_VERTEX: u32 = KERNEL_AT + 0x28;
const LOOP: u32 = KERNEL_AT + 0x64;
/// Bits of HID2 that the recorded program sets: quantized accesses, paired singles, locked cache.
const HID2: u32 = 0xb000_0000;

/// Sets the locked cache's BAT up as the recorded programs do, then goes on at `at`.
pub fn bench(bat: u32, at: u32, rest: &str, on_fault: OnFault) -> Bench {
    let set_up = "mtspr 543, r10\nmtspr 542, r11\n";
    let gap = "nop\n".repeat(((at - CODE) / 4 - 2) as usize);
    let config = MachineConfig { on_fault, ..self::config() };
    let map = skinsim::gekko::map::AddressMap { locked_cache_bat: LockedCacheBat::None, ..config.map };
    let mut bench = Bench::with_config(&format!("{set_up}{gap}{rest}"), MachineConfig { map, ..config });
    bench.cpu.hid2 |= HID2;
    bench.machine.gqr[6] = Gqr::both(4, 8);
    bench.machine.gqr[7] = Gqr::both(7, 8);
    bench.cpu.gpr[10] = 0xe000_0002;
    bench.cpu.gpr[11] = bat;
    bench
}

/// The messages of the recording's build, the first three of them.
pub fn messages(faults: &[Fault]) -> Vec<String> {
    faults.iter().take(3).map(|fault| fault.message(DolphinEra::Since2021)).collect()
}

/// DSISR of a data storage interrupt in that build: bit 1, and the store bit for every address but 0.
pub fn dsisr(address: u32) -> u32 {
    0x4000_0000 | if address == 0 { 0 } else { 0x0200_0000 }
}

pub fn records(name: &str, count: usize) -> Vec<Value> {
    let records: Vec<Value> = serde_json::from_str(&unpacked(name)).unwrap();
    assert_eq!(records.len(), count);
    records
}

pub fn number(value: &Value) -> u32 {
    let text = value.as_str().unwrap();
    u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

pub fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn kernel(bat: u32, on_fault: OnFault) -> Bench {
    // 29 instructions back from `bdnz` to the first read ahead.
    let turn = [READ_AHEAD, STORE, ADVANCE, TRANSFORM, "bc 16, 0, -84"].join("\n");
    bench(bat, KERNEL_AT, &[KERNEL, TRANSFORM, &turn, STORE, "blr"].join("\n"), on_fault)
}

#[test]
fn the_loop_makes_of_recorded_vertices_what_dolphin_made() {
    let golden: Value = serde_json::from_str(&unpacked("vectors/one_bone.json.gz")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 24);
    for case in cases {
        let mut bench = kernel(0xe000_01fe, OnFault::Stop);
        let matrix = texts(&case["matrix_f32_hex"])
            .into_iter()
            .flat_map(|bits| u32::from_str_radix(bits, 16).unwrap().to_be_bytes());
        bench.write(MATRIX, &matrix.collect::<Vec<u8>>());
        let halves = |key: &str| -> Vec<u8> {
            let numbers = case[key].as_array().unwrap().iter();
            numbers.flat_map(|number| (number.as_i64().unwrap() as i16).to_be_bytes()).collect()
        };
        let (before, after) = (halves("input_s16"), halves("output_s16"));
        bench.machine.locked_cache.bytes_mut()[..before.len()].copy_from_slice(&before);
        bench.machine.gqr[7] = Gqr::both(7, case["scale"].as_i64().unwrap() as u32);
        let count = case["n"].as_u64().unwrap() as u32;
        bench.cpu.gpr[3..7].copy_from_slice(&[MATRIX, 0xe000_0000, 0xe000_0000, count]);
        bench.run();
        let have = &bench.machine.locked_cache.bytes()[..after.len()];
        assert!(have == after, "{} of {count} vertices", case["kind"]);
    }
}

#[test]
fn a_wrapped_counter_faults_as_dolphin_recorded_in_every_engine() {
    for record in records("vectors/crash_matrix.json.gz", 102) {
        let (core, mmu) = (record["core"].as_str().unwrap(), record["mmu"] == 1);
        let interrupted = !record["dsi"].is_null();
        let mut bench =
            kernel(number(&record["bat"]), if interrupted { OnFault::Stop } else { OnFault::Continue });
        let identity = [1.0f32, 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.];
        bench.write(MATRIX, &identity.iter().flat_map(|cell| cell.to_be_bytes()).collect::<Vec<u8>>());
        let count = record["count"].as_u64().unwrap() as u32;
        bench.cpu.gpr[3..7].copy_from_slice(&[MATRIX, number(&record["src"]), number(&record["dst"]), count]);
        assert_eq!(number(&record["pc_of"]["skin1_ld0"]), FIRST_VERTEX);
        assert_eq!(number(&record["pc_of"]["skin1_loop"]), LOOP);
        let outcome = bench.cpu.call(&bench.program, &mut bench.machine, CODE, 1_000_000);
        assert_eq!(outcome.is_ok(), record["finished"] == true, "{record}");
        let mut faults = bench.machine.faults().faults.clone();
        faults.retain(|fault| fault.kind != skinsim::gekko::fault::FaultKind::Budget);
        if outcome.is_ok() {
            assert_eq!((faults.len(), bench.cpu.gpr[4]), (0, number(&record["r4"])), "{record}");
        } else if interrupted {
            let dsi = &record["dsi"];
            assert_eq!(faults[0].site.pc.unwrap(), number(&dsi["SRR0"]), "{record}");
            assert_eq!((faults[0].address, faults[0].translated), (number(&dsi["DAR"]), false), "{record}");
            assert_eq!(dsisr(faults[0].address), number(&dsi["DSISR"]), "{record}");
            let registers = [bench.cpu.gpr[4], bench.cpu.gpr[5], bench.cpu.ctr];
            assert_eq!(registers, ["r4", "r5", "CTR"].map(|name| number(&dsi[name])), "{record}");
        } else {
            if core == "cached" && !mmu {
                // This engine knows where its block began, and no more.
                for fault in &mut faults {
                    fault.site.pc = fault.site.pc.map(|pc| if pc < LOOP { KERNEL_AT } else { LOOP });
                }
            }
            assert_eq!(messages(&faults), texts(&record["stderr"]), "{record}");
            assert!(texts(&record["log"])[0].ends_with(&messages(&faults)[0]), "{record}");
        }
    }
}
