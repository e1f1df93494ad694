#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Data by reference, 200 MB in each of 20 runs, and 1,000 transfers in which splice() fails
# Time limit: 3600 s
export SPLICED_MB=${SPLICED_MB:-200} SPLICED_RUNS=${SPLICED_RUNS:-20} SPLICED_FAULTS=${SPLICED_FAULTS:-1000}
exec "$(dirname "$0")/../system/test-spliced.sh"
