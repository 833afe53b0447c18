//! Single accesses where nothing is, against what Dolphin recorded: its message or the interrupt, the
//! instruction, and the register that the load was to fill.

use skinsim::gekko::machine::OnFault;

use super::oracle_kernel::{bench, dsisr, messages, number, records, texts};
use super::support::CODE;

fn instruction(kind: &str) -> &'static str {
    match kind {
        "lwz" => "lwz r6, 0(r4)",
        "stw" => "stw r5, 0(r4)",
        "psq_l s16" => "psq_l f1, 0(r4), 0, qr7",
        "psq_st s16" => "psq_st f1, 0(r4), 0, qr7",
        "psq_l f32" => "psq_l f1, 0(r4), 0, qr0",
        "lfs" => "lfs f1, 0(r4)",
        "lbz" => "lbz r6, 0(r4)",
        other => panic!("{other}"),
    }
}

#[test]
fn accesses_where_nothing_is_tell_what_dolphin_recorded() {
    let mut emulator_died = 0;
    for record in records("vectors/bad_access.json.gz", 76) {
        let (pc, address) = (number(&record["fault_pc"]), number(&record["addr"]));
        let interrupted = !record["dsi"].is_null();
        let on_fault = if interrupted { OnFault::Stop } else { OnFault::Continue };
        let text = format!("{}\nblr", instruction(record["kind"].as_str().unwrap()));
        let mut bench = bench(number(&record["bat"]), pc, &text, on_fault);
        bench.cpu.gpr[4..7].copy_from_slice(&[address, 0x1234_5678, 0x55]);
        let outcome = bench.cpu.call(&bench.program, &mut bench.machine, CODE, 1000);
        let faults = &bench.machine.faults().faults;
        assert!(faults.iter().all(|fault| fault.site.pc == Some(pc)), "{record}");
        if interrupted {
            let dsi =
                texts(&record["dsi"]).into_iter().map(|word| u32::from_str_radix(&word[2..], 16).unwrap());
            assert_eq!(outcome.unwrap_err().pc, pc, "{record}");
            assert!(!faults[0].translated, "{record}");
            let have = [pc, faults[0].address, dsisr(faults[0].address)];
            assert_eq!(have.to_vec(), dsi.collect::<Vec<u32>>(), "{record}");
            continue;
        }
        outcome.unwrap();
        if record["continued"] == false {
            // The JIT's own access ran past the end of its buffer and ended the emulator before a word.
            assert_eq!(record["core"], "jit", "{record}");
            assert_eq!((faults[0].address, faults[0].translated), (0xe004_0000, true), "{record}");
            emulator_died += 1;
            continue;
        }
        assert_eq!(messages(faults), texts(&record["stderr"]), "{record}");
        assert_eq!(bench.cpu.gpr[6], number(&record["result"]), "{record}");
    }
    assert_eq!(emulator_died, 6);
}
