"""Runs a program of ours in a headless Dolphin and reads memory afterwards.

Needs dolphin-emu-nogui and powerpc-linux-gnu-as/-ld/-objcopy (Debian: dolphin-emu,
binutils-powerpc-linux-gnu). The guest says that it is done by a word in memory; memory is read from
the shared-memory object that Dolphin keeps it in.
"""
import os
import shutil
import struct
import subprocess
import tempfile
import time
from pathlib import Path

DOLPHIN = os.environ.get("DOLPHIN", "/usr/games/dolphin-emu-nogui")
TOOLS = "powerpc-linux-gnu-"
ENTRY = 0x80003100
DONE_AT = 0x80003000
DONE = 0xD0E5D0E5
LOCKED_CACHE = 0xE0000000
# Where Dolphin's memory object has MEM1 and, behind its 32 MiB, the locked cache.
MEM1_OFFSET, LOCKED_CACHE_OFFSET = 0, 0x02000000

SETTINGS = {
    "Core.CPUCore": 0,  # the interpreter
    "Core.MMU": False,
    "Core.CPUThread": False,
    "Core.EmulationSpeed": "0.0",
    "Core.GFXBackend": "Null",
    "Core.SlotA": 255,
    "Core.SlotB": 255,
    "DSP.Backend": "No Audio Output",
    "Interface.UsePanicHandlers": True,
}

FINISH = f"""
        sync
        lis 3, {DONE_AT >> 16:#x}
        ori 3, 3, {DONE_AT & 0xffff:#x}
        lis 4, {DONE >> 16:#x}
        ori 4, 4, {DONE & 0xffff:#x}
        stw 4, 0(3)
        b .
"""


def missing():
    """The first tool that is not here, or None."""
    for tool in [DOLPHIN, TOOLS + "as", TOOLS + "ld", TOOLS + "objcopy"]:
        if not shutil.which(tool):
            return tool
    return None


def version():
    return subprocess.run([DOLPHIN, "--version"], capture_output=True, text=True).stdout.strip()


def assemble(source, folder):
    """The bytes of a program whose first instruction is at ENTRY."""
    folder = Path(folder)
    (folder / "program.s").write_text(source)
    def tool(name, *arguments):
        subprocess.run([TOOLS + name, *map(str, arguments)], check=True)
    tool("as", "-mbroadway", "-o", folder / "program.o", folder / "program.s")
    tool("ld", "-Ttext", hex(ENTRY), "-e", hex(ENTRY), "-o", folder / "program.elf", folder / "program.o")
    tool("objcopy", "-O", "binary", "-j", ".text", folder / "program.elf", folder / "program.bin")
    return (folder / "program.bin").read_bytes()


def dol(sections):
    """A DOL of sections (address, bytes): the first is the code, the rest data."""
    header, body = bytearray(0x100), bytearray()
    for number, (address, data) in enumerate(sections):
        slot = 0 if number == 0 else 6 + number
        data = bytes(data) + bytes(-len(data) % 32)
        for field, value in ((0x00, 0x100 + len(body)), (0x48, address), (0x90, len(data))):
            struct.pack_into(">I", header, field + 4 * slot, value)
        body += data
    struct.pack_into(">I", header, 0xE0, sections[0][0])
    return bytes(header + body)


class Memory:
    """The guest's memory while Dolphin runs."""

    def __init__(self, process, limit):
        end = time.time() + limit
        self.file = None
        while self.file is None:
            if process.poll() is not None or time.time() > end:
                raise RuntimeError("Dolphin did not start")
            self.file = self.find(process.pid)
            time.sleep(0.02)

    @staticmethod
    def find(pid):
        try:
            for entry in os.scandir(f"/proc/{pid}/fd"):
                if "dolphin-emu" in os.readlink(entry.path):
                    file = os.open(entry.path, os.O_RDONLY)
                    if os.fstat(file).st_size > LOCKED_CACHE_OFFSET + 0x40000:
                        return file
                    os.close(file)
        except OSError:
            pass
        return None

    def read(self, address, size):
        inside = address - LOCKED_CACHE
        offset = LOCKED_CACHE_OFFSET + inside if inside >= 0 else MEM1_OFFSET + (address & 0x01FFFFFF)
        return os.pread(self.file, size, offset)


def run(source, data, reads, seconds=120):
    """Assembles and runs a program, with data at addresses, and gives the memory asked for."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.dol"
        program.write_bytes(dol([(ENTRY, assemble(source + FINISH, folder))] + list(data)))
        command = [DOLPHIN, "-p", "headless", "-v", "Null", "-u", folder + "/user"]
        for key, value in SETTINGS.items():
            command += ["-C", f"Dolphin.{key}={value}"]
        with open(folder + "/messages", "wb") as messages:
            process = subprocess.Popen(command + ["-e", str(program)], stdin=subprocess.DEVNULL,
                                       stdout=messages, stderr=messages,
                                       env=dict(os.environ, XDG_RUNTIME_DIR=folder))
            try:
                memory, end = Memory(process, 30), time.time() + seconds
                while memory.read(DONE_AT, 4) != DONE.to_bytes(4, "big"):
                    if process.poll() is not None or time.time() > end:
                        raise RuntimeError("the program did not end in Dolphin")
                    time.sleep(0.02)
                return [memory.read(address, size) for address, size in reads]
            finally:
                process.kill()
                process.wait()
