#!/usr/bin/env python3
"""Records what fres, frsqrte, ps_res and ps_rsqrte give in Dolphin's interpreter.

Writes to tests/cases/vectors: estimates.csv.gz, paired_estimates.csv.gz (edges and samples), and to this
folder sweep.bin.gz: the 32,768 steps of a mantissa, as three lists of results (fres of 1..2, frsqrte of 1..2,
frsqrte of 2..4), each the difference from the one before it, modulo 2^64, from which fit.py makes the tables.
"""
import gzip
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import dolphin  # noqa: E402

VECTORS = HERE.parent.parent / "tests/cases/vectors"
INPUT, OUTPUT = 0x80400000, 0x80C00000
STEPS = 1 << 15

SCALAR = """
        mtfsb0 3
        lfd 1, 0(4)
        mtfsf 0xff, 31
        fres 2, 1
        mffs 3
        mtfsf 0xff, 31
        frsqrte 4, 1
        mffs 5
        stfd 2, 0(5)
        stfd 4, 8(5)
        li 6, 16
        stfiwx 3, 5, 6
        li 6, 20
        stfiwx 5, 5, 6
        addi 4, 4, 8
        addi 5, 5, 24
"""

PAIRED = """
        psq_l 1, 0(4), 0, 0
        mtfsf 0xff, 31
        ps_res 2, 1
        mffs 3
        mtfsf 0xff, 31
        ps_rsqrte 4, 1
        mffs 5
        ps_merge11 6, 2, 2
        ps_merge11 7, 4, 4
        stfd 2, 0(5)
        stfd 6, 8(5)
        stfd 4, 16(5)
        stfd 7, 24(5)
        li 6, 32
        stfiwx 3, 5, 6
        li 6, 36
        stfiwx 5, 5, 6
        addi 4, 4, 8
        addi 5, 5, 40
"""


def record(body, inputs, size, ni):
    """Runs the body once an input (64 bits), f31 holding the FPSCR to begin with."""
    source = f"""
        mfspr 3, 920
        oris 3, 3, 0xa000
        mtspr 920, 3
        li 3, 0
        mtspr 912, 3
        mtfsfi 7, {4 if ni else 0}
        mffs 31
        lis 4, {INPUT >> 16:#x}
        lis 5, {OUTPUT >> 16:#x}
        lis 6, {len(inputs) >> 16:#x}
        ori 6, 6, {len(inputs) & 0xffff:#x}
        mtctr 6
1:
{body}
        bdnz 1b
"""
    data = struct.pack(f">{len(inputs)}Q", *inputs)
    assert len(data) < OUTPUT - INPUT
    [result] = dolphin.run(source, [(INPUT, data)], [(OUTPUT, size * len(inputs))])
    return [result[at:at + size] for at in range(0, len(result), size)]


def scalar(inputs, ni):
    return [struct.unpack(">QQII", row) for row in record(SCALAR, inputs, 24, ni)]


def double(sign, exponent, fraction):
    return (sign << 63) | (exponent << 52) | fraction


def edges():
    """Doubles at which something changes: every exponent, denormals, special values, low bits."""
    ones = (1 << 52) - 1
    fractions = [0, 1, 1 << 36, 1 << 37, (1 << 37) - 1, 1 << 51, ones, 0x6A09E667F3BCC, 0x123456789ABCD]
    for sign in (0, 1):
        for exponent in range(0, 2048):
            chosen = fractions if exponent < 3 or exponent > 2044 or 890 <= exponent <= 900 \
                or 1145 <= exponent <= 1153 or 1020 <= exponent <= 1026 else fractions[::4]
            yield from (double(sign, exponent, fraction) for fraction in chosen)
        for bit in range(52):
            yield double(sign, 0, 1 << bit)
            yield double(sign, 0, (2 << bit) - 1)
            yield double(sign, 2047, 1 << bit)
    # Both sides of every boundary between pieces, and samples inside.
    for exponent in (1023, 1024):
        for piece in range(32):
            for step in (0, 1, 2, 511, 777, 1022, 1023):
                yield double(0, exponent, (piece * 1024 + step) << 37)


def paired_edges():
    singles = [0, 1, 0x7FFFFF, 0x400000, 0x800000, 0x3F800000, 0x3FFFFFFF, 0x40000000, 0x40490FDB, 0x7E800000,
               0x7E800001, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001, 0x7FA5A5A5, 0x00200000,
               0x001FFFFF, 0x00300000, 0x3DCCCCCD, 0x42F6E979]
    singles += [one | 0x80000000 for one in singles]
    for first in singles:
        for second in singles[::3] + [0x3F800000]:
            yield (first << 32) | second


def write(path, header, rows):
    text = "\n".join([header] + [",".join(row) for row in rows]) + "\n"
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(path.name, len(rows), "rows,", path.stat().st_size, "bytes")


def main():
    tool = dolphin.missing()
    if tool:
        sys.exit(f"skipped: {tool} is not here")
    steps = [double(0, 1023 + power, step << 37) for power in (0, 1) for step in range(STEPS)]
    results = scalar(steps, 1)
    sweep = [row[0] for row in results[:STEPS]] + [row[1] for row in results]
    changes = [(now - before) % (1 << 64) for before, now in zip([0] + sweep, sweep)]
    (HERE / "sweep.bin.gz").write_bytes(gzip.compress(struct.pack(f">{3 * STEPS}Q", *changes), 9, mtime=0))
    inputs = sorted(set(edges()))
    rows = []
    for ni in (0, 1):
        for value, (res, root, res_status, root_status) in zip(inputs, scalar(inputs, ni)):
            rows.append([f"{ni}", f"{value:016x}", f"{res:016x}", f"{root:016x}", f"{res_status:08x}",
                         f"{root_status:08x}"])
    write(VECTORS / "estimates.csv.gz", "ni,in,fres,frsqrte,fres.fpscr,frsqrte.fpscr", rows)
    inputs = list(paired_edges())
    rows = []
    for ni in (0, 1):
        for value, row in zip(inputs, record(PAIRED, inputs, 40, ni)):
            cells = struct.unpack(">QQQQII", row)
            rows.append([f"{ni}", f"{value >> 32:08x}", f"{value & 0xffffffff:08x}"]
                        + [f"{cell:016x}" for cell in cells[:4]] + [f"{cell:08x}" for cell in cells[4:]])
    write(VECTORS / "paired_estimates.csv.gz",
          "ni,in0,in1,ps_res.d0,ps_res.d1,ps_rsqrte.d0,ps_rsqrte.d1,ps_res.fpscr,ps_rsqrte.fpscr", rows)


main()
