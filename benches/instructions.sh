#!/usr/bin/env bash
# Instructions of the kernels (1,000 vertices) and of the fox's frame, counted by callgrind: a figure
# that does not depend on what else the machine is doing, in the walk and at rest. Needs valgrind.
#
#     benches/instructions.sh
#
# What comes before the first call is counted in both runs and falls out of their difference.
set -euo pipefail
cd "$(dirname "$0")/.."

bench=$(cargo bench --bench skinning --no-run --message-format json 2>/dev/null |
    sed -n 's/.*"executable":"\([^"]*skinning-[^"]*\)".*/\1/p' | tail -1)
[ -x "$bench" ] || { echo "the bench does not build: cargo bench --bench skinning --no-run" >&2; exit 1; }

counted() { # NAME TIMES: instructions of a whole run
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" count "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

printf '%-24s%16s\n' '' 'instructions'
for name in {one-bone,two-bone,accumulate,frame}{,@rest}; do
    once=$(counted "$name" 1)
    more=$(counted "$name" 11)
    printf '%-24s%16s\n' "$name" "$(((more - once) / 10))"
done
