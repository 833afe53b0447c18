//! Floating point against vectors recorded in Dolphin 5.0-17995: its interpreter's, and its JIT's.

use skinsim::gekko::machine::MachineConfig;

use super::support::{Bench, CODE, DATA, Table, config, hex64, jit};

const RESULT: u32 = 0x8080_0000;

/// Each engine's machine and the ends of its files' names.
fn engines() -> [(MachineConfig, &'static str); 2] {
    [(config(), ""), (jit(), "_jit")]
}

/// Runs one instruction on every row (operands A, B, C in f1 to f3) and compares both lanes, as held
/// and as stored, in both engines.
fn check_paired(instruction: &str, name: &str) {
    for (config, engine) in engines() {
        let table = Table::read(&format!("vectors/arithmetic{engine}.csv.gz"));
        let results = results(instruction, config, &table);
        let first = table.column(&format!("{name}.d0"));
        for (row, got) in table.rows().zip(results) {
            let stored = (hex64(&row[first + 2]) << 32) | hex64(&row[first + 3]);
            let want = [hex64(&row[first]), hex64(&row[first + 1]), stored];
            assert_eq!(format!("{got:016x?}"), format!("{want:016x?}"), "{name}{engine}, row {row:?}");
        }
    }
}

/// Both lanes of every row's result, and both as stored in singles.
fn results(instruction: &str, config: MachineConfig, table: &Table) -> Vec<[u64; 3]> {
    let text = format!(
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
    );
    let mut bench = Bench::with_config(&text, config);
    let operands: Vec<u8> = table
        .rows()
        .flat_map(|row| row[2..8].iter().flat_map(|cell| (hex64(cell) as u32).to_be_bytes()))
        .collect();
    bench.write(DATA, &operands);
    bench.cpu.gpr[4] = DATA;
    bench.cpu.gpr[5] = RESULT;
    bench.cpu.ctr = table.len() as u32;
    bench.run();
    let at = |index: u32| RESULT + 24 * index;
    (0..table.len() as u32).map(|row| [0, 8, 16].map(|lane| bench.u64(at(row) + lane))).collect()
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

/// The table in which every result is a single, and a column says whether the JIT agrees on the row.
#[test]
fn the_golden_results_in_the_interpreter_and_where_the_jit_has_others() {
    const OPERATIONS: [(&str, &str); 7] = [
        ("ps_madds0", "f10, f1, f3, f2"),
        ("ps_madds1", "f10, f1, f3, f2"),
        ("ps_muls0", "f10, f1, f3"),
        ("ps_muls1", "f10, f1, f3"),
        ("ps_madd", "f10, f1, f3, f2"),
        ("ps_mul", "f10, f1, f3"),
        ("ps_add", "f10, f1, f2"),
    ];
    let table = Table::read("vectors/arithmetic_golden.csv.gz");
    assert_eq!(table.len(), 4600);
    let mut same = vec![true; table.len()];
    for (name, operands) in OPERATIONS {
        let instruction = format!("{name} {operands}");
        let interpreter = results(&instruction, config(), &table);
        let jit = results(&instruction, jit(), &table);
        let first = table.column(&format!("{name}.s0"));
        for (index, row) in table.rows().enumerate() {
            let want = (hex64(&row[first]) << 32) | hex64(&row[first + 1]);
            assert_eq!(
                format!("{:016x}", interpreter[index][2]),
                format!("{want:016x}"),
                "{name}, row {row:?}"
            );
            same[index] &= jit[index][2] == want;
        }
    }
    let told = table.column("jit_same");
    for (row, same) in table.rows().zip(same) {
        assert_eq!(row[told] == "1", same, "row {row:?}");
    }
}

#[test]
fn lanes_that_are_not_singles_as_recorded() {
    for (config, engine) in engines() {
        check_double_lanes(config, &Table::read(&format!("vectors/double_lanes{engine}.csv.gz")));
    }
}

fn check_double_lanes(config: MachineConfig, table: &Table) {
    let columns = ["fmuls", "fmadds", "ps_muls0", "ps_madds0", "ps_mul", "ps_madd", "fmul", "fmadd", "frsp"];
    let text = "lfd f1, 0(r4)
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
         blr";
    let mut bench = Bench::with_config(text, config);
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
fn the_jit_quiets_what_it_loads_and_flushes_only_with_ni() {
    let mut bench = Bench::with_config("psq_l f1, 0(r4), 0, qr0\npsq_st f1, 8(r4), 0, qr0\nblr", jit());
    bench.cpu.gpr[4] = DATA;
    for (fpscr, denormal) in [(4, 0), (0, 0x0000_0005)] {
        bench.write(DATA, &[0xff, 0x80, 0, 1, 0, 0, 0, 5]);
        bench.cpu.float.set_fpscr(fpscr, u32::MAX);
        bench.run();
        assert_eq!(bench.cpu.fpr[1][0].to_bits(), 0xfff8_0000_2000_0000);
        assert_eq!((bench.u32(DATA + 8), bench.u32(DATA + 12)), (0xffc0_0001, denormal));
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
