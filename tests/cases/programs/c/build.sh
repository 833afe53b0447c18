#!/bin/sh
# Builds the programs and records what qemu-ppc makes of them. Needs Debian's gcc-powerpc-linux-gnu and qemu-user.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not here"; exit 0; }
done
for program in integer wide floats memory switches; do
    for level in O0 O2 Os; do
        extra=
        case $level in
        O2) extra="-meabi -msdata=eabi -G8" ;;
        Os) extra="-mmultiple -mno-update" ;;
        esac
        powerpc-linux-gnu-gcc -$level $extra -mcpu=750 -ffreestanding -fno-pic -no-pie -static -nostdlib \
            -ffp-contract=off -fno-stack-protector -fno-asynchronous-unwind-tables -fno-strict-aliasing \
            -fno-tree-loop-distribute-patterns -Wl,-Ttext-segment=0x80100000,--build-id=none,-z,noseparate-code,-z,max-page-size=4096 \
            start.c $program.c -lgcc -o "$out/$program-$level.elf"
        powerpc-linux-gnu-strip --strip-debug --remove-section=.comment "$out/$program-$level.elf"
    done
    qemu-ppc "$out/$program-O0.elf" > "$out/$program.bin"
    for level in O2 Os; do
        qemu-ppc "$out/$program-$level.elf" | cmp - "$out/$program.bin"
    done
done
