# Clears whole cache lines: r3 start, r4 size in bytes, rounded up.
        .include "macros.inc"
        .section .text.clear, "ax"
        .globl clear
clear:
kernel:
        addi    4, 4, 31
        srwi    4, 4, 5
        mtctr   4
        at 0xc
1:      dcbz    0, 3
        addi    3, 3, 32
        bdnz    1b
        blr
        at 0x1c
