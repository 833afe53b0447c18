/* Integer arithmetic: division, high products, rotates, carries, comparisons, bit fields. */
#include "programs.h"

struct fields {
    u32 a : 3, b : 7, c : 11, d : 11;
    s32 e : 5, f : 27;
};

static u32 rotate(u32 x, u32 by)
{
    return (x << (by & 31)) | (x >> (-by & 31));
}

static s32 order(s32 a, s32 b)
{
    return a < b ? -1 : a > b ? 1 : 0;
}

static u32 greatest_divisor(u32 a, u32 b)
{
    return b ? greatest_divisor(b, a % b) : a;
}

void compute(u8 *out)
{
    begin_results(out);
    for (int turn = 0; turn < 24; turn++) {
        u32 a = next(), b = next() >> (turn & 31);
        s32 sa = a, sb = b | 1;
        put(a / (b | 1));
        put(a % (b | 1));
        put(sa / sb);
        put(sa % sb);
        put(a / 10);
        put(sa / 7);
        put(sa % -1000);
        put(((u64)a * b) >> 32);
        put(((s64)sa * sb) >> 32);
        put(rotate(a, b));
        put(__builtin_clz(b | 1));
        put(__builtin_bswap32(a));
        put(sa >> (b & 31));
        put(a << (b & 31));
        put((a & 0x00ffff00) | (b >> 24));
        put(order(sa, sb));
        put(a < b ? a - b : b - a);
        put((u32)__builtin_add_overflow_p(sa, sb, (s32)0) << 1 | __builtin_mul_overflow_p(sa, sb, (s32)0));
        put(greatest_divisor(a & 0xffff, b & 0xffff));
        struct fields fields = {.a = a, .b = b, .c = a >> 7, .d = b >> 3, .e = a, .f = b};
        fields.c += fields.b;
        fields.e -= fields.a;
        put(fields.c * 3 + fields.d + fields.e + fields.f);
        put((s16)a + (signed char)b + (u16)(a * b));
        put(~(a ^ b) & (a | ~b));
    }
}
