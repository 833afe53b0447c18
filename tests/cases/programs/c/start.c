/* The way into a program under qemu-ppc (Linux): call compute, write its results, exit. */
extern void compute(unsigned char *out);

unsigned char results[0x1000];

static long call(long number, long a, long b, long c)
{
    register long r0 __asm__("r0") = number;
    register long r3 __asm__("r3") = a;
    register long r4 __asm__("r4") = b;
    register long r5 __asm__("r5") = c;
    __asm__ volatile("sc" : "+r"(r3), "+r"(r0) : "r"(r4), "r"(r5) : "cr0", "memory");
    return r3;
}

void begin(void)
{
    compute(results);
    call(4, 1, (long)results, sizeof results);
    call(1, 0, 0, 0);
}

__asm__(".globl _start\n"
        "_start:\n"
        "    lis 13, _SDA_BASE_@ha\n"
        "    addi 13, 13, _SDA_BASE_@l\n"
        "    lis 2, _SDA2_BASE_@ha\n"
        "    addi 2, 2, _SDA2_BASE_@l\n"
        "    rlwinm 1, 1, 0, 0, 27\n"
        "    stwu 1, -32(1)\n"
        "    bl begin\n");
