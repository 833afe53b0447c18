#!/usr/bin/env python3
"""Runs each kernel on a small input in Dolphin's interpreter and keeps the memory it leaves.

Writes recordings/input.bin (what lies at 0x80400000 before) and recordings/KERNEL.memory: every 32-byte line
of main memory and of the locked cache that is not zero afterwards. The traces beside them are the skinsim
interpreter's (see README.md); a test holds that it leaves the same memory.
"""
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import dolphin

HERE = Path(__file__).resolve().parent
RECORDINGS = HERE / "recordings"
INPUT, SIZE = 0x80400000, 0x300
LOCKED_CACHE, COPIED = 0xE0000000, 0x200
MATRIX_0, MATRIX_1, WEIGHTS, INDICES, SOURCE, DESTINATION = 0x000, 0x040, 0x080, 0x0C0, 0x100, 0x200
COUNT = 4

# Arguments from r3 on. Sources and lists lie in the locked cache, matrices and destinations in memory.
KERNELS = {
    "one_bone": [INPUT + MATRIX_0, LOCKED_CACHE + SOURCE, LOCKED_CACHE + SOURCE, COUNT],
    "two_bone": [INPUT + MATRIX_0, INPUT + MATRIX_1, LOCKED_CACHE + WEIGHTS, LOCKED_CACHE + SOURCE,
                 LOCKED_CACHE + SOURCE, COUNT],
    "accumulate": [INPUT + MATRIX_0, LOCKED_CACHE + SOURCE, LOCKED_CACHE + INDICES, INPUT + DESTINATION,
                   LOCKED_CACHE + WEIGHTS, COUNT],
    "clear": [INPUT + DESTINATION + 16, 40],
    "flush": [INPUT + DESTINATION, INPUT + INDICES, COUNT],
}


def image():
    """Matrices, weights, indices, vertices: numbers without meaning, the same in every run."""
    numbers = random.Random(2001)
    memory = bytearray(SIZE)
    for matrix in (MATRIX_0, MATRIX_1):
        cells = [numbers.uniform(-1.5, 1.5) for _ in range(9)] + [numbers.uniform(-40, 40) for _ in range(3)]
        struct.pack_into(">12f", memory, matrix, *cells)
    for at in range(16):
        memory[WEIGHTS + at] = numbers.randrange(256)
    struct.pack_into(">8H", memory, INDICES, *numbers.sample(range(16), 8))
    for at in range(6 * 8):
        struct.pack_into(">h", memory, SOURCE + 2 * at, numbers.randrange(-30000, 30000))
    for at in range(6 * 16):
        struct.pack_into(">h", memory, DESTINATION + 2 * at, numbers.randrange(-9000, 9000))
    return bytes(memory)


def kernel_sections(folder):
    """The linked kernels as (address, bytes), and their symbols."""
    elf = HERE / "kernels/superstar.elf"
    headers = subprocess.run([dolphin.TOOLS + "objdump", "-h", elf], check=True, capture_output=True, text=True)
    sections = []
    for line in headers.stdout.splitlines():
        cells = line.split()
        if len(cells) > 3 and cells[1].startswith(".text."):
            file = folder / cells[1]
            subprocess.run([dolphin.TOOLS + "objcopy", "-O", "binary", "-j", cells[1], elf, file], check=True)
            sections.append((int(cells[3], 16), file.read_bytes()))
    names = subprocess.run([dolphin.TOOLS + "nm", elf], check=True, capture_output=True, text=True).stdout
    symbols = {cells[2]: int(cells[0], 16) for cells in map(str.split, names.splitlines()) if len(cells) == 3}
    return sections, symbols


def load(register, value):
    return f"lis {register}, {value >> 16:#x}\n ori {register}, {register}, {value & 0xffff:#x}\n"


def source(entry, arguments):
    """Sets the machine up as SKNInit and SKNIt do, fills the locked cache, calls the kernel."""
    text = load(3, 0xE0000002) + "mtspr 543, 3\n" + load(3, 0xE00001FE) + "mtspr 542, 3\n isync\n"
    text += "mfspr 3, 920\n oris 3, 3, 0xb000\n mtspr 920, 3\n mtfsfi 7, 4\n"
    for register, value in ((912, 0), (918, 0x08040804), (919, 0x08070807)):
        text += load(3, value) + f"mtspr {register}, 3\n"
    text += load(3, INPUT - 4) + load(4, LOCKED_CACHE - 4) + f"li 5, {COPIED // 4}\n mtctr 5\n"
    text += "1: lwzu 5, 4(3)\n stwu 5, 4(4)\n bdnz 1b\n" + load(1, 0x80800000) + load(0, entry) + "mtctr 0\n"
    for register, value in enumerate(arguments, 3):
        text += load(register, value)
    return text + "bctrl\n"


def lines(start, memory):
    for at in range(0, len(memory), 32):
        if any(memory[at:at + 32]):
            yield f"{start + at:08x} {memory[at:at + 32].hex()}"


def main():
    tool = dolphin.missing()
    if tool:
        sys.exit(f"skipped: {tool} is not here")
    RECORDINGS.mkdir(exist_ok=True)
    (RECORDINGS / "input.bin").write_bytes(image())
    with tempfile.TemporaryDirectory() as folder:
        sections, symbols = kernel_sections(Path(folder))
    for name, arguments in KERNELS.items():
        entry = symbols[name]
        code = [section for section in sections if section[0] == entry]
        ram, cache = dolphin.run(source(entry, arguments), [(INPUT, image())] + code,
                                 [(INPUT, 0x1000), (LOCKED_CACHE, 0x4000)])
        text = f"# {name} in {dolphin.version()}, interpreter; arguments " \
            + " ".join(f"{value:08x}" for value in arguments) + "\n"
        text += "\n".join([*lines(INPUT, ram), *lines(LOCKED_CACHE, cache)]) + "\n"
        (RECORDINGS / f"{name}.memory").write_text(text)
        print(name, "recorded")


main()
