# Flushes the first line of vertices by index: r3 position base, r4 indices (u16), r5 how many.
        .include "macros.inc"
        .section .text.flush, "ax"
        .globl flush
flush:
kernel:
        mtctr   5
        addi    4, 4, -2
1:      lhzu    6, 2(4)
        mulli   6, 6, 12
        add     6, 3, 6
        dcbf    0, 6
        bdnz    1b
        sync
        blr
        fill_to 0x28
