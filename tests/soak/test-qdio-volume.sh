#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 100 GB between two HiperSockets devices with random holds and faults: nothing lost or doubled
# Time limit: 3600 s
set -u
cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}
make --no-print-directory -s -j "$(nproc)" O="$O" "$O/tests/devemu/test-qdio-volume" || exit 1
LFP_QDIO_MEGABYTES=${LFP_QDIO_MEGABYTES:-102400} exec "$O/tests/devemu/test-qdio-volume"
