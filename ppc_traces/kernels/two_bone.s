# Two-bone kernel: each vertex through two matrices, weighed and added.
#   r3 matrix 0, r4 matrix 1 (reordered)   r5 weights, two bytes a vertex
#   r6 source, r7 destination, r8 vertex count (loop counter count - 1)
# GQR0 floats, GQR6 weights, GQR7 vertices.
#
# f0-f7 matrix 0, f8-f15 matrix 1 (columns 0, 1, 2, translation; xy and z each)
# f16 (x,y)  f17 (z,nx)  f18 (ny,nz)  f19 (weight 0, weight 1)
# f20 xy  f21 z  f22 nxny  f23 nz: bone 0's share, then the result;  f24-f27: bone 1's
        .include "macros.inc"
        .section .text.two_bone, "ax"
        .globl two_bone
two_bone:
kernel:
        stwu    1, -0x80(1)
        stfd    14, 0x10(1)
        stfd    15, 0x18(1)
        stfd    16, 0x20(1)
        stfd    17, 0x28(1)
        stfd    18, 0x30(1)
        stfd    19, 0x38(1)
        stfd    20, 0x40(1)
        stfd    21, 0x48(1)
        stfd    22, 0x50(1)
        stfd    23, 0x58(1)
        stfd    24, 0x60(1)
        stfd    25, 0x68(1)
        stfd    26, 0x70(1)
        stfd    27, 0x78(1)
        addi    8, 8, -1
        mtctr   8
        at 0x44
        psq_l   0, 0(3), 0, 0
        addi    7, 7, -2
        psq_l   1, 8(3), 1, 0
        nop
        psq_l   6, 36(3), 0, 0
        nop
        psq_l   16, 0(6), 0, 7
        psq_l   7, 44(3), 1, 0
        psq_lu  17, 4(6), 0, 7
        psq_l   19, 0(5), 0, 6
        ps_madds0 20, 0, 16, 6
        at 0x70
        psq_l   2, 12(3), 0, 0
        ps_madds0 21, 1, 16, 7
        psq_l   3, 20(3), 1, 0
        ps_madds1 20, 2, 16, 20
        psq_lu  18, 4(6), 0, 7
        ps_madds1 21, 3, 16, 21
        psq_l   5, 32(3), 1, 0
        ps_madds0 21, 5, 17, 21
        psq_l   8, 0(4), 0, 0
        ps_muls1 22, 0, 17
        at 0x98
        psq_l   4, 24(3), 0, 0
        ps_madds0 20, 4, 17, 20
        psq_l   9, 8(4), 1, 0
        ps_muls1 23, 1, 17
        psq_l   10, 12(4), 0, 0
        ps_madds0 22, 2, 18, 22
        psq_l   11, 20(4), 1, 0
        ps_madds0 23, 3, 18, 23
        psq_l   12, 24(4), 0, 0
        ps_madds1 22, 4, 18, 22
        psq_l   13, 32(4), 1, 0
        ps_madds1 23, 5, 18, 23
        psq_l   14, 36(4), 0, 0
        ps_muls1 26, 8, 17
        at 0xd0
        psq_l   15, 44(4), 1, 0
        ps_madds0 24, 8, 16, 14
        ps_madds0 25, 9, 16, 15
        ps_muls1 27, 9, 17
        ps_madds1 24, 10, 16, 24
        ps_madds1 25, 11, 16, 25
        ps_madds0 26, 10, 18, 26
        ps_madds0 27, 11, 18, 27
        ps_madds0 24, 12, 17, 24
        ps_madds0 25, 13, 17, 25
        ps_muls0 20, 20, 19
        at 0xfc
        psq_lu  16, 4(6), 0, 7
        ps_muls0 21, 21, 19
        ps_muls0 22, 22, 19
        ps_muls0 23, 23, 19
        ps_madds1 26, 12, 18, 26
        ps_madds1 27, 13, 18, 27
        at 0x114
        psq_lu  17, 4(6), 0, 7
        ps_madds1 20, 24, 19, 20
        ps_madds1 21, 25, 19, 21
        ps_madds1 22, 26, 19, 22
        psq_lu  18, 4(6), 0, 7
        ps_madds1 23, 27, 19, 23
        at 0x12c
1:      ps_madds0 24, 8, 16, 14
        psq_stu 20, 2(7), 0, 7
        ps_madds0 25, 9, 16, 15
        psq_stu 21, 4(7), 1, 7
        ps_muls1 26, 8, 17
        psq_stu 22, 2(7), 0, 7
        ps_muls1 27, 9, 17
        psq_stu 23, 4(7), 1, 7
        ps_madds0 20, 0, 16, 6
        ps_madds0 21, 1, 16, 7
        ps_muls1 22, 0, 17
        ps_muls1 23, 1, 17
        ps_madds1 24, 10, 16, 24
        ps_madds1 25, 11, 16, 25
        at 0x164
        psq_lu  19, 2(5), 0, 6
        ps_madds1 20, 2, 16, 20
        ps_madds1 21, 3, 16, 21
        ps_madds0 24, 12, 17, 24
        ps_madds0 25, 13, 17, 25
        ps_madds0 20, 4, 17, 20
        ps_madds0 21, 5, 17, 21
        ps_madds0 26, 10, 18, 26
        ps_madds0 27, 11, 18, 27
        ps_madds0 22, 2, 18, 22
        ps_madds0 23, 3, 18, 23
        ps_muls0 20, 20, 19
        ps_muls0 21, 21, 19
        ps_madds1 26, 12, 18, 26
        at 0x19c
        psq_lu  16, 4(6), 0, 7
        ps_madds1 27, 13, 18, 27
        ps_madds1 22, 4, 18, 22
        ps_madds1 23, 5, 18, 23
        ps_madds1 20, 24, 19, 20
        ps_madds1 21, 25, 19, 21
        at 0x1b4
        psq_lu  17, 4(6), 0, 7
        ps_muls0 22, 22, 19
        ps_muls0 23, 23, 19
        ps_madds1 22, 26, 19, 22
        psq_lu  18, 4(6), 0, 7
        ps_madds1 23, 27, 19, 23
        bdnz    1b
        at 0x1d0
        psq_stu 20, 2(7), 0, 7
        psq_stu 21, 4(7), 1, 7
        psq_stu 22, 2(7), 0, 7
        psq_stu 23, 4(7), 1, 7
        lfd     14, 0x10(1)
        lfd     15, 0x18(1)
        lfd     16, 0x20(1)
        lfd     17, 0x28(1)
        lfd     18, 0x30(1)
        lfd     19, 0x38(1)
        lfd     20, 0x40(1)
        lfd     21, 0x48(1)
        lfd     22, 0x50(1)
        lfd     23, 0x58(1)
        lfd     24, 0x60(1)
        lfd     25, 0x68(1)
        lfd     26, 0x70(1)
        lfd     27, 0x78(1)
        addi    1, 1, 0x80
        blr
        at 0x220
