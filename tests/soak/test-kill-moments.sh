#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The processes of private instances, killed at 100 random moments, other ones each time
# Time limit: 3600 s
export KILL_MOMENTS=${KILL_MOMENTS:-100} KILL_SEED=${KILL_SEED:-$RANDOM}
exec "$(dirname "$0")/../system/test-kill-moments.sh"
