//! The estimates against what Dolphin 5.0-17995's interpreter gives: edges, samples, and every step of
//! a mantissa.

use std::io::Read as _;

use super::support::{Bench, DATA, Table, hex64};

const RESULT: u32 = 0x8080_0000;

/// What was recorded with FPSCR.NI clear and set, in that order.
fn with_status(body: &str, turns: usize, ni: &str) -> Bench {
    let mut bench = Bench::new(&format!(
        "mtfsfi 7, {}
         mffs f31
         {body}",
        if ni == "1" { 4 } else { 0 }
    ));
    bench.cpu.gpr[4] = DATA;
    bench.cpu.gpr[5] = RESULT;
    bench.cpu.ctr = turns as u32;
    bench
}

#[test]
fn scalar_estimates_as_recorded() {
    let table = Table::read("vectors/estimates.csv.gz");
    for ni in ["0", "1"] {
        let rows: Vec<_> = table.rows().filter(|row| row[0] == ni).collect();
        assert!(rows.len() > 10_000);
        let mut bench = with_status(
            "lfd f1, 0(r4)
             mtfsf 255, f31
             fres f2, f1
             mffs f3
             mtfsf 255, f31
             frsqrte f4, f1
             mffs f5
             stfd f2, 0(r5)
             stfd f4, 8(r5)
             stfd f3, 16(r5)
             stfd f5, 24(r5)
             addi r4, r4, 8
             addi r5, r5, 32
             bdnz -52
             blr",
            rows.len(),
            ni,
        );
        let operands: Vec<u8> = rows.iter().flat_map(|row| hex64(&row[1]).to_be_bytes()).collect();
        bench.write(DATA, &operands);
        bench.run();
        for (index, row) in rows.iter().enumerate() {
            let at = RESULT + 32 * index as u32;
            let status = |offset| bench.u64(at + offset) as u32;
            let have = format!(
                "{:016x},{:016x},{:08x},{:08x}",
                bench.u64(at),
                bench.u64(at + 8),
                status(16),
                status(24)
            );
            assert_eq!(have, row[2..].join(","), "NI {ni}, of {}", row[1]);
        }
    }
}

#[test]
fn paired_estimates_as_recorded() {
    let table = Table::read("vectors/paired_estimates.csv.gz");
    for ni in ["0", "1"] {
        let rows: Vec<_> = table.rows().filter(|row| row[0] == ni).collect();
        assert!(rows.len() > 500);
        let mut bench = with_status(
            "psq_l f1, 0(r4), 0, qr0
             mtfsf 255, f31
             ps_res f2, f1
             mffs f3
             mtfsf 255, f31
             ps_rsqrte f4, f1
             mffs f5
             ps_merge11 f6, f2, f2
             ps_merge11 f7, f4, f4
             stfd f2, 0(r5)
             stfd f6, 8(r5)
             stfd f4, 16(r5)
             stfd f7, 24(r5)
             stfd f3, 32(r5)
             stfd f5, 40(r5)
             addi r4, r4, 8
             addi r5, r5, 48
             bdnz -68
             blr",
            rows.len(),
            ni,
        );
        let lanes = |row: &&Vec<String>| {
            row[1..3].iter().flat_map(|cell| (hex64(cell) as u32).to_be_bytes()).collect::<Vec<_>>()
        };
        let operands: Vec<u8> = rows.iter().flat_map(lanes).collect();
        bench.write(DATA, &operands);
        bench.run();
        for (index, row) in rows.iter().enumerate() {
            let at = RESULT + 48 * index as u32;
            let results: Vec<String> =
                (0..4).map(|lane| format!("{:016x}", bench.u64(at + 8 * lane))).collect();
            let status = |offset| format!("{:08x}", bench.u64(at + offset) as u32);
            let have = [results, vec![status(32), status(40)]].concat();
            assert_eq!(have, row[3..], "NI {ni}, of {} {}", row[1], row[2]);
        }
    }
}

#[test]
fn every_step_of_a_mantissa_as_recorded() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("ppc_traces/estimates/sweep.bin.gz");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    let mut total = 0u64;
    let recorded: Vec<u64> = bytes
        .chunks_exact(8)
        .map(|change| {
            total = total.wrapping_add(u64::from_be_bytes(change.try_into().unwrap()));
            total
        })
        .collect();
    assert_eq!(recorded.len(), 3 << 15);
    let mut bench = Bench::new("fres f2, f1\nfrsqrte f3, f1\nblr");
    for step in 0..1usize << 15 {
        for (power, below) in [(1023u64, 1), (1024, 2)] {
            bench.cpu.fpr[1] = [f64::from_bits((power << 52) | ((step as u64) << 37)); 2];
            bench.run();
            assert_eq!(bench.cpu.fpr[3][0].to_bits(), recorded[(below << 15) + step], "frsqrte, step {step}");
            if power == 1023 {
                assert_eq!(bench.cpu.fpr[2][0].to_bits(), recorded[step], "fres, step {step}");
            }
        }
    }
}
