/* SKNInit, once, and SKNIt, every frame: the order of the library's work. */
#include "frame.h"

static u32 buffers[4];
static u64 began;

/* How often each list ran: small data, which r13 leads to. */
static u32 runs[3] = {0, 0, 0};

void SKNInit(void)
{
    u32 hid2;
    __asm__ volatile("mfspr %0, 920" : "=r"(hid2));
    if (!(hid2 & 0x10000000u))
        LCEnable();
    for (u32 i = 0; i < 4; i++)
        buffers[i] = LOCKED_CACHE + 0x1000 * i;
    __asm__ volatile("mtspr 918, %0" : : "r"(0x08040804u));
    began = OSGetTime();
}

/* Rows of four to columns of three. */
static void reorder(const struct bone *bone, float *to)
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            to[3 * column + row] = bone->skin[row][column];
}

static u32 bytes_of(u32 count, u32 offset)
{
    return (u16)(count * 12 + offset);
}

static void load_sk1(const struct sk1 *entry, u32 index)
{
    LCLoadData(buffers[(index & 1) * 2], (u32)entry->source, bytes_of(entry->count, entry->offset));
}

static void skin_sk1(struct bone **bones, struct sk1 *entry, u32 index, u32 queued)
{
    u32 buffer = buffers[(index & 1) * 2];
    s16 *vertices = (s16 *)(buffer + entry->offset);
    reorder(bones[entry->bone], entry->matrix);
    LCQueueWait(queued);
    SKN1Vecs16Norms16(entry->matrix, vertices, vertices, entry->count);
    LCStoreData((u32)entry->destination, buffer, bytes_of(entry->count, entry->offset));
}

static void load_sk2(const struct sk2 *entry, u32 index)
{
    u32 lines = (u16)((bytes_of(entry->count, entry->offset) + 31) >> 5);
    LCLoadBlocks(buffers[(index & 1) * 2], (u32)entry->source, lines);
    LCLoadBlocks(buffers[(index & 1) * 2 + 1], (u32)entry->weights, (entry->count * 2u + 31) >> 5);
}

static void skin_sk2(struct bone **bones, struct sk2 *entry, u32 index, u32 queued)
{
    u32 buffer = buffers[(index & 1) * 2];
    s16 *vertices = (s16 *)(buffer + entry->offset);
    for (int i = 0; i < 2; i++)
        reorder(bones[entry->bone[i]], entry->matrix[i]);
    LCQueueWait(queued);
    SKN2Vecs16Norms16(entry->matrix[0], entry->matrix[1], (u8 *)buffers[(index & 1) * 2 + 1], vertices, vertices,
                      entry->count);
    LCStoreBlocks((u32)entry->destination, buffer, (u16)((bytes_of(entry->count, entry->offset) + 31) >> 5));
}

static void load_acc(const struct acc *entry, u32 index)
{
    u32 set = buffers[(index & 1) * 2];
    LCLoadBlocks(set, (u32)entry->source, (entry->count * 12u + 31) >> 5);
    LCLoadBlocks(set + 0x1000, (u32)entry->indices, (entry->count * 2u + 31) >> 5);
    LCLoadBlocks(set + 0x1800, (u32)entry->weights, (entry->count + 31u) >> 5);
}

static void skin_acc(struct bone **bones, struct acc *entry, u32 index)
{
    u32 set = buffers[(index & 1) * 2];
    reorder(bones[entry->bone], entry->matrix);
    SKNAccVecs16Norms16(entry->matrix, (s16 *)set, (u16 *)(set + 0x1000), entry->destination,
                        (u8 *)(set + 0x1800), entry->count);
}

static void clear(const struct header *skn)
{
    if (skn->clear_size)
        DCZeroLines((u32)skn->clear, (skn->clear_size + 31) >> 5);
}

static void flush(const struct header *skn)
{
    u8 *base = skn->acc[0].destination;
    for (u32 i = 0; i < skn->flush_count; i++)
        __asm__ volatile("dcbf 0, %0" : : "r"(base + skn->flush[i] * 12) : "memory");
    __asm__ volatile("sync");
}

void SKNIt(struct bone **bones, struct header *skn)
{
    u32 gqr = (skn->shift & 0x3fu) << 8 | 7;
    __asm__ volatile("mtspr 919, %0" : : "r"(gqr | gqr << 16));
    __asm__ volatile("mtspr 912, %0" : : "r"(0));
    for (u32 list = 0; list < 3; list++) {
        u32 counts[3] = {skn->sk1_count, skn->sk2_count, skn->acc_count}, count = counts[list];
        if (!count)
            continue;
        runs[list]++;
        switch (list) {
        case 0:
            load_sk1(skn->sk1, 0);
            for (u32 i = 0; i < count; i++) {
                if (i + 1 < count)
                    load_sk1(skn->sk1 + i + 1, i + 1);
                skin_sk1(bones, skn->sk1 + i, i, i + 1 < count ? 1 : 15);
            }
            break;
        case 1:
            load_sk2(skn->sk2, 0);
            for (u32 i = 0; i < count; i++) {
                if (i + 1 < count)
                    load_sk2(skn->sk2 + i + 1, i + 1);
                skin_sk2(bones, skn->sk2 + i, i, i + 1 < count ? 2 : 0);
            }
            break;
        case 2:
            clear(skn);
            load_acc(skn->acc, 0);
            LCQueueWait(0);
            for (u32 i = 0; i < count; i++) {
                if (i + 1 < count)
                    load_acc(skn->acc + i + 1, i + 1);
                skin_acc(bones, skn->acc + i, i);
            }
            DCStoreRange((u32)skn->clear, skn->clear_size + 31);
            if (skn->flush_count)
                flush(skn);
            break;
        }
    }
}
