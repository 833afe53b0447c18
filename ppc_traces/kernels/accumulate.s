# Accumulate kernel: adds weighed vertices to the position array, by index.
#   r3 matrix (reordered)   r4 source   r5 indices, u16   r6 destination base
#   r7 weights, one byte a vertex   r8 vertex count (loop counter count)
# GQR0 floats, GQR6 weights, GQR7 vertices. The destination is ordinary cached memory; its first line
# is written back after every vertex. Source and index are read one vertex ahead.
#
# f0-f7 matrix   f8 (x,y)  f9 (z,nx)  f10 (ny,nz)   f11 weight
# f12 xy  f13 z  f14 nxny  f15 nz   f16-f19 what the destination holds
# r9 index, r10 address of the destination vertex
        .include "macros.inc"
        .section .text.accumulate, "ax"
        .globl accumulate
accumulate:
kernel:
        stwu    1, -0x40(1)
        stfd    14, 0x10(1)
        stfd    15, 0x18(1)
        at 0xc
        lhz     9, 0(5)
        stfd    16, 0x20(1)
        stfd    17, 0x28(1)
        stfd    18, 0x30(1)
        stfd    19, 0x38(1)
        addi    7, 7, -1
        mtctr   8
        fill_to 0x50
        psq_l   0, 0(3), 0, 0
        nop
        psq_l   1, 8(3), 1, 0
        psq_l   6, 36(3), 0, 0
        psq_l   7, 44(3), 1, 0
        psq_l   8, 0(4), 0, 7
        psq_lu  9, 4(4), 0, 7
        psq_l   2, 12(3), 0, 0
        psq_l   3, 20(3), 1, 0
        psq_lu  10, 4(4), 0, 7
        psq_l   5, 32(3), 1, 0
        psq_l   4, 24(3), 0, 0
        at 0x80
1:      mulli   10, 9, 12
        psq_lu  11, 1(7), 1, 6
        add     10, 6, 10
        ps_madds0 12, 0, 8, 6
        psq_l   16, 0(10), 0, 7
        ps_madds0 13, 1, 8, 7
        ps_muls1 14, 0, 9
        ps_muls1 15, 1, 9
        at 0xa0
        psq_l   17, 4(10), 1, 7
        ps_madds1 12, 2, 8, 12
        ps_madds1 13, 3, 8, 13
        psq_l   18, 6(10), 0, 7
        ps_madds0 14, 2, 10, 14
        ps_madds0 15, 3, 10, 15
        at 0xb8
        lhzu    9, 2(5)
        ps_madds0 12, 4, 9, 12
        ps_madds0 13, 5, 9, 13
        psq_l   19, 10(10), 1, 7
        ps_madds1 14, 4, 10, 14
        at 0xcc
        psq_lu  8, 4(4), 0, 7
        ps_madds1 15, 5, 10, 15
        psq_lu  9, 4(4), 0, 7
        nop
        psq_lu  10, 4(4), 0, 7
        ps_madds0 16, 12, 11, 16
        ps_madds0 17, 13, 11, 17
        at 0xe8
        psq_st  16, 0(10), 0, 7
        ps_madds0 18, 14, 11, 18
        psq_st  17, 4(10), 1, 7
        ps_madds0 19, 15, 11, 19
        psq_st  18, 6(10), 0, 7
        nop
        psq_st  19, 10(10), 1, 7
        at 0x104
        dcbst   0, 10
        nop
        bdnz    1b
        lfd     14, 0x10(1)
        lfd     15, 0x18(1)
        lfd     16, 0x20(1)
        lfd     17, 0x28(1)
        lfd     18, 0x30(1)
        lfd     19, 0x38(1)
        addi    1, 1, 0x40
        blr
        fill_to 0x140
