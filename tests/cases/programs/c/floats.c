/* Floating point: both precisions, conversions, comparisons, square roots by iteration, varargs. */
#include "programs.h"
#include <stdarg.h>

static void put_float(float value)
{
    union { float value; u32 bits; } pun = {value};
    put(pun.bits);
}

static void put_double(double value)
{
    union { double value; u64 bits; } pun = {value};
    put64(pun.bits);
}

static double root(double x)
{
    double guess = x > 1 ? x / 2 : 1;
    for (int turn = 0; turn < 30; turn++)
        guess = (guess + x / guess) * 0.5;
    return guess;
}

static double total(int count, ...)
{
    va_list list;
    double sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += i & 1 ? va_arg(list, int) : va_arg(list, double);
    va_end(list);
    return sum;
}

static volatile float weights[4] = {0.25f, 0.125f, 3.0e7f, -1.5f};

void compute(u8 *out)
{
    begin_results(out);
    for (int turn = 0; turn < 20; turn++) {
        s32 n = (s32)next() >> (turn & 15);
        float f = n * weights[turn & 3];
        double d = n / 1024.0 + f;
        put_float(f);
        put_double(d);
        put_float(f + (float)d);
        put_float(f * f - 1.0f);
        put_float((float)turn / 3.0f);
        put_double(d * d / 7.0);
        put_double(root(d < 0 ? -d : d));
        put((s32)f);
        put((u32)(d < 0 ? -d / 65536.0 : d / 65536.0));
        put((s16)(s32)(f / 4096.0f));
        put((f < d) | (f > d) << 1 | (f == d) << 2 | (d != d) << 3 | (f <= -0.0f) << 4);
        put_float(f > 0 ? f : -f);
        put_double(total(6, d, n, 0.5, turn, (double)f, -7));
        put_double(total(20, 1.5, 1, 2.5, 2, 3.5, 3, 4.5, 4, 5.5, 5, 6.5, 6, 7.5, 7, 8.5, 8, 9.5, 9, d, n));
        put_float((float)(u32)n);
    }
}
