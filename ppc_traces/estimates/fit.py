#!/usr/bin/env python3
"""Makes src/gekko/cpu/estimate/tables.rs of the recorded sweep (sweep.bin.gz, made by record.py).

Each list of results is cut into pieces of equal length. In a piece the mantissa falls linearly with the
step; a fall that is no whole number shows as two alternating differences. The script finds, for every piece,
the one start and the one fall (in halves, where the list needs it) that give every result of the piece.
"""
import gzip
import itertools
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = HERE.parent.parent / "src/gekko/cpu/estimate/tables.rs"
STEPS = 1 << 15
FRACTION = (1 << 52) - 1


def sweep():
    raw = gzip.decompress((HERE / "sweep.bin.gz").read_bytes())
    changes = struct.unpack(f">{len(raw) // 8}Q", raw)
    results = [total % (1 << 64) for total in itertools.accumulate(changes)]
    return [results[at:at + STEPS] for at in range(0, len(results), STEPS)]


def mantissas(results, unit):
    """The fractions in units of 2^-(52 - unit); every result must be a whole number of them."""
    assert {result >> 52 for result in results} == {1022}, "results between one half and one"
    assert not any(result & ((1 << unit) - 1) for result in results)
    return [(result & FRACTION) >> unit for result in results]


def fit(piece, parts):
    """Start and fall over `parts` steps, of which each result takes its share, rounded up."""
    start, fits = piece[0], []
    average = (piece[0] - piece[-1]) * parts / (len(piece) - 1)
    for fall in range(int(average) - 2, int(average) + 3):
        if all(start - -(-fall * step // parts) == have for step, have in enumerate(piece)):
            fits.append(fall)
    if len(fits) != 1:
        sys.exit(f"a piece that starts with {start:#x} fits {len(fits)} lines")
    return start, fits[0]


def table(results, unit, pieces, parts):
    values, length = mantissas(results, unit), STEPS // pieces
    return [fit(values[at:at + length], parts) for at in range(0, STEPS, length)]


def rust(name, about, rows):
    cells = [f"({start:#09x}, {fall:#05x})" for start, fall in rows]
    lines = ["    " + ", ".join(cells[at:at + 4]) + "," for at in range(0, len(cells), 4)]
    return f"/// {about}\n#[rustfmt::skip]\npub(super) const {name}: [(u32, u32); {len(rows)}] = [\n" \
        + "\n".join(lines) + "\n];\n"


def main():
    reciprocal, root, root_above = sweep()
    text = "//! Made by `ppc_traces/estimates/fit.py` from recorded results; do not edit.\n\n"
    text += rust("RECIPROCAL", "1/x for x in 1..2: the fraction at the start of each piece, in units of 2^-23, and "
                 "its fall over\n/// two of 1024 steps.", table(reciprocal, 29, 32, 2)) + "\n"
    text += rust("ROOT", "1/sqrt(x) for x in 1..2: the fraction at the start of each piece, in units of 2^-26, and "
                 "its fall over\n/// one of 2048 steps.", table(root, 26, 16, 1)) + "\n"
    text += rust("ROOT_ABOVE", "The same for x in 2..4.", table(root_above, 26, 16, 1))
    TABLES.parent.mkdir(exist_ok=True)
    TABLES.write_text(text)


main()
