#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A guest's kernel as the other side: 100 MB each way by TCP in every mode and with every algorithm (IPSEC_BYTES=...)
cd "$(dirname "$0")/../.." || exit 1
IPSEC_BYTES=${IPSEC_BYTES:-$((100 << 20))} exec tests/ipsec-guest/test-kernel.py
