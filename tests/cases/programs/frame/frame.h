/* The skinning frame in C: what a compiler makes of the library's job. Layouts as the game reads them. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short s16;
typedef int s32;

struct sk1 {
    float matrix[12];
    u8 *source, *destination;
    u16 bone, count;
    u8 offset, pad[3];
};

struct sk2 {
    float matrix[2][12];
    u8 *source, *weights, *destination;
    u16 bone[2], count;
    u8 offset, pad;
};

struct acc {
    float matrix[12];
    u8 *source;
    u16 *indices;
    u8 *destination, *weights;
    u16 bone, count;
};

struct header {
    u16 sk1_count, sk2_count, acc_count;
    u8 shift, pad;
    struct sk1 *sk1;
    struct sk2 *sk2;
    struct acc *acc;
    u8 *clear;
    u32 clear_size;
    u16 *flush;
    u32 flush_count;
};

struct bone {
    u8 unknown[0x88];
    float (*skin)[4];
};

#define LOCKED_CACHE 0xe0000000u

/* os.c */
u32 OSDisableInterrupts(void);
void OSRestoreInterrupts(u32 level);
u64 OSGetTime(void);
void LCEnable(void);
void LCLoadBlocks(u32 cache, u32 memory, u32 lines);
void LCStoreBlocks(u32 memory, u32 cache, u32 lines);
u32 LCLoadData(u32 cache, u32 memory, u32 bytes);
u32 LCStoreData(u32 memory, u32 cache, u32 bytes);
void LCQueueWait(u32 length);
void DCFlushRange(u32 start, u32 bytes);
void DCStoreRange(u32 start, u32 bytes);
void DCZeroLines(u32 start, u32 lines);

/* kernels.c, or the assembled kernels */
void SKN1Vecs16Norms16(const float *matrix, const s16 *from, s16 *to, u32 count);
void SKN2Vecs16Norms16(const float *first, const float *second, const u8 *weights, const s16 *from, s16 *to,
                       u32 count);
void SKNAccVecs16Norms16(const float *matrix, const s16 *from, const u16 *indices, u8 *to, const u8 *weights,
                         u32 count);
