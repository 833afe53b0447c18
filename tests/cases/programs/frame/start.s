# The way in of a program: stack and small data, as a game's start-up sets them.
        .section .text.start, "ax"
        .globl _start
_start: lis     1, 0x8170
        lis     2, _SDA2_BASE_@ha
        addi    2, 2, _SDA2_BASE_@l
        lis     13, _SDA_BASE_@ha
        addi    13, 13, _SDA_BASE_@l
        bl      SKNInit
        b       .
