#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A hostile peer in shared memory, for longer: five minutes for shm and for hipersockets, with the address sanitizer
# Time limit: 1800 s
set -u
cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}
san=$O/san-address
programs=("$san/tests/transport/test-shm-hostile" "$san/tests/transport/test-hs-hostile")
make --no-print-directory -s -j "$(nproc)" O="$san" SAN=address,undefined "${programs[@]}" || exit 1
export LFP_HOSTILE_SECONDS=${LFP_HOSTILE_SECONDS:-300}
O=$san exec tests/run -t $((LFP_HOSTILE_SECONDS + 300)) "${programs[@]}"
