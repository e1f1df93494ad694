#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# IIPHONORPRIORITY=YES spills and NO contains: a table over time, with a zIIP that is varied off and on
cd "$(dirname "$0")/../.." || exit 1
IPSEC_OVERLOAD=yes exec tests/system/test-zdev-ipsec.py
