//! Floating point against vectors recorded in Dolphin 5.0-17995's interpreter.

use super::support::{Bench, CODE, DATA, Table, hex64};

const RESULT: u32 = 0x8080_0000;

/// Runs one instruction on every row (operands A, B, C in f1 to f3) and compares both lanes, as held
/// and as stored.
fn check_paired(instruction: &str, name: &str) {
    let table = Table::read("vectors/arithmetic.csv.gz");
    let mut bench = Bench::new(&format!(
        "psq_l f1, 0(r4), 0, qr0
         psq_l f2, 8(r4), 0, qr0
         psq_l f3, 16(r4), 0, qr0
         {instruction}
         stfd f10, 0(r5)
         ps_merge11 f11, f10, f10
         stfd f11, 8(r5)
         psq_st f10, 16(r5), 0, qr0
         addi r4, r4, 24
         addi r5, r5, 24
         bdnz -40
         blr"
    ));
    let operands: Vec<u8> = table
        .rows()
        .flat_map(|row| row[2..8].iter().flat_map(|cell| (hex64(cell) as u32).to_be_bytes()))
        .collect();
    bench.write(DATA, &operands);
    bench.cpu.gpr[4] = DATA;
    bench.cpu.gpr[5] = RESULT;
    bench.cpu.ctr = table.len() as u32;
    bench.run();
    let first = table.column(&format!("{name}.d0"));
    for (index, row) in table.rows().enumerate() {
        let at = RESULT + 24 * index as u32;
        let got = [bench.u64(at), bench.u64(at + 8), bench.u64(at + 16)];
        let stored = (hex64(&row[first + 2]) << 32) | hex64(&row[first + 3]);
        let want = [hex64(&row[first]), hex64(&row[first + 1]), stored];
        assert_eq!(format!("{got:016x?}"), format!("{want:016x?}"), "{name}, row {row:?}");
    }
}

macro_rules! recorded {
    ($($test:ident: $instruction:literal as $name:literal;)*) => {
        $(#[test]
        fn $test() {
            check_paired($instruction, $name);
        })*
    };
}

recorded! {
    ps_madds0_as_recorded: "ps_madds0 f10, f1, f3, f2" as "ps_madds0";
    ps_madds1_as_recorded: "ps_madds1 f10, f1, f3, f2" as "ps_madds1";
    ps_muls0_as_recorded: "ps_muls0 f10, f1, f3" as "ps_muls0";
    ps_muls1_as_recorded: "ps_muls1 f10, f1, f3" as "ps_muls1";
    ps_madd_as_recorded: "ps_madd f10, f1, f3, f2" as "ps_madd";
    ps_mul_as_recorded: "ps_mul f10, f1, f3" as "ps_mul";
    ps_add_as_recorded: "ps_add f10, f1, f2" as "ps_add";
    ps_sub_as_recorded: "ps_sub f10, f1, f2" as "ps_sub";
    ps_msub_as_recorded: "ps_msub f10, f1, f3, f2" as "ps_msub";
    ps_nmadd_as_recorded: "ps_nmadd f10, f1, f3, f2" as "ps_nmadd";
    ps_nmsub_as_recorded: "ps_nmsub f10, f1, f3, f2" as "ps_nmsub";
    ps_sum0_as_recorded: "ps_sum0 f10, f1, f3, f2" as "ps_sum0";
    ps_sum1_as_recorded: "ps_sum1 f10, f1, f3, f2" as "ps_sum1";
    fmadds_as_recorded: "fmadds f10, f1, f3, f2" as "fmadds";
    fmuls_as_recorded: "fmuls f10, f1, f3" as "fmuls";
}

#[test]
fn lanes_that_are_not_singles_as_recorded() {
    let table = Table::read("vectors/double_lanes.csv.gz");
    let columns = ["fmuls", "fmadds", "ps_muls0", "ps_madds0", "ps_mul", "ps_madd", "fmul", "fmadd", "frsp"];
    let mut bench = Bench::new(
        "lfd f1, 0(r4)
         lfd f2, 8(r4)
         lfd f3, 16(r4)
         fmuls f10, f1, f3
         stfd f10, 0(r5)
         fmadds f10, f1, f3, f2
         stfd f10, 8(r5)
         ps_muls0 f10, f1, f3
         stfd f10, 16(r5)
         ps_madds0 f10, f1, f3, f2
         stfd f10, 24(r5)
         ps_mul f10, f1, f3
         stfd f10, 32(r5)
         ps_madd f10, f1, f3, f2
         stfd f10, 40(r5)
         fmul f10, f1, f3
         stfd f10, 48(r5)
         fmadd f10, f1, f3, f2
         stfd f10, 56(r5)
         frsp f10, f3
         stfd f10, 64(r5)
         psq_st f3, 72(r5), 1, qr0
         blr",
    );
    for row in table.rows() {
        for (index, cell) in row[..3].iter().enumerate() {
            bench.write(DATA + 8 * index as u32, &hex64(cell).to_be_bytes());
        }
        bench.cpu.gpr[4] = DATA;
        bench.cpu.gpr[5] = RESULT;
        bench.run();
        for (index, name) in columns.iter().enumerate() {
            let got = bench.u64(RESULT + 8 * index as u32);
            assert_eq!(format!("{got:016x}"), row[table.column(name)], "{name}, row {row:?}");
        }
        assert_eq!(format!("{:08x}", bench.u32(RESULT + 72)), row[table.column("psq_st_f32")], "row {row:?}");
    }
}

#[test]
fn the_history_tells_the_way_to_an_unknown_instruction() {
    let mut bench = Bench::new("b 8\nblr\nb 4");
    let stop = bench.try_run().unwrap_err();
    assert_eq!(stop.pc, CODE + 12);
    assert_eq!(stop.history, [CODE, CODE + 8, CODE + 12]);
    assert!(stop.listing(&bench.program).contains("4800000"), "{}", stop.listing(&bench.program));
}
