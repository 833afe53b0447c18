#!/usr/bin/env bash
# Assembles and links the kernels for both games: sluggers.elf and superstar.elf, checked in.
# Needs binutils-powerpc-linux-gnu.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() { # game, first bit of a memory address that DMA keeps
    local objects=()
    for source in *.s; do
        powerpc-linux-gnu-as -mbroadway --defsym MEMORY_BIT="$2" -o "$work/${source%.s}.o" "$source"
        objects+=("$work/${source%.s}.o")
    done
    powerpc-linux-gnu-ld -n -T "$1.ld" -o "$1.elf" "${objects[@]}"
    powerpc-linux-gnu-strip --strip-debug --discard-all "$1.elf"
    chmod -x "$1.elf"
}
build sluggers 3
build superstar 4
