# One-bone kernel: position and normal of every vertex through one matrix.
#   r3 matrix, reordered: columns 0, 1, 2 and the translation, three floats each
#   r4 source, r5 destination (may be the same), 12 bytes a vertex
#   r6 vertex count; the loop counter is count - 1, whatever the count
# GQR0 plain floats, GQR7 vertices. Accesses lie at the offsets of the library's kernel; vertex 1 is
# read before the loop, and every turn reads one vertex ahead.
#
# f0/f1 column 0 (xy, z)  f2/f3 column 1  f4/f5 column 2  f6/f7 translation
# f8 (x,y)  f9 (z,nx)  f10 (ny,nz)
# f11 xy  f12 z  f13 nxny  f14 nz: results;  f15-f18: sums under way
        .include "macros.inc"
        .section .text.one_bone, "ax"
        .globl one_bone
one_bone:
kernel:
        stwu    1, -0x40(1)
        stfd    14, 0x10(1)
        stfd    15, 0x18(1)
        stfd    16, 0x20(1)
        stfd    17, 0x28(1)
        stfd    18, 0x30(1)
        addi    6, 6, -1
        mtctr   6
        at 0x20
        psq_l   0, 0(3), 0, 0
        addi    5, 5, -2
        psq_l   1, 8(3), 1, 0
        nop
        psq_l   6, 36(3), 0, 0
        psq_l   8, 0(4), 0, 7
        psq_l   7, 44(3), 1, 0
        psq_lu  9, 4(4), 0, 7
        ps_madds0 15, 0, 8, 6
        psq_l   2, 12(3), 0, 0
        ps_madds0 16, 1, 8, 7
        psq_l   3, 20(3), 1, 0
        ps_muls1 17, 0, 9
        psq_lu  10, 4(4), 0, 7
        ps_muls1 18, 1, 9
        psq_l   5, 32(3), 1, 0
        ps_madds1 15, 2, 8, 15
        ps_madds1 16, 3, 8, 16
        at 0x68
        psq_l   4, 24(3), 0, 0
        ps_madds0 17, 2, 10, 17
        psq_lu  8, 4(4), 0, 7
        ps_madds0 18, 3, 10, 18
        ps_madds0 11, 4, 9, 15
        ps_madds0 12, 5, 9, 16
        psq_lu  9, 4(4), 0, 7
        ps_madds1 13, 4, 10, 17
        ps_madds1 14, 5, 10, 18
        psq_lu  10, 4(4), 0, 7
        at 0x90
1:      ps_madds0 15, 0, 8, 6
        psq_stu 11, 2(5), 0, 7
        ps_madds0 16, 1, 8, 7
        psq_stu 12, 4(5), 1, 7
        ps_muls1 17, 0, 9
        psq_stu 13, 2(5), 0, 7
        ps_muls1 18, 1, 9
        psq_stu 14, 4(5), 1, 7
        ps_madds1 15, 2, 8, 15
        ps_madds1 16, 3, 8, 16
        at 0xb8
        psq_lu  8, 4(4), 0, 7
        ps_madds0 17, 2, 10, 17
        ps_madds0 18, 3, 10, 18
        ps_madds0 11, 4, 9, 15
        ps_madds0 12, 5, 9, 16
        psq_lu  9, 4(4), 0, 7
        ps_madds1 13, 4, 10, 17
        ps_madds1 14, 5, 10, 18
        psq_lu  10, 4(4), 0, 7
        bdnz    1b
        at 0xe0
        psq_stu 11, 2(5), 0, 7
        psq_stu 12, 4(5), 1, 7
        psq_stu 13, 2(5), 0, 7
        psq_stu 14, 4(5), 1, 7
        lfd     14, 0x10(1)
        lfd     15, 0x18(1)
        lfd     16, 0x20(1)
        lfd     17, 0x28(1)
        lfd     18, 0x30(1)
        addi    1, 1, 0x40
        blr
        at 0x10c
