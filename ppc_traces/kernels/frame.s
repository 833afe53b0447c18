# One frame: SK1, SK2, clear, SKAcc, store, flush. And what is called once before the first.
        .include "macros.inc"

# Enables the locked cache unless it is on, and sets the quantization of weights.
        .section .text.init, "ax"
        .globl init
init:
kernel:
        stwu    1, -0x10(1)
        mflr    0
        stw     0, 0x14(1)
        mfspr   3, HID2
        andis.  3, 3, 0x1000
        bne     1f
        bl      enable
1:      lis     3, 0x0804
        ori     3, 3, 0x0804
        mtspr   GQR6, 3
        lwz     0, 0x14(1)
        mtlr    0
        addi    1, 1, 0x10
        blr
        fill_to 0xa8

# frame(r3 bone pointers, r4 SKN header)
#
# r31 header  r30 bones  r29 entry  r28 its index  r27 the last index
# r26 what to store of this entry  r25 of the next  r23 transfers that may be queued (15: no wait)
        .section .text.frame, "ax"
        .globl frame
frame:
        stwu    1, -0x40(1)
        mflr    0
        stw     0, 0x44(1)
        stmw    23, 0x18(1)
        mr      30, 3
        mr      31, 4
        lbz     5, 6(31)
        rlwinm  5, 5, 8, 18, 23
        ori     5, 5, 7
        slwi    6, 5, 16
        or      5, 5, 6
        mtspr   GQR7, 5
        li      5, 0
        mtspr   GQR0, 5
        lhz     0, 0(31)
        cmplwi  0, 0
        beq     1f
        bl      sk1
1:      lhz     0, 2(31)
        cmplwi  0, 0
        beq     2f
        bl      sk2
2:      lhz     0, 4(31)
        cmplwi  0, 0
        beq     3f
        bl      skacc
3:      lmw     23, 0x18(1)
        lwz     0, 0x44(1)
        mtlr    0
        addi    1, 1, 0x40
        blr

# Local functions keep their return address in this frame's slots: lists at 0x14, entries at 0x10.
        .macro enter slot
        mflr    0
        stw     0, \slot(1)
        .endm
        .macro leave slot
        lwz     0, \slot(1)
        mtlr    0
        blr
        .endm
# Start of the buffers of the entry at r28.
        .macro buffer register
        rlwinm  \register, 28, 13, 18, 18
        oris    \register, \register, 0xe000
        .endm

# Walks a list: loads one ahead, skins, and does the last one apart. Where `first` is not 15, the first
# load is waited for until so many transfers are queued.
        .macro walk load, skin, size, pointer, count, first, during, at_last
        enter   0x14
        lwz     29, \pointer(31)
        lhz     27, \count(31)
        addi    27, 27, -1
        li      28, 0
        bl      \load
        .if \first < 15
        li      3, \first
        bl      queue_wait
        .endif
        mr      26, 25
        li      23, \during
1:      cmpw    28, 27
        bge     2f
        addi    28, 28, 1
        addi    29, 29, \size
        bl      \load
        addi    28, 28, -1
        addi    29, 29, -\size
        bl      \skin
        addi    28, 28, 1
        addi    29, 29, \size
        mr      26, 25
        b       1b
2:      li      23, \at_last
        bl      \skin
        .endm

sk1:    walk    sk1_load, sk1_skin, 0x40, 0x08, 0x00, 15, 1, 15
        leave   0x14

# r25: bytes to store later, in 16 bits.
sk1_load:
        enter   0x10
        lbz     6, 0x3c(29)
        lhz     5, 0x3a(29)
        mulli   5, 5, 12
        add     5, 5, 6
        clrlwi  25, 5, 16
        lwz     4, 0x30(29)
        buffer  3
        bl      load_data
        leave   0x10

sk1_skin:
        enter   0x10
        lhz     3, 0x38(29)
        mr      4, 29
        bl      reorder
        cmpwi   23, 15
        bge     1f
        mr      3, 23
        bl      queue_wait
1:      mr      3, 29
        lbz     6, 0x3c(29)
        buffer  4
        add     4, 4, 6
        mr      5, 4
        lhz     6, 0x3a(29)
        bl      one_bone
        lwz     3, 0x34(29)
        buffer  4
        mr      5, 26
        bl      store_data
        leave   0x10

