/* Switches: dense ones become tables of offsets or addresses, sparse ones trees of comparisons. */
#include "programs.h"

static __attribute__((noinline)) u32 dense(u32 key, u32 x)
{
    switch (key) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x ^ 0x5555;
    case 3: return x >> 3;
    case 4: return ~x;
    case 5: return x - 77;
    case 6: x += 9; /* fall through */
    case 7: return x << 1;
    case 8: return x & 0xff00ff;
    case 9: return x | 1;
    case 11: return x / 11;
    default: return 0xdead;
    }
}

static __attribute__((noinline)) u32 sparse(s32 key, u32 x)
{
    switch (key) {
    case -5: return x;
    case 100: return x + 100;
    case 1000: return x * 1000;
    case 65536: return x >> 16;
    case 0x7fffffff: return -x;
    default: return key;
    }
}

enum op { PUSH, ADD, MUL, SWAP, DUP, JUMP_UNLESS, DONE };

static u32 interpret(const s16 *code)
{
    u32 stack[16];
    int top = 0;
    for (int at = 0, steps = 0; steps < 1000; steps++)
        switch ((enum op)code[at++]) {
        case PUSH: stack[top++] = code[at++]; break;
        case ADD: top--; stack[top - 1] += stack[top]; break;
        case MUL: top--; stack[top - 1] *= stack[top]; break;
        case SWAP: { u32 held = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = held; break; }
        case DUP: stack[top] = stack[top - 1]; top++; break;
        case JUMP_UNLESS: { s16 to = code[at++]; if (stack[top - 1] < 100) at = to; break; }
        case DONE: return stack[top - 1];
        }
    return 0;
}

void compute(u8 *out)
{
    static const s16 code[] = {PUSH, 2, DUP, MUL, PUSH, 3, ADD, JUMP_UNLESS, 2, PUSH, 5, SWAP, ADD, DONE};
    begin_results(out);
    for (u32 key = 0; key < 14; key++)
        put(dense(key, next()));
    static const s32 keys[] = {-5, 100, 1000, 65536, 0x7fffffff, 0, -1};
    for (u32 i = 0; i < sizeof keys / sizeof *keys; i++)
        put(sparse(keys[i], next()));
    put(interpret(code));
}
