# The locked cache: enabling it, and DMA by blocks of 32 bytes and by bytes. MEMORY_BIT is the first
# bit of a memory address that is kept: 4 on the GameCube, 3 on the Wii.
        .include "macros.inc"

# r3 locked-cache address, r4 memory address, r5 lines. The parts are OR-ed, whatever they are.
        .section .text.load_blocks, "ax"
        .globl load_blocks
load_blocks:
        rlwinm  6, 5, 30, 27, 31
        rlwinm  4, 4, 0, MEMORY_BIT, 31
        or      6, 6, 4
        mtspr   DMAU, 6
        rlwinm  6, 5, 2, 28, 29
        or      6, 6, 3
        ori     6, 6, 0x12
        mtspr   DMAL, 6
        blr

# r3 memory address, r4 locked-cache address, r5 lines.
        .section .text.store_blocks, "ax"
        .globl store_blocks
store_blocks:
        rlwinm  6, 5, 30, 27, 31
        rlwinm  3, 3, 0, MEMORY_BIT, 31
        or      6, 6, 3
        mtspr   DMAU, 6
        rlwinm  6, 5, 2, 28, 29
        or      6, 6, 4
        ori     6, 6, 0x02
        mtspr   DMAL, 6
        blr

# Transfers of any size: r3 to, r4 from, r5 bytes. Full ones of 128 lines have a length of 0.
        .macro by_bytes blocks
kernel = .
        stwu    1, -0x20(1)
        mflr    0
        stw     0, 0x24(1)
        stmw    29, 0x10(1)
        mr      31, 3
        mr      30, 4
        addi    5, 5, 31
        srwi    29, 5, 5
1:      cmpwi   29, 0
        beq     3f
        mr      3, 31
        mr      4, 30
        mr      5, 29
        cmplwi  29, 128
        blt     2f
        li      5, 0
        bl      \blocks
        addi    31, 31, 0x1000
        addi    30, 30, 0x1000
        addi    29, 29, -128
        b       1b
2:      bl      \blocks
3:      lmw     29, 0x10(1)
        lwz     0, 0x24(1)
        mtlr    0
        addi    1, 1, 0x20
        blr
        fill_to 0xa0
        .endm

        .section .text.load_data, "ax"
        .globl load_data
load_data:
        by_bytes load_blocks

        .section .text.store_data, "ax"
        .globl store_data
store_data:
        by_bytes store_blocks

# Waits until at most r3 transfers are queued.
        .section .text.queue_wait, "ax"
        .globl queue_wait
queue_wait:
        mfspr   4, HID2
        rlwinm  4, 4, 8, 28, 31
        cmpw    4, 3
        bgt     queue_wait
        blr

# Turns the locked cache on: HID2, a 16 MB BAT, 512 lines.
        .section .text.enable, "ax"
        .globl enable
enable:
        mfspr   3, HID2
        oris    3, 3, 0x100f
        mtspr   HID2, 3
        isync
        lis     4, 0xe000
        ori     5, 4, 0x0002
        mtspr   DBAT3L, 5
        ori     5, 4, 0x01fe
        mtspr   DBAT3U, 5
        isync
        li      5, 512
        mtctr   5
1:      dcbz_l  0, 4
        addi    4, 4, 32
        bdnz    1b
        blr

# Writes back the lines of a range: r3 start, r4 bytes.
        .section .text.store_range, "ax"
        .globl store_range
store_range:
        cmplwi  4, 0
        beqlr
        andi.   5, 3, 31
        beq     1f
        addi    4, 4, 32
1:      addi    4, 4, 31
        srwi    4, 4, 5
        mtctr   4
2:      dcbst   0, 3
        addi    3, 3, 32
        bdnz    2b
        sync
        blr