sk2:    walk    sk2_load, sk2_skin, 0x74, 0x0c, 0x02, 15, 2, 0
        leave   0x14

# r25: lines to store later, in 16 bits.
sk2_load:
        enter   0x10
        lbz     6, 0x72(29)
        lhz     5, 0x70(29)
        mulli   5, 5, 12
        add     5, 5, 6
        addi    5, 5, 31
        rlwinm  5, 5, 27, 16, 31
        mr      25, 5
        lwz     4, 0x60(29)
        buffer  3
        bl      load_blocks
        lhz     5, 0x70(29)
        slwi    5, 5, 1
        addi    5, 5, 31
        srwi    5, 5, 5
        lwz     4, 0x64(29)
        buffer  3
        ori     3, 3, 0x1000
        bl      load_blocks
        leave   0x10

sk2_skin:
        enter   0x10
        lhz     3, 0x6c(29)
        lhz     24, 0x6e(29)
        mr      4, 29
        bl      reorder
        mr      3, 24
        addi    4, 29, 0x30
        bl      reorder
        mr      3, 23
        bl      queue_wait
        mr      3, 29
        addi    4, 29, 0x30
        lbz     9, 0x72(29)
        buffer  6
        ori     5, 6, 0x1000
        add     6, 6, 9
        mr      7, 6
        lhz     8, 0x70(29)
        bl      two_bone
        lwz     3, 0x68(29)
        buffer  4
        mr      5, 26
        bl      store_blocks
        leave   0x10

skacc:
        enter   0x14
        lwz     3, 0x14(31)
        lwz     4, 0x18(31)
        cmplwi  4, 0
        beq     1f
        bl      clear
1:      lwz     0, 0x14(1)
        stw     0, 0x8(1)
        bl      skacc_list
        lwz     3, 0x14(31)
        lwz     4, 0x18(31)
        addi    4, 4, 31
        bl      store_range
        lwz     4, 0x1c(31)
        lwz     5, 0x20(31)
        cmplwi  5, 0
        beq     2f
        lwz     3, 0x10(31)
        lwz     3, 0x38(3)
        bl      flush
2:      leave   0x8

skacc_list:
        walk    skacc_load, skacc_skin, 0x44, 0x10, 0x04, 0, 15, 15
        leave   0x14

skacc_load:
        enter   0x10
        lhz     24, 0x42(29)
        lwz     4, 0x30(29)
        mulli   5, 24, 12
        addi    5, 5, 31
        srwi    5, 5, 5
        buffer  3
        bl      load_blocks
        lwz     4, 0x34(29)
        slwi    5, 24, 1
        addi    5, 5, 31
        srwi    5, 5, 5
        buffer  3
        ori     3, 3, 0x1000
        bl      load_blocks
        lwz     4, 0x3c(29)
        addi    5, 24, 31
        srwi    5, 5, 5
        buffer  3
        ori     3, 3, 0x1800
        bl      load_blocks
        leave   0x10

skacc_skin:
        enter   0x10
        lhz     3, 0x40(29)
        mr      4, 29
        bl      reorder
        mr      3, 29
        buffer  4
        ori     5, 4, 0x1000
        ori     7, 4, 0x1800
        lwz     6, 0x38(29)
        lhz     8, 0x42(29)
        bl      accumulate
        leave   0x10

# The skin matrix of bone r3, its columns packed, to r4.
reorder:
        slwi    3, 3, 2
        lwzx    5, 30, 3
        lwz     5, 0x88(5)
        psq_l   0, 0(5), 0, 0
        psq_l   1, 16(5), 0, 0
        psq_l   2, 32(5), 0, 0
        psq_l   3, 8(5), 0, 0
        psq_l   4, 24(5), 0, 0
        psq_l   5, 40(5), 0, 0
        ps_merge00 6, 0, 1
        ps_merge01 7, 2, 0
        ps_merge11 8, 1, 2
        ps_merge00 9, 3, 4
        ps_merge01 10, 5, 3
        ps_merge11 11, 4, 5
        psq_st  6, 0(4), 0, 0
        psq_st  7, 8(4), 0, 0
        psq_st  8, 16(4), 0, 0
        psq_st  9, 24(4), 0, 0
        psq_st  10, 32(4), 0, 0
        psq_st  11, 40(4), 0, 0
        blr
        .if (. - frame) - 0x5f4 > 0
        .error "the frame is longer than the library's"
        .endif
