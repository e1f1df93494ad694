#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# IBM's two runs, scaled: the projection of a run without a zIIP beside the measured run with one
cd "$(dirname "$0")/../.." || exit 1
IPSEC_PROJECTION=yes exec tests/system/test-zdev-ipsec.py
