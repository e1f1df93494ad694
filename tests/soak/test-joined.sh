#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Joined connections, 200 MB each way in each of 20 runs, and 1,000 transfers in which splice() fails
# Time limit: 3600 s
export JOINED_MB=${JOINED_MB:-200} JOINED_RUNS=${JOINED_RUNS:-20} JOINED_FAULTS=${JOINED_FAULTS:-1000}
exec "$(dirname "$0")/../system/test-joined.sh"
