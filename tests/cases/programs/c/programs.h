/* Results go out one word after another. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short s16;
typedef int s32;
typedef long long s64;

static u8 *cursor, *limit;

static void begin_results(u8 *out)
{
    cursor = out;
    limit = out + 0x1000;
}

static void put(u32 word)
{
    if (cursor + 4 <= limit) {
        *(u32 *)cursor = word;
        cursor += 4;
    }
}

static void put64(u64 value)
{
    put(value >> 32);
    put(value);
}

/* A generator of our own: values that the compiler cannot know. */
static volatile u32 seed = 0x13579bdf;

static u32 next(void)
{
    u32 x = seed;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return seed = x;
}
