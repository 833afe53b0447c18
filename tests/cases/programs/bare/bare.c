/* Small data through r13, and nothing in the file that names it: see build.sh. */
typedef unsigned int u32;

volatile u32 counter = 0x1234;             /* .sdata, r13 */
volatile u32 zeroed;                       /* .sbss, r13 */
volatile u32 constant = 0xcafef00d;        /* .sdata */

void compute(u32 *results)
{
    results[0] = counter++;
    results[1] = counter;
    results[2] = zeroed + constant;
}
