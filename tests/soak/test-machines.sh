#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 100,000 random sequences of the daemons' states, both daemons in one process with sanitizers
# Time limit: 7200 s
export MACHINES_SEED=${MACHINES_SEED:-$((RANDOM * 32768 + RANDOM))} O_SAN=${O_SAN:-${O:-build}/san-address}
MACHINES_PROGRAMS=${MACHINES_PROGRAMS:-200} exec "$(dirname "$0")/../campaign/test-machines.sh"
