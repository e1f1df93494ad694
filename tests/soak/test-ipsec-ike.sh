#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# strongSwan as the other side: 100 MB each way by TCP through each association (IPSEC_BYTES=...)
cd "$(dirname "$0")/../.." || exit 1
IPSEC_BYTES=${IPSEC_BYTES:-$((100 << 20))} exec tests/system/test-zdev-ipsec-ike.py
