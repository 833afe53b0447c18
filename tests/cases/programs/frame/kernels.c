/* The kernels in scalar C. fmadds by name, so that every level of optimisation fuses the same sums. */
#include "frame.h"

static inline float madd(float a, float c, float b)
{
    float sum;
    __asm__("fmadds %0, %1, %2, %3" : "=f"(sum) : "f"(a), "f"(c), "f"(b));
    return sum;
}

/* The scale of GQR7, as a power of two. */
static float scale(int up)
{
    union { u32 bits; float value; } pun;
    u32 gqr, shift;
    __asm__ volatile("mfspr %0, 919" : "=r"(gqr));
    shift = gqr >> 24 & 0x3f;
    pun.bits = (up ? 127 + shift : 127 - shift) << 23;
    return pun.value;
}

static s16 quantized(float value, float up)
{
    float scaled = value * up;
    if (scaled != scaled)
        return 0;
    return scaled >= 32767.0f ? 32767 : scaled <= -32768.0f ? -32768 : (s16)(s32)scaled;
}

static void transformed(const float *matrix, const s16 *from, float down, float *out)
{
    float in[6];
    for (int i = 0; i < 6; i++)
        in[i] = from[i] * down;
    for (int axis = 0; axis < 3; axis++) {
        const float *column = matrix + axis;
        float position = madd(column[0], in[0], column[9]);
        float normal = column[0] * in[3];
        position = madd(column[3], in[1], position);
        normal = madd(column[3], in[4], normal);
        out[axis] = madd(column[6], in[2], position);
        out[axis + 3] = madd(column[6], in[5], normal);
    }
}

void SKN1Vecs16Norms16(const float *matrix, const s16 *from, s16 *to, u32 count)
{
    float out[6], up = scale(1), down = scale(0);
    for (; count > 0; count--, from += 6, to += 6) {
        transformed(matrix, from, down, out);
        for (int i = 0; i < 6; i++)
            to[i] = quantized(out[i], up);
    }
}

void SKN2Vecs16Norms16(const float *first, const float *second, const u8 *weights, const s16 *from, s16 *to,
                       u32 count)
{
    float one[6], two[6], up = scale(1), down = scale(0);
    for (; count > 0; count--, from += 6, to += 6, weights += 2) {
        transformed(first, from, down, one);
        transformed(second, from, down, two);
        for (int i = 0; i < 6; i++) {
            float share = one[i] * (weights[0] / 256.0f);
            to[i] = quantized(madd(two[i], weights[1] / 256.0f, share), up);
        }
    }
}

void SKNAccVecs16Norms16(const float *matrix, const s16 *from, const u16 *indices, u8 *to, const u8 *weights,
                         u32 count)
{
    float out[6], up = scale(1), down = scale(0);
    for (; count > 0; count--, from += 6, indices++, weights++) {
        s16 *vertex = (s16 *)(to + *indices * 12);
        transformed(matrix, from, down, out);
        for (int i = 0; i < 6; i++)
            vertex[i] = quantized(madd(out[i], *weights / 256.0f, vertex[i] * down), up);
        __asm__ volatile("dcbst 0, %0" : : "r"(vertex) : "memory");
    }
}
