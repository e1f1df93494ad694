#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A hostile peer in shared memory, for longer: five minutes with the address sanitizer
# Time limit: 1200 s
set -u
cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}
make --no-print-directory -s -j "$(nproc)" O="$O/san-address" SAN=address,undefined \
	"$O/san-address/tests/transport/test-shm-hostile" || exit 1
LFP_HOSTILE_SECONDS=${LFP_HOSTILE_SECONDS:-300} exec "$O/san-address/tests/transport/test-shm-hostile"
