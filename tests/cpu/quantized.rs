//! Quantized loads and stores against vectors recorded in Dolphin 5.0-17995.

use skinsim::gekko::machine::MachineConfig;
use skinsim::gekko::quantize::Gqr;

use super::support::{Bench, DATA, Table, config, hex64, jit};

const TYPES: [(&str, u32); 4] = [("u8", 4), ("u16", 5), ("s8", 6), ("s16", 7)];

#[test]
fn quantized_loads_as_recorded_in_the_interpreter() {
    check_loads("vectors/quantized_loads.csv.gz", config());
}

#[test]
fn quantized_loads_as_recorded_in_the_jit() {
    check_loads("vectors/quantized_loads_jit.csv.gz", jit());
}

fn check_loads(name: &str, config: MachineConfig) {
    let table = Table::read(name);
    let mut bench = Bench::with_config(
        "psq_l f1, 0(r4), 0, qr2
         psq_lx f2, r0, r4, 1, qr2
         stfd f1, 8(r4)
         ps_merge11 f1, f1, f1
         stfd f1, 16(r4)
         stfd f2, 24(r4)
         ps_merge11 f2, f2, f2
         stfd f2, 32(r4)
         blr",
        config,
    );
    bench.cpu.gpr[4] = DATA;
    for row in table.rows() {
        bench.write(DATA, &(hex64(&row[0]) as u32).to_be_bytes());
        for (name, bits) in TYPES {
            bench.machine.gqr[2] = Gqr::both(bits, row[1].parse().unwrap());
            bench.run();
            for lane in 0..2 {
                let mut columns = vec![(format!("{name}_ps{lane}_f64"), DATA + 8)];
                if bits == 4 || bits == 7 {
                    columns.push((format!("{name}w1_ps{lane}_f64"), DATA + 24));
                }
                for (column, at) in columns {
                    let got = format!("{:016x}", bench.u64(at + 8 * lane));
                    assert_eq!(got, row[table.column(&column)], "{column}, row {row:?}");
                }
            }
        }
    }
}

fn check_stores(name: &str, config: MachineConfig) {
    let table = Table::read(name);
    let text = "psq_l f1, 0(r4), 0, qr0
         psq_st f1, 8(r4), 0, qr2
         psq_st f1, 16(r4), 1, qr2
         blr";
    let mut bench = Bench::with_config(text, config);
    bench.cpu.gpr[4] = DATA;
    for row in table.rows() {
        bench.write(DATA, &(hex64(&row[0]) as u32).to_be_bytes());
        bench.write(DATA + 4, &(hex64(&row[1]) as u32).to_be_bytes());
        for (name, bits) in TYPES {
            bench.machine.gqr[2] = Gqr::both(bits, row[2].parse().unwrap());
            bench.run();
            let size = if bits & 1 == 0 { 1 } else { 2 };
            for lane in 0..2 {
                let got = element(bench.read(DATA + 8 + size * lane, size), bits);
                assert_eq!(got, row[table.column(&format!("{name}_{lane}"))], "{name}, row {row:?}");
            }
            if bits == 7 {
                let got = element(bench.read(DATA + 16, 2), bits);
                assert_eq!(got, row[table.column("s16_W1")], "one lane, row {row:?}");
            }
        }
    }
}

fn element(bytes: &[u8], bits: u32) -> String {
    match (bits, bytes) {
        (4, &[byte]) => byte.to_string(),
        (6, &[byte]) => (byte as i8).to_string(),
        (5, &[high, low]) => u16::from_be_bytes([high, low]).to_string(),
        (_, &[high, low]) => i16::from_be_bytes([high, low]).to_string(),
        _ => unreachable!("one or two bytes"),
    }
}

#[test]
fn quantized_stores_as_recorded_in_the_interpreter() {
    check_stores("vectors/quantized_stores.csv.gz", config());
}

#[test]
fn quantized_stores_as_recorded_in_the_jit() {
    check_stores("vectors/quantized_stores_jit.csv.gz", jit());
}
