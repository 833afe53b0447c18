#!/usr/bin/env bash
# Makes the recordings again, in Dolphin from Debian's packages. Says `skipped: …` where that cannot be.
set -euo pipefail
cd "$(dirname "$0")"
needs=(dolphin-emu binutils-powerpc-linux-gnu python3)
have() { [ -x "${DOLPHIN:-/usr/games/dolphin-emu-nogui}" ] && command -v powerpc-linux-gnu-as python3 >/dev/null; }
if ! have; then
    command -v apt-get >/dev/null || { echo "skipped: Dolphin is not here, and this is no Debian"; exit 0; }
    [ "$(id -u)" = 0 ] || { echo "skipped: Dolphin is not here, and installing it needs root"; exit 0; }
    if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${needs[@]}"; }; then
        echo "skipped: Debian's packages could not be installed"
        exit 0
    fi
    have || { echo "skipped: the packages hold no headless Dolphin"; exit 0; }
fi
python3 record.py
python3 estimates/record.py
python3 estimates/fit.py
echo "recorded; now UPDATE_TRACES=1 cargo test --test cpu recordings"
