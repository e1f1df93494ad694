#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ESP and AH with scapy as the other side: 1,000 packets each way of every kind, 10,000 of the first (IPSEC_PACKETS=...)
cd "$(dirname "$0")/../.." || exit 1
IPSEC_PACKETS=${IPSEC_PACKETS:-1000} exec tests/system/test-zdev-ipsec-scapy.py
