#!/bin/sh
# A program as bare as a linker leaves it: text at an address and no more said, so that a segment of notes lies
# where no memory is; no entry point, no symbols. Needs Debian's gcc-powerpc-linux-gnu.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "skipped: powerpc-linux-gnu-gcc is not here"; exit 0; }
powerpc-linux-gnu-gcc -O2 -mcpu=750 -ffreestanding -fno-pic -no-pie -static -nostdlib -meabi -msdata=eabi -G8 \
    -fno-asynchronous-unwind-tables -Wl,-Ttext=0x80200000,-e,0,-z,max-page-size=32 bare.c -o "$out/bare.elf"
powerpc-linux-gnu-strip --strip-all --remove-section=.comment "$out/bare.elf"
chmod -x "$out/bare.elf"
