/* What of the operating system the frame uses: interrupts, time, locked cache, data cache. */
#include "frame.h"

#ifndef MEMORY_MASK
#define MEMORY_MASK 0x1fffffffu
#endif

#define move_to(number, value) __asm__ volatile("mtspr %0, %1" : : "i"(number), "r"(value) : "memory")
#define move_from(number, value) __asm__ volatile("mfspr %0, %1" : "=r"(value) : "i"(number))
enum { DBAT3U = 542, DBAT3L = 543, HID2 = 920, DMAU = 922, DMAL = 923, HID0 = 1008 };

u32 OSDisableInterrupts(void)
{
    u32 msr;
    __asm__ volatile("mfmsr %0" : "=r"(msr));
    __asm__ volatile("mtmsr %0" : : "r"(msr & ~0x8000u));
    return msr >> 15 & 1;
}

void OSRestoreInterrupts(u32 level)
{
    u32 msr;
    __asm__ volatile("mfmsr %0" : "=r"(msr));
    __asm__ volatile("mtmsr %0" : : "r"(level ? msr | 0x8000u : msr & ~0x8000u));
}

u64 OSGetTime(void)
{
    u32 high, low, again;
    do
        __asm__ volatile("mftbu %0\n\tmftb %1\n\tmftbu %2" : "=r"(high), "=r"(low), "=r"(again));
    while (high != again);
    return (u64)high << 32 | low;
}

void LCEnable(void)
{
    u32 level = OSDisableInterrupts(), value, msr;
    __asm__ volatile("mfmsr %0\n\tori %0, %0, 0x1000\n\tmtmsr %0" : "=&r"(msr));
    move_from(HID2, value);
    move_to(HID2, value | 0x100f0000u);
    __asm__ volatile("isync");
    move_to(DBAT3L, 0xe0000002u);
    move_to(DBAT3U, 0xe00001feu);
    __asm__ volatile("isync");
    for (u32 line = 0; line < 512; line++)
        __asm__ volatile("dcbz_l 0, %0" : : "r"(LOCKED_CACHE + 32 * line) : "memory");
    __asm__ volatile("sync");
    OSRestoreInterrupts(level);
}

void LCLoadBlocks(u32 cache, u32 memory, u32 lines)
{
    move_to(DMAU, (memory & MEMORY_MASK) | (lines >> 2 & 0x1f));
    move_to(DMAL, cache | (lines & 3) << 2 | 0x12);
}

void LCStoreBlocks(u32 memory, u32 cache, u32 lines)
{
    move_to(DMAU, (memory & MEMORY_MASK) | (lines >> 2 & 0x1f));
    move_to(DMAL, cache | (lines & 3) << 2 | 0x02);
}

u32 LCLoadData(u32 cache, u32 memory, u32 bytes)
{
    u32 lines = (bytes + 31) / 32, transfers = (lines + 127) / 128;
    for (; lines > 0; cache += 0x1000, memory += 0x1000) {
        u32 now = lines < 128 ? lines : 0;
        LCLoadBlocks(cache, memory, now);
        lines -= now ? now : 128;
    }
    return transfers;
}

u32 LCStoreData(u32 memory, u32 cache, u32 bytes)
{
    u32 lines = (bytes + 31) / 32, transfers = (lines + 127) / 128;
    for (; lines > 0; cache += 0x1000, memory += 0x1000) {
        u32 now = lines < 128 ? lines : 0;
        LCStoreBlocks(memory, cache, now);
        lines -= now ? now : 128;
    }
    return transfers;
}

void LCQueueWait(u32 length)
{
    u32 value;
    do
        move_from(HID2, value);
    while ((value >> 24 & 0xf) > length);
}

static u32 lines_of(u32 start, u32 bytes)
{
    return (bytes + (start & 31) + 31) / 32;
}

void DCFlushRange(u32 start, u32 bytes)
{
    for (u32 lines = lines_of(start, bytes); lines > 0; lines--, start += 32)
        __asm__ volatile("dcbf 0, %0" : : "r"(start) : "memory");
    __asm__ volatile("sc" : : : "memory");
}

void DCStoreRange(u32 start, u32 bytes)
{
    for (u32 lines = lines_of(start, bytes); lines > 0; lines--, start += 32)
        __asm__ volatile("dcbst 0, %0" : : "r"(start) : "memory");
    __asm__ volatile("sync" : : : "memory");
}

void DCZeroLines(u32 start, u32 lines)
{
    for (; lines > 0; lines--, start += 32)
        __asm__ volatile("dcbz 0, %0" : : "r"(start) : "memory");
}
