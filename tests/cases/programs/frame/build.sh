#!/bin/sh
# Builds the frame in C at three levels of optimisation, two with kernels in C and one with the assembled
# kernels. Needs Debian's gcc-powerpc-linux-gnu.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "skipped: powerpc-linux-gnu-gcc is not here"; exit 0; }
frame() { # name, sources, options
    name=$1 sources=$2
    shift 2
    powerpc-linux-gnu-gcc "$@" -mcpu=750 -Wa,-mbroadway -ffreestanding -fno-pic -no-pie -static -nostdlib -ffp-contract=off \
        -fno-stack-protector -fno-asynchronous-unwind-tables -fno-strict-aliasing \
        -fno-tree-loop-distribute-patterns \
        -Wl,-Ttext-segment=0x80100000,--build-id=none,-z,noseparate-code,-z,max-page-size=32 \
        start.s frame.c os.c $sources -lgcc -o "$out/$name.elf"
    powerpc-linux-gnu-strip --strip-debug --remove-section=.comment "$out/$name.elf"
    chmod -x "$out/$name.elf"
}
frame frame-O0 kernels.c -O0
frame frame-O2 kernels.c -O2 -meabi -msdata=eabi -G8
kernels=../../../../ppc_traces/kernels
frame frame-Os "$kernels/one_bone.s $kernels/two_bone.s $kernels/accumulate.s" -Os -mmultiple -I$kernels -Wa,-I$kernels \
    -Wl,--defsym,SKN1Vecs16Norms16=one_bone -Wl,--defsym,SKN2Vecs16Norms16=two_bone \
    -Wl,--defsym,SKNAccVecs16Norms16=accumulate
