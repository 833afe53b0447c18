/* Copies, moves, fills, strings, structures by value, sorting through function pointers. */
#include "programs.h"

typedef __SIZE_TYPE__ size_t;

__attribute__((noinline)) void *memcpy(void *to, const void *from, size_t size)
{
    u8 *t = to;
    const u8 *f = from;
    for (; size >= 4 && !(((u32)t | (u32)f) & 3); size -= 4, t += 4, f += 4)
        *(u32 *)t = *(const u32 *)f;
    while (size--)
        *t++ = *f++;
    return to;
}

__attribute__((noinline)) void *memset(void *to, int value, size_t size)
{
    u8 *t = to;
    while (size--)
        *t++ = value;
    return to;
}

__attribute__((noinline)) void *memmove(void *to, const void *from, size_t size)
{
    u8 *t = to;
    const u8 *f = from;
    if (t < f)
        while (size--)
            *t++ = *f++;
    else
        while (size--)
            t[size] = f[size];
    return to;
}

static int compare(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (u8)*a - (u8)*b;
}

struct record {
    char name[12];
    s16 x, y, z;
    double weight;
    struct { u8 tag; u32 value; } inner[3];
};

static struct record moved(struct record record, int by)
{
    record.x += by;
    record.y -= by;
    record.inner[by & 1].value ^= by * 0x01010101u;
    record.inner[2] = record.inner[by & 1];
    record.weight *= by;
    return record;
}

typedef int (*comparison)(const void *, const void *);

static int by_value(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}

static int by_low_byte(const void *a, const void *b)
{
    return (*(const u32 *)a & 0xff) - (*(const u32 *)b & 0xff);
}

static void sort(u32 *list, int count, comparison comparison)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && comparison(&list[j - 1], &list[j]) > 0; j--) {
            u32 held = list[j];
            list[j] = list[j - 1];
            list[j - 1] = held;
        }
}

static comparison const orders[2] = {by_value, by_low_byte};

void compute(u8 *out)
{
    static u8 buffer[256];
    begin_results(out);
    for (u32 i = 0; i < sizeof buffer; i++)
        buffer[i] = next();
    memmove(buffer + 3, buffer, 100);
    memmove(buffer + 60, buffer + 65, 50);
    memset(buffer + 200, 0xa5, 17);
    memcpy(buffer + 128, buffer + 4, 33);
    for (u32 i = 0; i < sizeof buffer; i += 4)
        put(*(u32 *)(buffer + i));
    struct record record = {"kernel", 1, -2, 3, 0.125, {{1, 2}, {3, 4}, {5, 6}}};
    for (int turn = 1; turn < 6; turn++) {
        record = moved(record, turn);
        put((u16)record.x << 16 | (u16)record.y);
        put(record.inner[2].value);
        put(record.inner[2].tag);
        put((s32)(record.weight * 1024));
    }
    put(compare(record.name, "kernel"));
    put(compare(record.name, "kerned"));
    for (int kind = 0; kind < 2; kind++) {
        u32 list[40];
        for (int i = 0; i < 40; i++)
            list[i] = next();
        sort(list, 40, orders[kind]);
        for (int i = 0; i < 40; i++)
            put(list[i]);
    }
}
