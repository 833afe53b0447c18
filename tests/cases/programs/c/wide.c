/* 64-bit arithmetic, which takes pairs of registers, carries, and the compiler's own routines. */
#include "programs.h"

void compute(u8 *out)
{
    begin_results(out);
    u64 sum = 0;
    for (int turn = 0; turn < 16; turn++) {
        u64 a = ((u64)next() << 32) | next(), b = ((u64)next() << 32 | next()) >> (turn * 3);
        s64 sa = a, sb = b | 1;
        sum += a - b;
        put64(a + b);
        put64(a - b);
        put64(a * b);
        put64(a / (b | 1));
        put64(a % (b | 1));
        put64(sa / sb);
        put64(sa % sb);
        put64(a << (turn * 4));
        put64(a >> (turn * 4));
        put64(sa >> (63 - turn));
        put64(-sa);
        put((a < b) | (sa < sb) << 1 | (a == b) << 2 | (sa >= 0) << 3);
        put64((u64)(double)(a >> 12));
        put64((s64)((float)sb * 0.25f));
        put64(sum);
    }
}
